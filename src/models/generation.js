// Generation, token by token.

import { readOptions, toNumber } from '../base/arguments.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./model.js').Ids} Ids */
/** @typedef {import('./model.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./model.js').GenerateStep} GenerateStep */

/**
 * @param {import('./model.js').Model} model
 * @param {object} means
 * @param {import('../qkv.js').Qkv} means.qkv
 * @param {import('./family-parts.js').Family} means.family
 * @param {import('./tokenizer.js').TokenizerLike} [means.tokenizer]
 * @param {(prompt: unknown) => number[]} means.toIds
 * @param {string | Ids} prompt
 * @param {GenerateOptions} options
 * @returns {AsyncGenerator<GenerateStep, void, void>}
 */
export async function* generate(model, { qkv, family, tokenizer, toIds }, prompt, options) {
  const known = ['maxNewTokens', 'temperature', 'topK', 'seed', 'stopIds', 'keep', 'hooks', 'signal']
  options = readOptions(options, known, 'generate')
  const { keep, hooks, signal, seed = 0, stopIds = idsOf(model.config.eos_token_id) } = options
  const most = toNumber(options.maxNewTokens ?? 40, 'generate: maxNewTokens', { least: 0, whole: true })
  const temperature = toNumber(options.temperature ?? 0, 'generate: temperature', { least: 0 })
  const topK = toNumber(options.topK ?? family.vocab, 'generate: topK', { least: 1, whole: true })
  if (!family.decoder) throw new Error(`generate: ${model.type} is an encoder, it has no next token`)
  const source = toIds(prompt)
  if (source.length === 0) throw new RangeError('generate: the prompt has no tokens')
  const both = family.encoder !== undefined
  const sequence = both ? [family.startId ?? 0] : [...source]
  const random = qkv.generator(seed)
  const bad = badIds(model.config.bad_words_ids)
  const cache = model.cache({ capacity: Math.max(16, sequence.length) })
  const textOf = (/** @type {number[]} */ ids) => (tokenizer && ids.length ? model.decode(ids) : '')
  let paused = performance.now()
  let text = textOf(both ? [] : sequence)
  try {
    for (let n = 0, next = sequence; n < most; n++) {
      signal?.throwIfAborted()
      const input = both ? { ids: source, decoderIds: next } : { ids: next }
      const output = model.forward(input, { keep, hooks, cache, logits: 'last' })
      const logits = /** @type {FloatTensor} */ (output.logits).data
      for (const id of bad) logits[id] = -Infinity
      const { id, probability } = choose(logits, temperature, topK, () => random.rand([1]).data[0])
      sequence.push(id)
      next = [id]
      const whole = textOf(both ? sequence.slice(1) : sequence)
      // The bytes of one character may need more tokens than one.
      const added = whole.endsWith('\ufffd') ? '' : whole.slice(text.length)
      if (added) text = whole
      yield {
        ...output,
        id,
        probability,
        ids: [...sequence],
        text: added,
        token: tokenizer ? tokenizer.decode([id], { skip_special_tokens: false }) : String(id),
      }
      if (stopIds.includes(id)) return
      if (performance.now() - paused > 50) {
        await new Promise(resolve => setTimeout(resolve)) // lets others run, and abort
        paused = performance.now()
      }
    }
  } finally {
    cache.dispose()
  }
}

/** @param {unknown} ids a number or a list @returns {number[]} */
const idsOf = ids => (Array.isArray(ids) ? ids : [ids]).filter(id => Number.isInteger(id))

/** The single ids among bad_words_ids. @param {unknown} words @returns {number[]} */
const badIds = words =>
  Array.isArray(words) ? words.filter(word => Array.isArray(word) && word.length === 1).flat() : []

/**
 * The largest logit, or a sample among the topK largest.
 * @param {Float32Array} logits
 * @param {number} temperature
 * @param {number} topK
 * @param {() => number} random
 */
function choose(logits, temperature, topK, random) {
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id
  const top = logits[best]
  const weigh = (/** @type {number} */ logit, /** @type {number} */ t) => Math.exp((logit - top) / t)
  let sum = 0
  for (const logit of logits) sum += weigh(logit, 1)
  const chosen = (/** @type {number} */ id) => ({ id, probability: weigh(logits[id], 1) / sum })
  if (temperature === 0) return chosen(best)
  const ids = Array.from(logits, (_, id) => id)
  if (topK < ids.length) ids.sort((a, b) => logits[b] - logits[a] || a - b).length = topK
  const weights = ids.map(id => weigh(logits[id], temperature))
  let rest = random() * weights.reduce((a, b) => a + b, 0)
  const at = weights.findIndex(weight => {
    rest -= weight
    return rest < 0
  })
  return chosen(ids[at < 0 ? 0 : at])
}
