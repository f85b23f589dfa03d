// Direct logit attribution: how much each part of a model adds to the logit of a token. The residual stream is the sum of
// the outputs of the embedding, the heads and the MLPs. With the deviations of all norms held fixed, a logit is linear in
// the residual stream. Computed in float64, at one position.

import { readOptions, toNumber } from '../base/arguments.js'
import { toTensor } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./family-shapes/parts.js').NormSpec} NormSpec */
/** @typedef {import('./network.js').Seen} Seen */
/** @typedef {import('./model.js').ModelInput} ModelInput */
/** @typedef {import('./model.js').ModelOutput} ModelOutput */

/**
 * @typedef {object} AttributionOptions
 * @property {ArrayLike<number>} [tokens] ids of the tokens; default: the token with the largest logit
 * @property {number} [position] of the query, from the end if negative; default -1, which predicts the next token
 * @property {Record<string, import('./model-hooks.js').Hook>} [hooks]
 * @property {AbortSignal} [signal]
 *
 * For T tokens; `heads`, `crossHeads`, `mlps`, `embedding` and `rest` of a token sum to its logit.
 * @typedef {object} LogitAttribution
 * @property {number[]} tokens
 * @property {number[]} logits before a cap, if the model has one
 * @property {FloatTensor} heads (T, layers, H)
 * @property {FloatTensor} [crossHeads] (T, layers, H), of an encoder-decoder
 * @property {FloatTensor} mlps (T, layers)
 * @property {FloatTensor} embedding (T): the input of layer 0
 * @property {FloatTensor} rest (T): biases, and what hooks have added to the residual stream
 */

/**
 * @param {object} model
 * @param {import('./family-shapes/parts.js').Family} model.family
 * @param {import('./weights.js').ModelWeights} model.weights
 * @param {(input: ModelInput, options: import('./model.js').ModelOptions & { signal?: AbortSignal },
 *   record: (seen: Seen) => void) => Promise<ModelOutput>} model.forward
 * @param {ModelInput} input
 * @param {AttributionOptions} options
 * @returns {Promise<LogitAttribution>}
 */
export async function attribute({ family, weights, forward }, input, options) {
  const known = ['tokens', 'position', 'hooks', 'signal']
  const { hooks, position = -1, tokens, signal } = readOptions(options, known, 'logitAttribution')
  const { decoder, head, vocab, type } = family
  if (!decoder || !weights.hasHead) throw new Error(`logitAttribution: ${type} has no logits of a next token`)
  const ids = tokens === undefined ? undefined : Array.from(toTensor(tokens, 'logitAttribution: tokens', true).data)
  for (const id of ids ?? []) toNumber(id, 'logitAttribution: tokens', { least: 0, most: vocab - 1, whole: true })

  const H = decoder.heads.heads
  const layers = decoder.layers.length
  const { record, parts, rowOf, restOf } = recorder({ decoder, weights, position })
  const isBoth = family.encoder !== undefined
  const place = isBoth ? 'decoder.' : ''
  const rows = ids ? 'none' : position === -1 ? 'last' : 'all'
  const recordOwn = (/** @type {Seen} */ seen) => seen.place === place && record(seen)
  const { logits } = await forward(input, { hooks, logits: rows, signal }, recordOwn)
  const chosen = ids ?? [largest(rowOf(/** @type {FloatTensor} */ (logits)))]
  const scale = head.scale ?? 1
  const make = (/** @type {number[]} */ ...dims) =>
    new Tensor(new Float32Array(dims.reduce((a, b) => a * b, chosen.length)), [chosen.length, ...dims])
  /** @type {LogitAttribution} */
  const found = {
    tokens: chosen,
    logits: [],
    heads: make(layers, H),
    ...(isBoth && { crossHeads: make(layers, H) }),
    mlps: make(layers),
    embedding: make(),
    rest: make(),
  }
  chosen.forEach((id, t) => {
    const { weight, bias } = weights.head.row(id)
    const dot = (/** @type {Float64Array | undefined} */ part) =>
      part ? part.reduce((sum, value, i) => sum + value * weight[i], 0) * scale : 0
    let sum = 0
    const put = (/** @type {FloatTensor} */ tensor, /** @type {number} */ n, /** @type {number} */ value) => {
      tensor.data[t * (tensor.data.length / chosen.length) + n] = value
      sum += value
    }
    for (let layer = 0; layer < layers; layer++) {
      for (let h = 0; h < H; h++) {
        put(found.heads, layer * H + h, dot(parts.get(`attention.${layer}.${h}`)))
        if (found.crossHeads) put(found.crossHeads, layer * H + h, dot(parts.get(`cross.${layer}.${h}`)))
      }
      put(found.mlps, layer, dot(parts.get(`mlp.${layer}`)))
    }
    put(found.embedding, 0, dot(parts.get('embedding')))
    put(found.rest, 0, dot(restOf()) + bias)
    found.logits.push(sum)
  })
  return found
}

