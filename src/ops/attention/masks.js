// The masks of attention: options that hide keys, or lower their scores by position. Each mask has its options, their check, and the words
// of struct qkv_attention that it writes (read by src/kernel/mask.h). To add a mask, add its option to MaskOptions and MASK_OPTIONS, and an
// entry to MASKS.

import { expectDims, toBoolean, toNumber } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats, toOperand } from '../../base/operand.js'
import { ATTENTION_WORDS, OPEN } from '../../runtime/abi.js'
import { indices } from '../../runtime/structs.js'
import { alibiSlopes } from './alibi.js'

/** @import { Nested, Tensor, TensorLike } from '../../base/tensor.js' */
/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall, Broadcast } from '../../runtime/attention-call.js' */
/** @typedef {Record<string, string>} Names of options in errors: `names.window` is 'attention: window' */

/**
 * @typedef {object} MaskOptions
 * @property {boolean} [causal] query i sees only keys j <= i + pastLength; default false
 * @property {readonly [number, number]} [window] [left, right]: query i sees keys i + pastLength - left
 *   ... i + pastLength + right only; Infinity leaves a side open
 * @property {number | ArrayLike<number>} [pastLength] the position of the first query, which is the number of keys before it (in a cache).
 *   One number for all batches or one for each; may be negative; default 0
 * @property {TensorLike | Nested} [mask] boolean: true is visible; float: added to the scores after scale and softcap, -Infinity hides the
 *   key. Broadcast to (B, H, L, S) as numpy does
 * @property {TensorLike | Nested} [bias] float, added to the scores after scale and softcap; can be combined with a boolean mask
 * @property {true | TensorLike | Nested} [alibi] slopes (H): -slope * distance is added to the scores; true: alibiSlopes(H).
 *   Positions beyond 2^24 are rounded to float32, and so are the distances
 * @property {ArrayLike<number>} [keyLengths] (B): batch b sees only its first keyLengths[b] keys
 */

/**
 * @typedef {object} Mask
 * @property {(call: AttentionCall, options: MaskOptions, names: Names, where: string) => void} check stores the checked values in the call
 *   and resets those of options that are not given
 * @property {(core: Core, call: AttentionCall, at: number) => void} write writes the mask's words into the struct that begins at word `at`.
 *   Allocating may replace `core.words`, so `write` must read them after that
 */

/** The index of each word of struct qkv_attention. */
const AT = indices(ATTENTION_WORDS)
const MOST_BATCHES = 2 ** 24
const POSITION = { least: -(2 ** 31), most: 2 ** 31 - 1, whole: true }
const SIDE = { least: 0, whole: true, open: true }

/**
 * @template {import('../../base/tensor.js').TensorData} T
 * @param {Tensor<T>} tensor
 * @param {readonly number[]} full (B, H, L, S)
 * @param {string} name
 * @returns {Broadcast<T>}
 */
export function broadcast(tensor, full, name) {
  const { dims } = tensor
  const missing = full.length - dims.length
  const fits = missing >= 0 && dims.every((size, axis) => size === 1 || size === full[axis + missing])
  if (!fits)
    throw new RangeError(
      `${name}: dims ${shape(dims)} do not broadcast to (B, H, L, S) = ${shape(full)}: ` +
        'from the last axis on, each size must be equal or 1',
    )
  let stride = 1
  const strides = [0, 0, 0, 0]
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    if (dims[axis] !== 1) strides[axis + missing] = stride
    stride *= dims[axis]
  }
  const [batch, head, row, column] = strides
  return { tensor, batch, head, row, column }
}

/** @param {Core} core @param {number} at @param {Broadcast | undefined} mask */
function writeBroadcast(core, at, mask) {
  if (!mask) return
  const data = core.toMemory(mask.tensor)
  const { words } = core
  words[at] = data
  words[at + 1] = mask.batch
  words[at + 2] = mask.head
  words[at + 3] = mask.row
  words[at + 4] = mask.column
}

/**
 * @param {ArrayLike<number>} given one integer for each batch
 * @param {number} B
 * @param {string} name
 * @param {Parameters<typeof toNumber>[2]} range
 */
function perBatch(given, B, name, range) {
  if (typeof given !== 'object' || given === null || typeof given.length !== 'number')
    throw new TypeError(`${name}: expected one length for each batch, got ${describe(given)}`)
  if (given.length !== B)
    throw new RangeError(`${name}: expected one length for each of ${B} batches, got ${given.length}`)
  return Array.from(given, (length, b) => toNumber(length, `${name}[${b}]`, range))
}

/**
 * @param {number | ArrayLike<number>} pastLength
 * @param {number} B
 * @param {string} name
 */
