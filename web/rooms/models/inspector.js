// How a weight came about, from its result down to the numbers of query and key; each term opens its own page.

import { html, nothing } from 'lit'
import { paletteOf, stepOf } from '../../elements/colour-scale.js'
import { format } from '../../files/number-format.js'
import { sheetHandle } from '../../head/sheet.js'
import { termLines } from '../../head/term-lines.js'
import { back, forward, visit } from './visits.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./cell-trace.js').CellTrace} CellTrace */

/** Four decimals with a true minus. @param {number} x */
export const four = x => (x === Number.NEGATIVE_INFINITY ? '−∞' : x.toFixed(4).replace('-', '−'))

/** Behind a sign: a negative number in parentheses. @param {number} x */
const signed = x => (x < 0 ? `(${four(x)})` : four(x))

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0)

/** @param {Iterable<number>} numbers */
const reachOf = numbers => Math.max(...Array.from(numbers, x => (Number.isFinite(x) ? Math.abs(x) : 0)), 1e-9)

/** A number as a cell that opens its own page. @param {Room} room @param {number} value @param {number} reach @param {string} name @param {() => void} open @param {'diverging' | 'sequential'} [scale] */
function cell({ t, isDark }, value, reach, name, open, scale = 'diverging') {
  const { colours, inks } = paletteOf(scale, isDark)
  const step = stepOf(value, [scale === 'diverging' ? -reach : 0, reach])
  const style = Number.isFinite(value) ? `background-color: ${colours[step]}; color: ${inks[step]}` : ''
  return html`<button type="button" class="factor" .style=${style} aria-label=${t('goTo', { value: `${name} ${four(value)}` })} @click=${open}>${four(value)}</button>`
}

/** @param {Room} room */
export function inspector(room) {
  const { t, cell, traced, words, head, visits } = room
  if (!cell || !head) return nothing
  const names = { query: words.queries[cell.query] ?? '', key: words.keys[cell.key] ?? '' }
  const title = t('modelsCellTitle', { name: room.nameOf(head), ...names })
  return html`<section class="models-inspector sheet is-open" id="models-inspector" aria-label=${t('modelsInspector')}>
    ${sheetHandle(t)}
    <header>
      <button type="button" class="tool icon" id="models-inspector-back" aria-label=${t('back')} title=${t('back')} ?disabled=${!visits.past.length} @click=${() => back(room)}>←</button>
      <button type="button" class="tool icon" id="models-inspector-forward" aria-label=${t('forward')} title=${t('forward')} ?disabled=${!visits.future.length} @click=${() => forward(room)}>→</button>
      <h2 title=${title}>${title}</h2>
      <button type="button" class="tool icon" id="models-inspector-close" aria-label=${t('modelsClose')} @click=${() => room.selectCell(undefined)}>×</button></header>
    ${traced ? sheetRow(room, traced) : nothing}
    <div class="sheet-body">${traced ? page(room, traced) : html`<p class="note">${t('loading')}</p>`}</div>
  </section>`
}

/** @param {Room} room @param {CellTrace} trace */
function page(room, trace) {
  const { term, number } = room
  if (number) return numberPage(room, trace, number)
  return term === undefined ? weightPage(room, trace) : termPage(room, trace, term)
}

/** Of the row again, on a phone, whose sheet covers it: keys around the selected one. */
const [BEFORE, MOST_CELLS] = [2, 24]

/** @param {Room} room @param {CellTrace} trace */
function sheetRow(room, { query, key, weights, scores }) {
  const { words } = room
  const visible = Array.from(scores.keys()).filter(i => scores[i] !== Number.NEGATIVE_INFINITY)
  const start = Math.max(0, visible.indexOf(key) - BEFORE)
  return html`<div class="sheet-row">${visible.slice(start, start + MOST_CELLS).map(i => {
    const name = words.keys[i] ?? String(i + 1)
    return html`<span class="sheet-cell ${i === key ? 'is-own' : ''}"><span class="sheet-name"><bdi>${name}</bdi></span>${cell(
      room,
      weights[i],
      1,
      name,
      () => visit(room, { cell: { query, key: i } }),
      'sequential',
    )}</span>`
  })}</div>`
}

