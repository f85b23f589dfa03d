// From the words of the public options to checked numbers. Nothing here touches the module's memory.

import { describe, nearest, shape } from './errors.js'
import { Tensor, toFloats, toTensor } from './tensor.js'

/** @typedef {import('./tensor.js').TensorLike} TensorLike */
/** @typedef {import('./tensor.js').Nested} Nested */
/** @typedef {import('./random.js').Generator} Generator */

/**
 * How queries are compared with keys.
 * - `'dot'`: q . k, times `scale`
 * - `'gaussian'` or `{ kind: 'gaussian', sigma }`: -|q - k|^2 / (2 sigma^2); sigma 1 by default
 * - `{ kind: 'additive', wQuery, wKey, wValue, bias }`: wValue . tanh(wQuery q + wKey k + bias) with
 *   wQuery (A, Dq), wKey (A, Dk), wValue (A) and bias (A) or none: Bahdanau et al. 2015
 * @typedef {'dot' | 'gaussian' | { kind: 'dot' } | { kind: 'gaussian', sigma?: number } | {
 *   kind: 'additive', wQuery: TensorLike | Nested, wKey: TensorLike | Nested, wValue: TensorLike | Nested,
 *   bias?: TensorLike | Nested }} Score
 */

/**
 * @typedef {object} AttentionOptions
 * @property {number} [scale] factor of the scores; default 1/sqrt(D) for 'dot' (1 is the plain dot product), 1 for the others
 * @property {Score} [score] default 'dot'
 * @property {number} [softcap] c: scaled scores become c * tanh(s / c); default 0, none
 * @property {boolean} [causal] query i sees keys j <= i + pastLength only; default false
 * @property {readonly [number, number]} [window] [left, right]: query i sees keys i + pastLength - left
 *   ... i + pastLength + right only; Infinity leaves a side open
 * @property {number} [pastLength] how many of the keys stand before the first query (a cache); default 0
 * @property {TensorLike | Nested} [mask] boolean: true may be seen; float: added to the scaled scores, -Infinity
 *   hides. Broadcast to (B, H, L, S) as numpy does
 * @property {TensorLike | Nested} [bias] float, added to the scaled scores; beside a boolean mask
 * @property {ArrayLike<number>} [keyLengths] (B): batch b sees its first keyLengths[b] keys only
 * @property {{ p: number, generator: Generator }} [dropout] zeroes each weight with probability p and divides
 *   the others by 1 - p (training only); draws come from the generator in the order of the weights
 */

/**
 * @typedef {object} OutOption
 * @property {Tensor<Float32Array>} [out] takes the output and is returned as such; its dims must be those of the output,
 *   and it must not overlap q, k or v. With resident tensors (qkv.alloc) all around, nothing is copied
 */

/**
 * What only teaching needs.
 * @typedef {object} TraceOnlyOptions
 * @property {'keys' | 'queries'} [softmaxAxis] the axis whose weights sum to one; default 'keys'
 * @property {'before' | 'after'} [masking] 'before' (default): hidden scores become -Infinity before softmax;
 *   'after': hidden weights become 0 after it and each line is divided by its sum
 *
 * @typedef {AttentionOptions & TraceOnlyOptions} TraceOptions
 */

export const ATTENTION_OPTIONS = /** @type {const} */ ([
  ...['scale', 'score', 'softcap', 'causal', 'window', 'pastLength', 'mask', 'bias', 'keyLengths', 'dropout'],
])
const FUSED_OPTIONS = [...ATTENTION_OPTIONS, 'out']
export const TRACE_OPTIONS = /** @type {const} */ ([...ATTENTION_OPTIONS, 'softmaxAxis', 'masking'])

/**
 * Throws if `options` is no object or has a name that is not known.
 * @param {unknown} options
 * @param {readonly string[]} known
 * @param {string} where
 */
