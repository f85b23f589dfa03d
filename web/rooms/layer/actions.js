// The actions of the room "One layer". Each returns a step: settings and view state to change, and effects such as messages.

import { messageOf, Trouble } from '../../files/trouble.js'
import { fromLink, toLink } from '../../shell/settings-link.js'
import { headsOfImported } from './check-settings.js'
import { cellOfFrame, STEP_OF } from './explain/frame-steps.js'
import { pictureOf } from './explain/picture.js'
import { stepsOf } from './explain/steps.js'
import { strongestLink } from './explain/strongest-link.js'
import { isDone, stopOf, VECTOR_SIZE } from './explain/tour.js'
import { everything } from './export.js'
import { DEFAULTS, FIELDS, hasScores, isFloat32 } from './fields.js'
import { EDITABLE, MATRICES } from './matrices.js'
import { resultOf } from './needs.js'
import { PRESETS, settingsOf } from './presets.js'
import { hasCell } from './selection.js'
import { change, DEFAULT_VIEW, edit, isSameCell, pageOf, paint, selectionOf, settingsOfTensors } from './settings.js'

/** @import { FlowStep } from '../../elements/flow-frames.js' */
/** @import { Cell, LayerActions, LayerRoom, LayerState, LayerStep, MatrixId, Selection, Settings, View } from './layer.js' */

/** Link to the default settings. It names the default seed, since an empty baseline link means that there is no baseline. */
const DEFAULT_BASELINE = 'seed=123'

/** Patch that replaces the trained head by random heads, without mask and positions. @type {Partial<Settings>} */
const RANDOM = { model: 'heads', mask: 'none', positions: 'none' }

/** The sentences of the presets. */
const EXAMPLES = Object.values(PRESETS).map(({ patch }) => ('sentence' in patch ? patch.sentence : DEFAULTS.sentence))

/** Sets the settings, and retries the baseline trace if it failed. @param {LayerState} state @param {Settings} settings @param {string} [mark] @returns {LayerStep} */
export const set = ({ got }, settings, mark) => ({
  set: settings,
  mark,
  effects: got.baseline?.is === 'failed' ? [{ type: 'retry' }] : [],
})

/**
 * Opens other numbers: clears the history of Back, and makes these settings the target of Reset.
 * @param {LayerState} state
 * @param {Settings} settings
 * @param {Partial<View>} [view]
 * @returns {LayerStep}
 */
const open = (state, settings, view) => ({
  ...set(state, settings),
  view: { pointed: undefined, range: undefined, ...view },
  begins: 'places',
})

/** Returns the effect that passes the sentence on to the next room that the reader opens. @param {string} text @returns {LayerStep['effects']} */
const offer = text => [{ type: 'offer', what: { type: 'sentence', text } }]

/** Matches the keys of texts about imports, which are loaded on demand with 'layer-parts'. */
const IMPORTS = /^(import|npy|problemPairs)/

/** @param {unknown} error @returns {LayerStep} */
export function refusal(error) {
  const { key, params } =
    error instanceof Trouble ? error : { key: 'importFailed', params: { message: messageOf(error) } }
  const texts = IMPORTS.test(key) ? 'layer-parts' : undefined
  return { effects: [{ type: 'message', problem: { key, params, texts }, isBad: true }] }
}

/** Opens imported settings, and reports the number of their heads. @param {LayerState} state @param {Settings} settings @returns {LayerStep} */
export function openImported(state, settings) {
  const count = settings.imported ? headsOfImported(settings.imported) : settings.heads
  const step = open(state, settings)
  return {
    ...step,
    effects: [
      ...(step.effects ?? []),
      { type: 'message', problem: { key: 'imported', params: { count } } },
      { type: 'reveal', selector: '.bar' },
    ],
  }
}

/** Asks the session to parse files or pasted text. `openImported` opens the answer. @param {readonly File[] | string} source @returns {LayerStep} */
export const importNumbers = source => ({
  effects: [{ type: 'ask', request: { type: 'read', source, key: String(performance.now()) } }],
})

