// A run: a model of a task, its optimiser and its data. Step by step, the same bits for the same settings.

import { Adam, clipGradNorm, parameters, schedule, tape } from 'qkv/train'
import { initialWeights, layersForward, sinusoids, translationForward } from './model.js'
import { RECIPES } from './recipes.js'
import { TARGET_WORDS, toBatch, translationLength } from './tasks/translation.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('./tasks/batch.js').Split} Split */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {keyof typeof RECIPES} Task */

/**
 * What an evaluation finds, on sequences that no step has seen.
 * @typedef {object} Evaluation
 * @property {number} loss in nats, of the lengths that are trained
 * @property {number} accuracy of the lengths that are trained
 * @property {number} heldOutLoss
 * @property {number} heldOutAccuracy of lengths that are never trained
 * @property {number} alignment share of the answers for which the last layer's best head looks most at the right position
 * @property {{ previous: number, induction: number }} scores mean weight on the token before, of the best head of the
 *   first layer; and on the position that answers, of the best head of the last layer
 * @property {{ previous: number, induction: number }} best which heads these are
 */

const BETAS = /** @type {const} */ ([0.9, 0.99])
const MOST_NORM = 1
/** Batches of each evaluation. */
const EVALUATED = 4
/** Seeds of the data, apart from those of the weights. */
const SEEDS = { train: 1_000_003, test: 2_000_003 }

