// Evaluates a run, always on the same sequences, which are never trained on.

import { baselineAccuracy, measure } from './measure.js'

/** @import { Batch, Split } from './tasks/batch.js' */

/**
 * Result of an evaluation, on sequences that are never trained on.
 * @typedef {object} Evaluation
 * @property {number} loss in nats, on sequences of training lengths
 * @property {number} accuracy on sequences of training lengths
 * @property {number} heldOutLoss
 * @property {number} heldOutAccuracy on sequences of held-out lengths, which no training sequence has
 * @property {number} alignment share of answers for which the best head of the last layer has its largest weight on the right position
 * @property {{ previous: number, induction: number }} scores previous: mean weight on the previous token, of the best head of the first
 *   layer; induction: mean weight on the position of the answer, of the best head of the last layer
 * @property {{ previous: number, induction: number }} best indices of these heads
 * @property {import('./measure.js').HeadScore[][]} heads scores of all heads
 */

/** Number of batches per evaluation. */
const EVALUATED = 4
/** Number of batches in which the baseline without attention counts targets. */
const COUNTED = 40
const SEED = 2_000_003

/** Returns the largest element and its index. @param {number[]} values */
function best(values) {
  const at = values.reduce((best, value, i) => (value > values[best] ? i : best), 0)
  return { at, value: values[at] }
}

/**
 * Creates the evaluation of a run.
 * @param {object} given
 * @param {(generator: import('qkv').Generator, split: Split) => Batch} given.draw
 * @param {(seed: number) => import('qkv').Generator} given.generator
 * @param {number} given.V number of logits per position
 * @param {Parameters<typeof measure>[0]['forward']} given.forward
 */
export function createEvaluation({ draw, generator, V, forward }) {
  /** The sequences, drawn on first use. @type {Record<Split, Batch[]> | undefined} */
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
    /** Returns the evaluated sequences of training lengths. */
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
    /** Computes the accuracy of the baseline without attention, for training lengths. @param {import('qkv').Generator} source generator of the sequences to count */
    baselineAccuracy(source) {
      const seen = Array.from({ length: COUNTED }, () => draw(source, 'train'))
      return baselineAccuracy(seen, batches().train, V)
    },
  }
}
