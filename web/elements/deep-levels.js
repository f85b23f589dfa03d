// Requests and caches tiles of a matrix that is too large for memory. No DOM. A cell of level n covers 2^n by 2^n cells of the matrix; a
// tile has at most TILE by TILE cells of its level.

import { largestOf } from './largest.js'
import { check } from './tensor-input.js'

/** @import { TensorLike } from './tensor-input.js' */
/** @typedef {readonly [from: number, to: number]} Span from <= i < to */
/** @typedef {{ rows: Span, columns: Span, resolution: readonly [rows: number, columns: number], signal: AbortSignal }} TileRequest */
/**
 * A matrix computed on demand.
 * @typedef {object} DeepSource
 * @property {number} rows
 * @property {number} columns
 * @property {TensorLike} [overview] the whole matrix in few cells, shown until tiles arrive
 * @property {number} [tileSide] maximum rows and columns of the matrix per tile, for sources that are slow with larger tiles; default no
 *   limit
 * @property {number} [patience] milliseconds until a pending tile request fails, default 10,000; Infinity for no limit
 * @property {(request: TileRequest) => TensorLike | Promise<TensorLike>} tile returns the numbers of a part, reduced to `resolution` cells
 */
/** @typedef {{ level: number, rows: Span, columns: Span, resolution: readonly [number, number] }} Tile */
/** @typedef {{ row: number, column: number, rows: number, columns: number }} Part a rectangle of whole cells of the matrix */
/** @typedef {Tile & { data: ArrayLike<number>, dims: readonly number[], since: number }} Loaded */
/** @typedef {{ key: 'deepThrew' | 'deepLate' | 'deepSize', values: Record<string, string | number> }} Failure */
/** @typedef {{ rows: Span, columns: Span, value: number }} Link a cell of a level, and the rows and columns of the matrix that it covers */

export const TILE = 128
/** @type {('rows' | 'columns')[]} */
const AXES = ['rows', 'columns']
/** Maximum number of cached tiles, and of concurrent requests. */
const [MOST, AT_ONCE] = [160, 4]
/** Default timeout of a tile request in milliseconds. */
const PATIENCE = 10_000
/** Maximum delay of a timer in milliseconds; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1
/** Relative tolerance at the end of the colour scale: a sum of rounded weights such as 1.003 gets the colour of 1. */
const SAME = 0.01

/** Returns the finest level whose cells are at least one pixel wide. @param {number} pixels per cell of the matrix */
export const levelOf = pixels => (pixels >= 1 ? 0 : Math.ceil(Math.log2(1 / pixels) - 1e-9))

/** @param {Tile} tile */
const nameOf = ({ level, rows, columns }) => `${level}.${rows[0]}.${columns[0]}`

/**
 * Lists the tiles of a level that overlap a part of the matrix.
 * @param {{ rows: number, columns: number, tileSide?: number }} matrix
 * @param {Part} part
 * @param {number} level
 * @returns {Tile[]}
 */
export function tilesIn(matrix, part, level) {
  const step = Math.min(TILE * 2 ** level, matrix.tileSide ?? Infinity)
  /** @param {number} from @param {number} count @param {number} size @returns {Span[]} */
  const ranges = (from, count, size) => {
    /** @type {Span[]} */
    const found = []
    const end = Math.min(from + count, size)
    for (let at = Math.floor(from / step) * step; at < end; at += step) found.push([at, Math.min(at + step, size)])
    return found
  }
  const cells = (/** @type {Span} */ [from, to]) => Math.ceil((to - from) / 2 ** level)
  const across = ranges(part.column, part.columns, matrix.columns)
  return ranges(part.row, part.rows, matrix.rows).flatMap(rows =>
    across.map(columns => ({ level, rows, columns, resolution: [cells(rows), cells(columns)] })),
  )
}

/**
 * Returns the cell of a tile that contains a cell of the matrix.
 * @param {Tile & { data: ArrayLike<number> }} tile
 * @param {number} row
 * @param {number} column
 * @returns {Link}
 */
export function linkAt({ rows, columns, resolution, data }, row, column) {
  /** @type {(part: Span, count: number, at: number) => { n: number, range: Span }} */
  const span = ([from, to], count, at) => {
    const n = Math.min(count - 1, Math.floor(((at - from) * count) / (to - from)))
    const edge = (/** @type {number} */ i) => from + Math.ceil((i * (to - from)) / count)
    return { n, range: [edge(n), edge(n + 1)] }
  }
  const [down, across] = [span(rows, resolution[0], row), span(columns, resolution[1], column)]
  return { rows: down.range, columns: across.range, value: data[down.n * resolution[1] + across.n] }
}

/**
 * Returns which cells of a tile overlap a part of the matrix: top <= row < bottom and left <= column < right, counted in the tile.
 * @param {Tile} tile
 * @param {Part} part
 */
