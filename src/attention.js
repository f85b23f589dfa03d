import { MASKING, OPEN, SCORE, SOFTMAX_AXIS, TRACE_STEPS, TRACE_WORDS } from './abi.js'
import { describe } from './errors.js'
import { checkAttention, expectDims } from './options.js'
import { ResidentTensor } from './resident.js'
import { Tensor, toTensor } from './tensor.js'

/** @typedef {import('./memory.js').Core} Core */
/** @typedef {import('./options.js').AttentionCall} AttentionCall */
/** @typedef {import('./options.js').Inputs} Inputs */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * A (B, heads, rows, columns) tensor in the module's memory; strides in floats, columns contiguous.
 * @typedef {{ data: number, batch: number, head: number, row: number }} Strided
 */

/**
 * @param {number} data address of a contiguous (B, heads, rows, columns)
 * @param {number} heads
 * @param {number} rows
 * @param {number} columns
 * @returns {Strided}
 */
export const headsFirst = (data, heads, rows, columns) => ({
  data,
  batch: heads * rows * columns,
  head: rows * columns,
  row: columns,
})

/**
 * The heads of a contiguous (B, rows, heads * columns), read where they lie.
 * @param {number} data
 * @param {number} heads
 * @param {number} rows
 * @param {number} columns
 * @returns {Strided}
 */
export const headsInRows = (data, heads, rows, columns) => ({
  data,
  batch: rows * heads * columns,
  head: columns,
  row: heads * columns,
})

/** Where the words of struct qkv_trace stand, which begins with struct qkv_attention. */
const AT = Object.fromEntries(TRACE_WORDS.map((word, index) => [word, index]))

/** @param {Uint32Array} words @param {number} at @param {Strided} tensor */
function putTensor(words, at, { data, batch, head, row }) {
  words[at] = data
  words[at + 1] = batch
  words[at + 2] = head
  words[at + 3] = row
}

/** @param {Uint32Array} words @param {number} at @param {number} data @param {import('./options.js').Broadcast} mask */
function putMask(words, at, data, mask) {
  putTensor(words, at, { data, batch: mask.batch, head: mask.head, row: mask.row })
  words[at + 4] = mask.column
}

/**
 * Runs a kernel over tensors in the module's memory. To be called within a scope.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {{ q: Strided, k: Strided, v: Strided, out: Strided }} operands
 * @param {Record<string, number>} [steps] addresses for the steps of a trace; without it the fused kernel runs
 */
export function runAttention(core, call, operands, steps) {
  const { sizes, score, dropout, mask, bias, keyLengths } = call
  const wValue = score.kind === 'additive' ? core.place(score.wValue) : 0
  const lengths = keyLengths ? core.copyIn(keyLengths) : 0
  const past = call.past ? core.copyIn(new Int32Array(sizes.B).fill(call.past)) : 0
  const maskData = mask ? core.place(mask.tensor) : 0
  const biasData = bias ? core.place(bias.tensor) : 0
  const args = core.alloc(TRACE_WORDS.length * 4)

  // No allocation while these views are in use; `run` below allocates, and sets its words in the views of then.
  const { words, floats } = core
  const at = args / 4
  words.fill(0, at, at + TRACE_WORDS.length)
  words[at + AT.B] = sizes.B
  words[at + AT.H] = sizes.H
  words[at + AT.G] = sizes.G
  words[at + AT.L] = sizes.L
  words[at + AT.S] = sizes.S
  words[at + AT.D] = sizes.D
  words[at + AT.E] = sizes.E
  putTensor(words, at + AT['q.data'], operands.q)
  putTensor(words, at + AT['k.data'], operands.k)
  putTensor(words, at + AT['v.data'], operands.v)
  putTensor(words, at + AT['out.data'], operands.out)
  words[at + AT.score] = SCORE[score.kind]
  floats[at + AT.scale] = call.scale
  floats[at + AT.sigma] = score.kind === 'gaussian' ? score.sigma : 0
  words[at + AT.w_v] = wValue
  floats[at + AT.softcap] = call.softcap
  words[at + AT.past] = past
  words[at + AT.left] = Math.min(call.left, OPEN)
  words[at + AT.right] = Math.min(call.right, OPEN)
  words[at + AT.key_lengths] = lengths
  if (mask) putMask(words, at + AT['mask.data'], maskData, mask)
  if (bias) putMask(words, at + AT['bias.data'], biasData, bias)
  floats[at + AT.dropout] = dropout?.p ?? 0
  words[at + AT.softmax_axis] = SOFTMAX_AXIS[call.softmaxAxis]
  words[at + AT.masking] = MASKING[call.masking]
  for (const step in steps) words[at + AT[step]] = steps[step]

  const run = (/** @type {number} */ generator) => {
    core.words[at + AT.generator] = generator
    if (steps) return core.call('qkv_trace', args)
    const scratch = core.alloc(core.exports.qkv_attention_scratch(args))
    core.words[at + AT.scratch] = scratch
    core.call('qkv_attention', args)
  }
  if (dropout) dropout.generator.withState(core, run)
  else run(0)
}

