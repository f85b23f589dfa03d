// The interface of an exercise. Its texts in each language are `ID.title` in exercises.js, and `ID.task`, `ID.may`, `ID.done`, `ID.notYet`
// and `ID.hint.NAME` in the file of its group.

import type { Qkv } from 'qkv'
import type { State, Types } from '../shell/room.js'

/** Parameters of a text; numbers are formatted for reading. */
export type Params = Record<string, string | number>

/** The result of a check. `score`: 0 to 1 if passed, else 0; `hint`: name of the hint's text; `params`: parameters of this text. */
export type Verdict = { passed: boolean; score: number; hint: string; params: Params }

/** Input of a check: the state of the room, the answer from the bar, and what `watch` remembers. */
export type Given<T extends Types = Types, M = unknown> = {
  state: State<T>
  answer: unknown
  memory: M | undefined
  qkv: Qkv
}

/** A control in the bar for a setting of the room. choices: values with text keys. */
export interface Control<S extends object = object> {
  /** Text key of its label, or the label itself. */
  name: string
  least?: number
  most?: number
  step?: number
  /** True for a slider. */
  isSlider?: boolean
  choices?: readonly (readonly [value: string, key: string])[]
  /** True for a switch with values 1 and 0. */
  isSwitch?: boolean
  read(settings: S): number | string
  write(settings: S, value: number | string): object
  /** True if the control is shown with these settings. */
  applies?(settings: S): boolean
}

/** A button that applies other settings, such as another text. `set`: link parameters that replace the current ones. */
export interface Part<S extends object = object> {
  name: string
  set: string
  isOn(settings: S): boolean
}

export type Answer<T extends Types = Types> =
  | { type: 'number' }
  | { type: 'choice'; choices: readonly string[] }
  /** Marks on words; the answer lists the marked positions. */
  | { type: 'marks'; words(state: State<T>): readonly string[] }

/** An attempt that tests simulate, or the solution. `set`: link parameters that replace those of the exercise's `start`. */
export interface Attempt {
  set?: string
  /** The answer; a function of the state if the order is random. */
  answer?: unknown
  /** What `watch` would have remembered; given only where the tests need it, since computing it is slow. */
  memory?: unknown
}

/** A text in the bar with the most likely next words; `says` is undefined while these are computed. */
export type Saying = { text: string; says?: readonly { word: string; share: string }[] }

/** An exercise. T: types of its room; M: type of the value that `watch` remembers. */
export interface Exercise<T extends Types = Types, M = unknown> {
  id: string
  room: 'layer' | 'learn' | 'models'
  /** Initial parameters of the room; a function of a seed if the order is random. */
  start: string | ((seed: number) => string)
  /** View state of the room for this exercise, which links do not contain. */
  view?: Partial<T['view']>
  /** Selector of the part of the room to scroll to at the start. */
  shows?: string
  /** Fields that the reader may change, besides those that only affect the view. */
  may: readonly string[]
  /** True if the settings are allowed. Needed if only some values of a field in `may` are allowed. */
  allows?(settings: T['settings']): boolean
  answer?: Answer<T>
  /** Text of the task in an exercise made by a teacher. */
  task?: string
  controls?: readonly Control<T['settings']>[]
  parts?: readonly Part<T['settings']>[]
  /** Texts side by side in the bar, with the model's predictions for each. */
  pair?(state: State<T>): readonly Saying[]
  /** True if the picture is hidden until the exercise is passed, since it would reveal the answer. */
  isCovered?: boolean
  /** Returns the numbers that the answer is computed from, to draw as bars in place of the hidden picture. */
  bars?(state: State<T>): readonly { name: string; value: number }[]
  /** Returns the value to remember after this state; the same object if nothing changed. */
  watch?(state: State<T>, memory: M | undefined): M | undefined
  /** Returns the measurements so far, as parameters of the text `ID.measured`. */
  measured?(given: Given<T, M>): Params | undefined
  /** Returns a verdict; undefined while the numbers are computed. */
  check(given: Given<T, M>): Verdict | undefined
  /** Wrong attempts with the hint that each must get, for the tests. */
  wrong: readonly (Attempt & { hint: string })[]
  solution: Attempt
}
