// Finds the added tokens of tokenizer.json in a text, before the model tokenizes the rest.
// https://github.com/huggingface/tokenizers: tokenizers/src/tokenizer/added_vocabulary.rs

import { entryOf } from '../../base/entry.js'
import { literal } from './literal.js'
import { lower } from './lower.js'
import { refuse } from './refuse.js'

/**
 * @typedef {{ content: string, single_word?: boolean, lstrip?: boolean, rstrip?: boolean, normalized?: boolean, special?: boolean }} AddedToken
 * @typedef {{ text: string, id?: number, isFirst: boolean }} Section a part of a text: an added token with its id, or other text; isFirst:
 *   true if the part is at the start of the text
 */

const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]'
const [ENDS, STARTS] = [new RegExp(`${WORD}$`, 'u'), new RegExp(`^${WORD}`, 'u')]

/** Returns a token with the defaults of missing flags. @param {AddedToken} token @returns {Required<AddedToken>} */
const complete = ({
  content,
  single_word = false,
  lstrip = false,
  rstrip = false,
  special = false,
  normalized = !special,
}) => ({
  content,
  single_word,
  lstrip,
  rstrip,
  special,
  normalized,
})

export class AddedTokens {
  /** Special tokens by content. @type {Map<string, Required<AddedToken>>} */
  special = new Map()
  /** @type {Map<number, Required<AddedToken>>} */
  byId = new Map()
  /** @type {Map<string, number>} */
  ids = new Map()
  /** @type {Required<AddedToken>[]} */
  #others = []
  #engine
  #normalize
  /** Two patterns that find added tokens: [0] in the text as given, [1] in the normalised text. @type {{ pattern: RegExp, ids: Map<string, number> }[]} */
  #finders = []

  /** @param {import('./engines.js').Engine} engine @param {import('./normalizers.js').Normalizer} normalize */
  constructor(engine, normalize) {
    this.#engine = engine
    this.#normalize = normalize
  }

  /** @param {readonly AddedToken[]} given */
  add(given) {
    const tokens = given.map(complete).filter(({ content }) => content)
    for (const token of tokens)
      if (token.special && !this.special.has(token.content)) this.special.set(token.content, token)
    const { size } = this.#engine
    let next = Math.max(size, ...[...this.byId.keys()].map(id => id + 1))
    const same = (/** @type {Required<AddedToken>} */ token) => {
      const old = this.byId.get(this.ids.get(token.content) ?? -1)
      return old && JSON.stringify(old) === JSON.stringify(token)
    }
    for (const token of tokens) {
      if (same(token)) continue
      const id = this.ids.get(token.content) ?? this.#engine.idOf(token.content) ?? next++
      this.ids.set(token.content, id)
      this.byId.set(id, token)
      if (!this.special.has(token.content)) this.#others.push(token)
    }
    this.#finders = [false, true].map(isNormalized => this.#finder(isNormalized))
  }

  /** @param {boolean} isNormalized */
  #finder(isNormalized) {
    /** @type {Map<string, number>} */
    const ids = new Map()
    const own = [...this.special.values(), ...this.#others].filter(({ normalized }) => normalized === isNormalized)
    const strips = own.some(({ lstrip, rstrip }) => lstrip || rstrip)
    for (const { content, normalized } of own) {
      const text = normalized ? this.#normalize(content) : content
      if (!text)
        throw refuse('tokenizer.json: added_tokens', `${JSON.stringify(content)}, which is normalized to nothing,`)
      // A token that is normalised to spaces and one with lstrip or rstrip may claim the same spaces. There the Rust library panics.
      if (strips && text !== content && /^\p{White_Space}+$/u.test(text))
        throw refuse(
          'tokenizer.json: added_tokens',
          `${JSON.stringify(content)}, which is normalized to white space, beside lstrip or rstrip`,
        )
      if (!ids.has(text)) ids.set(text, entryOf(this.ids, content))
    }
    const longest = [...ids.keys()].sort((a, b) => b.length - a.length)
    return { pattern: new RegExp(longest.map(literal).join('|') || '(?!)', 'gu'), ids }
  }

  /**
   * Splits a text at the added tokens.
   * @param {string} text
   * @param {boolean} isNormalized true if the text has been normalised
   * @returns {{ text: string, id?: number }[]}
   */
  #cut(text, isNormalized) {
    const { pattern, ids } = this.#finders[Number(isNormalized)]
    /** @type {{ text: string, id?: number }[]} */
    const sections = []
    let end = 0
    for (const { index, 0: found } of text.matchAll(pattern)) {
      const id = entryOf(ids, found)
      const { single_word: isWord, lstrip, rstrip } = /** @type {Required<AddedToken>} */ (this.byId.get(id))
      let [from, to] = [index, index + found.length]
      if (isWord && (ENDS.test(text.slice(0, from)) || STARTS.test(text.slice(to)))) continue
      if (lstrip) from = Math.max(text.slice(0, from).replace(/\p{White_Space}+$/u, '').length, end)
      if (rstrip) to += /^\p{White_Space}*/u.exec(text.slice(to))?.[0].length ?? 0
      if (end < from) sections.push({ text: text.slice(end, from) })
      if (from < to) sections.push({ text: text.slice(from, to), id }) // empty if the previous token took its spaces
      end = to
    }
    if (end < text.length) sections.push({ text: text.slice(end) })
    return sections
  }

  /**
   * Finds the added tokens in a text, and normalises the rest.
   * @param {string} text
   * @param {boolean} [isLower] true to lowercase before normalisation
   * @returns {Section[]}
   */
  sections(text, isLower) {
    let isStart = true
    return this.#cut(text, false).flatMap(section => {
      const isFirst = isStart
      isStart = false
      if (section.id !== undefined) return [{ ...section, isFirst }]
      const between = isLower ? lower(section.text) : section.text
      return this.#cut(this.#normalize(between), true).map((part, n) => ({ ...part, isFirst: isFirst && n === 0 }))
    })
  }
}
