// Ranks texts with a cross-encoder, which reads a query and a text together: a checkpoint with one class, or a decoder that answers yes or
// no. Loaded on first use. https://github.com/huggingface/sentence-transformers (6.0): cross_encoder/model.py,
// cross_encoder/modules/logit_score.py

import { readOptions, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { checkSignal } from '../run/inputs.js'
import { runTexts } from './many-texts.js'
import { expectObject, refuse } from './module-settings.js'
import { promptOf, readerOf, readSettings, USUAL } from './sentence-input.js'
import { activationOf } from './sentence-layers.js'
import { jsonOf, MODULES, PROMPTS, readPrompts, recipeOf } from './sentence-modules.js'

const OPTIONS = ['topK', 'prompt', 'hooks', 'signal', 'onProgress']

/**
 * @typedef {object} RankOptions
 * @property {number} [topK] number of texts to return; default all
 * @property {string | { text: string }} [prompt] text before the query, or the name of a prompt of the folder; default: that of the folder
 * @property {import('../model.js').Hooks} [hooks] with hooks, each text runs separately
 * @property {AbortSignal} [signal]
 * @property {(progress: { done: number, texts: number }) => void} [onProgress] called after each batch with the number of texts done
 *
 * @typedef {object} Ranked
 * @property {number} index of the text in the list
 * @property {number} score logit after the folder's activation; after a sigmoid if the folder sets none
 */
/**
 * The cross-encoder settings of a folder.
 * @typedef {TextSettings & { prompts: Record<string, string>, defaultPrompt?: string, activation?: unknown, tokens?: ScoreTokens,
 *   isYesOrNo?: boolean, template?: string }} Ranking activation: its name in config_sentence_transformers.json; isYesOrNo: true if the
 *   score is the logit of the first class minus the logit of the second; template: the text of a pair, with {query} and {document}
 *
 * The tokens by which a decoder scores a text: the logit of `yes` after the text, minus the logit of `no` if there is one.
 * @typedef {{ yes: number, no?: number }} ScoreTokens
 *
 * @typedef {{ isUsual: true } | { isUsual?: false, ranking?: Ranking }} RankingFiles isUsual: true if the folder was not saved by
 *   the CrossEncoder of sentence-transformers; ranking: absent if the folder's modules pool rows and score the result
 */
/** @import { TextSettings } from './sentence-input.js' */
/** @typedef {() => Promise<RankingFiles>} ReadRanking */

/**
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @returns {Promise<RankingFiles>}
 */
export async function readRanking(folder, readJSON) {
  const json = jsonOf(folder, readJSON)
  const list = await json(MODULES)
  if (!Array.isArray(list) || Object(await json(PROMPTS)).model_type !== 'CrossEncoder') return { isUsual: true }
  const kinds = list.map(each => String(Object(each).type).split('.').pop())
  if (kinds[1] === 'Pooling') return {}
  const [{ path = '' }, { path: last } = Object()] = list.map(Object)
  if (!['Transformer', 'Transformer,LogitScore'].includes(kinds.join()))
    throw new RangeError(
      `${MODULES}: ${kinds.join(', ')} are not covered by rank; covered: Transformer, and Transformer with LogitScore or with Pooling and others`,
    )
  const tokens = last === undefined ? undefined : await readScore(json, `${last}/config.json`)
  const settings = await readSettings(json, path, tokens ? 'text-generation' : 'sequence-classification')
  return { ranking: { ...settings, ...(await readPrompts(json)), tokens } }
}

/** Reads the module LogitScore. @param {import('./sentence-input.js').ReadJson} json @param {string} file @returns {Promise<ScoreTokens>} */
async function readScore(json, file) {
  const config = expectObject((await json(file)) ?? {}, file)
  const { true_token_id: yes, false_token_id: no, module_input_name: input = 'causal_logits' } = config
  if (input !== 'causal_logits') refuse(file, 'module_input_name', input, 'causal_logits')
  for (const [key, id] of Object.entries({ true_token_id: yes, false_token_id: no ?? 0 }))
    if (!(Number.isInteger(id) && id >= 0))
      throw new TypeError(`${file}: ${key}: expected a whole number from 0, got ${describe(id)}`)
  return { yes, no: no ?? undefined }
}

/**
 * Returns the activation of a cross-encoder: the first one that a file sets, else a sigmoid.
 * @param {Record<string, unknown>} config config.json
 * @param {unknown} own of config_sentence_transformers.json
 */
function activationFor({ sentence_transformers: later, sbert_ce_default_activation_function: before }, own) {
  /** @type {[string, string, unknown][]} */
  const places = [
    [PROMPTS, 'activation_fn', own],
    ['config.json', 'sentence_transformers.activation_fn', Object(later).activation_fn],
    ['config.json', 'sbert_ce_default_activation_function', before],
  ]
  const found = places.find(([, , name]) => name !== undefined && name !== null)
  return found
    ? activationOf(found[2], found[0], found[1])
    : activationOf('torch.nn.modules.activation.Sigmoid', '', '')
}

/**
 * Returns the tokens to score by if the folder has no cross-encoder settings. They are chosen as in sentence-transformers.
 * @param {import('./many-texts.js').Runner} runner
 * @returns {ScoreTokens | undefined} undefined unless the model is a decoder with a head
 */
function usualTokens({ model, idOf }) {
  const [architecture] = [model.config.architectures].flat()
  if (!model.hasHead || !/ForCausalLM$/.test(String(architecture))) return undefined
  const [yes, no] = ['yes', 'no'].map(token => idOf?.(token))
  if (yes === undefined || no === undefined)
    throw new Error(
      'rank: a decoder without modules.json needs the tokens "yes" and "no", but its vocabulary lacks at least one of them',
    )
  return { yes, no }
}

/**
 * Returns how texts are scored, from the modules of a folder.
 * @typedef {object} Scoring
 * @property {Ranking} ranking
 * @property {import('./sentence-modules.js').Recipe} [recipe] present if modules score pooled rows
 *
 * @param {import('./many-texts.js').Runner} runner
 * @param {{ ranking?: ReadRanking, modules?: import('./sentence-modules.js').ReadModules }} reads
 * @returns {Promise<Scoring>}
 */
async function scoringOf(runner, reads) {
  const { model } = runner
  const { classes } = model
  const count = classes?.of === 'text' ? classes.labels.length : 0
  const isOne = count === 1
  const files = (await reads.ranking?.()) ?? {}
  if (files.isUsual) {
    const tokens = classes ? undefined : usualTokens(runner)
    if (tokens || isOne) return { ranking: { ...USUAL, prompts: {}, tokens } }
  } else if (!files.ranking) {
    const modules = classes ? undefined : await reads.modules?.()
    if (modules?.after.some(each => 'isScore' in each && each.isScore)) {
      const recipe = recipeOf(model, { ...modules, truncateDim: undefined }, { isRanked: true })
      return { ranking: modules, recipe }
    }
  } else if (
    files.ranking.tokens
      ? model.hasHead && model.stacks.decoder && !model.stacks.encoder
      : count === (files.ranking.isYesOrNo ? 2 : 1)
  ) {
    return { ranking: files.ranking }
  }
  const has = classes ? `${classes.labels.length} of a ${classes.of}` : 'none'
  throw new Error(
    `rank: expected a cross-encoder, a checkpoint with one class for a text, got one with ${has}; ` +
      'other texts are ranked by qkv.linear(await model.embed(query, { normalize: true }), await model.embed(texts, { normalize: true }))',
  )
}

/**
 * Scores texts with a decoder, one after another.
 * @param {import('../model.js').Model} model
 * @param {ScoreTokens} tokens
 * @param {readonly string[]} texts
 * @param {(text: string) => import('../tokenizers/tokenizer.js').Tokenized} read
 * @param {Pick<RankOptions, 'hooks' | 'signal'>} options
 */
async function* byTokens(model, { yes, no }, texts, read, options) {
  for (const text of texts) {
    const { logits } = await model.forward(read(text), { ...options, logits: 'last' })
    const { data } = present(logits)
    if (Math.max(yes, no ?? 0) >= data.length)
      throw new RangeError(
        `rank: the token ${Math.max(yes, no ?? 0)} gives the score; the model has ${data.length} tokens`,
      )
    yield [no === undefined ? data[yes] : Math.fround(data[yes] - data[no])]
  }
}

/**
 * Scores texts by class or by modules, in batches.
 * @param {import('./many-texts.js').Runner} runner
 * @param {Scoring} scoring
 * @param {readonly string[]} texts
 * @param {(text: string) => import('../tokenizers/tokenizer.js').Tokenized} read
 * @param {Pick<RankOptions, 'hooks' | 'signal'>} options
 */
async function* inBatches(runner, { recipe, ranking }, texts, read, options) {
  for await (const { inputs, output, rows: h, starts } of runTexts(runner, texts, read, options)) {
    const d = h.dims[2]
    const pooled = (/** @type {import('../tokenizers/tokenizer.js').Tokenized} */ input, /** @type {number} */ b) => {
      const rows = h.data.subarray(starts[b] * d, starts[b + 1] * d)
      return present(recipe).pool(new Tensor(rows, [1, rows.length / d, d]), input)
    }
    const { data } = present(recipe ? recipe.finish(inputs.map(pooled)) : output.classLogits)
    yield ranking.isYesOrNo ? inputs.map((_, b) => Math.fround(data[2 * b] - data[2 * b + 1])) : [...data]
  }
}

/**
 * Returns a reader of pairs that fills in the template of a GGUF file as llama-server does: it replaces {query} first, then {document}. A
 * {document} within the query is replaced, too.
 * @param {import('../model.js').Model} model
 * @param {string} template
 * @param {string} prompt
 */
const templateReader = (model, template, prompt) => (/** @type {string} */ query, /** @type {string} */ text) => {
  const filled = template.replaceAll('{query}', () => prompt + query).replaceAll('{document}', () => text)
  const input = model.tokenize(filled, { addSpecialTokens: false })
  const most = Number(model.config.max_position_embeddings)
  if (input.ids.length > most)
    throw new RangeError(
      `rank: ${describe(text)} has ${input.ids.length} tokens with the query and the template, at most ${most} are read`,
    )
  return input
}

/**
 * Ranks texts.
 * @param {import('./many-texts.js').Runner} runner
 * @param {{ ranking?: ReadRanking, modules?: import('./sentence-modules.js').ReadModules }} reads
 * @param {string} query
 * @param {readonly string[]} texts
 * @param {RankOptions} options
 * @returns {Promise<Ranked[]>} by descending score
 */
export async function rank(runner, reads, query, texts, options) {
  const { topK, prompt, hooks, signal, onProgress } = readOptions(options, OPTIONS, 'rank')
  if (topK !== undefined) toNumber(topK, 'rank: topK', { least: 1, whole: true })
  checkSignal(signal, 'rank')
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`rank: onProgress: expected a function, got ${describe(onProgress)}`)
  if (typeof query !== 'string') throw new TypeError(`rank: query: expected a text, got ${describe(query)}`)
  if (!Array.isArray(texts)) throw new TypeError(`rank: expected a list of texts, got ${describe(texts)}`)
  const strange = texts.findIndex(text => typeof text !== 'string')
  if (strange >= 0) throw new TypeError(`rank: texts[${strange}]: expected a text, got ${describe(texts[strange])}`)
  const scoring = await scoringOf(runner, reads)
  const { ranking } = scoring
  const activation = activationFor(runner.model.config, ranking.activation)
  if (ranking.isYesOrNo && ranking.template === undefined)
    throw new Error(
      'rank: the file has no tokenizer.chat_template.rerank, the text around a query and a document: convert the model again',
    )
  const before = promptOf(ranking, prompt, 'rank')
  const reader =
    ranking.template === undefined
      ? await readerOf(runner, ranking, before, true)
      : templateReader(runner.model, ranking.template, before)
  const read = (/** @type {string} */ text) => reader(query, text)
  const scores = ranking.tokens
    ? byTokens(runner.model, ranking.tokens, texts, read, { hooks, signal })
    : inBatches(runner, scoring, texts, read, { hooks, signal })
  /** @type {Ranked[]} */
  const all = []
  for await (const batch of scores) {
    for (const logit of batch) all.push({ index: all.length, score: activation(logit) })
    onProgress?.({ done: all.length, texts: texts.length })
  }
  return all.sort((a, b) => b.score - a.score).slice(0, topK)
}
