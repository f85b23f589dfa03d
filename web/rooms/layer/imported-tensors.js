// Validates tensors from the reader's files and links.

import { Trouble } from '../../files/trouble.js'
import { MOST_CHARACTERS, MOST_TOKENS } from './limits.js'

/** @import { Imported } from './layer.js' */

const MOST_HEADS = 64
/** Maximum of heads * queries * keys, and of the numbers of one tensor. */
const MOST_PAIRS = MOST_TOKENS ** 2
/** Maximum columns of a tensor, except of attention weights. */
const MOST_COLUMNS = 1024
const WANTED = ['k,q,v', 'k,q,v,wo', 'weights', 'v,weights', 'wk,wo,wq,wv,x']

/** @param {readonly number[]} dims */
const shape = dims => dims.join(', ').slice(0, 60)

/** Formats a wrong value; lists may be nested too deeply to be stringified. @param {unknown} x */
const written = x => (typeof x === 'object' && x !== null ? '[…]' : String(x).slice(0, 40))

/** @param {string} name @param {any} tensor */
function checkTensor(name, { dims, data } = {}) {
  if (!Array.isArray(dims) || !Array.isArray(data)) throw new Trouble('importTensor', { name })
  const isSize = (/** @type {unknown} */ n) => typeof n === 'number' && Number.isSafeInteger(n) && n > 0
  if (dims.length < 2 || dims.length > 3 || !dims.every(isSize))
    throw new Trouble('importAxes', { name, dims: shape(dims.slice(0, 12)) })
  const count = dims.reduce((a, b) => a * b, 1)
  if (count > MOST_PAIRS) throw new Trouble('importMany', { name, dims: shape(dims), most: MOST_PAIRS })
  if (name !== 'weights' && dims[dims.length - 1] > MOST_COLUMNS)
    throw new Trouble('importColumns', { name, dims: shape(dims), most: MOST_COLUMNS })
  if (data.length !== count) throw new Trouble('importCount', { name, dims: shape(dims), count, held: data.length })
  const at = data.findIndex(x => typeof x !== 'number' || !Number.isFinite(Math.fround(x)))
  if (at >= 0) throw new Trouble('importNumber', { name, at: at + 1, got: written(data[at]) })
  const below = name === 'weights' ? data.findIndex(x => x < 0) : -1
  if (below >= 0) throw new Trouble('importNegative', { at: below + 1, got: data[below] })
}

/** @param {'tokens' | 'keyTokens'} name @param {unknown} tokens @param {number} length */
function checkTokens(name, tokens, length) {
  const isRight = Array.isArray(tokens) && tokens.every(token => typeof token === 'string')
  if (!isRight) throw new Trouble('importTokens', { name })
  if (tokens.length !== length) throw new Trouble('importTokenCount', { name, count: tokens.length, length })
  const count = tokens.reduce((sum, token) => sum + token.length, 0)
  if (count > MOST_CHARACTERS) throw new Trouble('problemLong', { most: MOST_CHARACTERS, count })
}

/** Returns the numbers of queries and keys. @param {Imported} imported @returns {number[]} */
export function lengthsOf(imported) {
  if ('weights' in imported) return imported.weights.dims.slice(-2)
  const { q, k } = 'x' in imported ? { q: imported.x, k: imported.x } : imported
  return [q, k].map(({ dims }) => dims[dims.length - 2])
}

/**
 * Checks imported tensors and tokens. Accepts Q, K and V, optionally with W_O; or X with W_q, W_k, W_v and W_O; or attention weights,
 * optionally with V.
 * @param {any} imported
 * @returns {Imported} the same tensors and tokens
 * @throws {Trouble}
 */
export function checkImported({ tokens, keyTokens, ...tensors }) {
  const names = Object.keys(tensors).sort()
  if (!WANTED.includes(names.join())) throw new Trouble('importParts', { names: names.join(', ') || '—' })
  for (const name of names) checkTensor(name, tensors[name])
  const { q, k, v, weights, x, wq, wv } = tensors
  const [first, L, S] = weights
    ? [weights, ...weights.dims.slice(-2)]
    : x
      ? [wq, x.dims.at(-2), x.dims.at(-2)]
      : [q, q.dims.at(-2), k.dims.at(-2)]
  const lead = first.dims.slice(0, -2)
  const expect = (/** @type {string} */ name, /** @type {(number | string)[]} */ want) => {
    const { dims } = tensors[name]
    if (dims.length !== want.length || want.some((n, i) => typeof n === 'number' && n !== dims[i]))
      throw new Trouble('importFit', { name, dims: shape(dims), want: want.join(', ') })
  }
  if (k) expect('k', [...lead, 'S', q.dims.at(-1)])
  if (v) expect('v', [...lead, S, 'd'])
  const heads = lead[0] ?? 1
  if (x) {
    const d = x.dims.at(-1)
    expect('x', [L, 'd'])
    expect('wq', [...lead, d, 'd'])
    expect('wk', [...lead, d, wq.dims.at(-1)])
    expect('wv', [...lead, d, 'd'])
  }
  if (tensors.wo) expect('wo', [heads * (v ?? wv).dims.at(-1), 'd'])
  if (L > MOST_TOKENS || S > MOST_TOKENS)
    throw new Trouble('problemTokens', { most: MOST_TOKENS, count: Math.max(L, S) })
  if (heads > MOST_HEADS) throw new Trouble('importHeads', { heads, most: MOST_HEADS })
  if (heads * L * S > MOST_PAIRS) throw new Trouble('problemPairs', { heads, queries: L, keys: S })
  if (tokens !== undefined) checkTokens('tokens', tokens, L)
  if (keyTokens !== undefined) checkTokens('keyTokens', keyTokens, S)
  return { ...tensors, ...(tokens && { tokens }), ...(keyTokens && { keyTokens }) }
}
