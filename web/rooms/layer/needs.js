// The requests of "One layer", and which of them are computed on the page within the current frame.

import { Tensor } from 'qkv'
import { SHIPPED } from '../../files/shipped-models.js'
import { fromLink } from '../../shell/settings-link.js'
import { shown } from '../../shell/slots.js'
import { check } from './check-settings.js'
import { stopOf } from './explain/tour.js'
import { DEFAULTS, FIELDS } from './fields.js'
import { TRAINED } from './limits.js'
import { signature } from './settings.js'
import { computeOf, troubleOf } from './trace/compute.js'
import { isLarge } from './trace/large-trace.js'

/** @import { Checked, LayerRoom, LayerState, Result, Settings, Traced } from './layer.js' */

/** Maximum multiplications of a comparison with float64, or of a batch, that fits into a frame. */
const MOST_AT_ONCE = 2 ** 17

/** Returns the displayed trace. @param {Pick<LayerState, 'got'>} state @returns {Result | undefined} */
export const resultOf = ({ got }) => shown(got.trace)

/** Returns what to trace, with a cache key of everything the numbers depend on. @param {Settings} settings @returns {(Traced & { key: string }) | undefined} */
function tracedOf(settings) {
  const { checked } = check(settings)
  return (
    checked && { checked, head: settings.head, key: `${isLarge(checked) ? settings.head : ''} ${signature(settings)}` }
  )
}

/** Adds the addresses of the trained model's files if the settings use that model. @template {Traced} T @param {T} traced @returns {T} */
const withModel = traced =>
  traced.checked.model === 'trained'
    ? { ...traced, urls: SHIPPED.find(({ name }) => name === TRAINED.name)?.urls }
    : traced

/** True if the distribution of random scores is shown. @param {LayerState} state */
export const hasDistribution = ({ settings: { tour }, view }) =>
  view.hasDistribution ?? (tour !== null && stopOf(tour).id === 'root')

/** @type {{ link: string, checked: Checked | undefined } | undefined} */
let lastBaseline

/** Returns the settings of a baseline link; undefined if they are invalid. @param {string} link */
export function checkedBaseline(link) {
  if (lastBaseline?.link === link) return lastBaseline.checked
  let checked
  try {
    checked = check(fromLink(FIELDS, link)).checked
  } catch {
    checked = undefined
  }
  lastBaseline = { link, checked }
  return checked
}

/** @param {LayerState} state @returns {ReturnType<LayerRoom['needs']>} */
export function needs(state) {
  const { settings, got, isAtRest } = state
  // If the settings of a link are invalid, show the default trace beside the problems.
  const traced = tracedOf(settings) ?? tracedOf(DEFAULTS)
  if (!traced) return []
  const { key, ...request } = withModel(traced)
  /** @type {ReturnType<LayerRoom['needs']>} */
  const all = [{ type: 'trace', key, ...request }]
  if (got.trace?.is === 'here') {
    if (isAtRest || shown(got.comparison)?.of === key) all.push({ type: 'comparison', key, of: key, ...request })
    if (isAtRest || shown(got.batch)?.of === key) all.push({ type: 'batch', key, of: key, ...request })
  }
  if (settings.view === 'difference' && settings.minus === 'settings' && settings.baseline) {
    const baseline = checkedBaseline(settings.baseline)
    const { head } = settings
    if (baseline)
      all.push({
        type: 'baseline',
        key: `${isLarge(baseline) ? head : ''} ${settings.baseline}`,
        ...withModel({ checked: baseline, head }),
      })
  }
  return all
}

/** Caches the last trace computed on the page. @type {{ key: string, result: Result } | undefined} */
let recent

/** @type {NonNullable<LayerRoom['now']>} */
export function now(request, qkv) {
  const compute = computeOf(qkv)
  try {
    if (request.type === 'read' || request.type === 'timing') return undefined
    const { checked } = request
    if (isLarge(checked) || checked.model === 'trained') return undefined
    if (request.type === 'baseline') return compute.baseline(checked)
    if (request.type === 'trace') {
      const result = compute.trace(checked)
      recent = { key: String(request.key), result }
      return result
    }
    const { heads, queries, keys, dModel, dKey } = checked
    const work = heads * queries.tokens.length * keys.tokens.length * Math.max(dModel, dKey) * checked.batch
    if (recent?.key !== request.of || work > MOST_AT_ONCE) return undefined
    return request.type === 'comparison' ? compute.comparison(recent) : compute.batch(recent)
  } catch (error) {
    throw troubleOf(error)
  }
}

/**
 * Restores tensors that a message turned into plain objects. Tensors that were the same object become the same object again.
 * @param {Result} result
 * @returns {Result}
 */
export function revived(result) {
  /** @type {Map<unknown, Tensor<Float32Array>>} */
  const made = new Map()
  const tensor = (/** @type {{ data: Float32Array, dims: readonly number[] }} */ plain) => {
    const own = made.get(plain) ?? new Tensor(plain.data, plain.dims)
    made.set(plain, own)
    return own
  }
  /** @template {object} T @param {T} parts @returns {T} */
  const each = parts =>
    /** @type {any} */ (
      Object.fromEntries(
        Object.entries(parts)
          .filter(([, part]) => part !== undefined)
          .map(([name, part]) => [name, part?.dims && part.data ? tensor(part) : part]),
      )
    )
  const { tensors, before, maskOrder } = result
  return {
    ...each(result),
    tensors: each(tensors),
    ...(before && { before: each(before) }),
    ...(maskOrder && { maskOrder: each(maskOrder) }),
  }
}
