// Makes the guided story of the ledger model. Each stop has the beginning of a ledger, the head that answers according to the measured
// figures, and the prediction without this head. Also returns the text of the whole ledger.

import { loadModel } from 'qkv/models'
import { FAR, unseenLedgers } from './ledger-figures.js'
import { LEDGER_WORDS } from './ledger-text.js'
import { measureStop } from './tour-stop.js'

/** @import { LedgerHead } from './ledger-figures.js' */
/** @import { Mark } from './ledger-text.js' */

/** The first stop's answer must be before this position, so that its prompt is short. */
const NEAR = 60

/** @type {{ id: string, fits: (mark: Mark) => boolean, best: (head: LedgerHead) => number }[]} */
const STOPS = [
  {
    id: 'previous',
    fits: ({ kind, at, source }) => kind === 'thing' && at - source > 12 && at < NEAR,
    best: ({ previous, cost }) => previous * cost.thing,
  },
  {
    id: 'chapter',
    fits: ({ kind, at, source }) => kind === 'chapter' && at - source > FAR / 2,
    best: ({ weight, cost }) => weight.chapter * cost.chapter,
  },
  {
    id: 'thing',
    fits: ({ kind, at, source }) => kind === 'thing' && at - source > FAR,
    best: ({ weight, cost }) => weight.thing * cost.thing,
  },
]

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Parameters<typeof loadModel>[1]} source
 * @param {{ length: number, heads: LedgerHead[] }} figures
 */
export async function ledgerTour(qkv, source, { length, heads }) {
  const model = await loadModel(qkv, source)
  try {
    const [{ ids, marks }] = unseenLedgers(qkv, 1, length, 'choice')
    const words = Array.from(ids, id => LEDGER_WORDS[id])
    /** Returns the text up to a word, without the first word, which the tokenizer adds. @param {number} end */
    const textOf = end => words.slice(1, end).join(' ')
    const tour = STOPS.flatMap(({ id, fits, best }) => {
      const { layer, head, cost } = heads.reduce((a, b) => (best(b) > best(a) ? b : a))
      for (const { at, kind, source } of marks.filter(fits)) {
        const stop = { prompt: textOf(at), answer: words[at], layer, head }
        // A name's thing follows each earlier occurrence of the name. All of these things count, not only the last, at `source`.
        const isSource = (/** @type {readonly string[]} */ tokens, /** @type {number} */ i) => {
          if (id === 'previous') return i === tokens.length - 2
          return kind === 'thing' ? i > 0 && tokens[i - 1] === tokens[tokens.length - 1] : i === source
        }
        const found = measureStop(model, LEDGER_WORDS, { ...stop, isSource })
        // Only an answer that the model gets right becomes a stop. The figures show how often it is right.
        if (found.probability > 0.5) return { id, kind: id, ...stop, cost: cost[kind], ...found }
      }
      return []
    })
    return { tour, text: textOf(words.length) }
  } finally {
    model.dispose()
  }
}
