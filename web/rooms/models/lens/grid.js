// Draws the grid of the layer readout: layers from bottom to top, words from left to right. On a phone it is a list of the layers for one
// word. Its gestures are the same as in <qkv-deep-map>.

import { html, nothing } from 'lit'
import { ALL } from '../../../elements/signs.js'
import { percent } from '../../../files/number-format.js'
import { alive, guesses, rankAt, rowsOf } from './numbers.js'
import { MOST_WORDS } from './setting.js'

/** @import { Panel } from './panel.js' */

/** Arrow keys that move the selection; layers go upwards. @type {Record<string, [layer: number, position: number]>} */
const MOVES = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }
/** Minimum and maximum zoom, and the factor of a zoom step. */
const [LEAST, MOST, STEP] = [0.3, 4, 1.5]
/** Zoom from which a cell shows three words, and zoom up to which it shows none. */
const [NEAR, FAR] = [1.6, 0.55]

/** @param {Panel} panel @param {number} row */
const layerName = ({ grid, l }, row) =>
  row === grid.layers.length - 1 ? l('lensAnswer') : String(grid.layers[row] + 1)

/**
 * True if the reader's changes have changed the most likely word of a state.
 * @param {Panel} panel
 * @param {number} row
 * @param {number} column
 */
const isOther = ({ grid, before }, row, column) =>
  before !== undefined && guesses(before, row, column)[0].id !== guesses(grid, row, column)[0].id

/**
 * True if the most likely word of a state is the answer: also the most likely word of the last layer at this position.
 * @param {Panel} panel
 * @param {number} row
 * @param {number} column
 */
const isAnswer = ({ grid }, row, column) =>
  guesses(grid, row, column)[0].id === guesses(grid, grid.layers.length - 1, column)[0].id

/**
 * Returns the colours of a state, from the probability of its most likely word or the rank of each pinned word.
 * @param {Panel} panel
 * @param {number} row
 * @param {number} column
 */
function colours({ grid, sizes }, row, column) {
  const strength = grid.pins.map((_, n) => alive(rankAt(grid, n, row, column), sizes.vocab))
  return strength.map(
    (one, n) => html`<b class="lens-pin-${n}" .style=${`opacity: ${(0.62 * one * one).toFixed(3)}`}></b>`,
  )
}

/** @param {Panel} panel @param {number} row @param {number} column */
function said({ grid, l }, row, column) {
  const [{ token, share }] = guesses(grid, row, column)
  const ranks = grid.pins.map((id, n) =>
    l('lensRankOf', { token: grid.names.get(id) ?? id, rank: rankAt(grid, n, row, column) + 1 }),
  )
  const state = { layer: grid.layers[row] + 1, word: grid.words[column], token, share: percent(share) }
  return [l('lensState', state), ...ranks].join(' · ')
}

/** @param {Panel} panel @param {{ layer: number, position: number }} at */
const select = ({ set }, { layer, position }) => set({ cell: { layer, position }, written: undefined })

/**
 * Draws a state. Styles are set as properties, since the page's CSP forbids them in HTML.
 * @param {Panel} panel
 * @param {number} row
 * @param {number} column
 * @param {boolean} isFocus
 */
function state(panel, row, column, isFocus) {
  const { grid, setting, room } = panel
  const at = { layer: grid.layers[row], position: grid.first + column }
  const list = guesses(grid, row, column)
  const { lensZoom: zoom } = room.view
  const isOn = setting.cell?.layer === at.layer && setting.cell.position === at.position
  const text = said(panel, row, column)
  const words = zoom < FAR ? [] : list.slice(0, zoom >= NEAR ? 3 : 1)
  return html`<td><button type="button"
    class="lens-state ${isOther(panel, row, column) ? 'is-other' : ''} ${isAnswer(panel, row, column) ? '' : 'is-else'}"
    data-layer=${at.layer} data-position=${at.position} tabindex=${isFocus ? 0 : -1}
    aria-pressed=${isOn} title=${text} aria-label=${text}
    .style=${`--shade: ${grid.pins.length ? 0 : list[0].share.toFixed(3)}`} @click=${() => select(panel, at)}>
      ${grid.pins.length ? html`<i>${colours(panel, row, column)}</i>` : nothing}${words.map(
        ({ token, share }) =>
          html`<span>${token}${zoom >= NEAR ? html` <small>${percent(share)}</small>` : nothing}</span>`,
      )}
    </button></td>`
}

