// The types that every room uses for one head: where it is, what a reader changed in it, its picture, and the pages of its numbers.

import type { nothing, TemplateResult } from 'lit'

/** The empty stack is that of a model with one; "cross" is the attention of the decoder to the encoder. */
export type Stack = '' | 'encoder' | 'decoder' | 'cross'

/** Counted from 0. One layer is `{ stack: '', layer: 0, head }`. */
export type HeadAt = { stack: Stack; layer: number; head: number }

export type At = { isOn: boolean; stack: Stack; layer: number }
/** The output of a head is multiplied by a number, or replaced by its mean. */
export type HeadChange = At & { kind: 'head'; head: number; how: number | 'mean' }
/** A key is hidden from a query. */
export type HideChange = At & { kind: 'hide'; head: number; query: number; key: number }
/** An attention weight is set; the other weights of its row share the rest in their old proportions. */
export type WeightChange = At & { kind: 'weight'; head: number; query: number; key: number; value: number }
/** The output of a layer is taken from a second text, at one position or (null) at all positions. */
export type PatchChange = At & { kind: 'patch'; position: number | null }
export type Change = HeadChange | HideChange | WeightChange | PatchChange

/** Of dims (rows, columns). */
export type Matrix = { data: Float32Array | Uint8Array; dims: readonly number[] }

/** Where the inspector is. detail: a part of the cell, such as ['term', 3] or ['q', 5]. */
export type Place = {
  head?: HeadAt
  word?: { side: 'queries' | 'keys'; position: number }
  cell?: { matrix: string; row: number; column: number }
  detail?: readonly (string | number)[]
}

/** A number of a page. With `opens` it is a cell in its colour that opens the page of that place. */
export type Value = {
  value: number
  /** What it is, for its label. */
  name?: string
  scale?: 'share' | 'signed'
  /** The value at the end of the colours. */
  reach?: number
  opens?: Place
  isHidden?: boolean
  /** What is written in place of four decimals. */
  text?: string
}

/** What stands in a line of a page: words, a number, or a formula. */
export type Inline = string | Value | TemplateResult | typeof nothing

export type Text = { type: 'text'; text: Inline | readonly Inline[]; tone?: 'note' | 'changed' }
/** A text with numbers and words in it. */
export type Sentence = { type: 'sentence'; parts: readonly Inline[] }
export type Heading = { type: 'heading'; text: Inline; isSmall?: boolean }
/** A line of arithmetic. side: what it is of, where a page has one for each side. */
export type Equation = { type: 'equation'; terms: readonly Inline[]; side?: string }
/** Numbers with their names. */
export type List = { type: 'list'; rows: readonly { name: Inline; value: Inline }[] }
/** Terms in lines, of long sums the largest. key: of what is opened; label: of a region that scrolls. */
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
  /** One number less another: names are shown whole. */
  isDifference?: boolean
  foot?: readonly { name: Inline; cells: readonly Inline[] }[]
}
/** Shares as bars, the largest first. */
export type Bars = {
  type: 'bars'
  key: string
  rows: readonly { name: string; share: number; place: Place; id?: string }[]
  written(share: number): string
  more(count: number, share: number): string
}
/** The likeliest tokens as bars. columns: the names of token, bar, probability, and of a last column if there is one. */
export type Guesses = { type: 'guesses'; id: string; label: string; columns: readonly string[]; rows: readonly Guess[] }
/** `before` is the probability without changes, an ink tick; `last` stands in the last column. */
export type Guess = {
  token: string | TemplateResult
  share: number
  before?: number
  last?: string | TemplateResult
  isCurrent?: boolean
}
/** What each part of a model adds to a logit, as signed bars around zero. */
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
  /** Has it no bar? */
  isBare?: boolean
  opens?: Place
  /** Of what opens below the row. */
  isOpen?: boolean
  below?: TemplateResult
}
export type Input = {
  type: 'input'
  id: string
  label: string
  value: number
  set(value: number, mark: string): void
  /** The page stays with this number: called when the field gets the focus, and before its number is set. */
  hold?(): void
  reset?: { label: string; act(): void }
}
/** Ways to other pages; chain: one after the other. */
export type Links = { type: 'links'; id?: string; items: readonly (readonly Inline[])[] }
/** The parts that say how the result was computed. */
export type Steps = { type: 'steps'; parts: readonly Part[] }
/** What is no list of numbers: a map, a block of shapes, a control of a room. */
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
  /** The row of the number again, on a phone, whose sheet covers it. */
  row?: readonly { name: string; value: Value; isOwn: boolean }[]
  /** For screen readers. */
  status?: string
}

