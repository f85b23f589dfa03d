// Attention maps of every head of every layer of a stack. Short texts keep exact weights; long texts are summarised in blocks of words. No
// DOM.

import { roundedUp } from '../../../attention-head/scale.js'

/** @typedef {{ readonly data: Float32Array, readonly dims: readonly number[] }} Weights (1, H, L, S) */
/** @typedef {{ layer: number, head: number }} HeadAt */

/**
 * @typedef {object} Maps
 * @property {number} layers
 * @property {number} numHeads
 * @property {number} rows queries
 * @property {number} columns keys
 * @property {number} height rows of cells in a map: equal to `rows`, or fewer for a long text
 * @property {number} width columns of cells in a map
 * @property {Float32Array} data (layers, heads, height, width): weights; a block sums them over its keys and averages over its queries
 * @property {Float64Array} [cells] for blocks: query * columns + key of the largest known weight in each block; -1 if none is known
 * @property {Float32Array} [links] for blocks: the largest known weight in each block
 */

/** Maximum tokens per side of an exact map; number of blocks per side of a larger map. */
export const MOST_EXACT = 128
export const BLOCKS = 64

/**
 * Allocates maps for a stack, exact for short texts, else in blocks.
 * @param {number} layers
 * @param {number} numHeads
 * @param {number} rows
 * @param {number} columns
 * @returns {Maps} maps filled with zeros
 */
export function emptyMaps(layers, numHeads, rows, columns) {
  const isExact = Math.max(rows, columns) <= MOST_EXACT
  const [height, width] = isExact ? [rows, columns] : [Math.min(rows, BLOCKS), Math.min(columns, BLOCKS)]
  const size = layers * numHeads * height * width
  const data = new Float32Array(size)
  const maps = { layers, numHeads, rows, columns, height, width, data }
  return isExact ? maps : { ...maps, cells: new Float64Array(size).fill(-1), links: new Float32Array(size) }
}

/** Writes the weights of a layer into exact maps. @param {Maps} maps @param {number} layer @param {Weights} weights */
export function putLayer({ numHeads: heads, height, width, data }, layer, { data: weights }) {
  data.set(weights, layer * heads * height * width)
}

/**
 * Writes the summary of a layer into maps of blocks.
 * @param {Maps} maps
 * @param {number} layer
 * @param {Weights} map (1, heads, R, C): R * C cells, each of which lies inside one block
 * @param {{ data: Int32Array, dims: readonly number[] }} topKeys (1, heads, rows, K): K keys with the largest weights of each query, or -1
 * @param {Float32Array} topWeights
 */
export function putSummary(
  { numHeads: heads, rows, columns, height, width, data, cells, links },
  layer,
  map,
  topKeys,
  topWeights,
) {
  const start = layer * heads * height * width
  const [, , R, C] = map.dims
  /**
   * Divides `size` queries or keys into `parts` ranges, and returns the first index of range `part`.
   * @param {number} part
   * @param {number} parts
   * @param {number} size
   */
  const first = (part, parts, size) => Math.ceil((part * size) / parts)
  const across = Array.from({ length: C }, (_, c) => Math.floor((first(c, C, columns) * width) / columns))
  for (let n = 0; n < heads * R; n++) {
    const [head, r] = [Math.floor(n / R), n % R]
    const y = Math.floor((first(r, R, rows) * height) / rows)
    const share = (first(r + 1, R, rows) - first(r, R, rows)) / (first(y + 1, height, rows) - first(y, height, rows))
    const to = start + (head * height + y) * width
    for (let c = 0; c < C; c++) data[to + across[c]] += map.data[n * C + c] * share
  }
  if (!cells || !links) return
  const K = topKeys.dims[3]
  topKeys.data.forEach((key, n) => {
    if (key < 0) return
    const [head, query] = [Math.floor(n / (rows * K)), Math.floor(n / K) % rows]
    const [y, x] = [Math.floor((query * height) / rows), Math.floor((key * width) / columns)]
    const at = start + (head * height + y) * width + x
    if (!(topWeights[n] > links[at])) return
    links[at] = topWeights[n]
    cells[at] = query * columns + key
  })
}

/**
 * Returns the maps of an unfinished run, with the maps of an older run for layers that are not done yet.
 * @param {Maps} maps
 * @param {number} done number of layers that are done
 * @param {Maps | undefined} old
 * @returns {Maps}
 */
