// The attention of a whole stack as maps: every head of every layer, exact where the text is short, the strongest weight of
// each block of cells where it is long. No DOM.

import { roundedUp } from '../../head/scale.js'

/** @typedef {{ readonly data: Float32Array, readonly dims: readonly number[] }} Weights (1, H, L, S) */
/** @typedef {{ layer: number, head: number }} HeadAt */

/**
 * @typedef {object} Maps
 * @property {number} layers
 * @property {number} heads
 * @property {number} rows queries
 * @property {number} columns keys
 * @property {number} height cells of a map: as many as rows, or fewer
 * @property {number} width
 * @property {Float32Array} data (layers, heads, height, width)
 * @property {Uint32Array} [cells] of blocks: the strongest cell of each, row * columns + column
 */

/** Maps are exact up to so many tokens a side, and have so many blocks a side beyond. */
const MOST_EXACT = 160
const BLOCKS = 96

/** @param {number} layers @param {number} heads @param {number} rows @param {number} columns @returns {Maps} of zeros */
export function emptyMaps(layers, heads, rows, columns) {
  const isExact = Math.max(rows, columns) <= MOST_EXACT
  const [height, width] = isExact ? [rows, columns] : [Math.min(rows, BLOCKS), Math.min(columns, BLOCKS)]
  const size = layers * heads * height * width
  const data = new Float32Array(size)
  const cells = isExact ? undefined : new Uint32Array(size)
  return { layers, heads, rows, columns, height, width, data, cells }
}

/** Puts the weights of a layer into the maps. @param {Maps} maps @param {number} layer @param {Weights} weights */
export function putLayer({ heads, rows, columns, height, width, data, cells }, layer, { data: weights }) {
  const start = layer * heads * height * width
  if (!cells) return data.set(weights, start)
  const rowAt = Uint32Array.from({ length: height + 1 }, (_, y) => Math.floor((y * rows) / height))
  const columnAt = Uint32Array.from({ length: width + 1 }, (_, x) => Math.floor((x * columns) / width))
  for (let h = 0, to = start; h < heads; h++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++, to++) {
        let most = -1
        for (let r = rowAt[y]; r < rowAt[y + 1]; r++)
          for (let c = columnAt[x], from = (h * rows + r) * columns + c; c < columnAt[x + 1]; c++, from++)
            if (weights[from] > most) {
              most = weights[from]
              cells[to] = r * columns + c
            }
        data[to] = most
      }
}

/** The map of one head. @param {Maps} maps @param {HeadAt} at */
export function mapAt({ heads, height, width, data }, { layer, head }) {
  const size = height * width
  const start = (layer * heads + head) * size
  return data.subarray(start, start + size)
}

/**
 * The token pair of a cell of a map: of a block, its strongest.
 * @param {Maps} maps
 * @param {HeadAt} at
 * @param {number} y
 * @param {number} x
 */
export function cellAt({ heads, height, width, columns, cells, data }, { layer, head }, y, x) {
  const at = ((layer * heads + head) * height + y) * width + x
  const [query, key] = cells ? [Math.floor(cells[at] / columns), cells[at] % columns] : [y, x]
  return { query, key, weight: data[at] }
}

/**
 * Maps with one more query, which sees one more key.
 * @param {Maps} maps exact ones
 * @param {Float32Array} added (layers, heads, columns + 1)
 * @returns {Maps}
 */
export function grown({ layers, heads, rows, columns, data }, added) {
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
 * Where the colours end: the largest weight, rounded up to 1, 2 or 5 of its power of ten.
 * @param {Maps} maps
 * @param {boolean} withoutFirst the first key is left out
 */
export function scaleEnd({ data, width }, withoutFirst) {
  let most = 0
  for (let i = 0; i < data.length; i++) if (data[i] > most && !(withoutFirst && i % width === 0)) most = data[i]
  return roundedUp(most)
}

/**
 * The weight from one query to one key, in every head: (layers, heads).
 * @param {Maps} maps exact ones
 * @param {number} query
 * @param {number} key
 */
export const pairWeights = ({ layers, heads, height, width, data }, query, key) =>
  Float32Array.from({ length: layers * heads }, (_, n) => data[(n * height + query) * width + key])

/**
 * How alike every head is to one: the cosine between their maps, from 0 to 1.
 * @param {Maps} maps
 * @param {HeadAt} at
 * @param {boolean} withoutFirst
 */
export function likeness(maps, at, withoutFirst) {
  const { layers, heads, width } = maps
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
 * All heads, the highest score first.
 * @param {ArrayLike<number>} scores (layers, heads)
 * @param {number} heads
 * @returns {(HeadAt & { score: number })[]}
 */
export const ranked = (scores, heads) =>
  Array.from(scores, (score, n) => ({ layer: Math.floor(n / heads), head: n % heads, score })).sort(
    (a, b) => b.score - a.score || a.layer - b.layer || a.head - b.head,
  )
