// Checks the public options and stores them as numbers in an AttentionCall. Nothing here uses the module's memory. A valid call creates no
// garbage, because names for errors are built once, in `labels`.

import { expectDims, oneOf, readOptions, register, sizeOf, toNumber, unknownOption } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { TRACE_STEPS } from '../../runtime/abi.js'
import { checkStream } from '../random/generator.js'
import { MASK_OPTIONS, MASKS } from './masks.js'
import { checkSummary } from './summary.js'

/** @import { Nested, Tensor, TensorLike } from '../../base/tensor.js' */
/** @import { Generator } from '../random/generator.js' */
/** @import { AdditiveScore, AttentionCall } from '../../runtime/attention-call.js' */
/** @typedef {import('../../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * How queries are compared with keys.
 * - `'dot'`: q . k, times `scale`
 * - `'gaussian'` or `{ kind: 'gaussian', sigma }`: -|q - k|^2 / (2 sigma^2); sigma 1 by default
 * - `{ kind: 'additive', wQuery, wKey, v, bias }`: v . tanh(wQuery q + wKey k + bias) with wQuery (A, Dq), wKey (A, Dk), v (A) and bias (A)
 *   or none, with Dq and Dk the sizes of a query and a key: Bahdanau et al. 2015
 * @typedef {'dot' | 'gaussian' | { kind: 'dot' } | { kind: 'gaussian', sigma?: number } | {
 *   kind: 'additive', wQuery: TensorLike | Nested, wKey: TensorLike | Nested, v: TensorLike | Nested,
 *   bias?: TensorLike | Nested }} Score
 */

/**
 * @typedef {object} OtherOptions
 * @property {number} [scale] factor of the scores; default 1/sqrt(D) for 'dot' (1 is the plain dot product), 1 for the others
 * @property {Score} [score] default 'dot'
 * @property {number} [softcap] c: each scaled score s becomes c * tanh(s / c); default 0, none
 * @property {TensorLike | Nested} [sinks] (H), attention sinks: one extra logit per head that joins the softmax and
 *   contributes nothing to the output
 * @property {number} [numHeads] H, if the heads are side by side in each row: q is (B, L, H * D), k and v are (B, S, G * D) and (B, S, G *
 *   E), the output is (B, L, H * E). q, k and v are read in place, without a copy of the heads
 * @property {number} [numKvHeads] G, with numHeads; default numHeads
 * @property {ArrayLike<number>} [cuSeqlens] (B + 1): B texts are packed, one after the other: q is (T, H, D), k and v are (T, G, D) and (T,
 *   G, E), the output is (T, H, E). Text b has the rows cuSeqlens[b] ... cuSeqlens[b + 1] - 1; it sees its own keys only. In other options
 *   L and S are the lengths of the longest text; each text uses a mask or a bias from the first row and column on
 * @property {ArrayLike<number>} [cuSeqlensK] (B + 1), with cuSeqlens: the same for the texts of k and v, if their lengths differ
 * @property {{ p: number, generator: Generator }} [dropout] zeroes each weight with probability p and divides
 *   the others by 1 - p (training only); draws come from the generator in the order of the weights
 *
 * @typedef {OtherOptions & import('./masks.js').MaskOptions} AttentionOptions
 */

/**
 * @typedef {object} OutOption
 * @property {FloatTensor} [out] receives the output and is returned as `output`; its dims must be those of the output,
 *   and it must not overlap q, k or v. If it and q, k, v are resident (qkv.alloc), nothing is copied
 */

/**
 * @typedef {{ summary?: import('./summary.js').SummaryOptions }} SummaryOption the statistics to compute
 */

/**
 * Options that only a trace has.
 * @typedef {object} TraceOnlyOptions
 * @property {'keys' | 'queries'} [softmaxAxis] the axis whose weights sum to one; default 'keys'
 * @property {'before' | 'after'} [masking] 'before' (default): hidden scores become -Infinity before softmax; 'after': hidden weights
 *   become 0 after softmax, and each line is renormalised
 *
 * @typedef {AttentionOptions & TraceOnlyOptions & { keep?: readonly (keyof import('./forward.js').Trace)[] }} TraceOptions keep:
 *   names of the steps to compute and return, default all; the others take neither memory nor time
 */

