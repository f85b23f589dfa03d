// Attention on rows with heads side by side: q (B, L, H * D), k (B, S, G * D), v (B, S, G * E), or all without B. Alternatively one tensor
// with all three, (B, L, (H + 2 G) * D), as one linear layer outputs it.

import { toNumber } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { count } from '../../base/tensor.js'
import { GENERATOR_BYTES } from '../../runtime/abi.js'
import { AttentionCall } from '../../runtime/attention-call.js'
import { indices } from '../../runtime/structs.js'
import { BACKWARD_WORDS } from '../nn-abi.js'
import { toOperation } from '../operation.js'
import { ATTENTION_OPTIONS, checkOptions, HEAD_OPTIONS, labels } from './arguments.js'
import { runBackward } from './backward.js'
import { putTensor, run as runAttention, writeCall } from './forward.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/**
 * @typedef {{ numHeads: number, numKvHeads?: number } & import('./arguments.js').AttentionOptions} RowOptions
 *   numKvHeads: default numHeads
 */

const KNOWN = [...ATTENTION_OPTIONS, ...HEAD_OPTIONS]
export const LABELS = {
  attention: labels('attention', [], KNOWN),
  packedAttention: labels('packedAttention', [], KNOWN),
}
const AT = indices(BACKWARD_WORDS)
const WHOLE = { least: 1, most: 2 ** 32 - 1, whole: true }

/**
 * Checks the dims of the operands and returns their sizes, and isPacked: true if one operand holds q, k and v.
 * @param {FloatTensor[]} operands q, k and v
 * @param {{ numHeads?: number, numKvHeads?: number }} options
 * @param {string} where
 */
function checkRows([q, k, v], { numHeads, numKvHeads }, where) {
  const H = toNumber(numHeads, `${where}: numHeads`, WHOLE)
  const G = toNumber(numKvHeads ?? H, `${where}: numKvHeads`, WHOLE)
  if (H % G) throw new RangeError(`${where}: numKvHeads: expected a divisor of numHeads ${H}, got ${G}`)
  const isPacked = !k && !v
  const parts = isPacked ? [H + 2 * G] : [H, G, G]
  const rank = q.dims.length
  const sizes = (isPacked ? [q] : [q, k, v]).map((x, i) => {
    const { dims } = x ?? { dims: [] }
    const fits = dims.length === rank && (rank === 2 || (rank === 3 && dims[0] === q.dims[0]))
    if (!fits || dims[rank - 1] % parts[i])
      throw new RangeError(
        `${where}: ${'qkv'[i]}: expected (B, rows, heads * size) with ${parts[i]} heads, or all without B, ` +
          `got dims ${shape(dims)} and ${shape(q.dims)} of q; q, k and v may also be one tensor`,
      )
    return dims[rank - 1] / parts[i]
  })
  const [D, , E = D] = sizes
  const [B, L] = [rank > 2 ? q.dims[0] : 1, q.dims[rank - 2]]
  const S = isPacked ? L : k.dims[rank - 2]
  if (!isPacked && (sizes[1] !== D || v.dims[rank - 2] !== S))
    throw new RangeError(
      `${where}: expected k (B, S, ${G * D}) and v (B, S, G * E), got dims ${shape(k.dims)} and ${shape(v.dims)}`,
    )
  return { isPacked, B, H, G, L, S, D, E }
}

/** @type {import('../operation.js').Prepare} */
export function prepareAttention(core, [q, bias, sinks, k, v], options, where) {
  const { isPacked, B, H, G, L, S, D, E } = checkRows([q, k, v], options, where)
  const call = new AttentionCall()
  const names = where === 'attention' ? LABELS.attention : LABELS.packedAttention
  const read = (/** @type {object} */ given) => {
    call.setSizes(B, H, G, L, S, E)
    checkOptions(call, D, D, Object.assign(Object.create(null), given, { bias, sinks }), names)
    if (call.additive)
      throw new TypeError(
        `${where}: additive scores are not for rows of heads: take qkv.attention and attentionBackward`,
      )
  }
  /** Writes q, k and v, or their gradients, into the struct at word `at`. @param {number} at @param {string[]} names @param {number[]} addresses */
  const put = (at, names, [first, second, third]) => {
    const starts = isPacked ? [first, first + H * D * 4, first + (H + G) * D * 4] : [first, second, third]
    names.forEach((name, i) => {
      const place = at + AT[/** @type {'q.data'} */ (`${name}.data`)]
      putTensor(core.words, place, starts[i], i ? G : H, i ? S : L, i < 2 ? D : E, true)
      if (!isPacked) return
      core.words[place + 1] = L * (H + 2 * G) * D
      core.words[place + 3] = (H + 2 * G) * D
    })
  }
  /** @param {number[]} at @param {number} y @param {number} state of the generator */
  const write = ([q, , , k, v], y, state) => {
    const args = writeCall(core, call, q, k, v, y, true, true, BACKWARD_WORDS.length)
    put(args / 4, ['q', 'k', 'v'], [q, k, v])
    if (!call.dropout) return args
    core.floats[args / 4 + AT.dropout] = call.dropout.p
    core.words[args / 4 + AT.generator] = state
    return args
  }
  const dims = [...q.dims.slice(0, -1), H * E]
  /** Copies the state of the generator to the address `saved` unless it is 0, then calls `run` with the address of the state. @type {(saved: number, run?: (state: number) => void) => void} */
  const keepState = (saved, run) =>
    call.dropout?.generator.withState(core, state => {
      if (saved) core.bytes.copyWithin(saved, state, state + GENERATOR_BYTES)
      run?.(state)
    })
  return {
    dims,
    gradients: { dX: q.dims, dBias: bias?.dims, dSinks: sinks?.dims },
    saved: GENERATOR_BYTES / 4,
    run(at, y, saved, given) {
      read(given)
      if (call.dropout) keepState(saved, state => runAttention(core, write(at, y, state), false))
      else runAttention(core, write(at, y, 0), false, call)
    },
    save(_, saved, given) {
      read(given)
      keepState(saved)
    },
    differentiate(at, dY, to, saved) {
      const rows = [0, 3, 4] // q, k and v, whose gradients the kernel always computes
      const targets = [q, bias, sinks, k, v].map(
        (x, i) => to[i]?.at ?? (x && rows.includes(i) ? core.allocFloats(count(x.dims)) : 0),
      )
      const flags = rows.map(i => to[isPacked ? 0 : i]?.accumulate ?? 0)
      const args = write(at, 0, saved)
      const words = args / 4
      putTensor(core.words, words + AT['d_out.data'], dY, H, L, E, true)
      put(
        words,
        ['dq', 'dk', 'dv'],
        rows.map(i => targets[i]),
      )
      core.words[words + AT.d_bias] = targets[1]
      core.words[words + AT.d_sinks] = targets[2]
      for (const [i, x] of [bias, sinks].entries())
        if (to[i + 1]?.accumulate === 0) core.floats.fill(0, targets[i + 1] / 4, targets[i + 1] / 4 + count(x.dims))
      core.words[words + AT.accumulate] = flags[0] + 2 * flags[1] + 4 * flags[2]
      runBackward(core, args, call)
    },
  }
}

/**
 * Attention as an operation of a tape, with the operands q, a bias of the scores, sinks, k and v. Options other than the numbers of heads
 * are passed at each step.
 */
export const rowAttention = toOperation(['q', 'bias?', 'sinks?', 'k?', 'v?'], {
  options: ['numHeads', 'numKvHeads'],
  prepare: prepareAttention,
})
