// Every type of the room: what its files share by name.

import type { Qkv } from 'qkv'
import type { FlowStep } from '../../elements/flow-frames.js'
import type { Mode } from '../../head/head.js'
import type { ScaleEnd } from '../../head/scale.js'
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

/** Rows of the map, both ends included. */
export type Range = { from: number; to: number }

/** What no link holds. */
export type View = {
  /** The cell, the word and the head under the pointer or the focus. */
  pointed?: Cell
  hovered?: Word
  hoveredHead?: number
  mode: Mode
  /** Where the colours of the weights end. */
  scaleEnd: ScaleEnd
  /** The length whose cost is shown, and whether no word sees a later one. */
  costLength: number
  costCausal: boolean
  /** The lengths that are to be measured; undefined: the usual ones. */
  costLengths?: readonly number[]
  /** Times that were measured on this computer. */
  times: readonly Timing[]
  /** What the words of the shown rows contain. */
  filter: string
  /** Rows of the map; the others are left out. */
  range?: Range
  /** The step of the frame that the flow shows. */
  frame?: FlowStep
  /** The size of the random queries and keys whose scores are shown. */
  vectorSize: number
  /** Are they shown? undefined: where a stop of the tour is about them. */
  hasDistribution?: boolean
  /** Was done what the stop of the tour asks for? */
  wasDone: boolean
  /** The settings from before the tour. */
  beforeTour?: Settings
  /** The tensors that came from a model of another room. */
  handedOver?: Imported
}

/** Settings whose numbers are asked for; `head`: whose steps a large trace keeps; `urls`: of the files of a trained model. */
export type Traced = { checked: Checked; head: number; urls?: Record<string, string> }

export type LayerAsks = {
  trace: { request: Traced; value: Result }
  /** The settings that these are compared with. */
  baseline: { request: Traced; value: Result }
  /** How far the trace is from float64. `of` is the key of that trace. */
  comparison: { request: Traced & { of: string }; value: { of: string; difference: Difference } }
  /** The shape of what the whole batch through the layer gives, where it is small enough. */
  batch: { request: Traced & { of: string }; value: { of: string; batch: { dims: readonly number[] } | undefined } }
  /** How scores of random queries and keys of a size are distributed. */
  /** How long attention takes on this computer. */
  timing: { request: { lengths: readonly number[] }; value: readonly Timing[] }
  /** Settings from files or a text, or why there are none. */
  read: {
    request: { source: readonly File[] | string }
    value: { settings?: Settings; problem?: { key: string; params?: Record<string, string | number> } }
  }
}

export type LayerActions = {
  /** Numbers of a trained head for the sentence, or random ones. */
  train: [isTrained: boolean]
  /** Changes of one mark in a row are one to undo. */
  change: [patch: Partial<Settings>, mark?: string]
  /** What is shown, not what is computed. */
  look: [patch: Partial<Pick<Settings, 'head' | 'view' | 'minus' | 'other'>>]
  /** Sets a cell; undefined gives it its own value back. */
  edit: [cell: Cell, value: number | undefined, mark?: string]
  paint: [row: number, column: number, isVisible: boolean]
  choose: [preset: PresetId]
  /** The current settings are what is compared with. */
  setBaseline: []
  point: [cell: Cell | undefined]
  hover: [word: Word | undefined]
  hoverHead: [head: number | undefined]
  /** Selects a head, a word, a cell: Back returns to what was selected before, unless it is replaced. */
  select: [selection: Partial<Selection>, options?: { replace?: boolean }]
  /** Takes a cell from the selected one, of the same matrix; else selects it. */
  subtract: [cell: Cell]
  /** Does the selected word see this one? Without a selected one it is selected. */
  ask: [word: Word]
  /** Takes away the cell that is subtracted, or else the selected cell, or else the word. */
  clear: []
  moveStep: [by: 1 | -1]
  /** Shows a step. */
  goTo: [step: string]
  /** The flow shows another frame, of a query. */
  frame: [query: number, step: FlowStep, key?: number]
  /** Marks the step that was scrolled to. */
  pass: [step: string]
  /** Draws the room again. */
  refresh: []
  /** Without a size the distribution is shown no more. */
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

/** What a view may ask for. */
export type Actions = LayerContext['act'] & { back(): void; forward(): void; undo(): void }

/** What a view may show. */
export type Context = View & {
  t: Translate
  /** The tag of the language. */
  language: string
  isDark: boolean
  /** As typed. */
  settings: Settings
  /** Is it shown how random scores are distributed? */
  hasDistribution: boolean
  /** The core, for what a part computes when it is drawn. */
  qkv: Qkv
  /** Is there a place to go back to, or forward? */
  visits: { hasBack: boolean; hasForward: boolean }
  /** The one that is shown unchanged. */
  preset: PresetId | undefined
  problems: Problems
  /** Of a large trace that is under way, from 0 to 1. */
  progress?: number
  /** Are times being measured? */
  isMeasuring: boolean
  /** Do the tensors come from a model of another room? */
  isTrained: boolean
  actions: Actions
}

/** The same with a trace. */
export type SceneContext = Context & Scene