/** @param {Room} room @param {CellTrace} trace */
function weightPage(room, trace) {
  const { t } = room
  const { weight, score, largest, sum, dot, scale, scaled, cap, capped, bias, isSet } = trace
  const isHidden = score === Number.NEGATIVE_INFINITY
  return html`<p class="models-result">${four(weight)}</p>
    ${isSet ? html`<p class="note is-changed">${t('modelsRowSet')}</p>` : nothing}
    ${
      isHidden
        ? html`<p>${t('modelsCellHidden')}</p>`
        : html`<p class="models-equation">= exp(${four(score)} − ${signed(largest)}) / ${four(sum)}</p>
      <p class="note">${t('modelsSoftmax')}</p>`
    }
    <h3>${t('modelsScore')}</h3>
    <dl class="models-terms">
      <div><dt>${t('modelsDot')}</dt><dd>${four(dot)}</dd></div>
      <div><dt>${t('modelsScaled', { scale: Number(scale.toPrecision(5)) })}</dt><dd>${four(scaled)}</dd></div>
      ${cap === undefined || capped === undefined ? nothing : html`<div><dt>${t('modelsCapped', { cap })}</dt><dd>${four(capped)}</dd></div>`}
      ${bias === undefined ? nothing : html`<div><dt>${t('modelsBias')}</dt><dd>${four(bias)}</dd></div>`}
      <div><dt>${t(isHidden ? 'modelsMaskHides' : 'modelsMaskShows')}</dt><dd>${four(score)}</dd></div>
    </dl>
    ${products(room, trace)} ${row(room, trace)}`
}

/** @param {Room} room @param {string} name */
const sumOf = (room, name) => ({
  ...{ t: room.t, id: `models-more-${name}`, key: `models ${name} ${JSON.stringify(room.cell)}`, sum },
  refresh: () => room.requestUpdate(),
})

/** The row of the softmax: the score of every key is a cell that opens. @param {Room} room @param {CellTrace} trace */
function row(room, { query, key, scores, weights, largest, sum: total }) {
  const { t, words } = room
  const reach = reachOf(scores)
  const shares = Array.from(scores, score => (score === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - largest)))
  const name = (/** @type {number} */ i) => words.keys[i] ?? String(i + 1)
  const open = (/** @type {number} */ i) => () => visit(room, { cell: { query, key: i } })
  const foot = html`<tfoot><tr><th scope="row" class="term-name">${t('sum')}</th><td></td><td>${format(total)}</td><td></td></tr></tfoot>`
  const title = t('modelsRow', { query: words.queries[query] ?? '' })
  return html`<h3>${title}</h3>
    <div class="models-scroll" id="models-row" tabindex="0" role="group" aria-label=${title}>${termLines(
      sumOf(room, 'row'),
      [t('modelsScore'), 'exp', t('modelsWeight')],
      name,
      i => [cell(room, scores[i], reach, name(i), open(i)), format(shares[i]), format(weights[i])],
      shares,
      { own: key, foot },
    )}</div>`
}

/** q and k, number by number, the largest products first; each product opens. @param {Room} room @param {CellTrace} trace */
function products(room, { q, k, kvHead, head }) {
  const { t } = room
  const sizes = Array.from(q, (value, i) => value * k[i])
  const reach = reachOf(sizes)
  const name = (/** @type {number} */ i) => String(i + 1)
  const open = (/** @type {number} */ i) => () => visit(room, { term: i })
  return html`<h3>${t('modelsProducts')}</h3>
    ${kvHead === head ? nothing : html`<p class="note">${t('modelsShared', { head: kvHead + 1 })}</p>`}
    <div class="models-scroll" id="models-products" tabindex="0" role="group" aria-label=${t('modelsProducts')}>${termLines(
      sumOf(room, 'products'),
      ['q', nothing, 'k', nothing, 'q × k'],
      name,
      i => [
        format(q[i]),
        '×',
        format(k[i]),
        '=',
        cell(room, sizes[i], reach, `${t('modelsNumber')} ${name(i)}`, open(i)),
      ],
      sizes,
    )}</div>`
}

/** @param {Room} room @param {CellTrace['stack']} stack */
function stackOf({ told }, stack) {
  const { encoder, decoder } = told?.stacks ?? {}
  return stack === 'encoder' ? encoder : (decoder ?? encoder)
}