/**
 * Opens a head of another room, with the tensors of its layer.
 * @param {LayerState} state
 * @param {Extract<import('../../shell/room.js').HandOver, { type: 'head' }>} what
 * @returns {LayerStep}
 */
export function takeHead(state, { tensors, tokens, keyTokens, head, mask, settings: others }) {
  const plain = Object.entries(tensors).map(([name, { dims, data }]) => [
    name,
    { dims: [...dims], data: Array.from(data) },
  ])
  try {
    const settings = {
      ...settingsOfTensors({ ...Object.fromEntries(plain), tokens, keyTokens }),
      ...pageOf(state.settings),
      ...(mask !== undefined && { mask: /** @type {Settings['mask']} */ (mask) }),
      ...others,
      head,
    }
    return open(state, settings, { handedOver: settings.imported ?? undefined })
  } catch (error) {
    return refusal(error)
  }
}

/**
 * Returns a link to the settings from before the tour, for the field `before`; '' for imported numbers, which are too many for a link.
 * @param {Settings} settings
 */
function beforeTour(settings) {
  if (settings.tour !== null) return settings.before
  return settings.imported ? '' : toLink(FIELDS, settings) || DEFAULT_BASELINE
}

/** Opens a stop of the tour. @param {LayerState} state @param {number} stop @returns {LayerStep} */
export function arrive(state, stop) {
  const { settings, view } = state
  const step = open(
    state,
    { ...stopOf(stop).settings, baseline: settings.baseline, tour: stop, before: beforeTour(settings) },
    {
      hovered: undefined,
      wasDone: false,
      vectorSize: VECTOR_SIZE,
      hasDistribution: undefined,
      beforeTour: settings.tour === null ? settings : view.beforeTour,
    },
  )
  return {
    ...step,
    isReplaced: true,
    effects: [
      ...(step.effects ?? []),
      { type: 'reveal', selector: `main:has(#tour[data-stop="${stop}"]) ${stopOf(stop).shows ?? stopOf(stop).target}` },
    ],
  }
}

/** Parses the settings of a link; undefined if the link is empty or damaged. @param {string} link */
function linkedSettings(link) {
  try {
    return link ? fromLink(FIELDS, link) : undefined
  } catch {
    return undefined
  }
}

/** Leaves the tour and restores the settings from before it, unless the reader has typed another sentence. @param {LayerState} state @returns {LayerStep} */
function leaveTour(state) {
  const { settings, view } = state
  const own = view.beforeTour ?? linkedSettings(settings.before)
  if (!own || settings.tour === null || settings.sentence !== stopOf(settings.tour).settings.sentence)
    return { set: { tour: null, before: '' }, view: { beforeTour: undefined } }
  const step = open(state, { ...own, baseline: settings.baseline, before: '' }, { beforeTour: undefined })
  return { ...step, isReplaced: true }
}

/** Returns the word that the row of a cell belongs to; null if the rows of its matrix are not words. @param {Cell} cell @returns {Selection['word']} */
function wordOf({ matrix, row }) {
  const [down] = MATRICES[matrix]?.axes ?? []
  if (down === 'tokens' || down === 'queries') return { side: 'queries', position: row }
  return down === 'keys' ? { side: 'keys', position: row } : null
}

/** @param {LayerState} state @param {Partial<Selection>} patch @param {{ replace?: boolean }} [options] @returns {LayerStep | undefined} */
function select(state, patch, { replace = false } = {}) {
  const own = selectionOf(state.settings)
  const { head, cell, word } = patch
  const isPerHead = (/** @type {Cell} */ { matrix }) => resultOf(state)?.tensors[matrix]?.dims.length === 3
  const isOther = cell !== undefined || word !== undefined
  /** Moves a cell to the newly selected head, unless all heads share its matrix. @param {Selection['cell']} of */
  const moved = of => (of && isPerHead(of) && head !== undefined ? { ...of, head } : of)
  const next = {
    ...own,
    ...(cell && isPerHead(cell) && { head: cell.head }),
    ...(!isOther && { cell: moved(own.cell), less: moved(own.less) }),
    ...(isOther && { less: null }),
    // The selected word follows the cell.
    ...(cell && own.word && { word: wordOf(cell) }),
    ...patch,
  }
  if (JSON.stringify(next) === JSON.stringify(own)) return undefined
  return {
    set: next,
    isReplaced: replace || (own.word === null && own.cell === null),
    // Stop following the pointer, so that the selected cell is shown.
    view: { ...(cell && { pointed: undefined }), ...(word && { hovered: undefined }) },
  }
}