export function mapsOver(maps, done, old) {
  const { layers, numHeads: heads, height, width, data } = maps
  const fits = old && old.layers === layers && old.numHeads === heads && old.height === height && old.width === width
  if (!fits) return maps
  const from = done * heads * height * width
  const both = data.slice()
  both.set(old.data.subarray(from), from)
  return { ...maps, data: both }
}

/** Returns the map of one head, as a view of `data`. @param {Maps} maps @param {HeadAt} at */
export function mapAt({ numHeads: heads, height, width, data }, { layer, head }) {
  const size = height * width
  const start = (layer * heads + head) * size
  return data.subarray(start, start + size)
}

/**
 * Returns the query, key and weight of a cell; for a block, of the largest known weight in it.
 * @param {Maps} maps
 * @param {HeadAt} at
 * @param {number} y
 * @param {number} x
 * @returns {{ query?: number, key?: number, weight?: number }}
 */
export function cellAt({ numHeads: heads, height, width, columns, cells, links, data }, { layer, head }, y, x) {
  const at = ((layer * heads + head) * height + y) * width + x
  if (!cells || !links) return { query: y, key: x, weight: data[at] }
  if (cells[at] < 0) return {}
  return { query: Math.floor(cells[at] / columns), key: cells[at] % columns, weight: links[at] }
}

/**
 * Returns copies of the maps extended by one query and one key.
 * @param {Maps} maps exact maps
 * @param {Float32Array} added weights of the new query, (layers, heads, columns + 1)
 * @returns {Maps}
 */
export function grown({ layers, numHeads: heads, rows, columns, data }, added) {
  const all = emptyMaps(layers, heads, rows + 1, columns + 1)
  if (all.cells) throw new RangeError(`maps of more than ${MOST_EXACT} tokens do not grow`)
  const wide = columns + 1
  for (let n = 0; n < layers * heads; n++) {
    for (let r = 0; r < rows; r++) {
      const from = (n * rows + r) * columns
      all.data.set(data.subarray(from, from + columns), (n * (rows + 1) + r) * wide)
    }
    all.data.set(added.subarray(n * wide, (n + 1) * wide), (n * (rows + 1) + rows) * wide)
  }
  return all
}

/**
 * Returns the upper end of the colour scale: the largest weight, rounded up to 1, 2 or 5 times a power of ten.
 * @param {Maps} maps
 * @param {boolean} withoutFirst true if the first key is ignored
 */
export function scaleEnd({ data, width }, withoutFirst) {
  let most = 0
  for (let i = 0; i < data.length; i++) if (data[i] > most && !(withoutFirst && i % width === 0)) most = data[i]
  return roundedUp(most)
}

/**
 * Returns the weight from one query to one key in every head: (layers, heads).
 * @param {Maps} maps exact maps
 * @param {number} query
 * @param {number} key
 */
export const pairWeights = ({ layers, numHeads: heads, height, width, data }, query, key) =>
  Float32Array.from({ length: layers * heads }, (_, n) => data[(n * height + query) * width + key])

/**
 * Returns the similarity of every head to one head: the cosine between their maps, from 0 to 1.
 * @param {Maps} maps
 * @param {HeadAt} at
 * @param {boolean} withoutFirst
 */
export function likeness(maps, at, withoutFirst) {
  const { layers, numHeads: heads, width } = maps
  const own = mapAt(maps, at)
  const dot = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) => {
    let sum = 0
    for (let i = 0; i < a.length; i++) if (!(withoutFirst && i % width === 0)) sum += a[i] * b[i]
    return sum
  }
  const length = dot(own, own)
  return Float32Array.from({ length: layers * heads }, (_, n) => {
    const other = mapAt(maps, { layer: Math.floor(n / heads), head: n % heads })
    const size = Math.sqrt(length * dot(other, other))
    return size > 0 ? Math.min(1, dot(own, other) / size) : 0
  })
}

/**
 * Lists all heads by descending score.
 * @param {ArrayLike<number>} scores (layers, heads)
 * @param {number} heads
 * @returns {(HeadAt & { score: number })[]}
 */
export const ranked = (scores, heads) =>
  Array.from(scores, (score, n) => ({ layer: Math.floor(n / heads), head: n % heads, score })).sort(
    (a, b) => b.score - a.score || a.layer - b.layer || a.head - b.head,
  )
