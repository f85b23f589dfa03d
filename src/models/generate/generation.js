// Generates text token by token.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { applyRules, readSettings } from './generation-settings.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { GenerateOptions, GenerateStep, Ids } from '../model.js' */

const SAMPLING = ['temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'logits', 'seed']
const KNOWN = ['maxNewTokens', 'stop', 'stopIds', 'followConfig', 'keep', 'hooks', 'useCache', 'signal', 'chat'].concat(
  SAMPLING,
)

/**
 * Generates ids.
 * @param {import('../model.js').Model} model
 * @param {object} parts parts of the model
 * @param {import('../../qkv.js').Qkv} parts.qkv
 * @param {import('../family-shapes/parts.js').Family} parts.family
 * @param {import('../tokenizers/tokenizer.js').TextTool} [parts.tokenizer]
 * @param {() => Promise<import('./generation-settings.js').GenerationSettings>} parts.settings generation settings of the folder
 * @param {(prompt: unknown) => number[]} parts.toIds
 * @param {typeof import('../run/inputs.js').checkSignal} parts.checkSignal passed instead of imported, so that inputs.js stays in the bundle of
 *   model.js
 * @param {string | Ids | readonly (string | readonly number[])[] | readonly import('../jinja/chat.js').Message[]} prompt
 * @param {GenerateOptions} options
 * @returns {AsyncGenerator<GenerateStep, void, void>}
 */
export async function* generate(model, { qkv, family, tokenizer, settings, toIds, checkSignal }, prompt, options) {
  if (typeof options === 'function')
    throw new TypeError(
      'generate: expected options, got a function: tokens come in the loop for await (const { text } of model.generate(prompt, options))',
    )
  options = readOptions(options, KNOWN, 'generate')
  const { keep, hooks, signal, useCache = true, seed = 0, followConfig = true, logits: edit, chat } = options
  checkSignal(signal, 'generate')
  toBoolean(useCache, 'generate: useCache')
  toBoolean(followConfig, 'generate: followConfig')
  if (!family.decoder) throw new Error(`generate: ${model.type} is an encoder, it has no next token`)
  const own = await settings()
  const { stopIds, stops, rules, most, cut, penalty } = withSettings(options, own, family, tokenizer !== undefined)
  if (!model.hasHead) throw new Error(`generate: this ${model.type} checkpoint has no head, it has no logits of tokens`)
  const isChat = Array.isArray(prompt) && typeof Object(prompt[0]).role === 'string'
  if (!isChat && Array.isArray(prompt) && ['content', 'text'].some(key => Object.hasOwn(Object(prompt[0]), key)))
    throw new TypeError(`generate: expected messages { role, content }, got ${describe(prompt[0])} as the first`)
  if (chat !== undefined && !isChat)
    throw new TypeError('generate: chat: expected a list of messages { role, content } as the prompt')
  const given = isChat ? await chatIds(model, tokenizer, prompt, chat, family.vocab) : prompt
  const areMany = Array.isArray(given) && typeof given[0] !== 'number'
  const sources = areMany ? given.map(toIds) : [toIds(given)]
  if (sources.length === 0 || sources.some(source => source.length === 0))
    throw new RangeError('generate: the prompt has no tokens')
  const both = family.encoder !== undefined
  const startId = own.startId ?? family.startId ?? 0
  const random = qkv.generator(seed)
  const textOf = (/** @type {number[]} */ ids) => (tokenizer && ids.length ? model.decode(ids) : '')
  const rows = sources.map(source => {
    const sequence = both ? [startId] : [...source]
    const prompt = textOf(both ? [] : sequence)
    return { sequence, prompt, text: prompt, isDone: false }
  })
  // Pad shorter prompts: for a decoder on the left, so that the next token follows directly; for an encoder on the right.
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
  /** New ids of each row. @type {number[][]} */
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
            decoderIds: rows.map((_, b) => (isFirst ? [startId, ...added[b]] : added[b])),
          }
        : {
            ids: isFirst ? prompts.map((row, b) => [...row, ...added[b]]) : added,
            attentionMask: isFirst ? tokens.map((row, b) => [...row, ...added[b].map(() => 1)]) : undefined,
          }
      const given = /** @type {const} */ ({ keep, hooks, cache, logits: 'last' })
      const output = isFirst ? await model.forward(input, { ...given, signal }) : model.forwardSync(input, given)
      const logits = /** @type {FloatTensor} */ (output.logits)
      const steps = rows.map((row, b) => {
        const { data } = logits.row(b)
        const { sequence } = row
        applyRules(data, { ...rules, penalty }, { sequence, made: n, isLast: n + 1 === most, stopIds })
        if (typeof Object(edit?.(data, [...sequence], b)).then === 'function')
          throw new TypeError(
            'generate: logits: the function returned a promise, which nothing waits for: change the logits before it returns',
          )
        const { id, probability } = choose(data, cut, () => random.rand([1]).data[0])
        made[b].push(id)
        if (!row.isDone) sequence.push(id)
        row.isDone ||= stopIds.includes(id)
        const text = nextText(row, textOf(both ? sequence.slice(1) : sequence), stops, n + 1 === most, tokenizer)
        const token = tokenizer ? tokenizer.decode([id], false) : String(id)
        return { id, token, text, probability, ids: [...row.sequence], isDone: row.isDone }
      })
      yield { ...output, ...steps[0], rows: steps }
      if (rows.every(row => row.isDone)) return
      if (performance.now() - paused > 50) {
        await new Promise(resolve => setTimeout(resolve)) // yields to other tasks, which may abort this one
        paused = performance.now()
      }
    }
  } finally {
    cache?.dispose()
  }
}

