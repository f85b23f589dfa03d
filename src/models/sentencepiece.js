// The texts of Marian's models as they are published: two SentencePiece files, for the text and for its translation, and
// vocab.json with the ids of both. Loaded with a folder that has no tokenizer.json.
// https://github.com/google/sentencepiece: src/sentencepiece_model.proto, src/normalizer.cc, src/unigram_model.cc
// https://github.com/huggingface/transformers: models/marian/tokenization_marian.py

/** @typedef {import('./tokenizer.js').TokenizerLike} TokenizerLike */
/**
 * A SentencePiece file.
 * @typedef {object} Pieces
 * @property {Map<string, { score: number, isOwn: boolean }>} pieces isOwn: it is always taken where it stands
 * @property {number} longest characters of a piece
 * @property {number} least the smallest score
 * @property {number} most the largest score
 * @property {Charsmap} [charsmap]
 * @property {boolean} hasPrefix does a space stand before a text?
 * @property {boolean} isTrimmed does one space stand for several, and none at both ends?
 *
 * How characters are normalised: a trie over UTF-8, whose values are places in the text of results.
 * @typedef {{ units: Uint32Array, results: Uint8Array }} Charsmap
 */

const SPACE = '\u2581'
/** What an unknown character scores below the least piece. */
const UNKNOWN = 10
/** Kinds of pieces and of models in the file. */
const [NORMAL, OWN, UNIGRAM] = [1, 4, 1]

/** The fields of a protobuf message. @param {Uint8Array} bytes @returns {Generator<{ field: number, value: number | Uint8Array }>} */
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

/** A message by its fields; of several with one number the last. @param {Uint8Array | number | undefined} bytes @returns {Record<number, any>} */
const messageOf = bytes => {
  /** @type {Record<number, unknown>} */
  const found = {}
  if (bytes instanceof Uint8Array) for (const { field, value } of fieldsOf(bytes)) found[field] = value
  return found
}

/** @param {Uint8Array} bytes */
const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** @param {Uint8Array} bytes of a SentencePiece file @param {string} name of it @returns {Pieces} */
export function readPieces(bytes, name) {
  /** @type {Pieces['pieces']} */
  const pieces = new Map()
  /** @type {Record<number, any>[]} */
  let [trainer, normalizer] = [{}, {}]
  /** @type {Charsmap | undefined} */
  let charsmap
  try {
    for (const { field, value } of fieldsOf(bytes)) {
      if (field === 2) trainer = messageOf(value)
      if (field === 3) normalizer = messageOf(value)
      if (field !== 1) continue
      const { 1: text, 2: score, 3: kind = NORMAL } = messageOf(value)
      if (kind !== NORMAL && kind !== OWN) continue
      pieces.set(new TextDecoder().decode(text), { score: view(score).getFloat32(0, true), isOwn: kind === OWN })
    }
    const { 2: map } = normalizer
    charsmap = map?.length ? charsmapOf(map) : undefined
  } catch (cause) {
    throw new Error(`${name} is no SentencePiece file: ${/** @type {Error} */ (cause).message}`, { cause })
  }
  const { 3: kind = UNIGRAM } = trainer
  if (kind !== UNIGRAM || !pieces.size)
    throw new RangeError(
      `${name}: ${pieces.size ? `pieces of kind ${kind} are` : 'a file without pieces is'} not covered, Unigram (kind 1) is`,
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

/** @param {Uint8Array} bytes @returns {Charsmap} */
function charsmapOf(bytes) {
  const own = view(bytes)
  const size = own.getUint32(0, true)
  if (4 + size > bytes.length) throw new RangeError('the rules of its characters are cut off')
  const units = Uint32Array.from({ length: size / 4 }, (_, n) => own.getUint32(4 + 4 * n, true))
  return { units, results: bytes.subarray(4 + size) }
}

/**
 * The longest characters at a place that the map knows: how many bytes they have, and what they become.
 * @param {Charsmap} charsmap
 * @param {Uint8Array} text UTF-8
 * @param {number} from
 */
function mapped({ units, results }, text, from) {
  const offset = (/** @type {number} */ unit) => (unit >>> 10) << ((unit & 512) >>> 6)
  let node = offset(units[0])
  /** @type {{ length: number, value: number } | undefined} */
  let found
  for (let i = from; i < text.length; i++) {
    node ^= text[i]
    const unit = units[node] ?? 0
    if ((unit & 0x800000ff) >>> 0 !== text[i]) break
    node ^= offset(unit)
    if ((unit >>> 8) & 1) found = { length: i + 1 - from, value: units[node] & 0x7fffffff }
  }
  if (!found) return undefined
  const result = results.subarray(found.value, results.indexOf(0, found.value))
  return { length: found.length, text: new TextDecoder().decode(result) }
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
      const character = new TextDecoder().decode(bytes.subarray(at, at + length))
      const found = isOwn(character) ? undefined : mapped(charsmap, bytes, at)
      out += found?.text ?? character
      at += found?.length ?? length
    }
  }
  if (isTrimmed) out = out.replace(/ +/g, ' ').replace(/^ | $/g, '')
  return out && (hasPrefix ? ` ${out}` : out).replaceAll(' ', SPACE)
}

