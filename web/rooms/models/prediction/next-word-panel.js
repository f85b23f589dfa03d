// Draws "Next word, by hand": bars of the candidates, which follow temperature, top-k and top-p. A click appends a word, and the KV cache
// grows by one row.

import { html, nothing } from 'lit'
import { percent } from '../../../files/number-format.js'
import { shown } from '../../../shell/slots.js'
import { megabytes } from '../open/sources.js'
import { ending } from '../sentence/token-row.js'
import { isEnded, isGenerating, nameOf } from '../shown.js'
import { drawn, NAMED, sharesOf } from './next-word.js'

/** @import { Room } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/next-word.js').texts>} NextTexts */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const BARS = 12
/** Number of characters shown from the end of the text, above the bars. */
const LETTERS = 90

/** @param {number} milliseconds */
const duration = milliseconds => `${milliseconds < 10 ? milliseconds.toFixed(2) : milliseconds.toFixed(0)} ms`

/** @param {Room} room @param {NextTexts} n */
export function nextWordPanel(room, n) {
  const next = shown(room.got.nextWord)
  if (!next) return html`<p class="note next-coming" role="status">${n('nextComputing')}</p>`
  const { cut } = room.view
  const { shares, kept } = sharesOf(next.probabilities, next.named, cut)
  return html`<div class="next-word">
    <section aria-label=${n('nextBars')}>
      <p class="next-text" id="next-text">${next.text.length > LETTERS ? '…' : ''}${next.text.slice(-LETTERS)} <mark>?</mark></p>
      ${sliders(room, n)}
      <p class="note" id="next-kept" role="status" data-kept=${kept}>${n('nextKept', { kept, all: next.probabilities.length })}</p>
      ${bars(room, n, next, shares)}
    </section>
    <section aria-label=${n('nextCache')}>${cache(room, n, next)}</section>
  </div>`
}

/** @param {Room} room @param {NextTexts} n */
function sliders({ act, view: { cut } }, n) {
  const slider = (
    /** @type {keyof typeof cut} */ name,
    /** @type {number} */ min,
    /** @type {number} */ max,
    /** @type {number} */ step,
    /** @type {string} */ said,
  ) =>
    html`<label>${n(`next.${name}`)} <output>${said}</output>
      <input type="range" id="next-${name}" min=${min} max=${max} step=${step} .value=${String(cut[name])} aria-valuetext=${said}
        @input=${(/** @type {InputEvent} */ { target }) => act.show({ cut: { ...cut, [name]: Number(target.value) } })} /></label>`
  return html`<div class="next-sliders">
    ${slider('temperature', 0, 2, 0.05, cut.temperature.toFixed(2))}
    ${slider('topK', 1, NAMED, 1, cut.topK < NAMED ? String(cut.topK) : n('nextAll'))}
    ${slider('topP', 0.05, 1, 0.05, cut.topP.toFixed(2))}
  </div>`
}

/** @param {Room} room @param {NextTexts} n @param {import('../models.js').NextWord} next @param {readonly number[]} shares */
function bars(room, n, { named, probabilities, ids }, shares) {
  const { act, settings, openModel } = room
  const isFull = ids.length >= (openModel?.positions ?? 0) || isEnded(room)
  const isOff = isFull || isGenerating(room)
  const most = Math.max(...shares)
  return html`<ol class="next-bars" id="next-bars">${named.slice(0, BARS).map(
    ({ id, token }, i) =>
      html`<li class=${shares[i] ? '' : 'is-out'}><button type="button" class="tool" data-take=${id} ?disabled=${isOff}
        title=${n('nextTake', { token })} aria-label=${n('nextTakeShare', { token, share: percent(shares[i]) })}
        @click=${() => act.takeWord(id)}><b>${token}</b>${ending(room, id)}</button>
        <span class="bar-cell"><i .style=${`width: ${((100 * shares[i]) / most).toFixed(1)}%`}></i></span><span>${
          shares[i] ? percent(shares[i]) : n('nextOut')
        }</span>
        <small class="note">${percent(probabilities[id])}</small></li>`,
  )}</ol>
  <p class="note">${n('nextColumns')}</p>
  <p><button type="button" class="tool is-filled" id="next-draw" ?disabled=${isOff}
    @click=${() => act.takeWord(named[drawn(shares, Math.random())].id)}>${n('nextDraw')}</button>
    ${
      settings.generated.length
        ? html`<button type="button" class="tool" id="next-back" @click=${() => act.takeBack()}>${n('nextBack')}</button>`
        : nothing
    }
    ${isFull ? html`<span class="note" role="status">${n(isEnded(room) ? 'nextEnded' : 'nextFull')}</span>` : nothing}</p>`
}

/** Extracts the values of one head. @param {import('../models.js').Matrix} rows (tokens, values of all heads) @param {number} head @param {number} heads */
function ofHead({ data, dims: [tokens, all] }, head, heads) {
  const size = all / heads
  const own = new Float32Array(tokens * size)
  for (let i = 0; i < tokens; i++) own.set(data.subarray(i * all + head * size, i * all + (head + 1) * size), i * size)
  return { data: own, dims: [tokens, size] }
}

/** Draws the cache with its size in bytes, and the time of a step with and without it. @param {Room} room @param {NextTexts} n @param {import('../models.js').NextWord} next */
function cache({ t, act, view, run }, n, { ids, rows, numKvHeads, rowBytes, milliseconds }) {
  const heads = rows.flatMap((_, layer) => Array.from({ length: numKvHeads }, (_, head) => ({ layer, head })))
  const chosen = Math.min(view.cacheHead, heads.length - 1)
  const { cached, whole } = milliseconds
  const tokens = ids.length
  const own = heads[chosen]
  const names = run?.ids.length === tokens ? run.tokens : ids.map(String)
  const picture = (/** @type {'k' | 'v'} */ part) =>
    html`<figure><figcaption>${n(`nextRows.${part}`)}</figcaption><qkv-heatmap id="next-${part}"
      .label=${n(`nextRows.${part}`)} .matrix=${ofHead(rows[own.layer][part], own.head, numKvHeads)}
      .rowTokens=${names} .columnTokens=${[]} .scale=${'diverging'} .rowTitle=${n('nextWords')}
      .columnTitle=${n('nextNumbers')} .texts=${t.elements}></qkv-heatmap></figure>`
  return html`<h2>${n('nextCache')}</h2>
    <p id="next-size" data-rows=${tokens}
      data-bytes=${tokens * rowBytes}>${n('nextSize', { tokens, bytes: megabytes(tokens * rowBytes), row: megabytes(rowBytes) })}</p>
    <p id="next-time" data-cached=${cached}
      data-whole=${whole}>${n('nextTime', { cached: duration(cached), whole: duration(whole), tokens })}</p>
    ${
      own
        ? html`<label>${n('nextHead')} <select id="next-head"
          @change=${(/** @type {InputEvent} */ { target }) => act.show({ cacheHead: Number(target.value) })}>${heads.map(
            (at, i) => html`<option value=${i} ?selected=${i === chosen}>${nameOf(at)}</option>`,
          )}</select></label>
          <div class="next-cache">${picture('k')}${picture('v')}</div>`
        : html`<p class="note">${n('nextLong')}</p>`
    }`
}
