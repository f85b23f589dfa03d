// A run: a model of a task, its optimiser and its data. Step by step, the same bits for the same settings.

import { Adam, parameters, schedule, tape } from 'qkv/train'
import { createEvaluation } from './evaluation.js'
import { hooksOf } from './interventions.js'
import { TASKS } from './tasks/index.js'
import { update } from './training.js'
import { blocksOf, crossForward, initialWeights, layersForward, sinusoids } from './transformer.js'

/** @typedef {import('./tasks/task.js').LearnSettings} LearnSettings */
/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('./transformer.js').Attended} Attended */
/** @typedef {import('./transformer.js').Hooks} Hooks */
/** Weights by name, as they travel and are saved. @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */
/** @typedef {import('../../head/head.js').Change} Change */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

const BETAS = /** @type {const} */ ([0.9, 0.99])
/** The seed of the training data is this much above that of the weights. */
const TRAIN_SEED = 1_000_003

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
  const shape = of.shape(settings, text)
  const blocks = blocksOf(of.stacks.includes('cross'), settings.layers)
  const sizes = blocks.map(block => ({ L: block === 'cross' ? shape.L : shape.T, S: shape.T }))
  const p = parameters(qkv, initialWeights(qkv.generator(settings.seed), settings, shape))
  const optimizer = new Adam(p, { lr: settings.rate, betas: BETAS })
  const total = settings.decay ? settings.steps : undefined
  const rate = schedule(settings.rate, { warmup: settings.warmup, total, least: total && settings.rate / 10 })
  const trainData = () => qkv.generator(settings.seed + TRAIN_SEED)
  const data = trainData()
  const table = { source: sinusoids(shape.T, settings.d), target: sinusoids(shape.L, settings.d) }
  const modelForward = of.stacks.includes('cross') ? crossForward : layersForward
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
    /**
     * The weights of the first sequence, cut to its first rows and columns.
     * @param {Attended} layer
     * @param {number} rows
     * @param {number} columns
     * @returns {{ dims: number[], data: Float32Array }} (H, rows, columns)
     */
    weightsOfFirst(layer, rows, columns) {
      const { data: all, dims } = traceWeights(qkv, firstOf(layer))
      const [H, L, S] = dims.slice(-3)
      const data = new Float32Array(H * rows * columns)
      for (let h = 0; h < H; h++)
        for (let i = 0; i < rows; i++)
          data.set(all.subarray((h * L + i) * S, (h * L + i) * S + columns), (h * rows + i) * columns)
      return { dims: [H, rows, columns], data }
    },
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

/** An attention with its first sequence alone. @param {Attended} layer @returns {Attended} */
export function firstOf({ q, k, v, options }) {
  const own = { ...options }
  if (own.keyLengths) own.keyLengths = own.keyLengths.slice(0, 1)
  return { q: q.slice(0, 0, 1), k: k.slice(0, 0, 1), v: v.slice(0, 0, 1), options: own }
}

/** The weights (B, H, L, S) of an attention. @param {import('qkv').Qkv} qkv @param {Attended} layer */
export function traceWeights(qkv, { q, k, v, options }) {
  const { weights } = qkv.trace(q, k, v, { ...options, keep: ['weights'] })
  return /** @type {FloatTensor} */ (weights)
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

/**
 * The outputs of the heads get parameters of zeros, whose gradients are those of the outputs; from these, dA = dOut V^T.
 * @param {import('qkv').Qkv} qkv
 * @param {object} of
 * @param {LearnSettings} of.settings
 * @param {readonly string[]} of.blocks
 * @param {readonly { L: number }[]} of.sizes
 * @param {Weights} of.state
 * @param {Batch} of.batch
 * @param {(batch: Batch, hooks: Hooks, weights: import('qkv/train').Parameters) => { step: ReturnType<typeof tape>, layers: Attended[] }} of.forward
 */
function gradientsOf(qkv, { settings: { heads, d }, blocks, sizes, state, batch, forward }) {
  const { B, T } = batch
  const size = d / heads
  const outputOf = (/** @type {number} */ layer) => `out.${blocks[layer]}`
  const zeros = Object.fromEntries(
    sizes.map(({ L }, layer) => [outputOf(layer), { data: new Float32Array(B * L * d), dims: [B, L, d] }]),
  )
  const all = parameters(qkv, { ...state, ...zeros })
  try {
    const hooks = /** @type {Hooks} */ ({ output: (t, layer, out) => t.add(out, all.values[outputOf(layer)]) })
    const { step, layers } = forward(batch, hooks, all)
    step.backward()
    const weights = Object.fromEntries(
      Object.keys(state).map(name => {
        const { data, dims } = all.gradients[name]
        return [name, { data: data.slice(), dims: [...dims] }]
      }),
    )
    const length = batch.lengths?.[0] ?? T
    const attention = blocks.map((block, layer) => {
      const { L } = sizes[layer]
      const rows = block === 'cross' ? L : length
      const dOut = all.gradients[outputOf(layer)].data.slice(0, L * d)
      const v = layers[layer].v.data.slice(0, T * d)
      const data = new Float32Array(heads * rows * length)
      for (let h = 0; h < heads; h++) {
        const dA = qkv.linear(headColumns(dOut, rows, d, size, h), headColumns(v, length, d, size, h))
        data.set(dA.data, h * rows * length)
      }
      return { data, dims: [heads, rows, length] }
    })
    const ids = batch.ids.slice(0, T)
    return { loss: step.loss, weights, attention, ids, targets: batch.targets.slice(0, batch.L) }
  } finally {
    all.dispose()
  }
}

/** The columns of one head in the first rows of a matrix (n, d). @param {ArrayLike<number>} data @param {number} rows @param {number} d @param {number} size @param {number} head */
export const headColumns = (data, rows, d, size, head) => ({
  data: Float32Array.from({ length: rows * size }, (_, i) => data[Math.floor(i / size) * d + head * size + (i % size)]),
  dims: [rows, size],
})
