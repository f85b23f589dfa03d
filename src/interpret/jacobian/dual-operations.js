// The operations of a layer on dual numbers (forward-mode differentiation): each tensor of one text carries N tangents, its derivatives
// along N directions. A tensor without a recorded tangent has tangent 0.

import { splitHeads } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { ModelOperations, scoreOptions } from '../../models/run/network.js'
import { ACTIVATIONS } from '../../ops/elementwise/activations.js'
import { layerNormBackward } from '../../ops/norm/layer-norm.js'
import { rmsNormBackward } from '../../ops/norm/rms-norm.js'
import { addressOf } from '../../runtime/resident.js'
import { activated } from '../gradients/gradient-recorder.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Layer, Projected } from '../../models/run/network.js' */
/** @import { LinearSpec, NormSpec, PartSpec } from '../../models/family-shapes/parts.js' */

const RESIDENT = { resident: true }

/**
 * Where tangents enter and where they are read.
 * @typedef {object} Ends
 * @property {string} from the place whose numbers are varied
 * @property {FloatTensor} vectors (N, ...dims of the place without the batch)
 * @property {string} to the place whose derivative is computed
 * @property {FloatTensor} [found] this derivative, (N, ...), set when the run reaches the place
 */

export class DualOperations extends ModelOperations {
  /** The tangents (N, ...) of the tensor at each address. @type {Map<number, FloatTensor>} */
  #tangents = new Map()

  /** @param {import('../../qkv.js').Qkv} qkv @param {import('../../models/weights/weights.js').ModelWeights} weights @param {Ends} ends */
  constructor(qkv, weights, ends) {
    super(qkv, weights)
    this.ends = ends
    this.N = ends.vectors.dims[0]
  }

  /** @param {FloatTensor} x resident @returns {FloatTensor | undefined} its tangents, undefined if they are 0 */
  tangent(x) {
    return this.#tangents.get(addressOf(x))
  }

  /** Sets the tangents of a tensor, and returns the tensor. @template {FloatTensor} T @param {T} y @param {FloatTensor | undefined} dY resident */
  with(y, dY) {
    if (dY) this.#tangents.set(addressOf(y), dY)
    return y
  }

  /** Copies a tensor into the module's memory. @param {{ data: ArrayLike<number>, dims: readonly number[] }} x */
  resident(x) {
    const made = this.qkv.alloc(x.dims) // read x.data only after this, because growing memory detaches views into it
    made.data.set(x.data)
    return made
  }

  /** Repeats the numbers of one text N times. @param {FloatTensor} x (1, ...) */
  wide(x) {
    const made = this.qkv.alloc([this.N, ...x.dims.slice(1)])
    for (let n = 0; n < this.N; n++) made.data.set(x.data, n * x.data.length)
    return made
  }

  /**
   * Computes dy = weight * M dx. M = (I - 1 1^T / d - u u^T / d) / deviation, without 1 1^T for RMSNorm; u is the normalised x. M is
   * symmetric, so the backward kernel, which multiplies by M^T, computes M dx.
   * @override @param {NormSpec} spec @param {FloatTensor} x
   */
  norm(spec, x) {
    const y = super.norm(spec, x)
    const dX = this.tangent(x)
    if (!dX) return y
    const { eps, kind, plusOne } = spec
    const { weight } = this.weights.norm(spec)
    const size = x.dims[x.dims.length - 1]
    const ones = new Tensor(new Float32Array(size).fill(1), [size])
    const wide = this.wide(x)
    const given = dX.reshape(wide.dims)
    const backward = kind === 'layer' ? layerNormBackward : rmsNormBackward
    const dY = kind === 'scale' ? this.resident(given) : backward(this.qkv, wide, ones, given, { eps, ...RESIDENT }).dX
    const { data } = dY
    const factors = weight?.data
    for (let i = 0; i < data.length; i++) data[i] *= (factors ? factors[i % size] : 1) + (plusOne ? 1 : 0)
    return this.with(y, dY)
  }

