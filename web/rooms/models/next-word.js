// What can come next: the probabilities of a run after temperature, top-k and top-p, and what the cache of keys and values holds for
// the step. No DOM.

import { largestOf } from '../../elements/largest.js'
import { attentionOf, readAt } from './hooks.js'
import { hasTokenizer, tokenText } from './read-text.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./session-runs.js').Used} Used */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

/** Candidates whose words are sent, and how often a step is timed. */
export const NAMED = 50
const TIMES = 3
/** Texts up to so many tokens show the numbers of the cache. */
const MOST_SHOWN = 256

/**
 * The shares of the named candidates among those that remain, as `generate` of qkv/models draws them: among the topK likeliest, of these
 * among the likeliest whose shares sum to topP.
 * @param {Float32Array} probabilities of all tokens, in the order of their ids
 * @param {readonly { id: number }[]} named the likeliest, in their order
 * @param {{ temperature: number, topK: number, topP: number }} cut topK NAMED: all
 * @returns {{ shares: number[], kept: number }} kept: how many remain of all
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

/** Draws the place of one of the shares. @param {readonly number[]} shares @param {number} chance from 0 to 1 */
export function drawn(shares, chance) {
  let left = chance * shares.reduce((a, b) => a + b, 0)
  const at = shares.findIndex(share => {
    left -= share
    return left < 0
  })
  return Math.max(0, at)
}

/** The least milliseconds of some calls. @param {() => Promise<unknown>} step */
async function timed(step) {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < TIMES; n++) {
    const start = performance.now()
    await step()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/**
 * The step after a run: its candidates; the keys and values that a cache holds for it, a row a token; and the time it takes with
 * that cache, where the last token alone is read, and without, where all are.
 * @param {Model} model
 * @param {Used} used
 * @param {AbortSignal} signal
 * @returns {Promise<import('./models.js').NextWord>}
 */
export async function nextWordOf(model, { run, hooks }, signal) {
  const { ids, probabilities } = run
  const { layers, kvHeads, headDim } = /** @type {NonNullable<Model['stacks']['decoder']>} */ (model.stacks.decoder)
  const found = /** @type {typeof largestOf<number>} */ (largestOf)(NAMED)
  for (let id = 0; id < probabilities.length; id++) found.add(id, probabilities[id])
  const named = found.items.map(id => ({ id, token: tokenText(model, id) }))
  /** @type {import('./models.js').NextWord['rows']} */
  const rows = []
  if (ids.length <= MOST_SHOWN) {
    const own = { ...hooks }
    for (let layer = 0; layer < layers; layer++)
      for (const part of /** @type {const} */ (['k', 'v']))
        readAt(own, `${attentionOf('', layer)}${part}`, ({ data, dims }) => {
          rows[layer] = /** @type {any} */ ({ ...rows[layer], [part]: { data: data.slice(), dims: dims.slice(-2) } })
        })
    await model.forward({ ids }, { hooks: /** @type {any} */ (own), logits: 'none', signal })
  }
  const [before, last] = [ids.slice(0, -1), ids.slice(-1)]
  const whole = await timed(() => model.forward({ ids }, { logits: 'last', signal }))
  let cached = Number.POSITIVE_INFINITY
  for (let n = 0; n < TIMES; n++) {
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
    kvHeads,
    rowBytes: 2 * 4 * layers * kvHeads * headDim,
    milliseconds: { cached, whole },
  }
}
