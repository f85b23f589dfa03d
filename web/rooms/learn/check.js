// Settings of a run as text, as a link carries them: "seed=3,layers=1". Every number is checked before a model is made.

import { RECIPES } from './recipes.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {keyof LearnSettings} Field */
/**
 * @typedef {object} Problem
 * @property {Field} field
 * @property {string} given
 * @property {number} [least]
 * @property {number} [most]
 * @property {boolean} [whole]
 * @property {boolean} [divides]
 * @property {Partial<LearnSettings>} [nearest] what fits and is near
 */

/** Characters of a text of settings, those of changes included. */
const MOST_TEXT = 10_000

/** @type {Partial<Record<Field, { least: number, most: number, whole?: boolean }>>} */
export const RANGES = {
  layers: { least: 1, most: 4, whole: true },
  heads: { least: 1, most: 8, whole: true },
  d: { least: 8, most: 128, whole: true },
  mlp: { least: 0, most: 512, whole: true },
  V: { least: 8, most: 64, whole: true },
  T: { least: 8, most: 64, whole: true },
  rate: { least: 1e-5, most: 1 },
  batch: { least: 4, most: 64, whole: true },
  steps: { least: 20, most: 5000, whole: true },
  seed: { least: 0, most: 2 ** 31, whole: true },
}
export const POSITIONS = /** @type {const} */ (['rope', 'learned', 'distance', 'sinusoids', 'none'])

/** Fields that the reader may change, for each task. @param {Task} task @returns {Field[]} */
export function fieldsOf(task) {
  const sizes = /** @type {Field[]} */ (task === 'translation' ? [] : task === 'text' ? ['T'] : ['V', 'T'])
  return ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', ...sizes, 'rate', 'batch', 'steps', 'seed']
}

/**
 * @param {Task} task
 * @param {string} text
 * @returns {{ settings: LearnSettings, problems: Problem[] }} with problems, the defaults in their place
 */
export function checkLearn(task, text) {
  const { defaults } = RECIPES[task]
  const settings = { ...defaults }
  /** @type {Problem[]} */
  const problems = []
  const known = fieldsOf(task)
  for (const part of text.slice(0, MOST_TEXT).split(',').filter(Boolean)) {
    const [name, given = ''] = part.split('=')
    const field = /** @type {Field} */ (name)
    if (!known.includes(field)) continue // of another task, or unknown
    if (field === 'norm') settings.norm = given === 'true'
    else if (field === 'positions') {
      const chosen = POSITIONS.find(each => each === given)
      if (chosen) settings.positions = chosen
    } else {
      const range = /** @type {{ least: number, most: number, whole?: boolean }} */ (RANGES[field])
      const value = Number(given)
      const fits = given.trim() !== '' && value >= range.least && value <= range.most && !(range.whole && value % 1)
      if (fits) Object.assign(settings, { [field]: value })
      else {
        const near = Math.min(range.most, Math.max(range.least, range.whole ? Math.round(value) : value))
        const nearest = Number.isNaN(near) ? undefined : { [field]: near }
        problems.push({ field, given: given.slice(0, 20), ...range, ...(nearest && { nearest }) })
      }
    }
  }
  if (settings.d % (2 * settings.heads)) {
    const { heads } = settings
    const d = Math.min(Math.floor(128 / (2 * heads)), Math.max(1, Math.round(settings.d / (2 * heads)))) * 2 * heads
    problems.push({ field: 'heads', given: String(heads), divides: true, nearest: { heads, d: Math.max(8, d) } })
    settings.heads = defaults.heads
    settings.d = defaults.d
  }
  const isSmall =
    task === 'sort' ? settings.T % 2 || settings.V < settings.T / 2 : task === 'induction' && settings.T < 9
  if (isSmall) {
    problems.push({
      field: 'T',
      given: String(settings.T),
      least: task === 'sort' ? 8 : 9,
      most: 2 * settings.V,
      whole: true,
    })
    settings.T = defaults.T
    settings.V = defaults.V
  }
  for (const problem of problems) {
    const { nearest } = problem
    if (nearest && checkLearn(task, writeLearn(task, { ...settings, ...nearest })).problems.length)
      delete problem.nearest
  }
  return { settings, problems }
}

