// The multi-head attention layer, with PyTorch's names and layout.

import { expectDims, readOptions, sizeOf, toBoolean, toNumber } from '../base/arguments.js'
import { proxied, shape } from '../base/errors.js'
import { splitHeads, toFloats, toOperand } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { ATTENTION_OPTIONS, checkOptions, checkTogether, labels } from '../ops/attention/arguments.js'
import { appendRows, joinMasks } from '../ops/attention/extra-keys.js'
import { copyTrace, projectKeys, projectQueries, runAttention, runTrace, traceSize } from '../ops/attention/forward.js'
import { broadcast, checkMasks } from '../ops/attention/masks.js'
import { checkWeights, multiply, multiplyOut, toWeights } from '../ops/linear/forward.js'
import { checkStream } from '../ops/random/generator.js'
import { newArray } from '../runtime/outputs.js'
import { Linear, linearLayer } from './linear.js'
import { readState, SIZE } from './state-dict.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { AttentionCall } from '../runtime/attention-call.js' */
/** @import { Generator } from '../ops/random/generator.js' */
/** @import { FloatLike, Nested, TensorLike } from '../base/tensor.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */
/** @typedef {Record<string, TensorLike | Nested | Linear>} StateDict */

/**
 * @typedef {object} MultiheadOptions
 * @property {number} [kDim] size of the rows of key; default embedDim
 * @property {number} [vDim] size of the rows of value; default embedDim
 * @property {boolean} [bias] adds biases to the projections; default true
 * @property {boolean} [addBiasKV] adds a learned key and value, visible to every query; default false
 * @property {boolean} [addZeroAttn] adds a key and value of zeros, visible to every query; default false
 */

/**
 * Options of the layer in addition to those of attention. True in `mask` means visible, as in attention; torch's attn_mask is the opposite.
 * @typedef {object} ForwardOnlyOptions
 * @property {TensorLike | Nested} [keyPaddingMask] boolean (B, S), or (S) for unbatched input. As in torch, true marks padding,
 *   which is hidden from all queries
 * @property {boolean} [needWeights] also returns the weights; default true, as in torch. false is faster, because the L x S
 *   matrix is never materialised
 * @property {boolean} [averageWeights] true (default) returns the mean of the weights over the heads, (B, L, S); false all heads,
 *   (B, H, L, S)
 *
 * @typedef {Omit<import('../ops/attention/arguments.js').AttentionOptions, 'numHeads' | 'numKvHeads'> & ForwardOnlyOptions} ForwardOptions
 *
 * @typedef {{ needWeights: boolean, averageWeights: boolean, weights: import('../ops/linear/forward.js').Weights[], extras: FloatTensor[][] }} Checked
 *   extras: the rows to append to queries (none), to keys and to values
 *
 * @typedef {object} Step a step of a trace
 * @property {string} name
 * @property {string} axes the axes of the tensor, a letter each: B batch, L queries, S keys, H heads, D row of the model, d row of a head
 * @property {readonly number[]} dims
 * @property {FloatTensor} tensor
 */

const OPERANDS = ['query', 'key', 'value']
const FORWARD_OPTIONS = [...ATTENTION_OPTIONS, 'keyPaddingMask', 'needWeights', 'averageWeights']
const FORWARD = labels('forward', OPERANDS, FORWARD_OPTIONS)
/** @type {(typeof ATTENTION_OPTIONS[number] | 'softmaxAxis' | 'masking')[]} */
const ATTENTION_CHOICES = [...ATTENTION_OPTIONS, 'softmaxAxis', 'masking']
const TRACE = labels('trace', OPERANDS, [...FORWARD_OPTIONS, ...ATTENTION_CHOICES])

/**
 * Makes a torch.nn.MultiheadAttention(embedDim, numHeads, batch_first=True) with Xavier-uniform projections.
 * @param {Generator} generator
 * @param {number} embedDim
 * @param {number} numHeads divides embedDim
 * @param {MultiheadOptions} [options]
 */
