// Reads the residual stream of one position before and after each layer, and the logits it would give if the model ended there (logit
// lens).

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { stackNames } from '../../models/run/stacks.js'
import { inputOf } from '../input-of.js'

/** @import { FloatTensor } from '../../base/tensor.js' */

/**
 * @typedef {object} AccumulatedOptions
 * @property {number} [position] from the end if negative; default -1
 * @property {boolean} [middle] true to also read the residual stream between attention and MLP
 * @property {readonly (number | string)[]} [tokens] ids, or texts that are one token, whose logits are computed
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} AccumulatedResidual
 * @property {string[]} places the place of each row: 'layers.0.input', ..., and finally the output of the last layer
 * @property {FloatTensor} residual (rows, d)
 * @property {number[]} tokens
 * @property {FloatTensor} [logits] (rows, tokens), computed by the last norm and the head; the last row has the logits of the model
 */

/**
 * Returns the residual stream of one position at each layer: the sum of everything that earlier parts wrote to it.
 * @param {Model} model of an encoder-decoder, the decoder is used
 * @param {string | import('../../models/model.js').ModelInput} input one text
 * @param {AccumulatedOptions} [options]
 * @returns {Promise<AccumulatedResidual>}
 */
export async function accumulatedResidual(model, input, options = {}) {
  const where = 'accumulatedResidual'
  const { family, tokenOf } = Model.parts(model)
  const given = readOptions(options, ['position', 'middle', 'tokens', 'signal'], where)
  const { position = -1, middle = false, tokens = [], signal } = given
  toBoolean(middle, `${where}: middle`)
  if (!Array.isArray(tokens)) throw new TypeError(`${where}: tokens: expected a list of ids, got ${describe(tokens)}`)
  const ids = tokens.map((token, n) => tokenOf(token, `${where}: tokens[${n}]`))
  const checked = inputOf(input, `${where}: input`)
  const { stack, spec } = stackNames(family)[family.encoder && family.decoder ? 1 : 0]
  if (middle && spec.parallel)
    throw new RangeError(
      `${where}: middle: attention and MLP of ${family.type} read the same stream: there is none between them`,
    )
  const last = spec.layers.length - 1
  const names = spec.layers.flatMap((_, layer) =>
    ['input', ...(middle ? ['middle'] : [])].map(at => `${stack}layers.${layer}.${at}`),
  )
  const places = [...names, `${stack}layers.${last}.output`]
  const keep = /** @type {any} */ (places)
  const { kept } = await model.forward(checked, { keep, logits: 'none', ...(signal && { signal }) })
  const all = places.map(place => /** @type {Record<string, FloatTensor>} */ (kept)[place])
  const [B, L, d] = all[0].dims
  if (B !== 1) throw new RangeError(`${where}: expected one text, got ${B}`)
  const at = (toNumber(position, `${where}: position`, { least: -L, most: L - 1, whole: true }) + L) % L
  const residual = new Tensor(new Float32Array(places.length * d), [places.length, d])
  for (const [n, { data }] of all.entries()) residual.data.set(data.subarray(at * d, (at + 1) * d), n * d)
  if (!ids.length) return { places, residual, tokens: ids }
  const lens = await model.logitLens(residual.reshape([1, places.length, d]))
  const logits = new Tensor(
    Float32Array.from({ length: places.length * ids.length }, (_, n) =>
      lens.at(0, Math.floor(n / ids.length), ids[n % ids.length]),
    ),
    [places.length, ids.length],
  )
  return { places, residual, tokens: ids, logits }
}
