// How everything here is trained: the tasks of the room, and the models that ship with the page.

import { AdamW, clipGradNorm, parameters, schedule, tape } from 'qkv/train'

/** @typedef {import('qkv').FloatTensor} FloatTensor */
/** @typedef {Record<string, FloatTensor>} Weights */

const MOST_NORM = 1
const BETAS = /** @type {const} */ ([0.9, 0.98])

/**
 * One step: gradients, clipped, and the optimiser.
 * @param {import('qkv/train').Parameters} p
 * @param {{ lr: number, step: () => void }} optimizer
 * @param {ReturnType<typeof tape>} taped
 * @param {number} rate
 * @returns {number} the loss before the step
 */
export function update(p, optimizer, taped, rate) {
  taped.backward()
  clipGradNorm(p, MOST_NORM)
  optimizer.lr = rate
  optimizer.step()
  return taped.loss
}

/**
 * A whole training with AdamW and a cosine.
 * @param {import('qkv').Qkv} qkv
 * @param {Weights} weights at first
 * @param {{ steps: number, rate: number, decay: number, warmup: number }} settings
 * @param {(step: number) => (t: import('qkv/train').Tape, p: Weights) => FloatTensor} lossOf draws the batch of a step
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
