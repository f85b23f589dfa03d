// A trained model as a file that opens again: safetensors, with its configuration in the header and as JSON.

import { fromSafetensors, toSafetensors } from '../../files/safetensors-file.js'
import { checkLearn, writeLearn } from './check.js'
import { RECIPES } from './recipes.js'
import { initialWeights } from './transformer.js'

/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./session.js').Weights} Weights */

/** Files beyond are not read. */
const MOST_BYTES = 2 ** 26

/**
 * The configuration: what makes the model, and what each weight is.
 * @param {Task} task
 * @param {LearnSettings} settings
 * @param {number} step
 * @param {string} text of the task 'text'
 */
export const configOf = (task, settings, step, text) => ({
  ...{ format: 'qkv learn', version: 2, task, step, settings },
  layout: 'weights are (out, in); names are those of web/rooms/learn/transformer.js and of the PyTorch program',
  ...(task === 'text' && { text }),
})

/** @param {Weights} weights @param {ReturnType<typeof configOf>} config */
export const toFile = (weights, config) => toSafetensors(weights, { config: JSON.stringify(config) })

/**
 * @param {Uint8Array} bytes of the safetensors file
 * @param {string} [json] the configuration, where the header has none
 * @returns {{ task: Task, settings: LearnSettings, learn: string, step: number, text: string, state: Weights }}
 * @throws {RangeError} what is wrong with it
 */
export function fromFile(bytes, json) {
  if (bytes.length > MOST_BYTES) throw new RangeError(`${bytes.length} bytes given, at most ${MOST_BYTES} expected.`)
  const { weights, metadata } = fromSafetensors(bytes)
  /** @type {any} */
  let config
  try {
    config = JSON.parse(json ?? metadata.config)
  } catch {
    throw new RangeError('this file has no configuration of the room Learn: give its JSON, too.')
  }
  const { version, task, step, settings, text = '' } = config ?? {}
  if (!Object.keys(RECIPES).includes(task)) throw new RangeError(`task ${String(task).slice(0, 20)} is not known.`)
  // Version 1 wrote "none" for the sinusoids of a translation.
  const given = version === 1 && task === 'translation' ? { ...settings, positions: 'sinusoids' } : (settings ?? {})
  const learn = writeLearn(task, given)
  const checked = checkLearn(task, learn)
  const { problems } = checked
  if (problems.length || typeof text !== 'string' || !(Number.isSafeInteger(step) && step >= 0))
    throw new RangeError(
      `its configuration makes no sense: ${problems.map(({ field }) => field).join(', ') || 'step'}.`,
    )
  // The shapes that this configuration asks for.
  const zeros = { normal: (/** @type {number[]} */ dims) => ({ dims }) }
  const expected = initialWeights(
    /** @type {any} */ (zeros),
    checked.settings,
    RECIPES[/** @type {Task} */ (task)].shape(checked.settings, text),
  )
  for (const [name, { dims }] of Object.entries(expected)) {
    if (!weights[name]) throw new RangeError(`${name} is missing.`)
    if (weights[name].dims.join() !== dims.join())
      throw new RangeError(`${name}: ${weights[name].dims.join(' × ')} given, ${dims.join(' × ')} expected.`)
    if (!weights[name].data.every(Number.isFinite)) throw new RangeError(`${name} has numbers that are not finite.`)
  }
  const state = Object.fromEntries(Object.keys(expected).map(name => [name, weights[name]]))
  return { task, settings: checked.settings, learn, step, text, state }
}
