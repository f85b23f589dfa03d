// All shared types of the room.

import type { Qkv } from 'qkv'
import type { Mode } from '../../attention-head/head.js'
import type { ScaleEnd } from '../../attention-head/scale.js'
import type { FlowStep } from '../../elements/flow-frames.js'
import type { Trouble } from '../../files/trouble.js'
import type { Key, Translate } from '../../i18n/index.js'
import type { Room, Context as RoomContext, Step as RoomStep, State } from '../../shell/room.js'
import type { Checked, Problems } from './check-settings.js'
import type { Timing } from './explain/length-cost.js'
import type { Scene } from './explain/scene.js'
import type { Cell, Imported, Settings, Word } from './fields.js'
import type { PresetId } from './presets.js'
import type { Selection } from './settings.js'
import type { Result } from './trace/layer-trace.js'
import type { Difference } from './trace/reference64.js'

export type { Checked, Problem, Problems } from './check-settings.js'
export type { Explanation } from './explain/cell.js'
export type { Region } from './explain/dependencies.js'
export type { Matrices, Matrix } from './explain/matrix-names.js'
export type { Scene } from './explain/scene.js'
export type { Block, Step } from './explain/steps.js'
export type { Share } from './explain/word-facts.js'
export type {
  Cell,
  Edit,
  FieldName,
  HandBuiltHead,
  Imported,
  ImportedTensor,
  NumberField,
  Settings,
  Word,
} from './fields.js'
export type { Axis, MatrixId, Reach, Rule, StepId } from './matrices.js'
export type { FloatTensor, Tensors } from './numbers/index.js'
export type { PresetId } from './presets.js'
export type { Selection } from './settings.js'
export type { Arithmetic } from './trace/arithmetic.js'
export type { Result, Tracer } from './trace/layer-trace.js'
export type { Difference } from './trace/reference64.js'

/** Rows of the map, inclusive. */
export type Range = { from: number; to: number }

/** View state that is not stored in links. */
export type View = {
  /** The cell, the word and the head under the pointer or with focus. */
  pointed?: Cell
  hovered?: Word
  hoveredHead?: number
  mode: Mode
  /** Which maximum determines the colour scale of the weights. */
  scaleEnd: ScaleEnd
  /** Length whose cost is shown, and whether causal attention is assumed. */
  costLength: number
  costCausal: boolean
  /** Lengths to measure; undefined for the default lengths. */
  costLengths?: readonly number[]
  /** Times measured on this computer. */
  times: readonly Timing[]
  /** Text that the word of a row must contain for the row to be shown. */
  filter: string
  /** Range of displayed rows of the map. */
  range?: Range
  /** Step of the frame that the flow shows. */
  frame?: FlowStep
  /** Size of the random queries and keys whose scores are shown. */
  vectorSize: number
  /** True if the distribution of random scores is shown. If undefined, it is shown only at the tour stop 'root'. */
  hasDistribution?: boolean
  /** True if the task of the tour stop was done. */
  wasDone: boolean
  /** The settings from before the tour. */
  beforeTour?: Settings
  /** Tensors received from a model of another room. */
  handedOver?: Imported
}

/**
 * Settings whose numbers are requested; `head`: the head for which a large trace keeps all steps; `urls`: addresses of the files of a
 * trained model.
 */
export type Traced = { checked: Checked; head: number; urls?: Record<string, string> }

export type LayerAsks = {
  trace: { request: Traced; value: Result }
  /** Trace of the settings to compare with. */
  baseline: { request: Traced; value: Result }
  /** Largest difference between the trace and float64. `of` is the key of the trace. */
  comparison: { request: Traced & { of: string }; value: { of: string; difference: Difference } }
  /** Shape of the output of the whole batch, if the batch is small enough to run. */
  batch: { request: Traced & { of: string }; value: { of: string; batch: { dims: readonly number[] } | undefined } }
  /** Milliseconds that attention takes on this computer. */
  timing: { request: { lengths: readonly number[] }; value: readonly Timing[] }
  /** Settings from files or a text, or the problem if there are none. */
  read: {
    request: { source: readonly File[] | string }
    value: { settings?: Settings; problem?: { key: Trouble['key']; params?: Record<string, string | number> } }
  }
}

