// Reads the generation settings of a folder, from generation_config.json or, if that is missing, config.json, and applies them to logits.
// Rules and their order are those of transformers 5.16: generation/configuration_utils.py, utils.py (_get_logits_processor) and
// logits_process.py.

import { describe } from '../../base/errors.js'
import { Config } from '../config/config.js'

/** @typedef {ReturnType<typeof readSettings>} GenerationSettings */
/** @typedef {ReturnType<typeof rulesOf> & { penalty: number }} Rules penalty: repetition penalty for the ids so far; 1 for none */

/** Keys that would change the output and are not supported, each with a function that is true if its value has an effect. @type {Record<string, (value: any) => boolean>} */
const REFUSED = {
  guidance_scale: value => value !== 1,
  sequence_bias: () => true,
  encoder_repetition_penalty: value => value !== 1,
  encoder_no_repeat_ngram_size: value => value > 0,
  exponential_decay_length_penalty: () => true,
  watermarking_config: () => true,
  stop_strings: () => true,
  penalty_alpha: value => value > 0,
  dola_layers: () => true,
  force_words_ids: () => true,
  constraints: () => true,
  token_healing: () => true,
  cache_implementation: value => value === 'quantized',
  max_time: () => true,
  is_assistant: () => true,
  decoder_start_token_id: value => Array.isArray(value) && value.length > 1, // a start id for each row
}
/** Like REFUSED, for beam search only. @type {Record<string, (value: any) => boolean>} */
const REFUSED_BEAMS = {
  num_beam_groups: value => value > 1,
  diversity_penalty: value => value > 0,
}
/** Like REFUSED, for sampling only. @type {Record<string, (value: any) => boolean>} */
const REFUSED_SAMPLING = {
  temperature: value => value === 0,
  typical_p: value => value < 1,
  epsilon_cutoff: value => value > 0,
  eta_cutoff: value => value > 0,
  top_h: () => true,
}
const COUNT = { least: 0, whole: true }
const SHARE = { least: 0, most: 1 }

/**
 * Reads the settings.
 * @param {unknown} json
 * @param {string} file file name
 * @param {number} vocab
 */
export function readSettings(json, file, vocab) {
  const c = new Config(json, file)
  const isId = (/** @type {number} */ id) => id >= 0 && id < vocab
  const idsOf = (/** @type {string} */ key) => {
    const ids = c.ids(key)
    const other = ids.find(id => !isId(id))
    if (other !== undefined)
      throw new RangeError(`${file}: ${key}: expected a whole number from 0 to ${vocab - 1}, got ${other}`)
    return ids
  }
  const stopIds = c.ids('eos_token_id').filter(isId) // ids outside the vocabulary are never chosen
  const [start] = [...idsOf('decoder_start_token_id'), ...c.ids('bos_token_id').filter(isId)]
  const isSampled = c.flag('do_sample')
  /** Lists the keys of a table that have an effect in this file. @param {Record<string, (value: any) => boolean>} table */
  const effective = table =>
    Object.entries(table).flatMap(([key, changes]) => {
      const value = c.get(key)
      return value !== undefined && value !== false && changes(value) ? `${key} ${describe(value)}` : []
    })
  return {
    stopIds,
    startId: start,
    isSampled,
    maxNewTokens: c.get('max_new_tokens') === undefined ? undefined : c.number('max_new_tokens', COUNT),
    maxLength: c.get('max_length') === undefined ? undefined : c.number('max_length', { least: 1, whole: true }),
    numBeams: c.number('num_beams', { least: 1, whole: true }, 1),
    lengthPenalty: c.number('length_penalty', {}, 1),
    earlyStopping: c.get('early_stopping') === 'never' ? /** @type {const} */ ('never') : c.flag('early_stopping'),
    temperature: c.number('temperature', { least: 0 }, 1),
    topK: c.number('top_k', COUNT, isSampled ? 50 : 0) || vocab,
    topP: c.number('top_p', SHARE, 1),
    minP: c.number('min_p', SHARE, 0),
    repetitionPenalty: c.number('repetition_penalty', { least: 1e-3, most: 1e3 }, 1),
    rules: rulesOf(c, stopIds, idsOf, vocab),
    /** Settings that make `generate` throw. */
    refused: effective(isSampled ? { ...REFUSED, ...REFUSED_SAMPLING } : REFUSED),
    refusedBeams: effective(REFUSED_BEAMS),
    file,
  }
}

