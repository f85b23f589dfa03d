// The settings of the room: types, defaults and problems.

import { readChanges, writeChanges } from '../../attention-head/changes.js'
import { choice, count, flag, other, real, text, toNumber, whole } from '../../shell/kinds.js'
import { isIn, namesIn } from '../../shell/known.js'
import { TASK_NAMES, TASKS } from './tasks/index.js'

/** @import { Settings } from './learn.js' */
/** @import { LearnSettings } from './tasks/task.js' */
/** @typedef {keyof LearnSettings & keyof Settings} RunField */
/** @typedef {import('../../shell/room.js').Problem<Settings, import('./learn.js').LearnKey>} Problem */

/** @type {LearnSettings['positions'][]} */
export const POSITIONS = ['rope', 'learned', 'distance', 'sinusoids', 'none']

/** Maximum steps of a run. */
export const MOST_TRAINED = 5000

/**
 * Describes a setting of the run. The task determines its default, and whether the reader may change it.
 * @template V
 * @param {RunField} name
 * @param {import('../../shell/room.js').Kind<V>} kind
 * @returns {import('../../shell/room.js').Field<V, Settings>}
 */
const ofRun = (name, kind) => ({
  kind,
  default: ({ task }) => /** @type {V} */ (TASKS[task].defaults[name]),
  history: 'none',
  applies: ({ task }) => TASKS[task].fields.includes(name),
})

/** @type {import('../../shell/room.js').Room<import('./learn.js').LearnTypes>['fields']} */
export const fields = {
  task: { kind: choice(TASK_NAMES), default: 'induction', history: 'none' },
  layers: ofRun('layers', whole(1, 4)),
  heads: ofRun('heads', whole(1, 8)),
  d: ofRun('d', whole(8, 128)),
  positions: ofRun('positions', choice(POSITIONS)),
  mlp: ofRun('mlp', whole(0, 512)),
  norm: ofRun('norm', flag()),
  V: ofRun('V', whole(8, 64)),
  T: ofRun('T', whole(8, 64)),
  rate: ofRun('rate', real(1e-5, 1)),
  batch: ofRun('batch', whole(4, 64)),
  steps: ofRun('steps', whole(20, MOST_TRAINED)),
  seed: ofRun('seed', whole(0, 2 ** 31)),
  trained: { kind: other('trained', { write: String, read: readTrained }), default: 0, history: 'none' },
  loss: { kind: other('loss', { write: String, read: readLoss }), default: null, history: 'none' },
  at: { kind: count(), default: null, history: 'none' },
  probe: { kind: text(), default: '', history: 'none' },
  head: { kind: text(), default: '', history: 'none' },
  why: { kind: count(), default: null, history: 'none' },
  changes: { kind: other('changes', { write: writeChanges, read: readChanges }), default: [], history: 'undo' },
}

/** @param {string} text */
function readTrained(text) {
  const steps = Number(text)
  if (!(Number.isInteger(steps) && steps >= 0 && steps <= MOST_TRAINED)) throw new Error(text)
  return steps
}

/** @param {string} text */
function readLoss(text) {
  const loss = toNumber(text)
  if (!Number.isFinite(loss)) throw new Error(text)
  return loss
}

/** Lists the run settings that the reader may change. @param {string} task */
export const fieldsOf = task => /** @type {RunField[]} */ (TASKS[task].fields)

/** Returns the problem of a value with the nearest valid value as an offer. @param {RunField} field @param {unknown} value @returns {Problem | undefined} */
function problemOf(field, value) {
  const { kind } = fields[field]
  const problem = /** @type {Problem | undefined} */ (kind.check?.(/** @type {never} */ (value)))
  const { least = 0, most = 0, type } = kind
  const number = toNumber(value)
  const near = Math.min(most, Math.max(least, type === 'whole' ? Math.round(number) : number))
  return problem && { ...problem, offers: Number.isNaN(near) ? [] : [{ [field]: near }] }
}

/** Returns the problem of heads that do not divide d into even sizes. @param {number} heads @param {number} d @returns {Problem} */
function dividesProblem(heads, d) {
  const near = Math.min(Math.floor(128 / (2 * heads)), Math.max(1, Math.round(d / (2 * heads)))) * 2 * heads
  return { key: 'learnBadHeads', params: { d }, offers: [{ heads, d: Math.max(8, near) }] }
}

/** Returns the problems of the run's settings. Omits offers that are themselves invalid. @param {Settings} settings */
export function check(settings) {
  const problems = problemsIn(settings)
  for (const [name, problem] of Object.entries(problems))
    problem.offers = problem.offers?.filter(offer => !Object.hasOwn(problemsIn({ ...settings, ...offer }), name))
  return problems
}

/** @param {Settings} settings @returns {Partial<Record<RunField, Problem>>} */
function problemsIn(settings) {
  const { task } = settings
  /** @type {Partial<Record<RunField, Problem>>} */
  const problems = {}
  for (const field of fieldsOf(task)) {
    const problem = problemOf(field, settings[field])
    if (problem) problems[field] = problem
  }
  const numbers = numbersOf(settings, problems)
  const { d, heads } = numbers
  if (d % (2 * heads)) problems.heads ??= dividesProblem(heads, d)
  return { ...problems, ...TASKS[task].check?.(numbers) }
}

/**
 * Returns the numbers of the run.
 * @param {Settings} settings
 * @param {object} problems problems by field; such fields get their defaults
 * @returns {LearnSettings}
 */
function numbersOf(settings, problems) {
  const { defaults } = TASKS[settings.task]
  const own = fieldsOf(settings.task)
    .filter(field => !Object.hasOwn(problems, field))
    .map(field => [field, typeof defaults[field] === 'number' ? toNumber(settings[field]) : settings[field]])
  return { ...defaults, ...Object.fromEntries(own) }
}

/** Returns the settings of the run. An invalid value is replaced by its default, together with related sizes. @param {Settings} settings @returns {LearnSettings} */
export function runSettings(settings) {
  const problems = check(settings)
  const numbers = numbersOf(settings, problems)
  const { heads, d, V, T } = TASKS[settings.task].defaults
  if (problems.heads) Object.assign(numbers, { heads, d })
  if (problems.T) Object.assign(numbers, { V, T })
  return numbers
}

/** True if settings differ from the defaults of the task. @param {string} task @param {LearnSettings} settings @param {readonly RunField[]} [but] ignored fields */
export const differsFromDefaults = (task, settings, but = []) =>
  fieldsOf(task).some(field => !but.includes(field) && settings[field] !== TASKS[task].defaults[field])

/**
 * Returns the expected number of steps of a run. With the default settings of the task, this is the median number until success.
 * @param {string} task
 * @param {LearnSettings} settings
 */
export const usualSteps = (task, settings) =>
  differsFromDefaults(task, settings, ['seed']) ? settings.steps : Math.min(TASKS[task].goal.usual, settings.steps)

/** Returns the defaults of a task with changes applied. @param {import('./tasks/task.js').TaskName} task @param {Partial<LearnSettings>} [patch] @returns {Partial<Settings>} */
export const settingsOf = (task, patch = {}) => {
  const { defaults } = TASKS[task]
  const names = namesIn(fields).filter(name => isIn(defaults, name))
  return { task, ...Object.fromEntries(names.map(name => [name, patch[name] ?? defaults[name]])) }
}

/** True if nothing was trained, compared or changed, so there is nothing to show or undo. @param {import('./learn.js').State} state */
export const isFresh = ({ settings, view }) =>
  view.steps === 0 && view.reference === null && settings.changes.length === 0
