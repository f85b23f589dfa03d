// The types of the front door: its settings, what it asks of its session, its actions.

import type { Context as ContextOf, State as StateOf } from '../../shell/room.js'
import type { Pronoun, Runs, Story } from './pronoun-story.js'

export interface Settings extends Story {
  /** Is the named head on? */
  isOn: boolean
  /** Are the other five? */
  othersOn: boolean
}

export interface View {
  /** Was a switch used? Then the second one is there. */
  isUsed: boolean
  /** May the model be loaded? Not before the first picture; with Save-Data not before it is needed. */
  isWanted: boolean
  /** Does the reader want few bytes (Save-Data)? */
  isSaving: boolean
  /** While the key B is held, all heads are on. */
  isHeld: boolean
  /** The sentence in the reader's field. */
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

/** What `npm run front` records. */
export interface Recorded {
  parameters: number
  /** Of model.safetensors. */
  bytes: number
  he: Runs
  she: Runs
  /** One layer's first example: the weights of its first head. */
  layerMap: readonly number[]
  /** Induction in Learn with seed 0: held-out accuracy from the first to the last step. */
  curve: { accuracy: readonly number[]; steps: number }
  /** The six maps of the stories model for the story that opens. */
  modelMaps: readonly (readonly number[])[]
}
