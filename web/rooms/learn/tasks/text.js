// The reader's text: predict the next character. The last tenth is held out.

import { argmax, COMMON, forwardOf } from './batch.js'
import { at, layerOf, ownProbe, train } from './stops.js'

/** @typedef {{ characters: string[], start: string, train: Int32Array, heldOut: Int32Array }} Corpus start: beginning of the held-out part */

const MOST_CHARACTERS = 2_000_000
const MOST_KINDS = 512

/** Returns the minimum number of characters of a text, for sequences of length T. @param {number} T */
export const leastCharacters = T => 10 * (T + 2)

/**
 * Counts and lists the characters of a text, sorted by code point. For a text that is far too long, only its UTF-16 units are counted.
 * @param {string} text
 */
function charactersOf(text) {
  if (text.length > 2 * MOST_CHARACTERS) return { length: text.length, characters: [] }
  /** @type {Set<string>} */
  const kinds = new Set()
  let length = 0
  for (const character of text) {
    kinds.add(character)
    length++
  }
  const order = (/** @type {string} */ character) => Number(character.codePointAt(0))
  return { length, characters: [...kinds].sort((a, b) => order(a) - order(b)) }
}

/**
 * Numbers the characters by code point, and encodes the text.
 * @param {string} text
 * @param {number} T length of a sequence
 * @returns {Corpus}
 */
function corpusOf(text, T) {
  const { characters } = charactersOf(text)
  const all = Array.from(text)
  const ids = new Map(characters.map((character, id) => [character, id]))
  const numbers = Int32Array.from(all, character => /** @type {number} */ (ids.get(character)))
  const at = Math.floor(0.9 * numbers.length)
  const start = all.slice(at, at + Math.min(24, T)).join('')
  return { characters, start, train: numbers.subarray(0, at), heldOut: numbers.subarray(at) }
}

/** @type {NonNullable<import('./task.js').Task['refuses']>} */
function refuses({ T }, text = '') {
  const { length, characters } = charactersOf(text)
  const [least, kinds] = [leastCharacters(T), characters.length]
  if (length < least || length > MOST_CHARACTERS)
    return { key: 'textLength', params: { length, least, most: MOST_CHARACTERS } }
  return kinds > MOST_KINDS ? { key: 'textKinds', params: { kinds, most: MOST_KINDS } } : undefined
}

/** @param {import('./task.js').LearnSettings} settings @param {string} [text] */
function shape({ T }, text = '') {
  const corpus = corpusOf(text, T)
  const V = corpus.characters.length
  return { inputs: V, outputs: V, V, T, L: T, corpus }
}

/** @type {import('./task.js').Task['batch']} */
function batch(generator, { T, corpus }, B, split) {
  const numbers = /** @type {Corpus} */ (corpus)[split]
  const starts = generator.randint(0, numbers.length - T, [B]).data
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T)
  for (const [b, start] of starts.entries()) {
    ids.set(numbers.subarray(start, start + T), b * T)
    targets.set(numbers.subarray(start + 1, start + T + 1), b * T)
  }
  return { B, T, L: T, ids, targets, sources: new Int32Array(B * T).fill(-1) }
}

/** @param {import('./task.js').LearnSettings} settings @param {string} text */
const pytorch = ({ T }, text) => `T = ${T}
TEXT = ${JSON.stringify(text)}
CHARACTERS = sorted(set(TEXT))
ID = {character: i for i, character in enumerate(CHARACTERS)}
TRAIN = torch.tensor([ID[character] for character in TEXT])[: len(TEXT) * 9 // 10]
INPUTS = OUTPUTS = len(CHARACTERS)

def batch(g, B):
    z = TRAIN[torch.randint(0, len(TRAIN) - T, (B,), generator=g)[:, None] + torch.arange(T + 1)]
    return z[:, :-1], z[:, 1:]
`

/** Generates the most likely character repeatedly. @type {NonNullable<import('./task.js').Task['write']>} */
function write(run, given, count) {
  const { T, outputs } = run.shape
  const ids = [...given]
  const row = new Int32Array(T)
  for (let n = 0; n < count; n++) {
    const last = ids.slice(-T)
    row.set(last)
    ids.push(argmax(forwardOf(run, row).logits.data, (last.length - 1) * outputs, outputs))
  }
  return ids.slice(given.length)
}

/** Placeholder until a text is given. @type {{ characters: string[], start: string }} */
const EMPTY = { characters: [], start: '' }

/** @type {import('./task.js').Task} */
export const text = {
  id: 'text',
  isCausal: true,
  defaults: {
    ...COMMON,
    layers: 2,
    heads: 4,
    d: 64,
    mlp: 128,
    positions: 'rope',
    V: 0,
    T: 48,
    batch: 16,
    rate: 1e-2,
    warmup: 50,
    decay: true,
    steps: 1000,
  },
  onPhone: { d: 32, mlp: 64, batch: 8 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'T', 'rate', 'batch', 'steps', 'seed'],
  hasText: true,
  goal: { measure: 'heldOutAccuracy', least: 1, within: 1000, usual: 1000 },
  finds: () => ['previous'],
  refuses,
  shape,
  batch,
  tokens({ T, corpus }) {
    const { characters, start } = corpus ?? EMPTY
    return {
      name: id => characters[id] ?? '',
      read(probe) {
        const all = Array.from(probe)
        const strange = all.find(character => !characters.includes(character))
        if (strange !== undefined) return { key: 'probeCharacter', params: { given: strange } }
        return all.slice(-T).map(character => characters.indexOf(character))
      },
      first: start,
      answers: 'last',
    }
  },
  write,
  pytorch,
  story: [
    { target: at('.learn-own'), isDone: ({ hasRun }) => hasRun },
    train,
    { target: at('[data-name="loss"]'), isDone: ({ steps }) => steps >= 200, waits: true },
    ownProbe,
    {
      target: ({ previous }) => layerOf(previous),
      isDone: ({ previous, steps, isSelected }) => steps >= 200 && isSelected(previous),
    },
  ],
}
