// Reads the sentence-transformers modules of a folder, and applies them to texts. https://github.com/huggingface/sentence-transformers
// (6.0): base/model.py, base/modules/, sentence_transformer/modules/

import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { checkInput, expectObject, refuse } from './module-settings.js'
import { POOLINGS, pool } from './pooling.js'
import { lengthOf, promptOf, readSettings } from './sentence-input.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Folder } from '../source/source.js' */
/** @import { Tokenized } from '../tokenizers/tokenizer.js' */
/** @import { Pooling } from './pooling.js' */
/** @typedef {{ kind: 'Normalize' } | import('./sentence-layers.js').SentenceLayer} AfterPooling a module after the pooling */
/**
 * How the hidden states of a text become its embedding. The results of several poolings are concatenated.
 * @typedef {object} OwnModules
 * @property {Pooling[]} poolings
 * @property {boolean} includesPrompt true if the pooling includes the rows of the prompt
 * @property {AfterPooling[]} after
 * @property {Record<string, string>} prompts by name
 * @property {string} [defaultPrompt] name of a prompt
 * @property {string} similarity function that compares embeddings
 * @property {number} [truncateDim]
 * @property {unknown} [activation] name of the activation of a cross-encoder's score
 * @property {unknown} [type] the class that saved the folder
 */

/** @typedef {OwnModules & import('./sentence-input.js').TextSettings} Modules */
/** @typedef {() => Promise<Modules | undefined>} ReadModules */

/** Names of the poolings in files of version 5.4 or later. @type {Record<string, Pooling>} */
const MODES = {
  cls: 'cls_token',
  max: 'max_tokens',
  mean: 'mean_tokens',
  mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  weightedmean: 'weightedmean_tokens',
  lasttoken: 'lasttoken',
}

const KINDS = ['Transformer', 'Pooling', 'Dense', 'LayerNorm', 'Normalize', 'Dropout']
export const [MODULES, PROMPTS] = ['modules.json', 'config_sentence_transformers.json']

/**
 * Returns a function that reads a JSON file of a folder, or returns undefined if the file is missing.
 * @param {Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 */
export const jsonOf = (folder, readJSON) => async (/** @type {string} */ name) => {
  const file = await folder.open(name)
  return file && readJSON(file, name)
}

/**
 * Reads modules.json and the files of the modules that it lists.
 * @param {Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @returns {Promise<Modules | undefined>} undefined if there is no modules.json
 */
export async function readModules(folder, readJSON) {
  const json = jsonOf(folder, readJSON)
  const list = await json(MODULES)
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw new TypeError(`${MODULES}: expected a list of modules, got ${describe(list)}`)
  const modules = list.map(moduleOf)
  const names = list.flatMap(each => Object(each).name ?? [])
  const twice = names.find((name, n) => names.indexOf(name) < n)
  if (twice !== undefined)
    throw new RangeError(`${MODULES}: two modules have the name ${describe(twice)}, so Python runs only the second`)
  const [first, second, ...rest] = modules
  const kinds = modules.map(({ kind }) => kind)
  if (
    first?.kind !== 'Transformer' ||
    second?.kind !== 'Pooling' ||
    rest.some(({ kind }) => kind === 'Transformer' || kind === 'Pooling')
  )
    throw new RangeError(
      `${MODULES}: ${kinds.join(', ')} are not covered; covered: Transformer, Pooling, then ${KINDS.slice(2).join(', ')}`,
    )
  const has = async (/** @type {string} */ path) => (await folder.open(`${path}config.json`)) !== undefined
  if (first.path && (await has(`${first.path}/`)) && (await has('')))
    throw new RangeError(
      `${MODULES}: expected the model that was opened, got the one in ${describe(first.path)}: open that folder instead, and pass { pooling }`,
    )
  const poolingFile = `${second.path}/config.json`
  const pooling = await json(poolingFile)
  if (pooling === undefined) throw new Error(`${poolingFile} is missing, which ${MODULES} lists`)
  const { poolings, includesPrompt } = poolingOf(pooling, poolingFile)
  /** @type {AfterPooling[]} */
  const after = []
  for (const [n, { kind, path }] of rest.entries()) {
    if (kind === 'Normalize') checkInput(await json(`${path}/config.json`), `${path}/config.json`)
    if (kind === 'Normalize') after.push({ kind })
    else if (kind !== 'Dropout')
      after.push(
        await (await import('./sentence-layers.js')).readLayer(folder, readJSON, kind, path, n === rest.length - 1),
      )
  }
  return {
    poolings,
    includesPrompt,
    after,
    ...(await readSettings(json, first.path, 'feature-extraction')),
    ...(await readPrompts(json)),
  }
}

