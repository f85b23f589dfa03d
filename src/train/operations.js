// The operations of a tape: what each allocates, runs and adds to the gradients. All of it is made once, when the
// operation is recorded; the functions that are returned run in every step.

import { expectDims, toNumber } from '../base/arguments.js'
import { shape } from '../base/errors.js'
import { count } from '../base/tensor.js'
import { runBackward } from '../block/attention-backward.js'
import { checkActivation, checkRepeat } from '../block/elementwise.js'
import { runLinearBackward } from '../block/linear-backward.js'
import { checkNorm } from '../block/norm.js'
import { putTensor, run as runAttention, writeCall } from '../ops/attention.js'
import { ATTENTION_OPTIONS, broadcast, checkOptions, HEAD_OPTIONS, labels } from '../ops/attention-options.js'
import { launch, UNIT } from '../ops/launch.js'
import { multiply, toWeights } from '../ops/linear.js'
import { prepareRope } from '../ops/rope.js'
import { BACKWARD_WORDS, GENERATOR_BYTES, ROPE_WORDS } from '../runtime/abi.js'
import { AttentionCall } from '../runtime/attention-call.js'

/** @typedef {import('./parameters.js').Parameters} Parameters */
/** @typedef {import('./parameters.js').Variable} Variable */
/** @typedef {import('./backward.js').Backward} Backward */

/**
 * @typedef {object} Operation
 * @property {readonly number[]} dims of its output
 * @property {number} address of its output
 * @property {(given: any) => void} forward
 * @property {(dY: number, plan: Backward) => (() => void) | undefined} backward
 */

/**
 * @typedef {{ numHeads: number, kvHeads?: number } & import('../ops/attention-options.js').AttentionOptions} HeadOptions
 *   kvHeads: default numHeads; a bias may be a parameter
 */

/** Runs each that is there. @param {(undefined | (() => void))[]} parts */
const all = (...parts) => {
  const runs = /** @type {(() => void)[]} */ (parts.filter(run => run))
  if (runs.length < 2) return runs[0]
  return () => {
    for (const run of runs) run()
  }
}

/** @param {Parameters} p @param {readonly number[]} dims @returns {Operation} */
function constant({ core, arena }, dims) {
  const address = arena.take(count(dims))
  const forward = (/** @type {Float32Array} */ data) => core.floats.set(data, address / 4)
  return { dims, address, forward, backward: () => undefined }
}

/** @param {Parameters} p @param {Variable[]} inputs @returns {Operation} */
function linear({ core, arena }, [x, weight, bias]) {
  const [N, K] = weight.dims
  if (weight.dims.length !== 2 || x.dims[x.dims.length - 1] !== K)
    throw new RangeError(
      `linear: x has dims ${shape(x.dims)}, weight ${shape(weight.dims)}: (..., in) and (out, in) expected`,
    )
  if (bias) expectDims(bias.tensor, [N], 'linear: bias', '(out)')
  const dims = [...x.dims.slice(0, -1), N]
  const M = count(dims) / (N || 1)
  const address = arena.take(M * N)
  const weights = toWeights(weight.address, [N, K], bias?.tensor)
  return {
    dims,
    address,
    forward: () => multiply(core, x.address, M, weights, address),
    backward(dY, plan) {
      const slots = [x, weight, bias].map(input => plan.slot(input))
      const [dX, dWeight, dBias] = slots.map(slot => slot?.at ?? 0)
      const accumulate = slots.reduce((sum, slot, i) => sum + (slot?.accumulate ?? 0) * 2 ** i, 0)
      return () => runLinearBackward(core, x.address, weight.address, dY, dX, dWeight, dBias, M, K, N, accumulate)
    },
  }
}

