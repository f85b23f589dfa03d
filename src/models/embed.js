// Embeddings of texts, by the modules of sentence-transformers that a folder lists. Loaded when they are first asked for.
// https://github.com/huggingface/sentence-transformers: sentence_transformers/models/Pooling.py, Normalize.py

import { oneOf, readOptions, toBoolean } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { Config } from './config.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./source.js').Folder} Folder */
/** @typedef {(typeof POOLINGS)[number]} Pooling */
/**
 * What is done with the hidden states of a text. More than one pooling: side by side.
 * @typedef {object} Modules
 * @property {Pooling[]} poolings
 * @property {boolean} isNormalized
 * @property {number} [most] ids
 * @property {boolean} isLower are texts put in lower case?
 * @property {string} prompt before each text
 *
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

/** @typedef {() => Promise<Modules | undefined>} ReadModules */

/** In the order in which sentence-transformers joins them. */
export const POOLINGS = /** @type {const} */ ([
  'cls_token',
  'max_tokens',
  'mean_tokens',
  'mean_sqrt_len_tokens',
  'lasttoken',
])

/**
 * Reads modules.json and the configs that it names.
 * @param {Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON
 * @returns {Promise<Modules | undefined>} undefined: there is no modules.json
 */
export async function readModules(folder, readJSON) {
  /** @param {string} name @param {unknown} [fallback] */
  const json = async (name, fallback) => {
    const file = await folder.open(name)
    return file ? readJSON(file, name) : fallback
  }
  const list = await json('modules.json')
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw new TypeError(`modules.json: ${describe(list)} given, a list of modules expected`)
  const kinds = list.map(module => /** @type {string} */ (String(Object(module).type)).split('.').pop())
  const [first, second, third, ...more] = kinds
  if (first !== 'Transformer' || second !== 'Pooling' || ![undefined, 'Normalize'].includes(third) || more.length)
    throw new RangeError(`modules.json: ${kinds.join(', ')} are not covered; covered: Transformer, Pooling, Normalize`)
  if (list[0].path) throw new RangeError(`modules.json: a model in ${describe(list[0].path)} is not covered`)
  const { path } = list[1]
  if (!/^[\w-]+$/.test(path))
    throw new RangeError(`modules.json: ${describe(path)} is no name of a folder in this folder`)
  const sizes = new Config(await json('sentence_bert_config.json', {}))
  const prompts = new Config(await json('config_sentence_transformers.json', {}))
  const name = prompts.get('default_prompt_name')
  const prompt = name === undefined ? '' : Object(prompts.get('prompts'))[String(name)]
  if (typeof prompt !== 'string')
    throw new TypeError(
      `config_sentence_transformers.json: the prompt ${describe(name)} is ${describe(prompt)}, a text expected`,
    )
  const most = sizes.get('max_seq_length') === undefined ? undefined : sizes.size('max_seq_length')
  const pooling = await json(`${path}/config.json`)
  return {
    poolings: poolingsOf(new Config(pooling)),
    isNormalized: third !== undefined,
    most,
    isLower: sizes.flag('do_lower_case', false),
    prompt,
  }
}

/** The poolings that the config of a Pooling module switches on. @param {Config} c @returns {Pooling[]} */
function poolingsOf(c) {
  c.get('word_embedding_dimension')
  c.get('embedding_dimension')
  c.only({ include_prompt: true })
  const chosen = POOLINGS.filter(name => c.flag(`pooling_mode_${name}`, name === 'mean_tokens'))
  c.end()
  if (!chosen.length) throw new RangeError(`the config of Pooling switches none on of: ${POOLINGS.join(', ')}`)
  return chosen
}

/**
 * @param {import('./model.js').Model} model
 * @param {ReadModules | undefined} read
 * @param {string | readonly string[]} texts
 * @param {EmbedOptions} options
 * @returns {Promise<FloatTensor>} (B, d)
 */
export async function embed(model, read, texts, options) {
  const modules = await read?.()
  const {
    pooling,
    normalize = modules?.isNormalized,
    hooks,
    signal,
  } = readOptions(options, ['pooling', 'normalize', 'hooks', 'signal'], 'embed')
  if (pooling !== undefined) oneOf(pooling, POOLINGS, 'embed: pooling')
  if (normalize !== undefined) toBoolean(normalize, 'embed: normalize')
  const list = typeof texts === 'string' ? [texts] : texts
  if (!Array.isArray(list) || !list.length || !list.every(text => typeof text === 'string'))
    throw new TypeError(`embed: ${describe(texts)} given, a text or a list of texts expected`)
  const poolings = pooling ? [pooling] : modules?.poolings
  if (!poolings)
    throw new Error(
      `embed: this folder has no modules.json of sentence-transformers: say { pooling: 'mean_tokens' } or another of ${POOLINGS.join(', ')}`,
    )
  const rows = []
  for (const text of list) {
    const { lastHiddenState } = await model.forwardAsync(inputOf(model, modules, text), {
      hooks,
      signal,
      logits: 'none',
    })
    const row = Float64Array.from(poolings.flatMap(name => [...pool(name, lastHiddenState)]))
    const length = normalize ? Math.max(Math.hypot(...row), 1e-12) : 1
    rows.push(row.map(value => value / length))
  }
  return new Tensor(Float32Array.from(rows.flatMap(row => [...row])), [rows.length, rows[0].length])
}

/**
 * What the model reads of a text.
 * @param {import('./model.js').Model} model
 * @param {Modules | undefined} modules
 * @param {string} text
 */
function inputOf(model, modules, text) {
  const { most, isLower, prompt = '' } = modules ?? {}
  const whole = (prompt + text).trim() // as Transformer.tokenize of sentence-transformers does
  const input = model.tokenize(isLower ? whole.toLowerCase() : whole, undefined, { truncation: true, maxLength: most })
  if (!input.ids.length) throw new RangeError(`embed: ${describe(text)} has no tokens`)
  return input
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

/** The factor of number c of each row i that a pooling reads. @param {Pooling} name @param {FloatTensor} h (1, L, d) @param {(c: number, i: number, factor: number) => void} take */
export function pullPool(name, { data, dims: [, L, d] }, take) {
  for (let c = 0; c < d; c++) {
    if (name === 'cls_token' || name === 'lasttoken') take(c, name === 'cls_token' ? 0 : L - 1, 1)
    else if (name === 'max_tokens') {
      let best = 0
      for (let i = 1; i < L; i++) if (data[i * d + c] > data[best * d + c]) best = i
      take(c, best, 1)
    } else for (let i = 0; i < L; i++) take(c, i, 1 / (name === 'mean_tokens' ? L : Math.sqrt(L)))
  }
}

/** @param {Pooling} name @param {FloatTensor} h (1, L, d) @returns {Float64Array} (d) */
export function pool(name, { data, dims: [, L, d] }) {
  const out = new Float64Array(d).fill(name === 'max_tokens' ? -Infinity : 0)
  const only = { cls_token: 0, lasttoken: L - 1 }[/** @type {string} */ (name)]
  for (let i = only ?? 0; i < (only === undefined ? L : only + 1); i++)
    for (let c = 0; c < d; c++) {
      const value = data[i * d + c]
      out[c] = name === 'max_tokens' ? Math.max(out[c], value) : out[c] + value
    }
  const divisor = name === 'mean_tokens' ? L : name === 'mean_sqrt_len_tokens' ? Math.sqrt(L) : 1
  return out.map(value => value / divisor)
}
