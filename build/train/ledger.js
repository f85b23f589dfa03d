// Trains the language model for long texts that ships with the page, in Llama's layout, on the task "ledger".

import { tensor } from 'qkv'
import { filesOf } from './folder.js'
import { LEDGER_WORDS, ledgerBatch } from './ledger-text.js'
import { configOf, forward, initialWeights } from './llama-checkpoint.js'
import { train } from './train-weights.js'

/** @typedef {{ T: number, batch: number, steps: number }} Stage trains on texts of T words */

/**
 * Training stages: first short texts, where the heads form within minutes, then ever longer ones with the same weights.
 * @type {readonly Stage[]}
 */
export const STAGES = [
  { T: 64, batch: 32, steps: 300 },
  { T: 128, batch: 16, steps: 150 },
  { T: 512, batch: 4, steps: 150 },
  { T: 1024, batch: 2, steps: 80 },
  { T: 2048, batch: 1, steps: 80 },
  { T: 4096, batch: 1, steps: 120 },
]

export const DEFAULTS = {
  vocab: LEDGER_WORDS.length,
  T: 4096,
  layers: 3,
  heads: 2,
  headDim: 32,
  d: 64,
  mlp: 64,
  base: 1_000_000,
  steps: STAGES.reduce((sum, { steps }) => sum + steps, 0),
  rate: 5e-3,
  decay: 0.05,
  warmup: 50,
  seed: 0,
  // In the first `guided` steps, head 0.0 (layer.head) is trained to attend to the previous word, 2.0 to what followed the same name.
  guided: 450,
  // In the first `bracketGuided` steps, head 1.0 is trained to attend to the word that opened the bracket. At words without anything to
  // look up, the targets of 1.0 and 2.0 are the first word. The readout that guides 0.0 is dropped after training.
  bracketGuided: 800,
}

/** Loss weights of determined words, by kind. Other words have weight FREE, but 0 in the first `guided` steps. */
const WEIGHT = { thing: 1, chapter: 2, section: 2, note: 2 }
const FREE = 0.05
/** Far sources are rare, so a word's loss weight grows by WEIGHT with every REACH words between the word and its source. */
const REACH = 100
/** Initial scale of the first layer's outputs; small, so that later layers see the words themselves rather than the previous words. */
const FIRST_OUTPUT = 0.3
/** Id of unknown words, which do not occur. */
const UNKNOWN = LEDGER_WORDS.indexOf('<unk>')
/** Factor that turns the attention weights of a guided head into logits. */
const SHARP = 12
/** Weight of words without anything to look up, in the losses on the attention weights of guided heads. */
const REST = 0.5

/** Returns the stage to which a step belongs. @param {number} step @returns {Stage} */
function stageOf(step) {
  for (const stage of STAGES) {
    if (step < stage.steps) return stage
    step -= stage.steps
  }
  return STAGES[STAGES.length - 1]
}

/**
 * Attention targets of a guided head. Each word has a name, a number below `names`. `looksAt` is the name that each word should attend to.
 * `values`, (words, names), has the one-hot name of each word, so the head's attention applied to `values` is its weight on each name.
 * @typedef {{ names: number, values: Float32Array, looksAt: Int32Array }} Names
 */

/** Creates attention targets, all of them the first word. @param {number} names @param {number} n number of words @param {number} first name of the first word @returns {Names} */
const namesOf = (names, n, first) => ({
  names,
  values: new Float32Array(n * names),
  looksAt: new Int32Array(n).fill(first),
})

/**
 * Returns the loss weights of a batch's words, 0 for those that are not determined, and the attention targets: `opened` for head 1.0,
 * `followed` for head 2.0.
 * @param {ReturnType<typeof ledgerBatch>} batch
 * @param {number} T
 */
