// Settings of a run as text, as a link carries them: "seed=3,layers=1". Every number is checked before a model is made.

import { RECIPES } from './recipes.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./run.js').Task} Task */
/** @typedef {keyof LearnSettings} Field */
/** @typedef {{ field: Field, given: string, least?: number, most?: number, whole?: boolean, divides?: boolean }} Problem */

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
export const POSITIONS = /** @type {const} */ (['rope', 'learned', 'none'])

/** Fields that the reader may change, for each task. @param {Task} task @returns {Field[]} */
export function fieldsOf(task) {
  const model = /** @type {Field[]} */ (
    task === 'translation' ? ['heads', 'd'] : ['layers', 'heads', 'd', 'positions', 'mlp']
  )
  const sizes = /** @type {Field[]} */ (task === 'translation' ? [] : task === 'text' ? ['T'] : ['V', 'T'])
  return [...model, 'norm', ...sizes, 'rate', 'batch', 'steps', 'seed']
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
  for (const part of text.slice(0, 500).split(',').filter(Boolean)) {
    const [name, given = ''] = part.split('=')
    const field = /** @type {Field} */ (name)
    if (!known.includes(field)) continue // of another task, or of nobody
    if (field === 'norm') settings.norm = given === 'true'
    else if (field === 'positions') {
      const chosen = POSITIONS.find(each => each === given)
      if (chosen) settings.positions = chosen
    } else {
      const range = /** @type {{ least: number, most: number, whole?: boolean }} */ (RANGES[field])
      const value = Number(given)
      const fits = given.trim() !== '' && value >= range.least && value <= range.most && !(range.whole && value % 1)
      if (fits) Object.assign(settings, { [field]: value })
      else problems.push({ field, given: given.slice(0, 20), ...range })
    }
  }
  if (settings.d % (2 * settings.heads)) {
    problems.push({ field: 'heads', given: String(settings.heads), divides: true })
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
  return { settings, problems }
}

/** What differs from the defaults, as text. @param {Task} task @param {Partial<Record<Field, unknown>>} settings */
export function writeLearn(task, settings) {
  const { defaults } = RECIPES[task]
  return fieldsOf(task)
    .filter(field => settings[field] !== undefined && String(settings[field]) !== String(defaults[field]))
    .map(field => `${field}=${settings[field]}`)
    .join(',')
}
