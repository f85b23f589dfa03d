// Reads the states h of a text through a lens: softmax(unembed(norm(J h))), with the layer's matrix J and the model's norm, head and
// softcap. The last layer's matrix is the identity, so its row is the model's answer. If all are the identity, this is the logit lens.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { lastNorm, ModelOperations, makeLogits } from '../../models/run/network.js'
import { inTurns } from '../../models/run/turns.js'
import { launch } from '../../ops/launch.js'
import { READ_LOGITS_STRUCT } from '../../ops/nn-abi.js'
import { expectCore } from '../../runtime/core-of.js'
import { writeStruct } from '../../runtime/structs.js'
import { inputOf } from '../input-of.js'
import { enteredStates } from '../jacobian/entered-states.js'
import { checkLens, expectBefore, Lens, lensStack } from './lens.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @typedef {ReturnType<typeof Model.parts>} Parts */

/**
 * @typedef {object} ReadoutOptions
 * @property {readonly number[]} [layers] default: the layers of the lens, then the last layer; for 'logit', all layers
 * @property {readonly number[]} [positions] counted from the end if negative; default: all
 * @property {number} [topK] number of most likely tokens per state, default 10
 * @property {readonly (number | string)[]} [tokens] tokens whose ranks and probabilities to return: ids, or texts that are one token each
 * @property {boolean} [logits] true also returns all logits, (layers, positions, V) floats; default false
 * @property {import('../../models/model.js').Hooks} [hooks]
 * @property {AbortSignal} [signal]
 *
 * The readout of P states in each of N layers.
 * @typedef {object} LensReadout
 * @property {number[]} layers (N)
 * @property {number[]} positions (P)
 * @property {number[]} ids of the text
 * @property {Tensor<Int32Array>} topIds (N, P, K), in descending order of probability
 * @property {FloatTensor} topProbabilities (N, P, K)
 * @property {FloatTensor} entropy (N, P) in nats
 * @property {FloatTensor} kl (N, P), KL(model || lens) in nats: how far the lens is from the model's answer
 * @property {Tensor<Int32Array>} [ranks] (tokens, N, P): number of tokens that are more likely
 * @property {FloatTensor} [probabilities] (tokens, N, P)
 * @property {FloatTensor} [logits] (N, P, V)
 */

/** Maximum logits per batch, computed in one product with the head. */
const LOGITS = 2 ** 24

/**
 * Returns what a lens reads from the state of each layer at each position: the most likely tokens, the entropy, the distance to the model's
 * answer.
 * @param {Model} model a decoder
 * @param {Lens | 'logit'} lens
 * @param {string | ModelInput} input as in forward: a single text
 * @param {ReadoutOptions} [options]
 * @returns {Promise<LensReadout>}
 */
export async function readout(model, lens, input, options = {}) {
  const where = 'readout'
  const parts = Model.parts(model)
  const known = ['layers', 'positions', 'topK', 'tokens', 'logits', 'hooks', 'signal']
  const { signal, ...given } = readOptions(options, known, where)
  checkSignal(signal, where)
  if (given.logits !== undefined) toBoolean(given.logits, `${where}: logits`)
  const of = lensStack(parts, where)
  if (!parts.weights.hasHead)
    throw new Error(`${where}: this ${parts.family.type} checkpoint has no head, so states predict no words`)
  if (lens !== 'logit') checkLens(lens, of, `${where}: lens`)
  const V = parts.family.vocab
  const layers = given.layers ?? [...layersOf(lens, of.layers), of.layers - 1]
  checkList(layers, `${where}: layers`, 0, of.layers - 1)
  if (lens !== 'logit') for (const layer of layers) if (layer < of.layers - 1) lens.matrix(layer)
  const tokens = given.tokens === undefined ? undefined : tokensOf(parts, given.tokens, `${where}: tokens`)
  const K = toNumber(given.topK ?? 10, `${where}: topK`, { least: 1, most: V, whole: true })
  const wanted = { ...given, tokens, layers, K }
  expectBefore(given.hooks, of, where)
  const run = parts.alive(steps(parts, lens, inputOf(input, where), of, wanted))
  return inTurns(parts.qkv, run, { signal, layers: of.layers })
}

/** @param {Lens | 'logit'} lens @param {number} count */
const layersOf = (lens, count) =>
  lens === 'logit' ? Array.from({ length: count - 1 }, (_, l) => l) : lens.sourceLayers

