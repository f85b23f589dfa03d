// Compares the output of each word with its output in the reversed sentence.

import { present } from '../../../shell/known.js'
import { createTracer } from './layer-trace.js'

/** @import { Tokens } from '../tokenize.js' */
/** @import { Arithmetic, Result } from '../layer.js' */

/** Maximum number of words for which the reversed sentence is traced. */
const MOST = 64

/** @type {WeakMap<import('qkv').Qkv, ReturnType<typeof createTracer>>} */
const tracers = new WeakMap()

/** @param {Tokens} tokens @returns {Tokens} */
const backwards = ({ tokens, ids, vocabulary }) => ({
  tokens: [...tokens].reverse(),
  ids: Int32Array.from(ids).reverse(),
  vocabulary,
})

/** Returns the outputs of all words. @param {Result} result */
const outputs = ({ tensors }) => present(tensors.final ?? tensors.joined)

/**
 * Traces the sentence and the reversed sentence, and compares their outputs.
 * @param {import('qkv').Qkv} qkv
 * @param {Result} result
 * @param {Arithmetic} arithmetic
 * @returns {{ words: { name: string, here: number, there: number }[], most: number } | undefined} for each word the first number of its
 *   output in both orders, and the largest difference of any number; undefined if the words cannot be reversed
 */
export function wordOrder(qkv, result, arithmetic) {
  const { settings } = result
  const { model, isCross, queries } = settings
  const n = queries.tokens.length
  if (isCross || (model !== 'heads' && model !== 'multihead') || n > MOST) return undefined
  const trace = tracers.get(qkv) ?? createTracer(qkv)
  tracers.set(qkv, trace)
  const turned = backwards(queries)
  const plain = { ...settings, batch: 1, probe: null, edits: [], painted: [] }
  const [here, there] = [
    outputs(trace({ ...plain, sentence: queries.tokens.join(' '), queries, keys: queries })),
    outputs(trace({ ...plain, sentence: turned.tokens.join(' '), queries: turned, keys: turned })),
  ]
  let most = 0
  const words = queries.tokens.map((name, i) => {
    const [a, b] = [here.row(i).data, there.row(n - 1 - i).data]
    for (const x of arithmetic.differences(a, b)) most = Math.max(most, Math.abs(x))
    return { name, here: a[0], there: b[0] }
  })
  return { words, most }
}
