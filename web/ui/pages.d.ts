// The types of the inspector's pages: the place of a number, and how it was computed.

import type { nothing, TemplateResult } from 'lit'

/** The stack of layers; '' if the model has only one. "cross" is the attention of the decoder to the encoder. */
export type Stack = '' | 'encoder' | 'decoder' | 'cross'

/** The place of a head; layer and head count from 0. "One layer" uses `{ stack: '', layer: 0, head }`. */
export type HeadAt = { stack: Stack; layer: number; head: number }

/** What a page of the inspector is about. detail: a number in the computation of the cell, such as ['term', 3] or ['q', 5]. */
export type Place = {
  head?: HeadAt
  word?: { side: 'queries' | 'keys'; position: number }
  cell?: { matrix: string; row: number; column: number }
  detail?: readonly (string | number)[]
}

/** A number on a page. With `opens`, it is a coloured cell that opens the page of this place. */
export type Value = {
  value: number
  /** Name of the number in its accessible label. */
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
/** A line of arithmetic. side: 'q' or 'k', for example, if the page has one equation for the query and one for the key. */
export type Equation = { type: 'equation'; terms: readonly Inline[]; side?: string }
/** Named numbers. */
export type List = { type: 'list'; rows: readonly { name: Inline; value: Inline }[] }
/** A sum with one term per line. A long sum shows only its largest terms until it is expanded. key: identifies the sum, so that it stays expanded; label: name of the scrolling region. */
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
  /** True for a difference of two numbers. The names of its terms are shown in full. */
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
/** A token with its probability `share`. `before`: probability without changes, drawn as a tick; `last`: content of the last column. */
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
  /** Name of the part, such as "2.1" or "mlp1". */
  name: string
  label: string
  value: number
  /** True if the row has no bar. */
  isBare?: boolean
  opens?: Place
  /** True if the part below the row is expanded. */
  isOpen?: boolean
  below?: TemplateResult
}
export type Input = {
  type: 'input'
  id: string
  label: string
  value: number
  set(value: number, mark: string): void
  /** Selects this number, so that its page stays open. Called when the field gets focus, and before a value is set. */
  hold?(): void
  reset?: { label: string; act(): void }
}
/** Links to other pages, drawn as a sequence. */
export type Links = { type: 'links'; id?: string; items: readonly (readonly Inline[])[] }
/** Parts that explain how the result was computed. */
export type Steps = { type: 'steps'; parts: readonly Part[] }
/** A part that a room draws itself, such as a map, a block of shapes or a control. */
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
  /** Parts drawn below the result. */
  parts: readonly Part[]
  /** Parts drawn above the result. */
  head?: readonly Part[]
  /** The row that contains the number, repeated on a phone, where the sheet covers the picture. */
  row?: readonly { name: string; value: Value; isOwn: boolean }[]
  /** Announcement for screen readers. */
  status?: string
}

/** Returns the page of a place. Each room has such a pure function; inspector.js draws its pages. */
export type Explain<S> = (state: S, place: Place) => Page | 'waiting' | undefined

export type InspectorActions = {
  open(place: Place): void
  back(): void
  forward(): void
  close(): void
  redraw(): void
}