export function multiheadAttention(generator, embedDim, numHeads, options = {}) {
  const { core } = checkStream(generator, 'multiheadAttention: generator')
  const given = readOptions(options, ['kDim', 'vDim', 'bias', 'addBiasKV', 'addZeroAttn'], 'multiheadAttention')
  const E = toNumber(embedDim, 'multiheadAttention: embedDim', { ...SIZE, least: 1 })
  toNumber(numHeads, 'multiheadAttention: numHeads', { ...SIZE, least: 1 })
  if (E % numHeads) throw new RangeError(`multiheadAttention: ${numHeads} heads do not divide embedDim ${E}`)
  const kDim = toNumber(given.kDim ?? E, 'multiheadAttention: kDim', SIZE)
  const vDim = toNumber(given.vDim ?? E, 'multiheadAttention: vDim', SIZE)
  const bias = given.bias === undefined || toBoolean(given.bias, 'multiheadAttention: bias')
  const { addBiasKV = false, addZeroAttn = false } = given
  toBoolean(addBiasKV, 'multiheadAttention: addBiasKV')
  toBoolean(addZeroAttn, 'multiheadAttention: addZeroAttn')

  // Draws in torch's order: first out_proj, whose bias is drawn although it is then set to 0; then the input projections, packed or one by
  // one.
  const out = linearLayer(generator, E, E, { bias })
  out.bias?.data.fill(0)
  const xavier = (/** @type {number} */ rows, /** @type {number} */ columns) => {
    const bound = Math.sqrt(3) * Math.sqrt(2 / (rows + columns))
    return generator.uniform([rows, columns], -bound, bound)
  }
  const zeros = () => (bias ? new Tensor(new Float32Array(E), [E]) : undefined)
  const [query, key, value] =
    kDim === E && vDim === E ? thirds(xavier(3 * E, E)) : [xavier(E, E), xavier(E, kDim), xavier(E, vDim)]
  const layers = {
    query: new Linear(core, query, zeros()),
    key: new Linear(core, key, zeros()),
    value: new Linear(core, value, zeros()),
    out,
  }
  const normal = () => (addBiasKV ? generator.normal([E], 0, 1 / Math.sqrt(E)) : undefined) // like xavier_normal_ on (1, 1, E)
  const [biasK, biasV] = [normal(), normal()]
  return new MultiheadAttention(core, numHeads, layers, { biasK, biasV, addZeroAttn })
}

/**
 * A torch.nn.MultiheadAttention with batch_first=True: projections, attention in each head, output projection. Letters: B batch, L queries,
 * S keys, H heads, E embedDim, d head size.
 */
export class MultiheadAttention {
  #core

  /**
   * @internal
   * @param {Core} core
   * @param {number} numHeads
   * @param {{ query: Linear, key: Linear, value: Linear, out: Linear }} layers
   * @param {{ biasK?: FloatTensor, biasV?: FloatTensor, addZeroAttn?: boolean }} [extra] biasK and biasV (E): the rows of addBiasKV
   */
  constructor(core, numHeads, layers, extra = {}) {
    this.#core = core
    this.numHeads = numHeads
    this.layers = layers
    this.biasK = extra.biasK
    this.biasV = extra.biasV
    this.addZeroAttn = extra.addZeroAttn ?? false
    this.embedDim = layers.query.weight.dims[0]
  }

