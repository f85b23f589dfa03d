// The room "Learn": one task, its model and the reader's changes. Data and pure functions; the session trains.

import { factorOf, isIn, withFactor } from '../../attention-head/changes.js'
import { FIRST_FACTOR } from '../../attention-head/head-switch.js'
import { shown } from '../../shell/slots.js'
import { check, fields, MOST_TRAINED, runSettings, settingsOf } from './fields.js'
import { headAt, isRunning, pictureOf, selectedOf, shortText } from './run-state.js'
import { targetsOf } from './task-story.js'
import { TASKS } from './tasks/index.js'
import { draw } from './view.js'

/** @import { LearnTypes, State } from './learn.js' */
/** @typedef {import('../../shell/room.js').Step<LearnTypes>} Step */

/** Steps per second of each pace. */
const PACES = { full: Number.POSITIVE_INFINITY, ten: 10, one: 1 }
/** Minimum milliseconds between announcements to screen readers. */
const SPOKEN_EVERY = 5000

/** View state of a new run. */
const NEW_RUN = {
  isTraining: false,
  until: null,
  isRepeating: false,
  hasLeft: false,
  steps: 0,
  losses: [],
  points: [],
  reachedAt: null,
  divergedAt: null,
  isEnded: false,
  gradientAt: null,
  gradient: '',
}

/** @type {import('./learn.js').View} */
const view = {
  ...NEW_RUN,
  begun: 0,
  file: null,
  text: '',
  pace: 'full',
  spoken: null,
  reference: null,
  references: 0,
  whyToken: 0,
  whyHead: '',
  picture: 'map',
  mode: 'read',
  word: undefined,
  isExporting: false,
  isTable: false,
  program: 'pytorch',
  refused: '',
  stop: null,
}

/** Returns the part of a request that names the step, the input and the changes to show. @param {State} state */
const shownAt = ({ settings: { at, probe, changes } }) => ({ at, probe, changes })

/** Begins another run. Resets the progress, the displayed step and the changes to heads, but keeps the reference run. @param {State} state @param {Partial<import('./learn.js').Settings>} set @param {Partial<import('./learn.js').View>} [patch] @returns {Step} */
const another = ({ view: { begun } }, set, patch = {}) => ({
  set: { trained: 0, loss: null, at: null, why: null, changes: [], ...set },
  view: { ...NEW_RUN, begun: begun + 1, file: null, ...patch },
  begins: true,
})

/**
 * Begins a run with other settings of the same task, and resets the selected head, which may no longer exist.
 * @param {State} state
 * @param {Partial<import('./tasks/task.js').LearnSettings> | Partial<import('./learn.js').Settings>} patch
 */
const withSettings = (state, patch) => another(state, { ...patch, head: '' })

/**
 * Begins another task.
 * @param {State} state
 * @param {import('./learn.js').Settings['task']} task
 * @param {Partial<import('./tasks/task.js').LearnSettings>} given
 * @param {Partial<import('./learn.js').Settings>} set
 * @param {Partial<import('./learn.js').View>} patch
 */
const withTask = (state, task, given, set, patch) =>
  another(state, { ...settingsOf(task, given), probe: '', head: '', ...set }, { reference: null, ...patch })

/**
 * Returns the progress of a run to store in its link: the step and the loss.
 * @param {number} steps
 * @param {readonly number[]} losses one per step
 */
function reached(steps, losses) {
  const trained = Math.min(steps, MOST_TRAINED)
  return { trained, loss: losses[trained - 1] ?? null }
}

/** Warns if a repeated run did not reach the loss of its link. @param {State} state @param {number | null} own @returns {Step['effects']} */
function otherLoss({ settings: { trained, loss } }, own) {
  if (loss === null || own === null || Math.abs(own - loss) <= 1e-6 * Math.abs(loss)) return undefined
  const params = { step: trained, own: own.toPrecision(6), other: loss.toPrecision(6) }
  return [{ type: 'message', problem: { key: 'learnOtherLoss', params }, isBad: true }]
}

/** Pauses and stores the progress in the link. @param {State} state @param {Partial<import('./learn.js').View>} patch @returns {Step} */
const paused = ({ view }, patch) => ({
  set: reached(view.steps, view.losses),
  view: { isTraining: false, until: null, isRepeating: false, ...patch },
})

/** Keeps the run or the displayed step as A, the reference. @param {State} state @param {'run' | 'step'} what @returns {Step} */
function keep(state, what) {
  const { settings, view } = state
  const { seed, layers } = runSettings(settings)
  const at = what === 'step' ? (pictureOf(state)?.shownAt ?? 0) : null
  return {
    view: {
      references: view.references + 1,
      reference: { seed, layers, points: view.points, losses: view.losses, at },
    },
    effects: [{ type: 'ask', request: { type: 'keep', what, at: settings.at, text: view.text } }],
  }
}

