// What the model says next, how sure it is, what it would say without the changes, and which heads made it.

import { html, nothing } from 'lit'
import { percent } from './strip.js'

/** @typedef {import('./room.js').ModelsRoom} Room */

/** A change in points: "+3.1". @param {number} share */
export const points = share => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`
const signed = (/** @type {number} */ x) => `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(3)}`

/** @param {Room} room */
export function predictionPanel(room) {
  const { t, run, told } = room
  if (!run || !told) return nothing
  if (!told.hasHead) return html`<section class="models-prediction"><p class="note">${t('modelsNoHead')}</p></section>`
  const { encoder, decoder } = told.stacks
  const words = encoder && decoder ? (run.targets ?? []) : run.tokens
  const place =
    encoder && !decoder
      ? t('modelsInPlace', { word: words[run.row] ?? '', row: run.row + 1 })
      : t('modelsNext', { word: words[run.row] ?? '', row: run.row + 1 })
  const isChanged = room.runAfter !== undefined && room.showing !== 'before'
  const most = Math.max(...run.top.map(({ probability, before = 0 }) => Math.max(probability, before)), 1e-9)
  return html`<section class="models-prediction" aria-label=${t('modelsPrediction')}>
      <h2>${t('modelsPrediction')}</h2>
      <p class="note">${place}</p>
      <p class="answer-first" id="models-answer" role="status">${run.top.length ? t('modelsSays', { token: run.top[0].token, share: percent(run.top[0].probability) }) : ''}</p>
      ${encoder && decoder ? html`<p class="models-translation" id="models-translation">${(run.targets ?? []).slice(1).join(' ')}</p>` : nothing}
      <table class="models-top" id="models-top"><caption class="visually-hidden">${t('modelsPrediction')}</caption>
        <thead class="visually-hidden"><tr><th scope="col">${t('modelsToken')}</th><th scope="col">${t('modelsBar')}</th><th scope="col">${t('modelsShare')}</th><th scope="col">${t('modelsPoints')}</th></tr></thead>
        <tbody>${run.top.map(
          ({ token, probability, before }) => html`<tr>
            <th scope="row">${token}</th>
            <td class="models-bars"><i .style=${`inline-size: ${(100 * probability) / most}%`}></i>${
              isChanged && before !== undefined
                ? html`<b .style=${`inset-inline-start: ${(100 * before) / most}%`}></b>`
                : nothing
            }</td>
            <td>${percent(probability)}</td>
            <td class="models-moved">${isChanged && before !== undefined ? points(probability - before) : nothing}</td></tr>`,
        )}</tbody></table>
      ${contributions(room)}
    </section>`
}

const MOST_HEADS = 10

/** The heads that push the first token most, up or down. @param {Room} room */
function contributions(room) {
  const { t, why, run } = room
  if (!why || !run?.top.length) return nothing
  const { heads, dims, token, rest } = why
  const [, H] = dims
  const all = Array.from(heads, (value, n) => ({ layer: Math.floor(n / H), head: n % H, value }))
  const top = all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, MOST_HEADS)
  const most = Math.max(...top.map(({ value }) => Math.abs(value)), 1e-9)
  const others = all.slice(MOST_HEADS).reduce((sum, { value }) => sum + value, 0)
  return html`<h2>${t('modelsWhy', { token })}</h2>
    <p class="note">${t('modelsWhyText')}</p>
    <table class="models-why" id="models-why"><caption class="visually-hidden">${t('modelsWhy', { token })}</caption>
      <tbody>${top.map(
        ({ layer, head, value }) => html`<tr>
          <th scope="row"><button type="button" class="plain" @click=${() => room.openHead({ stack: why.stack, layer, head })}>${room.nameOf({ layer, head })}</button></th>
          <td class="models-bars is-signed"><i class=${value < 0 ? 'is-less' : 'is-more'} .style=${`inline-size: ${(50 * Math.abs(value)) / most}%`}></i></td>
          <td>${signed(value)}</td></tr>`,
      )}
      ${all.length > MOST_HEADS ? html`<tr><th scope="row">${t('modelsOtherHeads')}</th><td></td><td>${signed(others)}</td></tr>` : nothing}
      ${rest.map(({ name, value }) => html`<tr><th scope="row">${t(`modelsWhy.${name}`)}</th><td></td><td>${signed(value)}</td></tr>`)}
      <tr><th scope="row">${t('modelsLogit')}</th><td></td><td>${signed(why.logit)}</td></tr>
      </tbody></table>`
}
