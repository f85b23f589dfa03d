// Trains the small translator that ships with the page, in Marian's layout, on the grammar of the task "translation".

import { LONGEST, SOURCE_WORDS, TARGET_WORDS, translation } from '../../web/rooms/learn/tasks/translation.js'
import { filesOf } from './folder.js'
import { configOf, forward, initialWeights } from './marian-checkpoint.js'
import { train } from './train-weights.js'

/** @import { Split } from '../../web/rooms/learn/tasks/batch.js' */

const SHAPE = translation.shape(translation.defaults)
const SPECIALS = ['<pad>', '</s>', '<unk>']
const [PAD, END] = [0, 1]
/** Every token; its index is its id. */
export const WORDS = [...SPECIALS, ...SOURCE_WORDS.map(word => word.toLowerCase()), ...TARGET_WORDS]
const firstTarget = SPECIALS.length + SOURCE_WORDS.length
/** Number of tokens of the longest translation, including its end token. */
const L = LONGEST.target + 1

export const DEFAULTS = {
  vocab: WORDS.length,
  layers: 1,
  heads: 1,
  d: 64,
  mlp: 64,
  positions: 64,
  batch: 32,
  steps: 1000,
  rate: 5e-3,
  decay: 0.01,
  warmup: 50,
  seed: 0,
}

/**
 * Draws B sentences with their translations, as ids of this model. Each translation ends with an end token.
 * @param {import('qkv').Generator} generator
 * @param {number} B
 * @param {Split} split
 */
export function sentences(generator, B, split) {
  const { T, ids, targets, sources, others = sources, lengths = [] } = translation.batch(generator, SHAPE, B, split)
  const made = {
    ids: { data: ids.map((id, i) => (i % T < lengths[Math.floor(i / T)] ? id + SPECIALS.length : PAD)), dims: [B, T] },
    previous: { data: new Int32Array(B * L).fill(PAD), dims: [B, L] },
    targets: { data: new Int32Array(B * L).fill(-1), dims: [B, L] },
    /** For each word of the translations, the source positions that translate to it. @type {number[][]} */
    links: Array.from({ length: B * L }, () => []),
    lengths: [...lengths],
  }
  for (let b = 0; b < B; b++) {
    let l = 0
    for (; l < L - 1 && targets[b * (L - 1) + l] >= 0; l++) {
      const from = b * (L - 1) + l
      made.targets.data[b * L + l] = made.previous.data[b * L + l + 1] = targets[from] + firstTarget
      made.links[b * L + l] = [sources[from], others[from]].filter(i => i >= 0)
    }
    made.targets.data[b * L + l] = END
  }
  return made
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Partial<typeof DEFAULTS>} [given]
 * @param {(step: number, loss: number) => void} [onStep]
 */
export function trainTranslator(qkv, given = {}, onStep) {
  const settings = { ...DEFAULTS, ...given }
  const { batch, seed } = settings
  const data = qkv.generator(seed + 1_000_003)
  const lossOf = () => {
    const drawn = sentences(data, batch, 'train')
    return (/** @type {import('qkv/train').Tape} */ t, /** @type {import('./train-weights.js').Weights} */ p) =>
      t.crossEntropy(forward(t, p, drawn, settings), drawn.targets, { ignoreIndex: -1 })
  }
  return { settings, weights: train(qkv, initialWeights(qkv.generator(seed), settings), settings, lossOf, onStep) }
}

/** Returns the files of a trained model. @param {ReturnType<typeof trainTranslator>} trained */
export const translatorFiles = ({ settings, weights }) =>
  filesOf(configOf(settings), weights, WORDS, { padding: '<pad>', end: '</s>', unknown: '<unk>' })
