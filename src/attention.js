import { MASKING, OPEN, SCORE, SOFTMAX_AXIS, TRACE_STEPS, TRACE_WORDS } from './abi.js'
import { checkAttention } from './options.js'
import { Tensor } from './tensor.js'

/** @typedef {import('./memory.js').Core} Core */
/** @typedef {import('./options.js').AttentionCall} AttentionCall */
/** @typedef {AttentionCall & import('./options.js').Inputs} CallOnTensors */
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

/** Where the words of struct qkv_attention and struct qkv_trace stand. */
const AT = Object.fromEntries(TRACE_WORDS.map((word, index) => [word, index]))

/** @param {Uint32Array} words @param {number} at @param {Strided} tensor */
function putTensor(words, at, { data, batch, head, row }) {
  words[at] = data
  words[at + 1] = batch
  words[at + 2] = head
  words[at + 3] = row
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
  const wValue = score.kind === 'additive' ? core.copyIn(score.wValue.data) : 0
  const lengths = keyLengths ? core.copyIn(keyLengths) : 0
  const maskData = mask ? core.copyIn(mask.tensor.data) : 0
  const biasData = bias ? core.copyIn(bias.tensor.data) : 0
  const args = core.alloc(TRACE_WORDS.length * 4)

  const words = core.view(Uint32Array, args, TRACE_WORDS.length).fill(0)
  const floats = core.view(Float32Array, args, TRACE_WORDS.length)
  words.set([sizes.B, sizes.H, sizes.G, sizes.L, sizes.S, sizes.D, sizes.E], AT.B)
  putTensor(words, AT['q.data'], operands.q)
  putTensor(words, AT['k.data'], operands.k)
  putTensor(words, AT['v.data'], operands.v)
  putTensor(words, AT['out.data'], operands.out)
  words[AT.score] = SCORE[score.kind]
  floats[AT.scale] = call.scale
  floats[AT.sigma] = score.kind === 'gaussian' ? score.sigma : 0
  words[AT.w_v] = wValue
  floats[AT.softcap] = call.softcap
  words[AT.past] = call.past
  words[AT.left] = Math.min(call.left, OPEN)
  words[AT.right] = Math.min(call.right, OPEN)
  words[AT.key_lengths] = lengths
  if (mask) words.set([maskData, mask.batch, mask.head, mask.row, mask.column], AT['mask.data'])
  if (bias) words.set([biasData, bias.batch, bias.head, bias.row, bias.column], AT['bias.data'])
  floats[AT.dropout] = dropout?.p ?? 0
  words[AT.softmax_axis] = SOFTMAX_AXIS[call.softmaxAxis]
  words[AT.masking] = MASKING[call.masking]
  for (const step in steps) words[AT[step]] = steps[step]

  const run = (/** @type {number} */ generator) => {
    // The views above are stale if the generator's copy or the scratch made the memory grow.
    const set = (/** @type {string} */ word, /** @type {number} */ value) =>
      core.view(Uint32Array, args, TRACE_WORDS.length).fill(value, AT[word], AT[word] + 1)
    set('generator', generator)
    if (!steps) set('scratch', core.alloc(core.exports.qkv_attention_scratch(args)))
    core.call(steps ? 'qkv_trace' : 'qkv_attention', args)
  }
  if (dropout) dropout.generator.withState(core, run)
  else run(0)
}

/**
 * Copies q, k and v in; additive scores are projected on the way, which makes them (..., A).
 * @param {Core} core
 * @param {CallOnTensors} call
 */
function copyOperands(core, call) {
  const { B, H, G, L, S, D, E } = call.sizes
  let q = core.copyIn(call.q.data)
  let k = core.copyIn(call.k.data)
  const v = core.copyIn(call.v.data)
  const out = core.floats(B * H * L * E)
  if (call.score.kind === 'additive') {
    const { wQuery, wKey, bias } = call.score
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
  const y = core.floats(M * N)
  core.scope(() => {
    const w = core.copyIn(weight.data)
    const b = bias ? core.copyIn(bias.data) : 0
    core.call('qkv_linear', x, w, K, 1, b, y, M, K, N, core.floats(8 * K))
  })
  return y
}

/**
 * @param {Core} core
 * @param {unknown} q
 * @param {unknown} k
 * @param {unknown} v
 * @param {import('./options.js').AttentionOptions} options
 * @returns {{ output: FloatTensor }}
 */
export function attention(core, q, k, v, options) {
  const call = checkAttention(q, k, v, options, 'attention')
  return core.scope(() => {
    const operands = copyOperands(core, call)
    runAttention(core, call, operands)
    return { output: tensorOut(core, call, operands.out.data, call.sizes.L, call.sizes.E) }
  })
}

/**
 * @param {Core} core
 * @param {CallOnTensors} call
 * @param {number} pointer
 * @param {...number} last the axes after (B, H)
 */
function tensorOut(core, call, pointer, ...last) {
  const dims = [call.sizes.B, call.sizes.H].slice(4 - call.rank).concat(last)
  const { B, H } = call.sizes
  const n = last.reduce((a, b) => a * b, B * H)
  return new Tensor(core.copyOut(pointer, n), dims)
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
  const call = checkAttention(q, k, v, options, 'trace')
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
    const operands = copyOperands(core, call)
    /** @type {Record<string, number>} */
    const steps = {}
    for (const step of TRACE_STEPS.filter(isKept)) steps[step] = core.floats(dims(step).reduce((a, b) => a * b, B * H))
    runAttention(core, call, operands, steps)
    /** @type {Record<string, FloatTensor>} */
    const result = {}
    for (const [step, pointer] of Object.entries(steps))
      result[step === 'zeroed_sums' ? 'zeroedSums' : step] = tensorOut(core, call, pointer, ...dims(step))
    result.output = tensorOut(core, call, operands.out.data, L, call.sizes.E)
    if (call.score.kind === 'additive') {
      const lead = (/** @type {number[]} */ all) => all.slice(4 - call.rank)
      result.queries = new Tensor(core.copyOut(operands.q.data, B * H * L * D), lead([B, H, L, D]))
      result.keys = new Tensor(core.copyOut(operands.k.data, B * G * S * D), lead([B, G, S, D]))
    }
    return /** @type {Trace} */ (/** @type {unknown} */ (result))
  })
}
