import { expectDims, sizeOf } from '../../base/arguments.js'
import { count, Tensor } from '../../base/tensor.js'
import {
  ATTENTION_WORDS,
  MASKING,
  SCORE,
  SOFTMAX_AXIS,
  SUMMARY_WORDS,
  TRACE_STEPS,
  TRACE_WORDS,
} from '../../runtime/abi.js'
import { checkOut, expectApart, freshOutput, renewed } from '../../runtime/outputs.js'
import { indices } from '../../runtime/structs.js'
import { multiply, toWeights } from '../linear/forward.js'
import { ATTENTION, checkAttention, stepName, TRACE } from './arguments.js'
import { MASKS } from './masks.js'
import { summarize } from './summary.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall, FloatTensor } from '../../runtime/attention-call.js' */

/** @typedef {typeof TRACE_STEPS[number]} TraceStep */

/** The index of each word of struct qkv_trace, which begins with struct qkv_attention. */
const AT = indices(TRACE_WORDS)
const NO_TEXTS = [0, 0]

/**
 * Writes struct qkv_tensor (address and strides) for a contiguous tensor (B, heads, rows, columns), or (B, rows, heads * columns) with
 * `inRows`.
 * @param {Uint32Array} words
 * @param {number} at
 * @param {number} data address of the tensor
 * @param {number} heads
 * @param {number} rows
 * @param {number} columns
 * @param {boolean} inRows
 */
export function putTensor(words, at, data, heads, rows, columns, inRows) {
  words[at] = data
  words[at + 1] = heads * rows * columns
  words[at + 2] = inRows ? columns : rows * columns
  words[at + 3] = inRows ? heads * columns : columns
}

/**
 * Writes struct qkv_attention, followed by zeros if it begins a larger struct. Must be called within a scope.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} q address, as k, v and out
 * @param {number} k
 * @param {number} v
 * @param {number} out
 * @param {boolean} inRows true if the heads of q and out are side by side in rows
 * @param {boolean} keysInRows true if the heads of k and v are side by side in rows
 * @param {number} size words of the whole struct
 * @returns {number} address of the struct
 */
export function writeCall(core, call, q, k, v, out, inRows, keysInRows, size) {
  const { B, H, G, L, S, D, E, keyRows, additive } = call
  const wV = additive ? core.toMemory(additive.v) : 0
  const sinks = call.sinks ? core.toMemory(call.sinks) : 0
  const [textsQ, textsK] = call.texts ? [core.copyIn(call.texts.q), core.copyIn(call.texts.k)] : NO_TEXTS
  const args = core.alloc(size * 4)

  // Nothing may be allocated while these views are in use, because the memory may move.
  const { words, floats } = core
  const at = args / 4
  words.fill(0, at, at + size)
  words[at + AT.B] = B
  words[at + AT.H] = H
  words[at + AT.G] = G
  words[at + AT.L] = L
  words[at + AT.S] = S
  words[at + AT.D] = D
  words[at + AT.E] = E
  putTensor(words, at + AT['q.data'], q, H, L, D, inRows)
  putTensor(words, at + AT['k.data'], k, G, keyRows, D, keysInRows)
  putTensor(words, at + AT['v.data'], v, G, keyRows, E, keysInRows)
  putTensor(words, at + AT['out.data'], out, H, L, E, inRows)
  words[at + AT.score] = SCORE[call.kind]
  floats[at + AT.scale] = call.scale
  floats[at + AT.sigma] = call.sigma
  words[at + AT.w_v] = wV
  floats[at + AT.softcap] = call.softcap
  words[at + AT.sinks] = sinks
  words[at + AT.cu_seqlens_q] = textsQ
  words[at + AT.cu_seqlens_k] = textsK
  for (const mask of MASKS) mask.write(core, call, at)
  return args
}

/**
 * Runs the fused kernel, or with `steps` the trace, on tensors in the module's memory, given by their addresses. Must be called within a
 * scope.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} q
 * @param {number} k
 * @param {number} v
 * @param {number} out
 * @param {boolean} inRows true if the heads of q and out are side by side in rows
 * @param {Partial<Record<TraceStep, number>>} [steps] addresses for the steps of a trace
 * @param {boolean} [keysInRows] true if the heads of k and v are side by side in rows; default inRows
 */
