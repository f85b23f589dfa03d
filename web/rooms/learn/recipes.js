// The tasks with the settings that were found reliable.

import { inductionBatch } from './tasks/induction.js'
import { reverseBatch, sortBatch } from './tasks/one-layer.js'
import { corpusOf, textBatch } from './tasks/text.js'
import { LONGEST, SOURCE_WORDS, START, TARGET_WORDS, translationBatch } from './tasks/translation.js'

/** @typedef {import('./tasks/batch.js').Batch} Batch */
/** @typedef {import('./tasks/batch.js').Split} Split */

/**
 * Sizes and rates of a run. With a seed they fix every bit of it.
 * @typedef {object} LearnSettings
 * @property {number} layers of self-attention
 * @property {number} heads
 * @property {number} d width of the residual stream
 * @property {'sinusoids' | 'rope' | 'learned' | 'distance' | 'none'} positions distance: a learned bias of the scores
 * @property {boolean} norm a LayerNorm before each attention and MLP, and before the logits
 * @property {number} mlp width of the MLP of each layer; 0: none
 * @property {number} V tokens of the vocabulary (characters of the text; of the translation fixed)
 * @property {number} T length of the input
 * @property {number} rate Adam's learning rate
 * @property {number} batch sequences of a step
 * @property {number} warmup steps in which the rate grows
 * @property {number} steps
 * @property {boolean} decay does the rate fall to a tenth of it along a cosine?
 * @property {number} seed
 */

/**
 * @typedef {object} Recipe
 * @property {LearnSettings} defaults
 * @property {boolean} causal
 * @property {(settings: LearnSettings, text?: string) => Shape} shape
 * @property {'heldOutAccuracy' | 'alignment'} measure what tells success
 * @property {number} goal
 * @property {number} within steps
 * @property {number} usual steps to success: the median of ten seeds
 */

/**
 * What a model needs to know of its task.
 * @typedef {object} Shape
 * @property {number} inputs rows of the embedding
 * @property {number} outputs logits
 * @property {number} T
 * @property {number} L
 * @property {number} [previous] rows of the embedding of the target, translation only
 * @property {import('./tasks/text.js').Corpus} [corpus]
 * @property {(generator: import('qkv').Generator, B: number, split: Split) => Batch} batch
 */

const COMMON = /** @type {const} */ ({
  heads: 1,
  d: 32,
  norm: false,
  mlp: 0,
  batch: 32,
  warmup: 20,
  decay: false,
  seed: 0,
})

/**
 * The names of the attentions: of a translation its encoder's, then the one across.
 * @param {boolean} isTranslation
 * @param {number} layers
 */
export const blocksOf = (isTranslation, layers) =>
  isTranslation
    ? [...Array.from({ length: layers }, (_, layer) => `encoder${layer || ''}`), 'cross']
    : Array.from({ length: layers }, (_, layer) => `${layer}`)

/** @type {Record<'induction' | 'translation' | 'sort' | 'reverse' | 'text', Recipe>} */
export const RECIPES = {
  induction: {
    defaults: { ...COMMON, layers: 2, heads: 2, positions: 'rope', V: 32, T: 24, rate: 1e-2, steps: 600 },
    causal: true,
    shape: ({ V, T }) => ({
      ...{ inputs: V, outputs: V, T, L: T },
      batch: (generator, B, split) => inductionBatch(generator, { V, T }, B, split),
    }),
    ...{ measure: 'heldOutAccuracy', goal: 0.95, within: 600, usual: 260 },
  },
  translation: {
    defaults: { ...COMMON, layers: 1, positions: 'sinusoids', V: 0, T: LONGEST.source, rate: 1e-2, steps: 400 },
    causal: false,
    shape: () => ({
      ...{ inputs: SOURCE_WORDS.length, outputs: TARGET_WORDS.length, previous: START + 1 },
      ...{ T: LONGEST.source, L: LONGEST.target },
      batch: (generator, B, split) => translationBatch(generator, {}, B, split),
    }),
    ...{ measure: 'alignment', goal: 0.9, within: 300, usual: 140 },
  },
  sort: {
    defaults: { ...COMMON, layers: 1, positions: 'learned', V: 16, T: 16, rate: 1.5e-2, steps: 300 },
    causal: true,
    shape: ({ V, T }) => ({
      ...{ inputs: V + 1, outputs: V, T, L: T },
      batch: (generator, B, split) => sortBatch(generator, { V, T }, B, split),
    }),
    ...{ measure: 'heldOutAccuracy', goal: 0.95, within: 200, usual: 100 },
  },
  reverse: {
    defaults: { ...COMMON, layers: 1, positions: 'learned', V: 16, T: 8, rate: 1e-2, steps: 200 },
    causal: false,
    shape: ({ V, T }) => ({
      ...{ inputs: V + 1, outputs: V, T, L: T },
      batch: (generator, B, split) => reverseBatch(generator, { V, T }, B, split),
    }),
    ...{ measure: 'heldOutAccuracy', goal: 0.95, within: 100, usual: 40 },
  },
  text: {
    defaults: {
      ...{ ...COMMON, layers: 2, heads: 4, d: 64, mlp: 128, positions: 'rope', V: 0, T: 48, batch: 16 },
      ...{ rate: 1e-2, warmup: 50, decay: true, steps: 1000 },
    },
    causal: true,
    shape: ({ T }, text = '') => {
      const corpus = corpusOf(text, T)
      const V = corpus.characters.length
      return {
        ...{ inputs: V, outputs: V, T, L: T, corpus },
        batch: (generator, B, split) => textBatch(generator, { T, corpus }, B, split),
      }
    },
    ...{ measure: 'heldOutAccuracy', goal: 1, within: 1000, usual: 1000 },
  },
}