export function checkNames(options, known, where) {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${where}: ${describe(options)} given, an object of options expected`)
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(
        `${where}: there is no option ${describe(name)}; did you mean "${nearest(name, known)}"? Known: ${known.join(', ')}`,
      )
}

/**
 * @template {string} T
 * @param {unknown} value
 * @param {readonly T[]} choices
 * @param {string} name
 * @returns {T}
 */
export function oneOf(value, choices, name) {
  const choice = choices.find(known => known === value)
  if (choice !== undefined) return choice
  const hint = typeof value === 'string' ? `; did you mean "${nearest(value, choices)}"?` : ''
  throw new RangeError(`${name}: ${describe(value)} given, one of "${choices.join('", "')}" expected${hint}`)
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {{ least?: number, most?: number, whole?: boolean, open?: boolean }} [range] open: Infinity is welcome
 * @returns {number}
 */
export function toNumber(value, name, { least = -Infinity, most = Infinity, whole = false, open = false } = {}) {
  if (typeof value !== 'number') throw new TypeError(`${name}: ${describe(value)} given, a number expected`)
  const isFine =
    value >= least && value <= most && (whole ? Number.isInteger(value) : Number.isFinite(Math.fround(value)))
  if (!isFine && !(open && value === Infinity)) {
    const from = least === -Infinity ? '' : ` from ${least}`
    const to = most === Infinity ? '' : ` to ${most}`
    throw new RangeError(`${name}: ${value} given, a ${whole ? 'whole' : 'finite'} number${from}${to} expected`)
  }
  return value
}

/** @param {unknown} value @param {string} name */
export function toBoolean(value, name) {
  if (typeof value !== 'boolean') throw new TypeError(`${name}: ${describe(value)} given, true or false expected`)
  return value
}

/**
 * @typedef {{ kind: 'dot' } | { kind: 'gaussian', sigma: number } | AdditiveScore} CheckedScore
 * @typedef {{ kind: 'additive', wQuery: Tensor<Float32Array>, wKey: Tensor<Float32Array>, wValue: Tensor<Float32Array>,
 *   bias?: Tensor<Float32Array> }} AdditiveScore
 */

/**
 * @param {unknown} score
 * @param {number} Dq size of a query
 * @param {number} Dk size of a key
 * @param {string} where
 * @returns {CheckedScore}
 */
function checkScore(score, Dq, Dk, where) {
  const name = `${where}: score`
  const given = /** @type {Record<string, unknown>} */ (typeof score === 'string' ? { kind: score } : score)
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${name}: ${describe(score)} given, 'dot', 'gaussian' or an object with a kind expected`)
  const kind = oneOf(given.kind, ['dot', 'gaussian', 'additive'], `${name}.kind`)
  if (kind !== 'additive' && Dq !== Dk)
    throw new RangeError(`${where}: q has rows of ${Dq}, k of ${Dk}: the ${kind} score needs the same size`)
  const known = { dot: [], gaussian: ['sigma'], additive: ['wQuery', 'wKey', 'wValue', 'bias'] }[kind]
  checkNames(given, ['kind', ...known], name)
  if (kind === 'gaussian') {
    return { kind, sigma: toNumber(given.sigma ?? 1, `${name}.sigma`, { least: 1e-15, most: 1e15 }) } // its square is a float32
  }
  if (kind === 'additive') {
    const [wQuery, wKey, wValue] = ['wQuery', 'wKey', 'wValue'].map(part => toFloats(given[part], `${name}.${part}`))
    const bias = given.bias === undefined ? undefined : toFloats(given.bias, `${name}.bias`)
    const A = wQuery.dims[0]
    expectDims(wQuery, [A, Dq], `${name}.wQuery`, '(A, Dq)')
    expectDims(wKey, [A, Dk], `${name}.wKey`, '(A, Dk)')
    expectDims(wValue, [A], `${name}.wValue`, '(A)')
    if (bias) expectDims(bias, [A], `${name}.bias`, '(A)')
    return { kind, wQuery, wKey, wValue, bias }
  }
  return { kind }
}

/**
 * @param {Tensor} tensor
 * @param {readonly number[]} dims
 * @param {string} name
 * @param {string} letters
 */
export function expectDims(tensor, dims, name, letters) {
  if (tensor.dims.length !== dims.length || dims.some((size, axis) => size !== tensor.dims[axis]))
    throw new RangeError(`${name}: dims ${shape(tensor.dims)} given, ${letters} = ${shape(dims)} expected`)
}

/**
 * A tensor broadcast to (B, H, L, S) as numpy does: axes are matched from the last one on, sizes of 1
 * and absent axes repeat.
 * @typedef {{ tensor: Tensor, batch: number, head: number, row: number, column: number }} Broadcast
 */

/**
 * @param {Tensor} tensor
 * @param {readonly number[]} full (B, H, L, S)
 * @param {string} name
 * @returns {Broadcast}
 */