/** @param {'layerNorm' | 'rmsNorm'} name @returns {(p: Parameters, inputs: Variable[], options: object) => Operation} */
const norm =
  name =>
  ({ core, arena }, [x, weight, bias], options) => {
    const { C, rows, center, eps, shift } = checkNorm(x.tensor, weight?.tensor, bias?.tensor, options, name, [])
    const n = rows * C
    const address = arena.take(n)
    const stats = arena.take(2 * rows)
    const gain = weight?.address ?? 0
    const args = [x.address, gain, bias?.address ?? 0, address, stats, C, center, eps, shift]
    return {
      dims: x.dims,
      address,
      forward: () => launch(core, 'qkv_norm', args, rows, n),
      backward(dY, plan) {
        const [toX, toWeight, toBias] = [x, weight, bias].map(input => plan.slot(input))
        const dX = toX && [x.address, gain, stats, dY, toX.at, C, center, shift, toX.accumulate]
        const sums = (/** @type {import('./backward.js').Slot | undefined} */ slot, /** @type {number[]} */ to) =>
          slot &&
          (() =>
            launch(
              core,
              'qkv_column_sums',
              [x.address, stats, dY, ...to, rows, C, slot.accumulate],
              Math.ceil(C / 64),
              n,
            ))
        return all(
          sums(toWeight, [toWeight?.at ?? 0, 0]),
          sums(toBias, [0, toBias?.at ?? 0]),
          dX && (() => launch(core, 'qkv_norm_backward', dX, rows, 2 * n)),
        )
      },
    }
  }

/** @param {import('../block/elementwise.js').Activation} name @returns {(p: Parameters, inputs: Variable[], options: object) => Operation} */
const activation =
  name =>
  ({ core, arena }, [x, up], options) => {
    const { kind, dims, n, C, row, units, isPacked } = checkActivation(x.tensor, up?.tensor, options, name, name, [])
    const address = arena.take(n)
    const second = up ? up.address : isPacked ? x.address + C * 4 : 0
    const args = [kind, x.address, second, address, n, C, row]
    return {
      dims,
      address,
      forward: () => launch(core, 'qkv_activate', args, units, n),
      backward(dY, plan) {
        const dX = plan.fresh(x)
        const dUp = plan.fresh(up)
        const toX = dX.at || plan.take(n) // of a gate that is not learned
        const toUp = isPacked ? toX + C * 4 : up ? dUp.at || plan.take(n) : 0
        const args = [kind, x.address, second, dY, toX, toUp, n, C, row, 0]
        return all(() => launch(core, 'qkv_activate_backward', args, units, 2 * n), dX.add, dUp.add)
      },
    }
  }

/** The same memory under other dims. @param {Parameters} _ @param {Variable[]} inputs @param {{ dims: readonly number[] }} options @returns {Operation} */
function reshape(_, [x], { dims }) {
  const sizes = x.tensor.reshape(dims).dims // checks them
  return { dims: sizes, address: x.address, forward: () => {}, backward: (dY, plan) => plan.pass(x, dY) }
}

/** @param {'add' | 'mul'} name @returns {(p: Parameters, inputs: Variable[]) => Operation} */
const combination =
  name =>
  ({ core, arena }, [a, b]) => {
    const { n, size, C, period, units } = checkRepeat(a.dims, b.tensor, name)
    const address = arena.take(n)
    const product = Number(name === 'mul')
    const args = [product, a.address, b.address, address, n, C, period, 1, 0]
    /** to (+)= x y, or the sum over what repeats. @param {Backward} plan @param {Variable} x @param {number[]} factors @param {number} period */
    const multiply = (plan, x, [left, right], period) => {
      const slot = plan.slot(x)
      const args = slot && [1, left, right, slot.at, n, C, period, 1, slot.accumulate]
      return args && (() => launch(core, 'qkv_combine', args, units, 2 * n))
    }
    /** @param {Backward} plan @param {number} d of n values, summed to those of b */
    const sum = (plan, d) => {
      const slot = plan.slot(b)
      const args = slot && [0, 0, d, 0, slot.at, n / size, size, slot.accumulate]
      return args && (() => launch(core, 'qkv_column_sums', args, Math.ceil(size / 64), n))
    }
    return {
      dims: a.dims,
      address,
      forward: () => launch(core, 'qkv_combine', args, units, 2 * n),
      backward(dY, plan) {
        const repeats = size < n
        if (!product) return all(plan.pass(a, dY), repeats ? sum(plan, dY) : plan.pass(b, dY, a))
        const dA = multiply(plan, a, [dY, b.address], period)
        if (!b.isLearned) return dA
        if (!repeats) return all(dA, multiply(plan, b, [dY, a.address], period))
        const each = plan.take(n)
        const args = [1, dY, a.address, each, n, UNIT, 2 ** 32 - 1, 1, 0]
        return all(dA, () => launch(core, 'qkv_combine', args, Math.ceil(n / UNIT), 2 * n), sum(plan, each))
      },
    }
  }