/** Returns a key handler: arrows select and focus a neighbouring state; +, − and 0 zoom. @param {Panel} panel @param {{ layer: number, position: number }} at */
const keysOf = (panel, at) => (/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const { grid } = panel
  const { currentTarget: table } = event
  const factor = { '+': STEP, '=': STEP, '-': 1 / STEP, 0: 0 }[event.key]
  if (factor !== undefined) return zoomBy(panel, factor)
  const move = MOVES[event.key]
  if (!move) return
  event.preventDefault()
  const layer = Math.min(grid.layers.length - 1, Math.max(0, at.layer + move[0]))
  const position = Math.min(grid.first + grid.words.length - 1, Math.max(grid.first, at.position + move[1]))
  select(panel, { layer, position })
  requestAnimationFrame(() => {
    const next = table.querySelector(`[data-layer="${layer}"][data-position="${position}"]`)
    if (next instanceof HTMLElement) next.focus()
  })
}

/** Zoom that the next frame will show; several events may change it before then. */
let nextZoom = 1

/** Returns the left edge and the width of each column of words, in pixels from the left edge of the grid. @param {Element} box */
const columnsOf = box =>
  Array.from(box.querySelectorAll('thead th:not(:first-child)'), th => {
    const { left, width } = th.getBoundingClientRect()
    return { left: left - box.getBoundingClientRect().left + box.scrollLeft, width }
  })

/**
 * Returns the column at a point of the box, as a fraction: 2.5 is the middle of the third column.
 * @param {Element} box
 * @param {number} x pixels from the left edge of the box
 */
function placeAt(box, x) {
  const columns = columnsOf(box)
  const at = box.scrollLeft + x
  const n = Math.max(0, columns.filter(({ left }) => left <= at).length - 1)
  return n + (at - columns[n].left) / columns[n].width
}

/**
 * Sets the zoom. With `kept`, also scrolls so that column `at` of the grid is `x` pixels from the left edge of `box`.
 * @param {Panel} panel
 * @param {number} zoom
 * @param {{ box: Element, x: number, at: number }} [kept]
 */
function zoomTo({ room: { act } }, zoom, kept) {
  nextZoom = Math.min(MOST, Math.max(LEAST, zoom))
  act.show({ lensZoom: nextZoom })
  if (!kept) return
  const { box, x, at } = kept
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const columns = columnsOf(box)
      const n = Math.min(Math.floor(Math.max(0, at)), columns.length - 1)
      box.scrollLeft = columns[n].left + (at - n) * columns[n].width - x
    }),
  )
}

/** Zooms by a factor; with `pointer`, the point under the pointer keeps its place. @param {Panel} panel @param {number} factor 0 fits the whole grid @param {{ box: Element, x: number }} [pointer] */
const zoomBy = (panel, factor, pointer) =>
  zoomTo(panel, factor === 0 ? 1 : nextZoom * factor, pointer && { ...pointer, at: placeAt(pointer.box, pointer.x) })

/** Last position of each pressed pointer, by pointer id. @type {Map<number, { x: number, y: number }>} */
const fingers = new Map()
/** Start of a pinch: the distance of the fingers, the zoom, and the column between them. */
let pinch = { distance: 1, zoom: 1, at: 0 }

