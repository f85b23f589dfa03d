// Draws the selected state of the layer readout: its ten most likely words, the rank of the chosen word in each layer, and the parts that
// wrote the word.

import { html, nothing, svg } from 'lit'
import { factorOf, withFactor } from '../../../attention-head/changes.js'
import { percent } from '../../../files/number-format.js'
import { shown } from '../../../shell/slots.js'
import { signed } from '../../../ui/contributions.js'
import { nameOf } from '../shown.js'
import { guesses, rankAt } from './numbers.js'
import { likeliest } from './room.js'
import { MOST_PINS } from './setting.js'

/** @import { Panel } from './panel.js' */
/** @import { LensWriters as Writers } from '../models.js' */

/** Size and margins of the rank curve, in pixels. */
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [416, 200, 48, 28, 26, 30]
/** In pixels: distance from the left edge of the plot to the first layer; minimum distance of a layer's label from the last label. */
const [INSET, BESIDE] = [24, 40]

/** @param {Panel} panel @param {number} id */
const togglePin = ({ set, setting: { pins } }, id) =>
  set({ pins: pins.includes(id) ? pins.filter(one => one !== id) : [...pins, id].slice(-MOST_PINS) })

/** Draws the details of the selected state. @param {Panel} panel */
export function details(panel) {
  const { grid, setting, room, l } = panel
  const { cell, written } = setting
  if (!cell) return html`<p class="note" id="lens-choose">${l('lensChoose')}</p>`
  const row = grid.layers.indexOf(cell.layer)
  const column = cell.position - grid.first
  const id = written ?? likeliest(grid, cell)
  const found = shown(room.got.lensWriters)
  const isAnswer = row === grid.layers.length - 1
  const head = { layer: cell.layer + 1, word: grid.words[column] }
  return html`<div class="lens-parts" id="lens-details">
    <section><h3>${l(isAnswer ? 'lensCellAnswer' : 'lensCell', head)}</h3>
      <ol class="lens-guesses">${guesses(grid, row, column).map(one => guess(panel, one, id))}</ol>
      <p class="note">${l('lensPinText', { most: MOST_PINS })}</p></section>
    ${
      found && found.id === id
        ? html`${curve(panel, found, column)}${writers(panel, found, column)}`
        : html`<p class="note" role="status">${l('lensWriting')}</p>`
    }</div>`
}

/** @param {Panel} panel @param {{ id: number, token: string, share: number }} one @param {number | undefined} chosen */
function guess(panel, { id, token, share }, chosen) {
  const { set, setting, l } = panel
  const n = setting.pins.indexOf(id)
  return html`<li><button type="button" class="plain" data-guess=${id} aria-pressed=${chosen === id}
    @click=${() => set({ written: id })}>${token}</button>
    <span class="lens-track"><span class="lens-bar"
      .style=${`--shade: ${share.toFixed(3)}`}></span></span><span class="number">${percent(share)}</span>
    <button type="button" class="tool" data-pin=${id} aria-pressed=${n >= 0}
      aria-label=${l(n < 0 ? 'lensPin' : 'lensUnpin', { token })}
      @click=${() => togglePin(panel, id)}>${
        n < 0 ? nothing : html`<span class="lens-swatch"><b class="lens-pin-${n}"></b></span> `
      }${l(n < 0 ? 'lensPinShort' : 'lensUnpinShort')}</button></li>`
}

/**
 * Draws the rank of the chosen word in each layer as a curve, and the ranks of the pinned words at the same position.
 * @param {Panel} panel
 * @param {Writers} found
 * @param {number} column
 */
function curve({ grid, setting, sizes, l }, { id, token, layers, ranks }, column) {
  const last = Math.max(1, layers.length - 1)
  const x = (/** @type {number} */ n) => LEFT + INSET + (n / last) * (WIDTH - LEFT - RIGHT - INSET)
  const y = (/** @type {number} */ rank) =>
    TOP + (Math.log(rank + 1) / Math.log(Math.max(2, sizes.vocab))) * (HEIGHT - TOP - BOTTOM)
  const points = (/** @type {ArrayLike<number>} */ all) =>
    Array.from(all, (rank, n) => `${x(n).toFixed(1)},${y(rank).toFixed(1)}`).join(' ')
  const pins = grid.pins.flatMap((pin, n) =>
    pin === id ? [] : [{ n, ranks: grid.layers.map((_, row) => rankAt(grid, n, row, column)) }],
  )
  const marks = [1, 10, 100, 1000, 10_000, 100_000].filter(rank => rank <= sizes.vocab)
  const every = Math.ceil(layers.length / 8)
  const isNamed = (/** @type {number} */ n) => n === last || (n % every === 0 && x(last) - x(n) > BESIDE)
  const text = l('lensRanks', {
    token,
    word: grid.words[column],
    ranks: Array.from(ranks, rank => rank + 1).join(' → '),
  })
  return html`<section><h3>${l('lensCurve', { token })}</h3>
    <svg class="lens-curve" id="lens-curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${text}>
      ${marks.map(
        rank =>
          svg`<line class="is-mark" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(rank - 1)}
            y2=${y(rank - 1)}></line><text x=${LEFT - 8} y=${y(rank - 1) + 4} text-anchor="end">${rank}</text>`,
      )}
      ${layers.map((layer, n) =>
        isNamed(n)
          ? svg`<text x=${x(n)} y=${HEIGHT - 8} text-anchor="middle">${n === last ? l('lensAnswer') : layer + 1}</text>`
          : nothing,
      )}
      ${pins.map(({ n, ranks }) => svg`<polyline class="lens-line-${n}" points=${points(ranks)}></polyline>`)}
      <polyline class="is-chosen" points=${points(ranks)}></polyline>
      ${Array.from(
        ranks,
        (rank, n) =>
          svg`<circle class=${layers[n] === setting.cell?.layer ? 'is-here' : ''} cx=${x(n)} cy=${y(rank)}
            r="4"><title>${l('lensCurvePoint', { layer: layers[n] + 1, rank: rank + 1 })}</title></circle>`,
      )}
      ${Array.from(ranks, (rank, n) =>
        last < 8
          ? svg`<text class="is-rank" x=${x(n)} y=${y(rank) - 8} text-anchor="middle">${rank + 1}</text>`
          : nothing,
      )}
    </svg><p class="note" id="lens-ranks">${text}</p></section>`
}