  /**
   * Loads weights by PyTorch's names. Accepts
   * - in_proj_weight (3E, E), or q_proj_weight, k_proj_weight and v_proj_weight; with in_proj_bias (3E)
   * - or names of linear layers: q_proj.weight, q_proj.bias, and so on for k_proj, v_proj and o_proj (or out_proj)
   * - or the Linear layers: { q_proj, k_proj, v_proj, o_proj }
   * @param {StateDict} given all weights of this layer, with their dims
   * @returns {this}
   */
  loadStateDict(given) {
    const state = readState(flattenLayers(given))
    const { take } = state
    const { query, key, value, out } = this.layers
    const E = this.embedDim
    const inputs = [query, key, value]
    const hasBias = out.bias !== undefined
    const outName = state.has('o_proj.weight') ? 'o_proj' : 'out_proj'
    const sizes = inputs.map(layer => layer.weight.dims[1])
    const each = (/** @type {string} */ name) =>
      ['q', 'k', 'v'].map((letter, i) => take(`${letter}${name}`, '(E, in)', E, sizes[i]))
    const isPacked = !state.has('q_proj_weight') && sizes.every(size => size === sizes[0])
    const isLayers = state.has('q_proj.weight')
    const weights = isLayers
      ? each('_proj.weight')
      : isPacked
        ? thirds(take('in_proj_weight', '(3E, E)', 3 * E, sizes[0]))
        : each('_proj_weight')
    const biases = !hasBias
      ? []
      : isLayers
        ? ['q', 'k', 'v'].map(letter => take(`${letter}_proj.bias`, '(E)', E))
        : thirds(take('in_proj_bias', '(3E)', 3 * E))
    const outWeight = take(`${outName}.weight`, '(E, E)', E, E)
    const outBias = hasBias ? take(`${outName}.bias`, '(E)', E) : undefined
    const [biasK, biasV] = this.biasK ? ['bias_k', 'bias_v'].map(name => take(name, '(1, 1, E)', 1, 1, E)) : []
    state.end()
    inputs.forEach((layer, i) => {
      layer.weight = weights[i]
      layer.bias = biases[i]
    })
    out.weight = outWeight
    out.bias = outBias
    this.biasK = biasK?.reshape([E])
    this.biasV = biasV?.reshape([E])
    return this
  }