/** One product: its two numbers, and the rotation that made each. @param {Room} room @param {CellTrace} trace @param {number} i */
function termPage(room, { q, k, qBare, kBare, query, key, stack }, i) {
  const { t, words } = room
  const { rope } = stackOf(room, stack) ?? {}
  const half = rope?.frequencies.length ?? 0
  const side = (
    /** @type {'q' | 'k'} */ letter,
    /** @type {Float32Array} */ turned,
    /** @type {Float32Array | undefined} */ bare,
    /** @type {number} */ position,
    /** @type {string} */ word,
  ) => {
    const title = html`<h3>${t('modelsNumberAt', { letter, i: i + 1, word })}</h3>`
    const from = bare ?? turned
    /** A number before its rotation: it opens down to the weights. @param {number} n */
    const opens = n => {
      const name = t('modelsNumberAt', { letter, i: n + 1, word })
      return cell(room, from[n], reachOf(from), name, () => visit(room, { term: i, number: { letter, i: n } }))
    }
    if (!bare || !rope || i >= 2 * half)
      return html`${title}<p class="models-equation" data-side=${letter}>${opens(i)}</p><p class="note">${t('modelsNotTurned')}</p>`
    const other = i < half ? i + half : i - half
    const angle = position * rope.frequencies[i % half]
    return html`${title}<p class="models-equation" data-side=${letter}>${four(turned[i])} = ${opens(i)} cos(${four(angle)}) ${i < half ? '−' : '+'} ${opens(other)} sin(${four(angle)})</p>
      <p class="note">${t('modelsTurned', { i: i + 1, other: other + 1, position })}</p>`
  }
  return html`<p class="models-result">${four(q[i] * k[i])}</p>
    <p class="models-equation">= ${signed(q[i])} × ${signed(k[i])}</p>
    <p class="note">${t('modelsTerm', { i: i + 1 })}</p>
    ${side('q', q, qBare, query, words.queries[query] ?? '')} ${side('k', k, kBare, key, words.keys[key] ?? '')}`
}

/** A number of query or key before its rotation: a row of the weight times what the layer reads, and the bias. @param {Room} room @param {CellTrace} trace @param {{ letter: 'q' | 'k', i: number }} number */
function numberPage(room, trace, { letter, i }) {
  const { t, words, weightRow } = room
  const isQuery = letter === 'q'
  const [made, x] = isQuery ? [trace.qBare ?? trace.q, trace.xq] : [trace.kBare ?? trace.k, trace.xk]
  const isTurned = trace.qBare !== undefined
  const word = (isQuery ? words.queries[trace.query] : words.keys[trace.key]) ?? ''
  const title = html`<p class="models-result">${four(made[i])}</p>
    <h3>${t(isTurned ? 'modelsNumberBare' : 'modelsNumberAt', { letter, i: i + 1, word })}</h3>`
  if (!weightRow) return html`${title}<p class="note">${t('loading')}</p>`
  const { weight, bias } = weightRow
  const sizes = Array.from(weight, (w, n) => w * x[n])
  const product = sum(sizes) + bias
  const row = (isQuery ? trace.head : trace.kvHead) * made.length + i + 1
  const name = (/** @type {number} */ n) => String(n + 1)
  const line = (/** @type {string} */ label, /** @type {number} */ value) =>
    html`<tr><th scope="row" class="term-name">${label}</th><td colspan="4"></td><td>${format(value)}</td></tr>`
  const isNormed = stackOf(room, trace.stack)?.qkNorm
  const foot = html`<tfoot>${bias ? line(t('modelsBiasTerm'), bias) : nothing}${line(t('sum'), product)}</tfoot>`
  return html`${title}
    <p class="note">${t('modelsProjection', { letter, row, word })}${isNormed ? ` ${t('modelsProjectionNorm', { factor: four(made[i] / product) })}` : ''}</p>
    <div class="models-scroll" id="models-projection" tabindex="0" role="group" aria-label=${t('modelsProjection', { letter, row, word })}>${termLines(
      { ...sumOf(room, 'projection'), key: `models ${letter} ${i} ${JSON.stringify(room.cell)}` },
      ['W', nothing, 'x', nothing, 'W × x'],
      name,
      n => [format(weight[n]), '×', format(x[n]), '=', format(sizes[n])],
      sizes,
      { foot },
    )}</div>`
}
