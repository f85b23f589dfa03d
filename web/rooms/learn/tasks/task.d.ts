// What a task of the room Learn is: everything that the room, its session and its programs know of it.

import type { Generator } from 'qkv'
import type { Problem } from '../../../shell/room.js'
import type { createRun } from '../training-run.js'
import type { Forward } from '../transformer.js'
import type { Batch, Split } from './batch.js'
import type { Corpus } from './text.js'

/** Sizes and rates of a run. With a seed they fix every bit of it. */
export interface LearnSettings {
  /** Layers of self-attention. */
  layers: number
  heads: number
  /** Width of the residual stream. */
  d: number
  /** With `distance` the scores have a learned bias. */
  positions: 'sinusoids' | 'rope' | 'learned' | 'distance' | 'none'
  /** Is a LayerNorm before each attention and MLP, and before the logits? */
  norm: boolean
  /** Width of the MLP of each layer; 0: there is none. */
  mlp: number
  /** Tokens of the vocabulary; 0 where the task fixes them. */
  V: number
  /** Length of the input. */
  T: number
  /** Adam's learning rate */
  rate: number
  /** Sequences of each step. */
  batch: number
  /** Steps in which the rate grows. */
  warmup: number
  steps: number
  /** Does the rate fall to a tenth of it along a cosine? */
  decay: boolean
  seed: number
}

/** Sizes of a task's data. */
export interface Shape {
  /** Rows of the embedding. */
  inputs: number
  /** Logits of each position. */
  outputs: number
  /** Numbers or characters, without separators. */
  V: number
  T: number
  L: number
  /** Rows of the embedding of the token before, where the model is an encoder with a cross-attention. */
  previous?: number
  corpus?: Corpus
}

export type Run = ReturnType<typeof createRun>

/** How the reader's input is read and written. */
export interface Tokens {
  name(id: number): string
  /** The name of a token of the input, where it has other tokens than the answer. */
  inputName?(id: number): string
  read(probe: string): number[] | Problem
  /** The input that the page shows first. */
  first: string
  /** Does the page show the answers of all positions, or of the last one? */
  answers: 'last' | 'all'
  /** Language of the answers. */
  language?: string
  /** Every word that can be typed, where they are few. */
  words?: readonly string[]
}

/** A forward pass on one input; the model answers at the rows from `from` to `to`. */
export interface Answered {
  forward: Forward
  from: number
  to: number
  /** Ids of the input, as they are shown. */
  inputs: ArrayLike<number>
}

/** What a stop of a story sees of the run. Heads are counted from 0. */
export interface StoryState {
  settings: LearnSettings
  steps: number
  shownAt: number
  reachedAt: number | null
  jump: number | null
  /** The first layer's head with the largest weight on the token before. */
  previous: Head
  /** The last layer's head with the largest weight on the position that answers. */
  answer: Head
  hasRun: boolean
  hasProbe: boolean
  hasWhy: boolean
  hasGradients: boolean
  isSelected(head: Head): boolean
  /** Is the head switched off, and is it known what that costs? */
  isOff(head: Head): boolean
}
export type Head = { layer: number; head: number }
/**
 * A stop of a story. The target is a selector of what the reader is to look at or to press. Stops after one that waits speak of
 * what the run has found: it must be done, or the run must have ended, before they follow.
 */
export type Stop = { target(state: StoryState): string; isDone(state: StoryState): boolean; waits?: boolean }

export interface Task {
  id: string
  isCausal: boolean
  /** Is the model an encoder with a cross-attention behind it? */
  hasCross?: boolean
  /** Do its words have glosses in the language of the page? */
  hasGlosses?: boolean
  defaults: LearnSettings
  /** Settings that a phone begins with. */
  onPhone?: Partial<LearnSettings>
  /** Settings that the reader may change. */
  fields: readonly (keyof LearnSettings)[]
  /** Does it learn a text of the reader? */
  hasText?: boolean
  /** Problems of settings that are each within their ranges. */
  check?(settings: LearnSettings): Partial<Record<keyof LearnSettings, Problem>>
  /** The run has succeeded when its measure is at least so high; `usual` is the median of the steps to success of ten seeds. */
  goal: { measure: 'heldOutAccuracy' | 'alignment'; least: number; within: number; usual: number }
  /** Ten runs, seeds 0 to 9, recorded by npm run learn -- TASK --all --record: the least and the most accuracy on held-out data, in percent, at each evaluation. */
  recorded?: { least: string; most: string }
  /** The heads that the result names: the first layer's for the token before, the last layer's for the answer. */
  finds(settings: LearnSettings): readonly ('previous' | 'answer')[]
  /** The reason why a text cannot be learned. */
  refuses?(settings: LearnSettings, text?: string): Problem | undefined
  shape(settings: LearnSettings, text?: string): Shape
  batch(generator: Generator, shape: Shape, B: number, split: Split): Batch
  tokens(shape: Shape): Tokens
  /** The answer to an input; by default one forward pass that answers at each of its positions. */
  answer?(run: Run, ids: readonly number[]): Answered
  /** The `count` tokens that the model writes behind an input. */
  write?(run: Run, ids: readonly number[], count: number): number[]
  /** Its batch in Python, for the exported program. */
  pytorch(settings: LearnSettings, text: string): string
  story: readonly Stop[]
}
