// The types of the room that lists the exercises.

import type { Context } from '../shell/room.js'

export interface ListTypes {
  settings: object
  view: { changes: number }
  asks: Record<string, never>
  key: string
  actions: { forget: []; csv: [] }
}

export type ListContext = Context<ListTypes>