/** Validates a module. @param {unknown} given entry of modules.json */
function moduleOf(given) {
  const { type, path = '' } = Object(given)
  const kind = String(type).split('.').pop() ?? ''
  // The package has had several names for a class: models.Dense, base.modules.dense.Dense, sentence_transformer.modules.Dense.
  if (/^sentence_transformers\..*\.LogitScore$/.test(String(type)))
    throw new RangeError(`${MODULES}: LogitScore: the modules of this folder score pairs of texts: call rank`)
  const isOurs = /^sentence_transformers\.(?:\w+\.)+\w+$/.test(String(type)) && KINDS.includes(kind)
  if (!isOurs)
    throw new RangeError(
      `${MODULES}: ${JSON.stringify(String(type).slice(0, 200))} is not covered; covered of sentence_transformers: ${KINDS.join(', ')}`,
    )
  if (typeof path !== 'string' || !(path === '' ? kind === 'Transformer' : /^[\w-]+$/.test(path)))
    throw new RangeError(`${MODULES}: ${describe(path)} is no name of a folder in this folder`)
  return { kind, path }
}

/**
 * Reads a Pooling module: `pooling_mode`, or the flags of versions before 5.4.
 * @param {unknown} given
 * @param {string} file
 * @returns {{ poolings: Pooling[], includesPrompt: boolean }}
 */
function poolingOf(given, file) {
  const config = expectObject(given, file)
  const { pooling_mode: mode, include_prompt: includesPrompt = true } = config
  if (typeof includesPrompt !== 'boolean') refuse(file, 'include_prompt', includesPrompt, 'true, false')
  const known = [
    'pooling_mode',
    'include_prompt',
    'word_embedding_dimension',
    'embedding_dimension',
    ...POOLINGS.map(name => `pooling_mode_${name}`),
  ]
  const other = Object.keys(config).find(key => !known.includes(key))
  if (other !== undefined) throw new RangeError(`${file}: not covered: ${other} = ${describe(config[other])}`)
  if (mode !== undefined && mode !== null) {
    const names = [mode].flat()
    if (!names.length) refuse(file, 'pooling_mode', mode, Object.keys(MODES).join(', '))
    for (const name of names)
      if (!Object.hasOwn(MODES, String(name))) refuse(file, 'pooling_mode', name, Object.keys(MODES).join(', '))
    return { poolings: names.map(name => MODES[name]), includesPrompt }
  }
  const flags = POOLINGS.filter(name => config[`pooling_mode_${name}`]) // 1 is true in Python, too
  return { poolings: flags.length ? flags : ['mean_tokens'], includesPrompt }
}

/** @param {(name: string) => Promise<unknown>} json */
export async function readPrompts(json) {
  const {
    prompts = {},
    default_prompt_name: name,
    similarity_fn_name: similarity,
    truncate_dim: size,
    activation_fn: activation,
    model_type: type = 'SentenceTransformer',
  } = expectObject((await json(PROMPTS)) ?? {}, PROMPTS)
  /** @type {Record<string, string>} */
  const all = { query: '', document: '', ...expectObject(prompts ?? {}, PROMPTS) }
  for (const [key, prompt] of Object.entries(all))
    if (typeof prompt !== 'string')
      throw new TypeError(`${PROMPTS}: the prompt ${describe(key)}: expected a text, got ${describe(prompt)}`)
  if (name !== undefined && name !== null && !Object.hasOwn(all, name))
    throw new RangeError(
      `${PROMPTS}: default_prompt_name: there is no prompt ${describe(name)} among ${Object.keys(all).join(', ')}`,
    )
  if (size !== undefined && size !== null && !(Number.isInteger(size) && size > 0))
    throw new TypeError(`${PROMPTS}: truncate_dim: expected a whole number from 1, got ${describe(size)}`)
  return {
    prompts: all,
    defaultPrompt: name ?? undefined,
    similarity: similarity ?? 'cosine',
    truncateDim: size ?? undefined,
    activation,
    type,
  }
}

