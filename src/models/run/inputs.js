// Validates the arguments of forward: ids and `keep`.

import { others, toNumber } from '../../base/arguments.js'
import { describe, didYouMean, shape } from '../../base/errors.js'
import { toFloats, toTensor } from '../../base/operand.js'
import { expandPlace } from './model-hooks.js'

/** @import { Ids } from '../model.js' */
/** @typedef {'attentions' | 'hiddenStates' | 'attentionSummaries'} KeepName */
/** @typedef {KeepName | 'crossAttentions' | 'crossAttentionSummaries' | `encoder${Capitalize<KeepName>}`} AnyKeepName */
/** @typedef {AnyKeepName | `${AnyKeepName}.${number}` | import('./model-hooks.js').Place} Keep */

export const INPUTS = [
  'ids',
  'tokens',
  'embeddings',
  'attentionMask',
  'globalAttentionMask',
  'tokenTypeIds',
  'positions',
  'decoderIds',
]
export const RUN_OPTIONS = ['keep', 'hooks', 'cache', 'logits', 'until', 'summary']
const KEEP = [
  'attentions',
  'hiddenStates',
  'crossAttentions',
  'encoderAttentions',
  'encoderHiddenStates',
  'attentionSummaries',
  'crossAttentionSummaries',
  'encoderAttentionSummaries',
]

/** Matches the beginning of a hook place. */
const IS_PLACE = /^(?:encoder\.|decoder\.)?(?:layers\.|embedding$|norm$)|^logits$/

/**
 * Parses the option `keep`: lists of results such as attentions, and places.
 * @param {readonly string[] | undefined} keep
 * @param {import('./model-hooks.js').Stacks} stacks
 * @returns {{ keeps: (name: string, layer: number) => boolean, places: string[] }}
 */
export function readKeep(keep = [], stacks) {
  const layers = Math.max(...stacks.map(({ spec }) => spec.layers.length))
  /** @type {string[]} */
  const places = []
  if (!Array.isArray(keep))
    throw new TypeError(`forward: keep: expected a list such as ['attentions'], got ${describe(keep)}`)
  for (const [n, name] of keep.entries()) {
    if (typeof name !== 'string')
      throw new TypeError(`forward: keep[${n}]: expected a name such as 'attentions', got ${describe(name)}`)
    const other = others.optionOf(name)
    if (!KEEP.includes(name) && other)
      throw new RangeError(`forward: keep: ${describe(name)} is not known; here it is ${other}`)
    if (IS_PLACE.test(name) || others.placeOf(name)) {
      places.push(...expandPlace(name, stacks, 'forward: keep'))
      continue
    }
    if (!KEEP.includes(name.replace(/\.(0|[1-9]\d*)$/, '')))
      throw new RangeError(
        `forward: keep: ${describe(name)} is not known${didYouMean(name, KEEP)}; known: ${KEEP.join(', ')}, each also with a layer: ` +
          'attentions.0; and places of hooks: layers.*.heads',
      )
    const [kind, layer = 0] = name.split('.')
    if (Number(layer) >= layers + Number(kind.endsWith('States')))
      throw new RangeError(`forward: keep: ${describe(name)}: there are ${layers} layers`)
  }
  return { keeps: (name, layer) => keep.includes(name) || keep.includes(`${name}.${layer}`), places }
}

/**
 * Reads ids.
 * @param {Ids} given
 * @param {string} name
 * @param {number} most exclusive upper limit
 * @param {{ B: number, L: number }} [like] other ids that must have the same dims
 * @param {string} [where]
 */
export function readIds(given, name, most, like, where = 'forward') {
  const what = `${where}: ${name}`
  const { data, dims } = toTensor(given, what, true)
  const [B, L] = dims.length === 1 ? [1, dims[0]] : dims
  const fits = like ? B === like.B && L === like.L : B > 0 && L > 0
  if (!fits || dims.length > 2)
    throw new RangeError(
      `${what}: expected dims ${like ? `${shape([like.B, like.L])}, as the ids` : '(L) or (B, L), at least one id'}, got ${shape(dims)}`,
    )
  const ids = Int32Array.from(data, (id, n) => toNumber(id, `${what}[${n}]`, { least: 0, most: most - 1, whole: true }))
  return { ids, B, L }
}

/**
 * Reads embeddings that replace ids; each row gets the id 0.
 * @param {import('../model.js').ModelInput} input
 * @param {number} C width of a row
 */
export function readRows({ ids, embeddings }, C) {
  if (embeddings === undefined) return undefined
  if (ids !== undefined) throw new TypeError('forward: expected either ids or embeddings, got both')
  const rows = toFloats(embeddings, 'forward: embeddings')
  const [B, L] = rows.dims
  if (rows.dims.length !== 3 || !(B * L > 0) || rows.dims[2] !== C)
    throw new RangeError(`forward: embeddings: expected dims (B, L, ${C}), got ${shape(rows.dims)}`)
  return { rows, ids: new Int32Array(B * L), B, L }
}

/** @param {AbortSignal | undefined} signal @param {string} where */
export function checkSignal(signal, where) {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new TypeError(`${where}: signal: expected the signal of an AbortController, got ${describe(signal)}`)
}