function broadcast(tensor, full, name) {
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

/**
 * Everything a call of the kernel needs beside its tensors, checked.
 * @typedef {object} AttentionCall
 * @property {Record<'B' | 'H' | 'G' | 'L' | 'S' | 'D' | 'E', number>} sizes
 * @property {CheckedScore} score
 * @property {number} scale
 * @property {number} softcap
 * @property {number} past
 * @property {number} left
 * @property {number} right
 * @property {Broadcast} [mask] boolean
 * @property {Broadcast} [bias] float
 * @property {Uint32Array} [keyLengths]
 * @property {{ p: number, generator: Generator }} [dropout]
 * @property {'keys' | 'queries'} softmaxAxis
 * @property {'before' | 'after'} masking
 */

/**
 * q, k and v as given, and what is asked of them; `rank` is theirs and that of what is returned.
 * @typedef {Record<'q' | 'k' | 'v', Tensor<Float32Array>> & { rank: number, call: AttentionCall }} Inputs
 */

/**
 * (L, D), (H, L, D) or (B, H, L, D), all of one rank. Three axes mean heads, not batches, so that a mask
 * of (H, L, S) fits by numpy's rule; without masks the two are the same computation.
 * @param {readonly Tensor[]} tensors q, k, v
 * @param {string} where
 */
function checkRanks(tensors, where) {
  const [q, k, v] = tensors
  const rank = q.dims.length
  if (rank < 2 || rank > 4)
    throw new RangeError(`${where}: q has dims ${shape(q.dims)}; (L, D), (H, L, D) or (B, H, L, D) expected`)
  for (const [name, { dims }] of /** @type {const} */ ([
    ['k', k],
    ['v', v],
  ]))
    if (dims.length !== rank)
      throw new RangeError(
        `${where}: ${name} has ${dims.length} axes, ${shape(dims)}, q has ${rank}, ${shape(q.dims)}: give them as many`,
      )
  return rank
}

/**
 * (B, H, L, D) of (L, D), (H, L, D) or (B, H, L, D).
 * @param {readonly number[]} dims
 */
const withHeads = dims => (dims.length === 4 ? dims : dims.length === 3 ? [1, ...dims] : [1, 1, ...dims])

/**
 * @param {unknown} query
 * @param {unknown} key
 * @param {unknown} value
 * @param {TraceOptions} options
 * @param {'attention' | 'trace'} where
 * @returns {Inputs}
 */
export function checkAttention(query, key, value, options, where) {
  checkNames(options, where === 'trace' ? TRACE_OPTIONS : FUSED_OPTIONS, where)
  const q = toFloats(query, `${where}: q`)
  const k = toFloats(key, `${where}: k`)
  const v = toFloats(value, `${where}: v`)
  const rank = checkRanks([q, k, v], where)
  const [B, H, L, Dq] = withHeads(q.dims)
  const [Bk, G, S, Dk] = withHeads(k.dims)
  const [Bv, Gv, Sv, E] = withHeads(v.dims)
  if (B !== Bk || B !== Bv)
    throw new RangeError(`${where}: q, k and v have batches of ${B}, ${Bk} and ${Bv}: give them one size`)
  if (S !== Sv) throw new RangeError(`${where}: k has ${S} rows, v has ${Sv}: each key needs its value`)
  if (G !== Gv) throw new RangeError(`${where}: k has ${G} heads, v has ${Gv}: give them as many`)
  if (G === 0 ? H > 0 : H % G)
    throw new RangeError(`${where}: the ${G} heads of k and v do not divide the ${H} heads of q`)

  return { q, k, v, rank, call: checkCall({ B, H, G, L, S, Dq, Dk, E }, options, where) }
}

/**
 * The options, held against the sizes of q (B, H, L, Dq), k (B, G, S, Dk) and v (B, G, S, E).
 * @param {Record<'B' | 'H' | 'G' | 'L' | 'S' | 'Dq' | 'Dk' | 'E', number>} sizes
 * @param {TraceOptions} options
 * @param {string} where
 * @returns {AttentionCall}
 */
export function checkCall({ Dq, Dk, ...sizes }, options, where) {
  const { scale, softcap, softmaxAxis, masking } = options
  const score = checkScore(options.score ?? 'dot', Dq, Dk, where)
  const D = score.kind === 'additive' ? score.wValue.dims[0] : Dq
  const defaultScale = score.kind === 'dot' ? 1 / Math.sqrt(D || 1) : 1
  const { past, left, right } = checkSpan(options, where)
  const { mask, bias } = checkMasks(options, sizes, where)
  return {
    score,
    sizes: { B: sizes.B, H: sizes.H, G: sizes.G, L: sizes.L, S: sizes.S, D, E: sizes.E },
    scale: scale === undefined ? defaultScale : toNumber(scale, `${where}: scale`),
    softcap: softcap === undefined ? 0 : toNumber(softcap, `${where}: softcap`, { least: 0 }),
    past,
    left,
    right,
    mask,
    bias,
    keyLengths: checkKeyLengths(options.keyLengths, sizes.B, sizes.S, where),
    dropout: checkDropout(options.dropout, where),
    softmaxAxis: softmaxAxis === undefined ? 'keys' : oneOf(softmaxAxis, ['keys', 'queries'], `${where}: softmaxAxis`),
    masking: masking === undefined ? 'before' : oneOf(masking, ['before', 'after'], `${where}: masking`),
  }
}

/**
 * causal, window and pastLength as one window around the diagonal.
 * @param {AttentionOptions} options
 * @param {string} where
 */
function checkSpan(options, where) {
  const past =
    options.pastLength === undefined
      ? 0
      : toNumber(options.pastLength, `${where}: pastLength`, { least: 0, most: 2 ** 31 - 1, whole: true })
  let [left, right] = [Infinity, Infinity]
  if (options.window !== undefined) {
    if (!Array.isArray(options.window) || options.window.length !== 2)
      throw new TypeError(`${where}: window: ${describe(options.window)} given, [left, right] expected`)
    const sides = options.window.map((side, i) =>
      toNumber(side, `${where}: window[${i}]`, { least: 0, whole: true, open: true }),
    )
    ;[left, right] = sides
  }
  if (options.causal !== undefined && toBoolean(options.causal, `${where}: causal`)) right = 0
  return { past, left, right }
}

const NO_MASKS = { mask: undefined, bias: undefined }

/**
 * @param {AttentionOptions} options
 * @param {Record<'B' | 'H' | 'L' | 'S', number>} sizes
 * @param {string} where
 * @returns {{ mask?: Broadcast, bias?: Broadcast }}
 */
function checkMasks(options, { B, H, L, S }, where) {
  if (options.mask === undefined && options.bias === undefined) return NO_MASKS
  const full = [B, H, L, S]
  const mask = options.mask === undefined ? undefined : toTensor(options.mask, `${where}: mask`)
  const bias = options.bias === undefined ? undefined : toFloats(options.bias, `${where}: bias`)
  const isBoolean = mask?.dtype === 'bool'
  if (mask && !isBoolean && bias)
    throw new TypeError(
      `${where}: mask is a ${mask.dtype} tensor and bias is given too; both are added: pass their sum as bias`,
    )
  return {
    mask: mask && isBoolean ? broadcast(mask, full, `${where}: mask`) : undefined,
    bias: bias
      ? broadcast(bias, full, `${where}: bias`)
      : mask && !isBoolean
        ? broadcast(toFloats(mask, `${where}: mask`), full, `${where}: mask`)
        : undefined,
  }
}

/**
 * @param {unknown} keyLengths
 * @param {number} B
 * @param {number} S
 * @param {string} where
 */
function checkKeyLengths(keyLengths, B, S, where) {
  if (keyLengths === undefined) return undefined
  const list = /** @type {ArrayLike<number>} */ (keyLengths)
  if (typeof list !== 'object' || list === null || typeof list.length !== 'number')
    throw new TypeError(`${where}: keyLengths: ${describe(keyLengths)} given, one length for each batch expected`)
  if (list.length !== B)
    throw new RangeError(`${where}: keyLengths: ${list.length} lengths given, one for each of ${B} batches expected`)
  return Uint32Array.from(list, (length, b) =>
    toNumber(length, `${where}: keyLengths[${b}]`, { least: 0, most: S, whole: true }),
  )
}

/**
 * @param {{ p: number, generator: Generator } | undefined} dropout
 * @param {string} where
 */
function checkDropout(dropout, where) {
  if (dropout === undefined) return undefined
  checkNames(dropout, ['p', 'generator'], `${where}: dropout`)
  const p = toNumber(dropout.p, `${where}: dropout.p`, { least: 0, most: 1 })
  if (typeof dropout.generator?.withState !== 'function')
    throw new TypeError(
      `${where}: dropout.generator: ${describe(dropout.generator)} given, a generator expected: qkv.generator(123)`,
    )
  return p === 0 ? undefined : { p, generator: dropout.generator }
}
