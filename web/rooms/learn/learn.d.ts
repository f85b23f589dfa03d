// The types of the room: its settings, what no link holds, and what it asks of its session.

import type { Change, Mode, Word } from '../../head/head.js'
import type { Shown } from './model-picture.js'
import type { OpenedLayer } from './opened-layer.js'
import type { Head, LearnSettings } from './tasks/task.js'
import type { createRun, Weights } from './training-run.js'
import type { Point, Progress } from './watched-run.js'

/** Numbers are texts while they are typed. */
type Typed = {
  [F in 'layers' | 'heads' | 'd' | 'mlp' | 'V' | 'T' | 'rate' | 'batch' | 'steps' | 'seed']: number | string
}

export interface Settings extends Typed {
  task: string
  positions: LearnSettings['positions']
  norm: boolean
  /** The step that the run was trained to: a link trains there again. */
  trained: number
  /** The loss of that step, by which a run that is trained again is known to be the same. */
  loss: number | null
  /** The step that is shown; null: the newest. */
  at: number | null
  /** The reader's input; '': the task's own. */
  probe: string
  /** The selected head, as "2.1"; '': the first of the last attention. */
  head: string
  /** Index of the answer that is explained. */
  why: number | null
  changes: readonly Change[]
}

export type Pace = 'full' | 'ten' | 'one'

/** The run that is compared with, A. at: the moment; null: the whole run */
export interface ReferenceRun {
  seed: number
  layers: number
  points: readonly Point[]
  losses: readonly number[]
  at: number | null
}

export interface View {
  /** Counts the runs that were begun, so that Restart begins another. */
  begun: number
  /** A model of a file, in place of new weights. */
  file: { step: number; state: Weights } | null
  /** The text that a task learns. */
  text: string
  isTraining: boolean
  /** Trains up to this step, and not only to the goal. */
  until: number | null
  /** Is this the run of a link, trained again? */
  isRepeating: boolean
  /** Did the reader leave the room while it trained? */
  hasLeft: boolean
  pace: Pace
  steps: number
  losses: readonly number[]
  points: readonly Point[]
  reachedAt: number | null
  divergedAt: number | null
  isEnded: boolean
  /** What a screen reader was told last, and when. */
  spoken: { step: number; accuracy: number; time: number } | null
  reference: ReferenceRun | null
  /** Counts the reference runs. */
  references: number
  /** The step whose gradients are shown. */
  gradientAt: number | null
  /** Which of these gradients is shown. */
  gradient: string
  /** The token of the explanation, and the head that is opened in it. */
  whyToken: number
  whyHead: string
  /** The picture of the selected head, and what a stroke over its map does. */
  picture: string
  mode: Mode
  /** The word that the picture speaks of. */
  word: Word | undefined
  isExporting: boolean
  isTable: boolean
  program: 'pytorch' | 'qkv'
  /** Names of dropped files that the room does not take. */
  refused: string
  /** The stop of the story, from 0; null: it is closed. */
  stop: number | null
}

export interface RunInfo {
  /** The id of the request that it answers. */
  key: string
  shape: { inputs: number; outputs: number; T: number; L: number }
  /** The characters of the text, where the task learns one. */
  characters?: readonly string[]
  /** The names of the attentions. */
  blocks: readonly string[]
  settings: LearnSettings
  /** Accuracy of the baseline without attention. */
  baseline: number
  /** How long a step and an evaluation take on this machine. */
  milliseconds: { step: number; evaluation: number }
  /** Was the model saved before? */
  isOpened: boolean
  first: Progress
}

export interface Picture {
  shownAt: number
  shown: Shown
  /** Of its task, and the changes that it was computed with: the settings may be newer. */
  isCausal: boolean
  changes: readonly Change[]
  /** The accuracy on held-out data with and without the changes, where there are any. */
  changed?: { accuracy: number; before: number }
  reference?: { shownAt: number; shown: Shown }
}

/** What is shown: a step, null for the newest, on an input, with changes. */
type At = { at: number | null; probe: string; changes: readonly Change[] }

export type LearnAsks = {
  run: {
    request: {
      key: string
      task: string
      settings: Partial<LearnSettings>
      text?: string
      file?: { step: number; state: Weights }
    }
    value: RunInfo
  }
  train: {
    /** The pace is in steps a second; `isStill` sends pictures after evaluations only. */
    request: {
      isRunning: boolean
      pace: number
      until: number | null
      isStill: boolean
      /** How many losses and evaluations the room has. */
      known: { losses: number; points: number }
    }
    value: Progress & { isGoing: boolean }
  }
  show: { request: At & { why: number | null; isComparing: boolean; isRunning: boolean }; value: Picture }
  keep: { request: { what: 'run' | 'step'; at: number | null; text: string }; value: null }
  gradients: {
    request: { at: number }
    value: { step: number } & ReturnType<ReturnType<typeof createRun>['gradients']>
  }
  /** The model as a file, or its configuration. */
  saved: {
    request: { task: string; settings: LearnSettings; text: string; at: number | null; isConfig: boolean }
    value: { name: string; data: string | Uint8Array; mime: string }
  }
  /** `from` is the text of the button that leads back. */
  layer: {
    request: At & { layer: number; head: number; from: string }
    value: OpenedLayer & { head: number; from: string }
  }
  file: {
    request: { files: readonly File[] }
    value: { task: string; settings: LearnSettings; step: number; text: string; state: Weights }
  }
}

export type LearnKey =
  | keyof typeof import('../../i18n/en/learn.js').texts
  | keyof typeof import('../../i18n/en/head.js').texts
  | keyof typeof import('../../i18n/en/shell.js').texts

export type LearnTypes = {
  settings: Settings
  view: View
  asks: LearnAsks
  key: LearnKey
  actions: {
    choose: [task: string]
    set: [patch: Partial<LearnSettings>]
    type: [text: string]
    train: []
    step: []
    restart: []
    goTo: [at: number | null]
    ask: [probe: string]
    explain: [answer: number | null]
    select: [layer: number, head: number]
    change: [changes: readonly Change[], mark?: string]
    factor: [layer: number, head: number]
    keep: [what: 'run' | 'step']
    against: [patch: Partial<LearnSettings>]
    openLayer: [layer: number, head: number, from: string]
    open: [files: readonly File[]]
    saveModel: [isConfig: boolean]
    save: [name: string, data: string, mime: string]
    copy: [text: string]
    copyLink: []
    tell: [stop: number | null]
    show: [patch: Partial<View>]
  }
}
export type State = import('../../shell/room.js').State<LearnTypes>
export type Context = import('../../shell/room.js').Context<LearnTypes>
export type { Head }
