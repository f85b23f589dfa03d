// The operations of a model with a tape: each operation records how to differentiate it. One recorder serves one layer, and its tensors are
// freed with the layer's scope.

import { entryOf } from '../../base/entry.js'
import { splitHeads, toFloats } from '../../base/operand.js'
import { present } from '../../base/present.js'
import { count, Tensor } from '../../base/tensor.js'
import { headOf } from '../../models/run/disentangled.js'
import { copyOf, meanOverRows } from '../../models/run/model-hooks.js'
import { joinRows, ModelOperations, placeOf, scoreOptions, weightedSums } from '../../models/run/network.js'
import { keyOf } from '../../models/weights/weights.js'
import { rowAttention } from '../../ops/attention/rows.js'
import { ACTIVATIONS } from '../../ops/elementwise/activations.js'
import { mul, mulBackward } from '../../ops/elementwise/arithmetic.js'
import { addAll } from '../../ops/kernels.js'
import { runLinearBackward } from '../../ops/linear/backward.js'
import { multiply, toWeights } from '../../ops/linear/forward.js'
import { layerNormBackward } from '../../ops/norm/layer-norm.js'
import { rmsNormBackward } from '../../ops/norm/rms-norm.js'
import { ropeBackward } from '../../ops/rope/backward.js'
import { WEIGHTS } from '../../runtime/abi.js'
import { expectCore } from '../../runtime/core-of.js'
import { addressOf } from '../../runtime/resident.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Hook } from '../../models/run/model-hooks.js' */
/** @import { Layer, Projected } from '../../models/run/network.js' */
/** @import { AttentionSpec, LinearSpec, NormSpec, PartSpec } from '../../models/family-shapes/parts.js' */

/**
 * The effect of a hook on the numbers at its place, and on their gradient.
 * @typedef {object} Outcome
 * @property {(x: FloatTensor) => Float32Array} apply returns the numbers after the hook
 * @property {(d: FloatTensor) => Float32Array} pass returns the gradient with respect to the numbers before the hook, from that after it
 */

/**
 * Prepares hooks for a run whose layers run again in the backward pass. A hook function is called once, in the forward pass, and its result
 * is kept. Numbers that it changed or replaced pass no gradient; a factor and 'mean' are differentiated.
 * @param {Record<string, Hook>} hooks
 */
export function recordHooks(hooks) {
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map()
  const none = (/** @type {FloatTensor} */ d) => new Float32Array(d.data.length)
  /** @type {Record<string, Hook>} */
  const recording = {}
  for (const [name, hook] of Object.entries(hooks)) {
    recording[name] = hook
    if (typeof hook === 'number') {
      const times = (/** @type {FloatTensor} */ { data }) => data.map(value => value * hook)
      outcomes.set(name, { apply: times, pass: times })
    } else if (hook === 'mean') {
      const mean = (/** @type {FloatTensor} */ x) => meanOverRows(x).data
      outcomes.set(name, { apply: mean, pass: mean })
    } else if (typeof hook === 'function')
      recording[name] = (x, place) => {
        const before = x.data.slice()
        const given = hook(x, place)
        outcomes.delete(name) // drops the outcome of an earlier run
        if (given === undefined || given === x) {
          const after = x.data.slice()
          if (after.some((value, n) => !Object.is(value, before[n])))
            outcomes.set(name, {
              apply: () => after,
              pass: d => d.data.map((value, n) => (Object.is(after[n], before[n]) ? value : 0)),
            })
        } else {
          const after = toFloats(given, `hooks: ${name}`).data.slice()
          outcomes.set(name, { apply: () => after, pass: none })
        }
        return given
      }
    else outcomes.set(name, { apply: () => toFloats(hook, `hooks: ${name}`).data, pass: none })
  }
  return { recording, outcomes }
}

