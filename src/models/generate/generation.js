// Generates text token by token.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { applyRules, cannotChoose, readSettings } from './generation-settings.js'

/** @import { GenerateOptions, GenerateStep, Ids } from '../model.js' */
/** @import { GenerationSettings } from './generation-settings.js' */

const SAMPLING = ['temperature', 'topK', 'topP', 'minP', 'repetitionPenalty', 'logits', 'seed']
const BEAMS = ['numBeams', 'lengthPenalty', 'earlyStopping']
const KNOWN = [
  'maxNewTokens',
  'stop',
  'stopIds',
  'firstToken',
  'followConfig',
  'keep',
  'hooks',
  'useCache',
  'signal',
  'chat',
].concat(SAMPLING, BEAMS)
/** Maximum number of beams; each takes a row of the batch and a part of the cache. */
const MOST_BEAMS = 1024
/** Maximum number of new ids if neither the caller nor the folder gives one. */
const USUAL_LENGTH = 40
/** Output of each step of a beam search. Empty, since the steps are yielded after the last run, when no output of forward is left. */
const NO_OUTPUT = {
  attentions: [],
  hiddenStates: [],
  crossAttentions: [],
  encoderAttentions: [],
  encoderHiddenStates: [],
  attentionSummaries: [],
  crossAttentionSummaries: [],
  encoderAttentionSummaries: [],
  kept: {},
}

/** Milliseconds of work between pauses, in which other tasks may run and abort generation. */
const WORK = 50

/**
 * Generates ids.
 * @param {import('../model.js').Model} model
 * @param {object} parts parts of the model
 * @param {import('../../qkv.js').Qkv} parts.qkv
 * @param {import('../family-shapes/parts.js').Family} parts.family
 * @param {import('../tokenizers/tokenizer.js').TextTool} [parts.tokenizer]
 * @param {() => Promise<GenerationSettings>} parts.settings generation settings of the folder
 * @param {(prompt: unknown) => number[]} parts.toIds
 * @param {(token: unknown, where: string) => number} parts.tokenOf
 * @param {typeof import('../run/inputs.js').checkSignal} parts.checkSignal passed instead of imported, so that inputs.js stays in the bundle of
 *   model.js
 * @param {string | Ids | readonly (string | readonly number[])[] | readonly import('../jinja/chat.js').Message[]} prompt
 * @param {GenerateOptions} options
 * @returns {AsyncGenerator<GenerateStep, void, void>}
 */
export async function* generate(
  model,
  { qkv, family, tokenizer, settings, toIds, tokenOf, checkSignal },
  prompt,
  options,
) {
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
  const { stopIds, stops, used, cut, beams, penalty } = withSettings(options, own, family, tokenizer !== undefined)
  const { firstToken } = options
  if (firstToken !== undefined && !family.encoder)
    throw new TypeError(`generate: firstToken: expected an encoder-decoder; a ${model.type} continues its prompt`)
  const firstIds = firstToken === undefined ? used.rules.firstIds : [tokenOf(firstToken, 'generate: firstToken')]
  const rules = { ...used.rules, penalty, firstIds }
  if (!model.hasHead)
    throw new Error(`generate: this ${model.type} checkpoint has no language-model head, so it cannot predict tokens`)
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
  const most = readMost(options, used, both ? 1 : Math.max(...sources.map(({ length }) => length)))
  const random = qkv.generator(seed)
  const textOf = (/** @type {number[]} */ ids) => (tokenizer && ids.length ? model.decode(ids) : '')
  const rows = sources.map(source => {
    const sequence = both ? [startId] : [...source]
    const prompt = textOf(both ? [] : sequence)
    return { sequence, prompt, text: prompt, isDone: false }
  })
  /** @param {number[]} sequence */
  const wholeOf = sequence => textOf(both ? sequence.slice(1) : sequence)
  /** Adds an id to row b, and returns its step. @param {number} b @param {{ id: number, probability: number }} chosen @param {boolean} isLast */
  const add = (b, { id, probability }, isLast) => {
    const row = rows[b]
    if (!row.isDone) row.sequence.push(id)
    row.isDone ||= stopIds.includes(id)
    const text = nextText(row, wholeOf(row.sequence), stops, isLast, tokenizer)
    const token = tokenizer ? tokenizer.decode([id], false) : String(id)
    return { id, token, text, probability, ids: [...row.sequence], isDone: row.isDone }
  }
  /** Applies the rules of the folder and the option `logits`. @param {Float32Array} logits @param {number[]} sequence @param {number} made number of new ids @param {number} row */
  const change = (logits, sequence, made, row) => {
    applyRules(logits, rules, { sequence, made, isLast: made + 1 === most, stopIds })
    if (typeof Object(edit?.(logits, [...sequence], row)).then === 'function')
      throw new TypeError(
        'generate: logits: the function returned a promise, which nothing waits for: change the logits before it returns',
      )
  }
  const open = (/** @type {number[][]} */ prompts) =>
    openRun(model, prompts, { startId: both ? startId : undefined, useCache, keep, hooks, signal })

  if (beams) {
    const { searchBeams } = await import('./beam-search.js')
    /** @type {import('./beam-search.js').Beam[]} */
    const found = []
    for (const [b, source] of most ? sources.entries() : []) {
      const run = open(Array(beams.numBeams).fill(source))
      const { sequence, prompt } = rows[b]
      const isEnd = (/** @type {readonly number[]} */ ids) => {
        if (stopIds.includes(ids[ids.length - 1])) return true
        const whole = stops.length ? wholeOf([...sequence, ...ids]) : ''
        return beforeStop(whole, sharedLength(prompt, whole), stops).isFound
      }
      const { renormalizes } = rules
      const given = { ...beams, numEnds: stopIds.length, most, isEnd, renormalizes }
      try {
        found.push(await searchBeams(run, given, sequence, change))
      } finally {
        run.dispose()
      }
    }
    const length = Math.max(0, ...found.map(({ ids }) => ids.length))
    for (let n = 0; n < length; n++) {
      const steps = found.map(({ ids, probabilities }, b) => {
        const at = Math.min(n, ids.length - 1)
        return add(b, { id: ids[at], probability: probabilities[at] }, n >= ids.length - 1)
      })
      yield { ...NO_OUTPUT, ...steps[0], rows: steps }
    }
    return
  }

  const run = open(sources)
  /** New ids of each row. @type {number[][]} */
  const made = rows.map(() => [])
  try {
    for (let n = 0; n < most; n++) {
      const output = await run.step(made)
      const steps = rows.map(({ sequence }, b) => {
        const { data } = present(output.logits).row(b)
        change(data, sequence, n, b)
        const chosen = choose(data, cut, () => random.rand([1]).data[0])
        made[b].push(chosen.id)
        return add(b, chosen, n + 1 === most)
      })
      yield { ...output, ...steps[0], rows: steps }
      if (rows.every(row => row.isDone)) return
      await run.rest()
    }
  } finally {
    run.dispose()
  }
}

