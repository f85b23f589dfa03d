// Keys that every query sees beside those of the sequence: torch's add_bias_kv and add_zero_attn.

import { Tensor, toFloats, toOperand } from '../base/tensor.js'
import { broadcast } from '../ops/attention-options.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/attention-call.js').AttentionCall} AttentionCall */
/** @typedef {import('../ops/attention-options.js').AttentionOptions} AttentionOptions */
/** @typedef {import('../runtime/attention-call.js').FloatTensor} FloatTensor */

/** Options that select keys by their position; the extra keys have no position. */
const BY_PLACE = /** @type {const} */ (['window', 'pastLength', 'keyLengths', 'alibi'])

/**
 * (B, S, E) in the module's memory, with the extra rows appended to each batch.
 * @param {Core} core
 * @param {number} from address of (B, S, E)
 * @param {number} B
 * @param {number} S
 * @param {FloatTensor[]} rows of E values each
 * @returns {number} address of (B, S + rows, E)
 */
export function appendRows(core, from, B, S, rows) {
  if (rows.length === 0) return from
  const E = rows[0].dims[0]
  const to = core.allocFloats(B * (S + rows.length) * E)
  const { floats } = core
  for (let b = 0, at = to / 4; b < B; b++) {
    const start = from / 4 + b * S * E
    floats.copyWithin(at, start, start + S * E)
    at += S * E
    for (const row of rows) {
      floats.set(row.data, at)
      at += E
    }
  }
  return to
}

/**
 * A mask over S + extra keys: all queries see the extra ones; causal hides later keys.
 * @template {FloatTensor | Tensor<Uint8Array>} T
 * @param {T | undefined} mask
 * @param {T['data']} values of no mask: [hidden, seen]
 * @param {boolean} causal
 * @param {{ L: number, S: number }} sizes
 * @param {number} extra
 * @returns {T}
 */
function extend(mask, values, causal, { L, S }, extra) {
  const [hidden, seen] = values
  const dims = mask?.dims ?? []
  const columns = dims.at(-1) ?? 1
  const rows = dims.at(-2) ?? 1
  const data = mask?.data ?? values.slice(1)
  const tall = causal ? L : rows
  const maps = data.length / (rows * columns || 1)
  const Type = /** @type {new (length: number) => T['data']} */ (values.constructor)
  const out = new Type(maps * tall * (S + extra)).fill(seen)
  for (let n = 0, at = 0; n < maps * tall; n++, at += extra)
    for (let j = 0; j < S; j++, at++) {
      const row = Math.floor(n / tall) * rows + (rows === 1 ? 0 : n % tall)
      out[at] = causal && j > n % tall ? hidden : data[row * columns + (columns === 1 ? 0 : j)]
    }
  return /** @type {T} */ (/** @type {unknown} */ (new Tensor(out, [...dims.slice(0, -2), tall, S + extra])))
}

/**
 * The options that change when there are S + extra keys.
 * @param {AttentionCall} call with the sizes of the sequence
 * @param {AttentionOptions} options
 * @param {number} extra
 * @param {string} where
 * @returns {Pick<AttentionOptions, 'causal' | 'mask' | 'bias'>}
 */
export function extendMasks(call, options, extra, where) {
  for (const name of BY_PLACE)
    if (options[name] !== undefined)
      throw new TypeError(
        `${where}: ${name} with addBiasKV or addZeroAttn: the extra keys have no position; give a mask over the ${call.S} keys`,
      )
  const { mask, bias, causal = false } = options
  if (mask === undefined && bias === undefined && !causal) return {}
  const full = [call.B, call.H, call.L, call.S]
  const masking = mask === undefined ? undefined : toOperand(mask, `${where}: mask`)
  if (masking) broadcast(masking, full, `${where}: mask`)
  const isFloat = masking !== undefined && masking.dtype !== 'bool'
  const adding = bias === undefined ? undefined : toFloats(bias, `${where}: bias`)
  if (adding) broadcast(adding, full, `${where}: bias`)
  const hides = isFloat
    ? extend(toFloats(masking, `${where}: mask`), Float32Array.of(-Infinity, 0), causal, call, extra)
    : extend(/** @type {Tensor<Uint8Array> | undefined} */ (masking), Uint8Array.of(0, 1), causal, call, extra)
  return {
    causal: false,
    mask: masking || causal ? hides : undefined,
    bias: adding && extend(adding, Float32Array.of(-Infinity, 0), false, call, extra),
  }
}
