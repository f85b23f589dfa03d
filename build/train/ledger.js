// Trains the language model of long texts that ships with the page: Llama's layout, on the task "ledger".

import { tensor } from 'qkv'
import { filesOf } from './folder.js'
import { LEDGER_WORDS, ledgerBatch } from './ledger-text.js'
import { configOf, forward, initialWeights } from './llama.js'
import { train } from './train-weights.js'

/** @typedef {import('qkv').FloatTensor} FloatTensor */
/** @typedef {{ T: number, batch: number, steps: number }} Stage texts of T words */

/** Short texts first: there the heads form within minutes. Then the same weights read longer and longer ones. @type {readonly Stage[]} */
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
  seed: 1,
  // For so many steps three heads are also told where to look: 1.1 at the word before, 2.1 at the word that opened the bracket,
  // 3.1 at what followed the same name; where there is nothing to look up, 2.1 and 3.1 at the first word. The readouts are dropped
  // later.
  guided: 450,
}

/** The loss of words that are certain, and of others: while heads are guided these have none. */
const WEIGHT = { thing: 1, chapter: 2, section: 2, note: 2 }
const FREE = 0.05
/** The first layer's outputs begin small, so that later layers see words rather than the words before them. */
const FIRST_OUTPUT = 0.3
/** No word is unknown. */
const UNKNOWN = LEDGER_WORDS.indexOf('<unk>')
/** Logits of a head that is guided, as multiples of its weights. */
const SHARP = 12

/** The stage of a step. @param {number} step @returns {Stage} */
function stageOf(step) {
  for (const stage of STAGES) {
    if (step < stage.steps) return stage
    step -= stage.steps
  }
  return STAGES[STAGES.length - 1]
}

/**
 * What a head is to look at, as values that name it: each row of the head's mix with them is its weight on each name.
 * @param {number} names
 * @param {number} n words
 * @param {(put: (i: number, name: number) => void, ask: (i: number, name: number) => void) => void} mark says which word has which name, and which
 *   name a word is to look at
 */
function namesOf(names, n, mark) {
  const values = new Float32Array(n * names)
  const asked = new Int32Array(n).fill(-1)
  mark(
    (i, name) => {
      values[i * names + name] = 1
    },
    (i, name) => {
      asked[i] = name
    },
  )
  return { values, asked }
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Partial<typeof DEFAULTS>} [given]
 * @param {(step: number, loss: number) => void} [onStep]
 */
export function trainLedger(qkv, given = {}, onStep) {
  const settings = { ...DEFAULTS, ...given }
  const { vocab, heads, headDim, layers, seed, guided } = settings
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
    const { ledgers, ids, targets } = ledgerBatch(data, B, T)
    const isGuided = step < guided
    const shares = new Float32Array(B * T).fill(isGuided ? 0 : FREE)
    for (const [b, { marks }] of ledgers.entries())
      for (const { at, kind } of marks) shares[b * T + at - 1] = WEIGHT[kind]
    const before = ids.map((_, i) => (i % T ? ids[i - 1] : -1))
    const marked = ledgers.flatMap(({ marks }, b) => marks.map(mark => ({ ...mark, b, i: b * T + mark.at - 1 })))
    const isAsked = new Set(marked.map(({ i }) => i))
    /** Words that have nothing to look up: each looks at the first word, which has a name of its own. @param {number} name @param {(i: number, name: number) => void} put @param {(i: number, name: number) => void} ask */
    const rest = (name, put, ask) => {
      for (let i = 0; i < B * T; i++)
        if (i % T === 0) put(i, name)
        else if (!isAsked.has(i)) ask(i, name)
    }
    // What followed a name has the name of that name.
    const followed = namesOf(vocab, B * T, (put, ask) => {
      rest(UNKNOWN, put, ask)
      before.forEach((id, i) => {
        if (id >= 0) put(i, id)
      })
      for (const { kind, i } of marked) if (kind === 'thing') ask(i, ids[i])
    })
    // A word that opened a bracket has the bracket's number.
    const opened = namesOf(T, B * T, (put, ask) => {
      rest(0, put, ask)
      for (const { kind, i, b, source } of marked)
        if (kind !== 'thing') {
          put(b * T + source, source)
          ask(i, source)
        }
    })
    return (/** @type {import('qkv/train').Tape} */ t, /** @type {import('./train-weights.js').Weights} */ p) => {
      const { logits, headOutput, headMix } = forward(t, p, { data: ids, dims }, settings)
      const main = t.crossEntropy(logits, { data: targets, dims }, { weights: { data: shares, dims } })
      if (!isGuided) return main
      const asked = (/** @type {FloatTensor} */ logits, /** @type {Int32Array} */ answers) =>
        t.crossEntropy(logits, { data: answers, dims }, { ignoreIndex: -1 })
      const looks = (
        /** @type {number} */ layer,
        /** @type {number} */ names,
        /** @type {ReturnType<typeof namesOf>} */ of,
      ) => {
        const mixed = headMix(layer, 0, tensor(of.values, [B, T, names]))
        return asked(t.mul(mixed, tensor(new Float32Array(names).fill(SHARP), [names])), of.asked)
      }
      const previous = asked(t.linear(headOutput(0, 0), p.before), before)
      return [previous, looks(1, T, opened), looks(layers - 1, vocab, followed)].reduce(
        (sum, loss) => t.add(sum, loss),
        main,
      )
    }
  }
  const { before, ...learned } = train(qkv, { ...weights, before: readout }, settings, lossOf, onStep)
  return { settings, weights: learned }
}

/** The folder of a trained model. @param {ReturnType<typeof trainLedger>} trained */
export const ledgerFiles = ({ settings, weights }) =>
  filesOf(configOf(settings), weights, LEDGER_WORDS, { start: '<s>', unknown: '<unk>' })