/** Returns listeners for the gestures of <qkv-deep-map>: Ctrl+wheel, pinch and double click zoom; a drag pans. @param {Panel} panel */
function gesturesOf(panel) {
  /** @param {MouseEvent & { currentTarget: Element }} event */
  const place = event => {
    const box = event.currentTarget
    return { box, x: event.clientX - box.getBoundingClientRect().left }
  }
  /** Returns the distance of two fingers, and the point between them. @param {Element} box */
  const between = box => {
    const [a, b] = fingers.values()
    const x = (a.x + b.x) / 2 - box.getBoundingClientRect().left
    return { distance: Math.hypot(a.x - b.x, a.y - b.y) || 1, x }
  }
  return {
    wheel: {
      passive: false,
      handleEvent(/** @type {WheelEvent & { currentTarget: Element }} */ event) {
        if (!event.ctrlKey && !event.metaKey) return
        event.preventDefault()
        zoomBy(panel, Math.exp((-event.deltaY * (event.deltaMode === 1 ? 16 : 1)) / 200), place(event))
      },
    },
    twice: (/** @type {MouseEvent & { currentTarget: Element }} */ event) => zoomBy(panel, STEP, place(event)),
    down(/** @type {PointerEvent & { currentTarget: Element }} */ event) {
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      if (fingers.size !== 2) return
      const { box } = place(event)
      const { distance, x } = between(box)
      pinch = { distance, zoom: nextZoom, at: placeAt(box, x) }
    },
    move(/** @type {PointerEvent & { currentTarget: Element }} */ event) {
      const before = fingers.get(event.pointerId)
      if (!before) return
      const own = { x: event.clientX, y: event.clientY }
      fingers.set(event.pointerId, own)
      const { box } = place(event)
      if (fingers.size === 2) {
        const { distance, x } = between(box)
        zoomTo(panel, (pinch.zoom * distance) / pinch.distance, { box, x, at: pinch.at })
      } else if (event.pointerType === 'mouse') box.scrollLeft -= own.x - before.x
    },
    up: (/** @type {PointerEvent & { currentTarget: Element }} */ event) => void fingers.delete(event.pointerId),
  }
}

/** Draws the choice of which words of a long text are read. @param {Panel} panel */
function window({ grid, room, set, l }) {
  if (grid.count <= MOST_WORDS) return nothing
  const { first, count, words } = grid
  const go = (/** @type {number} */ lensFrom) => () => {
    room.act.show({ lensFrom })
    set({ cell: undefined, written: undefined })
  }
  return html`<button type="button" class="tool icon" id="lens-back" aria-label=${l('lensWordsBefore')}
    title=${l('lensWordsBefore')} ?disabled=${first === 0} @click=${go(Math.max(0, first - MOST_WORDS))}>‹</button>
    <span class="note">${l('lensWords', { first: first + 1, last: first + words.length, count })}</span>
    <button type="button" class="tool icon" id="lens-on" aria-label=${l('lensWordsAfter')} title=${l('lensWordsAfter')}
      ?disabled=${first + words.length >= count} @click=${go(first + MOST_WORDS)}>›</button>`
}

/** @param {Panel} panel */
export function gridTools(panel) {
  const {
    room: { view },
    l,
  } = panel
  const tool = (
    /** @type {unknown} */ sign,
    /** @type {'lensZoomOut' | 'lensZoomIn' | 'lensZoomAll'} */ key,
    /** @type {number} */ factor,
    /** @type {boolean} */ isOff,
  ) =>
    html`<button type="button" class="tool icon" data-zoom=${key} aria-label=${l(key)} title=${l(key)}
      ?disabled=${isOff} @click=${() => zoomBy(panel, factor)}>${sign}</button>`
  return html`<div class="lens-tools">${window(panel)}<span class="lens-zoom"
    title=${l('lensZoomText')}>${tool(
      '−',
      'lensZoomOut',
      1 / STEP,
      view.lensZoom <= LEAST,
    )}${tool('+', 'lensZoomIn', STEP, view.lensZoom >= MOST)}${tool(ALL, 'lensZoomAll', 0, view.lensZoom === 1)}</span></div>`
}

