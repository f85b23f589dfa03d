// ONNX Attention (opsets 23, 24, 25), with ONNX's names.

import { expectDims, readOptions, toNumber } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats, toOperand, toTensor } from '../../base/operand.js'
import { count, emptyLike, Tensor } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { checkOptions, labels } from './arguments.js'
import { runAttention } from './forward.js'
import { broadcast } from './masks.js'
import { ATTENTION_ATTRIBUTES, ATTENTION_INPUTS } from './onnx-names.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { Nested, TensorLike } from '../../base/tensor.js' */

/**
 * Tensors of float32, or of float16 (Uint16Array of bits, or Float16Array), for which inputs are widened to float32 and outputs rounded
 * back. Letters as in qkv.attention; P is the number of past keys.
 * @typedef {object} OnnxInputs
 * @property {TensorLike | Nested} Q (B, H, L, D), or (B, L, H * D) with q_num_heads
 * @property {TensorLike | Nested} K (B, G, S, D), or (B, S, G * D) with kv_num_heads
 * @property {TensorLike | Nested} V (B, G, S, E), or (B, S, G * E)
 * @property {TensorLike | Nested} [attn_mask] boolean (true: visible) or float (added to the scores), broadcast to (B, H, L, P + S); if its
 *   last axis is shorter, the keys beyond it are hidden
 * @property {TensorLike | Nested} [past_key] (B, G, P, D)
 * @property {TensorLike | Nested} [past_value] (B, G, P, E)
 * @property {TensorLike | Nested | ArrayLike<number> | BigInt64Array} [nonpad_kv_seqlen] (B): how many keys of each batch are not padding; not with past_key
 */

/**
 * @typedef {object} OnnxAttributes
 * @property {boolean | 0 | 1} [is_causal] query i has position i + P, or i + nonpad_kv_seqlen - L, and sees no later key
 * @property {number} [scale] default 1/sqrt(D)
 * @property {number} [softcap] default 0, none
 * @property {number} [q_num_heads] required if Q has three axes
 * @property {number} [kv_num_heads] required if K and V have three axes
 * @property {number} [qk_matmul_output_mode] returns qk_matmul_output: 0 the scaled scores, 1 after softcap, 2 after the
 *   mask, 3 after softmax
 * @property {number} [left_window_size] how many keys before its position a query sees; -1 (default): all
 * @property {number} [right_window_size] how many keys after its position a query sees; -1 (default): all
 * @property {number} [softmax_precision] 1 (float32), 10 (float16) or 16 (bfloat16): the minimum precision; float32 is always used
 */

/**
 * The outputs. Y and qk_matmul_output have the type of Q, present_key that of K, present_value that of V.
 * @typedef {object} OnnxOutputs
 * @property {Tensor} Y (B, H, L, E), or (B, L, H * E)
 * @property {Tensor} present_key (B, G, P + S, D): past_key and K; K itself if there is no past_key and K has four axes
 * @property {Tensor} present_value (B, G, P + S, E)
 * @property {Tensor} [qk_matmul_output] (B, H, L, P + S)
 */

/** The step of a trace that each value of qk_matmul_output_mode returns. */
const MODES = /** @type {const} */ (['scaled', 'capped', 'masked', 'weights'])
const WHERE = 'onnxAttention'
const LABELS = labels(WHERE, [], ['scale', 'softcap', 'causal', 'window', 'pastLength', 'keyLengths'])

/** @param {unknown} value @param {string} name */
function toInput(value, name) {
  const tensor = toOperand(value, `${WHERE}: ${name}`)
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'float16')
    throw new TypeError(
      `${WHERE}: ${name}: expected float32 or float16, got ${tensor.dtype}, as the core computes in float32`,
    )
  return tensor
}

/**
 * Converts an output to the type of an input.
 * @param {Tensor} input
 * @param {Tensor<Float32Array>} x
 * @returns {Tensor}
 */
function likeInput({ data, dtype }, x) {
  if (dtype === 'float32') return x
  if (data instanceof Uint16Array) return x.half()
  const own = emptyLike(data, x.data.length)
  own.set(x.data)
  return new Tensor(own, x.dims)
}

/**
 * Returns the sizes [B, heads, rows, size] of a tensor with four axes, or with three and a number of heads.
 * @param {Tensor} tensor
 * @param {string} name
 * @param {number | undefined} heads
 * @param {string} attribute
 */
function sizesOf({ dims }, name, heads, attribute) {
  if (heads !== undefined) toNumber(heads, `${WHERE}: ${attribute}`, { least: 1, most: 2 ** 32 - 1, whole: true })
  if (dims.length === 4) {
    if (heads !== undefined && heads !== dims[1])
      throw new RangeError(
        `${WHERE}: ${name} has dims ${shape(dims)}, but ${attribute} is ${heads}: axis 1 must be that`,
      )
    return dims
  }
  if (dims.length !== 3)
    throw new RangeError(
      `${WHERE}: ${name}: expected dims (B, rows, heads * size) or (B, heads, rows, size), got ${shape(dims)}`,
    )
  if (heads === undefined)
    throw new TypeError(
      `${WHERE}: ${name} has three axes ${shape(dims)}: ${attribute} is needed to cut the last one into heads`,
    )
  if (dims[2] % heads)
    throw new RangeError(
      `${WHERE}: ${name} has dims ${shape(dims)}: ${attribute} ${heads} does not divide the last axis`,
    )
  return [dims[0], heads, dims[1], dims[2] / heads]
}

