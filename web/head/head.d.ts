// The types shared by all rooms for one head: its place, the reader's changes, its picture, and the pages of its numbers.

import type { nothing, TemplateResult } from 'lit'

/** The stack of a model with a single one is ''; "cross" is the attention of the decoder to the encoder. */
export type Stack = '' | 'encoder' | 'decoder' | 'cross'

/** Counted from 0. "One layer" uses `{ stack: '', layer: 0, head }`. */
export type HeadAt = { stack: Stack; layer: number; head: number }

export type At = { isOn: boolean; stack: Stack; layer: number }
/** Multiplies the output of a head by a number, or replaces it by its mean. */
export type HeadChange = At & { kind: 'head'; head: number; how: number | 'mean' }
/** Hides a key from a query. */
export type HideChange = At & { kind: 'hide'; head: number; query: number; key: number }
/** Sets an attention weight; the others of its row share the rest in their old proportions. */
export type WeightChange = At & { kind: 'weight'; head: number; query: number; key: number; value: number }
/** Replaces the output of a layer by that on a second text, at one position or (null) at all. */
export type PatchChange = At & { kind: 'patch'; position: number | null }
export type Change = HeadChange | HideChange | WeightChange | PatchChange

/** Of dims (rows, columns). */
export type Matrix = { data: Float32Array | Uint8Array; dims: readonly number[] }

/** The place of the inspector. detail: a part of the cell, such as ['term', 3] or ['q', 5]. */
export type Place = {
  head?: HeadAt
  word?: { side: 'queries' | 'keys'; position: number }
  cell?: { matrix: string; row: number; column: number }
  detail?: readonly (string | number)[]
}

/** A number of a page. With `opens` it is a coloured cell that opens the page of that place. */
export type Value = {
  value: number
  /** Name for its accessible label. */
  name?: string
  scale?: 'share' | 'signed'
  /** Value at the end of the colour scale. */
  reach?: number
  opens?: Place
  isHidden?: boolean
  /** Text shown instead of four decimals. */
  text?: string
}

/** Content of a line: words, a number, or a formula. */
export type Inline = string | Value | TemplateResult | typeof nothing

export type Text = { type: 'text'; text: Inline | readonly Inline[]; tone?: 'note' | 'changed' }
/** A text with embedded numbers and words. */
export type Sentence = { type: 'sentence'; parts: readonly Inline[] }
export type Heading = { type: 'heading'; text: Inline; isSmall?: boolean }
/** A line of arithmetic. side: the side it belongs to, if a page has one for each side. */
export type Equation = { type: 'equation'; terms: readonly Inline[]; side?: string }
/** Named numbers. */
export type List = { type: 'list'; rows: readonly { name: Inline; value: Inline }[] }
/** Terms in lines, only the largest of long sums. key: identifies the sum for expanding it; label: of the scrolling region. */
export type Sum = {
  type: 'sum'
  id: string
  key: string
  label?: string
  columns: readonly Inline[]
  name(i: number): string
  cells(i: number): readonly Inline[]
  sizes: ArrayLike<number>
  own?: number
  /** True for a difference of two numbers: then names are shown in full. */
  isDifference?: boolean
  foot?: readonly { name: Inline; cells: readonly Inline[] }[]
}
/** Shares as bars, in descending order. */
export type Bars = {
  type: 'bars'
  key: string
  rows: readonly { name: string; share: number; place: Place; id?: string }[]
  written(share: number): string
  more(count: number, share: number): string
}
/** The most likely tokens as bars. columns: titles of token, bar, probability, and of an optional last column. */
export type Guesses = { type: 'guesses'; id: string; label: string; columns: readonly string[]; rows: readonly Guess[] }
/** `before` is the probability without changes, drawn as a tick; `last` is shown in the last column. */
export type Guess = {
  token: string | TemplateResult
  share: number
  before?: number
  last?: string | TemplateResult
  isCurrent?: boolean
}
/** The contribution of each part of a model to a logit, as signed bars around zero. */
export type Addends = {
  type: 'addends'
  id: string
  label: string
  rows: readonly Addend[]
  sum: { label: string; value: number }
  digits?: number
}
export type Addend = {
  /** Such as "2.1" or "mlp1". */
  name: string
  label: string
  value: number
  /** True if it has no bar. */
  isBare?: boolean
  opens?: Place
  /** State of the part that expands below the row. */
  isOpen?: boolean
  below?: TemplateResult
}
export type Input = {
  type: 'input'
  id: string
  label: string
  value: number
  set(value: number, mark: string): void
  /** Keeps the page on this number; called when the field gets the focus, and before a value is set. */
  hold?(): void
  reset?: { label: string; act(): void }
}
/** Links to other pages; chain: drawn as a sequence. */
export type Links = { type: 'links'; id?: string; items: readonly (readonly Inline[])[] }
/** Parts that explain how the result was computed. */
export type Steps = { type: 'steps'; parts: readonly Part[] }
/** Anything else: a map, a block of shapes, a control of a room. */
export type Drawing = { type: 'drawing'; draw(): TemplateResult | typeof nothing }
export type Part =
  | Text
  | Sentence
  | Heading
  | Equation
  | List
  | Sum
  | Bars
  | Guesses
  | Addends
  | Input
  | Links
  | Steps
  | Drawing