/** What differs from the defaults, as text. @param {Task} task @param {Partial<Record<Field, unknown>>} settings @param {string} [touch] changes of heads */
export function writeLearn(task, settings, touch = '') {
  const { defaults } = RECIPES[task]
  const fields = fieldsOf(task)
    .filter(field => settings[field] !== undefined && String(settings[field]) !== String(defaults[field]))
    .map(field => `${field}=${settings[field]}`)
  return [...fields, ...(touch ? [`touch=${touch}`] : [])].join(',')
}

/** The changes of heads in the same text. @param {string} text */
export const touchIn = text => /(?:^|,)touch=([^,]*)/.exec(text.slice(0, MOST_TEXT))?.[1] ?? ''

/** Operations a second, assumed until a speed is measured. */
const SPEED = 1e10
/** Beyond these a run is said to be large. */
export const MOST_SECONDS = 60
export const MOST_BYTES = 2 ** 29

/**
 * How long a run takes and how much memory, about.
 * @param {LearnSettings} settings layers: all attentions
 * @param {number} [outputs] of the task 'text' and 'translation'
 * @returns {{ seconds: number, bytes: number }}
 */
export function estimate({ layers, heads, d, mlp, V, T, batch, steps }, outputs = V || 96) {
  const tokens = batch * T
  const forward = tokens * (layers * (8 * d * d + 4 * d * mlp + 4 * T * d) + 2 * d * outputs)
  const weights = layers * (4 * d * d + 2 * d * mlp) + (2 * outputs + T) * d
  const floats = tokens * (layers * (16 * d + 4 * mlp) + 4 * d + 2 * outputs) + batch * layers * heads * T * T
  const snapshots = Math.min(2 ** 24, (weights * steps) / 20)
  return { seconds: (steps * 3.5 * forward) / SPEED, bytes: 4 * (2 * floats + 8 * weights + snapshots) }
}

/**
 * How long so many steps take on a machine that took so long for an evaluation: that is eight passes, a step about three.
 * @param {number} steps
 * @param {number} milliseconds
 */
export const secondsOf = (steps, milliseconds) => (steps * (3 / 8 + 1 / 20) * milliseconds) / 1000

/** Steps until a run with these settings is done: with the recipe's own, the usual number until success. @param {Task} task @param {LearnSettings} settings */
export const usualSteps = (task, settings) =>
  hasDefaults(task, settings) ? Math.min(RECIPES[task].usual, settings.steps) : settings.steps

/** Are these the recipe's settings, but for the seed? @param {Task} task @param {LearnSettings} settings */
export const hasDefaults = (task, settings) => writeLearn(task, { ...settings, seed: undefined }) === ''

/**
 * Nearby settings that do not take minutes: the largest size is reduced.
 * @param {LearnSettings} settings layers: all attentions
 * @returns {Partial<LearnSettings> | undefined} undefined: these are not large
 */
export function smaller(settings) {
  /** @type {Partial<LearnSettings>} */
  const patch = {}
  const isLarge = () => {
    const { seconds, bytes } = estimate({ ...settings, ...patch })
    return seconds > MOST_SECONDS || bytes > MOST_BYTES
  }
  const now = (/** @type {'steps' | 'batch' | 'mlp' | 'd'} */ field) => patch[field] ?? settings[field]
  while (isLarge()) {
    if (now('batch') > 16) patch.batch = Math.ceil(now('batch') / 2)
    else if (now('steps') > 1000) patch.steps = 20 * Math.ceil(now('steps') / 40)
    else if (now('mlp') > 2 * now('d')) patch.mlp = Math.ceil(now('mlp') / 2)
    else if (now('d') > 32) patch.d = 2 * settings.heads * Math.max(1, Math.round(now('d') / 4 / settings.heads))
    else break
  }
  return Object.keys(patch).length ? patch : undefined
}