/** @param {unknown} list @param {string} where @param {number} least @param {number} most */
function checkList(list, where, least, most) {
  if (!Array.isArray(list) || !list.length)
    throw new TypeError(`${where}: expected a list of numbers, got ${describe(list)}`)
  for (const [n, one] of Array.from(list).entries()) toNumber(one, `${where}[${n}]`, { least, most, whole: true })
}

/** Returns the ids of tokens. @param {Parts} parts @param {unknown} list ids, or texts that are one token each @param {string} where @returns {number[]} */
function tokensOf(parts, list, where) {
  if (!Array.isArray(list) || !list.length)
    throw new TypeError(`${where}: expected a list of tokens, got ${describe(list)}`)
  return Array.from(list, (token, n) => parts.tokenOf(token, `${where}[${n}]`))
}

/**
 * @param {Parts} parts
 * @param {Lens | 'logit'} lens
 * @param {string | ModelInput} input
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {Omit<ReadoutOptions, 'layers' | 'topK' | 'tokens'> & { layers: readonly number[], K: number, tokens: number[] | undefined }} wanted
 * @returns {import('../../models/run/network.js').RunSteps<LensReadout>}
 */
function* steps(parts, lens, input, { stack, layers: count, width: d }, { layers, K, tokens, hooks, ...wanted }) {
  const { qkv, family, weights } = parts
  const run = yield* enteredStates(parts, input, stack, 'readout', { hooks })
  const L = run.kept[0].h.dims[1]
  if (wanted.positions !== undefined) checkList(wanted.positions, 'readout: positions', -L, L - 1)
  const positions = (wanted.positions ?? Array.from({ length: L }, (_, i) => i)).map(at => (at + L) % L)
  const [N, P, V] = [layers.length, positions.length, family.vocab]
  const floats = (/** @type {number[]} */ ...dims) =>
    new Tensor(new Float32Array(dims.reduce((a, b) => a * b, 1)), dims)
  const ints = (/** @type {number[]} */ ...dims) => new Tensor(new Int32Array(dims.reduce((a, b) => a * b, 1)), dims)
  /** @type {LensReadout} */
  const out = {
    layers: [...layers],
    positions,
    ids: [...run.kept[0].own.call.read.ids],
    topIds: ints(N, P, K),
    topProbabilities: floats(N, P, K),
    entropy: floats(N, P),
    kl: floats(N, P),
    ...(tokens && { ranks: ints(tokens.length, N, P), probabilities: floats(tokens.length, N, P) }),
    ...(wanted.logits && { logits: floats(N, P, V) }),
  }
  const ops = new ModelOperations(qkv, weights)
  /** Layers to read: the last layer first, since the others are compared with it. */
  const order = [...new Set([count - 1, ...layers])]
  const step = Math.max(1, Math.floor(LOGITS / V / order.length))
  for (let p = 0; p < P; p += step) {
    const rows = positions.slice(p, p + step)
    qkv.scope(() => {
      const x = qkv.alloc([1, order.length * rows.length, d])
      for (const [n, layer] of order.entries()) {
        const { data } = run.kept[layer + 1].h
        const states = new Float32Array(rows.length * d)
        for (const [i, at] of rows.entries()) states.set(data.subarray(at * d, (at + 1) * d), i * d)
        const h = new Tensor(states, [rows.length, d])
        const carried =
          lens === 'logit' || layer === count - 1 ? h : qkv.linear(h, lens.matrix(layer), lens.offset(layer))
        x.data.set(carried.data, n * states.length)
      }
      // The logits stay in the module's memory: copying them would take a tenth of the time of their product.
      const logits = makeLogits(family, ops, lastNorm(run.spec, stack, ops, x), { resident: true })
      const read = readLogits(qkv, logits, rows.length, K)
      for (const [i, answer] of read.slice(0, rows.length).entries()) {
        for (const [n, layer] of layers.entries()) {
          const own = read[order.indexOf(layer) * rows.length + i]
          const at = n * P + p + i
          out.kl.data[at] = Math.max(0, answer.cross - own.cross + own.logSum - answer.logSum)
          out.entropy.data[at] = own.entropy
          out.topIds.data.set(own.top, at * K)
          for (const [k, id] of own.top.entries()) out.topProbabilities.data[at * K + k] = own.share(id)
          out.logits?.data.set(own.logits, at * V)
          for (const [t, id] of (tokens ?? []).entries()) {
            const { ranks, probabilities } = /** @type {Required<LensReadout>} */ (out)
            ranks.data[(t * N + n) * P + p + i] = rankOf(own.logits, id)
            probabilities.data[(t * N + n) * P + p + i] = own.share(id)
          }
        }
      }
    })
    yield []
  }
  return out
}