/** @type {readonly Exclude<keyof AttentionOptions, 'numHeads' | 'numKvHeads'>[]} */
export const ATTENTION_OPTIONS = ['scale', 'score', 'softcap', ...MASK_OPTIONS, 'sinks', 'dropout']
export const HEAD_OPTIONS = /** @type {const} */ (['numHeads', 'numKvHeads'])
export const TEXT_OPTIONS = /** @type {const} */ (['cuSeqlens', 'cuSeqlensK'])

/**
 * The operands and options of a method, and their names in errors: `names.scale` is 'attention: scale'.
 * @typedef {{ where: string, operands: readonly string[], known: readonly string[], names: Record<string, string> }} Labels
 */

/**
 * @param {string} where
 * @param {readonly string[]} operands
 * @param {readonly string[]} known options
 * @returns {Labels}
 */
export const labels = (where, operands, known) => ({
  where,
  operands,
  known: register(where, known),
  names: Object.fromEntries([...operands, ...known, 'window[0]', 'window[1]'].map(name => [name, `${where}: ${name}`])),
})

export const ATTENTION = labels(
  'attention',
  ['q', 'k', 'v'],
  [...ATTENTION_OPTIONS, ...HEAD_OPTIONS, ...TEXT_OPTIONS, 'out', 'summary'],
)
export const TRACE = labels(
  'trace',
  ['q', 'k', 'v'],
  [...ATTENTION_OPTIONS, ...HEAD_OPTIONS, 'softmaxAxis', 'masking', 'keep'],
)

export const HEADS = { least: 1, most: 2 ** 32 - 1, whole: true }

/**
 * Returns the size of one row of (rows, size), (H, rows, size) or (B, H, rows, size). Three axes are read as heads, not batches, so that a
 * mask of (H, L, S) fits by numpy's rule; without masks the result is the same either way.
 * @param {{ dims: readonly number[] }} tensor
 * @param {number} inRows number of heads side by side in each row, (B, rows, heads * size); 0: heads are an axis
 * @param {string} name
 */
export function rowSize({ dims }, inRows, name) {
  const rank = dims.length
  if (inRows ? rank !== 3 || dims[2] % inRows : rank < 2 || rank > 4)
    throw new RangeError(
      `${name}: expected dims ${inRows ? `(B, L, ${inRows} * D), ${inRows} heads in a row` : '(L, D), (H, L, D) or (B, H, L, D)'}, ` +
        `got ${shape(dims)}`,
    )
  return inRows ? dims[2] / inRows : dims[rank - 1]
}

/**
 * @param {Tensor} q
 * @param {Tensor} k
 * @param {Tensor} v
 * @param {Labels} labels
 * @param {string} why
 */
const disagree = (q, k, v, { where, operands }, why) =>
  new RangeError(
    `${where}: ${operands[0]} has dims ${shape(q.dims)}, ${operands[1]} ${shape(k.dims)}, ${operands[2]} ${shape(v.dims)}: ${why}`,
  )

/**
 * Checks that queries, keys and values have the same number of axes and the same batch size, and that there are as many keys as values.
 * @param {Tensor} q
 * @param {Tensor} k
 * @param {Tensor} v
 * @param {number} batch the batch axis, counted from the end: 1 is the last axis
 * @param {Labels} labels
 */
export function checkTogether(q, k, v, batch, labels) {
  const rank = q.dims.length
  const B = sizeOf(q, batch)
  if (k.dims.length !== rank || v.dims.length !== rank) throw disagree(q, k, v, labels, 'give them as many axes')
  if (B !== sizeOf(k, batch) || B !== sizeOf(v, batch)) throw disagree(q, k, v, labels, 'give them one batch size')
  if (sizeOf(k, 2) !== sizeOf(v, 2)) throw disagree(q, k, v, labels, 'each key needs its value')
}

