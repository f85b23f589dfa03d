// A run: a model of a task, its optimiser and its data. Step by step, the same bits for the same settings.

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
/** @import { Change } from '../../head/head.js' */
/** Weights by name, as they travel and are saved. @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */

const BETAS = /** @type {const} */ ([0.9, 0.99])
const MOST_NORM = 1
/** The seed of the training data is this much above that of the weights. */
const TRAIN_SEED = 1_000_003

/**
 * One step of training: gradients, clipped to a norm of MOST_NORM, and the optimiser.
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
 * @param {import('qkv').Qkv} qkv
 * @param {string} task
 * @param {Partial<LearnSettings>} [given]
 * @param {string} [text] of a task that learns a text
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
  /** What the reader changed. @type {Hooks} */
  let interventions = {}

  /**
   * Logits and attentions of a batch, and the loss as a step that can go backwards.
   * @param {Batch} batch
   * @param {Hooks} [hooks] default the reader's changes
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
      const copy = logits.data.slice() // the memory may move
      return { loss: step.loss, logits: copy, weights: layers.map(layer => traceWeights(qkv, layer)) }
    },
  })

  /** The mean output of the heads of each layer, where the model answers, without changes. */
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
    /** Takes weights of a file. @param {Weights} state @param {number} at */
    resume(state, at) {
      p.loadStateDict(state)
      steps = at
    },
    /** One step of training. @returns {number} its loss before the step */
    step() {
      const { step } = forward(of.batch(data, shape, settings.batch, 'train'))
      return update(p, optimizer, step, rate(steps++))
    },
    evaluate: evaluation.evaluate,
    /** Accuracy on lengths that are never trained; of a text on its held-out tenth. */
    heldOutAccuracy: evaluation.heldOutAccuracy,
    /** Accuracy of the baseline without attention, on lengths that are trained. */
    baselineAccuracy: () => evaluation.baselineAccuracy(trainData()),
    forward,
    /** Applies the reader's changes of heads from now on. @param {readonly Change[]} changes */
    intervene(changes) {
      interventions = hooksOf(changes, settings, sizes, meansOfHeads)
    },
    /**
     * The gradients of a step: of the weights, and of the attention weights of the first sequence of its batch.
     * @param {Weights} state the weights before the step
     * @param {number} at the step: its batch is drawn again
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
 * @param {readonly Batch[]} batches
 * @param {number} d
 * @param {number} count attentions
 * @param {(batch: Batch) => readonly import('./transformer.js').Part[]} partsOf
 * @returns {Float32Array[]} of each attention, (d)
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