function cellsIn({ rows, columns, resolution }, part) {
  const span = (
    /** @type {Span} */ [from, to],
    /** @type {number} */ cells,
    /** @type {number} */ at,
    /** @type {number} */ count,
  ) => {
    const place = (/** @type {number} */ x) => ((x - from) * cells) / (to - from)
    return [Math.max(0, Math.floor(place(at))), Math.min(cells, Math.ceil(place(at + count)))]
  }
  const [top, bottom] = span(rows, resolution[0], part.row, part.rows)
  const [left, right] = span(columns, resolution[1], part.column, part.columns)
  return { top, bottom, left, right }
}

/**
 * Returns the strongest cells of tiles within a part, in descending order.
 * @param {readonly (Tile & { data: ArrayLike<number> })[]} tiles
 * @param {Part} part
 * @param {number} count
 * @returns {Link[]}
 */
export function strongestIn(tiles, part, count) {
  const best = largestOf(count)
  for (const tile of tiles) {
    const { resolution, data } = tile
    const { top, bottom, left, right } = cellsIn(tile, part)
    for (let r = top; r < bottom; r++)
      for (let c = left; c < right; c++) {
        const n = r * resolution[1] + c
        const strength = Math.abs(data[n])
        if (strength > 0 && strength !== Infinity && best.takes(strength)) best.add({ tile, n }, strength)
      }
  }
  return best.items.map(({ tile, n }) => {
    const [r, c] = [Math.floor(n / tile.resolution[1]), n % tile.resolution[1]]
    const first = (/** @type {Span} */ [from, to], /** @type {number} */ cells, /** @type {number} */ at) =>
      from + Math.ceil((at * (to - from)) / cells)
    return linkAt(tile, first(tile.rows, tile.resolution[0], r), first(tile.columns, tile.resolution[1], c))
  })
}

/** Returns the range of the tiles' finite numbers within a part, extended to include 0. @param {readonly (Tile & { data: ArrayLike<number> })[]} tiles @param {Part} part */
export function rangeIn(tiles, part) {
  let [least, most] = [0, 0]
  for (const tile of tiles) {
    const { top, bottom, left, right } = cellsIn(tile, part)
    for (let r = top; r < bottom; r++)
      for (let c = left; c < right; c++) {
        const value = tile.data[r * tile.resolution[1] + c]
        if (value > most && value < Infinity) most = value
        else if (value < least && value > -Infinity) least = value
      }
  }
  return { least, most }
}

/**
 * Returns ends of the colour scale that include a range. They are 1, 2 or 5 times a power of ten, so that they rarely change with the view.
 * @param {import('./colour-scale.js').Scale} scale
 * @param {{ least: number, most: number }} range
 * @returns {[number, number]}
 */
export function domainFor(scale, { least, most }) {
  const above = (/** @type {number} */ x) => {
    if (!(x > 0)) return 0
    const power = 10 ** Math.floor(Math.log10(x))
    return Number((([1, 2, 5].find(n => n * power >= x * (1 - SAME)) ?? 10) * power).toPrecision(6))
  }
  if (scale === 'diverging') {
    const reach = above(Math.max(Math.abs(least), Math.abs(most))) || 1
    return [-reach, reach]
  }
  return [-above(-least) || 0, above(most) || 1]
}

/** Loads and caches the tiles in view. */
export class Tiles {
  #source
  #changed
  #patience
  /** Loaded tiles, least recently used first. @type {Map<string, Loaded>} */
  #loaded = new Map()
  /** @type {Map<string, () => void>} functions that cancel running requests, by tile */
  #running = new Map()
  /** @type {Map<string, Failure>} */
  #failed = new Map()
  /** Tiles to load, the nearest first. @type {Tile[]} */
  #queue = []
  /** Names of all tiles that the view needs. @type {Set<string>} */
  #needed = new Set()

  /**
   * @param {DeepSource} source
   * @param {() => void} changed called when a tile has arrived or failed
   */
  constructor(source, changed) {
    for (const name of AXES)
      if (!Number.isSafeInteger(source?.[name]) || source[name] < 1)
        throw new RangeError(`source.${name}: expected a whole number above 0, got ${source?.[name]}`)
    if (typeof source.tile !== 'function') throw new TypeError('source.tile: expected a function')
    this.#source = source
    this.#changed = changed
    const { rows, columns, patience = PATIENCE } = source
    if (!(patience > 0)) throw new RangeError(`source.patience: expected milliseconds above 0, got ${patience}`)
    if (source.tileSide !== undefined && !(Number.isSafeInteger(source.tileSide) && source.tileSide >= TILE))
      throw new RangeError(`source.tileSide: expected a whole number from ${TILE} on, got ${source.tileSide}`)
    this.#patience = patience
    /** The whole matrix as a tile. @type {Loaded | undefined} */
    this.overview = undefined
    if (source.overview === undefined) return
    const { data, dims } = check(source.overview, 2)
    /** @type {[number, number]} */
    const resolution = [dims[0], dims[1]]
    const level = levelOf(Math.min(dims[0] / rows, dims[1] / columns))
    if (data.length) this.overview = { level, rows: [0, rows], columns: [0, columns], resolution, data, dims, since: 0 }
  }

