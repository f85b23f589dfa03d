// What the model says next, how sure it is, what it would say without the changes, and which heads made it.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { contributions, likeliest } from '../../head/contributions.js'
import { shown } from '../../shell/store.js'
import { nameOf } from './shown.js'

/** @typedef {import('./models.js').Room} Room */

/** A change in points: "+3.1". @param {number} share */
export const points = share => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`

/** @param {Room} room */
export function predictionPanel(room) {
  const { t, run, openModel, isChanged } = room
  if (!run || !openModel) return nothing
  if (!openModel.hasHead)
    return html`<section class="models-prediction"><p class="note">${t('modelsNoHead')}</p></section>`
  const { encoder, decoder } = openModel.stacks
  const words = encoder && decoder ? (run.targets ?? []) : run.tokens
  const place =
    encoder && !decoder
      ? t('modelsInPlace', { word: words[run.row] ?? '', row: run.row + 1 })
      : t('modelsNext', { word: words[run.row] ?? '', row: run.row + 1 })
  const columns = [t('whyToken'), t('whyBar'), t('whyShare')]
  return html`<section class="models-prediction" aria-label=${t('modelsPrediction')}>
      <h2>${t('modelsPrediction')}</h2>
      <p class="note">${place}</p>
      <p class="answer-first" id="models-answer" role="status" data-token=${run.top[0]?.token ?? nothing} data-value=${run.top[0]?.probability ?? nothing}>${run.top.length ? t('modelsSays', { token: run.top[0].token, share: percent(run.top[0].probability) }) : ''}</p>
      ${encoder && decoder ? html`<p class="models-translation" id="models-translation">${(run.targets ?? []).slice(1).join(' ')}</p>` : nothing}
      ${likeliest(
        'models-top',
        t('modelsPrediction'),
        isChanged ? [...columns, t('modelsPoints')] : columns,
        run.top.map(({ token, probability: share, before }) => {
          const guess = { token, share, written: percent(share) }
          return isChanged && before !== undefined ? { ...guess, before, last: changed(points(share - before)) } : guess
        }),
      )}
      ${byLayer(room)} ${addedBy(room)}
      ${decoder ? nothing : html`<p class="note">${t('modelsWhyNone')}</p>`}
    </section>`
}

/** What the model would say if it ended with each layer: on a phone, where it has no room beside the maps. @param {Room} room */
function byLayer({ t, run }) {
  const layers = run?.lens.slice(1) ?? []
  return html`<div class="models-layers"><h2>${t('modelsLens')}</h2><ol>${layers.map(
    ([guess]) => html`<li><b>${guess.token}</b> ${percent(guess.probability)}</li>`,
  )}</ol></div>`
}

const MOST_HEADS = 10

const changed = (/** @type {string} */ text) => html`<span class="moved">${text}</span>`

/** The heads that push the first token most, up or down. @param {Room} room */
function addedBy({ t, act, got, run }) {
  const why = shown(got.why)
  if (!why || !run?.top.length) return nothing
  const { heads, dims, token, rest } = why
  const [, H] = dims
  const all = Array.from(heads, (value, n) => ({ layer: Math.floor(n / H), head: n % H, value }))
  const top = all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, MOST_HEADS)
  const others = all.slice(MOST_HEADS).reduce((sum, { value }) => sum + value, 0)
  /** @type {import('../../head/contributions.js').Addend[]} */
  const addends = [
    ...top.map(({ value, layer, head }) => {
      const name = nameOf({ layer, head })
      const open = () => act.openHead({ stack: why.stack, layer, head })
      return { name, label: name, value, open }
    }),
    ...rest.map(({ name, value }) => ({ name, label: t(`modelsWhy.${name}`), value, isBare: true })),
  ]
  if (all.length > MOST_HEADS)
    addends.splice(top.length, 0, { name: 'heads', label: t('modelsOtherHeads'), value: others, isBare: true })
  const title = t('modelsWhy', { token })
  return html`<h2>${title}</h2>
    <p class="note">${t('modelsWhyText')}</p>
    ${contributions('models-why', title, addends, { label: t('whyLogit'), value: why.logit }, 3)}`
}
