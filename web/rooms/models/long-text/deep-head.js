// Draws a head on a long text: a map that zooms down to single weights, with tiles computed by the session, and statistics.

import '../../../elements/deep-map.js'
import { html, nothing } from 'lit'
import { percent } from '../../../files/number-format.js'
import { isSame } from '../../../shell/same.js'
import { shown } from '../../../shell/slots.js'
import { mapAt } from '../atlas/maps.js'
import { withoutFirstBox } from '../atlas/overview.js'
import { nameOf, tileName, withOrigin } from '../shown.js'

/** @import { HeadLink, Matrix, Room, TilePart } from '../models.js' */
/** @import { HeadAt } from '../../../attention-head/head.js' */
/** @import { QkvDeepMap } from '../../../elements/deep-map.js' */
/** @import { TileRequest } from '../../../elements/deep-levels.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/long-text.js').texts>} LongTexts */

/** Mean weight on the first token above which this token is called an attention sink. */
const SINK = 0.5
/** Maximum queries and keys of a tile: a tile of this size takes about 20 ms at head size 64. */
const TILE_SIDE = 2048

/** A tile that the map has requested. @typedef {{ part: string, tile: TilePart, resolve: (matrix: Matrix) => void, reject: (error: Error) => void }} Awaited */

/**
 * Caches the tile source of the open head, and as `of` the values that it depends on. The map keeps its tiles while `source` is the same.
 * @type {{ of?: readonly unknown[], source?: import('../../../elements/deep-levels.js').DeepSource, stop?: AbortController }}
 */
let known = {}
/** The tiles that the map waits for; a tile may be there twice. @type {Set<Awaited>} */
const awaited = new Set()
/** True if `publish` has queued its microtask. */
let isPublishing = false

/**
 * Returns a copy of a matrix without the weight on the first key. Subtracts this weight from the first cell of each row; without `first`,
 * hides the cell.
 * @param {Matrix} matrix
 * @param {Matrix} [first] weights on the first key, (rows, 1)
 */
function withoutFirst({ data, dims }, first) {
  const shown = Float32Array.from(data)
  for (let r = 0; r < dims[0]; r++) {
    const at = r * dims[1]
    shown[at] = first ? Math.max(0, shown[at] - first.data[r]) : Number.NEGATIVE_INFINITY
  }
  return { data: shown, dims }
}

/** @param {Room} room @param {HeadAt} head */
function sourceOf(room, head) {
  const { maps, run, got, view, act } = room
  if (!maps || !run) return undefined
  const { model, input, changes, sourceText } = run.request
  const { isWithoutFirst } = view
  const finer = got.profile?.is === 'here' ? got.profile.value.map : undefined
  // Cache key of the source. It omits the selected row, which does not change the weights.
  const of = [model, input, changes, sourceText, head, finer?.dims, isWithoutFirst]
  if (isSame(known.of, of)) return known.source
  const { rows, columns, height, width } = maps
  const all = finer ?? { data: mapAt(maps, head), dims: [height, width] }
  /** @type {(tile: TilePart, signal: AbortSignal) => Promise<Matrix>} */
  const ask = (tile, signal) =>
    new Promise((resolve, reject) => {
      const part = tileName(head, tile)
      const own = { part, tile, resolve, reject }
      awaited.add(own)
      signal.addEventListener('abort', () => {
        if (awaited.delete(own)) publish(room)
      })
      publish(room)
    })
  /** Requests the weight on the first key for each row of cells; returns undefined if the first cell covers no other key. */
  const ofFirst = (/** @type {TilePart} */ { rows, columns, resolution }, /** @type {AbortSignal} */ signal) =>
    resolution[1] < columns[1] - columns[0]
      ? ask({ rows, columns: [0, 1], resolution: [resolution[0], 1] }, signal)
      : undefined
  const tile = async (/** @type {TileRequest} */ { signal, ...tile }) => {
    if (!isWithoutFirst || tile.columns[0] > 0) return ask(tile, signal)
    const [cells, first] = await Promise.all([ask(tile, signal), ofFirst(tile, signal)])
    return withoutFirst(cells, first)
  }
  const patience = Number.POSITIVE_INFINITY // no timeout, since the layer may have to run again for a tile
  const stop = new AbortController()
  const source = {
    rows,
    columns,
    overview: isWithoutFirst ? withoutFirst(all) : all,
    tile,
    tileSide: TILE_SIDE,
    patience,
  }
  known.stop?.abort()
  known = { of, source, stop }
  if (isWithoutFirst)
    ofFirst({ rows: [0, rows], columns: [0, columns], resolution: [all.dims[0], all.dims[1]] }, stop.signal)?.then(
      first => {
        if (known.stop !== stop) return
        known.source = { ...source, overview: withoutFirst(all, first) }
        act.show({})
      },
    )
  return known.source
}

/** Requests all pending tiles together, in one microtask. @param {Room} room */
function publish(room) {
  if (isPublishing) return
  isPublishing = true
  queueMicrotask(() => {
    isPublishing = false
    const tiles = new Map(Array.from(awaited, ({ part, tile }) => [part, tile]))
    room.act.wait([...tiles.values()], got => handOut({ ...room, got }))
  })
}

