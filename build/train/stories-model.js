// Trains the small language model that ships with the page, in Llama's layout, on the task "stories".

import { filesOf } from './folder.js'
import { configOf, forward, initialWeights } from './llama-checkpoint.js'
import { GIRLS, STORY_WORDS, storyBatch } from './stories-text.js'
import { train } from './train-weights.js'

/** @import { Kind } from './stories-text.js' */
/** @import { FloatTensor } from 'qkv' */

export const DEFAULTS = {
  vocab: STORY_WORDS.length,
  T: 56,
  layers: 3,
  heads: 2,
  headDim: 32,
  d: 64,
  mlp: 64,
  base: 1000,
  batch: 16,
  steps: 2000,
  rate: 5e-3,
  decay: 0.05,
  warmup: 50,
  seed: 1,
  // In this first share of the steps, readouts also train the first layer's heads: head 0 predicts the previous word, head 1 the person
  // that the sentence is about. So each head has a single role, on which the other layers build. The readouts are dropped later.
  guided: 0.6,
}

/**
 * Loss weights of determined words, larger for rarer kinds; other words have the weight FREE. The weight of a determined word does not
 * change its optimal prediction.
 * @type {Record<Kind, number>}
 */
const WEIGHT = { name: 1.5, colour: 2, gender: 0.5, pronoun: 0.5, own: 1, place: 1 }
const FREE = 0.05

/**
 * Returns for each word the id of the person last mentioned by name or pronoun; -1 before the first one.
 * @param {readonly string[]} words
 */
function persons(words) {
  const [girl, boy] = GIRLS.includes(words[1]) ? [words[1], words[3]] : [words[3], words[1]]
  let id = -1
  return words.map(word => {
    if (word === girl || word === 'she') id = STORY_WORDS.indexOf(girl)
    if (word === boy || word === 'he') id = STORY_WORDS.indexOf(boy)
    return id
  })
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Partial<typeof DEFAULTS>} [given]
 * @param {(step: number, loss: number) => void} [onStep]
 */
export function trainStories(qkv, given = {}, onStep) {
  const settings = { ...DEFAULTS, ...given }
  const { vocab, heads, headDim, T, batch: B, steps, seed, guided } = settings
  const generator = qkv.generator(seed)
  const weights = initialWeights(generator, settings)
  const readout = () => generator.normal([vocab, heads * headDim], 0, 1 / Math.sqrt(headDim))
  const data = qkv.generator(seed + 1_000_003)
  const dims = [B, T]
  const lossOf = (/** @type {number} */ step) => {
    const { stories, ids, targets } = storyBatch(data, B, T)
    const shares = new Float32Array(B * T).fill(FREE)
    for (const [b, { marks }] of stories.entries())
      for (const { at, kind } of marks) shares[b * T + at - 1] = WEIGHT[kind]
    const before = ids.map((_, i) => (i % T ? ids[i - 1] : -1))
    const person = Int32Array.from(stories.flatMap(({ words }) => persons(words).slice(0, T)))
    return (/** @type {import('qkv/train').Tape} */ t, /** @type {import('./train-weights.js').Weights} */ p) => {
      const { logits, headOutput } = forward(t, p, { data: ids, dims }, settings)
      const main = t.crossEntropy(logits, { data: targets, dims }, { weights: { data: shares, dims } })
      if (step >= guided * steps) return main
      const asked = (
        /** @type {number} */ head,
        /** @type {FloatTensor} */ readout,
        /** @type {Int32Array} */ answers,
      ) => t.crossEntropy(t.linear(headOutput(0, head), readout), { data: answers, dims }, { ignoreIndex: -1 })
      return t.add(t.add(main, asked(0, p.before, before)), asked(1, p.person, person))
    }
  }
  const { before, person, ...learned } = train(
    qkv,
    { ...weights, before: readout(), person: readout() },
    settings,
    lossOf,
    onStep,
  )
  return { settings, weights: learned }
}

/** Returns the files of a trained model. @param {ReturnType<typeof trainStories>} trained */
export const storiesFiles = ({ settings, weights }) =>
  filesOf(configOf(settings), weights, STORY_WORDS, { start: '<s>', unknown: '<unk>' })