/**
 * Checks cuSeqlens, the rows at which packed texts begin.
 * @param {ArrayLike<number> | undefined} given
 * @param {number} rows
 * @param {string} name
 */
function checkStarts(given, rows, name) {
  if (typeof given !== 'object' || given === null || typeof given.length !== 'number')
    throw new TypeError(
      `${name}: expected the start of each text and the end of the last one, such as [0, 3, 8], got ${describe(given)}`,
    )
  const starts = new Uint32Array(Math.max(1, given.length))
  for (let b = 0; b < starts.length; b++) {
    const least = b && starts[b - 1]
    starts[b] = toNumber(given[b], `${name}[${b}]`, { least, most: b ? rows : 0, whole: true })
  }
  if (starts[starts.length - 1] !== rows)
    throw new RangeError(`${name}: the last text ends at ${starts[starts.length - 1]}, there are ${rows} rows`)
  return starts
}

/** Returns the number of rows of the longest text. @param {Uint32Array} starts */
const longest = starts => starts.reduce((most, start, b) => Math.max(most, start - (b && starts[b - 1])), 0)

/**
 * Checks the options of packed texts and sets the sizes of the call.
 * @param {AttentionCall} call whose operands are set
 * @param {TraceOptions} given
 * @param {Labels} labels
 */
function checkTexts(call, { cuSeqlens, cuSeqlensK = cuSeqlens, numHeads }, labels) {
  const { q, k, v } = call
  const { where, names } = labels
  if (numHeads !== undefined)
    throw new TypeError(
      `${names.cuSeqlens}: expected either cuSeqlens or numHeads, got both; give q as (T, H, D) and leave numHeads out`,
    )
  /** @type {[Tensor, string][]} */
  const all = [
    [q, names.q],
    [k, names.k],
    [v, names.v],
  ]
  for (const [x, name] of all)
    if (x.dims.length !== 3)
      throw new RangeError(`${name}: with cuSeqlens, expected dims (T, heads, size), got ${shape(x.dims)}`)
  const [[T, H], [keys, G], [values, heads]] = [q.dims, k.dims, v.dims]
  if (keys !== values) throw disagree(q, k, v, labels, 'each key needs its value')
  if (G !== heads) throw disagree(q, k, v, labels, 'give k and v as many heads')
  const texts = {
    q: checkStarts(cuSeqlens, T, names.cuSeqlens),
    k: checkStarts(cuSeqlensK, keys, names[cuSeqlensK === cuSeqlens ? 'cuSeqlens' : 'cuSeqlensK']),
  }
  if (texts.q.length !== texts.k.length)
    throw new RangeError(
      `${where}: cuSeqlens has ${texts.q.length - 1} texts, cuSeqlensK ${texts.k.length - 1}: give them as many`,
    )
  call.texts = texts
  call.setSizes(texts.q.length - 1, H, G, longest(texts.q), longest(texts.k), v.dims[2])
  call.inRows = true
}

/**
 * Fills `call` from the arguments of attention or trace.
 * @param {AttentionCall} call
 * @param {unknown} query
 * @param {unknown} key
 * @param {unknown} value
 * @param {TraceOptions & SummaryOption} options
 * @param {Labels} labels
 */