/** @param {Panel} panel */
export function table(panel) {
  const { grid, setting, l, room } = panel
  const rows = rowsOf(grid)
  const last = { layer: grid.layers[rows[0]], position: grid.first + grid.words.length - 1 }
  const focus = setting.cell ?? last
  const { wheel, twice, down, move, up } = gesturesOf(panel)
  nextZoom = room.view.lensZoom
  return html`<ul class="visually-hidden" id="lens-sentences">${rows.map(row => html`<li>${sentence(panel, row)}</li>`)}</ul>
    <div class="lens-scroll ${room.view.lensZoom < FAR ? 'is-far' : ''}" tabindex="-1"
      .style=${`--zoom: ${room.view.lensZoom}; --words: ${grid.words.length}`}
      @wheel=${wheel} @dblclick=${twice} @pointerdown=${down} @pointermove=${move} @pointerup=${up} @pointercancel=${up}
      @pointerleave=${up}>
    <table class="lens-grid" aria-label=${l('lensTable')} @keydown=${keysOf(panel, focus)}>
    <thead><tr><th scope="col">${l('lensLayers')}</th>${grid.words.map(
      (word, column) =>
        html`<th scope="col" aria-current=${setting.cell?.position === grid.first + column ? 'true' : nothing}
          title=${word}><span>${word}</span></th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      row =>
        html`<tr aria-current=${
          setting.cell?.layer === grid.layers[row] ? 'true' : nothing
        }><th scope="row">${layerName(panel, row)}</th>${grid.words.map((_, column) =>
          state(panel, row, column, grid.layers[row] === focus.layer && grid.first + column === focus.position),
        )}</tr>`,
    )}</tbody></table></div>`
}

/** Describes a row for screen readers. @param {Panel} panel @param {number} row */
function sentence(panel, row) {
  const { grid, l } = panel
  const parts = grid.words.map((word, column) => {
    const [{ token, share }] = guesses(grid, row, column)
    return l('lensAfter', { word, token, share: percent(share) })
  })
  return `${row === grid.layers.length - 1 ? l('lensAnswerSays') : l('lensLayerSays', { layer: grid.layers[row] + 1 })} ${parts.join('; ')}`
}

/** Draws the list for phones: the words, and the readout of each layer at the chosen word. @param {Panel} panel */
export function list(panel) {
  const { grid, setting, l } = panel
  const position = setting.cell?.position ?? grid.first + grid.words.length - 1
  const column = position - grid.first
  const layer = setting.cell?.layer ?? grid.layers[grid.layers.length - 1]
  return html`<div class="lens-list"><p class="note"
    id="lens-list-words">${l('lensListText')}</p><div class="lens-words" role="group"
      aria-labelledby="lens-list-words">${grid.words.map(
        (word, n) =>
          html`<button type="button" class="plain" data-word=${grid.first + n} aria-pressed=${n === column}
        @click=${() => select(panel, { layer, position: grid.first + n })}>${word}</button>`,
      )}</div>
    <ol>${rowsOf(grid).map(row => {
      const [{ token, share }] = guesses(grid, row, column)
      const isOn = setting.cell?.layer === grid.layers[row]
      return html`<li><button type="button"
        class="lens-line ${isOther(panel, row, column) ? 'is-other' : ''} ${isAnswer(panel, row, column) ? '' : 'is-else'}"
        data-line=${grid.layers[row]} aria-pressed=${isOn}
        @click=${() => select(panel, { layer: grid.layers[row], position })}>
        <span class="note">${row === grid.layers.length - 1 ? l('lensAnswer') : l('lensLayer', { layer: grid.layers[row] + 1 })}</span>
        <span class="lens-token">${token}</span>
        <span class="lens-track"><span class="lens-bar" .style=${`--shade: ${share.toFixed(3)}`}></span></span>
        <span>${percent(share)}</span>${grid.pins.length ? html`<i>${colours(panel, row, column)}</i>` : nothing}</button></li>`
    })}</ol></div>`
}