/**
 * Collects the row that each part adds to the residual stream. Each norm is applied to all rows so far.
 * @param {object} model
 * @param {import('./family-shapes/parts.js').StackSpec} model.decoder
 * @param {import('./weights.js').ModelWeights} model.weights
 * @param {number} model.position
 */
function recorder({ decoder, weights, position }) {
  const H = decoder.heads.heads
  /** The row that each part has added to the residual stream. @type {Map<string, Float64Array>} */
  const parts = new Map()
  let rest = new Float64Array(0)
  /** The projected output of each head of the current part, then the bias. @type {Float64Array[]} */
  let projected = []
  const rowOf = (/** @type {FloatTensor} */ x) => {
    const [B, L, d] = x.dims
    if (B !== 1) throw new RangeError(`logitAttribution: one text expected, ${B} given`)
    const at = toNumber(position, 'logitAttribution: position', { least: -L, most: L - 1, whole: true })
    return Float64Array.from(x.data.subarray(((at + L) % L) * d, (((at + L) % L) + 1) * d))
  }
  /** rest = residual stream - all parts. @param {Float64Array} sum the residual stream */
  const settle = sum => {
    rest = sum.map((value, i) => {
      for (const part of parts.values()) value -= part[i]
      return value
    })
  }
  /** Applies a norm to all parts and the rest. @param {NormSpec} spec @param {Float64Array} sum the residual stream */
  const pass = (spec, sum) => {
    settle(sum)
    const through = linearized(spec, weights.norm(spec), sum)
    for (const [name, part] of parts) parts.set(name, through(part))
    rest = through(rest, true)
  }
  /** @param {Seen} seen */
  const record = ({ part, layer, heads, before, added }) => {
    const stackRow = before && rowOf(before)
    if (stackRow && layer === 0 && parts.size === 0) parts.set('embedding', stackRow)
    if (part && heads) projected = project(rowOf(heads), part)
    else if (part && stackRow && added) {
      const row = rowOf(added)
      if (part.kind === 'mlp') parts.set(`mlp.${layer}`, row)
      else {
        const sum = projected[0].map((_, i) => projected.reduce((total, one) => total + one[i], 0))
        const through = part.after && linearized(part.after, weights.norm(part.after), sum)
        for (let h = 0; h < H; h++)
          parts.set(`${part.kind}.${layer}.${h}`, through ? through(projected[h]) : projected[h])
      }
      if (part.post)
        pass(
          part.post,
          stackRow.map((value, i) => value + row[i]),
        )
    } else if (stackRow && decoder.norm) pass(decoder.norm, stackRow)
    else if (stackRow) settle(stackRow)
  }
  /** @param {Float64Array} row (H * D) @param {import('./family-shapes/parts.js').PartSpec} part */
  const project = (row, part) => {
    const { o } = /** @type {NonNullable<typeof part.attention>} */ (part.attention)
    const rows = new Float32Array((H + 1) * row.length) // the last row, of zeros, becomes the bias
    const D = row.length / H
    for (let h = 0; h < H; h++) for (let i = h * D; i < (h + 1) * D; i++) rows[h * row.length + i] = row[i]
    const y = weights.linear(o).forward({ data: rows, dims: [H + 1, row.length] })
    const made = Array.from({ length: H + 1 }, (_, h) => Float64Array.from(y.row(h).data))
    return made.map((one, h) => (h === H ? one : one.map((value, i) => value - made[H][i])))
  }
  return { record, parts, rowOf, restOf: () => rest }
}

/** The index of the largest value. @param {ArrayLike<number>} values */
function largest(values) {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}

/**
 * A norm with the deviation of `sum`, which makes it linear. Only the rest gets its bias.
 * @param {NormSpec} spec
 * @param {{ weight: FloatTensor, bias?: FloatTensor }} learned
 * @param {Float64Array} sum
 * @returns {(x: Float64Array, withBias?: boolean) => Float64Array<ArrayBuffer>}
 */
function linearized({ kind, eps, plusOne }, { weight, bias }, sum) {
  const mean = (/** @type {Float64Array} */ x) => (kind === 'rms' ? 0 : x.reduce((a, b) => a + b, 0) / x.length)
  const middle = mean(sum)
  const variance = sum.reduce((total, value) => total + (value - middle) ** 2, 0) / sum.length
  const [w, b] = [weight.data, bias?.data]
  return (x, withBias = false) => {
    const own = mean(x)
    return Float64Array.from(
      x,
      (value, i) =>
        ((value - own) / Math.sqrt(variance + eps)) * (w[i] + (plusOne ? 1 : 0)) + (withBias && b ? b[i] : 0),
    )
  }
}
