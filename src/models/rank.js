// Orders texts by a cross-encoder, a checkpoint with one class that reads a query and a text together. Loaded when it is first asked for.
// https://github.com/huggingface/sentence-transformers (6.0): cross_encoder/model.py

import { readOptions, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { checkSignal } from './inputs.js'
import { runTexts } from './many-texts.js'
import { activationOf } from './sentence-layers.js'
import { inputOf, jsonOf, MODULES, PROMPTS, readPrompts, readSizes, recipeOf } from './sentence-modules.js'

/**
 * @typedef {object} RankOptions
 * @property {number} [topK] how many texts are returned; default all
 * @property {import('./model.js').Hooks} [hooks] each text then runs by itself
 * @property {AbortSignal} [signal]
 * @property {(progress: { done: number, texts: number }) => void} [onProgress] how many texts are done, after each batch
 *
 * @typedef {object} Ranked
 * @property {number} index of the text in the list
 * @property {number} score the logit, after the activation that the folder names
 */
/**
 * What a folder says of a cross-encoder.
 * @typedef {object} Ranking
 * @property {number} [most] ids
 * @property {boolean} isLower
 * @property {string} prompt before the query
 * @property {unknown} activation the name that config_sentence_transformers.json has
 */
/** @typedef {() => Promise<Ranking>} ReadRanking */

/**
 * @param {import('./source.js').Folder} folder
 * @param {typeof import('./source.js').readJSON} readJSON
 * @returns {Promise<Ranking>}
 */
export async function readRanking(folder, readJSON) {
  const json = jsonOf(folder, readJSON)
  const list = await json(MODULES)
  const kinds = Array.isArray(list) ? list.map(each => String(Object(each).type).split('.').pop()) : ['Transformer']
  if (kinds.join() !== 'Transformer')
    throw new RangeError(`${MODULES}: ${kinds.join(', ')} are not covered by rank; covered: Transformer alone`)
  const { path } = Object(Array.isArray(list) ? list[0] : undefined)
  const { most, isLower, task = 'sequence-classification' } = await readSizes(json, path)
  if (task !== 'sequence-classification')
    throw new RangeError(
      `sentence_bert_config.json: transformer_task ${describe(task)} is not covered by rank; covered: sequence-classification`,
    )
  const { prompts, defaultPrompt, activation } = await readPrompts(json)
  return { most, isLower, prompt: defaultPrompt === undefined ? '' : prompts[defaultPrompt], activation }
}

/**
 * The activation of a cross-encoder: where it is named first, else a sigmoid.
 * @param {Record<string, unknown>} config config.json
 * @param {unknown} own of config_sentence_transformers.json
 */
function activationFor({ sentence_transformers: later, sbert_ce_default_activation_function: before }, own) {
  const places = /** @type {[string, string, unknown][]} */ ([
    [PROMPTS, 'activation_fn', own],
    ['config.json', 'sentence_transformers.activation_fn', Object(later).activation_fn],
    ['config.json', 'sbert_ce_default_activation_function', before],
  ])
  const found = places.find(([, , name]) => name !== undefined && name !== null)
  return found
    ? activationOf(found[2], found[0], found[1])
    : activationOf('torch.nn.modules.activation.Sigmoid', '', '')
}

/**
 * What a folder says of a cross-encoder whose last module gives its score.
 * @param {import('./model.js').Model} model
 * @param {import('./sentence-modules.js').Modules | undefined} modules
 */
function byModules(model, modules) {
  if (!modules?.after.some(each => 'isScore' in each && each.isScore)) return undefined
  const { defaultPrompt, prompts, ...ranking } = modules
  const recipe = recipeOf(model, { ...modules, truncateDim: undefined }, { isRanked: true })
  return { ...ranking, prompt: defaultPrompt === undefined ? '' : prompts[defaultPrompt], recipe }
}

/**
 * @param {import('./many-texts.js').Runner} runner
 * @param {{ ranking?: ReadRanking, modules?: import('./sentence-modules.js').ReadModules }} reads
 * @param {string} query
 * @param {readonly string[]} texts
 * @param {RankOptions} options
 * @returns {Promise<Ranked[]>} the largest score first
 */
export async function rank(runner, reads, query, texts, options) {
  const { model } = runner
  const { topK, hooks, signal, onProgress } = readOptions(options, ['topK', 'hooks', 'signal', 'onProgress'], 'rank')
  if (topK !== undefined) toNumber(topK, 'rank: topK', { least: 1, whole: true })
  checkSignal(signal, 'rank')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`rank: onProgress: ${describe(onProgress)} given, a function expected`)
  if (typeof query !== 'string') throw new TypeError(`rank: query: ${describe(query)} given, a text expected`)
  if (!Array.isArray(texts) || !texts.every(text => typeof text === 'string'))
    throw new TypeError(`rank: ${describe(texts)} given, a list of texts expected`)
  const { classes } = model
  const own = classes ? undefined : byModules(model, await reads.modules?.())
  if (!own && (classes?.of !== 'text' || classes.labels.length !== 1))
    throw new Error(
      `rank: a checkpoint with one class for a text expected, a cross-encoder; this one has ${classes ? `${classes.labels.length} of a ${classes.of}` : 'none'}`,
    )
  const ranking = own ?? (await reads.ranking?.())
  const activation = activationFor(model.config, ranking?.activation)
  /** @type {Ranked[]} */
  const all = []
  const toInput = (/** @type {string} */ text) => inputOf(model, ranking, (ranking?.prompt ?? '') + query, text)
  for await (const { inputs, output, starts } of runTexts(runner, texts, toInput, { hooks, signal })) {
    const { classLogits, lastHiddenState: h } = output
    const d = h.dims[2]
    const pooled = (/** @type {import('./tokenizer.js').Tokenized} */ input, /** @type {number} */ b) => {
      const rows = h.data.subarray(starts[b] * d, starts[b + 1] * d)
      return /** @type {NonNullable<typeof own>} */ (own).recipe.pool(new Tensor(rows, [1, rows.length / d, d]), input)
    }
    const logits = own ? own.recipe.finish(inputs.map(pooled)) : /** @type {FloatTensor} */ (classLogits)
    for (const logit of logits.data) all.push({ index: all.length, score: activation(logit) })
    onProgress?.({ done: all.length, texts: texts.length })
  }
  return all.sort((a, b) => b.score - a.score).slice(0, topK)
}

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
