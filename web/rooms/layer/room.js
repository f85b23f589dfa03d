// The room "One layer".

import { VIEW_NAMES } from '../../attention-head/views/index.js'
import { Trouble } from '../../files/trouble.js'
import { actions, arrive, clear, importNumbers, moveStep, openImported, refusal, set, takeHead } from './actions.js'
import { check } from './check-settings.js'
import { stopOf, VECTOR_SIZE } from './explain/tour.js'
import { DEFAULTS, FIELDS } from './fields.js'
import { needs, now, revived } from './needs.js'
import { prune } from './selection.js'
import { change, keepMeaningful, pageOf, signature } from './settings.js'
import { draw } from './view.js'
import { more, tools } from './views/header-tools.js'

/** @import { LayerRoom, LayerState } from './layer.js' */

/** Maximum numbers and characters in a link: browsers truncate longer addresses. */
const [MOST_NUMBERS, MOST_LETTERS] = [10_000, 200_000]

/** Opens the tour stop of a link, if the link changes no setting that affects the numbers. @param {LayerState} state @param {LayerState['settings']} settings of the link */
const linkedStop = (state, settings) =>
  settings.tour !== null && signature(settings) === signature(DEFAULTS) ? arrive(state, settings.tour) : undefined

/** @type {LayerRoom} */
export const room = {
  id: 'layer',
  fields: FIELDS,
  view: {
    mode: 'read',
    scaleEnd: 'shared',
    filter: '',
    costLength: 1000,
    costCausal: false,
    times: [],
    vectorSize: VECTOR_SIZE,
    wasDone: false,
  },
  check: settings => check(settings).problems,
  settle(before, after) {
    const view = VIEW_NAMES.includes(after.view) ? after.view : FIELDS.view.default
    return keepMeaningful(before, { ...after, view })
  },
  prune,
  isStale: ({ got }) => got.trace?.is !== 'here',
  actions,
  needs,
  now,
  revive: { trace: revived, baseline: revived },
  receive: {
    timing: (_, times) => ({ view: { times } }),
    read: (state, { settings, problem }) =>
      settings ? openImported(state, settings) : refusal(problem && new Trouble(problem.key, problem.params)),
  },
  reset: (state, origin) => ({ ...origin, ...pageOf(state.settings), step: state.settings.step }),
  sentence: ({ settings }) => settings.sentence,
  take(state, what) {
    if (what.type === 'files') return importNumbers(what.files)
    if (what.type === 'text') return importNumbers(what.text)
    if (what.type === 'head') return takeHead(state, what)
    if (what.type !== 'sentence' || state.settings.imported) return undefined
    return set(state, change(state.settings, { sentence: what.text }))
  },
  enter: state => linkedStop(state, state.settings),
  follow: linkedStop,
  keys: {
    Escape: clear,
    n: state => moveStep(state, 1),
    'Shift+PageDown': state => moveStep(state, 1),
    p: state => moveStep(state, -1),
  },
  pass: (state, step) => actions.pass(state, step),
  marks({ settings: { tour } }) {
    if (tour === null) return []
    const { target, does } = stopOf(tour)
    return does === undefined ? [target] : [target, does]
  },
  canLink({ imported, sentence, second }) {
    const numbers = Object.values(imported ?? {}).map(part => ('data' in part ? part.data.length : 0))
    return numbers.reduce((a, b) => a + b, 0) <= MOST_NUMBERS && sentence.length + second.length <= MOST_LETTERS
  },
  session: {
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    handlers: async qkv => (await import('./session.js')).handlers(qkv),
  },
  draw,
  tools,
  more,
  texts: ['layer'],
}
