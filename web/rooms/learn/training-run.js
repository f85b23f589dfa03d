// A run: a model of a task, its optimiser and its data. Step by step, the same bits for the same settings.

import { Adam, parameters, schedule, tape } from 'qkv/train'
import { touchesOf } from './interventions.js'
import { looksNowhere, measure } from './measure.js'
import { blocksOf, RECIPES } from './recipes.js'
import { argmax } from './tasks/batch.js'
import { TARGET_WORDS, toBatch, translationLength } from './tasks/translation.js'
import { update } from './training.js'
import { initialWeights, layersForward, sinusoids, translationForward } from './transformer.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('./tasks/batch.js').Split} Split */
/** @typedef {import('./transformer.js').Attended} Attended */
/** @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */
/** @typedef {import('../../head/cell-changes.js').Change} Change */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {keyof typeof RECIPES} Task */

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

const BETAS = /** @type {const} */ ([0.9, 0.99])
/** Batches of each evaluation, and those that a table of what follows is counted from. */
const EVALUATED = 4
const COUNTED = 40
/** Seeds of the data, apart from those of the weights. */
const SEEDS = { train: 1_000_003, test: 2_000_003 }

/** The largest of a list, and where. @param {number[]} values */
function best(values) {
  const at = values.reduce((best, value, i) => (value > values[best] ? i : best), 0)
  return { at, value: values[at] }
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Task} task
 * @param {Partial<LearnSettings>} [given]
 * @param {string} [text] of the task 'text'
 */