  /** Checks the weights of a projection, which a caller may have replaced, and returns them as operands. @param {string} name */
  #weights(name) {
    const { weight, bias } = /** @type {Record<string, Linear>} */ (this.layers)[name]
    return checkWeights(weight, bias, name)
  }

  /** Returns the weights by PyTorch's names. @returns {Record<string, FloatTensor>} */
  stateDict() {
    const { query, key, value, out } = this.layers
    const inputs = [query, key, value]
    const { biasK, biasV, embedDim: E } = this
    const isPacked = inputs.every(({ weight }) => weight.dims[1] === E)
    /** @type {Record<string, FloatTensor>} */
    const weights = isPacked
      ? { in_proj_weight: stack(inputs.map(({ weight }) => weight)) }
      : { q_proj_weight: query.weight, k_proj_weight: key.weight, v_proj_weight: value.weight }
    const biases = inputs.flatMap(({ bias }) => bias ?? [])
    return {
      ...weights,
      ...(biases.length && { in_proj_bias: stack(biases) }),
      ...(biasK && biasV && { bias_k: biasK.reshape([1, 1, E]), bias_v: biasV.reshape([1, 1, E]) }),
      'out_proj.weight': out.weight,
      ...(out.bias && { 'out_proj.bias': out.bias }),
    }
  }

  /**
   * Returns the rows to append to keys or values: the learned row of addBiasKV and the zeros of addZeroAttn, if the layer has them.
   * @param {FloatTensor | undefined} bias biasK or biasV
   */
  #extra(bias) {
    const rows = bias ? [toFloats(bias, 'biasK, biasV')] : []
    return this.addZeroAttn ? [...rows, new Tensor(new Float32Array(this.embedDim), [this.embedDim])] : rows
  }

  /**
   * Runs the layer. Either all inputs have a batch axis or none does; key and value default to query.
   * @param {FloatLike | Nested} query (B, L, E), or (L, E)
   * @param {FloatLike | Nested} [key] (B, S, kDim)
   * @param {FloatLike | Nested} [value] (B, S, vDim)
   * @param {ForwardOptions} [options]
   * @returns {{ output: FloatTensor, weights?: FloatTensor }} output (B, L, E); weights (B, L, S) or (B, H, L, S),
   *   without B for unbatched input, absent with needWeights false
   */
  forward(query, key = query, value = key, options = {}) {
    if (!(#core in this)) throw proxied('multiheadAttention')
    const core = this.#core
    const call = core.takeCall()
    try {
      const checked = this.#check(call, query, key, value, options, FORWARD)
      return core.scope(() => this.#run(call, checked))
    } finally {
      core.giveCall(call)
    }
  }

  /**
   * Computes queries, keys and values, with the extra rows appended. Call it within a scope.
   * @param {AttentionCall} call
   * @param {Checked} checked
   * @param {number} rest floats that the caller allocates afterwards
   * @param {(i: number, x: number, y: number, all: number) => void} [report] called for input i with the addresses of the input x, of its
   *   projection y, and of y with the extra rows
   * @returns {number[]} addresses of queries, keys and values: (B, rows, H * d)
   */
  #project({ q, k, v, B, L, S }, { weights, extras }, rest, report) {
    const core = this.#core
    const inputs = [q, k, v]
    const size = inputs.reduce((sum, { dims }) => sum + count(dims), B * (L + 2 * S) * this.embedDim)
    core.reserve(4 * (size + rest)) // throws before any work if memory is too small
    const first = core.toMemory(q)
    return inputs.map((input, i) => {
      const n = sizeOf(input, 2)
      const x = input.data === q.data ? first : core.toMemory(input) // self-attention copies its input only once
      const y = multiply(core, x, B * n, weights[i])
      const all = appendRows(core, y, B, n, extras[i])
      report?.(i, x, y, all)
      return all
    })
  }

  /** Applies the output projection to the joined heads. @param {number} joined address of (B, L, H * d) @param {AttentionCall} call @param {Checked} checked */
  #projectOut(joined, { q, B, L }, { weights }) {
    const dims = [...q.dims.slice(0, -1), this.embedDim]
    return multiplyOut(this.#core, () => joined, B * L, weights[3], newArray(dims))
  }

  /**
   * @param {AttentionCall} call
   * @param {Checked} checked
   * @returns {{ output: FloatTensor, weights?: FloatTensor }}
   */
  #run(call, checked) {
    const core = this.#core
    const { B, H, L, S, E: d } = call
    const { needWeights, averageWeights } = checked
    const n = B * L * H * d
    call.keep = ['weights', 'dropped', 'output']
    const [queries, keys, v] = this.#project(call, checked, needWeights ? traceSize(call) : n)
    const [q, k] = [projectQueries(core, call, queries), projectKeys(core, call, keys)]
    if (!needWeights) {
      const joined = core.allocFloats(n)
      runAttention(core, call, q, k, v, joined, true)
      return { output: this.#projectOut(joined, call, checked) }
    }
    const steps = runTrace(core, call, q, k, v)
    const output = this.#projectOut(steps.output.address, call, checked)
    const { address } = steps.dropped ?? steps.weights
    const lead = call.q.dims.slice(0, -2)
    if (!averageWeights)
      return { output, weights: new Tensor(core.copyOut(address, B * H * L * S), [...lead, H, L, S]) }
    // The mean over heads is the matrix product of a row (1, H) of 1/H and the weights (H, L S).
    const mean = core.allocFloats(B * L * S)
    const share = core.copyIn(new Float32Array(H).fill(1 / H))
    const dims = [L * S, H]
    for (let b = 0; b < B; b++)
      multiply(core, share, 1, toWeights(address + b * H * L * S * 4, dims, undefined, true), mean + b * L * S * 4)
    return { output, weights: new Tensor(core.copyOut(mean, B * L * S), [...lead, L, S]) }
  }

  /**
   * Runs the layer and returns every step with its name, axes and numbers, in order.
   * @param {FloatLike | Nested} query (B, L, E), or (L, E)
   * @param {FloatLike | Nested} [key] (B, S, kDim)
   * @param {FloatLike | Nested} [value] (B, S, vDim)
   * @param {ForwardOptions & import('../ops/attention/arguments.js').TraceOnlyOptions} [options]
   * @returns {{ steps: Step[], output: FloatTensor, weights: FloatTensor, heads: import('../ops/attention/forward.js').Trace }}
   *   the steps; `heads`, the trace of attention; `weights` (B, H, L, S), not averaged over the heads
   */
  trace(query, key = query, value = key, options = {}) {
    if (!(#core in this)) throw proxied('multiheadAttention')
    const core = this.#core
    const call = core.takeCall()
    try {
      const checked = this.#check(call, query, key, value, options, TRACE)
      return core.scope(() => this.#traceSteps(call, checked))
    } finally {
      core.giveCall(call)
    }
  }

  /** @param {AttentionCall} call @param {Checked} checked */
  #traceSteps(call, checked) {
    const core = this.#core
    const { B, H, L, S, E: d } = call
    const isBatched = call.q.dims.length === 3
    /** @type {Step[]} */
    const steps = []
    const last = (/** @type {FloatTensor} */ x) => (isBatched ? x : x.reshape(x.dims.slice(1)))
    const add = (/** @type {string} */ name, /** @type {string} */ axes, /** @type {FloatTensor} */ tensor) => {
      const unbatched = last(tensor)
      steps.push({ name, axes: isBatched ? axes : axes.slice(1), dims: unbatched.dims, tensor: unbatched })
      return tensor
    }
    const copy = (/** @type {number} */ address, /** @type {number[]} */ ...dims) =>
      new Tensor(core.copyOut(address, count(dims)), dims)
    const [queries, keys, v] = this.#project(call, checked, traceSize(call), (i, x, y, all) => {
      const name = 'qkv'[i]
      const rows = i === 0 ? 'L' : 'S'
      const input = [call.q, call.k, call.v][i]
      const extra = checked.extras[i].length
      const n = sizeOf(input, 2)
      add(OPERANDS[i], `B${rows}D`, copy(x, B, n, sizeOf(input, 1)))
      let projected = add(`${name} = ${name}_proj(${OPERANDS[i]})`, `B${rows}D`, copy(y, B, n, H * d))
      if (extra) {
        const what = [i === 1 ? 'bias_k' : 'bias_v', '0'].slice(this.biasK ? 0 : 1, this.addZeroAttn ? 2 : 1)
        projected = add(`${name} = cat(${[name, ...what].join(', ')})`, `B${rows}D`, copy(all, B, S, H * d))
      }
      add(`${name}.view`, `B${rows}Hd`, projected.reshape([B, n + extra, H, d]))
      add(`${name}.transpose`, `BH${rows}d`, splitHeads(projected, H))
    })
    const traced = runTrace(core, call, projectQueries(core, call, queries), projectKeys(core, call, keys), v)
    const joined = traced.output.address
    const heads = copyTrace(core, call, traced)
    for (const [name, tensor] of Object.entries(heads)) if (traced[name].isSquare) add(name, 'BHLS', tensor)
    heads.output = splitHeads(heads.output, H)
    if (heads.queries) heads.queries = heads.queries.permute([0, 2, 1, 3])
    if (heads.keys) heads.keys = heads.keys.permute([0, 2, 1, 3])
    add('context = weights @ v', 'BHLd', heads.output)
    add('context.transpose', 'BLHd', copy(joined, B, L, H, d))
    add('context.view', 'BLD', copy(joined, B, L, H * d))
    const output = this.#projectOut(joined, call, checked)
    add('output = out_proj(context)', 'BLD', output.reshape([B, L, H * d]))
    return { steps, output, weights: last(heads.weights), heads }
  }

  /**
   * Checks the arguments and fills `call`. Its q, k and v are the inputs, before the projections.
   * @param {AttentionCall} call
   * @param {unknown} query
   * @param {unknown} key
   * @param {unknown} value
   * @param {ForwardOptions & import('../ops/attention/arguments.js').TraceOnlyOptions} options
   * @param {import('../ops/attention/arguments.js').Labels} labels
   */
  #check(call, query, key, value, options, labels) {
    const { where, known, names } = labels
    const given = readOptions(options, known, where)
    const { keyPaddingMask, needWeights = true, averageWeights = true } = given
    const attentionOptions = call.options
    for (const name of ATTENTION_CHOICES) attentionOptions[name] = given[name]
    toBoolean(needWeights, names.needWeights)
    toBoolean(averageWeights, names.averageWeights)
    const q = toFloats(query, names.query)
    const k = toFloats(key, names.key)
    const v = toFloats(value, names.value)
    const rank = q.dims.length
    const { layers } = this
    const checkRows = (/** @type {FloatTensor} */ { dims }, /** @type {'query' | 'key' | 'value'} */ name) => {
      const size = layers[name].weight.dims[1]
      if (dims.length !== rank || rank < 2 || rank > 3 || dims[rank - 1] !== size)
        throw new RangeError(
          `${names[name]}: expected dims (B, ${name === 'query' ? 'L' : 'S'}, ${size}), or without B in all three, got ${shape(dims)}`,
        )
    }
    checkRows(q, 'query')
    checkRows(k, 'key')
    checkRows(v, 'value')
    checkTogether(q, k, v, 3, labels)
    const B = sizeOf(q, 3)
    const S = sizeOf(k, 2)
    const H = this.numHeads
    const d = this.embedDim / H
    call.q = q
    call.k = k
    call.v = v
    call.setSizes(B, H, H, sizeOf(q, 2), S, d)
    call.inRows = true
    const extra = (this.biasK ? 1 : 0) + (this.addZeroAttn ? 1 : 0)
    if (keyPaddingMask !== undefined || extra) {
      checkMasks(call, attentionOptions, where, names)
      const padding =
        keyPaddingMask === undefined ? undefined : checkPadding(call, keyPaddingMask, names.keyPaddingMask)
      Object.assign(attentionOptions, joinMasks(call, attentionOptions, padding, extra, where))
      call.setSizes(B, H, H, call.L, S + extra, d)
    }
    checkOptions(call, d, d, attentionOptions, labels)
    const weights = [...OPERANDS, 'out'].map(name => this.#weights(name))
    const extras = [[], this.#extra(this.biasK), this.#extra(this.biasV)]
    return { needWeights, averageWeights, weights, extras }
  }
}

/**
 * Replaces each Linear layer of a state dict by its weight and bias: { q_proj } becomes { 'q_proj.weight', 'q_proj.bias' }.
 * @param {StateDict} state
 * @returns {Record<string, TensorLike | Nested>}
 */
function flattenLayers(state) {
  if (typeof state !== 'object' || state === null) return state // readState throws the error
  return Object.fromEntries(
    Object.entries(state).flatMap(([name, value]) => {
      if (!(value instanceof Linear)) return [[name, value]]
      const { weight, bias } = value
      return bias
        ? [
            [`${name}.weight`, weight],
            [`${name}.bias`, bias],
          ]
        : [[`${name}.weight`, weight]]
    }),
  )
}

/**
 * Concatenates tensors of equal dims along the first axis.
 * @param {FloatTensor[]} parts
 */
function stack(parts) {
  const [{ data, dims }] = parts
  const all = new Float32Array(parts.length * data.length)
  parts.forEach((part, i) => {
    all.set(part.data, i * data.length)
  })
  return new Tensor(all, [parts.length * dims[0], ...dims.slice(1)])
}

/**
 * Splits a tensor along its first axis into three equal views.
 * @param {FloatTensor} packed
 */
function thirds({ data, dims: [rows, ...rest] }) {
  const size = data.length / 3
  return [0, 1, 2].map(i => new Tensor(data.subarray(i * size, (i + 1) * size), [rows / 3, ...rest]))
}

/**
 * Checks a padding mask, and inverts it.
 * @param {AttentionCall} call
 * @param {TensorLike | Nested} mask boolean (B, S) or (S), true is hidden
 * @param {string} name
 * @returns {import('../runtime/attention-call.js').Broadcast} true where a key is visible
 */
function checkPadding({ B, H, L, S }, mask, name) {
  const padding = toOperand(mask, name)
  if (padding.dtype !== 'bool')
    throw new TypeError(`${name}: expected booleans (a Uint8Array, true for padding), got ${padding.dtype}`)
  const isUnbatched = B === 1 && padding.dims.length === 1
  expectDims(padding, isUnbatched ? [S] : [B, S], name, isUnbatched ? '(S)' : '(B, S)')
  const seen = Uint8Array.from(padding.data, hidden => (hidden ? 0 : 1))
  return broadcast(new Tensor(seen, [B, 1, 1, S]), [B, H, L, S], name)
}