  /** True if the overview is at least as detailed as the level, which then needs no tiles. @param {number} level */
  #isCovered(level) {
    return this.overview !== undefined && this.overview.level <= level
  }

  /** Requests the tiles that a part needs, those around its centre first, and cancels other requests. @param {Part} part @param {number} level */
  look(part, level) {
    const all = this.#isCovered(level) ? [] : tilesIn(this.#source, part, level)
    this.#needed = new Set(all.map(nameOf))
    const [y, x] = [part.row + part.rows / 2, part.column + part.columns / 2]
    const far = (/** @type {Tile} */ { rows, columns }) =>
      Math.hypot((rows[0] + rows[1]) / 2 - y, (columns[0] + columns[1]) / 2 - x)
    const isMissing = (/** @type {Tile} */ tile) => ![this.#loaded, this.#failed].some(map => map.has(nameOf(tile)))
    this.#queue = all.filter(isMissing).sort((a, b) => far(a) - far(b))
    for (const [name, end] of this.#running) if (!this.#needed.has(name)) end()
    this.#start()
  }

  #start() {
    for (const tile of this.#queue) {
      if (this.#running.size >= AT_ONCE) return
      if (!this.#running.has(nameOf(tile))) this.#request(tile)
    }
  }

  /** @param {Tile} tile */
  #request(tile) {
    const name = nameOf(tile)
    const { rows, columns, resolution } = tile
    const where = { firstRow: rows[0] + 1, lastRow: rows[1], firstColumn: columns[0] + 1, lastColumn: columns[1] }
    const controller = new AbortController()
    /** @param {Loaded | Failure} [got] undefined if the request was cancelled */
    const settle = got => {
      if (this.#running.get(name) !== end) return
      clearTimeout(timer)
      this.#running.delete(name)
      if (!got) return controller.abort()
      this.#queue = this.#queue.filter(other => nameOf(other) !== name)
      if ('key' in got) {
        this.#failed.set(name, got)
        controller.abort()
      } else {
        this.#loaded.set(name, got)
        for (const old of this.#loaded.keys()) {
          if (this.#loaded.size <= MOST) break
          if (!this.#needed.has(old)) this.#loaded.delete(old)
        }
      }
      this.#start()
      this.#changed()
    }
    const end = () => settle()
    this.#running.set(name, end)
    const late = () => settle({ key: 'deepLate', values: where })
    const timer = this.#patience <= LONGEST ? setTimeout(late, this.#patience) : undefined
    Promise.resolve()
      .then(() => this.#source.tile({ rows, columns, resolution, signal: controller.signal }))
      .then(given => {
        const { data, dims } = check(given, 2)
        if (dims[0] !== resolution[0] || dims[1] !== resolution[1])
          return settle({ key: 'deepSize', values: { ...where, got: dims.join(', '), want: resolution.join(', ') } })
        settle({ ...tile, data, dims, since: performance.now() })
      })
      .catch(error => settle({ key: 'deepThrew', values: { ...where, reason: String(error?.message ?? error) } }))
  }

  /** Returns the loaded tiles that overlap a part, of this level and of the next three coarser ones. Coarse tiles come first, so that finer ones are drawn on top. @param {Part} part @param {number} level */
  shown(part, level) {
    const sees = (/** @type {Span} */ [from, to], /** @type {number} */ at, /** @type {number} */ count) =>
      from < at + count && to > at
    const found = [...this.#loaded].filter(
      ([, tile]) =>
        tile.level >= level &&
        tile.level <= level + 3 &&
        sees(tile.rows, part.row, part.rows) &&
        sees(tile.columns, part.column, part.columns),
    )
    for (const [name, tile] of found) {
      this.#loaded.delete(name)
      this.#loaded.set(name, tile)
    }
    return found.map(([, tile]) => tile).sort((a, b) => b.level - a.level)
  }

  /** Returns the tiles of a level that overlap a part, if all of them have loaded, else the overview. Without an overview, returns those that have loaded. @param {Part} part @param {number} level @returns {Loaded[]} */
  covering(part, level) {
    const wanted = this.#isCovered(level) ? [] : tilesIn(this.#source, part, level)
    const found = wanted.flatMap(tile => this.#loaded.get(nameOf(tile)) ?? [])
    if (wanted.length && found.length === wanted.length) return found
    return this.overview ? [this.overview] : found
  }

  /** True while tiles for the current view are loading. */
  get isWaiting() {
    return this.#queue.length > 0
  }

  /** The error of a tile in view that failed to load. */
  get failure() {
    for (const name of this.#needed) if (this.#failed.has(name)) return this.#failed.get(name)
    return undefined
  }

  /** Clears failures, so that the next `look` requests those tiles again. */
  retry() {
    this.#failed.clear()
  }

  /** Cancels all requests. */
  stop() {
    this.#queue = []
    for (const end of this.#running.values()) end()
  }
}