/**
 * Copies q, k and v in, unless they are there; additive scores are projected on the way, which makes them (..., A).
 * @param {Core} core
 * @param {Inputs} inputs
 * @param {FloatTensor} [given] where the output goes, if it lies in the module's memory
 */
function copyOperands(core, inputs, given) {
  const { score, sizes } = inputs.call
  const { B, H, G, L, S, D, E } = sizes
  let q = core.place(inputs.q)
  let k = core.place(inputs.k)
  const v = core.place(inputs.v)
  const out = given ? core.place(given) : core.allocFloats(B * H * L * E)
  if (score.kind === 'additive') {
    const { wQuery, wKey, bias } = score
    q = project(core, q, B * H * L, wQuery, bias)
    k = project(core, k, B * G * S, wKey)
  }
  return {
    q: headsFirst(q, H, L, D),
    k: headsFirst(k, G, S, D),
    v: headsFirst(v, G, S, E),
    out: headsFirst(out, H, L, E),
  }
}

/**
 * y = x W^T + bias inside the module's memory.
 * @param {Core} core
 * @param {number} x address of (M, K)
 * @param {number} M
 * @param {FloatTensor} weight (N, K)
 * @param {FloatTensor} [bias] (N)
 * @returns {number} address of y (M, N)
 */
export function project(core, x, M, weight, bias) {
  const [N, K] = weight.dims
  const y = core.allocFloats(M * N)
  core.scope(() => {
    const w = core.place(weight)
    const b = bias ? core.place(bias) : 0
    core.call('qkv_linear', x, w, K, 1, b, y, M, K, N, core.allocFloats(8 * K))
  })
  return y
}

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {import('./options.js').AttentionOptions & import('./options.js').OutOption} options
 * @returns {{ output: FloatTensor }}
 */
export function attention(core, q, k, v, options) {
  const inputs = checkAttention(q, k, v, options, 'attention')
  const out = options.out === undefined ? undefined : checkOut(inputs, options.out)
  return core.scope(() => {
    const isThere = out instanceof ResidentTensor && out.isIn(core)
    const operands = copyOperands(core, inputs, isThere ? out : undefined)
    runAttention(core, inputs.call, operands)
    if (out === undefined) return { output: tensorOut(core, inputs, operands.out.data, ...lastAxes(inputs)) }
    if (!isThere) {
      const from = operands.out.data / 4
      out.data.set(core.floats.subarray(from, from + out.data.length))
    }
    return { output: out }
  })
}

/** @param {Inputs} inputs @returns {[number, number]} */
const lastAxes = ({ call }) => [call.sizes.L, call.sizes.E]

/**
 * @param {Inputs} inputs
 * @param {unknown} out
 * @returns {FloatTensor}
 */
function checkOut(inputs, out) {
  const { B, H } = inputs.call.sizes
  if (!(out instanceof Tensor) || out.dtype !== 'float32')
    throw new TypeError(
      `attention: out: ${describe(out)} given, a float32 tensor expected: qkv.alloc(dims), or tensor(data, dims)`,
    )
  expectDims(
    toTensor(out, 'attention: out'),
    [B, H].slice(4 - inputs.rank).concat(lastAxes(inputs)),
    'attention: out',
    '(..., L, E)',
  )
  if (out === inputs.q || out === inputs.k || out === inputs.v)
    throw new RangeError(
      'attention: out is one of q, k and v, which are read while it is written: give it memory of its own',
    )
  return out
}

