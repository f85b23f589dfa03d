// The interface of a task, as used by the room, its session and its programs.

import type { Generator } from 'qkv'
import type { Trouble } from '../../../files/trouble.js'
import type { Problem } from '../../../shell/room.js'
import type { LearnKey } from '../learn.js'
import type { createRun } from '../training-run.js'
import type { Forward } from '../transformer.js'
import type { Batch, Split } from './batch.js'
import type { Corpus } from './text.js'

/** Sizes and rates of a run. Together with the seed they determine every bit of the run. */
export interface LearnSettings {
  /** Layers of self-attention. */
  layers: number
  heads: number
  /** Width of the residual stream. */
  d: number
  /** `distance`: a learned bias added to the scores, by distance. */
  positions: 'sinusoids' | 'rope' | 'learned' | 'distance' | 'none'
  /** True if a LayerNorm precedes each attention and MLP, and the logits. */
  norm: boolean
  /** Width of the MLP of each layer; 0 for none. */
  mlp: number
  /** Vocabulary size; 0 if the task fixes it. */
  V: number
  /** Length of the input. */
  T: number
  /** Adam's learning rate. */
  rate: number
  /** Sequences per step. */
  batch: number
  /** Steps during which the rate grows. */
  warmup: number
  steps: number
  /** True if the rate falls to a tenth of its maximum along a cosine. */
  decay: boolean
  seed: number
}

/** Sizes of a task's data. */
export interface Shape {
  /** Rows of the embedding. */
  inputs: number
  /** Logits per position. */
  outputs: number
  /** Number of different numbers or characters, without separators. */
  V: number
  T: number
  L: number
  /** Rows of the embedding of previous target tokens, for a model with cross-attention. */
  previous?: number
  corpus?: Corpus
}

type NamedIn<Key> = Key extends `task.${infer Name}.text` ? Name : never
/** The tasks that have a text. */
export type TaskName = NamedIn<LearnKey>

/** A problem whose text is one of the room's texts. */
export type TaskProblem = Problem<object, LearnKey>

export type Run = ReturnType<typeof createRun>

/** Parses and formats the reader's input. */
export interface Tokens {
  name(id: number): string
  /** Returns the name of an input token; default: its name as an answer. */
  inputName?(id: number): string
  read(probe: string): number[] | TaskProblem
  /** Default input. */
  first: string
  /** Which answers the page shows: of all positions, or only of the last one. */
  answers: 'last' | 'all'
  /** Language of the answers. */
  language?: string
  /** Every word that can be typed, if there are few. */
  words?: readonly string[]
}

/** A forward pass on one input. The answers are the rows i of the logits with from <= i < to. */
export interface Answered {
  forward: Forward
  from: number
  to: number
  /** Ids of the displayed input. */
  inputs: ArrayLike<number>
}

/** State of a run, as used by the stops of a story. Heads are counted from 0. */
export interface StoryState {
  settings: LearnSettings
  steps: number
  shownAt: number
  reachedAt: number | null
  jump: number | null
  /** The first-layer head with the largest weight on the previous token. */
  previous: Head
  /** The last-layer head with the largest weight on the position of the answer. */
  answer: Head
  hasRun: boolean
  hasProbe: boolean
  hasWhy: boolean
  hasGradients: boolean
  isSelected(head: Head): boolean
  /** True if the head is switched off and the resulting accuracy is known. */
  isOff(head: Head): boolean
}
export type Head = { layer: number; head: number }
/**
 * A stop of a story. The target is a selector of what the reader should look at or press. If `waits` is true, the reader can continue only
 * once this stop is done or the run has ended, since later stops need results of the run.
 */
export type Stop = { target(state: StoryState): string; isDone(state: StoryState): boolean; waits?: boolean }

export interface Task {
  id: string
  isCausal: boolean
  /** True if the model is an encoder followed by cross-attention. */
  hasCross?: boolean
  /** True if the task's words have glosses in the language of the page. */
  hasGlosses?: boolean
  defaults: LearnSettings
  /** Defaults that differ on a phone. */
  onPhone?: Partial<LearnSettings>
  /** Settings that the reader may change. */
  fields: readonly (keyof LearnSettings)[]
  /** True if the task learns a text of the reader. */
  hasText?: boolean
  /** Returns problems of settings that are valid separately but not together. */
  check?(settings: LearnSettings): Partial<Record<keyof LearnSettings, TaskProblem>>
  /**
   * The run succeeds when its measure reaches `least`. `usual`: median number of steps to success over ten seeds; `within`: number of steps
   * that suffices for most of these seeds.
   */
  goal: { measure: 'heldOutAccuracy' | 'alignment'; least: number; within: number; usual: number }
  /**
   * Minimum and maximum held-out accuracy of ten runs (seeds 0 to 9) at each evaluation, in percent. Recorded by
   * `npm run learn -- TASK --all --record`.
   */
  recorded?: { least: string; most: string }
  /**
   * Returns the heads that the result names. 'previous': the first-layer head for the previous token; 'answer': the last-layer head for the
   * answer.
   */
  finds(settings: LearnSettings): readonly ('previous' | 'answer')[]
  /** Returns the reason why a text cannot be learned. */
  refuses?(
    settings: LearnSettings,
    text?: string,
  ): { key: Trouble['key']; params?: Record<string, string | number> } | undefined
  shape(settings: LearnSettings, text?: string): Shape
  batch(generator: Generator, shape: Shape, B: number, split: Split): Batch
  tokens(shape: Shape): Tokens
  /** Answers an input; default: one forward pass that answers at each of its positions. */
  answer?(run: Run, ids: readonly number[]): Answered
  /** Generates `count` tokens after an input. */
  write?(run: Run, ids: readonly number[], count: number): number[]
  /** Returns Python code that draws the batches, for the exported program. */
  pytorch(settings: LearnSettings, text: string): string
  story: readonly Stop[]
}
