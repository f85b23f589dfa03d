// The types that every room uses for one head: where it is, what a reader changed in it, its picture, and the pages of its numbers.

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
export type Matrix = { data: ArrayLike<number> & Iterable<number>; dims: readonly number[] }

/** Where the inspector is. detail: a part of the cell, such as ['term', 3] or ['q', 5]. */
export type Place = {
  head?: HeadAt
  word?: { side: 'queries' | 'keys'; position: number }
  cell?: { matrix: string; row: number; column: number }
  detail?: readonly (string | number)[]
}