export function runAttention(core, call, q, k, v, out, inRows, steps, keysInRows = inRows) {
  const size = (steps ? TRACE_WORDS : ATTENTION_WORDS).length
  const args = writeCall(core, call, q, k, v, out, inRows, keysInRows, size)
  if (steps) {
    const at = args / 4
    const { words } = core
    words[at + AT.softmax_axis] = SOFTMAX_AXIS[call.softmaxAxis]
    words[at + AT.masking] = MASKING[call.masking]
    for (const step of TRACE_STEPS) words[at + AT[step]] = steps[step] ?? 0
  }
  if (call.dropout) runWithDropout(core, args, call.dropout, run, steps !== undefined)
  else run(core, args, steps !== undefined, call)
}

/**
 * Runs a kernel with the state of a generator, which advances only if the kernel succeeds. This is a separate function so that only calls
 * with dropout allocate its closure.
 * @param {Core} core
 * @param {number} args address of a struct that starts with struct qkv_attention
 * @param {NonNullable<AttentionCall['dropout']>} dropout
 * @param {(core: Core, args: number, isTrace: boolean) => void} kernel
 * @param {boolean} [isTrace]
 */
export function runWithDropout(core, args, { p, generator }, kernel, isTrace = false) {
  generator.withState(core, state => {
    core.floats[args / 4 + AT.dropout] = p
    core.words[args / 4 + AT.generator] = state
    kernel(core, args, isTrace)
  })
}

/** @param {Core} core @param {number} args @param {boolean} isTrace @param {AttentionCall} [call] if given, threads may share the work */
export function run(core, args, isTrace, call) {
  if (isTrace) {
    const { words, exports, threads } = core
    const [B, H, , L, S, D, E] = words.subarray(args / 4, args / 4 + 7)
    const units = exports.qkv_trace_units(args)
    const job = { kernel: 'qkv_trace_part', args: [args], work: B * H * L * S * (500 + 4 * (D + E)), units, scratch: 0 }
    if (!threads?.run(core, job)) core.check('qkv_trace', exports.qkv_trace(args))
    return
  }
  if (call && core.threads?.attend(core, args, call)) return
  const scratch = core.alloc(core.exports.qkv_attention_scratch(args))
  core.words[args / 4 + AT.scratch] = scratch
  core.check('qkv_attention', core.exports.qkv_attention(args))
}

/**
 * Returns the address of what the kernel compares with keys: q, or for an additive score wQuery q + bias.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} q address of (B, H, L, size) or (B, L, H * size)
 * @returns {number} address of (..., call.D)
 */
export const projectQueries = (core, { H, queries, additive }, q) =>
  additive ? multiply(core, q, H * queries, toWeights(additive.wQuery, additive.wQuery.dims, additive.bias)) : q

/**
 * Returns the address of what the kernel compares with queries: k, or for an additive score wKey k.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} k
 */
export const projectKeys = (core, { G, keys, additive }, k) =>
  additive ? multiply(core, k, G * keys, toWeights(additive.wKey, additive.wKey.dims)) : k

/**
 * Copies q into the module's memory unless it is resident, and returns the result of projectQueries.
 * @param {Core} core
 * @param {AttentionCall} call
 */
export const queriesToMemory = (core, call) =>
  projectQueries(core, call, core.toMemory(call.q, call.additive ? undefined : call.deferredCopies))

/**
 * Copies k into the module's memory unless it is resident, and returns the result of projectKeys. With a cache, this is the address of the
 * visible keys.
 * @param {Core} core
 * @param {AttentionCall} call
 */
export function keysToMemory(core, call) {
  const { k, cache, D, additive, deferredCopies } = call
  if (!cache) return projectKeys(core, call, core.toMemory(k, additive ? undefined : deferredCopies))
  return projectKeys(core, call, cache.keysAt) + cache.first * D * 4
}

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {import('./arguments.js').AttentionOptions & import('./arguments.js').OutOption & import('./arguments.js').SummaryOption} options
 * @returns {Attended}
 */
export function attention(core, q, k, v, options) {
  const call = core.takeCall()
  try {
    checkAttention(call, q, k, v, options, ATTENTION)
    return attend(core, call, call.options.out)
  } finally {
    core.giveCall(call)
  }
}

/**
 * @typedef {{ output: FloatTensor, summary?: import('./summary.js').Summary }} Attended summary: if requested
 */

/**
 * Copies the inputs in and the output out unless they are resident, and runs the fused kernel.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {FloatTensor} [out] not checked yet
 * @returns {Attended}
 */
