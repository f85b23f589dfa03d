// Reads the modules of sentence-transformers that a folder lists, and computes them.
// https://github.com/huggingface/sentence-transformers: sentence_transformers/models/Pooling.py, Normalize.py

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
 * How texts become embeddings. `pool` takes the rows of one text, `finish` the pooled rows of any number of texts.
 * @typedef {object} Recipe
 * @property {(text: string) => import('./tokenizer.js').Tokenized} input what the model reads of a text
 * @property {(h: FloatTensor, input: import('./tokenizer.js').Tokenized) => Float64Array} pool h: (1, L, d), after the last norm
 * @property {(rows: Float64Array[]) => FloatTensor} finish (B, d): the modules after the pooling
 */

/**
 * Returns the recipe of a folder, or of the pooling that was given.
 * @param {import('./model.js').Model} model
 * @param {Modules | undefined} modules
 * @param {{ pooling?: Pooling, normalize?: boolean }} options
 * @returns {Recipe}
 */
export function recipeOf(model, modules, { pooling, normalize = modules?.isNormalized }) {
  const poolings = pooling ? [pooling] : modules?.poolings
  if (!poolings)
    throw new Error(
      `embed: this folder has no modules.json of sentence-transformers: say { pooling: 'mean_tokens' } or another of ${POOLINGS.join(', ')}`,
    )
  return {
    input: text => inputOf(model, modules, text),
    pool: h => Float64Array.from(poolings.flatMap(name => [...pool(name, h)])),
    finish(rows) {
      const length = (/** @type {Float64Array} */ row) => (normalize ? Math.max(Math.hypot(...row), 1e-12) : 1)
      const all = rows.flatMap(row => {
        const divisor = length(row)
        return Array.from(row, value => value / divisor)
      })
      return new Tensor(Float32Array.from(all), [rows.length, rows[0].length])
    },
  }
}

/**
 * What the model reads of a text.
 * @param {import('./model.js').Model} model
 * @param {Modules | undefined} modules
 * @param {string} text
 */
export function inputOf(model, modules, text) {
  const { most, isLower, prompt = '' } = modules ?? {}
  const whole = (prompt + text).trim() // as Transformer.tokenize of sentence-transformers does
  const input = model.tokenize(isLower ? whole.toLowerCase() : whole, undefined, { truncation: true, maxLength: most })
  if (!input.ids.length) throw new RangeError(`embed: ${describe(text)} has no tokens`)
  return input
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
