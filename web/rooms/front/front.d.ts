// The types of the front door: its settings, its requests to the session, its actions.

import type { Context as ContextOf, State as StateOf } from '../../shell/room.js'
import type { Pronoun, Runs, Story } from './pronoun-story.js'

export interface Settings extends Story {
  /** True if the head that finds the name is on. */
  isOn: boolean
  /** True if the other five heads are on. */
  othersOn: boolean
}

export interface View {
  /** True once a switch was used; then the second switch is shown. */
  isUsed: boolean
  /** True once the model may be loaded: soon after the first draw; with Save-Data, once the reader changes the story. */
  isWanted: boolean
  /** True if the browser asks to save data (Save-Data). */
  isSaving: boolean
  /** True while key B is held, which turns all heads on. */
  isHeld: boolean
  /** The text that the reader typed into the field for a sentence. */
  own: string
}

export type FrontAsks = {
  tell: { request: { urls: Record<string, string>; story: Story }; value: Runs }
}

export type Actions = {
  name: [who: 'girl' | 'boy', name: string]
  swap: []
  pronoun: [to: Pronoun]
  flip: [which: 'isOn' | 'othersOn']
  retry: []
  want: []
  own: [text: string]
  release: []
}

export interface FrontTypes {
  settings: Settings
  view: View
  asks: FrontAsks
  key: string
  actions: Actions
}

export type State = StateOf<FrontTypes>
export type Context = ContextOf<FrontTypes>

/** The data in recorded.js, written by `npm run front`. */
export interface Recorded {
  parameters: number
  /** Size of model.safetensors. */
  bytes: number
  he: Runs
  she: Runs
  /** Attention weights of the first head in the first example of "One layer". */
  layerMap: readonly number[]
  /** Held-out accuracy of the task "Induction" in "Learn" with seed 0, from the first to the last step. */
  curve: { accuracy: readonly number[]; steps: number }
  /** The attention maps of all six heads of the stories model, on the initial story. */
  modelMaps: readonly (readonly number[])[]
}