export function checkAttention(call, query, key, value, options, labels) {
  const { where, known, names } = labels
  const given = readOptions(options, known, where, call.options)
  const q = toFloats(query, names.q)
  const k = toFloats(key, names.k)
  const v = toFloats(value, names.v)
  call.q = q
  call.k = k
  call.v = v
  if (given.cuSeqlens !== undefined) {
    checkTexts(call, given, labels)
    if (call.G === 0 ? call.H > 0 : call.H % call.G) throw notDividing(call, labels)
    checkOptions(call, q.dims[2], k.dims[2], given, labels)
    return
  }
  if (given.cuSeqlensK !== undefined) throw new TypeError(`${names.cuSeqlensK} requires cuSeqlens`)
  const inRows = given.numHeads !== undefined
  const H = inRows ? toNumber(given.numHeads, names.numHeads, HEADS) : sizeOf(q, 3)
  const G = inRows ? toNumber(given.numKvHeads ?? H, names.numKvHeads, HEADS) : sizeOf(k, 3)
  if (!inRows && given.numKvHeads !== undefined)
    throw new TypeError(`${names.numKvHeads} requires numHeads; without numHeads, it follows from the axes of k`)
  const D = rowSize(q, inRows ? H : 0, names.q)
  const Dk = rowSize(k, inRows ? G : 0, names.k)
  const E = rowSize(v, inRows ? G : 0, names.v)
  const batch = inRows ? 3 : 4
  checkTogether(q, k, v, batch, labels)
  if (!inRows && G !== sizeOf(v, 3)) throw disagree(q, k, v, labels, 'give k and v as many heads')
  call.setSizes(sizeOf(q, batch), H, G, sizeOf(q, 2), sizeOf(k, 2), E)
  if (G === 0 ? H > 0 : H % G) throw notDividing(call, labels)
  call.inRows = inRows
  checkOptions(call, D, Dk, given, labels)
}

/** @param {AttentionCall} call @param {Labels} labels */
const notDividing = ({ q, k, v, H, G }, labels) =>
  disagree(q, k, v, labels, `the ${G} heads of k and v do not divide the ${H} heads of q`)

/** The properties of the option `score`, by kind. */
const SCORES = {
  dot: ['kind'],
  gaussian: ['kind', 'sigma'],
  additive: ['kind', 'wQuery', 'wKey', 'v', 'bias'],
}
const KINDS = Object.keys(SCORES)
const SCORE_PARTS = [...SCORES.additive, 'sigma']
const AXES = /** @type {const} */ (['keys', 'queries'])
const MASKINGS = /** @type {const} */ (['before', 'after'])
const NOT_NEGATIVE = { least: 0 }

/**
 * Checks the options, already read by readOptions, against the sizes of the call, and stores them in the call.
 * @param {AttentionCall} call
 * @param {number} Dq size of a query
 * @param {number} Dk size of a key
 * @param {TraceOptions & SummaryOption} options
 * @param {Labels} labels
 */
export function checkOptions(call, Dq, Dk, options, { where, names }) {
  const { score, scale, softcap, sinks, dropout, softmaxAxis, masking, keep, summary } = options
  checkScore(call, score, Dq, Dk, where, names.score)
  const defaultScale = call.kind === 'dot' ? 1 / Math.sqrt(Dq || 1) : 1
  call.scale = scale === undefined ? defaultScale : toNumber(scale, names.scale)
  call.softcap = softcap === undefined ? 0 : toNumber(softcap, names.softcap, NOT_NEGATIVE)
  for (const mask of MASKS) mask.check(call, options, names, where)
  call.sinks = sinks === undefined ? undefined : checkSinks(sinks, call.H, softmaxAxis, names.sinks)
  call.dropout = dropout === undefined ? undefined : checkDropout(dropout, names.dropout)
  if (summary !== undefined && call.texts)
    throw new RangeError(`${names.summary} is not made of packed texts: leave cuSeqlens out and give one text a call`)
  call.summary = summary === undefined ? undefined : checkSummary(call, summary, names.summary)
  call.keep = keep === undefined ? undefined : checkKeep(keep, names.keep)
  call.softmaxAxis = softmaxAxis === undefined ? 'keys' : oneOf(softmaxAxis, AXES, names.softmaxAxis)
  call.masking = masking === undefined ? 'before' : oneOf(masking, MASKINGS, names.masking)
}

/**
 * @param {AttentionCall} call
 * @param {unknown} score
 * @param {number} Dq
 * @param {number} Dk
 * @param {string} where
 * @param {string} name
 */