/** @param {Parameters} p @param {Variable[]} inputs @param {import('../ops/rope.js').RopeOptions} options @returns {Operation} */
function rope({ core, arena }, [x], options) {
  const { cos, sin, rows, sizes } = prepareRope(x.dims, options)
  const n = count(x.dims)
  const address = arena.take(n)
  const copy = (/** @type {Float32Array | Uint32Array} */ data) => {
    const at = arena.take(data.length)
    if (data instanceof Float32Array) core.floats.set(data, at / 4)
    else core.words.set(data, at / 4)
    return at
  }
  const tables = { cosine: copy(cos.data), rows: copy(rows) }
  /** struct qkv_rope @param {number} from @param {number} to @param {number} sine */
  const call = (from, to, sine) => {
    /** @type {Record<string, number>} */
    const words = { x: from, y: to, sine, ...tables, ...sizes }
    return copy(Uint32Array.from(ROPE_WORDS, word => words[word]))
  }
  const args = call(x.address, address, copy(sin.data))
  const units = sizes.B * sizes.A * sizes.L
  return {
    dims: x.dims,
    address,
    forward: () => launch(core, 'qkv_rope_part', [args], units, n),
    backward(dY, plan) {
      const dX = plan.fresh(x)
      const back = call(dY, dX.at, copy(sin.data.map(value => -value))) // the other way round
      return all(() => launch(core, 'qkv_rope_part', [back], units, n), dX.add)
    },
  }
}

export const TAPE_ATTENTION = labels('attention', ['q', 'k', 'v'], [...ATTENTION_OPTIONS, ...HEAD_OPTIONS])
const AT = Object.fromEntries(BACKWARD_WORDS.map((word, index) => [word, index]))

