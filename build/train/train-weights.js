// Trains the models that ship with the page: their common training loop.

import { AdamW, parameters, schedule, tape } from 'qkv/train'
import { update } from '../../web/rooms/learn/training-run.js'

/** @import { FloatTensor } from 'qkv' */
/** @typedef {Record<string, FloatTensor>} Weights */

const BETAS = /** @type {const} */ ([0.9, 0.98])

/**
 * Trains a model with AdamW and a cosine schedule.
 * @param {import('qkv').Qkv} qkv
 * @param {Weights} weights initial weights
 * @param {{ steps: number, rate: number, decay: number, warmup: number }} settings
 * @param {(step: number) => (t: import('qkv/train').Tape, p: Weights) => FloatTensor} lossOf draws the batch of a step, and returns its
 *   loss
 * @param {(step: number, loss: number) => void} [onStep]
 * @returns {Weights}
 */
export function train(qkv, weights, { steps, rate, decay, warmup }, lossOf, onStep) {
  const p = parameters(qkv, weights)
  const noDecay = Object.keys(weights).filter(name => /norm|bias$/.test(name))
  const optimizer = new AdamW(p, { lr: rate, betas: BETAS, weightDecay: decay, noDecay })
  const rateOf = schedule(rate, { warmup, total: steps, least: rate / 20 })
  try {
    for (let step = 0; step < steps; step++) {
      const output = lossOf(step)
      const taped = tape(qkv, p, t => output(t, p.values), { finite: true })
      const loss = update(p, optimizer, taped, rateOf(step))
      onStep?.(step + 1, loss)
    }
    return p.stateDict()
  } finally {
    optimizer.dispose()
    p.dispose()
  }
}
