// The types of the room: its settings, its view state outside of links, its requests to the session.

import type { Change, Mode, Word } from '../../attention-head/head.js'
import type { Shown } from './model-picture.js'
import type { OpenedLayer } from './opened-layer.js'
import type { Head, LearnSettings, TaskName } from './tasks/task.js'
import type { createRun, Weights } from './training-run.js'
import type { Point, Progress } from './watched-run.js'

/** Numbers are strings while they are being typed. */
type Typed = {
  [F in 'layers' | 'heads' | 'd' | 'mlp' | 'V' | 'T' | 'rate' | 'batch' | 'steps' | 'seed']: number | string
}

export interface Settings extends Typed {
  task: TaskName
  positions: LearnSettings['positions']
  norm: boolean
  /** The step to which the run was trained; opening a link trains to that step again. */
  trained: number
  /** The loss of the step `trained`, to check that a repeated run gives the same numbers. */
  loss: number | null
  /** The displayed step; null for the latest. */
  at: number | null
  /** The reader's input; '': default of the task. */
  probe: string
  /** The selected head, such as "2.1"; '': the first of the last attention. */
  head: string
  /** Index of the explained answer; null for none. */
  why: number | null
  changes: readonly Change[]
}

export type Pace = 'full' | 'ten' | 'one'

/** The reference run A. `at`: the step of A that is shown; null for the displayed step of the current run. */
export interface ReferenceRun {
  seed: number
  layers: number
  points: readonly Point[]
  losses: readonly number[]
  at: number | null
}

export interface View {
  /** Number of runs begun; incremented to restart. */
  begun: number
  /** A model from a file, used instead of new weights. */
  file: { step: number; state: Weights } | null
  /** The text to learn. */
  text: string
  isTraining: boolean
  /** Step to train to even if the goal is reached before; null to stop at the goal. */
  until: number | null
  /** True while the run repeats the training of a link. */
  isRepeating: boolean
  /** True if the reader left the room while the run trained. */
  hasLeft: boolean
  pace: Pace
  steps: number
  losses: readonly number[]
  points: readonly Point[]
  reachedAt: number | null
  divergedAt: number | null
  isEnded: boolean
  /** Last announcement to screen readers. */
  spoken: { step: number; accuracy: number; time: number } | null
  reference: ReferenceRun | null
  /** Number of reference runs so far. */
  references: number
  /** The step whose gradients are shown; null for none. */
  gradientAt: number | null
  /** Name of the displayed gradient. */
  gradient: string
  /** Index, among the most likely tokens, of the one whose logit is explained. */
  whyToken: number
  /** The head that is expanded in the explanation. */
  whyHead: string
  /** Name of the picture of the selected head. */
  picture: string
  /** What dragging over the map of the head does. */
  mode: Mode
  /** The selected word of the picture. */
  word: Word | undefined
  isExporting: boolean
  isTable: boolean
  program: 'pytorch' | 'qkv'
  /** Names of dropped files that the room rejects. */
  refused: string
  /** Stop of the story, from 0; null if closed. */
  stop: number | null
}

export interface RunInfo {
  /** Key of the request for this run. */
  key: string
  shape: { inputs: number; outputs: number; T: number; L: number }
  /** Characters of the text, if the task learns one. */
  characters?: readonly string[]
  /** Names of the attentions. */
  blocks: readonly string[]
  settings: LearnSettings
  /** Accuracy of the baseline without attention. */
  baseline: number
  /** Milliseconds of a step and an evaluation on this machine. */
  milliseconds: { step: number; evaluation: number }
  /** True if the model was opened from a file. */
  isOpened: boolean
  first: Progress
}

export interface Picture {
  shownAt: number
  shown: Shown
  /** True if the task of the picture is causal. The settings may already name another task. */
  isCausal: boolean
  /** Changes with which the picture was computed. The settings may have newer ones. */
  changes: readonly Change[]
  /** Held-out accuracy with and without the changes, if any. */
  changed?: { accuracy: number; before: number }
  reference?: { shownAt: number; shown: Shown }
}

/** The step (null for the latest), input and changes to show. */
type At = { at: number | null; probe: string; changes: readonly Change[] }

export type LearnAsks = {
  run: {
    request: {
      key: string
      task: TaskName
      settings: Partial<LearnSettings>
      text?: string
      file?: { step: number; state: Weights }
    }
    value: RunInfo
  }
  train: {
    /** `pace`: steps per second. With `isStill`, pictures are sent only after evaluations. */
    request: {
      isRunning: boolean
      pace: number
      until: number | null
      isStill: boolean
      /** Number of losses and evaluations that the room already has. */
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
  /** Exports the model as a file, or its configuration. */
  saved: {
    request: { task: TaskName; settings: LearnSettings; text: string; at: number | null; isConfig: boolean }
    value: { name: string; data: string | Uint8Array; mime: string }
  }
  /** `from` is the text of the button that leads back. */
  layer: {
    request: At & { layer: number; head: number; from: string }
    value: OpenedLayer & { head: number; from: string }
  }
  file: {
    request: { files: readonly File[] }
    value: { task: TaskName; settings: LearnSettings; step: number; text: string; state: Weights }
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
    choose: [task: TaskName]
    set: [patch: Partial<LearnSettings> | Partial<Settings>]
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