/**
 * Returns the past rows followed by the new rows of each head: (B, G, P + S, size).
 * @param {Tensor | undefined} past (B, G, P, size)
 * @param {Tensor} now (B, G, S, size), or (B, S, G * size)
 * @param {readonly number[]} sizes [B, G, S, size]
 * @returns {Tensor}
 */
function present(past, now, [B, G, S, size]) {
  const isRows = now.dims.length === 3
  if (!past && !isRows) return now
  const P = past ? past.dims[2] : 0
  const dims = [B, G, P + S, size]
  if (count(dims) === 0) return new Tensor(now.data.slice(0, 0), dims)
  const data = emptyLike(now.data, B * G * (P + S) * size)
  for (let n = 0, at = 0; n < B * G; n++) {
    if (past) data.set(past.data.subarray(n * P * size, (n + 1) * P * size), at)
    at += P * size
    if (!isRows) data.set(now.data.subarray(n * S * size, (n + 1) * S * size), at)
    else
      for (let s = 0; s < S; s++) {
        const from = ((Math.floor(n / G) * S + s) * G + (n % G)) * size
        data.set(now.data.subarray(from, from + size), at + s * size)
      }
    at += S * size
  }
  return new Tensor(data, dims)
}

/**
 * Checks past_key and past_value, which must be given together.
 * @param {OnnxInputs} inputs
 * @param {Tensor} K
 * @param {Tensor} V
 * @param {readonly number[]} keySizes [B, G, S, D]
 * @param {readonly number[]} valueSizes [B, G, S, E]
 */
function checkPast(inputs, K, V, [B, G, , D], [, , , E]) {
  if (inputs.past_key === undefined && inputs.past_value === undefined) return { key: undefined, value: undefined }
  if (inputs.past_key === undefined || inputs.past_value === undefined)
    throw new TypeError(`${WHERE}: past_key and past_value belong together: give both or neither`)
  if (inputs.nonpad_kv_seqlen !== undefined)
    throw new TypeError(
      `${WHERE}: expected either past_key, which is joined with K, or nonpad_kv_seqlen, for a K that already contains the past, got both`,
    )
  const past = { key: toInput(inputs.past_key, 'past_key'), value: toInput(inputs.past_value, 'past_value') }
  const P = past.key.dims[2]
  expectDims(past.key, [B, G, P, D], `${WHERE}: past_key`, '(B, G, P, D)')
  expectDims(past.value, [B, G, P, E], `${WHERE}: past_value`, '(B, G, P, E)')
  /** @type {[string, Tensor, Tensor][]} */
  const both = [
    ['past_key', past.key, K],
    ['past_value', past.value, V],
  ]
  for (const [name, before, now] of both)
    if (before.data.constructor !== now.data.constructor)
      throw new TypeError(
        `${WHERE}: ${name} is ${describe(before.data)}, the new rows are ${describe(now.data)}: give them one type`,
      )
  return past
}

/**
 * Returns the mask in the form the kernels take, and how many keys it covers.
 * @param {unknown} given
 * @param {readonly number[]} full (B, H, L, P + S)
 */
function checkMask(given, [B, H, L, S]) {
  if (given === undefined) return { length: S }
  const name = `${WHERE}: attn_mask`
  const tensor = toOperand(given, name)
  if (tensor.dims.length === 0) throw new RangeError(`${name}: expected one to four axes, got a scalar`)
  const length = tensor.dims[tensor.dims.length - 1]
  if (length > S) throw new RangeError(`${name}: expected at most ${S} keys, got dims ${shape(tensor.dims)}`)
  const isBoolean = tensor.dtype === 'bool'
  const sizes = [B, H, L, length]
  if (isBoolean) return { length, mask: broadcast(tensor, sizes, name) }
  return { length, bias: broadcast(toFloats(tensor, name), sizes, name) }
}

/** @param {OnnxAttributes} attributes */
function checkAttributes({ is_causal = false, ...attributes }) {
  if (![true, false, 0, 1].includes(is_causal))
    throw new TypeError(`${WHERE}: is_causal: expected true, false, 1 or 0, got ${describe(is_causal)}`)
  const side = (/** @type {'left_window_size' | 'right_window_size'} */ name) => {
    const size = toNumber(attributes[name] ?? -1, `${WHERE}: ${name}`, { least: -1, most: 2 ** 32 - 1, whole: true })
    return size === -1 ? Infinity : size
  }
  const { qk_matmul_output_mode: mode, softmax_precision: precision = 1 } = attributes
  if (mode !== undefined) toNumber(mode, `${WHERE}: qk_matmul_output_mode`, { least: 0, most: 3, whole: true })
  if (![1, 10, 16].includes(precision))
    throw new RangeError(
      `${WHERE}: softmax_precision: expected 1 (float32), 10 (float16) or 16 (bfloat16), got ${describe(precision)}; softmax is computed in float32`,
    )
  /** @type {[number, number]} */
  const window = [side('left_window_size'), side('right_window_size')]
  return { causal: Boolean(is_causal), window, step: mode === undefined ? undefined : MODES[mode] }
}