/**
 * Opens a run of the model on rows of ids, to which each step appends.
 * @param {import('../model.js').Model} model
 * @param {number[][]} prompts
 * @param {Pick<GenerateOptions, 'keep' | 'hooks' | 'signal' | 'useCache'> & { startId?: number }} options startId: the first id of the decoder of an
 *   encoder-decoder
 */
export function openRun(model, prompts, { startId, useCache, signal, ...options }) {
  const both = startId !== undefined
  // Shorter prompts are padded: on the left for a decoder, so that the next token follows directly; on the right for an encoder.
  const length = Math.max(...prompts.map(prompt => prompt.length))
  const padded = (/** @type {number[]} */ list, /** @type {number} */ value) => {
    const padding = Array(length - list.length).fill(value)
    return both ? [...list, ...padding] : [...padding, ...list]
  }
  const ids = prompts.map(prompt => padded(prompt, 0))
  const tokens = prompts.map(prompt => padded(Array(prompt.length).fill(1), 0))
  const batch = prompts.length > 1 ? prompts.length : undefined
  const cache = useCache ? model.cache({ capacity: Math.max(16, length), batch }) : undefined
  let isFirst = true
  let paused = performance.now()
  return {
    /** Runs the ids that have not run yet, and returns the output of forward. @param {readonly (readonly number[])[]} made new ids of each row */
    async step(made) {
      signal?.throwIfAborted()
      const isWhole = isFirst || !useCache
      isFirst = false
      const added = useCache ? made.map(row => row.slice(-1)) : made
      const input = both
        ? { ids, attentionMask: tokens, decoderIds: added.map(row => (isWhole ? [startId, ...row] : [...row])) }
        : {
            ids: isWhole ? ids.map((row, b) => [...row, ...added[b]]) : added,
            attentionMask: isWhole ? tokens.map((row, b) => [...row, ...added[b].map(() => 1)]) : undefined,
          }
      const given = /** @type {const} */ ({ ...options, cache, logits: 'last' })
      return isWhole ? await model.forward(input, { ...given, signal }) : model.forwardSync(input, given)
    },
    /** Replaces row b of the batch by a copy of row from[b], for all b. @param {readonly number[]} from */
    select(from) {
      for (const layer of cache?.layers ?? []) layer.select(from)
    },
    /** Yields to other tasks, which may abort this one. */
    async rest() {
      if (performance.now() - paused < WORK) return
      await new Promise(resolve => setTimeout(resolve))
      paused = performance.now()
    },
    dispose: () => cache?.dispose(),
  }
}