/** @param {Parameters} p @param {Variable[]} inputs @param {HeadOptions} options @returns {Operation} */
function attention({ core, arena }, [q, k, v, bias], { numHeads, kvHeads }) {
  const WHOLE = { least: 1, most: 2 ** 32 - 1, whole: true }
  const H = toNumber(numHeads, 'attention: numHeads', WHOLE)
  const G = toNumber(kvHeads ?? H, 'attention: kvHeads', WHOLE)
  if (H % G) throw new RangeError(`attention: kvHeads: ${G} given, which does not divide numHeads ${H}`)
  const isPacked = !k && !v
  const parts = isPacked ? [H + 2 * G] : [H, G, G]
  const inputs = isPacked ? [q] : [q, k, v]
  inputs.forEach((x, i) => {
    const { dims } = x ?? { dims: [] }
    const rank = dims.length
    if (
      rank !== q.dims.length ||
      rank < 2 ||
      rank > 3 ||
      dims[rank - 1] % parts[i] ||
      (rank > 2 && dims[0] !== q.dims[0])
    )
      throw new RangeError(
        `attention: ${'qkv'[i]} has dims ${shape(dims)}, q ${shape(q.dims)}: (B, rows, heads * size) with ` +
          `${parts[i]} heads expected, or all without B; or q, k and v in one`,
      )
  })
  const rank = q.dims.length
  const [D, , E] = isPacked
    ? Array(3).fill(q.dims[rank - 1] / parts[0])
    : inputs.map((x, i) => x.dims[rank - 1] / parts[i])
  const B = rank > 2 ? q.dims[0] : 1
  const L = q.dims[rank - 2]
  const S = isPacked ? L : k.dims[rank - 2]
  if (!isPacked && (k.dims[rank - 1] !== G * D || v.dims[rank - 2] !== S))
    throw new RangeError(
      `attention: k has dims ${shape(k.dims)}, v ${shape(v.dims)}: (B, S, ${G * D}) and (B, S, G * E) expected`,
    )
  const dims = [...q.dims.slice(0, -1), H * E]
  const address = arena.take(count(dims))
  const saved = arena.take(GENERATOR_BYTES / 4)
  const call = new AttentionCall()
  /** Writes the tensors of heads in rows, packed or not. @param {number} at @param {string[]} names @param {number[]} addresses */
  const put = (at, names, addresses) => {
    const heads = [H, G, G]
    addresses.forEach((data, i) => {
      const place = at + AT[`${names[i]}.data`]
      putTensor(core.words, place, data, heads[i], i ? S : L, i < 2 ? D : E, true)
      if (!isPacked) return
      core.words[place + 1] = L * parts[0] * D
      core.words[place + 3] = parts[0] * D
    })
  }
  /** @param {number[]} addresses of one packed tensor, or of three */
  const split = ([first, second, third]) =>
    isPacked ? [first, first + H * D * 4, first + (H + G) * D * 4] : [first, second, third]
  const operands = split(inputs.map(x => x.address))
  const write = () => {
    const [from, keys, values] = operands
    const args = writeCall(core, call, from, keys, values, address, true, true, BACKWARD_WORDS.length)
    put(args / 4, ['q', 'k', 'v'], operands)
    if (call.dropout) core.floats[args / 4 + AT.dropout] = call.dropout.p
    return args
  }
  return {
    dims,
    address,
    forward(given) {
      call.setSizes(B, H, G, L, S, E)
      checkOptions(call, D, D, given, TAPE_ATTENTION)
      if (call.additive || call.sinks)
        throw new TypeError('attention: additive scores and sinks are not learned on a tape')
      if (bias) call.bias = broadcast(bias.tensor, [B, H, L, S], 'attention: bias')
      if (!call.dropout) return runAttention(core, write(), false)
      call.dropout.generator.withState(core, state => {
        core.bytes.copyWithin(saved, state, state + GENERATOR_BYTES)
        const args = write()
        core.words[args / 4 + AT.generator] = state
        runAttention(core, args, false)
      })
    },
    backward(dY, plan) {
      const slots = inputs.map(x => plan.slot(x))
      const dBias = plan.slot(bias)
      const targets = inputs.map((x, i) => slots[i]?.at ?? plan.take(count(x.dims)))
      const [dQ, dK, dV] = split(targets)
      return () => {
        const args = write()
        const at = args / 4
        if (call.dropout) core.words[at + AT.generator] = saved
        putTensor(core.words, at + AT['d_out.data'], dY, H, L, E, true)
        put(at, ['dq', 'dk', 'dv'], [dQ, dK, dV])
        const zero = (/** @type {number} */ to, /** @type {number} */ n) => core.floats.fill(0, to / 4, to / 4 + n)
        for (const [i, x] of inputs.entries()) if (!slots[i]?.accumulate) zero(targets[i], count(x.dims))
        if (dBias && !dBias.accumulate) zero(dBias.at, count(bias.dims))
        core.words[at + AT.d_bias] = dBias?.at ?? 0
        runBackward(core, args)
      }
    },
  }
}

