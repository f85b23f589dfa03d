// Learned models: three exercises in "Learn".

import { digits, link, verdict } from '../verdict.js'

/** @import { LearnTypes, State as LearnState } from '../../rooms/learn/learn.js' */
/** Result of a finished run. @typedef {{ accuracy: number, steps: number }} Reached */
/** Recorded runs, by name. @typedef {Record<string, Reached>} Runs */
/** @typedef {import('../exercise.js').Exercise<LearnTypes, Runs>} LearnExercise */

/** Accuracy that counts as learned. */
const LEARNED = 0.95

/** Returns the result of the run; undefined unless it has stopped by itself. @param {LearnState} state @returns {Reached | undefined} */
function reachedBy({ view }) {
  const last = view.points.at(-1)
  const hasStopped = view.steps > 0 && !view.isTraining && (view.reachedAt !== null || view.isEnded)
  return last && hasStopped ? { accuracy: last.heldOutAccuracy, steps: view.steps } : undefined
}

/** Returns the memory with the result of the run under a name; the same object if nothing changed. @param {LearnState} state @param {Runs | undefined} memory @param {string} name */
function withRun(state, memory, name) {
  const reached = reachedBy(state)
  const known = memory?.[name]
  if (!reached || (known?.accuracy === reached.accuracy && known.steps === reached.steps)) return memory
  return { ...memory, [name]: reached }
}

/** @param {Reached | undefined} run */
const accuracyOf = run => (run ? run.accuracy.toFixed(2) : '–')

/** Returns the link parameters of a task without position embeddings. @param {string} task */
const withoutPositions = task => link({ task, positions: 'none', trained: '0', at: '', changes: '' })

/** @type {LearnExercise} */
const needsPositions = {
  id: 'e13',
  room: 'learn',
  start: withoutPositions('sort'),
  may: [],
  parts: ['sort', 'reverse'].map(name => ({
    name,
    set: withoutPositions(name),
    isOn: ({ task }) => task === name,
  })),
  answer: { type: 'choice', choices: ['sort', 'reverse', 'both', 'neither'] },
  watch: (state, memory) => withRun(state, memory, state.settings.task),
  measured: ({ memory }) => ({ sort: accuracyOf(memory?.sort), reverse: accuracyOf(memory?.reverse) }),
  check({ answer, memory }) {
    const { sort, reverse } = memory ?? {}
    const learned = Object.entries({ sort, reverse }).flatMap(([name, run]) =>
      (run?.accuracy ?? 0) >= LEARNED ? [name] : [],
    )
    const right = learned.length === 1 ? learned[0] : learned.length ? 'both' : 'neither'
    const params = { sort: accuracyOf(sort), reverse: accuracyOf(reverse), steps: sort?.steps ?? 0 }
    return verdict(
      Boolean(sort && reverse) && answer === right,
      [
        ['train', !sort || !reverse],
        ['reverse', answer === 'reverse' || answer === 'both', params],
        ['neither', answer === 'neither', params],
      ],
      params,
    )
  },
  wrong: [
    { answer: 'sort', hint: 'train' },
    ...['reverse', 'both'].map(answer => ({ answer, memory: bothRuns(), hint: 'reverse' })),
    { answer: 'neither', memory: bothRuns(), hint: 'neither' },
  ],
  solution: { answer: 'sort', memory: bothRuns() },
}

/** Returns typical results of the runs 'sort' and 'reverse'. @returns {Runs} */
function bothRuns() {
  return { sort: { accuracy: 0.97, steps: 60 }, reverse: { accuracy: 0.28, steps: 200 } }
}

/** Number of steps after which one layer would have learned the task if it could. */
const ENOUGH = 600

/** @type {LearnExercise} */
const howManyLayers = {
  id: 'e14',
  room: 'learn',
  start: link({ task: 'induction', layers: '1', seed: '0' }),
  may: ['layers'],
  controls: [
    {
      name: 'layers',
      least: 1,
      most: 3,
      step: 1,
      read: ({ layers }) => layers,
      write: (_, layers) => ({ layers: Number(layers) }),
    },
  ],
  watch: (state, memory) => withRun(state, memory, String(state.settings.layers)),
  measured: ({ memory = {} }) => ({
    one: accuracyOf(memory[1]),
    two: accuracyOf(memory[2]),
    three: accuracyOf(memory[3]),
  }),
  check({ memory = {} }) {
    const { 1: one, 2: two, 3: three } = memory
    const hasFailed = one !== undefined && one.steps >= ENOUGH && one.accuracy < 0.4
    const hasLearned = (two?.accuracy ?? 0) >= LEARNED
    return verdict(
      hasFailed && hasLearned,
      [
        ['none', !one && !two && !three],
        ['fewer', Boolean(three) && !two],
        ['one', !one],
        ['short', one !== undefined && one.steps < ENOUGH, { steps: one?.steps ?? 0 }],
        ['two', !two],
      ],
      { one: accuracyOf(one), two: accuracyOf(two) },
    )
  },
  wrong: [
    { hint: 'none' },
    { memory: { 1: { accuracy: 0.1, steps: 600 }, 3: { accuracy: 0.97, steps: 300 } }, hint: 'fewer' },
    { memory: { 2: { accuracy: 0.97, steps: 280 } }, hint: 'one' },
    { memory: { 1: { accuracy: 0.1, steps: 200 }, 2: { accuracy: 0.97, steps: 280 } }, hint: 'short' },
    { memory: { 1: { accuracy: 0.1, steps: 600 } }, hint: 'two' },
    { memory: { 1: { accuracy: 0.1, steps: 600 }, 2: { accuracy: 0.5, steps: 200 } }, hint: 'notYet' },
  ],
  solution: { set: 'layers=2', memory: { 1: { accuracy: 0.1, steps: 600 }, 2: { accuracy: 0.97, steps: 280 } } },
}

/** Number of training steps. The reader looks for the first evaluation at which a head gives half its weight to the answer. */
const TRAINED = 280

/** @type {LearnExercise} */
const theMoment = {
  id: 'e15',
  room: 'learn',
  start: link({ task: 'induction', seed: '0', trained: String(TRAINED) }),
  may: [],
  check({ state: { settings, view } }) {
    const { points, isTraining } = view
    if (isTraining || view.steps < TRAINED) return undefined
    /** @param {import('../../rooms/learn/watched-run.js').Point} point */
    const most = ({ heads }) => Math.max(...heads.flat().map(({ answer }) => answer))
    const first = points.findIndex(point => most(point) >= 0.5)
    const { at } = settings
    // The page shows the last snapshot at or before the chosen step.
    const shown = at === null ? points.length - 1 : points.filter(({ step }) => step <= at).length - 1
    const own = points[Math.max(0, shown)]
    return verdict(
      at !== null && Math.abs(shown - first) <= 1,
      [
        ['move', at === null],
        ['early', shown < first, { step: own.step, share: digits(most(own)) }],
        ['late', true, { count: own.step - points[Math.max(0, first)].step }],
      ],
      { step: own.step, share: digits(most(own)) },
    )
  },
  wrong: [{ hint: 'move' }, { set: 'at=100', hint: 'early' }, { set: `at=${TRAINED}`, hint: 'late' }],
  solution: { set: 'at=240' },
}

export const exercises = [needsPositions, howManyLayers, theMoment]
