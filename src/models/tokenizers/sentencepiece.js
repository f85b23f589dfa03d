// The tokenizer of Marian models: a SentencePiece file for the text, another for its translation, and vocab.json with the ids of both.
// Loaded with a folder without tokenizer.json.
// https://github.com/google/sentencepiece: src/sentencepiece_model.proto, src/normalizer.cc, src/unigram_model.cc
// https://github.com/huggingface/transformers: models/marian/tokenization_marian.py

import { bestPieces, UNKNOWN } from './best-pieces.js'
import { charsmapOf, mapped } from './charsmap.js'
import { filled } from './fill.js'
import { lower } from './lower.js'

/**
 * A SentencePiece file.
 * @typedef {object} Pieces
 * @property {Map<string, { score: number, isOwn: boolean }>} pieces isOwn: true if the piece is never split (user-defined)
 * @property {number} longest length of the longest piece
 * @property {number} least the smallest score
 * @property {number} most the largest score
 * @property {import('./charsmap.js').Charsmap} [charsmap]
 * @property {boolean} hasPrefix true to put a space before a text
 * @property {boolean} isTrimmed true to collapse several spaces into one, and to trim both ends
 */

const SPACE = '\u2581'
/** Numbers in the file: the piece types NORMAL and OWN (user-defined), and the model type UNIGRAM. */
const [NORMAL, OWN, UNIGRAM] = [1, 4, 1]

/** Yields the fields of a protobuf message, in the order of the bytes. @param {Uint8Array} bytes @returns {Generator<{ field: number, value: number | Uint8Array }>} */
function* fieldsOf(bytes) {
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      if (at >= bytes.length) throw new RangeError('the file is cut off')
      const byte = bytes[at++]
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const key = varint()
    const [field, wire] = [Math.floor(key / 8), key % 8]
    const size = { 1: 8, 2: 0, 5: 4 }[wire]
    if (wire !== 0 && size === undefined) throw new RangeError(`field ${field} has the unknown type ${wire}`)
    if (size === undefined) yield { field, value: varint() }
    else {
      const length = size || varint()
      if (at + length > bytes.length) throw new RangeError('the file is cut off')
      yield { field, value: bytes.subarray(at, at + length) }
      at += length
    }
  }
}

/**
 * Returns the fields of a message by number; for a repeated field, the last value.
 * @param {Uint8Array | number | undefined} bytes
 * @returns {Record<number, any>}
 */
const messageOf = bytes => {
  /** @type {Record<number, unknown>} */
  const found = {}
  if (bytes instanceof Uint8Array) for (const { field, value } of fieldsOf(bytes)) found[field] = value
  return found
}

/** @param {Uint8Array} bytes */
const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Parses a SentencePiece file. @param {Uint8Array} bytes of a SentencePiece file @param {string} name file name @returns {Pieces} */
export function readPieces(bytes, name) {
  /** @type {Pieces['pieces']} */
  const pieces = new Map()
  /** @type {Record<number, any>[]} */
  let [trainer, normalizer] = [{}, {}]
  /** @type {Pieces['charsmap']} */
  let charsmap
  try {
    for (const { field, value } of fieldsOf(bytes)) {
      if (field === 2) trainer = messageOf(value)
      if (field === 3) normalizer = messageOf(value)
      if (field !== 1) continue
      const { 1: text, 2: score, 3: kind = NORMAL } = messageOf(value)
      if (kind !== NORMAL && kind !== OWN) continue
      pieces.set(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text), {
        score: view(score).getFloat32(0, true),
        isOwn: kind === OWN,
      })
    }
    const { 2: map } = normalizer
    charsmap = map?.length ? charsmapOf(map) : undefined
  } catch (cause) {
    throw new Error(`${name} is no SentencePiece file: ${/** @type {Error} */ (cause).message}`, { cause })
  }
  const { 3: kind = UNIGRAM } = trainer
  if (kind !== UNIGRAM || !pieces.size)
    throw new RangeError(
      `${name}: ${pieces.size ? `pieces of kind ${kind} are` : 'a file without pieces is'} not covered; covered: Unigram (kind 1)`,
    )
  const { 3: hasPrefix = 1, 4: isTrimmed = 1 } = normalizer
  const scores = [...pieces.values()].flatMap(({ score, isOwn }) => (isOwn ? [] : [score]))
  return {
    pieces,
    longest: [...pieces.keys()].reduce((most, piece) => Math.max(most, piece.length), 1),
    least: scores.reduce((a, b) => Math.min(a, b), Infinity),
    most: scores.reduce((a, b) => Math.max(a, b), -Infinity),
    charsmap,
    hasPrefix: Boolean(hasPrefix),
    isTrimmed: Boolean(isTrimmed),
  }
}