/** The position of the largest number. @param {Float32Array} data @param {number} from @param {number} n */
function argmax(data, from, n) {
  let best = 0
  for (let i = 1; i < n; i++) if (data[from + i] > data[from + best]) best = i
  return best
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
  const shape = recipe.shape(settings, text)
  const p = parameters(qkv, initialWeights(qkv.generator(settings.seed), settings, shape))
  const optimizer = new Adam(p, { lr: settings.rate, betas: BETAS })
  const total = settings.decay ? settings.steps : undefined
  const rate = schedule(settings.rate, { warmup: settings.warmup, total, least: total && settings.rate / 10 })
  const data = qkv.generator(settings.seed + SEEDS.train)
  const places = { source: sinusoids(shape.T, settings.d), target: sinusoids(shape.L, settings.d) }
  let steps = 0

  /**
   * Logits and attentions of a batch, and the loss as a step that can go backwards.
   * @param {Batch} batch
   */
  function forward(batch) {
    /** @type {import('./model.js').Forward | undefined} */
    let made
    const { targets, B, L } = batch
    const step = tape(qkv, p, t => {
      made = shape.previous
        ? translationForward(t, p.values, batch, settings, places)
        : layersForward(t, p.values, batch, settings, recipe.causal)
      return t.crossEntropy(made.logits, { data: targets, dims: [B, L] }, { ignoreIndex: -1 })
    })
    return { step, .../** @type {import('./model.js').Forward} */ (made) }
  }

  /** The weights (B, H, L, S) of each attention of the last forward. @param {import('./model.js').Attended[]} layers */
  const weightsOf = layers => layers.map(({ q, k, v, options }) => qkv.trace(q, k, v, options).weights)

  /** @param {Split} split @param {import('qkv').Generator} generator */
  function measure(split, generator) {
    let [loss, right, counted, aligned, answers] = [0, 0, 0, 0, 0]
    /** @type {number[]} */
    const previous = new Array(settings.heads).fill(0)
    const onSource = new Array(settings.heads).fill(0)
    const hits = new Array(settings.heads).fill(0)
    for (let n = 0; n < EVALUATED; n++) {
      const batch = shape.batch(generator, settings.batch, split)
      const { step, logits, layers } = forward(batch)
      const { B, L, T, targets, sources, others } = batch
      const V = shape.outputs
      const values = logits.data
      loss += step.loss / EVALUATED
      for (let i = 0; i < B * L; i++) {
        if (targets[i] < 0) continue
        counted++
        if (argmax(values, i * V, V) === targets[i]) right++
      }
      const all = weightsOf(layers)
      const [first, last] = [all[0].data, all[all.length - 1].data]
      const rows = shape.previous ? T : L // of the first attention
      for (let b = 0; b < B; b++)
        for (let h = 0; h < settings.heads; h++) {
          const at = (b * settings.heads + h) * rows * T
          for (let i = 1; i < rows; i++) previous[h] += first[at + i * T + i - 1] / (B * (rows - 1) * EVALUATED)
          for (let i = 0; i < L; i++) {
            const source = sources[b * L + i]
            if (source < 0) continue
            if (h === 0) answers++
            const row = ((b * settings.heads + h) * L + i) * T
            onSource[h] += last[row + source]
            const seen = argmax(last, row, T)
            if (seen === source || seen === others?.[b * L + i]) hits[h]++
          }
        }
    }
    aligned = Math.max(...hits) / (answers || 1)
    const scores = { previous: Math.max(...previous), induction: Math.max(...onSource) / (answers || 1) }
    const best = { previous: previous.indexOf(scores.previous), induction: onSource.indexOf(Math.max(...onSource)) }
    return { loss, accuracy: right / counted, alignment: aligned, scores, best }
  }

  return {
    ...{ task, recipe, settings, shape, parameters: p },
    get steps() {
      return steps
    },
    /** One step of training. @returns {number} its loss before the step */
    step() {
      const { step } = forward(shape.batch(data, settings.batch, 'train'))
      step.backward()
      clipGradNorm(p, MOST_NORM)
      optimizer.lr = rate(steps)
      optimizer.step()
      steps++
      return step.loss
    },
    /** @returns {Evaluation} the same sequences each time */
    evaluate() {
      const generator = qkv.generator(SEEDS.test)
      const trained = measure('train', generator)
      const heldOut = measure('heldOut', generator)
      return { ...trained, heldOutLoss: heldOut.loss, heldOutAccuracy: heldOut.accuracy }
    },
    forward,
    /**
     * The weights of the first sequence, cut to its first rows and columns.
     * @param {readonly import('./model.js').Attended[]} layers
     * @param {number} rows
     * @param {number} columns
     * @returns {{ dims: number[], data: Float32Array }[]} (H, rows, columns)
     */
    weightsOfFirst: (layers, rows, columns) =>
      layers.map(({ q, k, v, options }) => {
        const { keyLengths, ...rest } = options
        const first = keyLengths ? { ...rest, keyLengths: keyLengths.slice(0, 1) } : rest
        const [a, b, c] = [q, k, v].map(x => x.slice(0, 0, 1))
        const { weights } = qkv.trace(a, b, c, first)
        const [H, L, S] = weights.dims.slice(-3)
        const data = new Float32Array(H * rows * columns)
        for (let h = 0; h < H; h++)
          for (let i = 0; i < rows; i++)
            data.set(weights.data.subarray((h * L + i) * S, (h * L + i) * S + columns), (h * rows + i) * columns)
        return { dims: [H, rows, columns], data }
      }),
    /**
     * Multiplies what heads add to the residual stream: their columns of the output weights.
     * @param {Record<string, number>} factors by 'layer.head', both from 0
     */
    scaleHeads(factors) {
      const size = settings.d / settings.heads
      const state = p.stateDict()
      for (const [key, factor] of Object.entries(factors)) {
        const [layer, head] = key.split('.').map(Number)
        const block = shape.previous ? ['encoder', 'cross'][layer] : layer
        const { data } = state[`${block}.o`]
        for (let row = 0; row < settings.d; row++)
          for (let i = head * size; i < (head + 1) * size; i++) data[row * settings.d + i] *= factor
      }
      p.loadStateDict(state)
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
        const pairs = Array.from({ length: settings.batch }, () => ({ source: [...source], target }))
        const { logits } = forward(toBatch(pairs))
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
