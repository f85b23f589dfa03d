// Writes and reads a trained model as a safetensors file with the configuration in its header. The configuration can also be a separate
// JSON file.

import { fromSafetensors, toSafetensors } from '../../files/safetensors-file.js'
import { Trouble } from '../../files/trouble.js'
import { check, fieldsOf, POSITIONS, runSettings, settingsOf } from './fields.js'
import { shapeOf, TASKS } from './tasks/index.js'
import { initialWeights } from './transformer.js'

/** @import { LearnSettings } from './tasks/task.js' */
/** @import { Weights } from './training-run.js' */

/** Maximum size of a file in bytes. */
const MOST_BYTES = 2 ** 26

/**
 * Returns the configuration: the settings that build the model, and the layout of its weights.
 * @param {string} task
 * @param {LearnSettings} settings
 * @param {number} step
 * @param {string} text for a task that learns a text
 */
export function configOf(task, settings, step, text) {
  const config = {
    format: 'qkv learn',
    version: 2,
    task,
    step,
    settings,
    layout: 'weights are (out, in); names are those of web/rooms/learn/transformer.js and of the PyTorch program',
  }
  return TASKS[task].hasText ? { ...config, text } : config
}

/** @param {Weights} weights @param {ReturnType<typeof configOf>} config */
export const toFile = (weights, config) => toSafetensors(weights, { config: JSON.stringify(config) })

/**
 * Reads a saved model.
 * @param {Uint8Array} bytes of the safetensors file
 * @param {string} [json] the configuration, if the header has none
 * @returns {{ task: import('./tasks/task.js').TaskName, settings: LearnSettings, step: number, text: string, state: Weights }}
 * @throws {Trouble} if the file is invalid
 */
export function fromFile(bytes, json) {
  if (bytes.length > MOST_BYTES) throw new Trouble('fileLarge', { bytes: bytes.length, most: MOST_BYTES })
  const { weights, metadata } = fromSafetensors(bytes)
  const { task, step, text, settings } = readConfig(json ?? metadata.config)
  // Collect the shapes that the configuration requires.
  const zeros = { normal: (/** @type {number[]} */ dims) => ({ dims }) }
  const expected = initialWeights(/** @type {any} */ (zeros), settings, shapeOf(TASKS[task], settings, text))
  for (const [name, { dims }] of Object.entries(expected)) {
    if (!weights[name]) throw new Trouble('fileMissing', { name })
    const [given, expected] = [weights[name].dims.join(' × '), dims.join(' × ')]
    if (given !== expected) throw new Trouble('fileShape', { name, given, expected })
    if (!weights[name].data.every(Number.isFinite)) throw new Trouble('fileNotFinite', { name })
  }
  const state = Object.fromEntries(Object.keys(expected).map(name => [name, weights[name]]))
  return { task, settings, step, text, state }
}

/** @param {string} json @returns {{ task: import('./tasks/task.js').TaskName, step: number, text: string, settings: LearnSettings }} */
function readConfig(json) {
  /** @type {any} */
  let config
  try {
    config = JSON.parse(json)
  } catch {
    throw new Trouble('fileConfig')
  }
  const { task, step, settings, text = '' } = config ?? {}
  if (!Object.hasOwn(TASKS, task)) throw new Trouble('fileTask', { task: String(task).slice(0, 20) })
  /** @type {any} */
  const made = settingsOf(task)
  for (const field of fieldsOf(task)) made[field] = readField(task, field, settings?.[field])
  const problems = Object.keys(check(made))
  if (problems.length || typeof text !== 'string' || !(Number.isSafeInteger(step) && step >= 0))
    throw new Trouble('fileSettings', { names: problems.join(', ') || 'step' })
  return { task, step, text, settings: runSettings(made) }
}

/**
 * Reads a field of the configuration. Returns the default if it is missing. Ranges are checked later.
 * @param {string} task
 * @param {import('./fields.js').RunField} field
 * @param {unknown} value
 */
function readField(task, field, value) {
  const usual = TASKS[task].defaults[field]
  if (value === undefined) return usual
  if (field === 'positions') return POSITIONS.find(each => each === value) ?? usual
  if (typeof usual === 'boolean') return value === true
  return typeof value === 'number' ? value : String(value)
}
