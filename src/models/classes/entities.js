// Finds named entities in a text: classifies tokens and groups them into words and entities, as the token-classification pipeline of
// transformers 5.16 does (pipelines/token_classification.py). Loaded on first use.

import { oneOf, readOptions } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { toBytes } from '../tokenizers/bytes.js'

/**
 * @typedef {object} Entity
 * @property {string} label class; without B- and I- for a group
 * @property {number} score probability
 * @property {string} word as decoded by the tokenizer; without aggregation, the token itself
 * @property {number} [start] position in the text, in UTF-16 units; undefined if the tokens cannot be located
 * @property {number} [end]
 * @property {number} [index] of the token, without aggregation
 */
/** How tokens are grouped into words and entities. @typedef {(typeof STRATEGIES)[number]} Aggregation */
/**
 * @typedef {object} EntityOptions
 * @property {Aggregation} [aggregation] 'none': each token; 'simple' (default): adjacent tokens of one class; 'first', 'average', 'max': a
 *   word gets the class of its first token, of the mean over its tokens, or of its most certain token
 * @property {readonly string[]} [ignore] labels to leave out; default ['O']
 */
/**
 * A token of the text, with its probabilities by class, and whether it continues a word.
 * @typedef {{ word: string, id: number, scores: ArrayLike<number>, start?: number, end?: number, index: number, isSubword: boolean }} Token
 */
/** A token, or the tokens of a word, with a label. @typedef {{ label: string, score: number, word: string, tokens: Token[] }} Labelled */
/** Decodes tokens given by their spelling in the vocabulary. @typedef {(words: string[], ids: number[]) => string} Join */