export function createRun(qkv, task, given = {}, text) {
  const recipe = RECIPES[task]
  const settings = { ...recipe.defaults, ...given }
  settings.warmup = Math.min(settings.warmup, settings.steps - 1)
  const shape = recipe.shape(settings, text)
  const blocks = blocksOf(shape.previous !== undefined, settings.layers)
  const sizes = blocks.map(block => ({ L: block === 'cross' ? shape.L : shape.T, S: shape.T }))
  const p = parameters(qkv, initialWeights(qkv.generator(settings.seed), settings, shape))
  const optimizer = new Adam(p, { lr: settings.rate, betas: BETAS })
  const total = settings.decay ? settings.steps : undefined
  const rate = schedule(settings.rate, { warmup: settings.warmup, total, least: total && settings.rate / 10 })
  const trainData = () => qkv.generator(settings.seed + SEEDS.train)
  const data = trainData()
  const waves = { source: sinusoids(shape.T, settings.d), target: sinusoids(shape.L, settings.d) }
  let steps = 0
  /** What the reader changed. @type {import('./transformer.js').Touch[]} */
  let touches = []
  /** @type {{ train: Batch[], heldOut: Batch[] } | undefined} */
  let tests

  /** The sequences of every evaluation. */
  function testBatches() {
    if (tests) return tests
    const generator = qkv.generator(SEEDS.test)
    const draw = (/** @type {Split} */ split) =>
      Array.from({ length: EVALUATED }, () => shape.batch(generator, settings.batch, split))
    tests = { train: draw('train'), heldOut: draw('heldOut') }
    return tests
  }

  /**
   * Logits and attentions of a batch, and the loss as a step that can go backwards.
   * @param {Batch} batch
   * @param {import('qkv/train').Parameters} [of]
   */
  function forward(batch, of = p) {
    /** @type {import('./transformer.js').Forward | undefined} */
    let made
    const { targets, B, L } = batch
    const step = tape(qkv, of, t => {
      made = shape.previous
        ? translationForward(t, of.values, batch, settings, waves, touches)
        : layersForward(t, of.values, batch, settings, recipe.causal, waves, touches)
      return t.crossEntropy(made.logits, { data: targets, dims: [B, L] }, { ignoreIndex: -1 })
    })
    return { step, .../** @type {import('./transformer.js').Forward} */ (made) }
  }

  /** The weights (B, H, L, S) of each attention of the last forward. @param {readonly Attended[]} layers */
  const weightsOf = layers =>
    layers.map(({ q, k, v, options }) => {
      const { weights } = qkv.trace(q, k, v, { ...options, keep: ['weights'] })
      return /** @type {FloatTensor} */ (weights)
    })

  /** @param {Split} split */
  const measured = split =>
    measure({
      batches: testBatches()[split],
      V: shape.outputs,
      forward(batch) {
        const { step, logits, layers } = forward(batch)
        const copy = logits.data.slice() // the memory may move
        return { loss: step.loss, logits: copy, weights: weightsOf(layers) }
      },
    })

  /** The mean output of the heads of each layer, where the model answers, without changes. @returns {Float32Array[]} */
  function meansOfHeads() {
    const before = touches
    touches = []
    const sums = blocks.map(() => new Float64Array(settings.d))
    let counted = 0
    for (const batch of testBatches().train) {
      const parts = forward(batch).parts.filter(({ kind }) => kind === 'attention')
      batch.targets.forEach((target, i) => {
        if (target < 0) return
        counted++
        for (const { layer, x } of parts)
          for (let c = 0; c < settings.d; c++) sums[layer][c] += x.data[i * settings.d + c]
      })
    }
    touches = before
    return sums.map(sum => Float32Array.from(sum, value => value / counted))
  }

  return {
    ...{ task, recipe, settings, shape, blocks, parameters: p },
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
      const { step } = forward(shape.batch(data, settings.batch, 'train'))
      return update(p, optimizer, step, rate(steps++))
    },
    /** @returns {Evaluation} the same sequences each time */
    evaluate() {
      const trained = measured('train')
      const heldOut = measured('heldOut')
      const { heads, loss, accuracy } = trained
      const last = heads[heads.length - 1]
      const previous = best(heads[0].map(score => score.previous))
      const answer = best(last.map(score => score.answer))
      return {
        ...{ loss, accuracy, heads, heldOutLoss: heldOut.loss, heldOutAccuracy: heldOut.accuracy },
        alignment: best(last.map(({ hits }) => hits)).value,
        scores: { previous: previous.value, induction: answer.value },
        best: { previous: previous.at, induction: answer.at },
      }
    },
    /** Accuracy on lengths that are never trained; of the task 'text' on its held-out tenth. */
    heldOutAccuracy: () => measured('heldOut').accuracy,
    /** Accuracy of a model that looks nowhere. */
    looksNowhere() {
      const generator = trainData()
      const seen = Array.from({ length: COUNTED }, () => shape.batch(generator, settings.batch, 'train'))
      return looksNowhere(seen, testBatches().train, shape.outputs)
    },
    forward,
    /**
     * The weights of the first sequence, cut to its first rows and columns.
     * @param {readonly Attended[]} layers
     * @param {number} rows
     * @param {number} columns
     * @returns {{ dims: number[], data: Float32Array }[]} (H, rows, columns)
     */
    weightsOfFirst: (layers, rows, columns) =>
      layers.map(({ q, k, v, options }) => {
        const { keyLengths, ...rest } = options
        const first = keyLengths ? { ...rest, keyLengths: keyLengths.slice(0, 1) } : rest
        const [a, b, c] = [q, k, v].map(x => x.slice(0, 0, 1))
        const { weights } = qkv.trace(a, b, c, { ...first, keep: ['weights'] })
        const { data: all, dims } = /** @type {FloatTensor} */ (weights)
        const [H, L, S] = dims.slice(-3)
        const data = new Float32Array(H * rows * columns)
        for (let h = 0; h < H; h++)
          for (let i = 0; i < rows; i++)
            data.set(all.subarray((h * L + i) * S, (h * L + i) * S + columns), (h * rows + i) * columns)
        return { dims: [H, rows, columns], data }
      }),
    /** Applies the reader's changes of heads from now on. @param {readonly Change[]} changes */
    touch(changes) {
      const needsMeans = changes.some(({ kind, isOn }) => kind === 'mean' && isOn)
      const means = needsMeans ? meansOfHeads() : []
      touches = changes.some(({ isOn }) => isOn) ? touchesOf(changes, settings, sizes, layer => means[layer]) : []
    },
    /**
     * The gradients of a step: of the weights, and of the attention weights of the first sequence of its batch.
     * @param {Weights} state the weights before the step
     * @param {number} at the step: its batch is drawn again
     */
    gradients(state, at) {
      const generator = trainData()
      for (let n = 0; n < at; n++) shape.batch(generator, settings.batch, 'train')
      const batch = shape.batch(generator, settings.batch, 'train')
      const { B, T } = batch
      /** @type {Record<string, import('qkv').TensorLike>} */
      const zeros = Object.fromEntries(
        blocks.map((block, l) => {
          const dims = [B, sizes[l].L, settings.d]
          return [`out.${block}`, { data: new Float32Array(B * sizes[l].L * settings.d), dims }]
        }),
      )
      const before = touches
      touches = []
      const all = parameters(qkv, { ...state, ...zeros })
      try {
        const { step, layers } = forward(batch, all)
        step.backward()
        const weights = Object.fromEntries(
          Object.keys(state).map(name => {
            const { data, dims } = all.gradients[name]
            return [name, { data: data.slice(), dims: [...dims] }]
          }),
        )
        const size = settings.d / settings.heads
        const length = batch.lengths?.[0] ?? T
        const attention = blocks.map((block, l) => {
          const { L } = sizes[l]
          const rows = block === 'cross' ? L : length
          const dOut = all.gradients[`out.${block}`].data.slice(0, L * settings.d)
          const v = layers[l].v.data.slice(0, T * settings.d)
          const data = new Float32Array(settings.heads * rows * length)
          for (let h = 0; h < settings.heads; h++) {
            const part = (/** @type {Float32Array} */ from, /** @type {number} */ n) => ({
              data: Float32Array.from(
                { length: n * size },
                (_, i) => from[Math.floor(i / size) * settings.d + h * size + (i % size)],
              ),
              dims: [n, size],
            })
            // dA = dOut V^T
            data.set(qkv.linear(part(dOut, rows), part(v, length)).data, h * rows * length)
          }
          return { data, dims: [settings.heads, rows, length] }
        })
        return {
          loss: step.loss,
          weights,
          attention,
          ids: batch.ids.slice(0, T),
          targets: batch.targets.slice(0, batch.L),
        }
      } finally {
        touches = before
        all.dispose()
      }
    },
    /**
     * The likeliest word, one after the other; of the task 'translation'.
     * @param {readonly string[]} source words of the grammar
     */
    translate(source) {
      const V = shape.outputs
      /** @type {string[]} */
      const words = []
      const length = translationLength(source)
      while (words.length < length) {
        const target = words.map(word => ({ word, sources: [0] }))
        const { logits } = forward(toBatch([{ source: [...source], target }]))
        words.push(TARGET_WORDS[argmax(logits.data, words.length * V, V)])
      }
      return words
    },
    dispose() {
      optimizer.dispose()
      p.dispose()
    },
  }
}
