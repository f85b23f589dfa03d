// The types of the room that lists the exercises.

import type { Language } from '../i18n/index.js'
import type { Context } from '../shell/room.js'

export interface ListSettings {
  part: 'list' | 'teachers'
  /** Ids for a teacher's link, separated by commas. */
  picked: string
  /** '' for the reader's own language. */
  lang: '' | Language
  hints: boolean
  solution: boolean
  /** Maximum tries; null for no limit. */
  attempts: number | null
}

export interface ListTypes {
  settings: ListSettings
  view: { changes: number; hasSolutions: boolean }
  asks: Record<string, never>
  key: string
  actions: {
    forget: []
    csv: []
    set: [patch: Partial<ListSettings>]
    pick: [id: string]
    copy: [text: string]
    showSolutions: []
  }
}

export type ListContext = Context<ListTypes>