/**
 * Returns for each row of logits its most likely tokens, its entropy, and two sums from which a KL divergence is computed. `logSum` is
 * log(sum(exp(logits - maximum))). `cross` of row r is sum(p * (logits - maximum)), where p are the probabilities of row r % answers.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {FloatTensor} logits (1, rows, V)
 * @param {number} answers the first `answers` rows are those of the model's answer
 * @param {number} K
 */
function readLogits(qkv, logits, answers, K) {
  const core = expectCore(qkv, 'readout')
  const [, rows, V] = logits.dims
  const { sums, top } = core.scope(() => {
    const z = core.toMemory(logits)
    const probabilities = core.allocFloats(answers * V)
    launch(core, 'qkv_softmax', [z, probabilities, V, 1], answers, 2 * answers * V)
    const at = { logits: z, probabilities, sums: core.allocFloats(rows * 4), top: core.allocFloats(rows * K) }
    const args = writeStruct(core, READ_LOGITS_STRUCT, { ...at, V, K, others: answers })
    launch(core, 'qkv_read_logits', [args], rows, 2 * rows * V)
    return {
      sums: core.view(Float32Array, at.sums, rows * 4).slice(),
      top: core.view(Int32Array, at.top, rows * K).slice(),
    }
  })
  const { data } = logits
  return Array.from({ length: rows }, (_, row) => {
    const [maximum, logSum, mean, cross] = sums.subarray(row * 4, row * 4 + 4)
    const own = data.subarray(row * V, (row + 1) * V)
    const share = (/** @type {number} */ id) => Math.exp(own[id] - maximum - logSum)
    return { logits: own, top: top.subarray(row * K, (row + 1) * K), share, logSum, cross, entropy: logSum - mean }
  })
}

/** Returns the number of tokens that are more likely than `id`; of equally likely tokens, the lower id ranks first. @param {Float32Array} logits @param {number} id */
function rankOf(logits, id) {
  const own = logits[id]
  let rank = 0
  for (let v = 0; v < logits.length; v++) if (logits[v] > own || (logits[v] === own && v < id)) rank++
  return rank
}

/**
 * Returns the direction of each token in the output of a layer: the gradient of the token's logit with respect to the state, without the
 * last norm. It is the token's row of the unembedding times the lens's matrix of the layer.
 * @param {Model} model
 * @param {Lens | 'logit'} lens
 * @param {number} layer
 * @param {readonly (number | string)[]} tokens ids, or texts that are one token each
 * @returns {FloatTensor} (tokens, d)
 */
export function tokenDirections(model, lens, layer, tokens) {
  const where = 'tokenDirections'
  const parts = Model.parts(model)
  const { weights, family, qkv } = parts
  const of = lensStack(parts, where)
  if (!weights.hasHead)
    throw new Error(`${where}: this ${family.type} checkpoint has no head, so words have no directions`)
  if (lens !== 'logit') checkLens(lens, of, `${where}: lens`)
  toNumber(layer, `${where}: layer`, { least: 0, most: of.layers - 1, whole: true })
  const ids = tokensOf(parts, tokens, `${where}: tokens`)
  const d = of.width
  const rows = new Tensor(new Float32Array(ids.length * d), [ids.length, d])
  for (const [n, token] of ids.entries()) rows.data.set(weights.head.row(token).weight, n * d)
  return lens === 'logit' || layer === of.layers - 1 ? rows : qkv.matmul(rows, lens.matrix(layer))
}

/**
 * @typedef {object} LensHookOptions changes of the states of some layers, applied in this order
 * @property {readonly number[]} layers
 * @property {readonly number[]} [positions] counted from the end if negative; default: all
 * @property {readonly (number | string)[]} [remove] tokens whose directions are projected out
 * @property {readonly [number | string, number | string]} [swap] two tokens whose coordinates are exchanged
 * @property {{ token: number | string, strength?: number }} [steer] a token whose unit direction is added, times `strength`; default 1
 */

/**
 * Returns hooks that remove, exchange or add components of the states along the directions of tokens.
 * @param {Model} model
 * @param {Lens | 'logit'} lens
 * @param {LensHookOptions} options
 * @returns {import('../../models/model.js').Hooks}
 */