/** Each room gives one pure function; inspector.js draws its pages. */
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
/** What a stroke over a map does. */
export type Mode = 'read' | 'paint'

/** What the difference is taken from, and the difference. */
export type Less = {
  choices: readonly { value: string; name: string }[]
  chosen: string
  /** What is subtracted from what, in words: "Head 1 minus head 2". */
  of: string
  /** Of the map, if it says more. */
  label?: string
  /** Subtracted by the map from the weights, ... */
  weights?: Matrix
  /** ... or the difference itself. */
  difference?: Matrix
  /** Beside the choice. */
  more?: TemplateResult | typeof nothing
  /** Why there is no difference. */
  problem?: unknown
}

/** What <qkv-flow> shows of the head. */
export type Flow = {
  trace: import('../elements/flow-frames.js').FlowTrace
  head: number
  query: number
  partials?: Matrix
  /** The step whose frame is shown. */
  step?: import('../elements/flow-frames.js').FlowStep
}

/** Queries and keys of a head in two dimensions. `above`: scores less the mean of their row; `kept`: the share of their squares that the plane holds; `query`: the one that is spoken of. */
export type Plane = { q: Matrix; k: Matrix; above: Matrix; kept: number; query: number; weights: Matrix }

/** The numbers of all heads. */
export type HeadTable = {
  caption: string
  /** Of the column of names. */
  head: string
  columns: readonly string[]
  rows: readonly { name: string; head: number; values: readonly string[]; note?: string; isOwn: boolean }[]
}

/** All that a picture of one head is drawn from. */
export type HeadView = {
  /** Before the ids of its elements, such as "models-". */
  prefix: string
  /** Of the map. */
  label: string
  weights: Matrix
  /** The old numbers, which are shown struck out where they differ. */
  before?: Matrix
  /** 1 where a query sees a key. */
  visible?: Matrix
  queries: readonly string[]
  keys: readonly string[]
  /** Are queries and keys two texts? */
  isCross?: boolean
  view: string
  mode: Mode
  domain: readonly [number, number]
  pointed?: CellAt
  selected?: CellAt
  subtracted?: CellAt
  /** The word that the pictures speak of. */
  word?: Word
  /** Of many rows those that are shown; without it all are, and none can be chosen. */
  rows?: { filter: string; range?: { from: number; to: number } }
  less?: Less
  /** The scores of this head. */
  scores?: readonly { name: string; value: number }[]
  heads?: HeadTable
  /** All heads of its layer, by their names: `data` from `from` on is (heads, queries, keys); `own` is this one. */
  layer?: { data: Float32Array; from: number; names: readonly string[]; own: number }
  /** Its queries and keys in a plane. */
  plane?: Plane
  /** Its steps, where the room has them. */
  flow?: Flow
  className?: string
}

/** What a reader does with a picture of a head; the same names in every room. */
export type HeadActions = {
  show(view: string): void
  setMode(mode: Mode): void
  /** The place under the pointer or the focus; without one, it was left. */
  point(place?: Place): void
  select(place: Place, isSecond?: boolean): void
  /** Without a value the cell gets its own back. A room without it has no weights that can be set. */
  edit?(query: number, key: number, value?: number, mark?: string): void
  /** A number of X, or of Q, K or V that are given. */
  editInput?(matrix: string, row: number, column: number, value: number, mark: string): void
  /** Takes the last change back: Escape during a drag. */
  undo?(): void
  /** The flow shows another frame. */
  frame?(step: import('../elements/flow-frames.js').FlowStep, key?: number): void
  hide(query: number, key: number, isHidden: boolean): void
  /** Turns the causal mask on, where no mask is. */
  hideLater?(): void
  /** Another head, of the numbers of all heads. */
  open?(head: number): void
  subtract?(choice: string): void
  chooseRows?(range?: { from: number; to: number }): void
  filterRows?(text: string): void
}

/** A picture of a head. */
export type HeadPicture = {
  name: string
  /** The id of its picture, behind the prefix; empty where it has none to save. */
  id: string
  draw(view: HeadView, act: HeadActions, t: HeadViewTranslate): TemplateResult | typeof nothing
}

export type HeadViewTranslate = ((
  key: keyof typeof import('../i18n/en/shell.js').texts,
  params?: Record<string, string | number>,
) => string) & { elements: object }
