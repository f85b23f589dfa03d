// Generation, token by token.

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./model.js').Ids} Ids */
/** @typedef {import('./model.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./model.js').GenerateStep} GenerateStep */

const SAMPLING = ['temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'logits', 'seed']
const KNOWN = ['maxNewTokens', 'stopIds', 'keep', 'hooks', 'useCache', 'signal', 'chat'].concat(SAMPLING)

/**
 * @param {import('./model.js').Model} model
 * @param {object} parts of the model
 * @param {import('../qkv.js').Qkv} parts.qkv
 * @param {import('./family-shapes/parts.js').Family} parts.family
 * @param {import('./tokenizer.js').TextTool} [parts.tokenizer]
 * @param {(prompt: unknown) => number[]} parts.toIds
 * @param {typeof import('./inputs.js').checkSignal} parts.checkSignal given, not imported: so inputs.js stays in one bundle with model.js
 * @param {string | Ids | readonly (string | readonly number[])[] | readonly import('./chat.js').Message[]} prompt
 * @param {GenerateOptions} options
 * @returns {AsyncGenerator<GenerateStep, void, void>}
 */
export async function* generate(model, { qkv, family, tokenizer, toIds, checkSignal }, prompt, options) {
  options = readOptions(options, KNOWN, 'generate')
  const { keep, hooks, signal, useCache = true, seed = 0, stopIds = family.stopIds, logits: edit, chat } = options
  checkSignal(signal, 'generate')
  toBoolean(useCache, 'generate: useCache')
  if (!Array.isArray(stopIds) || !stopIds.every(Number.isInteger))
    throw new TypeError(`generate: stopIds: ${describe(stopIds)} given, a list of ids expected`)
  const most = toNumber(options.maxNewTokens ?? 40, 'generate: maxNewTokens', { least: 0, whole: true })
  const temperature = toNumber(options.temperature ?? 0, 'generate: temperature', { least: 0 })
  const topK = toNumber(options.topK ?? family.vocab, 'generate: topK', { least: 1, whole: true })
  const topP = toNumber(options.topP ?? 1, 'generate: topP', { least: 0, most: 1 })
  const minP = toNumber(options.minP ?? 0, 'generate: minP', { least: 0, most: 1 })
  const penalty = toNumber(options.repetitionPenalty ?? 1, 'generate: repetitionPenalty', { least: 1e-3, most: 1e3 })
  if (edit !== undefined && typeof edit !== 'function')
    throw new TypeError(
      `generate: logits: ${describe(edit)} given, a function of the logits and the ids so far expected`,
    )
  const cut = { temperature, topK, topP, minP }
  if (!family.decoder) throw new Error(`generate: ${model.type} is an encoder, it has no next token`)
  if (!model.hasHead) throw new Error(`generate: this ${model.type} checkpoint has no head, it has no logits of tokens`)
  const isChat = Array.isArray(prompt) && typeof Object(prompt[0]).role === 'string'
  if (chat !== undefined && !isChat)
    throw new TypeError('generate: chat: it is given, but the prompt is no list of messages { role, content }')
  const given = isChat ? await chatIds(model, tokenizer, prompt, chat, family.vocab) : prompt
  const areMany = Array.isArray(given) && typeof given[0] !== 'number'
  const sources = areMany ? given.map(toIds) : [toIds(given)]
  if (sources.length === 0 || sources.some(source => source.length === 0))
    throw new RangeError('generate: the prompt has no tokens')
  const both = family.encoder !== undefined
  const random = qkv.generator(seed)
  const bad = badIds(model.config.bad_words_ids)
  const textOf = (/** @type {number[]} */ ids) => (tokenizer && ids.length ? model.decode(ids) : '')
  const rows = sources.map(source => {
    const sequence = both ? [family.startId ?? 0] : [...source]
    return { sequence, text: textOf(both ? [] : sequence), isDone: false }
  })
  // Shorter prompts are padded: for a decoder on the left, so that the next token follows at once; for an encoder on the right.
  const length = Math.max(...sources.map(source => source.length))
  const padded = (/** @type {number[]} */ list, /** @type {number} */ value) => {
    const padding = Array(length - list.length).fill(value)
    return both ? [...list, ...padding] : [...padding, ...list]
  }
  const prompts = sources.map(source => padded(source, 0))
  const tokens = sources.map(source => padded(Array(source.length).fill(1), 0))
  const cache = useCache
    ? model.cache({ capacity: Math.max(16, length), batch: sources.length > 1 ? sources.length : undefined })
    : undefined
  let paused = performance.now()
  /** The new ids of each row. @type {number[][]} */
  const made = rows.map(() => [])
  try {
    for (let n = 0; n < most; n++) {
      signal?.throwIfAborted()
      const isFirst = n === 0 || !useCache
      const added = useCache ? made.map(row => row.slice(-1)) : made
      const input = both
        ? {
            ids: prompts,
            attentionMask: tokens,
            decoderIds: rows.map((_, b) => (isFirst ? [family.startId ?? 0, ...added[b]] : added[b])),
          }
        : {
            ids: isFirst ? prompts.map((row, b) => [...row, ...added[b]]) : added,
            attentionMask: isFirst ? tokens.map((row, b) => [...row, ...added[b].map(() => 1)]) : undefined,
          }
      const given = /** @type {const} */ ({ keep, hooks, cache, logits: 'last' })
      const output = isFirst ? await model.forwardAsync(input, { ...given, signal }) : model.forward(input, given)
      const logits = /** @type {FloatTensor} */ (output.logits)
      const steps = rows.map((row, b) => {
        const { data } = logits.row(b)
        for (const id of bad) data[id] = -Infinity
        if (n === 0 && family.firstId !== undefined) data.fill(-Infinity).fill(0, family.firstId, family.firstId + 1)
        if (penalty !== 1) penalize(data, row.sequence, penalty)
        edit?.(data, [...row.sequence], b)
        const { id, probability } = choose(data, cut, () => random.rand([1]).data[0])
        made[b].push(id)
        if (!row.isDone) row.sequence.push(id)
        const whole = textOf(both ? row.sequence.slice(1) : row.sequence)
        row.isDone ||= stopIds.includes(id)
        // One character may take more than one token.
        const isCut = whole.endsWith('\ufffd') && !row.isDone && n + 1 < most
        const text = isCut ? '' : whole.slice(row.text.length)
        if (text) row.text = whole
        const token = tokenizer ? tokenizer.decode([id], { skip_special_tokens: false }) : String(id)
        return { id, token, text, probability, ids: [...row.sequence], isDone: row.isDone }
      })
      yield { ...output, ...steps[0], rows: steps }
      if (rows.every(row => row.isDone)) return
      if (performance.now() - paused > 50) {
        await new Promise(resolve => setTimeout(resolve)) // lets other tasks run, which may abort this one
        paused = performance.now()
      }
    }
  } finally {
    cache?.dispose()
  }
}

/**
 * The ids of a conversation: its template writes the special tokens.
 * @param {import('./model.js').Model} model
 * @param {import('./tokenizer.js').TextTool | undefined} tokenizer
 * @param {unknown} messages
 * @param {import('./chat.js').ChatOptions | undefined} chat
 * @param {number} vocab
 */
async function chatIds(model, tokenizer, messages, chat, vocab) {
  const text = await model.applyChatTemplate(/** @type {import('./chat.js').Message[]} */ (messages), chat)
  return /** @type {import('./tokenizer.js').TextTool} */ (tokenizer).bare(text, vocab)
}

/** The single ids among bad_words_ids. @param {unknown} words @returns {number[]} */
const badIds = words =>
  Array.isArray(words) ? words.filter(word => Array.isArray(word) && word.length === 1).flat() : []

/**
 * Ids of the sequence become less likely: a logit above 0 is divided by the penalty, one below is multiplied with it.
 * @param {Float32Array} logits
 * @param {readonly number[]} ids
 * @param {number} penalty
 */
function penalize(logits, ids, penalty) {
  for (const id of new Set(ids)) logits[id] *= logits[id] > 0 ? 1 / penalty : penalty
}

/**
 * Chooses the largest logit, or with a temperature samples: among the topK largest; of these among the largest whose probabilities
 * sum to topP; of these among those with at least minP times the largest probability.
 * @param {Float32Array} logits
 * @param {{ temperature: number, topK: number, topP: number, minP: number }} cut
 * @param {() => number} random
 */
function choose(logits, { temperature, topK, topP, minP }, random) {
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id
  const top = logits[best]
  const weigh = (/** @type {number} */ logit, /** @type {number} */ t) =>
    logit === top ? 1 : Math.exp((logit - top) / t) // top may be Infinity
  let sum = 0
  for (const logit of logits) sum += weigh(logit, 1)
  const chosen = (/** @type {number} */ id) => ({ id, probability: weigh(logits[id], 1) / sum })
  if (temperature === 0) return chosen(best)
  const ids = Array.from(logits, (_, id) => id)
  if (topK < ids.length || topP < 1) ids.sort((a, b) => logits[b] - logits[a] || a - b)
  if (topK < ids.length) ids.length = topK
  let weights = ids.map(id => weigh(logits[id], temperature))
  const total = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0)
  if (topP < 1) {
    const all = total(weights)
    let before = 0
    const end = weights.findIndex(weight => {
      const isOut = before >= topP * all
      before += weight
      return isOut
    })
    if (end >= 0) weights.length = Math.max(1, end)
  }
  if (minP > 0) weights = weights.map(weight => (weight >= minP ? weight : 0)) // the largest weight is 1
  let rest = random() * total(weights)
  const at = weights.findIndex(weight => {
    rest -= weight
    return rest < 0
  })
  return chosen(at < 0 ? best : ids[at])
}