/**
 * @param {Config} c
 * @param {readonly number[]} stopIds
 * @param {(key: string) => number[]} idsOf
 * @param {number} vocab
 */
function rulesOf(c, stopIds, idsOf, vocab) {
  const minNewTokens = c.get('min_new_tokens')
  const words = c.get('bad_words_ids') ?? []
  const isWord = (/** @type {unknown} */ word) =>
    Array.isArray(word) && word.length > 0 && word.every(id => Number.isInteger(id) && id >= 0 && id < vocab)
  if (!Array.isArray(words) || !words.every(isWord))
    throw new RangeError(`${c.file}: bad_words_ids: expected a list of lists of ids, got ${describe(words)}`)
  return {
    ngram: c.number('no_repeat_ngram_size', COUNT, 0),
    badWords: words.filter(([id, ...more]) => more.length || !stopIds.includes(id)),
    minLength: minNewTokens === undefined ? c.number('min_length', COUNT, 0) : 0, // min_new_tokens overrides it, even if 0
    minNewTokens: c.number('min_new_tokens', COUNT, 0),
    firstIds: idsOf('forced_bos_token_id'),
    lastIds: idsOf('forced_eos_token_id'),
    suppressed: c.ids('suppress_tokens'),
    suppressedFirst: c.ids('begin_suppress_tokens'),
    renormalizes: c.flag('renormalize_logits'),
  }
}

/**
 * Applies the rules in place: penalises ids of the sequence, and hides or forces ids as the folder requires at this point.
 * @param {Float32Array} logits
 * @param {Rules} rules
 * @param {object} at
 * @param {readonly number[]} at.sequence ids so far, including the prompt for a decoder
 * @param {number} at.made number of new ids
 * @param {boolean} at.isLast True if no further id follows
 * @param {readonly number[]} at.stopIds
 */
export function applyRules(logits, rules, { sequence, made, isLast, stopIds }) {
  const { penalty, ngram, badWords, minLength, minNewTokens, firstIds, lastIds, suppressed, suppressedFirst } = rules
  const hide = (/** @type {readonly number[]} */ ids) => {
    for (const id of ids) logits[id] = Number.NEGATIVE_INFINITY // writing beyond the array is a no-op
  }
  const force = (/** @type {readonly number[]} */ ids) => {
    logits.fill(Number.NEGATIVE_INFINITY)
    for (const id of ids) logits[id] = 0
  }
  /** True if the sequence contains the first `end` of `ids` directly before position `length`. @param {readonly number[]} ids @param {number} end */
  const follows = (ids, end, length = sequence.length) =>
    length >= end && ids.slice(0, end).every((id, i) => id === sequence[length - end + i])
  const factor = Math.fround(penalty) // in float32, like PyTorch
  if (penalty !== 1)
    for (const id of new Set(sequence)) logits[id] = logits[id] < 0 ? logits[id] * factor : logits[id] / factor
  if (ngram && sequence.length >= ngram) {
    const before = sequence.slice(sequence.length - ngram + 1)
    for (let end = ngram - 1; end < sequence.length; end++) if (follows(before, ngram - 1, end)) hide([sequence[end]])
  }
  // A bad word of several ids is checked only once the sequence is at least as long as the word, as in transformers.
  for (const word of badWords)
    if (word.length === 1 || (word.length <= sequence.length && follows(word, word.length - 1))) hide(word.slice(-1))
  if (sequence.length < minLength || made < minNewTokens) hide(stopIds)
  const hasFirst = firstIds.length > 0
  if (hasFirst && sequence.length === 1) force(firstIds)
  if (lastIds.length && isLast) force(lastIds)
  hide(suppressed)
  const begin = made === 0 && (sequence.length > 1 || !hasFirst)
  if (begin || (hasFirst && made === 1 && sequence.length === 2)) hide(suppressedFirst)
}

/** Returns the error for logits of which none can be chosen. @param {boolean} hasNaN true if one is NaN, false if all are -Infinity */
export const cannotChoose = hasNaN =>
  new RangeError(
    `generate: ${hasNaN ? 'a logit of the next id is NaN' : 'all logits of the next id are -Infinity'}, so none can be chosen: the option logits, a hook, the weights or the rules of the folder make them so`,
  )