/**
 * Result matrix of each step after the heads. The flow has no frame for these steps: the inspector beside the flow explains a cell of the
 * matrix instead.
 * @type {Partial<Record<string, MatrixId>>}
 */
const BESIDE_FLOW = { join: 'joined', out: 'final' }

/**
 * Shows a step: in the flow its frame, with other pictures its matrices below the picture.
 * @param {LayerState} state
 * @param {string} step
 * @returns {LayerStep}
 */
function goTo(state, step) {
  const { word, head } = state.settings
  const result = resultOf(state)
  const shown = { set: { step }, view: { pointed: undefined } }
  if (pictureOf(state.settings, result) !== 'flow')
    return { ...shown, effects: [{ type: 'reveal', selector: `#step-${step}` }] }
  const matrix = BESIDE_FLOW[step]
  const row = word?.side === 'queries' ? word.position : ((result && strongestLink(result, head))?.row ?? 0)
  const opened = matrix && select(state, { cell: { matrix, head: 0, row, column: 0 } })
  return { ...shown, set: { ...shown.set, ...opened?.set }, effects: [{ type: 'reveal', selector: '#flow' }] }
}

/** Moves forward or back by a number of steps. @param {LayerState} state @param {number} by @returns {LayerStep | undefined} */
export function moveStep(state, by) {
  const result = resultOf(state)
  if (!result) return undefined
  const steps = stepsOf(result)
  const at = Math.max(
    0,
    steps.findIndex(({ id }) => id === state.settings.step),
  )
  const next = steps[Math.max(0, at + by)]
  return next && goTo(state, next.id)
}

/** Merges two steps. @param {LayerStep | undefined} a @param {LayerStep | undefined} b @returns {LayerStep} the combined step */
const both = (a = {}, b = {}) => ({
  ...a,
  ...b,
  set: a.set || b.set ? { ...a.set, ...b.set } : undefined,
  view: { ...a.view, ...b.view },
  effects: [...(a.effects ?? []), ...(b.effects ?? [])],
})

/** @param {LayerState} state @returns {LayerStep | undefined} */
export function clear(state) {
  const { less, cell } = state.settings
  return select(state, less ? { less: null } : cell ? { cell: null } : { word: null })
}

