// The types shared by all rooms for one head: its place, the reader's changes and its picture.

import type { nothing, TemplateResult } from 'lit'
import type { Place, Stack } from '../ui/pages.js'

export type * from '../ui/pages.js'

export type At = { isOn: boolean; stack: Stack; layer: number }
/** Multiplies the output of a head by a number, or replaces the output by its mean over the positions. */
export type HeadChange = At & { kind: 'head'; head: number; how: number | 'mean' }
/** Hides a key from a query. */
export type HideChange = At & { kind: 'hide'; head: number; query: number; key: number }
/** Sets an attention weight, and rescales the other weights of its row so that the row still sums to 1. */
export type WeightChange = At & { kind: 'weight'; head: number; query: number; key: number; value: number }
/** Replaces the output of a layer by its output on a second text. `position`: where; null for every position. */
export type PatchChange = At & { kind: 'patch'; position: number | null }
export type Change = HeadChange | HideChange | WeightChange | PatchChange

/** `dims` is (rows, columns). */
export type Matrix = { data: Float32Array | Uint8Array; dims: readonly number[] }

export type CellAt = { row: number; column: number }
export type Word = { side: 'queries' | 'keys'; position: number }
/** What dragging over a map does. */
export type Mode = 'read' | 'paint'

/** The choice of what to subtract from the weights, and the resulting difference. */
export type Less = {
  choices: readonly { value: string; name: string }[]
  chosen: string
  /** Names the difference, such as "Head 1 minus head 2". */
  of: string
  /** Label of the map, if `of` is not detailed enough. */
  label?: string
  /** Weights that the map subtracts, unless `difference` is given. */
  weights?: Matrix
  /** The difference, already computed. */
  difference?: Matrix
  /** Template drawn beside the menu of choices. */
  more?: TemplateResult | typeof nothing
  /** Message shown if there is no difference. */
  problem?: unknown
}

/** Data of <qkv-flow> for the head. */
export type Flow = {
  trace: import('../elements/flow-frames.js').FlowTrace
  head: number
  query: number
  partials?: Matrix
  /** The step whose frame is shown. */
  step?: import('../elements/flow-frames.js').FlowStep
}

/**
 * Queries and keys of a head as points in a plane. `above`: each score minus its row mean. `kept`: how much of `above` the plane shows, as
 * a share of its sum of squares. `query`: index of the current query.
 */
export type Plane = { q: Matrix; k: Matrix; above: Matrix; kept: number; query: number; weights: Matrix }

/** Statistics of all heads. */
export type HeadTable = {
  caption: string
  /** Title of the column that contains the names. */
  head: string
  columns: readonly string[]
  rows: readonly { name: string; head: number; values: readonly string[]; note?: string; isOwn: boolean }[]
}

/** Input of all pictures of a head. */
export type HeadView = {
  /** Prefix of element ids, such as "models-". */
  prefix: string
  /** Label of the map. */
  label: string
  weights: Matrix
  /** The weights before the reader's edit, shown struck out where they differ. */
  before?: Matrix
  /** (queries, keys), 1 where a query may attend to a key; undefined if all are visible. */
  visible?: Matrix
  queries: readonly string[]
  keys: readonly string[]
  /** True if queries and keys come from two texts. */
  isCross?: boolean
  view: string
  mode: Mode
  domain: readonly [number, number]
  pointed?: CellAt
  selected?: CellAt
  subtracted?: CellAt
  /** The word that the pictures refer to. */
  word?: Word
  /** Filter and range of the displayed rows; undefined if all rows are shown and cannot be filtered. */
  rows?: { filter: string; range?: { from: number; to: number } }
  less?: Less
  /** Statistics of this head, each with a name. */
  scores?: readonly { name: string; value: number }[]
  heads?: HeadTable
  /** Weights of all heads of the layer: `data` from index `from` on, (heads, queries, keys). `own`: index of this head in the layer. */
  layer?: { data: Float32Array; from: number; names: readonly string[]; own: number }
  /** Queries and keys of the head in a plane; null while they load. */
  plane?: Plane | null
  /** The head's computation step by step, if the room has it. */
  flow?: Flow
  className?: string
}

/** Actions of the reader on the pictures of a head. Every room implements them. */
export type HeadActions = {
  show(view: string): void
  setMode(mode: Mode): void
  /** Called with the place under the pointer or with keyboard focus, and without a place when the pointer or focus leaves it. */
  point(place?: Place): void
  select(place: Place, isSecond?: boolean): void
  /** Sets a weight, or without `value` restores it. Rooms whose weights cannot be edited lack this action. */
  edit?(query: number, key: number, value?: number, mark?: string): void
  /** Sets a number of X; of Q, K or V if the attention has these as inputs instead of X. */
  editInput?(matrix: string, row: number, column: number, value: number, mark: string): void
  /** Undoes the last change. Called if the reader presses Escape during a drag. */
  undo?(): void
  /** Shows another frame of the flow. */
  frame?(step: import('../elements/flow-frames.js').FlowStep, key?: number): void
  hide(query: number, key: number, isHidden: boolean): void
  /** Turns the causal mask on; missing if it is on already. */
  hideLater?(): void
  /** Opens another head from the table of all heads. */
  open?(head: number): void
  subtract?(choice: string): void
  chooseRows?(range?: { from: number; to: number }): void
  filterRows?(text: string): void
}

/** A picture of a head. */
export type HeadPicture = {
  name: string
  /** Id of the element that can be saved as a picture, without the prefix; empty if there is none. */
  id: string
  draw(view: HeadView, act: HeadActions, t: HeadViewTranslate): TemplateResult | typeof nothing
}

export type HeadViewTranslate = ((
  key: keyof typeof import('../i18n/en/shell.js').texts,
  params?: Record<string, string | number>,
) => string) & { elements: object }