export function lensHooks(model, lens, options) {
  const where = 'lensHooks'
  const parts = Model.parts(model)
  const known = ['layers', 'positions', 'remove', 'swap', 'steer']
  const { layers, positions, remove, swap, steer } = readOptions(options, known, where)
  const of = lensStack(parts, where)
  checkList(layers, `${where}: layers`, 0, of.layers - 1)
  if (positions !== undefined) checkList(positions, `${where}: positions`, -(2 ** 31), 2 ** 31)
  if (remove === undefined && swap === undefined && steer === undefined)
    throw new TypeError(`${where}: expected one of remove, swap and steer`)
  const removing = remove === undefined ? undefined : tokensOf(parts, remove, `${where}: remove`)
  const pair = swap === undefined ? undefined : tokensOf(parts, swap, `${where}: swap`)
  if (pair && (pair.length !== 2 || pair[0] === pair[1]))
    throw new TypeError(`${where}: swap: expected two tokens, got ${describe(swap)}`)
  const { token, strength = 1 } =
    steer === undefined ? {} : readOptions(steer, ['token', 'strength'], `${where}: steer`)
  const target = steer === undefined ? undefined : parts.tokenOf(token, `${where}: steer.token`)
  toNumber(strength, `${where}: steer.strength`)
  /** @type {Record<string, import('../../models/run/model-hooks.js').Hook>} */
  const hooks = {}
  for (const layer of layers) {
    const directions = (/** @type {readonly number[]} */ tokens) => {
      const { data, dims } = tokenDirections(model, lens, layer, tokens)
      return tokens.map((_, n) => Float64Array.from(data.subarray(n * dims[1], (n + 1) * dims[1])))
    }
    const removed = removing && orthonormal(directions(removing))
    const exchanged = pair && directions(pair)
    if (exchanged && isParallel(exchanged))
      throw new RangeError(
        `${where}: swap: the directions of ${pair} at layer ${layer} are parallel, so a state has no coordinates along them: choose other tokens`,
      )
    const added = target === undefined ? undefined : unit(directions([target])[0])
    hooks[`${of.stack}layers.${layer}.output`] = ({ data, dims }) => {
      const [L, d] = dims.slice(-2)
      const only = positions && new Set(positions.map(at => (at < 0 ? at + L : at)))
      for (let at = 0; at < data.length; at += d) {
        if (only && !only.has((at / d) % L)) continue
        const h = data.subarray(at, at + d)
        for (const one of removed ?? []) addTo(h, one, -dot(h, one))
        if (exchanged) exchange(h, exchanged)
        if (added) addTo(h, added, strength)
      }
    }
  }
  return hooks
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/** @param {Float32Array | Float64Array} h @param {ArrayLike<number>} v @param {number} factor */
function addTo(h, v, factor) {
  for (let i = 0; i < h.length; i++) h[i] += factor * v[i]
}

/** @param {Float64Array} v */
function unit(v) {
  const length = Math.sqrt(dot(v, v)) || 1
  return v.map(value => value / length)
}

/** Returns an orthonormal basis of the span, by Gram-Schmidt. @param {Float64Array[]} vectors */
function orthonormal(vectors) {
  /** @type {Float64Array[]} */
  const basis = []
  for (const vector of vectors) {
    const rest = vector.slice()
    for (const one of [...basis, ...basis]) addTo(rest, one, -dot(rest, one)) // twice, to reduce rounding errors
    if (Math.sqrt(dot(rest, rest)) > 1e-9 * Math.sqrt(dot(vector, vector))) basis.push(unit(rest))
  }
  return basis
}

/** True if the cosine of two vectors is above 0.999, the limit of TransformerLens, or below -0.999. @param {Float64Array[]} pair */
const isParallel = ([a, b]) => !(dot(a, b) ** 2 <= 0.999 ** 2 * dot(a, a) * dot(b, b))

/** Exchanges the coordinates of h along a and b, in place. The coordinates are (D D^T)^-1 D h for the matrix D with the rows a and b. @param {Float32Array} h @param {Float64Array[]} pair */
function exchange(h, [a, b]) {
  const [aa, ab, bb] = [dot(a, a), dot(a, b), dot(b, b)]
  const determinant = aa * bb - ab * ab
  const [ha, hb] = [dot(h, a), dot(h, b)]
  const difference = (bb * ha - ab * hb - (aa * hb - ab * ha)) / determinant
  addTo(h, b, difference)
  addTo(h, a, -difference)
}