export type LayerActions = {
  /** Switches between a trained head for the sentence and random numbers. */
  train: [isTrained: boolean]
  /** Changes settings. Successive changes with the same mark are undone together. */
  change: [patch: Partial<Settings>, mark?: string]
  /** Changes view settings that do not affect the numbers. */
  look: [patch: Partial<Pick<Settings, 'head' | 'view' | 'minus' | 'other'>>]
  /** Sets a cell; undefined restores its computed value. */
  edit: [cell: Cell, value: number | undefined, mark?: string]
  paint: [row: number, column: number, isVisible: boolean]
  choose: [preset: PresetId]
  /** Uses the current settings as the baseline. */
  setBaseline: []
  point: [cell: Cell | undefined]
  hover: [word: Word | undefined]
  hoverHead: [head: number | undefined]
  /** Selects a head, a word, a cell. Back returns to the previous selection, unless `replace` is true. */
  select: [selection: Partial<Selection>, options?: { replace?: boolean }]
  /** Subtracts `cell` from the selected cell of the same matrix; selects `cell` if no other cell of that matrix is selected. */
  subtract: [cell: Cell]
  /** Shows whether the selected word sees `word`, or the other way round; if no word is selected, selects `word`. */
  ask: [word: Word]
  /** Clears the subtracted cell, else the selected cell, else the word. */
  clear: []
  moveStep: [by: 1 | -1]
  /** Shows a step. */
  goTo: [step: string]
  /** Sets the step and the cell that the flow shows for a query. */
  frame: [query: number, step: FlowStep, key?: number]
  /** Sets the current step to the one that the reader scrolled to. */
  pass: [step: string]
  /** Draws the room again. */
  refresh: []
  /** Shows the distribution of scores of random vectors of this size; without a size, hides it. */
  setDistribution: [size: number | undefined]
  setCost: [patch: Partial<Pick<View, 'costLength' | 'costCausal' | 'costLengths'>>]
  measure: [lengths: readonly number[]]
  cancelMeasure: []
  setFilter: [text: string]
  setRange: [range: Range | undefined]
  setScaleEnd: [end: ScaleEnd]
  setMode: [mode: Mode]
  /** Goes to a stop of the tour, from 1, or leaves it. */
  setTour: [stop: number | null]
  copyLink: []
  copy: [text: string, said: Key]
  saveAll: []
  import: [source: readonly File[] | string]
  show: [id: string]
  reveal: [selector: string]
  retry: []
}

export type LayerTypes = {
  settings: Settings
  view: View
  asks: LayerAsks
  key: Key
  actions: LayerActions
}

export type LayerRoom = Room<LayerTypes>
export type LayerState = State<LayerTypes>
export type LayerStep = RoomStep<LayerTypes>
export type LayerContext = RoomContext<LayerTypes>

/** Actions available to views. */
export type Actions = LayerContext['act'] & { back(): void; forward(): void; undo(): void }

/** State available to views. */
export type Context = View & {
  t: Translate
  /** Language tag. */
  language: string
  isDark: boolean
  /** Settings as typed, which may be invalid. */
  settings: Settings
  /** True if the distribution of random scores is shown. */
  hasDistribution: boolean
  /** The core, for views that compute while drawing. */
  qkv: Qkv
  /** True if Back or Forward is possible. */
  visits: { hasBack: boolean; hasForward: boolean }
  /** The preset that the settings equal. */
  preset: PresetId | undefined
  problems: Problems
  /** Progress of a large trace, from 0 to 1. */
  progress?: number
  /** True while times are measured. */
  isMeasuring: boolean
  /** True if the tensors come from a model of another room. */
  isTrained: boolean
  actions: Actions
}

/** The context together with the scene of a trace. */
export type SceneContext = Context & Scene