/**
 * How texts become embeddings. `pool` takes the rows of one text, `finish` the pooled rows of any number of texts.
 * @typedef {object} Recipe
 * @property {string} prompt text before each text
 * @property {(h: FloatTensor, input: Tokenized) => Float64Array} pool h: (1, L, d), after the last norm
 * @property {(rows: Float64Array[]) => FloatTensor} finish applies the modules after the pooling, and returns a row for each text
 *
 * @typedef {object} RecipeOptions
 * @property {Pooling} [pooling] replaces the folder's pooling; the folder's modules with weights are then skipped
 * @property {boolean} [normalize]
 * @property {string | { text: string }} [prompt] the name of a prompt of the folder, or a prompt
 * @property {number} [truncateDim]
 * @property {boolean} [isRanked] true if the modules may compute scores
 */

/**
 * Returns the recipe of a folder, or of a given pooling.
 * @param {import('../model.js').Model} model
 * @param {Modules | undefined} modules
 * @param {RecipeOptions} options
 * @returns {Recipe}
 */
export function recipeOf(
  model,
  modules,
  { pooling, normalize, prompt, truncateDim = modules?.truncateDim, isRanked = false },
) {
  const poolings = pooling ? [pooling] : modules?.poolings
  if (!poolings)
    throw new Error(
      `embed: this folder has no modules.json of sentence-transformers: say { pooling: 'mean_tokens' } or another of ${POOLINGS.join(', ')}`,
    )
  const score = modules?.after.find(each => 'isScore' in each && each.isScore)
  if (score && !pooling && !isRanked)
    throw new RangeError(
      `embed: ${/** @type {{ path: string }} */ (score).path}/config.json: module_output_name "scores": the modules of this folder score pairs of texts: call rank, or say { pooling }`,
    )
  if (modules?.type !== undefined && modules.type !== 'SentenceTransformer' && !pooling && !isRanked)
    throw new RangeError(
      `embed: ${PROMPTS}: model_type ${describe(modules.type)} is not covered; covered: SentenceTransformer, which would leave out the modules of this folder: say { pooling }`,
    )
  if (modules && !pooling && ['bart', 'mbart'].includes(model.type))
    throw new RangeError(
      `embed: ${MODULES} beside a ${model.type}: sentence-transformers reads its decoder, which is not covered: say { pooling } to read its encoder`,
    )
  const given = promptOf(modules, prompt, isRanked ? 'rank' : 'embed')
  const leavesPrompt = given && modules?.includesPrompt === false && !modules.conversations // conversations pool the prompt's rows, too
  const from = leavesPrompt ? lengthOf(model, modules, given) : 0
  const after = (modules?.after ?? []).filter(({ kind }) => (kind === 'Normalize' ? normalize !== false : !pooling))
  return {
    prompt: given,
    pool(h) {
      if (from >= h.dims[1])
        throw new RangeError(
          'embed: the prompt alone fills the length of the model, and the pooling leaves it out: give a shorter one',
        )
      return poolings.length === 1 ? pool(poolings[0], h, from) : joined(poolings.map(name => pool(name, h, from)))
    },
    finish(rows) {
      for (const each of after) rows = rows.map(each.kind === 'Normalize' ? unit : each.run)
      const d = rows[0].length
      if (truncateDim !== undefined && truncateDim > d)
        throw new RangeError(
          `embed: truncateDim: expected at most the ${d} numbers of an embedding, got ${truncateDim}`,
        )
      if (truncateDim !== undefined) rows = rows.map(row => row.slice(0, truncateDim))
      if (normalize) rows = rows.map(unit)
      return new Tensor(Float32Array.from(joined(rows)), [rows.length, rows[0].length])
    },
  }
}

/** Concatenates rows. @param {Float64Array[]} rows of equal length */
function joined(rows) {
  const out = new Float64Array(rows.length * rows[0].length)
  for (const [n, row] of rows.entries()) out.set(row, n * row.length)
  return out
}

/** @param {Float64Array} row */
function unit(row) {
  const length = Math.max(Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)), 1e-12)
  return row.map(value => value / length)
}