/** @type {{ [N in keyof LayerActions]: (state: LayerState, ...args: any[]) => LayerStep | undefined }} */
const plain = {
  change(state, patch, mark) {
    const step = set(state, change(state.settings, patch), mark)
    if (!('sentence' in patch)) return step
    return both(step, { view: { range: undefined }, effects: offer(String(patch.sentence)) })
  },
  train(state, isTrained) {
    const { settings } = state
    // Keep a sentence that the reader typed. Replace an example by the sentence of the preset, which shows what the trained head does.
    const own = isTrained && !EXAMPLES.includes(settings.sentence) ? { sentence: settings.sentence } : {}
    const patch = isTrained ? PRESETS.trained.patch : RANDOM
    return open(state, { ...change(settings, { ...patch, ...own }), word: null, cell: null, less: null })
  },
  look: (_, patch) => ({ set: patch, isReplaced: true, view: { pointed: undefined } }),
  goTo,
  frame: ({ settings: { head } }, query, /** @type {FlowStep} */ step, key) => ({
    set: { step: STEP_OF[step] },
    view: { frame: step, pointed: cellOfFrame(head, query, step, key) },
  }),
  edit(state, cell, value, mark) {
    const result = resultOf(state)
    if (!result || !EDITABLE.includes(cell.matrix) || !hasCell(result, cell)) return undefined
    if (value !== undefined && !isFloat32(value)) return refusal(new Trouble('problemNumber'))
    return set(state, edit(state.settings, cell, value), mark)
  },
  paint: (state, row, column, isVisible) =>
    hasScores(state.settings) ? set(state, paint(state.settings, row, column, isVisible), 'paint') : undefined,
  choose: (state, preset) => open(state, { ...settingsOf(preset), ...pageOf(state.settings) }),
  setBaseline: ({ settings }) => ({
    set: { baseline: toLink(FIELDS, { ...settings, ...DEFAULT_VIEW }) || DEFAULT_BASELINE, minus: 'settings' },
  }),
  point({ view: { pointed } }, cell) {
    if (pointed && cell ? isSameCell(pointed, cell) : pointed === cell) return undefined
    return { view: { pointed: cell } }
  },
  hover({ view: { hovered } }, word) {
    if (hovered?.side === word?.side && hovered?.position === word?.position) return undefined
    return { view: { hovered: word } }
  },
  hoverHead: (_, hoveredHead) => ({ view: { hoveredHead } }),
  select,
  subtract(state, less) {
    const { cell } = state.settings
    const isOther = cell && cell.matrix === less.matrix && !isSameCell(cell, less)
    return select(state, isOther ? { cell, less } : { cell: less })
  },
  ask(state, other) {
    const { word } = state.settings
    const isOne = !resultOf(state)?.settings.isCross
    if (!word || (word.side === other.side && (!isOne || word.position === other.position)))
      return select(state, { word: other, cell: null })
    const [asks, asked] = word.side === 'keys' && !isOne ? [other, word] : [word, other]
    const selected = select(state, { word: { side: 'queries', position: asks.position }, cell: null })
    return both(selected, { set: { probe: asked.position } })
  },
  clear,
  moveStep,
  pass: ({ settings, got }, step) =>
    pictureOf(settings, resultOf({ got })) === 'flow' || step === settings.step ? undefined : { set: { step } },
  refresh: () => ({}),
  setDistribution: ({ view }, size) => ({
    view: { vectorSize: size ?? view.vectorSize, hasDistribution: size !== undefined },
  }),
  setCost: (_, patch) => ({ view: patch }),
  measure: (_, lengths) => ({ view: { times: [] }, effects: [{ type: 'ask', request: { type: 'timing', lengths } }] }),
  cancelMeasure: () => ({ effects: [{ type: 'cancel', slot: 'timing' }] }),
  setFilter: (_, filter) => ({ view: { filter } }),
  setRange: (_, range) => ({ view: { range } }),
  setScaleEnd: (_, scaleEnd) => ({ view: { scaleEnd } }),
  setMode: (_, mode) => ({ view: { mode } }),
  setTour: (state, stop) => (stop === null ? leaveTour(state) : arrive(state, stop)),
  copyLink: () => ({ effects: [{ type: 'link' }] }),
  copy: (_, text, said) => ({ effects: [{ type: 'copy', text, said }] }),
  saveAll(state) {
    const result = resultOf(state)
    if (!result) return undefined
    const data = everything(result, state.settings)
    return { effects: [{ type: 'save', name: 'qkv.json', data, mime: 'application/json' }] }
  },
  import: (_, source) => importNumbers(source),
  show: (_, id) => ({ effects: [{ type: 'show', id }] }),
  reveal: (_, selector) => ({ effects: [{ type: 'reveal', selector }] }),
  retry: () => ({ effects: [{ type: 'retry' }] }),
}

/**
 * Sets `wasDone` in the view of a step that completes the task of the tour stop. `wasDone` stays true even if the reader undoes the task.
 * @param {LayerState} state
 * @param {LayerStep | undefined} step
 * @returns {LayerStep | undefined}
 */
function markDone(state, step) {
  if (!step) return undefined
  const settings = { ...state.settings, ...step.set }
  const view = { ...state.view, ...step.view }
  if (settings.tour === null || view.wasDone || !isDone(settings.tour, settings, view)) return step
  return { ...step, view: { ...step.view, wasDone: true } }
}

/** @type {LayerRoom['actions']} */
export const actions = /** @type {any} */ (
  Object.fromEntries(
    Object.entries(plain).map(([name, action]) => [
      name,
      (/** @type {LayerState} */ state, /** @type {any[]} */ ...args) => markDone(state, action(state, ...args)),
    ]),
  )
)
