// Pools the rows of a text into one. Letters: L rows, d columns.

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @typedef {(typeof POOLINGS)[number]} Pooling */

/** The poolings, in the order in which sentence-transformers concatenates their results. */
export const POOLINGS = /** @type {const} */ ([
  'cls_token',
  'max_tokens',
  'mean_tokens',
  'mean_sqrt_len_tokens',
  'weightedmean_tokens',
  'lasttoken',
])

/**
 * Calls `take` for each number of h that a pooling reads, with its column c, its row i and its factor in the result.
 * @param {Pooling} name
 * @param {FloatTensor} h (1, L, d)
 * @param {(c: number, i: number, factor: number) => void} take
 * @param {number} [from] first row to read
 */
export function pullPool(name, { data, dims: [, L, d] }, take, from = 0) {
  const divisor = divisorOf(name, L, from)
  for (let c = 0; c < d; c++) {
    if (name === 'cls_token' || name === 'lasttoken') take(c, name === 'cls_token' ? from : L - 1, 1)
    else if (name === 'max_tokens') {
      let best = from
      for (let i = from + 1; i < L; i++) if (data[i * d + c] > data[best * d + c]) best = i
      take(c, best, 1)
    } else for (let i = from; i < L; i++) take(c, i, (name === 'weightedmean_tokens' ? i + 1 : 1) / divisor)
  }
}

/** Returns what a pooling divides the sum of the rows by. @param {Pooling} name @param {number} L @param {number} from */
function divisorOf(name, L, from) {
  if (name === 'mean_tokens') return L - from
  if (name === 'mean_sqrt_len_tokens') return Math.sqrt(L - from)
  return name === 'weightedmean_tokens' ? (L * (L + 1) - from * (from + 1)) / 2 : 1
}

/** Pools the rows. @param {Pooling} name @param {FloatTensor} h (1, L, d) @param {number} [from] first row to read @returns {Float64Array} (d) */
export function pool(name, { data, dims: [, L, d] }, from = 0) {
  const out = new Float64Array(d).fill(name === 'max_tokens' ? -Infinity : 0)
  const only = { cls_token: from, lasttoken: L - 1 }[/** @type {string} */ (name)]
  for (let i = only ?? from; i < (only === undefined ? L : only + 1); i++)
    for (let c = 0; c < d; c++) {
      const value = data[i * d + c]
      if (name === 'max_tokens') out[c] = Math.max(out[c], value)
      else out[c] += name === 'weightedmean_tokens' ? (i + 1) * value : value
    }
  const divisor = divisorOf(name, L, from)
  return out.map(value => value / divisor)
}