/** @param {Parameters} p @param {Variable[]} inputs @param {{ p: number }} options @returns {Operation} */
function dropout({ core, arena }, [x], { p: probability }) {
  const p = toNumber(probability, 'dropout: p', { least: 0, most: 1 })
  const n = count(x.dims)
  const address = arena.take(n)
  const factors = arena.take(n)
  const units = Math.ceil(n / UNIT)
  const args = [1, x.address, factors, address, n, UNIT, 2 ** 32 - 1, 1, 0]
  return {
    dims: x.dims,
    address,
    forward(/** @type {import('../nn/generator.js').Generator} */ generator) {
      generator.withState(core, state => core.call('qkv_dropout', state, 0, factors, n, p))
      launch(core, 'qkv_combine', args, units, 2 * n)
    },
    backward(dY, plan) {
      const slot = plan.slot(x)
      const args = slot && [1, dY, factors, slot.at, n, UNIT, 2 ** 32 - 1, 1, slot.accumulate]
      return args && (() => launch(core, 'qkv_combine', args, units, 2 * n))
    },
  }
}

/** @param {Parameters} p @param {Variable} table @param {readonly number[]} lead @param {{ paddingIdx?: number }} options @returns {Operation} */
function embedding({ core, arena }, table, lead, { paddingIdx }) {
  if (table.dims.length !== 2)
    throw new RangeError(`embedding: weight has dims ${shape(table.dims)}, (num, dim) expected`)
  const [num, dim] = table.dims
  const padding =
    paddingIdx === undefined
      ? -1
      : toNumber(paddingIdx, 'embedding: paddingIdx', { least: 0, most: num - 1, whole: true })
  const n = count(lead)
  const ids = arena.take(n)
  const address = arena.take(n * dim)
  return {
    dims: [...lead, dim],
    address,
    forward(/** @type {Int32Array} */ given) {
      core.words.set(given, ids / 4)
      core.call('qkv_embedding', table.address, num, dim, ids, n, address)
    },
    backward(dY, plan) {
      const slot = plan.slot(table)
      if (!slot) return undefined
      const args = [dY, ids, slot.at, num, dim, n, padding]
      return () => {
        if (!slot.accumulate) core.floats.fill(0, slot.at / 4, slot.at / 4 + num * dim)
        launch(core, 'qkv_embedding_backward', args, Math.ceil(dim / 16), n * dim)
      }
    },
  }
}

/**
 * @param {Parameters} p
 * @param {Variable} z
 * @param {number} rows
 * @param {typeof import('./loss.js').reduce} reduce
 * @returns {Operation}
 */
function crossEntropy({ core, arena }, z, rows, reduce) {
  const n = count(z.dims)
  const address = arena.take(1)
  const [ids, weights, losses] = [rows, rows, rows].map(size => arena.take(size))
  const dLogits = z.isLearned ? arena.take(n) : 0
  return {
    dims: [],
    address,
    forward(/** @type {ReturnType<typeof import('./loss.js').checkLoss>} */ given) {
      const { ids: targets, values, V, ignore, smoothing, scale } = given
      core.words.set(targets, ids / 4)
      if (values) core.floats.set(values, weights / 4)
      const args = [z.address, ids, values ? weights : 0, losses, dLogits, V, ignore, smoothing, scale]
      launch(core, 'qkv_cross_entropy', args, rows, 2 * n)
      core.floats[address / 4] = reduce(core.floats.subarray(losses / 4, losses / 4 + rows), scale)
    },
    backward(dY, plan) {
      if (plan.isRoot(dY) && !z.gradient) {
        z.gradient = dLogits
        return undefined
      }
      const slot = plan.slot(z)
      return slot && plan.adding(slot, dLogits, n, () => core.floats[dY / 4])
    },
  }
}

/** @type {Record<string, (p: Parameters, inputs: any, options?: any, more?: any) => Operation>} */
export const OPERATIONS = {
  ...{ constant, reshape, linear, rope, attention, dropout, embedding, crossEntropy },
  ...{ layerNorm: norm('layerNorm'), rmsNorm: norm('rmsNorm') },
  ...{ gelu: activation('gelu'), relu: activation('relu'), silu: activation('silu') },
  ...{ swiglu: activation('swiglu'), geglu: activation('geglu') },
  ...{ add: combination('add'), mul: combination('mul') },
}
