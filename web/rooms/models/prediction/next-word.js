// Computes the candidates for the next word, their shares after temperature, top-k and top-p, and the KV cache of the step. No DOM.

import { largestOf } from '../../../elements/largest.js'
import { present } from '../../../shell/known.js'
import { attentionOf, readAt } from '../run/hooks.js'
import { hasTokenizer, tokenText } from '../run/read-text.js'

/** @import { Model } from 'qkv/models' */
/** @import { Used } from '../run/session-runs.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

/** Number of candidates that are sent with their texts. */
export const NAMED = 50
/** Repetitions of a step that is timed: the minimum, the maximum, and the milliseconds after which no step beyond the minimum starts. */
const [TIMES, MOST_TIMES, PATIENCE] = [3, 20, 50]
/** Maximum number of tokens for which the cache's values are shown. */
const MOST_SHOWN = 256

/**
 * Returns the shares with which `generate` of qkv/models would sample the candidates. It keeps the topK most likely tokens, and of these
 * the fewest, most likely first, whose shares sum to at least topP.
 * @param {Float32Array} probabilities of all tokens, indexed by id
 * @param {readonly { id: number }[]} named the most likely tokens, in descending order
 * @param {{ temperature: number, topK: number, topP: number }} cut a topK of NAMED or more sets no limit
 * @returns {{ shares: number[], kept: number }} kept: number of remaining tokens
 */
export function sharesOf(probabilities, named, { temperature, topK, topP }) {
  if (temperature === 0) return { shares: named.map((_, n) => Number(n === 0)), kept: 1 }
  const most = named.length ? probabilities[named[0].id] : 0
  const weigh = (/** @type {number} */ p) => (p / most) ** (1 / temperature)
  const sorted = Array.from(probabilities, weigh).sort((a, b) => b - a)
  const chosen = topK < NAMED ? sorted.slice(0, topK) : sorted
  const all = chosen.reduce((a, b) => a + b, 0)
  let [kept, sum] = [0, 0]
  while (kept < chosen.length && sum < topP * all && chosen[kept] > 0) sum += chosen[kept++]
  return { shares: named.map(({ id }, n) => (n < kept ? weigh(probabilities[id]) / sum : 0)), kept }
}

/** Samples an index from the shares. @param {readonly number[]} shares @param {number} chance uniform number from 0 to 1 */
export function drawn(shares, chance) {
  let left = chance * shares.reduce((a, b) => a + b, 0)
  const at = shares.findIndex(share => {
    left -= share
    return left < 0
  })
  return Math.max(0, at)
}

/**
 * True if a step is to be timed once more. Quick steps are repeated more often, since other work disturbs them more.
 * @param {number} n number of times so far
 * @param {number} begun time of the first start, in milliseconds
 */
const isTimedAgain = (n, begun) => n < TIMES || (n < MOST_TIMES && performance.now() - begun < PATIENCE)

/** Calls `step` several times, and returns the shortest time in milliseconds. @param {() => Promise<unknown>} step */
async function timed(step) {
  let least = Number.POSITIVE_INFINITY
  const begun = performance.now()
  for (let n = 0; isTimedAgain(n, begun); n++) {
    const start = performance.now()
    await step()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/**
 * Computes the candidates for the next word, and the cached keys and values, one row per token. Also measures the time of the next
 * step with the cache, reading only the last token, and without it, reading all tokens.
 * @param {Model} model
 * @param {Used} used
 * @param {AbortSignal} signal
 * @returns {Promise<import('../models.js').NextWord>}
 */
export async function nextWordOf(model, { run, hooks }, signal) {
  const { ids, probabilities } = run
  const { layers, numKvHeads, headDim } = present(model.stacks.decoder)
  const found = largestOf(NAMED)
  for (let id = 0; id < probabilities.length; id++) found.add(id, probabilities[id])
  const named = found.items.map(id => ({ id, token: tokenText(model, id) }))
  /** @type {import('../models.js').NextWord['rows']} */
  const rows = []
  if (ids.length <= MOST_SHOWN) {
    const own = { ...hooks }
    for (let layer = 0; layer < layers; layer++)
      for (const part of ['k', 'v'])
        readAt(own, `${attentionOf('', layer)}${part}`, ({ data, dims }) => {
          rows[layer] = { ...rows[layer], [part]: { data: data.slice(), dims: dims.slice(-2) } }
        })
    await model.forward({ ids }, { hooks: own, logits: 'none', signal })
  }
  const [before, last] = [ids.slice(0, -1), ids.slice(-1)]
  const whole = await timed(() => model.forward({ ids }, { logits: 'last', signal }))
  let cached = Number.POSITIVE_INFINITY
  const begun = performance.now()
  for (let n = 0; isTimedAgain(n, begun); n++) {
    const cache = model.cache({ capacity: ids.length })
    try {
      if (before.length) await model.forward({ ids: before }, { cache, logits: 'none', signal })
      const start = performance.now()
      await model.forward({ ids: last }, { cache, logits: 'last', signal })
      cached = Math.min(cached, performance.now() - start)
    } finally {
      cache.dispose()
    }
  }
  return {
    ids,
    text: hasTokenizer(model) ? model.decode(ids) : ids.join(' '),
    named,
    probabilities,
    rows,
    numKvHeads,
    rowBytes: 2 * 4 * layers * numKvHeads * headDim,
    milliseconds: { cached, whole },
  }
}
