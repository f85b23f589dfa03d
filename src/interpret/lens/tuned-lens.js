// Trains the tuned lens of Belrose et al. 2023: for each layer a map h + W h + b, starting at W = 0 and b = 0. The loss KL(model || lens)
// is differentiated through the model's norm and head. Each text is a step. The optimiser is that of the authors' package: SGD with
// Nesterov momentum, weight decay, and a rate that falls to 0. The gradient norm of a layer is clipped to 1.

import { Tensor } from '../../base/tensor.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { lastNorm, ModelOperations, makeLogits } from '../../models/run/network.js'
import { GradientRecorder } from '../gradients/gradient-recorder.js'
import { throughHead } from '../gradients/model-gradients.js'
import { linearise } from '../jacobian/jacobian.js'

/** @import { Parts } from './lens.js' */

/** Maximum logits per batch. */
const LOGITS = 2 ** 22
const [MOMENTUM, DECAY, MOST_NORM] = [0.9, 1e-3, 1]

/**
 * The map of a layer, stored as its difference from the identity, with the optimiser's momenta.
 * @typedef {{ matrix: Float32Array, offset: Float32Array, momenta: Float32Array[] }} Translator
 */

/**
 * Computes the gradients of the translators for one training step. A step uses one text, and visits one layer after the other.
 * @param {Parts} parts
 * @param {import('./lens-texts.js').ReadText} text
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {ReadonlyMap<number, Translator>} translators by layer
 * @param {number} first the loss is the mean over the positions from this one to the last
 * @param {(layer: number, loss: number, gradients: Float32Array[]) => void} visit receives the gradients of W and b
 * @returns {import('../../models/run/network.js').RunSteps<void>}
 */
export function* tuningSteps(parts, { input, length }, { stack, layers: count, width: d }, translators, first, visit) {
  const { qkv, family, weights } = parts
  const run = yield* linearise(parts, input, stack, 'fitLens')
  const V = family.vocab
  const P = length - first
  const most = Math.max(1, Math.floor(LOGITS / V))
  const starts = Array.from({ length: Math.ceil(P / most) }, (_, n) => n * most)
  const statesOf = (/** @type {number} */ layer, /** @type {number} */ p) => {
    const R = Math.min(most, P - p)
    const { data } = run.kept[layer + 1].h
    return new Tensor(data.slice((first + p) * d, (first + p + R) * d), [1, R, d])
  }
  /** The model's answers in batches of R positions: probabilities (R, V), and entropies (R). */
  const answers = []
  const plain = new ModelOperations(qkv, weights)
  for (const p of starts) {
    answers.push(
      qkv.scope(() => {
        const logits = makeLogits(family, plain, lastNorm(run.spec, stack, plain, statesOf(count - 1, p)))
        const shares = copyOf(qkv.softmax(logits)).data
        return { shares, entropies: crossEntropies(logits.data, shares, shares, V) }
      }),
    )
    yield []
  }
  for (const [layer, { matrix, offset }] of translators) {
    const [dMatrix, dOffset] = [new Float32Array(d * d), new Float32Array(d)]
    let loss = 0
    for (const [n, p] of starts.entries()) {
      const { shares, entropies } = answers[n]
      const h = statesOf(layer, p)
      const R = h.dims[1]
      qkv.scope(() => {
        const shared = { outcomes: new Map(), wanted: new Set(), found: new Map(), learned: new Map() }
        const recorder = new GradientRecorder(qkv, weights, shared)
        const x = recorder.resident(qkv.linear(h, new Tensor(matrix, [d, d]), new Tensor(offset, [d]), { residual: h }))
        const y = lastNorm(run.spec, stack, recorder, x)
        const logits = copyOf(makeLogits(family, recorder, y))
        const own = copyOf(qkv.softmax(logits)).data
        for (const [i, one] of crossEntropies(logits.data, own, shares, V).entries()) loss += (one - entropies[i]) / P
        const dLogits = new Tensor(
          own.map((share, i) => (share - shares[i]) / P),
          [1, R, V],
        )
        throughHead(parts, recorder, shared, y, { logits, dLogits })
        recorder.backward()
        const dX = copyOf(recorder.reachedGradient(x)).reshape([R, d])
        const { data } = qkv.matmul(dX.permute([1, 0]), h.reshape([R, d]))
        for (let i = 0; i < d * d; i++) dMatrix[i] += data[i]
        for (let i = 0; i < R * d; i++) dOffset[i % d] += dX.data[i]
      })
      yield []
    }
    visit(layer, Math.max(0, loss), [dMatrix, dOffset])
  }
}

/**
 * Computes -sum p log q for each row, in nats.
 * @param {Float32Array} logits their softmax is q
 * @param {Float32Array} q
 * @param {Float32Array} p
 * @param {number} V
 */
function crossEntropies(logits, q, p, V) {
  return Array.from({ length: logits.length / V }, (_, i) => {
    const from = i * V
    let best = from
    for (let v = from; v < from + V; v++) if (logits[v] > logits[best]) best = v
    const logSum = logits[best] - Math.log(q[best])
    let sum = 0
    for (let v = from; v < from + V; v++) sum += p[v] * (logSum - logits[v])
    return sum
  })
}

/**
 * Updates a layer by its gradients, like torch.optim.SGD.
 * @param {Translator} translator
 * @param {readonly Float32Array[]} gradients gradients of W and b
 * @param {number} rate
 */
export function learn({ matrix, offset, momenta }, gradients, rate) {
  let square = 0
  for (const gradient of gradients) for (const one of gradient) square += one * one
  const factor = Math.min(1, MOST_NORM / (Math.sqrt(square) + 1e-6)) // like torch.nn.utils.clip_grad_norm_
  for (const [n, to] of [matrix, offset].entries()) {
    const [gradient, momentum] = [gradients[n], momenta[n]]
    for (let i = 0; i < to.length; i++) {
      const g = gradient[i] * factor + DECAY * to[i]
      momentum[i] = MOMENTUM * momentum[i] + g
      to[i] -= rate * (1 - MOMENTUM) * (g + MOMENTUM * momentum[i])
    }
  }
}