/**
 * State that all recorders of a backward pass share.
 * @typedef {object} Shared
 * @property {Map<string, Outcome>} outcomes of the hooks
 * @property {Set<string>} wanted places whose gradients are requested
 * @property {Map<string, FloatTensor>} found the gradients of these places
 * @property {Map<string, FloatTensor>} learned resident gradients of weights by key; each layer adds to them
 * @property {{ place: string, gradient: FloatTensor }} [seed] the place at which the backward pass starts, with the gradient of the objective there
 */

const RESIDENT = { resident: true }

/** Adds numbers to a gradient. @param {{ data: Float32Array } | undefined} to @param {ArrayLike<number> | undefined} numbers */
export function accumulate(to, numbers) {
  const data = to?.data
  for (let n = 0; data && numbers && n < data.length; n++) data[n] += numbers[n]
}

/** The outputs of a layer's linear operations, before their activation. @typedef {Map<LinearSpec, { data: Float32Array, dims: readonly number[] }>} Products */

/** Keeps the outputs of the linear operations in the forward pass, so that the backward pass need not recompute them. */
export class KeepingOperations extends ModelOperations {
  /** Maximum bytes of outputs to keep for a stack. The backward pass recomputes the outputs beyond this limit. */
  static most = 2 ** 27
  /** Where the outputs of the current layer are kept; undefined to keep none. @type {Products | undefined} */
  products
  /** The linear operation whose output is not kept, because no gradient needs it. @type {LinearSpec | undefined} */
  idle
  #bytes = 0

  /** @override @param {LinearSpec} spec @param {FloatTensor} x @param {import('../../models/run/network.js').DenseOptions} [options] */
  dense(spec, x, options = {}) {
    const { activation = 'none', residual } = options
    const size = 4 * (count(x.dims) / spec.in) * spec.out
    if (!this.products || spec === this.idle || this.#bytes + size > KeepingOperations.most)
      return super.dense(spec, x, options)
    const z = super.dense(spec, x)
    this.products.set(spec, copyOf(z))
    this.#bytes += size
    const y = activation === 'none' ? z : activated(this.qkv, z, activation)
    return residual ? this.add(y, residual) : y
  }
}

/** Returns the activation of z. @param {import('../../qkv.js').Qkv} qkv @param {FloatTensor} z @param {string} activation */
export function activated(qkv, z, activation) {
  const { run, options } = ACTIVATIONS[activation]
  return run(qkv, z, { ...options, ...RESIDENT })
}

export class GradientRecorder extends ModelOperations {
  #core
  #shared
  /** The tape. Each step computes the gradients of an operation's operands from that of its output. @type {(() => void)[]} */
  #steps = []
  /** The gradient of the tensor at each address. @type {Map<number, FloatTensor>} */
  #gradients = new Map()
  /** The linear operation whose output is not computed, because no gradient needs it. @type {LinearSpec | undefined} */
  idle
  /** Outputs that the forward pass kept for this layer. @type {Products | undefined} */
  products
  /** The encoder's output, which cross-attention reads. @type {FloatTensor | undefined} */
  encoded

  /** @param {import('../../qkv.js').Qkv} qkv @param {import('../../models/weights/weights.js').ModelWeights} weights @param {Shared} shared */
  constructor(qkv, weights, shared) {
    super(qkv, weights)
    this.#core = expectCore(qkv)
    this.#shared = shared
  }

  /** Copies a tensor into the module's memory. @param {{ data: ArrayLike<number>, dims: readonly number[] }} x */
  resident(x) {
    const made = this.qkv.alloc(x.dims) // read x.data only after this, because growing memory detaches views into it
    made.data.set(x.data)
    return made
  }

  /** Returns the gradient of a tensor so far; undefined if the backward pass has not reached it. @param {FloatTensor} x */
  gradient(x) {
    return this.#gradients.get(addressOf(x))
  }