/** @type {import('../../shell/room.js').Room<LearnTypes>['actions']} */
const actions = {
  choose(state, task) {
    const patch = state.around.isNarrow ? TASKS[task].onPhone : {}
    return withTask(state, task, patch ?? {}, {}, { stop: state.view.stop === null ? null : 0 })
  },
  set: withSettings,
  type: (state, text) => (text === state.view.text ? undefined : another(state, {}, { text })),
  train(state) {
    if (isRunning(state)) return paused(state, {})
    return { set: { at: null }, view: { isTraining: true, until: null, hasLeft: false } }
  },
  step: ({ view: { steps } }) => ({
    set: { at: null },
    view: { isTraining: true, until: steps + 1, hasLeft: false },
  }),
  restart(state) {
    const isLost = state.got.run?.is === 'lost'
    // Restart an open story with the run, since its later stops are about the trained model.
    const stop = state.view.stop === null ? null : 0
    const view = isLost ? { reference: null, stop } : { stop }
    const step = another(state, { changes: state.settings.changes }, view)
    return { ...step, begins: false, effects: [{ type: 'retry' }] }
  },
  goTo: (_, at) => ({ set: { at } }),
  ask: (_, probe) => ({ set: { probe } }),
  explain: (_, why) => ({ set: { why }, view: { whyToken: 0, whyHead: '' } }),
  select: (_, layer, head) => ({ set: { head: `${layer + 1}.${head + 1}` } }),
  change: (_, changes, mark = '') => ({ set: { changes }, mark }),
  factor({ settings: { changes } }, layer, head) {
    const at = headAt({ layer, head })
    const how = factorOf(changes, at)
    const hasFactor = how !== 'mean' && how !== 0 && how !== 1
    return {
      set: hasFactor ? {} : { changes: withFactor(changes, at, FIRST_FACTOR) },
      effects: [{ type: 'focus', selector: `[data-switch="${layer + 1}.${head + 1}"] .head-factor` }],
    }
  },
  keep,
  against(state, patch) {
    const { view, effects } = keep(state, 'run')
    const { set, view: begun } = withSettings(state, patch)
    return { set, view: { ...begun, ...view }, begins: true, effects }
  },
  openLayer: (state, layer, head, from) => ({
    effects: [{ type: 'ask', request: { type: 'layer', layer, head, from, ...shownAt(state) } }],
  }),
  open: (_, files) => ({
    view: { refused: '' },
    effects: [{ type: 'ask', request: { type: 'file', files } }],
  }),
  saveModel({ settings, view: { text } }, isConfig) {
    const { task, at } = settings
    const own = { task, settings: runSettings(settings), text, at, isConfig }
    return { effects: [{ type: 'ask', request: { type: 'saved', ...own } }] }
  },
  save: (_, name, data, mime) => ({ effects: [{ type: 'save', name, data, mime }] }),
  copy: (_, text) => ({ effects: [{ type: 'copy', text }] }),
  copyLink: () => ({ effects: [{ type: 'link' }] }),
  tell: (_, stop) => ({
    view: { stop },
    effects:
      stop === null
        ? []
        : [
            { type: 'focus', selector: '#story' },
            // The dock is always visible, so scroll to the target of the stop only if it is outside the dock.
            { type: 'reveal', selector: '[data-tour]:not(.dock *)' },
          ],
  }),
  show: (_, patch) => ({ view: patch }),
}

/** Returns a key that identifies a run. The number of runs begun changes with the text and the file, so the key omits these. @param {State} state */
const runKey = ({ settings, view }) => JSON.stringify([view.begun, settings.task, runSettings(settings)])

/** @param {State} state @returns {import('../../shell/room.js').Request<import('./learn.js').LearnAsks>[]} */
function needs(state) {
  const { settings, view, got, around } = state
  if (shortText(state)) return []
  const { task, why } = settings
  const key = runKey(state)
  const own = runSettings(settings)
  /** @type {ReturnType<typeof needs>} */
  const all = [{ type: 'run', key, task, settings: own, text: view.text, file: view.file ?? undefined }]
  if (shown(got.run)?.key !== key) return all
  const running = view.isTraining && !around.isHidden
  const show = { ...shownAt(state), why, isComparing: view.reference !== null, isRunning: running }
  all.push({ type: 'show', key: `${JSON.stringify(show)} ${view.references}`, ...show })
  // A run whose worker was lost cannot continue. Its picture stays requested, but no training and no gradients.
  if (got.run?.is === 'lost') return all
  const pace = view.isRepeating ? PACES.full : PACES[view.pace]
  const train = { isRunning: running, pace, until: view.until, isStill: around.isStill }
  const known = { losses: view.losses.length, points: view.points.length }
  all.push({ type: 'train', key: `${JSON.stringify(train)} ${pace}`, known, ...train })
  if (view.gradientAt !== null) all.push({ type: 'gradients', at: view.gradientAt })
  return all
}

/** Appends progress to the curves. @param {State} state @param {import('./watched-run.js').Progress} news */
function withProgress({ view }, { losses, points, ...rest }) {
  return { ...rest, losses: [...view.losses, ...losses], points: [...view.points, ...points] }
}

