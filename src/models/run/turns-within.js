// Splits long calls into parts, which compute some of the rows each, so that other tasks can run in between. Each row has the same bits as
// in the undivided call. Letters are those of network.js.

import { count, Tensor } from '../../base/tensor.js'
import { checkAttention, ATTENTION as LABELS } from '../../ops/attention/arguments.js'
import { writeCall } from '../../ops/attention/forward.js'
import { finishSummary, putSummary } from '../../ops/attention/summary.js'
import { ATTENTION_WORDS, SUMMARY_WORDS } from '../../runtime/abi.js'
import { AttentionCall } from '../../runtime/attention-call.js'
import { expectCore } from '../../runtime/core-of.js'
import { embed as embedRows } from './network.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ResidentTensor as Resident } from '../../runtime/resident.js' */
/** @template T @typedef {import('./network.js').RunSteps<T>} RunSteps */

/** Multiply-adds per part: about 20 to 40 ms on one thread. */
const PART = 2e8
/** Minimum rows per part of a matrix product, because fewer rows would run in another kernel. */
const LEAST_ROWS = 64

/** Number of embedding values per part. */
const EMBEDDED = 2 ** 17

/**
 * Does the same as `embed` of network.js.
 * @param {import('../family-shapes/parts.js').EmbeddingSpec} embedding
 * @param {import('./network.js').ModelOperations} ops
 * @param {Parameters<typeof embedRows>[2]} input
 * @returns {RunSteps<FloatTensor>} (B, L, C)
 */
export function* embed(embedding, ops, { ids, rows, types, positions, B, L }) {
  const C = embedding.tokens.columns
  const out = new Float32Array(ids.length * C)
  const step = Math.ceil(EMBEDDED / C)
  for (let first = 0; first < ids.length; first += step) {
    const end = Math.min(ids.length, first + step)
    const part = embedRows(embedding, ops, {
      ids: ids.subarray(first, end),
      rows: rows?.part(first * C, [end - first, C]),
      types: types?.subarray(first, end),
      positions: positions.subarray(first, end),
      B: 1,
      L: end - first,
    })
    out.set(part.data, first * C)
    yield []
  }
  return new Tensor(out, [B, L, C])
}

/** Returns a view of rows. @param {FloatTensor} x @param {number} from @param {number} to @returns {FloatTensor} rows of (rows, size), in the same memory */
const rowsOf = (x, from, to) => x.part(from * x.dims[1], [to - from, x.dims[1]])

/**
 * True if the products of linear layers with the same x are long enough to be split.
 * @param {readonly import('../family-shapes/parts.js').LinearSpec[]} specs
 * @param {FloatTensor} x (..., in)
 */
export const isLong = (specs, x) => count(x.dims) * specs.reduce((sum, spec) => sum + spec.out, 0) >= 2 * PART

/**
 * Computes the product of a linear layer.
 * @param {import('./network.js').ModelOperations} ops
 * @param {import('../family-shapes/parts.js').LinearSpec} spec
 * @param {FloatTensor} x (..., in)
 * @param {import('./network.js').DenseOptions} options
 * @param {FloatTensor[]} live tensors that are still needed
 * @returns {RunSteps<FloatTensor>} (..., out)
 */
export function* dense(ops, spec, x, { residual, ...options }, live) {
  const { qkv, weights } = ops
  const rows = count(x.dims) / spec.in
  const step = Math.max(LEAST_ROWS, Math.floor(PART / (spec.in * spec.out)))
  if (rows < 2 * step) return ops.dense(spec, x, { residual, ...options })
  const out = qkv.alloc([...x.dims.slice(0, -1), spec.out])
  const [from, to, more] = [x, out, residual].map(each => each?.reshape([rows, each.dims[each.dims.length - 1]]))
  for (let first = 0; first < rows; ) {
    const end = rows - first < 2 * step ? rows : first + step
    const [own, target, extra] = [from, to, more].map(each => each && rowsOf(each, first, end))
    weights.linear(spec).forward(/** @type {FloatTensor} */ (own), { ...options, residual: extra, out: target })
    first = end
    if (first < rows) yield [out, x, ...(residual ? [residual] : []), ...live]
  }
  return out
}

/**
 * Does the same as `qkv.attention` with the option numHeads.
 * @param {Qkv} qkv
 * @param {FloatTensor} q (B, L, H * D)
 * @param {FloatTensor} k
 * @param {FloatTensor} v
 * @param {import('../../ops/attention/arguments.js').AttentionOptions & { out: Resident } & import('../../ops/attention/arguments.js').SummaryOption} options
 * @param {FloatTensor[]} live tensors that are still needed
 * @returns {RunSteps<import('../../ops/attention/forward.js').Attended>}
 */
export function* attend(qkv, q, k, v, options, live) {
  const core = expectCore(qkv)
  const call = new AttentionCall()
  checkAttention(call, q, k, v, options, LABELS)
  const { H, D, E, pairs, summary } = call
  const work = 2 * H * pairs * (D + E)
  if (work < 2 * PART) return qkv.attention(q, k, v, options)
  const { out } = options
  const inside = [q, k, v].map(x => {
    if (core.residentOf(x)) return /** @type {Resident} */ (x)
    const copy = qkv.alloc(x.dims)
    copy.data.set(x.data)
    return copy
  })
  const name = summary ? 'qkv_summary' : 'qkv_attention'
  const words = (summary ? SUMMARY_WORDS : ATTENTION_WORDS).length
  /** Writes the struct of the call, whose memory lasts for one step only. */
  const write = () => {
    const [qAt, kAt, vAt] = inside.map(({ address }) => address)
    return writeCall(core, call, qAt, kAt, vAt, out.address, true, true, words)
  }
  /** @type {Resident | undefined} */
  let held
  /** Assigns addresses in `held` to the arrays of the summary; without `held`, only counts their size. @param {number} args */
  const place = args => {
    let [at, size] = [held?.address ?? 0, 0]
    const addresses =
      summary &&
      putSummary(core, held ? summary : { ...summary, same: undefined }, args, floats => {
        const own = at
        at += Math.ceil(floats / 4) * 16
        size += Math.ceil(floats / 4) * 4
        return own
      })
    return { addresses, size: size + (summary?.same?.length ?? 0) + 4 }
  }
  const { units, scratch, size } = core.scope(() => {
    const args = write()
    const { size } = place(args)
    return { units: core.exports[`${name}_units`](args), scratch: core.exports[`${name}_scratch`](args), size }
  })
  if (summary) held = qkv.alloc([size])
  const many = Math.max(1, Math.floor((PART / work) * units))
  for (let first = 0; first < units; ) {
    const own = Math.min(many, units - first)
    core.scope(() => {
      const args = write()
      place(args)
      const job = { kernel: `${name}_part`, args: [args], work: (work * own) / units, units: own, first, scratch }
      if (!core.threads?.run(core, job)) core.call(job.kernel, args, first, own, core.alloc(scratch))
    })
    first += own
    yield [...inside, out, ...(held ? [held] : []), ...live]
  }
  if (!summary) return { output: out }
  return core.scope(() => {
    const args = write()
    const { addresses = [] } = place(args)
    return { output: out, summary: finishSummary(core, call, summary, args, addresses) }
  })
}