export function attend(core, call, out) {
  const to = out === undefined ? undefined : checkAttentionOut(call, out)
  core = core.threads?.prepareAttention(core, call, to) ?? core
  const { used } = core // `scope` would do the same, but allocate a closure
  try {
    const { H, E, queries, cache, deferredCopies } = call
    const n = H * queries * E
    const keysInRows = call.inRows && !cache
    const q = queriesToMemory(core, call)
    const k = keysToMemory(core, call)
    const v = cache ? cache.valuesAt + cache.first * E * 4 : core.toMemory(call.v, deferredCopies)
    const resident = to && core.residentOf(to)
    if (resident) {
      const summary = runFused(core, call, q, k, v, resident.address, keysInRows)
      if (out === resident && !summary) return resident.asOutput
      return reported(renewed(/** @type {FloatTensor} */ (out), resident), summary)
    }
    const fresh = deferredCopies && !to ? freshOutput(n, deferredCopies) : undefined
    const data = core.allocFloats(n)
    const summary = runFused(core, call, q, k, v, data, keysInRows)
    const numbers = core.copyOut(data, n, to?.data ?? fresh)
    return reported(out ?? new Tensor(numbers, call.outputDims), summary)
  } finally {
    core.top = core.base + used
  }
}

/** @param {Core} core @param {AttentionCall} call @param {number} q @param {number} k @param {number} v @param {number} out @param {boolean} keysInRows */
function runFused(core, call, q, k, v, out, keysInRows) {
  if (call.cache?.rows) return call.cache.attendRows(core, call, q, out)
  if (!call.summary) {
    runAttention(core, call, q, k, v, out, call.inRows, undefined, keysInRows)
    return undefined
  }
  const args = writeCall(core, call, q, k, v, out, call.inRows, keysInRows, SUMMARY_WORDS.length)
  return summarize(core, call, call.summary, args)
}

/** @param {FloatTensor} output @param {Attended['summary']} summary @returns {Attended} */
const reported = (output, summary) => (summary ? { output, summary } : { output })

/** @param {AttentionCall} call @param {FloatTensor} out */
function checkAttentionOut(call, out) {
  const name = ATTENTION.names.out
  const to = checkOut(out, name)
  const { q, k, v, mask, bias, B, H, L, E, inRows } = call
  const fits = !inRows && sizeOf(to, 4) === B && sizeOf(to, 3) === H && sizeOf(to, 2) === L && sizeOf(to, 1) === E
  if (!fits || to.dims.length !== q.dims.length)
    expectDims(to, call.outputDims, name, call.texts ? '(T, H, E)' : inRows ? '(B, L, H * E)' : '(..., L, E)')
  expectApart(to, q, name)
  expectApart(to, k, name)
  expectApart(to, v, name)
  expectApart(to, mask?.tensor, name)
  expectApart(to, bias?.tensor, name)
  return to
}

/**
 * Every step of an attention. The dims are (B, H, L, S), without the leading axes that q lacks, unless stated otherwise.
 * @typedef {object} Trace
 * @property {FloatTensor} scores score(q, k), before the scale
 * @property {FloatTensor} scaled scale * scores
 * @property {FloatTensor} [capped] softcap * tanh(scaled / softcap); with softcap only
 * @property {FloatTensor} masked the input of softmax: bias added, hidden keys -Infinity; with masking 'before' only
 * @property {FloatTensor} [logits] the input of softmax with masking 'after': no key is hidden yet
 * @property {FloatTensor} maxima (B, H, L), or (B, H, S) with softmaxAxis 'queries': the maximum of each line of the softmax
 * @property {FloatTensor} exponentials exp(masked - maxima), or exp(logits - maxima)
 * @property {FloatTensor} sums with the dims of maxima: the sum of each line of exponentials; with sinks plus exp(sink - maximum)
 * @property {FloatTensor} [fullWeights] with masking 'after' only: exponentials / sums, before keys are hidden
 * @property {FloatTensor} [zeroed] with masking 'after' only: fullWeights, hidden keys 0
 * @property {FloatTensor} [zeroedSums] with masking 'after' only, with the dims of maxima: the sum of each line of zeroed, plus the weight
 *   of the sink
 * @property {FloatTensor} weights the attention of each query to each key
 * @property {FloatTensor} [dropped] with dropout only: the weights after dropout
 * @property {FloatTensor} output (B, H, L, E); with numHeads (B, L, H * E)
 * @property {FloatTensor} [queries] (B, H, L, A), with numHeads (B, L, H, A): additive scores only, wQuery q + bias
 * @property {FloatTensor} [keys] (B, G, S, A), with numHeads (B, S, G, A): additive scores only, wKey k
 */

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {import('./arguments.js').TraceOptions} options
 * @returns {Trace} only the steps named in `keep`, if given
 */
