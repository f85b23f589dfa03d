// Embeddings of texts by the sentence-transformers modules of a folder. Loaded on first use.

import { oneOf, readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { checkSignal } from '../run/inputs.js'
import { runTexts } from './many-texts.js'
import { POOLINGS, pool, pullPool } from './pooling.js'
import { readerOf } from './sentence-input.js'
import { recipeOf } from './sentence-modules.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Runner } from './many-texts.js' */
/** @import { Pooling } from './pooling.js' */
/** @import { ReadModules } from './sentence-modules.js' */
/**
 * @typedef {object} EmbedOptions
 * @property {Pooling} [pooling] how the rows of a text become one row; default: the folder's
 * @property {boolean} [normalize] true to scale to length 1; default: that of the folder
 * @property {string | { text: string }} [prompt] text before each text, or the name of a prompt of the folder; default: that of the folder
 * @property {number} [truncateDim] number of dimensions to keep, for models trained for it (Matryoshka); default: that of the folder, or
 *   all
 * @property {import('../model.js').Hooks} [hooks] with hooks, each text runs separately
 * @property {AbortSignal} [signal]
 * @property {(progress: { done: number, texts?: number }) => void} [onProgress] called after each batch with the number of texts done, and
 *   their total unless they are a stream
 *
 * @typedef {Omit<EmbedOptions, 'normalize' | 'onProgress' | 'prompt' | 'truncateDim'>} SimilarityOptions
 *
 * The cosine of two embeddings, split into parts: `value` is the sum of `heads`, `mlps`, `embedding` and `rest`.
 * @typedef {object} Similarity
 * @property {number} value
 * @property {FloatTensor} heads (layers, heads)
 * @property {FloatTensor} mlps (layers)
 * @property {number} embedding
 * @property {number} rest
 * @property {FloatTensor} other (d), the embedding of the second text, scaled to length 1
 * @property {Pooling[]} poolings poolings used for both texts
 */

const OPTIONS = ['pooling', 'normalize', 'prompt', 'truncateDim', 'hooks', 'signal', 'onProgress']

/**
 * Yields the embeddings of each batch of texts, with the number of texts done.
 * @param {Runner} runner
 * @param {ReadModules | undefined} read
 * @param {Iterable<string> | AsyncIterable<string>} texts
 * @param {EmbedOptions} options
 * @param {string} where
 */
async function* embedBatches(runner, read, texts, options, where) {
  const { pooling, normalize, prompt, truncateDim, hooks, signal, onProgress } = readOptions(options, OPTIONS, where)
  if (pooling !== undefined) oneOf(pooling, POOLINGS, `${where}: pooling`)
  if (normalize !== undefined) toBoolean(normalize, `${where}: normalize`)
  if (truncateDim !== undefined) toNumber(truncateDim, `${where}: truncateDim`, { least: 1, whole: true })
  checkSignal(signal, where)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`${where}: onProgress: expected a function, got ${describe(onProgress)}`)
  const modules = await read?.()
  const recipe = recipeOf(runner.model, modules, { pooling, normalize, prompt, truncateDim })
  const reader = await readerOf(runner, modules, recipe.prompt)
  const toInput = (/** @type {unknown} */ text) => {
    if (typeof text !== 'string')
      throw new TypeError(`${where}: among the texts: expected a text, got ${describe(text)}`)
    return reader(text)
  }
  let done = 0
  for await (const { inputs, rows: all, starts } of runTexts(runner, texts, toInput, { hooks, signal })) {
    const { data, dims } = all
    const d = dims[2]
    const rows = inputs.map((input, b) => {
      const own = new Tensor(data.subarray(starts[b] * d, starts[b + 1] * d), [1, starts[b + 1] - starts[b], d])
      return recipe.pool(own, input)
    })
    done += rows.length
    yield recipe.finish(rows)
    onProgress?.({ done, ...(Array.isArray(texts) && { texts: texts.length }) })
  }
}

/**
 * Embeds texts.
 * @param {Runner} runner
 * @param {ReadModules | undefined} read
 * @param {string | readonly string[]} texts
 * @param {EmbedOptions} options
 * @returns {Promise<FloatTensor>} a row for each text
 */