/** @param {Pieces} own @param {string} text */
function normalized({ charsmap, hasPrefix, isTrimmed, pieces }, text) {
  const isOwn = (/** @type {string} */ character) => pieces.get(character)?.isOwn
  let out = ''
  if (!charsmap) out = text
  else {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; ) {
      const length = bytes[at] < 128 ? 1 : bytes[at] < 224 ? 2 : bytes[at] < 240 ? 3 : 4
      const character = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, at + length))
      const found = isOwn(character) ? undefined : [...mapped(charsmap, bytes, at)].pop() // the longest match
      out += found?.text ?? character
      at += found?.length ?? length
    }
  }
  if (isTrimmed) out = out.replace(/ +/g, ' ').replace(/^ | $/g, '')
  return out && (hasPrefix ? ` ${out}` : out).replaceAll(' ', SPACE)
}

/**
 * Splits a text into the pieces with the largest sum of scores.
 * @param {Pieces} own the SentencePiece file
 * @param {string} text
 * @returns {string[]}
 */
export function piecesOf(own, text) {
  const { pieces, longest, least, most } = own
  const scoreOf = (/** @type {string} */ text) => {
    const piece = pieces.get(text)
    return piece?.isOwn ? new TextEncoder().encode(text).length * most - 0.1 : piece?.score
  }
  const isKnown = (/** @type {string} */ text) => pieces.has(text)
  // SentencePiece adds in float32.
  const vocabulary = { scoreOf, longest, unknown: least - UNKNOWN, isKnown }
  return /** @type {string[]} */ (bestPieces(normalized(own, text), vocabulary, Math.fround))
}

/** Special tokens of a Marian tokenizer. */
const [END, PAD, NONE] = ['</s>', '<pad>', '<unk>']

/**
 * Makes the tokenizer of a Marian model.
 * @param {Pieces} source the file for the text
 * @param {Record<string, number>} ids vocab.json
 * @returns {import('./tokenizer.js').TextReader}
 */
export function marianReader(source, ids) {
  const names = new Map(Object.entries(ids).map(([token, id]) => [id, token]))
  const special = [END, PAD, NONE]
  const encode = (/** @type {string} */ text, isLower = false) => {
    const [code] = /^>>.+<</.exec(text) ?? [] // the target language
    const parts = text.slice(code?.length ?? 0).split(/(<\/s>|<pad>|<unk>)/)
    const pieces = parts.flatMap(part =>
      special.includes(part) ? [part] : piecesOf(source, isLower ? lower(part) : part),
    )
    const tokens = code ? [code, ...pieces] : pieces
    return { ids: tokens.map(token => (Object.hasOwn(ids, token) ? ids[token] : ids[NONE])), tokens }
  }
  const nameOf = (/** @type {number} */ id) => names.get(id) ?? NONE
  const [first, second] = [0, 1].map(text => ({ text: /** @type {0 | 1} */ (text), type: 0 }))
  const end = { ids: [ids[END]], type: 0 }
  const template = { single: [first, end], pair: [first, second, end] }
  return {
    encode: (text, pair, most, isWhole, isLower) =>
      filled({ encode, nameOf }, template, [text, pair], { most, isWhole, isLower }),
    decode(list, isBare) {
      const tokens = list.map(nameOf)
      const shown = isBare ? tokens.filter(token => !special.includes(token)) : tokens
      const spaced = shown.map(token => (special.includes(token) ? `${token} ` : token)).join('')
      return spaced.replaceAll(SPACE, ' ').trim()
    },
    nameOf,
    isOpen: (_, text) => text.endsWith('\ufffd'),
  }
}