/**
 * Drops selections that are not in the picture: a head of a larger model, an answer or a word of a longer input.
 * @type {NonNullable<import('../../shell/room.js').Room<LearnTypes>['prune']>}
 */
function prune(state) {
  const { settings, view, got } = state
  const picture = shown(got.show)
  if (!picture) return undefined
  const { layers, answers } = picture.shown
  const [layer, head] = settings.head.split('.').map(Number)
  /** @type {Partial<import('./learn.js').Settings>} */
  const set = {}
  if (settings.head !== '' && !layers[layer - 1]?.heads[head - 1]) set.head = ''
  if (settings.why !== null && settings.why >= answers.length) set.why = null
  const { rows, columns } = layers[selectedOf(state, layers.length, layers[0].heads.length).layer]
  const { word } = view
  const isGone = word && word.position >= (word.side === 'keys' ? columns : rows).length
  if (!isGone && !Object.keys(set).length) return undefined
  return { set: Object.keys(set).length ? set : undefined, view: isGone ? { word: undefined } : undefined }
}

/** @type {import('../../shell/room.js').Room<LearnTypes>['receive']} */
const receive = {
  /** Shows a created run. If its link names a step, trains to that step again: the same settings and seed give the same bits. */
  run(state, { first, isOpened }) {
    const { trained, changes, task } = state.settings
    const { heads, steps } = runSettings(state.settings)
    const layers = first.points[0].heads.length
    const known = changes.filter(change => isIn(change, { '': { layers, numHeads: heads } }))
    const repeats = trained > 0 && !isOpened
    /** @type {Step} */
    const step = {
      view: {
        ...NEW_RUN,
        ...first,
        isTraining: repeats,
        isRepeating: repeats,
        until: repeats ? Math.min(trained, steps) : null,
        stop: state.view.stop === null ? null : Math.min(state.view.stop, TASKS[task].story.length - 1),
      },
    }
    return known.length < changes.length ? { ...step, set: { changes: known }, isReplaced: true } : step
  },
  train(state, { isGoing, ...news }) {
    const { view } = state
    /** @type {Partial<import('./learn.js').View>} */
    const patch = withProgress(state, news)
    const hasStopped = view.isTraining && isRunning(state) && !isGoing
    if (hasStopped) Object.assign(patch, { isTraining: false, until: null, isRepeating: false })
    const last = patch.points?.at(-1)
    const now = performance.now()
    if (last && last.step > 0 && (!isGoing || now - (view.spoken?.time ?? 0) > SPOKEN_EVERY))
      patch.spoken = { step: news.steps, accuracy: last.heldOutAccuracy, time: now }
    const own = reached(news.steps, patch.losses ?? [])
    if (isGoing || patch.isRepeating || (view.isRepeating && !hasStopped)) return { view: patch }
    const effects = view.isRepeating ? otherLoss(state, own.loss) : undefined
    const { trained, loss } = state.settings
    return own.trained === trained && own.loss === loss ? { view: patch } : { view: patch, set: own, effects }
  },
  saved: (_, file) => ({ effects: [{ type: 'save', ...file }] }),
  layer(_, { heads, head, causal, rows, columns, from }) {
    /** @type {Extract<import('../../shell/room.js').HandOver, { type: 'head' }>} */
    const what = { type: 'head', tensors: heads, tokens: rows, keyTokens: columns, head, from }
    if (causal) what.mask = 'causal'
    return { effects: [{ type: 'handOver', to: 'layer', what }] }
  },
  file(state, { task, settings, step, text, state: weights }) {
    const trained = Math.min(step, MOST_TRAINED)
    return withTask(state, task, settings, { trained }, { text, file: { step, state: weights } })
  },
}

/** @type {import('../../shell/room.js').Room<LearnTypes>} */
export const room = {
  id: 'learn',
  fields,
  view,
  check,
  isForgiving: true,
  prune,
  isStale: ({ got }) => got.show?.is !== 'here',
  actions,
  needs,
  receive,
  take(state, what) {
    if (what.type !== 'files') return undefined
    const { files } = what
    const isModel = files.some(({ name }) => /\.safetensors$/i.test(name))
    if (isModel) return actions.open(state, files)
    return { view: { refused: files.map(({ name }) => name).join(', ') } }
  },
  /** Restarts the run if the link names another run or another trained step. */
  follow(state, settings) {
    const runOf = (/** @type {import('./learn.js').Settings} */ of) =>
      JSON.stringify([of.task, of.trained, runSettings(of)])
    if (runOf(settings) === runOf(state.settings)) return undefined
    return { view: { ...NEW_RUN, begun: state.view.begun + 1, file: null } }
  },
  leave(state) {
    return state.view.isTraining ? paused(state, { hasLeft: true }) : undefined
  },
  marks: targetsOf,
  note: ({ view }, t) => (view.hasLeft && view.steps > 0 ? t('learnSteps.short', { step: view.steps }) : ''),
  session: {
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    handlers: async qkv => (await import('./session.js')).handlers(qkv),
  },
  draw,
  texts: ['learn', 'head'],
}
