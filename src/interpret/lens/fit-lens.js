// Fits a lens of a decoder on texts: computes the Jacobian lens, or runs the training loop of the tuned lens.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { inTurns } from '../../models/run/turns.js'
import { linearise, pullBack } from '../jacobian/jacobian.js'
import { checkLens, Lens, layersOf, lensStack } from './lens.js'
import { readPositions, readTexts } from './lens-texts.js'
import { learn, tuningSteps } from './tuned-lens.js'

/** @import { LensContent, Parts } from './lens.js' */
/** @import { LensText, PositionOptions, ReadText } from './lens-texts.js' */

/**
 * @typedef {object} OwnFitOptions
 * @property {import('./lens.js').LensKind} [kind] default 'jacobian'
 * @property {readonly number[]} [layers] default: all except the last, whose matrix is the identity
 * @property {number} [passes] number of passes over the texts, for a tuned lens; default 1
 * @property {number} [rate] initial learning rate, for a tuned lens; default 1
 * @property {Lens} [resume] a lens from onProgress, or a Jacobian lens read from a file. The texts it was fitted on must be the first of
 *   `texts`; they are not run again
 * @property {AbortSignal} [signal] aborts the fit; the last lens passed to onProgress contains what was fitted
 * @property {(progress: { done: number, total: number, lens: Lens }) => void} [onProgress] called after each text, in each pass
 *
 * @typedef {PositionOptions & OwnFitOptions} FitLensOptions
 */

/** Default and maximum number of passes of a tuned lens. */
const [PASSES, MOST_PASSES] = [1, 10_000]

/** Maximum rows in a backward batch: positions of the text times vectors. */
const ROWS = 4096

/**
 * Computes the matrix J of each layer for one text: the derivative of the last state at position t' with respect to the layer's output at
 * position t, summed over t' >= t, averaged over t. Only positions that count are used, for t and for t'.
 * @param {Parts} parts
 * @param {ReadText} text
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {number} first
 * @param {Map<number, Float32Array>} matrices by layer, filled in
 * @returns {import('../../models/run/network.js').RunSteps<void>}
 */
function* matricesOf(parts, { input, length: L }, { stack, layers: count, width: d }, first, matrices) {
  const run = yield* linearise(parts, input, stack, 'fitLens')
  const valid = L - 1 - first
  const placeOf = (/** @type {number} */ layer) => `${stack}layers.${layer}.output`
  const to = placeOf(count - 1)
  const from = Array.from(matrices.keys(), placeOf)
  const most = Math.max(1, Math.floor(ROWS / L))
  for (let i = 0; i < d; i += most) {
    const N = Math.min(most, d - i)
    const vectors = new Tensor(new Float32Array(N * L * d), [N, L, d])
    for (let n = 0; n < N; n++) for (let t = first; t < L - 1; t++) vectors.data[(n * L + t) * d + i + n] = 1
    const found = yield* pullBack(run, { to, vectors, from })
    for (const [layer, matrix] of matrices) {
      const { data } = entryOf(found, placeOf(layer))
      for (let n = 0; n < N; n++) {
        const sum = new Float64Array(d)
        for (let t = first; t < L - 1; t++) {
          const at = (n * L + t) * d
          for (let c = 0; c < d; c++) sum[c] += data[at + c]
        }
        for (let c = 0; c < d; c++) matrix[(i + n) * d + c] = sum[c] / valid
      }
    }
  }
}

/** Adds the matrices of a text to those of the lens. @param {LensContent} own @param {Map<number, Float32Array>} matrices @param {number} mark */
function add(own, matrices, mark) {
  for (const [layer, matrix] of matrices) {
    const sum = own.matrices.get(layer) ?? new Float32Array(matrix.length)
    let square = 0
    for (let i = 0; i < matrix.length; i++) {
      sum[i] += matrix[i]
      square += matrix[i] * matrix[i]
    }
    own.matrices.set(layer, sum)
    own.squares?.set(layer, (own.squares.get(layer) ?? 0) + square)
  }
  own.count++
  own.marks?.push(mark)
}

/**
 * Fits a lens of a decoder on texts. The Jacobian lens is the mean, over texts, of the derivative of the last state with respect to each
 * layer's state. The tuned lens is trained on the model's answers.
 * @param {Model} model
 * @param {readonly LensText[]} texts about 100 give a usable lens; published Jacobian lenses use 1,000
 * @param {FitLensOptions} [options]
 * @returns {Promise<Lens>}
 */