/** A page of the inspector. */
export type Page = {
  title: string
  /** The number that the page explains. */
  result?: number
  /** Below the result. */
  parts: readonly Part[]
  /** Above the result. */
  head?: readonly Part[]
  /** Repeats the row of the number on a phone, whose sheet covers it. */
  row?: readonly { name: string; value: Value; isOwn: boolean }[]
  /** For screen readers. */
  status?: string
}

/** A pure function of each room that returns pages; inspector.js draws them. */
export type Explain<S> = (state: S, place: Place) => Page | 'waiting' | undefined

export type InspectorActions = {
  open(place: Place): void
  back(): void
  forward(): void
  close(): void
  redraw(): void
}

export type CellAt = { row: number; column: number }
export type Word = { side: 'queries' | 'keys'; position: number }
/** What dragging over a map does. */
export type Mode = 'read' | 'paint'

/** What the difference is taken from, and the difference. */
export type Less = {
  choices: readonly { value: string; name: string }[]
  chosen: string
  /** Describes the subtraction: "Head 1 minus head 2". */
  of: string
  /** Label of the map, if more detailed. */
  label?: string
  /** Weights that the map subtracts, ... */
  weights?: Matrix
  /** ... or the difference itself. */
  difference?: Matrix
  /** Drawn beside the choice. */
  more?: TemplateResult | typeof nothing
  /** Why there is no difference. */
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

/** Queries and keys of a head in two dimensions. `above`: scores minus their row mean; `kept`: share of their squares within the plane; `query`: the current query. */
export type Plane = { q: Matrix; k: Matrix; above: Matrix; kept: number; query: number; weights: Matrix }

/** Statistics of all heads. */
export type HeadTable = {
  caption: string
  /** Title of the column of names. */
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
  /** The previous numbers, struck out where they differ. */
  before?: Matrix
  /** 1 where a query sees a key. */
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
  /** The displayed ones of many rows; undefined: all are shown, and none can be chosen. */
  rows?: { filter: string; range?: { from: number; to: number } }
  less?: Less
  /** Scores of this head. */
  scores?: readonly { name: string; value: number }[]
  heads?: HeadTable
  /** All heads of its layer, with names: `data` starting at `from` is (heads, queries, keys); `own` is the index of this head. */
  layer?: { data: Float32Array; from: number; names: readonly string[]; own: number }
  /** Its queries and keys in a plane. */
  plane?: Plane
  /** Its steps, if the room has them. */
  flow?: Flow
  className?: string
}

/** The reader's actions on pictures of a head, named the same in every room. */
export type HeadActions = {
  show(view: string): void
  setMode(mode: Mode): void
  /** The place under the pointer or with the focus; undefined when it is left. */
  point(place?: Place): void
  select(place: Place, isSecond?: boolean): void
  /** Without a value, restores the cell. Missing in rooms whose weights cannot be edited. */
  edit?(query: number, key: number, value?: number, mark?: string): void
  /** Sets a number of X, or of given Q, K or V. */
  editInput?(matrix: string, row: number, column: number, value: number, mark: string): void
  /** Undoes the last change: Escape during a drag. */
  undo?(): void
  /** Shows another frame of the flow. */
  frame?(step: import('../elements/flow-frames.js').FlowStep, key?: number): void
  hide(query: number, key: number, isHidden: boolean): void
  /** Turns the causal mask on, if there is none. */
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
  /** Id of its element after the prefix; empty if nothing can be saved. */
  id: string
  draw(view: HeadView, act: HeadActions, t: HeadViewTranslate): TemplateResult | typeof nothing
}

export type HeadViewTranslate = ((
  key: keyof typeof import('../i18n/en/shell.js').texts,
  params?: Record<string, string | number>,
) => string) & { elements: object }