/**
 * Checks the options, whose defaults are the settings of the folder.
 * @param {GenerateOptions} options
 * @param {import('./generation-settings.js').GenerationSettings} own
 * @param {import('../family-shapes/parts.js').Family} family
 * @param {boolean} hasTokenizer
 */
function withSettings(options, own, family, hasTokenizer) {
  const { stopIds = own.stopIds, followConfig = true, logits: edit } = options
  if (!Array.isArray(stopIds))
    throw new TypeError(`generate: stopIds: expected a list of ids, got ${describe(stopIds)}`)
  for (const [n, id] of stopIds.entries()) toNumber(id, `generate: stopIds[${n}]`, { whole: true })
  const stops = toStops(options.stop)
  if (stops.length && !hasTokenizer)
    throw new TypeError('generate: stop: this model has no tokenizer, so nothing becomes text; use stopIds')
  if (followConfig && own.refused.length)
    throw new RangeError(
      `generate: ${own.file}: ${own.refused.join(', ')} not covered: { followConfig: false } leaves all of its settings but the end ids aside`,
    )
  const {
    rules,
    isSampled,
    maxNewTokens = 40,
    ...usual
  } = followConfig ? own : readSettings({}, own.file, family.vocab)
  const number = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {object} */ range) =>
    toNumber(value, `generate: ${name}`, range)
  const most = number('maxNewTokens', options.maxNewTokens ?? maxNewTokens, { least: 0, whole: true })
  const cut = {
    temperature: number('temperature', options.temperature ?? (isSampled ? usual.temperature : 0), { least: 0 }),
    topK: number('topK', options.topK ?? usual.topK, { least: 1, whole: true }),
    topP: number('topP', options.topP ?? usual.topP, { least: 0, most: 1 }),
    minP: number('minP', options.minP ?? usual.minP, { least: 0, most: 1 }),
  }
  const penalty = number('repetitionPenalty', options.repetitionPenalty ?? usual.repetitionPenalty, {
    least: 1e-3,
    most: 1e3,
  })
  if (edit !== undefined && typeof edit !== 'function')
    throw new TypeError(`generate: logits: expected a function of the logits and the ids so far, got ${describe(edit)}`)
  return { stopIds, stops, rules, most, cut, penalty }
}

/**
 * Returns the text that a token adds to a row. A part that may still change, or become a stop text, is held back.
 * @param {{ prompt: string, text: string, sequence: number[], isDone: boolean }} row text: what was given out, with the prompt; isDone: set
 *   by a stop text
 * @param {string} whole the decoded row
 * @param {readonly string[]} stops
 * @param {boolean} isLast true if no token follows
 * @param {import('../tokenizers/tokenizer.js').TextTool | undefined} tokenizer
 */
