// Reads the weights of a model as floats: rows by hook place, stored tensors by name, and the weights of a head.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { weight } from './stored-tensors.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Family, LinearSpec } from '../family-shapes/parts.js' */
/** @import { ModelWeights } from './weights.js' */

const PLACE = /^((?:encoder|decoder)\.)?layers\.(0|[1-9]\d*)\.(attention|cross|mlp)\.(q|k|v|gate|up|output)$/

/**
 * @param {{ family: import('../family-shapes/parts.js').Family, weights: import('./weights.js').ModelWeights }} model
 * @param {string} place
 * @param {number} row
 */
export function weightRow({ family: { encoder, decoder }, weights }, place, row) {
  const [, prefix = '', layer, kind, name] = PLACE.exec(String(place)) ?? []
  const own =
    encoder && decoder
      ? { 'encoder.': encoder, 'decoder.': decoder }[prefix]
      : prefix
        ? undefined
        : (decoder ?? encoder)
  const part = own?.layers[Number(layer)]?.find(part => part.kind === kind)
  const { o: output, ...rest } = part?.attention ?? {}
  /** @type {Record<string, unknown>} */
  const specs = part?.mlp ? { ...part.mlp, output: part.mlp.down } : { ...rest, output }
  const spec = /** @type {import('../family-shapes/parts.js').LinearSpec | undefined} */ (part && specs[name])
  if (!spec)
    throw new RangeError(
      `weightRow: ${describe(place)} is no linear layer of this model; such are "layers.0.attention.q" to .v, .output, "layers.0.mlp.up", .gate, .output`,
    )
  return weights.linear(spec).row(toNumber(row, 'weightRow: row', { least: 0, most: spec.out - 1, whole: true }))
}

export { weight }

/**
 * A matrix of a head with its bias. Letters: d width of the model, D size of a head.
 * @typedef {{ weight: FloatTensor, bias?: FloatTensor }} HeadWeight
 *
 * A (d, d) matrix as the product left right, with left (d, D) and right (D, d).
 * @typedef {{ left: FloatTensor, right: FloatTensor }} Factors
 *
 * The weights of a head, and two products of them: for rows x and y, x qk y^T is the score before the scale, and x ov is what the head
 * writes for x. Both leave out biases. qk also leaves out norms of q and k, and rotation.
 * @typedef {{ q: HeadWeight, k: HeadWeight, v: HeadWeight, o: HeadWeight, qk: Factors, ov: Factors }} HeadWeights
 */

/**
 * @param {{ family: Family, weights: ModelWeights }} model
 * @param {number} layer
 * @param {number} head
 * @param {{ place?: 'encoder' | 'decoder' | 'cross' }} options
 * @returns {HeadWeights}
 */
export function headWeights({ family: { encoder, decoder }, weights }, layer, head, options) {
  const where = 'headWeights'
  const { place } = readOptions(options, ['place'], where)
  const places = encoder && decoder ? ['decoder', 'encoder', 'cross'] : [decoder ? 'decoder' : 'encoder']
  const chosen = oneOf(place ?? places[0], places, `${where}: place`)
  const stack = present(chosen === 'encoder' ? encoder : decoder)
  toNumber(layer, `${where}: layer`, { least: 0, most: stack.layers.length - 1, whole: true })
  const { numHeads: H, numKvHeads: G, headDim: D } = stack.heads
  toNumber(head, `${where}: head`, { least: 0, most: H - 1, whole: true })
  const kind = chosen === 'cross' ? 'cross' : 'attention'
  const spec = stack.layers[layer].find(part => part.kind === kind)?.attention
  const specs = present(spec)
  const keyHead = Math.floor(head / (H / G))
  /** Returns head h of q, k or v: D rows. @param {LinearSpec} own @param {number} h @returns {HeadWeight} */
  const rowsOf = (own, h) => {
    const linear = weights.linear(own)
    const rows = Array.from({ length: D }, (_, i) => linear.row(h * D + i))
    const data = new Float32Array(D * own.in)
    rows.forEach((row, i) => {
      data.set(row.weight, i * own.in)
    })
    const bias = own.bias
      ? new Tensor(
          Float32Array.from(rows, row => row.bias),
          [D],
        )
      : undefined
    return { weight: new Tensor(data, [D, own.in]), bias }
  }
  const [q, k, v] = [rowsOf(specs.q, head), rowsOf(specs.k, keyHead), rowsOf(specs.v, keyHead)]
  const { o } = specs
  const columns = new Float32Array(o.out * D)
  const linear = weights.linear(o)
  for (let n = 0; n < o.out; n++) columns.set(linear.row(n).weight.subarray(head * D, (head + 1) * D), n * D)
  const output = {
    weight: new Tensor(columns, [o.out, D]),
    bias: o.bias ? new Tensor(present(linear.bias).slice(), [o.out]) : undefined,
  }
  const turned = (/** @type {FloatTensor} */ x) => x.permute([1, 0])
  return {
    q,
    k,
    v,
    o: output,
    qk: { left: turned(q.weight), right: k.weight },
    ov: { left: turned(v.weight), right: turned(output.weight) },
  }
}
