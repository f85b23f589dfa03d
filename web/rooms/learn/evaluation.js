// What a run is measured on: the same sequences each time, which are never trained.

import { baselineAccuracy, measure } from './measure.js'

/** @import { Batch, Split } from './tasks/batch.js' */

/**
 * The result of an evaluation, on sequences that were never trained.
 * @typedef {object} Evaluation
 * @property {number} loss in nats, of the lengths that are trained
 * @property {number} accuracy of the lengths that are trained
 * @property {number} heldOutLoss
 * @property {number} heldOutAccuracy of lengths that are never trained
 * @property {number} alignment share of the answers for which the last layer's best head looks most at the right position
 * @property {{ previous: number, induction: number }} scores mean weight on the token before, of the best head of the
 *   first layer; and on the position that answers, of the best head of the last layer
 * @property {{ previous: number, induction: number }} best which heads these are
 * @property {import('./measure.js').HeadScore[][]} heads all of them
 */

/** Batches of each evaluation, and those from which the baseline without attention is counted. */
const EVALUATED = 4
const COUNTED = 40
const SEED = 2_000_003

/** The largest of a list, and where. @param {number[]} values */
function best(values) {
  const at = values.reduce((best, value, i) => (value > values[best] ? i : best), 0)
  return { at, value: values[at] }
}

/**
 * @param {object} given
 * @param {(generator: import('qkv').Generator, split: Split) => Batch} given.draw
 * @param {(seed: number) => import('qkv').Generator} given.generator
 * @param {number} given.V logits of each position
 * @param {Parameters<typeof measure>[0]['forward']} given.forward
 */
export function createEvaluation({ draw, generator, V, forward }) {
  /** The sequences, drawn when they are first needed. @type {Record<Split, Batch[]> | undefined} */
  let drawn
  function batches() {
    if (drawn) return drawn
    const source = generator(SEED)
    const list = (/** @type {Split} */ split) => Array.from({ length: EVALUATED }, () => draw(source, split))
    drawn = { train: list('train'), heldOut: list('heldOut') }
    return drawn
  }
  const measured = (/** @type {Split} */ split) => measure({ batches: batches()[split], V, forward })
  return {
    /** Sequences of the lengths that are trained. */
    trained: () => batches().train,
    heldOutAccuracy: () => measured('heldOut').accuracy,
    /** @returns {Evaluation} */
    evaluate() {
      const { heads, loss, accuracy } = measured('train')
      const heldOut = measured('heldOut')
      const last = heads[heads.length - 1]
      const previous = best(heads[0].map(score => score.previous))
      const answer = best(last.map(score => score.answer))
      return {
        loss,
        accuracy,
        heads,
        heldOutLoss: heldOut.loss,
        heldOutAccuracy: heldOut.accuracy,
        alignment: best(last.map(({ hits }) => hits)).value,
        scores: { previous: previous.value, induction: answer.value },
        best: { previous: previous.at, induction: answer.at },
      }
    },
    /** Accuracy of the baseline without attention, on lengths that are trained. @param {import('qkv').Generator} source of the sequences that it is counted from */
    baselineAccuracy(source) {
      const seen = Array.from({ length: COUNTED }, () => draw(source, 'train'))
      return baselineAccuracy(seen, batches().train, V)
    },
  }
}