  /** Returns the gradient of a tensor; throws if the backward pass has not reached it. @param {FloatTensor} x */
  reachedGradient(x) {
    return entryOf(this.#gradients, addressOf(x))
  }

  /** Adds to the gradient of a tensor. @param {FloatTensor} x @param {FloatTensor} dX resident */
  give(x, dX) {
    const at = addressOf(x)
    const before = this.#gradients.get(at)
    if (before) {
      const sum = this.qkv.alloc(x.dims)
      const [a, b, to] = [before, dX, sum].map(addressOf)
      this.#core.scope(() => addAll(this.#core, a, b, to, count(x.dims)))
      dX = sum
    }
    this.#gradients.set(at, dX)
  }

  /** Runs the tape backwards and empties it. */
  backward() {
    for (const step of this.#steps.splice(0).reverse()) step()
  }

  /** Appends a step to the tape. Going back, the step calls `differentiate` only if y has a gradient. @param {FloatTensor} y @param {(dY: FloatTensor) => void} differentiate */
  #record(y, differentiate) {
    this.#steps.push(() => {
      const dY = this.gradient(y)
      if (dY) differentiate(dY.reshape(y.dims)) // its dims may differ: later operations may have read y split into heads
    })
    return y
  }

  /** @override @param {NormSpec} spec @param {FloatTensor} x */
  norm(spec, x) {
    const { weight } = this.weights.norm(spec)
    const { eps, plusOne, name } = spec
    const { learned } = this.#shared
    return this.#record(super.norm(spec, x), dY => {
      if (spec.kind === 'scale') return this.give(x, mulBackward(this.qkv, x, weight, dY, RESIDENT).dA)
      const { dX, dWeight, dBias } =
        spec.kind === 'layer'
          ? layerNormBackward(this.qkv, x, weight, dY, { eps, ...RESIDENT })
          : { dBias: undefined, ...rmsNormBackward(this.qkv, x, weight, dY, { eps, plusOne, ...RESIDENT }) }
      this.give(x, dX)
      accumulate(learned.get(`${name}.weight`), dWeight.data)
      accumulate(learned.get(`${name}.bias`), dBias?.data)
    })
  }

  /** @override @param {LinearSpec} spec @param {FloatTensor} x @param {import('../../models/run/network.js').DenseOptions} [options] */
  dense(spec, x, { activation = 'none' } = {}) {
    const key = keyOf(spec)
    const dims = [...x.dims.slice(0, -1), spec.out]
    const held = this.products?.get(spec)
    const made = this.idle === spec ? this.qkv.alloc(dims) : held ? this.resident(held) : super.dense(spec, x)
    const z = this.#record(made, dZ =>
      this.give(x, this.through(this.weights.linear(spec), x, dZ, [key, `${key}.bias`])),
    )
    if (activation === 'none') return z
    const { differentiate, options: given } = ACTIVATIONS[activation]
    const options = { ...given, ...RESIDENT }
    const y = activated(this.qkv, z, activation)
    return this.#record(y, dY => this.give(z, differentiate(this.qkv, z, dY, options).dX))
  }

  /**
   * Computes dX = dZ W for the weight W of `linear`, and adds to the gradients of weight and bias if they are learned. W is repacked
   * transposed, a block of rows at a time.
   * @param {import('../../layers/packed-linear.js').PackedLinear} linear
   * @param {FloatTensor} x (..., in)
   * @param {FloatTensor} dZ (..., out)
   * @param {readonly [weight: string, bias: string]} keys
   */
  through(linear, x, dZ, keys) {
    const core = this.#core
    const { learned } = this.#shared
    const [dWeight, dBias] = keys.map(key => learned.get(key))
    const [K, N] = [x, dZ].map(({ dims }) => dims[dims.length - 1])
    const M = count(x.dims) / K
    const dX = this.qkv.alloc(x.dims)
    const most = Math.max(8, Math.floor(PART / K / 8) * 8)
    for (let n = 0; n < N; n += most)
      core.scope(() => {
        const rows = Math.min(most, N - n)
        const w = core.allocFloats(Math.ceil(K / 8) * 8 * rows)
        linear.turned(n, rows, w)
        let dY = addressOf(dZ)
        if (rows < N) {
          dY = core.allocFloats(M * rows)
          const { floats } = core
          const from = addressOf(dZ) / 4 + n
          for (let m = 0; m < M; m++) floats.copyWithin(dY / 4 + m * rows, from + m * N, from + m * N + rows)
        }
        const to = addressOf(dX)
        multiply(core, dY, M, { ...toWeights(w, [K, rows]), kind: WEIGHTS.float32, residual: n && to }, to)
        if (!dWeight && !dBias) return
        const dW = dWeight ? addressOf(dWeight) + n * K * 4 : 0
        const operands = { x: addressOf(x), w, dY, dX: 0, dW, dBias: dBias ? addressOf(dBias) + n * 4 : 0 }
        runLinearBackward(core, operands, [M, K, rows], 6)
      })
    return dX
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b */
  add(a, b) {
    return this.#record(super.add(a, b), dY => {
      this.give(a, dY)
      this.give(b, dY)
    })
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b */
  mul(a, b) {
    return this.#record(mul(this.qkv, a, b, RESIDENT), dY => {
      const { dA, dB } = mulBackward(this.qkv, a, b, dY, RESIDENT)
      this.give(a, dA)
      this.give(b, dB)
    })
  }

  /** @override @param {FloatTensor} x @param {import('../../ops/rope/forward.js').RopeOptions} options */
  rope(x, options) {
    return this.#record(super.rope(x, options), dY =>
      this.give(x, ropeBackward(this.qkv, dY, { ...options, ...RESIDENT }).dX),
    )
  }

  /** @override @param {import('../../models/run/network.js').Call['encoded']} _ @param {AttentionSpec} spec */
  crossKeys(_, spec) {
    const hidden = present(this.encoded)
    return { k: this.dense(spec.k, hidden), v: this.dense(spec.v, hidden) }
  }

  /** @override @param {import('../../models/family-shapes/parts.js').TableSpec} table @param {number} first @param {number} rows */
  tableRows(table, first, rows) {
    const x = this.resident(super.tableRows(table, first, rows))
    const learned = this.#shared.learned.get(`${table.name}.weight`)
    return this.#record(x, dX =>
      accumulate(
        learned && { data: learned.data.subarray(first * table.columns, (first + rows) * table.columns) },
        dX.data,
      ),
    )
  }

  /** @override @param {FloatTensor} x @param {FloatTensor} positions @param {import('../../models/run/disentangled.js').MapOptions} options */
  distanceMap(x, positions, options) {
    return this.#record(this.resident(super.distanceMap(x, positions, options)), dY => {
      const { heads: H, scale, index, byKey } = options
      const [B, L] = x.dims
      const [, R, width] = positions.dims
      const D = width / H
      const [dX, dPositions] = [x, positions].map(({ dims }) => new Float32Array(count(dims)))
      for (let n = 0; n < B * H; n++) {
        const [b, h] = [Math.floor(n / H), n % H]
        const spread = new Float32Array(L * R)
        for (let i = 0; i < L; i++)
          for (let j = 0; j < L; j++)
            spread[(byKey ? j : i) * R + index[i - j + L - 1]] += scale * dY.data[(n * L + i) * L + j]
        const map = new Tensor(spread, [L, R])
        const ofX = this.qkv.matmul(map, headOf(positions, 0, h, H)).data
        const ofPositions = this.qkv.matmul(map.permute([1, 0]), headOf(x, b, h, H)).data
        for (let i = 0; i < L * D; i++) dX[(b * L + Math.floor(i / D)) * width + h * D + (i % D)] += ofX[i]
        for (let i = 0; i < R * D; i++) dPositions[Math.floor(i / D) * width + h * D + (i % D)] += ofPositions[i]
      }
      this.give(x, this.resident({ data: dX, dims: x.dims }))
      this.give(positions, this.resident({ data: dPositions, dims: positions.dims }))
    })
  }

  /** @override @param {FloatTensor} q @param {FloatTensor} k @param {import('../../models/run/disentangled.js').MapOptions} options */
  contentMap(q, k, options) {
    return this.#record(this.resident(super.contentMap(q, k, options)), dY => {
      const { heads: H, scale } = options
      const scaled = new Tensor(
        dY.data.map(value => value * scale),
        [...dY.dims],
      )
      this.give(q, this.resident(joinRows(weightedSums(this.qkv, scaled, splitHeads(k, H), H))))
      this.give(k, this.resident(joinRows(this.#turnedSums(scaled, splitHeads(q, H), H))))
    })
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b @param {FloatTensor} [c] */
  sumOfMaps(a, b, c) {
    return this.#record(this.resident(super.sumOfMaps(a, b, c)), dY => {
      this.give(a, dY)
      this.give(b, dY)
      if (c) this.give(c, this.resident({ data: dY.data.map(value => -value), dims: dY.dims }))
    })
  }

  /** @override @param {string} name */
  asks(name) {
    const { outcomes, wanted } = this.#shared
    return outcomes.has(name) || wanted.has(name) || this.#seedOf(name) !== undefined
  }

  /** True for every place, so that nothing is fused: any gradient may be requested. @override */
  sees() {
    return true
  }

  /** Keeps the gradient of a place if it was requested. @param {string} name @param {{ data: Float32Array, dims: readonly number[] } | undefined} d @param {readonly number[]} dims */
  keep(name, d, dims) {
    const { wanted, found } = this.#shared
    if (wanted.has(name)) found.set(name, new Tensor(d ? d.data.slice() : new Float32Array(count(dims)), [...dims]))
  }

  /** @override @param {string} name @param {FloatTensor} y @returns {FloatTensor} */
  hook(name, y) {
    const { outcomes, wanted } = this.#shared
    const outcome = outcomes.get(name)
    const seed = this.#seedOf(name)
    if (!outcome && !seed && !wanted.has(name)) return y
    // A copy, because other operations may read y, such as the residual connection if attention has no norm before it.
    const z = this.resident(outcome ? { data: outcome.apply(y), dims: y.dims } : y)
    this.#steps.push(() => {
      if (seed) this.give(z, this.resident(seed))
      const d = this.gradient(z)
      this.keep(name, d, z.dims)
      if (d) this.give(y, outcome ? this.resident({ data: outcome.pass(d), dims: y.dims }) : d)
    })
    return z
  }

  /** Returns the gradient of the objective at a place if the backward pass starts there. @param {string} name */
  #seedOf(name) {
    const { seed } = this.#shared
    return seed?.place === name ? seed.gradient : undefined
  }

  /** @override @param {string} name @param {FloatTensor} y @param {number} H @param {readonly number[]} dims */
  hookHeads(name, y, H, dims) {
    const edit = this.#editHeads(name, y.dims, H, dims)
    const z = edit.isHooked ? this.resident({ data: edit.apply(y.data), dims: y.dims }) : y
    this.#steps.push(() => {
      const d = this.gradient(z)
      const passed = edit.pass(d?.data)
      if (edit.isHooked && (d || edit.isSeeded)) this.give(y, this.resident({ data: passed, dims: y.dims }))
    })
    return z
  }

  /**
   * Combines the hook on all heads of a place with those on single heads.
   * @param {string} name
   * @param {readonly number[]} all
   * @param {number} H
   * @param {readonly number[]} dims of the slice of one head
   */
  #editHeads(name, all, H, dims) {
    const { outcomes } = this.#shared
    const size = dims[2] * (all.length === 4 ? dims[1] : 1) // contiguous values of a head
    const heads = Array.from({ length: H }, (_, h) => outcomes.get(`${name}.${h}`))
    const whole = outcomes.get(name)
    /** Copies the slice of one head. @param {Float32Array} from @param {number} h */
    const partOf = (from, h) => {
      const data = new Float32Array(count(dims))
      for (let n = 0; n * size < data.length; n++)
        data.set(from.subarray((n * H + h) * size, (n * H + h + 1) * size), n * size)
      return new Tensor(data, [...dims])
    }
    /** @param {Float32Array} to @param {number} h @param {Float32Array} part */
    const put = (to, h, part) => {
      for (let n = 0; n * size < part.length; n++) to.set(part.subarray(n * size, (n + 1) * size), (n * H + h) * size)
    }
    const seed = this.#seedOf(name)
    const ofHeads = heads.map((_, h) => this.#seedOf(`${name}.${h}`))
    const isSeeded = [seed, ...ofHeads].some(one => one)
    return {
      isSeeded,
      isHooked: isSeeded || whole !== undefined || heads.some(outcome => outcome),
      /** @param {Float32Array} data */
      apply: data => {
        const out = (whole?.apply(new Tensor(data, [...all])) ?? data).slice()
        for (const [h, outcome] of heads.entries()) if (outcome) put(out, h, outcome.apply(partOf(out, h)))
        return out
      },
      /** @param {Float32Array | undefined} d */
      pass: d => {
        const out = d?.slice() ?? new Float32Array(count(all))
        if (seed) accumulate({ data: out }, seed.data)
        this.keep(name, { data: out, dims: all }, all)
        for (const [h, outcome] of heads.entries()) {
          const own = ofHeads[h]
          if (own) {
            const part = partOf(out, h)
            accumulate(part, own.data)
            put(out, h, part.data)
          }
          if (this.#shared.wanted.has(`${name}.${h}`)) this.keep(`${name}.${h}`, partOf(out, h), dims)
          if (outcome) put(out, h, outcome.pass(partOf(out, h)))
        }
        return whole ? whole.pass(new Tensor(out, [...all])) : out
      },
    }
  }

  /**
   * Computes the weighted sums of the values, with the fused kernel unless scores or weights are hooked. A generator only because it overrides
   * one; it never yields.
   * @override
   * @param {Layer} own
   * @param {PartSpec} part
   * @param {Projected} projected
   * @returns {import('../../models/run/network.js').RunSteps<FloatTensor>}
   */
  *mix(own, part, projected) {
    const { q, k, v, bias: ofDistances } = projected
    const { numHeads: H, numKvHeads: G } = own.stack.heads
    const options = scoreOptions(own, part, ofDistances)
    const name = placeOf(own, part)
    const [B, L] = q.dims
    const S = k.dims[1]
    const maps = [B, H, L, S]
    const [scores, weights] = ['scores', 'weights'].map(what => {
      const place = `${name}.${what}`
      const isWanted = [...this.#shared.wanted].some(key => key === place || key.startsWith(`${place}.`))
      return { isWanted, ...this.#editHeads(place, maps, H, [B, L, S]) }
    })
    if (scores.isHooked || weights.isHooked) return this.#mixHooked(own, projected, options, scores, weights)
    const output = this.qkv.alloc(q.dims.slice(0, -1).concat((v.dims[2] / G) * H))
    this.qkv.attention(q, k, v, { ...options, numHeads: H, numKvHeads: G, out: output })
    return this.#record(output, dO => {
      if (scores.isWanted || weights.isWanted) this.#ofMaps({ q, k, v }, dO, H, G, options, scores, weights)
      this.#throughAttention(own, projected, dO, options)
    })
  }

  /**
   * Computes dQ, dK and dV of the fused kernel, and dBias if the bias was computed from the layer's input (`ofDistances`, DeBERTa) or read from
   * a learned table (T5). Other biases, such as ALiBi, are constants.
   * @param {Layer} own
   * @param {Projected} projected
   * @param {FloatTensor} dO (B, L, H * E)
   * @param {import('../../ops/attention/arguments.js').AttentionOptions} options
   */
  #throughAttention(own, { q, k, v, bias: ofDistances }, dO, { bias, ...options }) {
    const { numHeads, numKvHeads } = own.stack.heads
    const core = this.#core
    const table = bias && this.#shared.learned.get(`${own.stack.relative?.table.name}.weight`)
    const held = ofDistances ?? (bias && this.resident(toFloats(bias, 'bias')))
    const operands = [q, held, undefined, k, v] // of rowAttention: q, bias, sinks, k, v
    const isLearned = [true, ofDistances || table, false, true, true]
    const gradients = operands.map((x, i) => (x && isLearned[i] ? this.qkv.alloc(x.dims) : undefined))
    const prepared = rowAttention.prepare(core, operands, { numHeads, numKvHeads }, 'attention')
    core.scope(() => {
      const at = operands.map(x => (x ? addressOf(x) : 0))
      const to = gradients.map(x => x && { at: addressOf(x), accumulate: 0 })
      prepared.save?.(at, 0, options) // checks the options, in place of a forward pass; nothing is saved without dropout
      prepared.differentiate?.(at, addressOf(dO), to, 0, 0)
    })
    const [dQ, dBias, , dK, dV] = /** @type {FloatTensor[]} */ (gradients)
    this.give(q, dQ)
    this.give(k, dK)
    this.give(v, dV)
    if (ofDistances && dBias) this.give(ofDistances, dBias)
    if (table && dBias) this.ofBias?.(dBias, table)
  }

  /** Called with the gradient (H, L, S) of a relative position bias. @type {((dBias: FloatTensor, table: FloatTensor) => void) | undefined} */
  ofBias

  /**
   * Computes the gradients of the attention weights P, dP = dO V^T, and of the scores, dS = P (dP - rowsum(dP P)).
   * @param {Projected} projected
   * @param {FloatTensor} dO (B, L, H * E)
   * @param {number} H
   * @param {number} G
   * @param {import('../../ops/attention/arguments.js').AttentionOptions} options
   * @param {{ isWanted: boolean, pass: (d: Float32Array) => void }} scores
   * @param {{ pass: (d: Float32Array) => void }} weights
   */
  #ofMaps({ q, k, v }, dO, H, G, options, scores, weights) {
    const dP = this.#productOfHeads(splitHeads(dO, H), splitHeads(v, G))
    weights.pass(dP.data)
    if (!scores.isWanted) return
    const traced = this.qkv.trace(splitHeads(q, H), splitHeads(k, G), splitHeads(v, G), {
      ...options,
      keep: ['weights'],
    })
    scores.pass(throughSoftmax(traced.weights, dP.data))
  }

  /** Computes a b^T for each head, (B, H, L, D), (B, G, S, D) -> (B, H, L, S). @param {FloatTensor} a @param {FloatTensor} b */
  #productOfHeads(a, b) {
    const [B, H, L, D] = a.dims
    const [, G, S] = b.dims
    const group = (H / G) * L // rows of heads that share a key head are contiguous
    const out = new Float32Array(B * H * L * S)
    for (let n = 0; n < B * G; n++) {
      const left = { data: a.data.subarray(n * group * D, (n + 1) * group * D), dims: [group, D] }
      const right = { data: b.data.subarray(n * S * D, (n + 1) * S * D), dims: [S, D] }
      out.set(this.qkv.linear(left, right).data, n * group * S)
    }
    return new Tensor(out, [B, H, L, S])
  }

  /**
   * Runs attention unfused, because its scores or weights are hooked.
   * @param {Layer} own
   * @param {Projected} projected
   * @param {import('../../ops/attention/arguments.js').AttentionOptions} options
   * @param {{ isHooked: boolean, apply: (data: Float32Array) => Float32Array, pass: (d: Float32Array) => Float32Array }} scores
   * @param {typeof scores} weights
   */
  #mixHooked(own, { q, k, v, bias: ofDistances }, options, scores, weights) {
    const { numHeads: H, numKvHeads: G, scale, softcap } = own.stack.heads
    const { learned } = this.#shared
    const [Q, K, V] = [splitHeads(q, H), splitHeads(k, G), splitHeads(v, G)]
    const traced = this.qkv.trace(Q, K, V, { ...options, keep: ['masked', 'weights'] })
    const { masked } = traced
    const P = scores.isHooked
      ? this.qkv.softmax(new Tensor(scores.apply(masked.data), [...masked.dims]))
      : traced.weights
    const used = new Tensor(weights.apply(P.data), [...P.dims])
    const output = this.resident(joinRows(weightedSums(this.qkv, used, V, G)))
    return this.#record(output, dO => {
      const dOut = splitHeads(dO, H)
      const dP = weights.pass(this.#productOfHeads(dOut, V).data)
      const dS = scores.pass(throughSoftmax(P, dP))
      const [B, , L, S] = P.dims
      if (ofDistances) this.give(ofDistances, this.resident({ data: dS, dims: [...P.dims] }))
      if (own.bias) {
        const table = learned.get(`${own.stack.relative?.table.name}.weight`)
        const sum = new Tensor(new Float32Array(H * L * S), [H, L, S])
        for (let n = 0; n < dS.length; n++) sum.data[n % sum.data.length] += dS[n]
        if (table) this.ofBias?.(sum, table)
      }
      const bias = own.bias?.data
      for (let n = 0; n < dS.length; n++) {
        const capped = masked.data[n] - (bias ? bias[n % bias.length] : 0)
        const slope = softcap ? 1 - (capped / softcap) ** 2 : 1
        dS[n] = masked.data[n] === -Infinity ? 0 : dS[n] * slope * scale
      }
      const dims = [B, H, L, S]
      const heads = (/** @type {FloatTensor} */ x) => this.resident(joinRows(x))
      this.give(q, heads(weightedSums(this.qkv, new Tensor(dS, dims), K, G)))
      this.give(k, heads(this.#turnedSums(new Tensor(dS, dims), Q, G)))
      this.give(v, heads(this.#turnedSums(used, dOut, G)))
    })
  }

  /** Computes maps^T rows, summed over the heads that share a key head; (B, H, L, S), (B, H, L, D) -> (B, G, S, D). @param {FloatTensor} maps @param {FloatTensor} rows @param {number} G */
  #turnedSums(maps, rows, G) {
    const [B, H, L, S] = maps.dims
    const D = rows.dims[3]
    const group = (H / G) * L
    const out = new Float32Array(B * G * S * D)
    for (let n = 0; n < B * G; n++) {
      const map = new Tensor(maps.data.slice(n * group * S, (n + 1) * group * S), [group, S]).permute([1, 0])
      const right = { data: rows.data.subarray(n * group * D, (n + 1) * group * D), dims: [group, D] }
      out.set(this.qkv.matmul(map, right).data, n * S * D)
    }
    return new Tensor(out, [B, G, S, D])
  }
}

const PART = 2 ** 22 // floats of a weight repacked at a time

/** Computes dS = P (dP - rowsum(dP P)). @param {FloatTensor} P (..., S) @param {Float32Array} dP */
function throughSoftmax({ data, dims }, dP) {
  const S = dims[dims.length - 1]
  const out = new Float32Array(data.length)
  for (let start = 0; start < data.length; start += S) {
    let sum = 0
    for (let n = start; n < start + S; n++) sum += dP[n] * data[n]
    for (let n = start; n < start + S; n++) out[n] = data[n] * (dP[n] - sum)
  }
  return out
}
