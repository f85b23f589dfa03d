// A text of the reader's: the next character. The last tenth is held out.

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {{ characters: string[], start: string, train: Int32Array, heldOut: Int32Array }} Corpus start: of the held-out part */

export const MOST_CHARACTERS = 2_000_000
export const MOST_KINDS = 512

/**
 * How many characters a text has, and which, in the order of their code points. What is far too long is not read: its
 * UTF-16 units are counted.
 * @param {string} text
 */
export function charactersOf(text) {
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
 * Characters by code point, numbered in their order.
 * @param {string} text
 * @param {number} T length of a sequence
 * @returns {Corpus}
 * @throws {RangeError} a text that is too short, too long, or of too many kinds of characters
 */
export function corpusOf(text, T) {
  const { length, characters } = charactersOf(text)
  const least = 10 * (T + 2)
  if (length < least || length > MOST_CHARACTERS)
    throw new RangeError(`a text of ${length} characters given, from ${least} to ${MOST_CHARACTERS} expected`)
  if (characters.length > MOST_KINDS)
    throw new RangeError(`a text of ${characters.length} different characters given, at most ${MOST_KINDS} expected`)
  const all = Array.from(text)
  const ids = new Map(characters.map((character, id) => [character, id]))
  const numbers = Int32Array.from(all, character => /** @type {number} */ (ids.get(character)))
  const at = Math.floor(0.9 * numbers.length)
  const start = all.slice(at, at + Math.min(24, T)).join('')
  return { characters, start, train: numbers.subarray(0, at), heldOut: numbers.subarray(at) }
}

/**
 * @param {import('qkv').Generator} generator
 * @param {{ T: number, corpus: Corpus }} sizes
 * @param {number} B
 * @param {import('./batch.js').Split} split
 * @returns {Batch}
 */
export function textBatch(generator, { T, corpus }, B, split) {
  const numbers = corpus[split]
  const starts = generator.randint(0, numbers.length - T, [B]).data
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T)
  for (const [b, start] of starts.entries()) {
    ids.set(numbers.subarray(start, start + T), b * T)
    targets.set(numbers.subarray(start + 1, start + T + 1), b * T)
  }
  return { B, T, L: T, ids, targets, sources: new Int32Array(B * T).fill(-1) }
}
