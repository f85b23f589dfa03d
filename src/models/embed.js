// Embeddings of texts, by the modules of sentence-transformers that a folder lists. Loaded when they are first asked for.

import { oneOf, readOptions, toBoolean } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { inputOf, POOLINGS, pool, pullPool, recipeOf } from './sentence-modules.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./sentence-modules.js').Pooling} Pooling */
/** @typedef {import('./sentence-modules.js').ReadModules} ReadModules */
/**
 * @typedef {object} EmbedOptions
 * @property {Pooling} [pooling] of the rows of a text: their mean, the first one, the largest numbers, the sum divided by the root of their
 *   number, the last one; default: what the folder says
 * @property {boolean} [normalize] to length 1; default: what the folder says
 * @property {import('./model.js').Hooks} [hooks]
 * @property {AbortSignal} [signal]
 *
 * @typedef {Omit<EmbedOptions, 'normalize'>} SimilarityOptions
 *
 * The cosine of two embeddings; `heads` (layers, H), `mlps` (layers), `embedding` and `rest` sum to it.
 * @typedef {object} Similarity
 * @property {number} value
 * @property {FloatTensor} heads
 * @property {FloatTensor} mlps
 * @property {number} embedding
 * @property {number} rest
 * @property {FloatTensor} other (d): the embedding of the second text, of length 1
 * @property {Pooling[]} poolings by which both were made
 */

/**
 * @param {import('./model.js').Model} model
 * @param {ReadModules | undefined} read
 * @param {string | readonly string[]} texts
 * @param {EmbedOptions} options
 * @returns {Promise<FloatTensor>} (B, d)
 */
export async function embed(model, read, texts, options) {
  const modules = await read?.()
  const { pooling, normalize, hooks, signal } = readOptions(
    options,
    ['pooling', 'normalize', 'hooks', 'signal'],
    'embed',
  )
  if (pooling !== undefined) oneOf(pooling, POOLINGS, 'embed: pooling')
  if (normalize !== undefined) toBoolean(normalize, 'embed: normalize')
  const list = typeof texts === 'string' ? [texts] : texts
  if (!Array.isArray(list) || !list.length || !list.every(text => typeof text === 'string'))
    throw new TypeError(`embed: ${describe(texts)} given, a text or a list of texts expected`)
  const recipe = recipeOf(model, modules, { pooling, normalize })
  const rows = []
  for (const text of list) {
    const input = recipe.input(text)
    const { lastHiddenState } = await model.forwardAsync(input, { hooks, signal, logits: 'none' })
    rows.push(recipe.pool(lastHiddenState, input))
  }
  return recipe.finish(rows)
}

/**
 * @param {import('./model.js').Model} model
 * @param {import('./linear-attribution.js').Attributed} attributed
 * @param {ReadModules | undefined} read
 * @param {readonly [text: string, other: string]} texts
 * @param {SimilarityOptions} options
 * @returns {Promise<Similarity>}
 */
export async function similarity(model, attributed, read, [text, other], options) {
  const modules = await read?.()
  const { pooling, hooks, signal } = readOptions(options, ['pooling', 'hooks', 'signal'], 'similarity')
  for (const each of [text, other])
    if (typeof each !== 'string') throw new TypeError(`similarity: ${describe(each)} given, a text expected`)
  const second = (await embed(model, read, other, { pooling, normalize: true, signal })).row(0).data
  const poolings = pooling ? [pooling] : (modules?.poolings ?? [])
  const { contributions } = await import('./linear-attribution.js')
  const { logits, heads, mlps, embedding, rest } = await contributions(attributed, inputOf(model, modules, text), {
    hooks,
    signal,
    where: 'similarity',
    positions: L => Array.from({ length: L }, (_, i) => i),
    readouts(_, rows) {
      const h = new Tensor(Float32Array.from(rows.flatMap(row => [...row])), [1, rows.length, rows[0].length])
      const row = Float64Array.from(poolings.flatMap(name => [...pool(name, h)]))
      const length = Math.max(Math.hypot(...row), 1e-12)
      const value = row.reduce((sum, own, c) => sum + own * second[c], 0) / length
      const gradients = rows.map(own => new Float64Array(own.length))
      for (const [n, name] of poolings.entries())
        pullPool(name, h, (c, i, factor) => {
          gradients[i][c] += (factor * second[n * rows[0].length + c]) / length
        })
      return [{ value, rows: gradients }]
    },
  })
  return {
    value: logits[0],
    heads: heads.row(0),
    mlps: mlps.row(0),
    embedding: embedding.data[0],
    rest: rest.data[0],
    other: new Tensor(second, [second.length]),
    poolings,
  }
}
