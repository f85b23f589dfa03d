// Extra keys that every query sees in addition to those of the sequence, for torch's add_bias_kv and add_zero_attn.

import { toBoolean } from '../../base/arguments.js'
import { valuesOf } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { MASK_OPTIONS } from './masks.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall, Broadcast, FloatTensor } from '../../runtime/attention-call.js' */
/** @import { AttentionOptions } from './arguments.js' */

/** Mask options that can be extended to extra keys. Other masks select keys by position, which extra keys lack. */
const JOINED = ['causal', 'mask', 'bias']

/**
 * Copies (B, S, E) in the module's memory, with extra rows after those of each batch.
 * @param {Core} core
 * @param {number} from address of (B, S, E)
 * @param {number} B
 * @param {number} S
 * @param {FloatTensor[]} rows of E values each
 * @returns {number} address of (B, S + rows, E); `from` if `rows` is empty
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
 * Merges masks (or biases) into one over S + extra keys. All queries see the extra keys; `causal` hides later keys of the sequence.
 * @param {Broadcast[]} parts
 * @param {boolean} areMasks
 * @param {AttentionCall} call with the sizes of the sequence
 * @param {number} extra number of extra keys
 * @param {boolean} [causal]
 * @returns {Tensor} with size 1 for axes along which all `parts` are constant
 */
function join(parts, areMasks, { B, H, L, S }, extra, causal = false) {
  const values = parts.map(({ tensor }) => valuesOf(tensor))
  const size = (/** @type {'batch' | 'head' | 'row'} */ axis, /** @type {number} */ n) =>
    parts.some(part => part[axis]) ? n : Math.min(n, 1)
  const dims = [size('batch', B), size('head', H), causal ? L : size('row', L), S + extra]
  const data = new (areMasks ? Uint8Array : Float32Array)(count(dims)).fill(areMasks ? 1 : 0)
  for (let n = 0, at = 0; at < data.length; n++, at += extra) {
    const row = n % dims[2]
    const map = Math.floor(n / dims[2])
    const head = map % dims[1]
    const batch = Math.floor(map / dims[1])
    for (let j = 0; j < S; j++, at++) {
      parts.forEach((part, i) => {
        const value = values[i][batch * part.batch + head * part.head + row * part.row + j * part.column]
        if (!areMasks) data[at] += value
        else if (!value) data[at] = 0
      })
      if (causal && j > row) data[at] = 0
    }
  }
  return new Tensor(data, dims)
}

/**
 * Returns the options that padding and extra keys change, with their new values.
 * @param {AttentionCall} call with the sizes of the sequence, its mask and bias checked
 * @param {AttentionOptions} options
 * @param {Broadcast | undefined} padding a mask: 0 for keys that are padding, else 1
 * @param {number} extra number of extra keys
 * @param {string} where
 * @returns {Pick<AttentionOptions, 'causal' | 'mask' | 'bias'>}
 */
export function joinMasks(call, options, padding, extra, where) {
  if (extra)
    for (const name of MASK_OPTIONS)
      if (!JOINED.includes(name) && options[name] !== undefined)
        throw new TypeError(
          `${where}: ${name} with addBiasKV or addZeroAttn: the extra keys have no position; give a mask over the ${call.S} keys`,
        )
  const causal = extra > 0 && options.causal !== undefined && toBoolean(options.causal, `${where}: causal`)
  const masks = [call.mask, padding].filter(mask => mask !== undefined)
  const { bias } = call
  return {
    causal: causal ? undefined : options.causal,
    mask: masks.length || causal ? join(masks, true, call, extra, causal) : undefined,
    bias: bias && extra ? join([bias], false, call, extra) : bias?.tensor,
  }
}