export async function fitLens(model, texts, options = {}) {
  const where = 'fitLens'
  const parts = Model.parts(model)
  const known = ['kind', 'layers', 'first', 'maxLength', 'passes', 'rate', 'resume', 'signal', 'onProgress']
  const {
    kind = 'jacobian',
    layers,
    passes,
    rate,
    resume,
    signal,
    onProgress,
    ...given
  } = readOptions(options, known, where)
  if (typeof kind === 'string' && kind.startsWith('logit'))
    throw new RangeError(`${where}: kind: the logit lens needs no fit: readout(model, 'logit', text)`)
  oneOf(kind, ['jacobian', 'tuned'], `${where}: kind`)
  checkSignal(signal, where)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`${where}: onProgress: expected a function, got ${describe(onProgress)}`)
  if (kind === 'jacobian' && (passes ?? rate) !== undefined)
    throw new TypeError(`${where}: ${passes === undefined ? 'rate' : 'passes'} is an option of kind: 'tuned'`)
  const positions = readPositions(kind === 'tuned' ? { first: 0, ...given } : given, where)
  const of = lensStack(parts, where)
  const chosen = readLayers(layers, of.layers, where)
  if (kind === 'tuned' && !parts.weights.hasHead)
    throw new Error(`${where}: this ${parts.family.type} checkpoint has no head, so there are no answers to train on`)
  const all = readTexts(model, parts.family.vocab, texts, positions, where)
  const total =
    all.length * toNumber(passes ?? PASSES, `${where}: passes`, { least: 1, most: MOST_PASSES, whole: true })
  const speed = toNumber(rate ?? 1, `${where}: rate`, { least: 0 })
  const before = resume && checkLens(resume, of, `${where}: resume`)
  if (before) checkResumed(before, { kind, all, layers: chosen, first: positions.first, total, rate: speed }, where)
  const fit = { parts, of, layers: chosen, all, first: positions.first, before, signal, onProgress }
  return kind === 'tuned' ? tuned({ ...fit, total, rate: speed }) : jacobian(fit)
}

/**
 * The checked arguments of a fit.
 * @typedef {object} Fit
 * @property {Parts} parts
 * @property {{ stack: string, layers: number, width: number }} of
 * @property {number[]} layers
 * @property {ReadText[]} all texts
 * @property {number} first
 * @property {LensContent} [before] the fit that is resumed
 * @property {AbortSignal} [signal]
 * @property {FitLensOptions['onProgress']} [onProgress]
 */

/** Copies arrays by layer. @template {Float32Array | Float32Array[]} T @param {Map<number, T>} map @returns {Map<number, T>} */
const copied = map =>
  new Map(
    Array.from(map, ([layer, held]) => [
      layer,
      /** @type {T} */ (Array.isArray(held) ? held.map(one => one.slice()) : held.slice()),
    ]),
  )

/** @param {Fit} fit */
async function jacobian({ parts, of, layers, all, first, before, signal, onProgress }) {
  const { width: d } = of
  /** @type {LensContent} */
  const content = {
    kind: 'jacobian',
    width: d,
    layers: of.layers,
    matrices: before ? copied(before.matrices) : new Map(layers.map(layer => [layer, new Float32Array(d * d)])),
    squares: before && !before.squares ? undefined : new Map(before?.squares),
    count: before?.count ?? 0,
    marks: [...(before?.marks ?? [])],
    first,
  }
  const lens = new Lens(content)
  const ofText = new Map(layers.map(layer => [layer, new Float32Array(d * d)]))
  for (const text of all.slice(content.count)) {
    await inTurns(parts.qkv, parts.alive(matricesOf(parts, text, of, first, ofText)), { signal, layers: of.layers })
    Lens.change(lens, own => add(own, ofText, text.mark))
    onProgress?.({ done: lens.numPrompts, total: all.length, lens })
  }
  return lens
}