export function trace(core, q, k, v, options) {
  const call = core.takeCall()
  try {
    checkAttention(call, q, k, v, options, TRACE)
    return core.scope(() => {
      const { B, H, G, L, S, D, E } = call
      core.reserve(4 * (traceSize(call) + B * (H * L * D + G * S * (D + E)))) // throws before any memory is used
      const [queries, keys] = [queriesToMemory(core, call), keysToMemory(core, call)]
      return copyTrace(core, call, runTrace(core, call, queries, keys, core.toMemory(call.v)))
    })
  } finally {
    core.giveCall(call)
  }
}

/** For steps that exist only with some options: true if a call has the step. @type {Record<string, (call: AttentionCall) => boolean>} */
const CONDITIONS = {
  capped: call => call.softcap > 0,
  dropped: call => call.dropout !== undefined,
  full_weights: call => call.masking === 'after',
  zeroed: call => call.masking === 'after',
  zeroed_sums: call => call.masking === 'after',
}

/** @typedef {Record<string, { address: number, dims: readonly number[], isSquare?: boolean }>} Steps of a trace in the module's memory; isSquare: dims are (B, H, L, S) */

/**
 * Returns the steps that a trace computes: those in `keep`, and those that the kernel needs anyway.
 * @param {AttentionCall} call
 */
function stepsOf(call) {
  const { B, H, L, S, masking, softmaxAxis, sinks } = call
  return TRACE_STEPS.map(step => {
    const name = step === 'masked' && masking === 'after' ? 'logits' : stepName(step)
    const isSquare = !['maxima', 'sums', 'zeroed_sums'].includes(step)
    return { step, name, isSquare, dims: [B, H, ...(isSquare ? [L, S] : [softmaxAxis === 'keys' ? L : S])] }
  }).filter(({ step, name }) => {
    const isNeeded = ['weights', 'dropped'].includes(step) || (step === 'zeroed_sums' && sinks)
    return (CONDITIONS[step]?.(call) ?? true) && (isNeeded || isKept(call, name))
  })
}

/** @param {AttentionCall} call @param {string} name */
const isKept = ({ keep }, name) => !keep || keep.includes(name)

/** Returns how many floats runTrace allocates. @param {AttentionCall} call */
export const traceSize = call =>
  stepsOf(call).reduce((sum, { dims }) => sum + count(dims), call.B * call.H * call.L * call.E)

/**
 * Runs the kernel that writes every step. Must be called within a scope.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} q address of the queries, projected
 * @param {number} k
 * @param {number} v
 * @returns {Steps} the steps to return, in order
 */
export function runTrace(core, call, q, k, v) {
  const { B, H, G, L, S, D, E, additive, inRows } = call
  const output = core.allocFloats(B * H * L * E)
  const made = stepsOf(call).map(step => ({ ...step, address: core.allocFloats(count(step.dims)) }))
  const addresses = Object.fromEntries(made.map(({ step, address }) => [step, address]))
  runAttention(core, call, q, k, v, output, inRows, addresses)
  /** @type {({ name: string } & Steps[string])[]} */
  const all = [...made, { name: 'output', address: output, dims: inRows ? [B, L, H * E] : [B, H, L, E] }]
  if (additive)
    all.push(
      { name: 'queries', address: q, dims: inRows ? [B, L, H, D] : [B, H, L, D] },
      { name: 'keys', address: k, dims: inRows ? [B, S, G, D] : [B, G, S, D] },
    )
  return Object.fromEntries(all.filter(({ name }) => isKept(call, name)).map(step => [step.name, step]))
}

/** @param {Core} core @param {AttentionCall} call @param {Steps} steps @returns {Trace} */
export const copyTrace = (core, call, steps) =>
  /** @type {any} */ (
    Object.fromEntries(
      Object.entries(steps).map(([name, { address, dims }]) => [
        name,
        new Tensor(core.copyOut(address, count(dims)), call.lead(dims)),
      ]),
    )
  )
