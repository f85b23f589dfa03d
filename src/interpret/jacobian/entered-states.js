// Runs one text and keeps the states of a stack: the input of each layer, and the output of the last.

import { describe } from '../../base/errors.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { stackNames } from '../../models/run/stacks.js'
import { inputOf } from '../input-of.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @import { Parts } from '../lens/lens.js' */
/** @import { Layer } from '../../models/run/network.js' */
/** @import { StackSpec } from '../../models/family-shapes/parts.js' */

/**
 * @template {object} K
 * @typedef {object} EnterOptions
 * @property {import('../../models/model.js').Hooks} [hooks]
 * @property {(checked: import('../../models/run/network.js').CheckedHooks | undefined) => import('../../models/run/network.js').ModelOperations} [operations]
 * @property {(own: Layer, spec: StackSpec) => K} [beside] returns what is kept with a state
 */

/**
 * Runs a text and keeps the states of a stack.
 * @template {object} [K={}]
 * @param {Parts} parts
 * @param {string | ModelInput} input
 * @param {string} stack prefix of the stack
 * @param {string} where
 * @param {EnterOptions<K>} [options]
 * @returns {import('../../models/run/network.js').RunSteps<{ parts: Parts, stack: string, spec: StackSpec, kept: ({ own: Layer, h: FloatTensor } & K)[], ran: import('../../models/model.js').ModelOutput }>}
 */
export function* enteredStates(parts, input, stack, where, { hooks, operations, beside } = {}) {
  const spec = stackNames(parts.family).find(one => one.stack === stack)?.spec
  if (!spec) throw new RangeError(`${where}: expected a stack of this model, got ${describe(stack)}`)
  /** @type {({ own: Layer, h: FloatTensor } & K)[]} */
  const kept = []
  const entered = (/** @type {Layer} */ own, /** @type {FloatTensor} */ h) => {
    if (own.call.place !== stack) return
    if (h.dims[0] !== 1) throw new RangeError(`${where}: expected one text, got ${h.dims[0]}`)
    kept.push({ .../** @type {K} */ (beside?.(own, spec)), own, h: copyOf(h) })
  }
  const record = { entered, ...(operations && { operations }) }
  const ran = yield* parts.steps(inputOf(input, where), { hooks, logits: 'none' }, record)
  return { parts, stack, spec, kept, ran }
}
