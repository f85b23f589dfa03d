// Creates a run: a model for a task, with its optimiser and its data. The same settings give the same bits at each step.

import { Adam, clipGradNorm, parameters, schedule, tape } from 'qkv/train'
import { traceWeights } from './attention-parts.js'
import { createEvaluation } from './evaluation.js'
import { gradientsOf } from './gradients.js'
import { hooksOf } from './interventions.js'
import { shapeOf, TASKS } from './tasks/index.js'
import { blocksOf, crossForward, initialWeights, layersForward, sinusoids } from './transformer.js'

/** @import { LearnSettings } from './tasks/task.js' */
/** @import { Batch } from './tasks/batch.js' */
/** @import { Hooks } from './transformer.js' */
/** @import { Change } from '../../attention-head/head.js' */
/** Weights by name, as transferred and saved. @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */

/** @type {[number, number]} */
const BETAS = [0.9, 0.99]
const MOST_NORM = 1
/** Offset of the training data's seed from that of the weights. */
const TRAIN_SEED = 1_000_003

/**
 * Performs a training step: computes the gradients, clips their norm to MOST_NORM, and runs the optimiser.
 * @param {import('qkv/train').Parameters} p
 * @param {{ lr: number, step: () => void }} optimizer
 * @param {ReturnType<typeof tape>} taped
 * @param {number} rate
 * @returns {number} loss before the step
 */
export function update(p, optimizer, taped, rate) {
  taped.backward()
  clipGradNorm(p, MOST_NORM)
  optimizer.lr = rate
  optimizer.step()
  return taped.loss
}

/**
 * Creates a run.
 * @param {import('qkv').Qkv} qkv
 * @param {string} task
 * @param {Partial<LearnSettings>} [given]
 * @param {string} [text] for a task that learns a text
 */
export function createRun(qkv, task, given = {}, text) {
  const of = TASKS[task]
  const settings = { ...of.defaults, ...given }
  settings.warmup = Math.min(settings.warmup, settings.steps - 1)
  const shape = shapeOf(of, settings, text)
  const blocks = blocksOf(of.hasCross, settings.layers)
  const sizes = blocks.map(block => ({ L: block === 'cross' ? shape.L : shape.T, S: shape.T }))
  const p = parameters(qkv, initialWeights(qkv.generator(settings.seed), settings, shape))
  const optimizer = new Adam(p, { lr: settings.rate, betas: BETAS })
  const total = settings.decay ? settings.steps : undefined
  const rate = schedule(settings.rate, { warmup: settings.warmup, total, least: total && settings.rate / 10 })
  const trainData = () => qkv.generator(settings.seed + TRAIN_SEED)
  const data = trainData()
  const table = { source: sinusoids(shape.T, settings.d), target: sinusoids(shape.L, settings.d) }
  const modelForward = of.hasCross ? crossForward : layersForward
  let steps = 0
  /** Hooks that apply the reader's changes to heads. @type {Hooks} */
  let interventions = {}

  /**
   * Computes logits, attentions and the loss of a batch. The `step` of the result can run backward.
   * @param {Batch} batch
   * @param {Hooks} [hooks] default: the reader's changes
   * @param {import('qkv/train').Parameters} [weights]
   */
  function forward(batch, hooks = interventions, weights = p) {
    /** @type {import('./transformer.js').Forward | undefined} */
    let made
    const { targets, B, L } = batch
    const step = tape(qkv, weights, t => {
      made = modelForward(t, weights.values, batch, settings, of.isCausal, table, hooks)
      return t.crossEntropy(made.logits, { data: targets, dims: [B, L] }, { ignoreIndex: -1 })
    })
    return { step, .../** @type {import('./transformer.js').Forward} */ (made) }
  }

  const evaluation = createEvaluation({
    draw: (generator, split) => of.batch(generator, shape, settings.batch, split),
    generator: seed => qkv.generator(seed),
    V: shape.outputs,
    forward(batch) {
      const { step, logits, layers } = forward(batch)
      const copy = logits.data.slice() // copy, since WebAssembly memory may be reallocated
      return { loss: step.loss, logits: copy, weights: layers.map(layer => traceWeights(qkv, layer)) }
    },
  })

  /** Returns, for each attention, the mean output of its heads at answering positions, without the reader's changes. */
  const meansOfHeads = () => meansOf(evaluation.trained(), settings.d, blocks.length, batch => forward(batch, {}).parts)

  return {
    task: of,
    settings,
    shape,
    blocks,
    parameters: p,
    get steps() {
      return steps
    },
    /** Loads the weights of a file, so that training continues after step `at`. @param {Weights} state @param {number} at */
    resume(state, at) {
      p.loadStateDict(state)
      steps = at
    },
    /** Performs a training step. @returns {number} loss before the step */
    step() {
      const { step } = forward(of.batch(data, shape, settings.batch, 'train'))
      return update(p, optimizer, step, rate(steps++))
    },
    evaluate: evaluation.evaluate,
    /** Computes the accuracy on held-out lengths, which no training sequence has; for a text, on its held-out tenth. */
    heldOutAccuracy: evaluation.heldOutAccuracy,
    /** Computes the accuracy of the baseline without attention on sequences of training lengths. */
    baselineAccuracy: () => evaluation.baselineAccuracy(trainData()),
    forward,
    /** Applies the reader's changes to heads from now on. @param {readonly Change[]} changes */
    intervene(changes) {
      interventions = hooksOf(changes, settings, sizes, meansOfHeads)
    },
    /**
     * Computes the gradients of the loss at a step: for the model's weights, and for the attention weights of the batch's first sequence.
     * @param {Weights} state weights before the step
     * @param {number} at index of the step, whose batch is drawn again
     */
    gradients(state, at) {
      const generator = trainData()
      for (let n = 0; n < at; n++) of.batch(generator, shape, settings.batch, 'train')
      const batch = of.batch(generator, shape, settings.batch, 'train')
      return gradientsOf(qkv, { settings, blocks, sizes, state, batch, forward })
    },
    dispose() {
      optimizer.dispose()
      p.dispose()
    },
  }
}

/**
 * Computes the mean output of each attention at the answering positions of batches.
 * @param {readonly Batch[]} batches
 * @param {number} d
 * @param {number} count number of attentions
 * @param {(batch: Batch) => readonly import('./transformer.js').Part[]} partsOf
 * @returns {Float32Array[]} for each attention, d numbers
 */
function meansOf(batches, d, count, partsOf) {
  const sums = Array.from({ length: count }, () => new Float64Array(d))
  let counted = 0
  for (const batch of batches) {
    const parts = partsOf(batch).filter(({ kind }) => kind === 'attention')
    for (const [i, target] of batch.targets.entries()) {
      if (target < 0) continue
      counted++
      for (const { layer, x } of parts) for (let c = 0; c < d; c++) sums[layer][c] += x.data[i * d + c]
    }
  }
  return sums.map(sum => Float32Array.from(sum, value => value / counted))
}
