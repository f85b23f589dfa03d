import type { ScaleEnd } from '../../head/scale.js'
import type { Key } from '../../i18n/index.js'
import type { Room, State, Step } from '../../shell/room.js'
import type { Checked } from './check-settings.js'
import type { Playing } from './explain/play.js'
import type { Cell, Given, Settings, Word } from './fields.js'
import type { PresetId } from './presets.js'
import type { Selection } from './settings.js'
import type { Result } from './trace/layer-trace.js'
import type { Difference } from './trace/reference64.js'
import type { Spread } from './trace/score-distribution.js'

/** What a stroke over the large map does. */
export type Mode = 'read' | 'edit' | 'paint'

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
  /** What the words of the shown rows contain. */
  filter: string
  /** Rows of the map; the others are left out. */
  range?: Range
  /** Of a step that plays: 1 is 300 ms a cell. */
  pace: number
  playing?: Playing
  /** The size of the random queries and keys whose scores are shown. */
  spreadSize: number
  /** Are they shown? undefined: where a stop of the tour is about them. */
  hasSpread?: boolean
  /** Was done what the stop of the tour asks for? */
  wasDone: boolean
  /** The settings from before the tour. */
  beforeTour?: Settings
  /** The tensors that came from a model of another room. */
  handedOver?: Given
}

/** Settings whose numbers are asked for; `head`: whose steps a large trace keeps. */
export type Traced = { checked: Checked; head: number }

export type LayerAsks = {
  trace: { request: Traced; value: Result }
  /** The settings that these are compared with. */
  baseline: { request: Traced; value: Result }
  /** How far the trace is from float64. `of` is the key of that trace. */
  comparison: { request: Traced & { of: string }; value: { of: string; difference: Difference } }
  /** The shape of what the whole batch through the layer gives, where it is small enough. */
  batch: { request: Traced & { of: string }; value: { of: string; batch: { dims: readonly number[] } | undefined } }
  /** How scores of random queries and keys of a size are distributed. */
  distribution: { request: { d: number; seed: bigint }; value: Spread }
  /** Settings from files, or why there are none. */
  read: {
    request: { files: readonly File[] }
    value: { settings?: Settings; problem?: { key: string; params?: Record<string, string | number> } }
  }
}

export type LayerActions = {
  /** Changes of one mark in a row are one to undo. */
  change: [patch: Partial<Settings>, mark?: string]
  /** What is shown, not what is computed. */
  look: [patch: Partial<Pick<Settings, 'head' | 'step' | 'view' | 'minus' | 'other'>>]
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
  walk: [by: 1 | -1]
  /** Starts or stops. */
  play: []
  /** The next cell of the step that plays, or the next step. */
  tick: []
  /** Marks the step that was scrolled to. */
  pass: [step: string]
  /** Draws the room again. */
  refresh: []
  /** undefined: the distribution is shown no more. */
  setSpread: [size: number | undefined]
  setFilter: [text: string]
  setRange: [range: Range | undefined]
  setScaleEnd: [end: ScaleEnd]
  setPace: [pace: number]
  setMode: [mode: Mode]
  /** Goes to a stop of the tour, from 1, or leaves it. */
  setTour: [stop: number | null]
  copy: [what: 'link' | 'pytorch' | 'qkv']
  saveAll: []
  bring: [source: readonly File[] | string]
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
export type LayerStep = Step<LayerTypes>