  /** @override @param {LinearSpec} spec @param {FloatTensor} x @param {import('../../models/run/network.js').DenseOptions} [options] */
  dense(spec, x, { activation = 'none' } = {}) {
    const z = super.dense(spec, x)
    const dX = this.tangent(x)
    const dZ = dX && this.weights.linear(spec).product(dX.reshape([this.N, ...x.dims.slice(1)]))
    if (activation === 'none') return this.with(z, dZ)
    const y = activated(this.qkv, z, activation)
    if (!dZ) return y
    const { differentiate, options } = ACTIVATIONS[activation]
    return this.with(y, differentiate(this.qkv, this.wide(z), dZ, { ...options, ...RESIDENT }).dX)
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b */
  add(a, b) {
    const [dA, dB] = [this.tangent(a), this.tangent(b)]
    return this.with(super.add(a, b), dA && dB ? super.add(dA, dB.reshape(dA.dims)) : (dA ?? dB))
  }

  /** Computes the tangents d(a b) = b da + a db. @override @param {FloatTensor} a @param {FloatTensor} b */
  mul(a, b) {
    const y = this.resident({ data: a.data.map((value, i) => value * b.data[i]), dims: a.dims })
    const [dA, dB] = [this.tangent(a), this.tangent(b)]
    if (!dA && !dB) return y
    const size = a.data.length
    const dY = this.qkv.alloc([this.N, ...a.dims.slice(1)])
    const [to, x, z] = [dY.data, a.data, b.data]
    for (let i = 0; i < to.length; i++)
      to[i] = (dA ? dA.data[i] * z[i % size] : 0) + (dB ? dB.data[i] * x[i % size] : 0)
    return this.with(y, dY)
  }

  /** @override @param {FloatTensor} x @param {import('../../ops/rope/forward.js').RopeOptions & Record<'cos' | 'sin', FloatTensor>} options */
  rope(x, options) {
    const dX = this.tangent(x)
    const y = super.rope(x, options)
    if (!dX) return y
    const [cos, sin] = [options.cos, options.sin].map(turns => this.wide(turns))
    return this.with(y, super.rope(dX.reshape([this.N, ...x.dims.slice(1)]), { ...options, cos, sin }))
  }

  /** Passes on the tangents of x; the distance embeddings are constants. @override @param {FloatTensor} x @param {FloatTensor} positions @param {import('../../models/run/disentangled.js').MapOptions} options */
  distanceMap(x, positions, options) {
    const y = this.resident(super.distanceMap(x, positions, options))
    const dX = this.tangent(x)?.reshape([this.N, ...x.dims.slice(1)])
    return this.with(y, dX && this.resident(super.distanceMap(dX, positions, options)))
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b */
  sumOfMaps(a, b) {
    return this.add(a, b)
  }

  /** True for every place, so that nothing is fused: tangents must pass through each step. @override */
  sees() {
    return true
  }

  /** @override @param {string} name @param {FloatTensor} y @returns {FloatTensor} */
  hook(name, y) {
    const { from, to, vectors } = this.ends
    let z = y
    if (name === from) {
      // a copy, because the residual connection may also read y, which must keep its tangents
      z = this.resident(y)
      this.with(z, this.resident(vectors))
    }
    if (name === to) this.ends.found = this.read(z)
    return z
  }

  /** @override @param {string} name @param {FloatTensor} y */
  hookHeads(name, y) {
    return this.hook(name, y)
  }

  /** Copies the tangents of x out of the module. @param {FloatTensor} x */
  read(x) {
    const dims = [this.N, ...x.dims.slice(1)]
    const found = this.tangent(x)
    return found ? copyOf(found.reshape(dims)) : new Tensor(new Float32Array(count(dims)), dims)
  }

  /**
   * Computes the output O of attention and its tangents dO. From S = scale q k^T, P = softmax(S) and O = P V follow
   * dS = scale (dq k^T + q dk^T), dP = P (dS - rowsum(P dS)) and dO = dP V + P dV.
   * @override
   * @param {Layer} own
   * @param {PartSpec} part
   * @param {Projected} projected
   * @returns {import('../../models/run/network.js').RunSteps<FloatTensor>}
   */
  *mix(own, part, { q, k, v, bias: ofDistances }) {
    const { N, qkv } = this
    const { numHeads: H, numKvHeads: G, scale, softcap } = own.stack.heads
    const options = scoreOptions(own, part, ofDistances)
    const { masked, weights, output } = qkv.trace(splitHeads(q, H), splitHeads(k, G), splitHeads(v, G), {
      ...options,
      keep: ['masked', 'weights', 'output'],
    })
    const [, , L, S] = weights.dims
    const E = output.dims[3]
    const y = qkv.alloc([1, L, H * E])
    const whole = y.data
    for (let h = 0; h < H; h++)
      for (let i = 0; i < L; i++)
        for (let c = 0; c < E; c++) whole[(i * H + h) * E + c] = output.data[(h * L + i) * E + c]
    // Reshaped, because a norm of q or k returns tangents split by head.
    const [dQ, dK, dV] = [q, k, v].map(x => this.tangent(x)?.reshape([N, ...x.dims.slice(1)]))
    if (!dQ && !dK && !dV) return y
    const dY = qkv.alloc([N, L, H * E])
    const cap = softcap || 0
    const tBias = ofDistances && this.tangent(ofDistances)?.data.slice()
    const bias = own.bias?.data.slice()
    const [ofQ, ofK, ofV] = [headRows(q, H), headRows(k, G), headRows(v, G)]
    const [tQ, tK, tV] = [dQ && headRows(dQ, H), dK && headRows(dK, G), dV && headRows(dV, G)]
    for (let h = 0; h < H; h++) {
      const g = Math.floor(h / (H / G))
      const P = weights.data.subarray(h * L * S, (h + 1) * L * S)
      const keys = ofK(0, g)
      const values = ofV(0, g)
      for (let n = 0; n < N; n++) {
        /** @type {Float32Array | undefined} */
        let dS
        if (tQ) dS = qkv.linear(tQ(n, h), keys).data
        if (tK) {
          const more = qkv.linear(ofQ(0, h), tK(n, g)).data
          if (dS) for (let i = 0; i < dS.length; i++) dS[i] += more[i]
          else dS = more
        }
        const mixed = new Float32Array(L * E)
        if (dS) {
          for (let i = 0; i < L; i++) {
            let sum = 0
            for (let s = i * S; s < (i + 1) * S; s++) {
              const score = masked.data[h * L * S + s]
              // The derivative of the soft cap, cap tanh(s / cap), is 1 - (capped / cap)^2.
              const capped = score - (bias ? bias[(h * L * S + s) % bias.length] : 0)
              const slope = score === -Infinity ? 0 : cap ? scale * (1 - (capped / cap) ** 2) : scale
              dS[s] = dS[s] * slope + (tBias && score !== -Infinity ? tBias[(n * H + h) * L * S + s] : 0)
              sum += dS[s] * P[s]
            }
            for (let s = i * S; s < (i + 1) * S; s++) dS[s] = P[s] * (dS[s] - sum)
          }
          mixed.set(qkv.matmul(new Tensor(dS, [L, S]), values).data)
        }
        if (tV) {
          const more = qkv.matmul(new Tensor(P, [L, S]), tV(n, g)).data
          for (let i = 0; i < mixed.length; i++) mixed[i] += more[i]
        }
        const to = dY.data
        for (let i = 0; i < L; i++) for (let c = 0; c < E; c++) to[((n * L + i) * H + h) * E + c] = mixed[i * E + c]
      }
    }
    return this.with(y, dY)
  }
}

/** Returns a function that copies the columns of head h in text n, (L, D). @param {FloatTensor} x (N, L, heads * D) @param {number} heads */
function headRows(x, heads) {
  const [, L, width] = x.dims
  const D = width / heads
  return (/** @type {number} */ n, /** @type {number} */ h) => {
    const { data } = x // read at each call, because the module's memory may have grown since
    const out = new Float32Array(L * D)
    for (let i = 0; i < L; i++) {
      const at = (n * L + i) * width + h * D
      out.set(data.subarray(at, at + D), i * D)
    }
    return new Tensor(out, [L, D])
  }
}
