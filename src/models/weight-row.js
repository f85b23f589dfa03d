// Rows of the weights of a model, by the places that hooks name.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

const PLACE = /^((?:encoder|decoder)\.)?layers\.(0|[1-9]\d*)\.(attention|cross|mlp)\.(q|k|v|gate|up|output)$/

/**
 * @param {{ family: import('./family-shapes/parts.js').Family, weights: import('./weights.js').ModelWeights }} model
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
  const spec = /** @type {import('./family-shapes/parts.js').LinearSpec | undefined} */ (part && specs[name])
  if (!spec)
    throw new RangeError(
      `weightRow: ${describe(place)} is no linear layer of this model; such are "layers.0.attention.q" to .v, .output, "layers.0.mlp.up", .gate, .output`,
    )
  return weights.linear(spec).row(toNumber(row, 'weightRow: row', { least: 0, most: spec.out - 1, whole: true }))
}
