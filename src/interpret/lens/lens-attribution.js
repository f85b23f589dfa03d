// Attributes the logits that a lens reads from a state to the parts before it: how much each head, each MLP and the embedding add, with the
// deviations of the norms frozen.

import { readOptions, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { readTokens } from '../../models/attribution/attribution.js'
import { contributions } from '../../models/attribution/linear-attribution.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { inTurns } from '../../models/run/turns.js'
import { inputOf } from '../input-of.js'
import { checkLens, expectBefore, lensStack } from './lens.js'

/**
 * @typedef {object} LensAttributionOptions
 * @property {number} layer whose output is read
 * @property {readonly (number | string)[]} tokens ids, or texts that are one token each
 * @property {number} [position] counted from the end if negative; default -1
 * @property {import('../../models/model.js').Hooks} [hooks]
 * @property {AbortSignal} [signal]
 *
 * Contributions to the logits of T tokens. The contributions to a token sum to its logit before a softcap; those of parts after the layer
 * are 0.
 * @typedef {{ tokens: number[] } & import('../../models/attribution/linear-attribution.js').Contributions} LensAttribution
 */

/**
 * Computes how much each part before a state adds to the logits that a lens reads from it.
 * @param {Model} model a decoder
 * @param {import('./lens.js').Lens | 'logit'} lens
 * @param {string | import('../../models/model.js').ModelInput} input a single text
 * @param {LensAttributionOptions} options
 * @returns {Promise<LensAttribution>}
 */
export async function lensAttribution(model, lens, input, options) {
  const where = 'lensAttribution'
  const parts = Model.parts(model)
  const known = ['layer', 'tokens', 'position', 'hooks', 'signal']
  const { layer, tokens, position = -1, hooks, signal } = readOptions(options, known, where)
  checkSignal(signal, where)
  const of = lensStack(parts, where)
  const { family, weights, qkv } = parts
  if (!weights.hasHead)
    throw new Error(`${where}: this ${family.type} checkpoint has no head, so states predict no words`)
  if (lens !== 'logit') checkLens(lens, of, `${where}: lens`)
  toNumber(layer, `${where}: layer`, { least: 0, most: of.layers - 1, whole: true })
  expectBefore(hooks, of, where)
  if (!Array.isArray(tokens) || !tokens.length)
    throw new TypeError(`${where}: tokens: expected a list of tokens, got ${describe(tokens)}`)
  const ids = Array.from(tokens, (token, n) => parts.tokenOf(token, `${where}: tokens[${n}]`))
  const own = lens === 'logit' || layer === of.layers - 1 ? undefined : lens
  const [matrix, offset] = [own?.matrix(layer).data, own?.offset(layer)?.data]
  const made = await contributions(
    {
      ...parts,
      forward: async (given, { signal, ...rest }, record) =>
        inTurns(qkv, parts.steps(given, rest, { record }), { signal, layers: of.layers }),
    },
    inputOf(input, where),
    {
      hooks,
      signal,
      where,
      positions: L => [(toNumber(position, `${where}: position`, { least: -L, most: L - 1, whole: true }) + L) % L],
      readouts: (_, [row]) => readTokens(family, weights, row, ids),
      state: { layer, carried: row => (matrix ? carried(matrix, offset, row) : { y: row, pull: g => g }) },
    },
  )
  return { tokens: ids, ...made }
}

/** Returns J h + b, and `pull`, which computes g J, for the matrix J and the offset b. @param {ArrayLike<number>} matrix (d, d) @param {ArrayLike<number> | undefined} offset @param {Float64Array} h */
function carried(matrix, offset, h) {
  const d = h.length
  const y = h.map((_, i) => {
    let sum = offset?.[i] ?? 0
    for (let c = 0; c < d; c++) sum += matrix[i * d + c] * h[c]
    return sum
  })
  const pull = (/** @type {Float64Array} */ g) => {
    const out = new Float64Array(d)
    for (let i = 0; i < d; i++) for (let c = 0; c < d; c++) out[c] += g[i] * matrix[i * d + c]
    return out
  }
  return { y, pull }
}