/**
 * @param {Core} core
 * @param {Inputs} inputs
 * @param {number} pointer
 * @param {...number} last the axes after (B, H)
 */
function tensorOut(core, { rank, call }, pointer, ...last) {
  const { B, H } = call.sizes
  const n = last.reduce((a, b) => a * b, B * H)
  return new Tensor(core.copyOut(pointer, n), [B, H].slice(4 - rank).concat(last))
}

/**
 * Every step of an attention. (B, H, L, S) with the leading axes of the inputs' rank, unless said.
 * @typedef {object} Trace
 * @property {FloatTensor} scores score(q, k), before the scale
 * @property {FloatTensor} scaled scale * scores
 * @property {FloatTensor} [capped] softcap * tanh(scaled / softcap); with softcap only
 * @property {FloatTensor} masked what softmax sees: bias added, hidden keys -Infinity (with masking 'after': not hidden)
 * @property {FloatTensor} maxima (B, H, L), or (B, H, S) over queries: the largest of each line
 * @property {FloatTensor} exponentials exp(masked - maxima)
 * @property {FloatTensor} sums (B, H, L), or (B, H, S) over queries: of the exponentials
 * @property {FloatTensor} [unmasked] with masking 'after' only: exponentials / sums
 * @property {FloatTensor} [zeroed] with masking 'after' only: unmasked, hidden keys 0
 * @property {FloatTensor} [zeroedSums] with masking 'after' only: the sums of zeroed
 * @property {FloatTensor} weights what each query pays to each key
 * @property {FloatTensor} [dropped] with dropout only: the weights after it
 * @property {FloatTensor} output (B, H, L, E)
 * @property {FloatTensor} [queries] (B, H, L, A): additive scores only, wQuery q + bias
 * @property {FloatTensor} [keys] (B, G, S, A): additive scores only, wKey k
 */

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {import('./options.js').TraceOptions} options
 * @returns {Trace}
 */
export function trace(core, q, k, v, options) {
  const inputs = checkAttention(q, k, v, options, 'trace')
  const { call, rank } = inputs
  const { B, H, G, L, S, D } = call.sizes
  const line = call.softmaxAxis === 'keys' ? L : S
  const isKept = (/** @type {string} */ step) => {
    if (step === 'capped') return call.softcap > 0
    if (step === 'dropped') return call.dropout !== undefined
    if (['unmasked', 'zeroed', 'zeroed_sums'].includes(step)) return call.masking === 'after'
    return true
  }
  const dims = (/** @type {string} */ step) => (['maxima', 'sums', 'zeroed_sums'].includes(step) ? [line] : [L, S])
  return core.scope(() => {
    const operands = copyOperands(core, inputs)
    /** @type {Record<string, number>} */
    const steps = {}
    for (const step of TRACE_STEPS.filter(isKept))
      steps[step] = core.allocFloats(dims(step).reduce((a, b) => a * b, B * H))
    runAttention(core, call, operands, steps)
    /** @type {Record<string, FloatTensor>} */
    const result = {}
    for (const [step, pointer] of Object.entries(steps))
      result[step === 'zeroed_sums' ? 'zeroedSums' : step] = tensorOut(core, inputs, pointer, ...dims(step))
    result.output = tensorOut(core, inputs, operands.out.data, L, call.sizes.E)
    if (call.score.kind === 'additive') {
      const lead = (/** @type {number[]} */ all) => all.slice(4 - rank)
      result.queries = new Tensor(core.copyOut(operands.q.data, B * H * L * D), lead([B, H, L, D]))
      result.keys = new Tensor(core.copyOut(operands.k.data, B * G * S * D), lead([B, G, S, D]))
    }
    return /** @type {Trace} */ (/** @type {unknown} */ (result))
  })
}