/** Matches the first word of a text, as BERT splits it: a run without spaces, punctuation and Chinese characters, or one such character. */
const WORD =
  /^[^\s\p{P}$+<=>^`|~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]+|^./su
const STRATEGIES = ['none', 'simple', 'first', 'average', 'max']

/**
 * @param {import('../model.js').Model} model
 * @param {import('../tokenizers/tokenizer.js').TextTool} tool
 * @param {string} text
 * @param {EntityOptions} options
 * @returns {Promise<Entity[]>}
 */
export async function entities(model, tool, text, options) {
  const { aggregation = 'simple', ignore = ['O'] } = readOptions(options, ['aggregation', 'ignore'], 'entities')
  if (typeof text !== 'string')
    throw new TypeError(`entities: expected one text, got ${describe(text)}: for several, call it for each`)
  oneOf(aggregation, STRATEGIES, 'entities: aggregation')
  if (!Array.isArray(ignore))
    throw new TypeError(`entities: ignore: expected a list of labels, got ${describe(ignore)}`)
  if (model.classes?.of !== 'token')
    throw new Error(`entities: this ${model.type} checkpoint has no classes of tokens; classify gives those of a text`)
  const { labels } = model.classes
  const input = model.tokenize(text, { truncation: true })
  const { data } = (await model.classify(input)).scores
  const own = tool.bare(text, Number.POSITIVE_INFINITY)
  const { ids: whole } = model.tokenize(text)
  const before = whole.findIndex((_, at) => own.every((id, n) => id === whole[at + n])) // special tokens before the text
  const kept = input.ids.length - (whole.length - own.length)
  const cut = tool.config.truncation_side === 'left' ? own.length - kept : 0 // ids that truncation removes at the start
  const tokens = placesOf(text, own, tool)
    .slice(cut, cut + kept)
    .map((place, n) => {
      const index = before + n
      const scores = data.subarray(index * labels.length, (index + 1) * labels.length)
      return { ...place, id: own[cut + n], index, scores }
    })
  const found = aggregate(tokens, aggregation, labels, tool.joined ?? ((_, ids) => tool.decode(ids, false)))
  return found.filter(({ label }) => !ignore.includes(label))
}

/**
 * @param {Token[]} tokens
 * @param {Aggregation} aggregation
 * @param {readonly string[]} labels
 * @param {Join} join
 * @returns {Entity[]}
 */
export function aggregate(tokens, aggregation, labels, join) {
  const isWord = !['none', 'simple'].includes(aggregation)
  /** @type {Token[][]} */
  const words = []
  for (const token of tokens)
    if (isWord && token.isSubword && words.length) words[words.length - 1].push(token)
    else words.push([token])
  const labelled = words.map(word => labelOf(word, aggregation, labels, isWord ? join : undefined))
  if (aggregation === 'none')
    return labelled.map(({ label, score, word, tokens: [{ start, end, index }] }) => ({
      label,
      score,
      word,
      start,
      end,
      index,
    }))
  /** @type {Labelled[][]} */
  const groups = []
  for (const one of labelled) {
    const last = groups.at(-1)?.at(-1)
    const isMore = last && tagOf(one.label) === tagOf(last.label) && !one.label.startsWith('B-')
    if (isMore) groups[groups.length - 1].push(one)
    else groups.push([one])
  }
  return groups.map(group => {
    const all = group.flatMap(({ tokens }) => tokens)
    const [{ start }, { end }] = [all[0], all[all.length - 1]]
    return {
      label: group[0].label.slice(group[0].label.indexOf('-') + 1),
      score: group.reduce((sum, { score }) => sum + score, 0) / group.length,
      word: join(
        group.map(({ word }) => word), // already decoded words are decoded again, as in the pipeline
        all.map(({ id }) => id),
      ),
      start,
      end,
    }
  })
}

/** Returns the label without B- and I-. @param {string} label */
const tagOf = label => label.replace(/^[BI]-/, '')

/** @param {ArrayLike<number>} scores */
function bestOf(scores) {
  let best = 0
  for (let n = 1; n < scores.length; n++) if (scores[n] > scores[best]) best = n
  return best
}

/** @param {Token[]} tokens @param {Aggregation} aggregation @param {readonly string[]} labels @param {Join} [join] @returns {Labelled} */
function labelOf(tokens, aggregation, labels, join) {
  const [first] = tokens
  const top = (/** @type {Token} */ { scores }) => scores[bestOf(scores)]
  const surest = tokens.reduce((best, token) => (top(token) > top(best) ? token : best))
  const mean = () =>
    Float64Array.from(first.scores, (_, n) => tokens.reduce((sum, { scores }) => sum + scores[n], 0) / tokens.length)
  const scores = aggregation === 'max' ? surest.scores : aggregation === 'average' ? mean() : first.scores
  const best = bestOf(scores)
  const word = join
    ? join(
        tokens.map(token => token.word),
        tokens.map(({ id }) => id),
      )
    : first.word
  return { label: labels[best], score: scores[best], word, tokens }
}

/** Matches what BERT removes from a text in addition to accents. */
const REMOVED = /(?![\t\n\r])[\p{C}\ufffd]/gu
/** Match what counts as accents: for BERT, for other tokenizers, and for the latter at the start of a text. */
const [ACCENTS, MARKS, MARK] = [/\p{Mn}/gu, /\p{M}/gu, /^\p{M}/u]
const SPACE = /^\p{White_Space}/u

/** Trims the characters that Rust counts as white space. @param {string} text */
const trimmed = text => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')

/**
 * Returns a function that removes from a text what a tokenizer may ignore: case and accents. For BERT it also removes control characters;
 * for other tokenizers it replaces compatibility forms (NFKD).
 * @param {readonly string[]} names of tokens; if one of them has an accent, accents are kept
 * @param {boolean} isBert
 */
function folding(names, isBert) {
  const form = isBert ? 'NFD' : 'NFKD'
  const keepsMarks = names.some(name => name.normalize(form).search(MARKS) >= 0)
  return (/** @type {string} */ text) => {
    const plain = text.normalize(form).toLowerCase()
    const bare = keepsMarks ? plain : plain.replace(isBert ? ACCENTS : MARKS, '')
    return isBert ? bare.replace(REMOVED, '') : bare
  }
}

/** True if a token starts a word, in a vocabulary without subword prefixes. As in the pipeline, a word starts after a space. @param {string} text @param {number} start */
const startsWord = (text, start) => start === 0 || text.slice(start - 1, start + 1).includes(' ')

/** Returns the bytes of a token of SentencePiece. @param {string} name */
function toPieceBytes(name) {
  const [, byte] = /^<0x([\dA-F]{2})>$/.exec(name) ?? []
  return byte ? [Number.parseInt(byte, 16)] : new TextEncoder().encode(name.replaceAll('\u2581', ' '))
}

/** A character with its place in the text. @typedef {{ sign: string, index: number, end: number }} Located */

/**
 * Returns the characters of a text. A composed character (NFC) has the position of the first of its parts, as in Hugging Face's tokenizers (Rust).
 * @param {string} text
 * @param {boolean} isComposed
 * @returns {Located[]}
 */
function charactersOf(text, isComposed) {
  const parts = text.matchAll(isComposed ? /\P{M}\p{M}+|[\u1100-\u11ff]+|./gsu : /./gsu)
  return Array.from(parts).flatMap(({ 0: cluster, index }) => {
    const given = [...cluster]
    const countOf = (/** @type {string} */ sign) => [...sign.normalize('NFD')].length
    return Array.from(isComposed ? cluster.normalize('NFC') : cluster, sign => {
      const place = { sign, index, end: index + (given[0]?.length ?? 0) }
      for (let rest = countOf(sign); rest > 0 && given.length; ) {
        const part = present(given.shift())
        rest -= countOf(part)
        index += part.length
      }
      return place
    })
  })
}

/**
 * Locates tokens by their bytes.
 * @param {string} text
 * @param {readonly Located[]} characters
 * @param {readonly ArrayLike<number>[]} bytes of each token
 * @returns {[start: number, end: number][] | undefined} undefined if the bytes do not spell this text
 */
function placesOfBytes(text, characters, bytes) {
  const all = bytes.flatMap(part => Array.from(part))
  const encode = (/** @type {string} */ part) => new TextEncoder().encode(part)
  const whole = characters.map(({ sign }) => sign).join('')
  const lead = all.length - encode(whole).length // 1 if the tokenizer adds a space before the text
  if (lead !== 0 && lead !== 1) return undefined
  const spelt = encode(' '.repeat(lead) + whole)
  if (!spelt.every((byte, i) => byte === all[i])) return undefined
  /** For each byte, start and end of its character in the text. @type {[number, number][]} */
  const places = Array.from({ length: lead }, () => [0, 0])
  for (const { sign, index, end } of characters) for (const _ of encode(sign)) places.push([index, end])
  let at = 0
  return bytes.map(({ length }) => {
    const own = places.slice(at, at + length)
    at += length
    const last = own.at(-1)?.[1] ?? 0
    const shown = own.filter(([from]) => text[from] !== ' ') // the place of a token excludes its spaces
    return [shown[0]?.[0] ?? last, shown.at(-1)?.[1] ?? last]
  })
}

/**
 * Locates each token in the text, and finds out whether it continues a word. The pipeline of transformers uses the
 * offsets of the tokenizer; here tokens are searched one after another.
 * @param {string} text
 * @param {readonly number[]} ids of the text, without special tokens
 * @param {import('../tokenizers/tokenizer.js').TextTool} tool
 * @returns {Pick<Token, 'word' | 'start' | 'end' | 'isSubword'>[]}
 */
function placesOf(text, ids, { nameOf, decode, wordPrefix, splitsSpaces, config }) {
  const unknown = [Object(config.unk_token).content ?? config.unk_token, '[UNK]', '<unk>']
  const names = ids.map(nameOf)
  const isBert = wordPrefix !== undefined
  const characters = charactersOf(text, !isBert)
  const spelt = isBert
    ? undefined
    : [charactersOf(text, false), characters]
        .flatMap(given => [
          placesOfBytes(
            text,
            given,
            names.map(name => Array.from(toBytes(name), Number)),
          ),
          splitsSpaces ? undefined : placesOfBytes(text, given, names.map(toPieceBytes)),
        ])
        .find(Boolean)
  if (spelt)
    return spelt.map(([start, end], n) => {
      const word = names[n]
      return { word, start, end, isSubword: !unknown.includes(word) && !startsWord(text, start) }
    })
  const fold = folding(names, isBert)
  // the characters of the text, folded, with their positions
  const signs = characters.map(({ sign, index, end }) => {
    const isGone = isBert || MARK.test(sign)
    return { folded: fold(sign) || (isGone ? '' : sign), index, end }
  })
  const plain = signs.map(sign => sign.folded).join('')
  /** @type {number[]} */
  const signAt = signs.flatMap((sign, n) => Array(sign.folded.length).fill(n))
  let cursor = 0 // position in `plain`
  /** Ids of the preceding tokens that are the first bytes of an unfinished character. @type {number[]} */
  let bytes = []
  /** Returns the length of the text in `rest` before the token `next`. @param {string} rest @param {number | undefined} next */
  const lengthOf = (rest, next) => {
    if (next === undefined) return rest.length
    const surface = fold(trimmed(decode([next], false)))
    const most = surface ? rest.indexOf(surface, 1) : rest.search(/\p{White_Space}|$/u)
    return most < 0 ? String.fromCodePoint(rest.codePointAt(0) ?? 32).length : most
  }
  return ids.map((id, index) => {
    const word = names[index]
    const isContinuing = isBert && word.startsWith(wordPrefix) && word.length > wordPrefix.length
    const written = isContinuing ? word.slice(wordPrefix.length) : decode([...bytes, id], false)
    const surface = fold(trimmed(written))
    if (!surface && SPACE.test(plain[cursor] ?? '')) {
      // The token is a space or, if words are split at spaces, the mark that starts a word. A space is located at its end, a mark at the
      // first character of its word.
      do cursor++
      while (splitsSpaces && SPACE.test(plain[cursor] ?? ''))
      const next = signs[signAt[cursor]]
      const at = next?.index ?? text.length
      return { word, start: at, end: (splitsSpaces && next?.end) || at, isSubword: !startsWord(text, at) }
    }
    while (SPACE.test(plain[cursor] ?? '')) cursor++
    const isUnknown = unknown.includes(word)
    if (isUnknown && !plain.startsWith(fold(word), cursor)) {
      // The unknown token covers a whole word for BERT, otherwise everything before the next token. The pipeline treats it as a separate
      // word.
      const rest = plain.slice(cursor)
      const part = !isBert ? trimmed(rest.slice(0, lengthOf(rest, ids[index + 1]))) : (WORD.exec(rest)?.[0] ?? '')
      const start = signs[signAt[cursor]]?.index ?? text.length
      let last = signAt[cursor + part.length - 1]
      while (!isBert && signs[last + 1]?.folded === '') last++ // accents
      const end = signs[last]?.end ?? text.length
      cursor += part.length
      return { word: text.slice(start, end), start, end, isSubword: false }
    }
    const isPart = surface.endsWith('\ufffd') && plain[cursor] !== '\ufffd'
    const at = isPart || !surface ? cursor : plain.indexOf(surface, cursor)
    const from = signs[signAt[at]]
    if (at < 0 || !from) return { word, isSubword: isBert ? isContinuing : index > 0 }
    bytes = isPart ? [...bytes, id] : []
    if (!isPart) cursor = at + surface.length
    const [start, end] = [from.index, isPart || !surface ? from.end : signs[signAt[cursor - 1]].end]
    const isSubword =
      !isUnknown && (isBert ? [...word].length !== [...text.slice(start, end)].length : !startsWord(text, start))
    return { word, start, end, isSubword }
  })
}
