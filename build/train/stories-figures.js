// Measures a language model of stories, and the role of each head, with the public calls of qkv/models.

import { loadModel } from 'qkv/models'
import { GIRLS, KINDS, STORY_WORDS, storyBatch } from './stories-text.js'

/** @import { Kind } from './stories-text.js' */
/** @typedef {Record<Kind, number>} ByKind */

/** Seeds for drawing stories that training does not use. `choice`: for choosing settings and seed; `test`: for measuring the result. */
const SEEDS = { choice: 2_000_003, test: 3_000_003 }
/** Stories per forward pass. */
const ROWS = 32
const KIND_NAMES = /** @type {Kind[]} */ (Object.keys(KINDS))
const GIRL_NAMES = new Set(GIRLS)
const [SHE, HE, HER, HIS] = ['she', 'he', 'her', 'his'].map(word => STORY_WORDS.indexOf(word))

/** @param {import('qkv').Qkv} qkv @param {number} count @param {number} T @param {keyof typeof SEEDS} set */
export function unseenStories(qkv, count, T, set) {
  const generator = qkv.generator(SEEDS[set])
  const batches = []
  for (let n = 0; n < count; n += ROWS) {
    const B = Math.min(ROWS, count - n)
    batches.push({ B, T, ...storyBatch(generator, B, T) })
  }
  return batches
}

/** @param {(kind: Kind) => number} value @returns {ByKind} */
const byKind = value => /** @type {ByKind} */ (Object.fromEntries(KIND_NAMES.map(kind => [kind, value(kind)])))

/** Creates counters of right answers by kind. */
function tally() {
  const right = byKind(() => 0)
  const all = byKind(() => 0)
  return {
    all,
    add: (/** @type {Kind} */ kind, /** @type {boolean} */ isRight) => {
      all[kind]++
      if (isRight) right[kind]++
    },
    shares: () => byKind(kind => right[kind] / all[kind]),
  }
}

/** Returns the id of the answer: the likelier of "her" and "his" for kind "gender", the most likely word for all others. @param {Float32Array} logits one row @param {Kind} kind */
function answerOf(logits, kind) {
  if (kind === 'gender') return logits[HER] > logits[HIS] ? HER : HIS
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id
  return best
}

/**
 * Returns the loss, the lowest possible loss, and the accuracy by kind.
 * @param {(batch: ReturnType<typeof unseenStories>[number]) => Float32Array} logitsOf (B, T, vocabulary)
 * @param {ReturnType<typeof unseenStories>} batches
 */
export function measure(logitsOf, batches) {
  const V = STORY_WORDS.length
  const kinds = tally()
  let [loss, floor, words] = [0, 0, 0]
  for (const batch of batches) {
    const { B, T, stories, targets } = batch
    const logits = logitsOf(batch)
    for (let row = 0; row < B * T; row++) {
      const values = logits.subarray(row * V, (row + 1) * V)
      const most = values.reduce((a, b) => Math.max(a, b))
      loss += most - values[targets[row]] + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0))
    }
    words += B * T
    for (const [b, { logProbabilities, marks }] of stories.entries()) {
      for (const value of logProbabilities.slice(1)) floor -= value
      for (const { at, kind } of marks) {
        const row = b * T + at - 1
        kinds.add(kind, answerOf(logits.subarray(row * V, (row + 1) * V), kind) === targets[row])
      }
    }
  }
  return { loss: loss / words, floor: floor / words, accuracy: kinds.shares() }
}

/**
 * @typedef {object} HeadFigures
 * @property {number} layer
 * @property {number} head
 * @property {number} previous mean weight on the previous token
 * @property {number} first mean weight on the first token
 * @property {ByKind} weight by kind: mean weight from the word before an answer to the earlier positions with this answer
 * @property {ByKind} behind by kind: mean weight from the word before an answer to the tokens right after those positions, to which a
 *   previous-token head has copied the answer
 * @property {number} antecedent mean weight of "she" and "he" on the earlier positions of the name that they stand for
 * @property {ByKind} cost by kind: loss of accuracy when the head's output is zero
 */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Parameters<typeof loadModel>[1]} source
 * @param {{ stories?: number, set?: keyof typeof SEEDS }} [options]
 */
export async function storiesFigures(qkv, source, { stories = 256, set = 'test', ...options } = {}) {
  const model = await loadModel(qkv, source, options)
  try {
    const T = Number(model.config.max_position_embeddings)
    const batches = unseenStories(qkv, stories, T, set)
    /** @param {Record<string, number>} [hooks] */
    const run = hooks =>
      measure(({ B, ids }) => {
        const { logits } = model.forwardSync({ ids: { data: ids, dims: [B, T] } }, { hooks })
        return /** @type {import('qkv').FloatTensor} */ (logits).data
      }, batches)
    const whole = run()
    const maps = batches.map(({ B, ids }) =>
      model
        .forwardSync({ ids: { data: ids, dims: [B, T] } }, { keep: ['attentions'], logits: 'none' })
        .attentions.map(map => /** @type {import('qkv').FloatTensor} */ (map).data.slice()),
    )
    const { layers, numHeads } = /** @type {{ layers: number, numHeads: number }} */ (model.stacks.decoder)
    /** @type {HeadFigures[]} */
    const figures = []
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < numHeads; head++) {
        const without = run({ [`layers.${layer}.heads.${head}`]: 0 }).accuracy
        figures.push({
          layer,
          head,
          ...weightsOf(
            batches,
            maps.map(of => of[layer]),
            head,
            numHeads,
          ),
          cost: byKind(kind => whole.accuracy[kind] - without[kind]),
        })
      }
    return { ...whole, texts: stories, heads: figures }
  } finally {
    model.dispose()
  }
}

/**
 * Measures where a head attends: returns the mean weights that HeadFigures describes.
 * @param {ReturnType<typeof unseenStories>} batches
 * @param {Float32Array[]} maps (B, heads, T, T) for each batch
 * @param {number} head
 * @param {number} heads
 */
function weightsOf(batches, maps, head, heads) {
  const on = byKind(() => 0)
  const behind = byKind(() => 0)
  const all = byKind(() => 0)
  let [previous, first, rows, antecedent, pronouns] = [0, 0, 0, 0, 0]
  for (const [n, { B, T, stories, ids }] of batches.entries())
    for (let b = 0; b < B; b++) {
      const row = (/** @type {number} */ i) => maps[n].subarray(((b * heads + head) * T + i) * T).subarray(0, T)
      const sum = (/** @type {number} */ i, /** @type {number[]} */ keys) =>
        keys.reduce((total, j) => total + row(i)[j], 0)
      for (let i = 1; i < T; i++) {
        previous += row(i)[i - 1]
        first += row(i)[0]
        rows++
      }
      const { words, marks } = stories[b]
      for (const { at, kind, sources } of marks) {
        on[kind] += sum(at - 1, sources)
        const next = sources.map(i => i + 1).filter(i => i < at && !sources.includes(i))
        behind[kind] += sum(at - 1, next)
        all[kind]++
      }
      const names = [words[1], words[3]]
      for (let i = 4; i < T; i++) {
        const id = ids[b * T + i]
        if (id !== SHE && id !== HE) continue
        const name = names.find(name => GIRL_NAMES.has(name) === (id === SHE))
        antecedent += sum(
          i,
          words.flatMap((word, j) => (word === name && j < i ? j : [])),
        )
        pronouns++
      }
    }
  return {
    previous: previous / rows,
    first: first / rows,
    antecedent: antecedent / pronouns,
    weight: byKind(kind => on[kind] / all[kind]),
    behind: byKind(kind => behind[kind] / all[kind]),
  }
}
