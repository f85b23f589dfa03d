// Measures a language model of ledgers at short and long distances, and the role of each head, with the public calls of qkv/models.

import { loadModel } from 'qkv/models'
import { KINDS, LEDGER_WORDS, ledgerBatch } from './ledger-text.js'

/** @import { Kind } from './ledger-text.js' */
/** @typedef {{ right: number, all: number }} Tally */

/** Seeds for drawing ledgers that training does not use. `choice`: for choosing settings and seed; `test`: for measuring the result. */
const SEEDS = { choice: 2_000_003, test: 3_000_003 }
/** A word's source (see Mark) is far if it lies more than this number of words before it. */
export const FAR = 1000
const KIND_NAMES = /** @type {Kind[]} */ (Object.keys(KINDS))
const V = LEDGER_WORDS.length

/** @param {import('qkv').Qkv} qkv @param {number} count @param {number} T @param {keyof typeof SEEDS} set */
export function unseenLedgers(qkv, count, T, set) {
  const generator = qkv.generator(SEEDS[set])
  return Array.from({ length: count }, () => {
    const { ledgers, ids } = ledgerBatch(generator, 1, T)
    return { ids, marks: ledgers[0].marks }
  })
}

/** Returns the id of the most likely word. @param {Float32Array} logits one row */
function answerOf(logits) {
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id
  return best
}

/** @param {Tally} tally */
const share = ({ right, all }) => (all ? right / all : null)

/** Creates counters of right answers, by kind and by whether the source is far. */
function tallies() {
  const of = () => Object.fromEntries(KIND_NAMES.map(kind => [kind, { right: 0, all: 0 }]))
  const [near, far] = [of(), of()]
  return {
    add: (/** @type {import('./ledger-text.js').Mark} */ { at, kind, source }, /** @type {boolean} */ isRight) => {
      const own = (at - source > FAR ? far : near)[kind]
      own.all++
      if (isRight) own.right++
    },
    accuracy: () => {
      const all = KIND_NAMES.map(kind => far[kind])
      const sum = all.reduce((a, b) => ({ right: a.right + b.right, all: a.all + b.all }), { right: 0, all: 0 })
      const shares = (/** @type {Record<string, Tally>} */ each) =>
        Object.fromEntries(KIND_NAMES.map(kind => [kind, share(each[kind])]))
      return { farther: share(sum), links: sum.all, near: shares(near), far: shares(far) }
    },
  }
}

/**
 * @typedef {object} LedgerHead
 * @property {number} layer
 * @property {number} head
 * @property {number} previous mean weight on the previous word
 * @property {number} first mean weight on the first word
 * @property {number} sink mean weight that words without anything to look up put on the first word
 * @property {Record<Kind, number>} weight by kind: mean weight from the word before an answer to the earlier words with the same answer
 * @property {Record<Kind, number>} cost by kind: loss of accuracy when the head's output is zero
 */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Parameters<typeof loadModel>[1]} source
 * @param {{ ledgers?: number, set?: keyof typeof SEEDS, T?: number, withHeads?: boolean }} [options]
 */
export async function ledgerFigures(qkv, source, { ledgers: count = 24, set = 'test', T, withHeads = true } = {}) {
  const model = await loadModel(qkv, source)
  try {
    const length = T ?? Number(model.config.max_position_embeddings)
    const ledgers = unseenLedgers(qkv, count, length, set)
    /** @param {Record<string, number>} [hooks] */
    const run = hooks => {
      const found = tallies()
      for (const { ids, marks } of ledgers) {
        const { logits } = model.forwardSync({ ids }, { hooks })
        const { data } = /** @type {import('qkv').FloatTensor} */ (logits)
        for (const mark of marks) {
          const row = mark.at - 1
          if (mark.at < ids.length) found.add(mark, answerOf(data.subarray(row * V, (row + 1) * V)) === ids[mark.at])
        }
      }
      return found.accuracy()
    }
    const whole = { length, ledgers: count, ...run() }
    if (!withHeads) return { ...whole, heads: [] }
    const { layers, numHeads } = /** @type {{ layers: number, numHeads: number }} */ (model.stacks.decoder)
    /** @type {LedgerHead[]} */
    const figures = []
    const texts = ledgers.slice(0, Math.ceil(count / 4))
    const weights = weightsOf(model, texts)
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < numHeads; head++) {
        const without = run({ [`layers.${layer}.heads.${head}`]: 0 })
        const cost = KIND_NAMES.map(kind => [kind, (whole.near[kind] ?? 0) - (without.near[kind] ?? 0)])
        figures.push({ layer, head, ...weights(layer, head), cost: Object.fromEntries(cost) })
      }
    return { ...whole, texts: texts.length, heads: figures }
  } finally {
    model.dispose()
  }
}

/**
 * Returns a function that measures the attention of a head. It reads the weights in windows of 128 rows.
 * @param {Awaited<ReturnType<typeof loadModel>>} model
 * @param {ReturnType<typeof unseenLedgers>} ledgers
 */
function weightsOf(model, ledgers) {
  const runs = ledgers.map(({ ids, marks }) => ({
    ids,
    marks,
    summaries: model.forwardSync({ ids }, { keep: ['attentionSummaries'], summary: {}, logits: 'none' })
      .attentionSummaries,
  }))
  return (/** @type {number} */ layer, /** @type {number} */ head) => {
    let [previous, first, rows, sink, idle] = [0, 0, 0, 0, 0]
    const on = Object.fromEntries(KIND_NAMES.map(kind => [kind, { right: 0, all: 0 }]))
    for (const { ids, marks, summaries } of runs) {
      const { window } = /** @type {import('qkv/models').AttentionSummary} */ (summaries[layer])
      const n = ids.length
      const asked = new Map(marks.map(mark => [mark.at - 1, mark]))
      for (let from = 0; from < n; from += 128) {
        const { data } = window({ head, rows: [from, Math.min(n, from + 128)] })
        for (let i = Math.max(1, from); i < Math.min(n, from + 128); i++) {
          const row = data.subarray((i - from) * n, (i - from + 1) * n)
          previous += row[i - 1]
          first += row[0]
          rows++
          const mark = asked.get(i)
          if (!mark) {
            sink += row[0]
            idle++
            continue
          }
          const { kind, source } = mark
          on[kind].all++
          // The answer is the thing that the name keeps. It follows each earlier mention of the name.
          if (kind === 'thing') for (let j = 1; j < i; j++) on[kind].right += ids[j - 1] === ids[i] ? row[j] : 0
          else on[kind].right += row[source]
        }
      }
    }
    const weight = /** @type {Record<Kind, number>} */ (
      Object.fromEntries(KIND_NAMES.map(kind => [kind, share(on[kind]) ?? 0]))
    )
    return { previous: previous / rows, first: first / rows, sink: sink / idle, weight }
  }
}