export async function embed(runner, read, texts, options) {
  const list = typeof texts === 'string' ? [texts] : texts
  if (!Array.isArray(list) || !list.length)
    throw new TypeError(`embed: expected a text or a list of at least one text, got ${describe(texts)}`)
  const strange = list.findIndex(text => typeof text !== 'string')
  if (strange >= 0) throw new TypeError(`embed: texts[${strange}]: expected a text, got ${describe(list[strange])}`)
  let out = new Float32Array(0)
  let at = 0
  for await (const { data, dims } of embedBatches(runner, read, list, options, 'embed')) {
    if (!at) out = new Float32Array(list.length * dims[1])
    out.set(data, at)
    at += data.length
  }
  return new Tensor(out, [list.length, out.length / list.length])
}

/**
 * Embeds a stream of texts.
 * @param {Runner} runner
 * @param {ReadModules | undefined} read
 * @param {Iterable<string> | AsyncIterable<string>} texts
 * @param {EmbedOptions} options
 * @returns {AsyncGenerator<FloatTensor, void, void>} (d)
 */
export async function* embedStream(runner, read, texts, options) {
  const given = Object(texts)
  if (typeof texts === 'string' || !(Symbol.asyncIterator in given || Symbol.iterator in given))
    throw new TypeError(`embedStream: expected an iterable of texts, got ${describe(texts)}, also an asynchronous one`)
  for await (const batch of embedBatches(runner, read, texts, options, 'embedStream'))
    for (let b = 0; b < batch.dims[0]; b++) yield batch.row(b)
}

/**
 * @param {Runner} runner
 * @param {import('../attribution/linear-attribution.js').Attributed} attributed
 * @param {ReadModules | undefined} read
 * @param {readonly [text: string, other: string]} texts
 * @param {SimilarityOptions} options
 * @returns {Promise<Similarity>}
 */
export async function similarity(runner, attributed, read, [text, other], options) {
  const modules = await read?.()
  const { pooling, hooks, signal } = readOptions(options, ['pooling', 'hooks', 'signal'], 'similarity')
  for (const each of [text, other])
    if (typeof each !== 'string')
      throw new TypeError(
        `similarity: expected two texts, got ${describe(each)}; the cosines of many are qkv.linear(a, b) of rows that embed gives with normalize: true`,
      )
  if (modules && !pooling) checkLinear(modules)
  const { encoder, decoder } = runner.model.stacks
  if (encoder && decoder)
    throw new Error(
      'similarity: an encoder-decoder is not covered: its embeddings are those of its encoder, which embed gives; T5EncoderModel in architectures of config.json opens a T5 as one',
    )
  const second = (await embed(runner, read, other, { pooling, normalize: true, signal })).row(0).data
  const poolings = pooling ? [pooling] : (modules?.poolings ?? [])
  const { contributions } = await import('../attribution/linear-attribution.js')
  const { logits, heads, mlps, embedding, rest } = await contributions(
    attributed,
    (await readerOf(runner, modules, recipeOf(runner.model, modules, { pooling }).prompt))(text),
    {
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
    },
  )
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

/**
 * Throws if the folder's similarity is not a cosine, or if its modules do more than scale the pooled rows to length 1.
 * @param {import('./sentence-modules.js').Modules} modules
 */
function checkLinear({ after, similarity, includesPrompt, truncateDim }) {
  const layer = after.find(({ kind }) => kind !== 'Normalize')
  const is = layer
    ? `modules.json lists ${layer.kind}`
    : !['cosine', after.length ? 'dot' : 'cosine'].includes(similarity)
      ? `config_sentence_transformers.json: similarity_fn_name is ${describe(similarity)}`
      : !includesPrompt || truncateDim !== undefined
        ? 'its pooling leaves out a prompt, or its embeddings are cut'
        : undefined
  if (is)
    throw new RangeError(
      `similarity: ${is}, so that the cosine of pooled rows is not its likeness: compare rows of embed, or say { pooling }`,
    )
}