function nextText(row, whole, stops, isLast, tokenizer) {
  const { end, isFound } = beforeStop(whole, sharedLength(row.prompt, whole), stops)
  row.isDone ||= isFound
  const goesOn = !row.isDone && !isLast
  if (goesOn && tokenizer?.isOpen(row.sequence, whole)) return '' // a character may consist of several tokens
  const shown = isFound || goesOn ? whole.slice(0, end) : whole
  const text = shown.slice(sharedLength(row.text, shown))
  row.text = shown
  return text
}

/**
 * Returns the ids of a conversation; special tokens are written by its template.
 * @param {import('../model.js').Model} model
 * @param {import('../tokenizers/tokenizer.js').TextTool | undefined} tokenizer
 * @param {unknown} messages
 * @param {import('../jinja/chat.js').ChatOptions | undefined} chat
 * @param {number} vocab
 */
async function chatIds(model, tokenizer, messages, chat, vocab) {
  const text = await model.applyChatTemplate(/** @type {import('../jinja/chat.js').Message[]} */ (messages), chat)
  return /** @type {import('../tokenizers/tokenizer.js').TextTool} */ (tokenizer).bare(text, vocab)
}

/** Checks the option `stop`. @param {unknown} stop @returns {readonly string[]} */
function toStops(stop = []) {
  const stops = typeof stop === 'string' ? [stop] : stop
  if (!Array.isArray(stops))
    throw new TypeError(`generate: stop: expected a text or a list of texts, got ${describe(stop)}`)
  for (const [n, text] of stops.entries())
    if (typeof text !== 'string' || text === '')
      throw new TypeError(`generate: stop[${n}]: expected a text, got ${text === '' ? 'an empty one' : describe(text)}`)
  return stops
}

/**
 * Finds where a text ends by the stop texts: before the first one, or before an ending that may become one.
 * @param {string} text
 * @param {number} from where the generated part begins
 * @param {readonly string[]} stops
 */
function beforeStop(text, from, stops) {
  const found = stops.map(stop => text.indexOf(stop, from)).filter(at => at >= 0)
  if (found.length) return { end: Math.min(...found), isFound: true }
  let end = text.length
  for (const stop of stops)
    for (let at = Math.max(from, text.length - stop.length + 1); at < end; at++)
      if (stop.startsWith(text.slice(at))) end = at
  return { end, isFound: false }
}

/** Returns the length of the common prefix of two texts; half a character at the end of the prompt does not count. @param {string} a @param {string} b */
function sharedLength(a, b) {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/**
 * Chooses the largest logit, or with a temperature samples: among the topK largest and those equal to the last of them; of these among the
 * largest whose probabilities sum to topP; of these among those with at least minP times the largest probability.
 * @param {Float32Array} logits
 * @param {{ temperature: number, topK: number, topP: number, minP: number }} cut
 * @param {() => number} random
 */
export function choose(logits, { temperature, topK, topP, minP }, random) {
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id
  const top = logits[best]
  const weigh = (/** @type {number} */ logit, largest = top) => (logit === largest ? 1 : Math.exp(logit - largest)) // logits may be Infinity
  let sum = 0
  for (const logit of logits) sum += weigh(logit)
  if (Number.isNaN(sum) || top === Number.NEGATIVE_INFINITY)
    throw new RangeError(
      `generate: ${Number.isNaN(sum) ? 'a logit of the next id is NaN' : 'all logits of the next id are -Infinity'}, so none can be chosen: the option logits, a hook, the weights or the rules of the folder make them so`,
    )
  const chosen = (/** @type {number} */ id) => ({ id, probability: weigh(logits[id]) / sum })
  if (temperature === 0) return chosen(best)
  const scaled = logits.map(logit => logit / Math.fround(temperature)) // rounded to float32, so that ties match transformers
  const ids = Array.from(scaled, (_, id) => id)
  if (topK < ids.length || topP < 1) ids.sort((a, b) => scaled[b] - scaled[a] || a - b)
  if (topK < ids.length) {
    const least = scaled[ids[topK - 1]]
    const end = ids.findIndex(id => scaled[id] < least)
    if (end >= 0) ids.length = end
  }
  let weights = ids.map(id => weigh(scaled[id], scaled[best]))
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