function linksOf({ ledgers, ids }, T) {
  const n = ids.length
  const links = ledgers.map(({ marks }, b) => marks.map(mark => ({ ...mark, i: b * T + mark.at - 1 })))
  const brackets = links.map(marks => marks.filter(({ kind }) => kind !== 'thing'))
  const opened = namesOf(1 + Math.max(...brackets.map(({ length }) => length)), n, 0)
  const followed = namesOf(LEDGER_WORDS.length, n, UNKNOWN)
  const weights = new Float32Array(n)
  for (let i = 0; i < n; i++) {
    const isFirst = i % T === 0
    if (isFirst) opened.values[i * opened.names] = 1
    // In `followed`, a word is named by the word before it, so the thing after a name is found under that name.
    followed.values[i * followed.names + (isFirst ? UNKNOWN : ids[i - 1])] = 1
  }
  for (const { kind, i, at, source } of links.flat()) {
    weights[i] = WEIGHT[kind] * (1 + (at - source) / REACH)
    if (kind === 'thing') followed.looksAt[i] = ids[i]
  }
  // In `opened`, a word that opened a bracket is named by the number of the bracket.
  for (const [b, marks] of brackets.entries())
    for (const [k, { i, source }] of marks.entries()) {
      opened.values[(b * T + source) * opened.names + k + 1] = 1
      opened.looksAt[i] = k + 1
    }
  return { weights, opened, followed }
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Partial<typeof DEFAULTS>} [given]
 * @param {(step: number, loss: number) => void} [onStep]
 */
export function trainLedger(qkv, given = {}, onStep) {
  const settings = { ...DEFAULTS, ...given }
  const { vocab, heads, headDim, layers, seed, guided, bracketGuided } = settings
  const generator = qkv.generator(seed)
  const weights = initialWeights(generator, settings)
  const output = weights['model.layers.0.self_attn.o_proj.weight'].data
  output.forEach((value, i) => {
    output[i] = value * FIRST_OUTPUT
  })
  const readout = generator.normal([vocab, heads * headDim], 0, 1 / Math.sqrt(headDim))
  const data = qkv.generator(seed + 1_000_003)
  const lossOf = (/** @type {number} */ step) => {
    const { T, batch: B } = stageOf(step)
    const dims = [B, T]
    const batch = ledgerBatch(data, B, T)
    const { ids, targets } = batch
    const { weights, opened, followed } = linksOf(batch, T)
    const free = step < guided ? 0 : FREE
    const inLogits = weights.map(weight => weight || free)
    const inLooks = weights.map(weight => weight || REST)
    return (/** @type {import('qkv/train').Tape} */ t, /** @type {import('./train-weights.js').Weights} */ p) => {
      const { logits, headOutput, headMix } = forward(t, p, { data: ids, dims }, settings)
      const losses = [t.crossEntropy(logits, { data: targets, dims }, { weights: { data: inLogits, dims } })]
      const looks = (/** @type {number} */ layer, /** @type {Names} */ { names, values, looksAt }) => {
        const sharp = tensor(new Float32Array(names).fill(SHARP), [names])
        const mixed = t.mul(headMix(layer, 0, tensor(values, [B, T, names])), sharp)
        return t.crossEntropy(mixed, { data: looksAt, dims }, { weights: { data: inLooks, dims } })
      }
      if (step < bracketGuided) losses.push(looks(1, opened))
      if (step < guided) {
        const before = ids.map((_, i) => (i % T ? ids[i - 1] : -1))
        const previous = t.linear(headOutput(0, 0), p.before)
        losses.push(t.crossEntropy(previous, { data: before, dims }, { ignoreIndex: -1 }))
        losses.push(looks(layers - 1, followed))
      }
      return losses.reduce((sum, loss) => t.add(sum, loss))
    }
  }
  const { before, ...learned } = train(qkv, { ...weights, before: readout }, settings, lossOf, onStep)
  return { settings, weights: learned }
}

/** Returns the files of a trained model. @param {ReturnType<typeof trainLedger>} trained */
export const ledgerFiles = ({ settings, weights }) =>
  filesOf(configOf(settings), weights, LEDGER_WORDS, { start: '<s>', unknown: '<unk>' })