/**
 * Checks the options; the settings of the folder are the defaults.
 * @param {GenerateOptions} options
 * @param {GenerationSettings} own
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
  const used = followConfig ? own : readSettings({}, own.file, family.vocab)
  const number = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {object} */ range) =>
    toNumber(value, `generate: ${name}`, range)
  const cut = {
    temperature: number('temperature', options.temperature ?? (used.isSampled ? used.temperature : 0), { least: 0 }),
    topK: number('topK', options.topK ?? used.topK, { least: 1, whole: true }),
    topP: number('topP', options.topP ?? used.topP, { least: 0, most: 1 }),
    minP: number('minP', options.minP ?? used.minP, { least: 0, most: 1 }),
  }
  const beams = readBeams(options, used, cut.temperature)
  const refused = [...used.refused, ...(beams ? used.refusedBeams : [])]
  if (refused.length)
    throw new RangeError(
      `generate: ${own.file}: ${refused.join(', ')} not covered: { followConfig: false } leaves all of its settings but the end ids aside`,
    )
  const penalty = number('repetitionPenalty', options.repetitionPenalty ?? used.repetitionPenalty, {
    least: 1e-3,
    most: 1e3,
  })
  if (edit !== undefined && typeof edit !== 'function')
    throw new TypeError(`generate: logits: expected a function of the logits and the ids so far, got ${describe(edit)}`)
  return { stopIds, stops, used, cut, beams, penalty }
}

/** Reads the maximum number of new ids. @param {GenerateOptions} options @param {GenerationSettings} used @param {number} length of the longest prompt */
function readMost({ maxNewTokens }, used, length) {
  const given = maxNewTokens ?? used.maxNewTokens
  if (given !== undefined || used.maxLength === undefined)
    return toNumber(given ?? USUAL_LENGTH, 'generate: maxNewTokens', { least: 0, whole: true })
  if (used.maxLength > length) return used.maxLength - length
  throw new RangeError(
    `generate: ${used.file}: max_length is ${used.maxLength}, and the prompt has ${length} tokens: give maxNewTokens`,
  )
}

/** Reads the options of beam search; returns undefined for one beam. @param {GenerateOptions} options @param {GenerationSettings} used @param {number} temperature */
function readBeams(options, used, temperature) {
  const numBeams = toNumber(options.numBeams ?? used.numBeams, 'generate: numBeams', {
    least: 1,
    most: MOST_BEAMS,
    whole: true,
  })
  const lengthPenalty = toNumber(options.lengthPenalty ?? used.lengthPenalty, 'generate: lengthPenalty')
  const earlyStopping = options.earlyStopping ?? used.earlyStopping
  if (earlyStopping !== 'never' && typeof earlyStopping !== 'boolean')
    throw new TypeError(`generate: earlyStopping: expected true, false or 'never', got ${describe(earlyStopping)}`)
  if (numBeams === 1) return undefined
  const source = options.numBeams === undefined ? ` (of ${used.file})` : ''
  const one = `${numBeams} beams${source}: { numBeams: 1 } follows one sequence`
  if (temperature > 0) throw new RangeError(`generate: temperature ${temperature} does not sample from ${one}`)
  if (options.keep !== undefined) throw new TypeError(`generate: keep: nothing can be kept with ${one}`)
  return { numBeams, lengthPenalty, earlyStopping }
}

/**
 * Returns the text that the last token of a row adds. Holds back an ending that may still change, or become a stop text.
 * @param {{ prompt: string, text: string, sequence: number[], isDone: boolean }} row text: the prompt and the text returned so far; isDone:
 *   set here at a stop text
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
 * Returns the ids of a conversation. Adds no special tokens, since the template writes them.
 * @param {import('../model.js').Model} model
 * @param {import('../tokenizers/tokenizer.js').TextTool | undefined} tokenizer
 * @param {readonly import('../jinja/chat.js').Message[]} messages
 * @param {import('../jinja/chat.js').ChatOptions | undefined} chat
 * @param {number} vocab
 */
async function chatIds(model, tokenizer, messages, chat, vocab) {
  const text = await model.applyChatTemplate(messages, chat)
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
 * Returns where the shown text ends: before the first stop text, or before an ending that may become a stop text.
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

/**
 * Returns the length of the common prefix of two texts. An incomplete character at the end of a prompt is not part of the prefix, since it
 * decodes to U+FFFD until it is complete.
 * @param {string} a
 * @param {string} b
 */
function sharedLength(a, b) {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/**
 * Chooses the largest logit if the temperature is 0, else samples an id. First topK keeps the largest logits, and those equal to the last
 * of them. Of these, topP keeps the most likely ids, until their probabilities sum to topP. Of these, minP keeps the ids with at least
 * minP times the largest probability.
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
  if (Number.isNaN(sum) || top === Number.NEGATIVE_INFINITY) throw cannotChoose(Number.isNaN(sum))
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
