// What an exercise is: one object, and its texts in each language: `ID.title` in exercises.js, `ID.task`, `ID.may`,
// `ID.done`, `ID.notYet` and `ID.hint.NAME` in the file of its group.

import type { Qkv } from 'qkv'
import type { State, Types } from '../shell/room.js'

/** Numbers are written into hints as they are to be read. */
export type Params = Record<string, string | number>

/** A verdict has a score from 0 to 1 for what passed, and as a hint the name of a text of the exercise. */
export type Verdict = { passed: boolean; score: number; hint: string; params: Params }

/** What a check is given: the state of the room, what was typed or chosen in the bar, and what `watch` remembers. */
export type Given<T extends Types = Types, M = unknown> = {
  state: State<T>
  answer: unknown
  memory: M | undefined
  qkv: Qkv
}

/** A setting of the room in the bar. choices: of a list, as values with the keys of their names. */
export interface Control<S extends object = object> {
  /** The key of its label, or the label itself where there is no such key. */
  name: string
  least?: number
  most?: number
  step?: number
  /** Is it set by a slider? */
  isSlider?: boolean
  choices?: readonly (readonly [value: string, key: string])[]
  /** Is it on or off, 1 or 0? */
  isSwitch?: boolean
  read(settings: S): number | string
  write(settings: S, value: number | string): object
  /** Is it shown with these settings? */
  applies?(settings: S): boolean
}

/** A button that brings other settings, such as another text. `set`: parameters that replace those of the state. */
export interface Part<S extends object = object> {
  name: string
  set: string
  isOn(settings: S): boolean
}

export type Answer =
  | { type: 'number' }
  | { type: 'choice'; choices: readonly string[] }
  /** Marks on words; the answer is the list of the marked positions. */
  | { type: 'marks'; words(state: State<Types>): readonly string[] }

/** What a reader does: parameters that replace those of the start, an answer. */
export interface Attempt {
  set?: string
  /** A function: of the state, where each reader gets another order. */
  answer?: unknown
  /** What is remembered then, where it takes long to come by. */
  memory?: unknown
}

/** A text that the bar shows, with the likeliest next words; `says` is undefined while it is computed. */
export type Saying = { text: string; says?: readonly { word: string; share: string }[] }

/** T: the types of the room; M: what `watch` remembers. */
export interface Exercise<T extends Types = Types, M = unknown> {
  id: string
  room: 'layer' | 'learn' | 'models'
  /** Parameters of the room. A function: of a seed, where each reader gets another order. */
  start: string | ((seed: number) => string)
  /** What the room shows for this exercise and no link holds. */
  view?: Partial<T['view']>
  /** The part of the room that the page scrolls to when the exercise begins, as a selector. */
  shows?: string
  /** The fields that may change, beside what only says what is shown. */
  may: readonly string[]
  /** Are these settings allowed? Where a field may change in part only. */
  allows?(settings: T['settings']): boolean
  answer?: Answer
  /** Its task, where a teacher wrote it. */
  task?: string
  controls?: readonly Control<T['settings']>[]
  parts?: readonly Part<T['settings']>[]
  /** Texts that stand side by side in the bar, with what the model says of each. */
  pair?(state: State<T>): readonly Saying[]
  /** The picture is not shown before there is an answer: it would give it away. */
  isCovered?: boolean
  /** What is drawn in the place of a covered picture: what the answer is computed from. */
  bars?(state: State<T>): readonly { name: string; value: number }[]
  /** What is remembered after this state; the same object if there is nothing new. */
  watch?(state: State<T>, memory: M | undefined): M | undefined
  /** What was measured so far, in words: the parameters of the text `ID.measured`. */
  measured?(given: Given<T, M>): Params | undefined
  /** Undefined while the numbers are not there yet. */
  check(given: Given<T, M>): Verdict | undefined
  /** Each with the hint that it gets. */
  wrong: readonly (Attempt & { hint: string })[]
  solution: Attempt
}