/** @param {Fit & { total: number, rate: number }} fit */
async function tuned({ parts, of, layers, all, first, total, rate, before, signal, onProgress }) {
  const { width: d } = of
  const zeros = (/** @type {number} */ size) => new Map(layers.map(layer => [layer, new Float32Array(size)]))
  const momenta = before?.training
    ? copied(before.training.momenta)
    : new Map(layers.map(layer => [layer, [new Float32Array(d * d), new Float32Array(d)]]))
  /** @type {import('./lens.js').Training} */
  const training = { steps: new Map(before?.training?.steps ?? layers.map(layer => [layer, 0])), total, rate, momenta }
  /** @type {LensContent} */
  const content = {
    kind: 'tuned',
    width: d,
    layers: of.layers,
    matrices: before ? copied(before.matrices) : zeros(d * d),
    offsets: before?.offsets ? copied(before.offsets) : zeros(d),
    losses: new Map(before?.losses),
    count: before?.count ?? 0,
    marks: [...(before?.marks ?? [])],
    first,
    training,
  }
  const lens = new Lens(content)
  const translators = new Map(
    layers.map(layer => [
      layer,
      {
        matrix: entryOf(content.matrices, layer),
        offset: /** @type {Float32Array} */ (content.offsets?.get(layer)),
        momenta: entryOf(momenta, layer),
      },
    ]),
  )
  for (;;) {
    const step = Math.min(...training.steps.values())
    if (step === total) return lens
    // All layers, or only the remaining ones if the resumed fit was aborted between two layers.
    const due = new Map([...translators].filter(([layer]) => training.steps.get(layer) === step))
    const text = all[step % all.length]
    const visit = (/** @type {number} */ layer, /** @type {number} */ loss, /** @type {Float32Array[]} */ gradients) =>
      Lens.change(lens, ({ losses }) => {
        learn(entryOf(due, layer), gradients, rate * (1 - step / total))
        const { texts, sum, squares } = (step % all.length && losses?.get(layer)) || { texts: 0, sum: 0, squares: 0 }
        losses?.set(layer, { texts: texts + 1, sum: sum + loss, squares: squares + loss * loss })
        training.steps.set(layer, step + 1)
      })
    await inTurns(parts.qkv, parts.alive(tuningSteps(parts, text, of, due, first, visit)), {
      signal,
      layers: of.layers,
    })
    if (content.count === step && step < all.length) {
      content.count++
      content.marks?.push(text.mark)
    }
    onProgress?.({ done: step + 1, total, lens })
  }
}

/** @param {readonly number[] | undefined} given @param {number} count @param {string} where */
function readLayers(given, count, where) {
  if (count < 2)
    throw new RangeError(`${where}: expected a model of at least 2 layers, as the last needs no lens; got ${count}`)
  if (given === undefined) return Array.from({ length: count - 1 }, (_, layer) => layer)
  if (!Array.isArray(given) || !given.length)
    throw new TypeError(`${where}: layers: expected a list of layers, got ${describe(given)}`)
  for (const [n, layer] of given.entries())
    toNumber(layer, `${where}: layers[${n}]`, { least: 0, most: count - 2, whole: true })
  return [...new Set(given)].sort((a, b) => a - b)
}

/**
 * @param {LensContent} before
 * @param {{ kind: import('./lens.js').LensKind, all: ReadText[], layers: number[], first: number, total: number, rate: number }} asked
 * @param {string} where
 */
function checkResumed(before, { kind, all, layers, first, total, rate }, where) {
  const { count, marks, training } = before
  const fail = (/** @type {string} */ text) => new RangeError(`${where}: resume: ${text}`)
  if (before.kind !== kind) throw fail(`expected a lens of kind ${describe(kind)}, got ${describe(before.kind)}`)
  if (String(layersOf(before)) !== String(layers))
    throw fail(`expected a lens of layers ${layers.join(', ')}; got ${layersOf(before).join(', ')}`)
  if (before.first !== undefined && before.first !== first)
    throw fail(`its positions count from ${before.first}, first is ${first}`)
  if (kind === 'tuned' && !training)
    throw fail('a file has no momenta of the optimiser, so its fit cannot be resumed; give the lens of onProgress')
  if (count > all.length) throw fail(`expected at most as many texts as given, ${all.length}; the lens has ${count}`)
  const instead = kind === 'tuned' ? 'train a lens on all of them' : 'use mergeLenses for other texts'
  if (!marks || marks.length !== count)
    throw fail('this lens has no record of its texts; fit a lens on the other texts and use mergeLenses')
  const other = marks.findIndex((mark, n) => mark !== all[n].mark)
  if (other >= 0) throw fail(`texts[${other}] is not the text that the lens was fitted on; ${instead}`)
  if (training && (training.total !== total || training.rate !== rate))
    throw fail(
      `it was begun with ${training.total} steps at the rate ${training.rate}, got ${total} at ${rate}; as the rate falls to 0 over all steps, keep texts, passes and rate`,
    )
}