/**
 * Computes ONNX Attention, with ONNX's names.
 * @param {Qkv} qkv
 * @param {OnnxInputs} inputs
 * @param {OnnxAttributes} [attributes]
 * @returns {OnnxOutputs}
 * @throws {TypeError | RangeError}
 */
export function onnxAttention(qkv, inputs, attributes = {}) {
  const core = expectCore(qkv, WHERE)
  inputs = readOptions(inputs, ATTENTION_INPUTS, `${WHERE}: inputs`)
  attributes = readOptions(attributes, ATTENTION_ATTRIBUTES, WHERE)
  const { causal, window, step } = checkAttributes(attributes)
  const [Q, K, V] = [toInput(inputs.Q, 'Q'), toInput(inputs.K, 'K'), toInput(inputs.V, 'V')]
  if (Q.dims.length !== K.dims.length || Q.dims.length !== V.dims.length)
    throw new RangeError(
      `${WHERE}: expected Q, K and V to have three axes each, or four each, got ${shape(Q.dims)}, ${shape(K.dims)} and ${shape(V.dims)}`,
    )
  const { q_num_heads, kv_num_heads, scale, softcap } = attributes
  const [B, H, L, Dq] = sizesOf(Q, 'Q', q_num_heads, 'q_num_heads')
  const keySizes = sizesOf(K, 'K', kv_num_heads, 'kv_num_heads')
  const valueSizes = sizesOf(V, 'V', kv_num_heads, 'kv_num_heads')
  if (B > 2 ** 24) throw new RangeError(`${WHERE}: expected at most ${2 ** 24} batches, got ${B}`)
  const [, G, , Dk] = keySizes
  const [, , S, E] = valueSizes
  if (keySizes[0] !== B || valueSizes[0] !== B || keySizes[2] !== S || valueSizes[1] !== G)
    throw new RangeError(
      `${WHERE}: K ${shape(keySizes)} and V ${shape(valueSizes)} as (B, heads, rows, size) must have the batches of Q, ${B}, and the heads and rows of each other`,
    )
  if (G === 0 ? H > 0 : H % G)
    throw new RangeError(`${WHERE}: the ${G} heads of K and V do not divide the ${H} heads of Q`)

  const past = checkPast(inputs, K, V, keySizes, valueSizes)
  const present_key = present(past.key, K, keySizes)
  const present_value = present(past.value, V, valueSizes)
  const T = present_key.dims[2]
  const { length, mask, bias } = checkMask(inputs.attn_mask, [B, H, L, T])
  const nonpad = checkLengths(inputs.nonpad_kv_seqlen, B, T)
  const call = core.takeCall()
  try {
    call.setSizes(B, H, G, L, T, E)
    const pastLength = nonpad ? nonpad.map(n => n - L) : T - S
    const keyLengths = length < T ? (nonpad ?? Array(B).fill(T)).map(n => Math.min(n, length)) : nonpad
    const options = Object.assign(Object.create(null), { scale, softcap, causal, window, pastLength, keyLengths })
    checkOptions(call, Dq, Dk, options, LABELS)
    call.mask = mask
    call.bias = bias
    return core.scope(() => {
      const isRows = Q.dims.length === 3
      const [q, k, v] = [Q, present_key, present_value].map(x => core.toMemory(toFloats(x, WHERE)))
      const y = core.allocFloats(B * H * L * E)
      const weights = step ? core.allocFloats(B * H * L * T) : 0
      const asked = step && step !== 'weights' ? core.allocFloats(B * H * L * T) : weights
      runAttention(core, call, q, k, v, y, isRows, step && { weights, [step]: asked }, false)
      const copy = (/** @type {number} */ at, /** @type {number[]} */ dims) =>
        likeInput(Q, new Tensor(core.copyOut(at, count(dims)), dims))
      const Y = copy(y, isRows ? [B, L, H * E] : [B, H, L, E])
      return { Y, present_key, present_value, ...(step && { qk_matmul_output: copy(asked, [B, H, L, T]) }) }
    })
  } finally {
    core.giveCall(call)
  }
}

/**
 * Checks nonpad_kv_seqlen.
 * @param {OnnxInputs['nonpad_kv_seqlen']} given
 * @param {number} B
 * @param {number} S
 * @returns {number[] | undefined}
 */
function checkLengths(given, B, S) {
  if (given === undefined) return undefined
  const name = `${WHERE}: nonpad_kv_seqlen`
  const tensor = toTensor(given, name, true)
  expectDims(tensor, [B], name, '(B)')
  return Array.from(tensor.data, (n, b) => toNumber(n, `${name}[${b}]`, { least: 0, most: S, whole: true }))
}