/**
 * The pieces of a text with the largest sum of scores. Unknown characters that follow each other are one piece.
 * @param {Pieces} own
 * @param {string} text
 * @returns {string[]}
 */
export function piecesOf(own, text) {
  const { pieces, longest, least, most } = own
  const line = normalized(own, text)
  /** The best way to each place: its score, where its last piece begins, and whether that is unknown. @type {({ score: number, from: number, isUnknown: boolean } | undefined)[]} */
  const best = [{ score: 0, from: 0, isUnknown: false }]
  for (let from = 0; from < line.length; from++) {
    const before = best[from]
    if (!before) continue
    const single = String.fromCodePoint(Number(line.codePointAt(from))).length
    let hasSingle = false
    const reach = (/** @type {number} */ to, /** @type {number} */ score, /** @type {boolean} */ isUnknown) => {
      const sum = Math.fround(before.score + score) // SentencePiece adds in float32
      const old = best[to]
      if (!old || sum > old.score) best[to] = { score: sum, from, isUnknown }
    }
    for (let to = from + 1; to <= Math.min(line.length, from + longest); to++) {
      const piece = pieces.get(line.slice(from, to))
      if (!piece) continue
      hasSingle ||= to - from === single
      reach(to, piece.isOwn ? new TextEncoder().encode(line.slice(from, to)).length * most - 0.1 : piece.score, false)
    }
    if (!hasSingle) reach(from + single, least - UNKNOWN, true)
  }
  /** From the last one on. @type {{ text: string, isUnknown: boolean }[]} */
  const found = []
  for (let to = line.length; to > 0; ) {
    const { from, isUnknown } = /** @type {NonNullable<typeof best[0]>} */ (best[to])
    const next = found[found.length - 1]
    const part = line.slice(from, to)
    if (isUnknown && next?.isUnknown) next.text = part + next.text
    else found.push({ text: part, isUnknown })
    to = from
  }
  return found.reverse().map(({ text }) => text)
}

/** What a tokenizer of Marian calls its own tokens. */
const [END, PAD, NONE] = ['</s>', '<pad>', '<unk>']

/**
 * @param {Pieces} source
 * @param {Record<string, number>} ids vocab.json
 * @returns {TokenizerLike}
 */
export function marianTokenizer(source, ids) {
  const names = new Map(Object.entries(ids).map(([token, id]) => [id, token]))
  const special = [END, PAD, NONE]
  const encodeOne = (/** @type {string} */ text) => {
    const [code] = /^>>.+<</.exec(text) ?? [] // the language of the translation
    const parts = text.slice(code?.length ?? 0).split(/(<\/s>|<pad>|<unk>)/)
    const pieces = parts.flatMap(part => (special.includes(part) ? [part] : piecesOf(source, part)))
    return code ? [code, ...pieces] : pieces
  }
  return {
    encode(text, { text_pair: pair, add_special_tokens: isWhole = true } = {}) {
      const tokens = [...encodeOne(text), ...(pair ? encodeOne(pair) : []), ...(isWhole ? [END] : [])]
      const known = tokens.map(token => (Object.hasOwn(ids, token) ? ids[token] : ids[NONE]))
      return { ids: known, tokens, token_type_ids: tokens.map(() => 0) }
    },
    decode(list, { skip_special_tokens: isBare = false } = {}) {
      const tokens = list.map(id => names.get(id) ?? NONE)
      const shown = isBare ? tokens.filter(token => !special.includes(token)) : tokens
      const spaced = shown.map(token => (special.includes(token) ? `${token} ` : token)).join('')
      return spaced.replaceAll(SPACE, ' ').trim()
    },
    id_to_token: id => names.get(id),
  }
}