function checkScore(call, score, Dq, Dk, where, name) {
  const isObject = typeof score === 'object' && score !== null
  const given = isObject ? readOptions(/** @type {Record<string, unknown>} */ (score), SCORE_PARTS, name) : undefined
  if (!given && score !== undefined && score !== null && typeof score !== 'string')
    throw new TypeError(`${name}: expected 'dot', 'gaussian' or an object with a kind, got ${describe(score)}`)
  call.kind = /** @type {AttentionCall['kind']} */ (given ? given.kind : (score ?? 'dot'))
  if (!KINDS.includes(call.kind)) oneOf(call.kind, KINDS, `${name}.kind`) // throws
  const parts = SCORES[call.kind]
  for (const part in given) if (!parts.includes(part)) throw unknownOption(part, parts, name)
  if (call.kind !== 'additive' && Dq !== Dk)
    throw new RangeError(`${where}: q has rows of ${Dq}, k of ${Dk}: the ${call.kind} score needs the same size`)
  call.D = Dq
  call.sigma = 1
  call.additive = undefined
  if (call.kind === 'additive') {
    call.additive = checkAdditive(given ?? {}, Dq, Dk, name)
    call.D = call.additive.v.dims[0]
  } else if (given && call.kind === 'gaussian')
    call.sigma = toNumber(given.sigma ?? 1, `${name}.sigma`, { least: 1e-15, most: 1e15 }) // sigma^2 must be a normal float32
}

/**
 * @param {Record<string, unknown>} given
 * @param {number} Dq
 * @param {number} Dk
 * @param {string} name
 * @returns {AdditiveScore}
 */
function checkAdditive(given, Dq, Dk, name) {
  const [wQuery, wKey, v] = ['wQuery', 'wKey', 'v'].map(part => toFloats(given[part], `${name}.${part}`))
  const bias = given.bias === undefined ? undefined : toFloats(given.bias, `${name}.bias`)
  const A = wQuery.dims[0]
  expectDims(wQuery, [A, Dq], `${name}.wQuery`, '(A, Dq)')
  expectDims(wKey, [A, Dk], `${name}.wKey`, '(A, Dk)')
  expectDims(v, [A], `${name}.v`, '(A)')
  if (bias) expectDims(bias, [A], `${name}.bias`, '(A)')
  return { wQuery, wKey, v, bias }
}

/** Returns the JavaScript name of a step of a trace. @param {string} step */
export const stepName = step => step.replace(/_(.)/, (_, letter) => letter.toUpperCase())

/** The names that the option `keep` of a trace accepts. */
const KEEPABLE = [...TRACE_STEPS.map(stepName), 'logits', 'output', 'queries', 'keys']

/** @param {unknown} keep @param {string} name */
function checkKeep(keep, name) {
  if (!Array.isArray(keep))
    throw new TypeError(`${name}: expected names of steps, such as ['weights'], got ${describe(keep)}`)
  return keep.map((step, i) => oneOf(step, KEEPABLE, `${name}[${i}]`))
}

/**
 * @param {unknown} sinks
 * @param {number} H
 * @param {unknown} softmaxAxis
 * @param {string} name
 */
function checkSinks(sinks, H, softmaxAxis, name) {
  const logits = toFloats(sinks, name)
  expectDims(logits, [H], name, '(H)')
  const strange = logits.data.findIndex(logit => !(logit < Infinity))
  if (strange >= 0)
    throw new RangeError(
      `${name}[${strange}]: expected a number, or -Infinity for a head without a sink, got ${logits.data[strange]}`,
    )
  if (softmaxAxis === 'queries')
    throw new RangeError(`${name}: sinks join the softmax over keys, but softmaxAxis is 'queries': give one of the two`)
  return logits
}

/**
 * @param {{ p: number, generator: Generator }} dropout
 * @param {string} name
 */
function checkDropout(dropout, name) {
  const given = readOptions(dropout, ['p', 'generator'], name)
  const p = toNumber(given.p, `${name}.p`, { least: 0, most: 1 })
  const generator = checkStream(given.generator, `${name}.generator`)
  return p === 0 ? undefined : { p, generator }
}