/** Passes arrived tiles to the map and reports failed ones. @param {Room} room */
function handOut(room) {
  const { got, t } = room
  const before = awaited.size
  for (const each of awaited) {
    const { part, resolve, reject } = each
    const own = got[`tile:${part}`]
    if (own?.is === 'here') resolve(own.value)
    else if (own?.is === 'failed' || own?.is === 'lost') reject(new Error(t(own.problem.key, own.problem.params)))
    else continue
    awaited.delete(each)
  }
  if (awaited.size < before) publish(room)
}

/** Zooms the map to a cell and opens the explanation of its weight. @param {Room} room @param {{ query: number, key: number }} link */
function showLink({ act }, { query, key }) {
  /** @type {QkvDeepMap | null} */
  const map = document.querySelector('#models-deep')
  map?.show({ row: query, column: key })
  act.selectCell({ query, key })
}

/** @param {Room} room @param {HeadAt} head @param {LongTexts} l */
export function deepHead(room, head, l) {
  const { t, words, cell, view } = room
  const source = sourceOf(room, head)
  handOut(room)
  const pin = (/** @type {CustomEvent<import('../../../elements/deep-map.js').DeepCell>} */ { detail }) => {
    if (detail.value !== undefined) showLink(room, { query: detail.row, key: detail.column })
  }
  const pinWord = (
    /** @type {CustomEvent<import('../../../elements/gestures.js').Token>} */ { detail: { side, index } },
  ) => room.act.selectWord(index, false, side === 'row' ? 'queries' : 'keys')
  return html`<div class="picture"><qkv-deep-map
      id="models-deep"
      .label=${withOrigin(room, t('headTitle', { name: nameOf(head) }))}
      .source=${source}
      .rowTokens=${words.queries}
      .columnTokens=${words.keys}
      .texts=${view.isWithoutFirst ? leftOut(t, l) : t.elements}
      .pinned=${cell && { row: cell.query, column: cell.key }}
      .highlight=${marksOf(view.query)}
      @cell-pin=${pin}
      @token-pin=${pinWord}></qkv-deep-map></div>
    <p class="note">${l('longCells')}</p>
    <p>${withoutFirstBox(room)}</p>
    ${profile(room, head, l)}`
}

/** Caches the texts of a map without the first key: the same object until the language changes. @type {{ of?: object, texts?: Record<string, any> }} */
let said = {}

/** @param {Room['t']} t @param {LongTexts} l */
function leftOut(t, l) {
  if (said.of !== t.elements) said = { of: t.elements, texts: { ...t.elements, hidden: l('longLeftOut') } }
  return said.texts
}

/** Caches the marks of a map: the same object until the selected word changes. @type {{ query: number | undefined, marks: import('../../../elements/draw.js').Highlight }} */
let marked = { query: undefined, marks: {} }

/** @param {number | undefined} query */
function marksOf(query) {
  if (marked.query !== query) marked = { query, marks: query === undefined ? {} : { rows: [query] } }
  return marked.marks
}

/**
 * Describes the head: how even its weights are, how much it attends to the first token, how far back it attends, and its longest strong
 * links.
 * @param {Room} room
 * @param {HeadAt} head
 * @param {LongTexts} l
 */
function profile(room, { stack, layer, head }, l) {
  const { got, run, maps, words } = room
  const found = shown(got.profile)
  if (!found || !maps) return nothing
  const score = (/** @type {'first' | 'entropy'} */ name) =>
    run?.scores[stack]?.[name]?.[layer * maps.numHeads + head] ?? 0
  const most = Math.max(...found.distance, 1e-9)
  const length = Math.max(words.queries.length, words.keys.length)
  const first = score('first')
  const range = (/** @type {number} */ n) => {
    const [from, to] = n < 2 ? [n, n] : [2 ** (n - 1), Math.min(2 ** n, length) - 1]
    return from === to ? String(from) : l('longRange', { from, to })
  }
  const longest = (/** @type {HeadLink} */ { query, key, weight }) =>
    html`<li><button type="button" class="plain"
      @click=${() => showLink(room, { query, key })}>${l('longLink', {
        query: words.queries[query] ?? '',
        from: query + 1,
        key: words.keys[key] ?? '',
        to: key + 1,
      })}</button>
      ${percent(weight)}</li>`
  return html`<section class="models-profile" aria-label=${l('longProfile')}>
    <p>${l('longEntropy', { entropy: score('entropy').toFixed(2) })}
      ${first > SINK ? html`<b>${l('longSink', { share: percent(first) })}</b>` : l('longFirstShare', { share: percent(first) })}</p>
    <h3>${l('longDistance')}</h3>
    <ol class="models-distance">${Array.from(
      found.distance.filter((_, n) => n < 2 || 2 ** (n - 1) < length),
      (share, n) =>
        html`<li><span>${range(n)}</span><i
          .style=${`inline-size: ${((100 * share) / most).toFixed(1)}%`}></i><span>${percent(share)}</span></li>`,
    )}</ol>
    <h3>${l('longLongest')}</h3>
    ${
      found.longest.length
        ? html`<ol class="models-longest">${found.longest.map(longest)}</ol>`
        : html`<p class="note">${l('longNoStrong')}</p>`
    }
  </section>`
}