/**
 * Lists the parts that wrote the chosen word into the selected state. Each head has its map and a switch.
 * @param {Panel} panel
 * @param {Writers} found
 * @param {number} column
 */
function writers(panel, { token, score, parts, rest }, column) {
  const { room, grid, setting, l } = panel
  const { act, settings } = room
  const position = setting.cell?.position ?? 0
  /** @param {typeof parts[0]} part */
  const named = ({ kind, layer, head }) => {
    if (kind === 'embedding') return l('lensWriter.embedding', { word: grid.words[column] })
    if (kind === 'mlp') return l('lensWriter.mlp', { layer: layer + 1 })
    /** @type {import('../../../attention-head/head.js').HeadAt} */
    const at = { stack: '', layer, head }
    return html`<button type="button" class="plain" data-writer=${nameOf(at)} title=${l('lensWriterMap')}
      @click=${() => act.openFromGraph({ head: at }, position, '')}>${l('lensWriter.head', { name: nameOf(at) })}</button>`
  }
  /** @param {typeof parts[0]} part */
  const toggle = ({ kind, layer, head }) => {
    if (kind !== 'head') return html`<span></span>`
    /** @type {import('../../../attention-head/head.js').HeadAt} */
    const at = { stack: '', layer, head }
    const isOff = factorOf(settings.changes, at) === 0
    return html`<button type="button" class="tool ${isOff ? 'is-changed' : ''}" data-off=${nameOf(at)}
      aria-pressed=${isOff}
      @click=${() => act.change(withFactor(settings.changes, at, isOff ? 1 : 0))}>${l(isOff ? 'lensSwitchOn' : 'lensSwitchOff')}</button>`
  }
  const most = Math.max(...parts.map(({ share }) => Math.abs(share)), 1e-9)
  return html`<section id="lens-writers"><h3>${l('lensWriters', { token })}</h3>
    <ol class="lens-guesses">${parts.map(
      part =>
        html`<li><span>${named(part)}</span><span class="lens-track"><span class="lens-bar ${part.share < 0 ? 'is-against' : ''}"
          .style=${`--shade: ${(Math.abs(part.share) / most).toFixed(3)}`}></span></span><span
            class="number">${signed(part.share, 2)}</span>${toggle(part)}</li>`,
    )}<li><span>${l('lensWriter.rest')}</span><span></span><span
      class="number">${signed(rest, 2)}</span></li><li><b>${l('lensWriterSum')}</b><span></span><b
        class="number">${signed(score, 2)}</b></li></ol>
    <p class="note">${l('lensWritersText')}</p></section>`
}

/** Lists the heads that are switched off, with the effect on the most likely words. @param {Panel} panel */
export function switchedOff({ room, grid, before, l }) {
  const { act, settings, active } = room
  const off = active.filter(change => change.kind === 'head').filter(({ how }) => how === 0)
  if (!active.length) return nothing
  const others = before
    ? grid.layers.flatMap((_, row) =>
        grid.words.map((_, column) => guesses(before, row, column)[0].id !== guesses(grid, row, column)[0].id),
      )
    : []
  const count = others.filter(Boolean).length
  return html`<p class="lens-off" id="lens-off" role="status">${off.map(
    change =>
      html`<button type="button" class="tool is-changed"
        @click=${() =>
          act.change(withFactor(settings.changes, change, 1))}>${l('lensHeadOff', { name: nameOf(change) })}</button>
        `,
  )}${before ? l('lensOthers', { count, all: others.length }) : ''}</p>`
}

/**
 * Lists the pinned words with the layers and positions where they rank first, with and without the reader's changes.
 * @param {Panel} panel
 */
export function pinned(panel) {
  const { grid, before, l } = panel
  if (!grid.pins.length) return nothing
  return html`<ul class="lens-pins" id="lens-pins">${grid.pins.map((id, n) => {
    const firsts = (/** @type {import('./numbers.js').Grid} */ of) =>
      of.layers.flatMap((_, row) => of.words.map((_, column) => rankAt(of, n, row, column))).filter(rank => rank === 0)
        .length
    const token = grid.names.get(id) ?? String(id)
    const said = {
      token,
      count: firsts(grid),
      all: grid.layers.length * grid.words.length,
      before: before ? firsts(before) : 0,
    }
    return html`<li><span class="lens-swatch"><b class="lens-pin-${n}"></b></span> ${l(before ? 'lensPinnedBefore' : 'lensPinned', said)}
      <button type="button" class="tool" @click=${() => togglePin(panel, id)}>${l('lensUnpin', { token })}</button></li>`
  })}</ul>
  <p class="note lens-legend">${l('lensPinLegend')} <span class="lens-ramp"></span> ${l('lensPinLegendEnd')}</p>`
}