function checkPast(pastLength, B, name) {
  if (typeof pastLength === 'object') return Int32Array.from(perBatch(pastLength, B, name, POSITION))
  if (B > MOST_BATCHES) throw new RangeError(`${name}: expected at most ${MOST_BATCHES} batches, got ${B}`)
  return new Int32Array(B).fill(toNumber(pastLength, name, POSITION))
}

/** causal, window and pastLength: one window around the diagonal. @type {Mask} */
const span = {
  check(call, { pastLength, window, causal }, names) {
    call.past =
      pastLength === undefined || pastLength === 0 ? undefined : checkPast(pastLength, call.B, names.pastLength)
    call.left = Infinity
    call.right = Infinity
    if (window !== undefined) {
      if (!Array.isArray(window) || window.length !== 2)
        throw new TypeError(`${names.window}: expected [left, right], got ${describe(window)}`)
      call.left = toNumber(window[0], names['window[0]'], SIDE)
      call.right = toNumber(window[1], names['window[1]'], SIDE)
    }
    if (causal !== undefined && toBoolean(causal, names.causal)) call.right = 0
  },
  write(core, call, at) {
    const past = call.past ? core.copyIn(call.past) : 0
    const { words } = core
    words[at + AT.past] = past
    words[at + AT.left] = Math.min(call.left, OPEN)
    words[at + AT.right] = Math.min(call.right, OPEN)
  },
}

/**
 * Checks mask and bias, and stores them in the call. A float mask is stored as a bias, because both are added to the scores.
 * @param {AttentionCall} call
 * @param {MaskOptions} options
 * @param {string} where
 * @param {Names} names
 */
export function checkMasks(call, { mask, bias }, where, names) {
  call.mask = undefined
  call.bias = undefined
  if (mask === undefined && bias === undefined) return
  const full = [call.B, call.H, call.L, call.S]
  const masking = mask === undefined ? undefined : toOperand(mask, names.mask)
  const isBoolean = masking?.dtype === 'bool'
  if (masking && !isBoolean && bias !== undefined)
    throw new TypeError(
      `${where}: mask is a ${masking.dtype} tensor, which is added like bias: pass their sum as bias and leave mask out`,
    )
  if (masking && isBoolean) call.mask = broadcast(masking, full, names.mask)
  else if (masking) call.bias = broadcast(toFloats(masking, names.mask), full, names.mask)
  if (bias !== undefined) call.bias = broadcast(toFloats(bias, names.bias), full, names.bias)
}

/** mask and bias: tensors that are broadcast to one value per query and key. @type {Mask} */
const maskAndBias = {
  check: (call, options, names, where) => checkMasks(call, options, where, names),
  write(core, call, at) {
    writeBroadcast(core, at + AT['mask.data'], call.mask)
    writeBroadcast(core, at + AT['bias.data'], call.bias)
  },
}

/**
 * @param {unknown} alibi
 * @param {number} H
 * @param {string} name
 */
function checkAlibi(alibi, H, name) {
  if (alibi === true) return alibiSlopes(H)
  if (typeof alibi !== 'object')
    throw new TypeError(`${name}: expected true or one slope for each head, got ${describe(alibi)}`)
  const slopes = toFloats(alibi, name)
  expectDims(slopes, [H], name, '(H)')
  for (let h = 0; h < H; h++) toNumber(slopes.data[h], `${name}[${h}]`)
  return slopes
}

/** ALiBi: scores fall with distance, by a slope for each head. @type {Mask} */
const alibi = {
  check(call, options, names) {
    call.masks.alibi = options.alibi === undefined ? undefined : checkAlibi(options.alibi, call.H, names.alibi)
  },
  write(core, { masks: { alibi } }, at) {
    const slopes = alibi ? core.toMemory(alibi) : 0
    core.words[at + AT.alibi] = slopes
  },
}

/** For batches padded at the end: hides the keys after the first keyLengths[b]. @type {Mask} */
const keyLengths = {
  check(call, { keyLengths }, names) {
    const range = { least: 0, most: call.S, whole: true }
    call.masks.keyLengths =
      keyLengths === undefined ? undefined : Uint32Array.from(perBatch(keyLengths, call.B, names.keyLengths, range))
  },
  write(core, { masks: { keyLengths } }, at) {
    const lengths = keyLengths ? core.copyIn(keyLengths) : 0
    core.words[at + AT.key_lengths] = lengths
  },
}

/** All masks, in the order in which they are checked. */
export const MASKS = [span, maskAndBias, alibi, keyLengths]

/** The names of the options of all masks. @type {readonly (keyof MaskOptions)[]} */
export const MASK_OPTIONS = ['causal', 'window', 'pastLength', 'mask', 'bias', 'alibi', 'keyLengths']
