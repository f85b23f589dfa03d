// The tokenizer of the models that ship with the page: a word is a token. So their texts are read without the package that reads every
// tokenizer.json, which is larger than the session, and is loaded with the first other model.

/** @typedef {import('../../../src/models/tokenizer.js').TokenizerLike} TokenizerLike */

/** Is it a tokenizer of words in lower case? @param {any} json tokenizer.json */
export const isWordLevel = ({ model, normalizer, pre_tokenizer: split, decoder }) =>
  model?.type === 'WordLevel' && normalizer?.type === 'Lowercase' && split?.type === 'Whitespace' && decoder === null

/** @implements {TokenizerLike} */
export class WordLevel {
  /** @param {any} json tokenizer.json */
  constructor({ model, added_tokens: added = [], post_processor: post }) {
    /** @type {Map<string, number>} */
    this.ids = new Map(Object.entries(model.vocab))
    for (const { content, id } of added) this.ids.set(content, id)
    this.tokens = new Map([...this.ids].map(([token, id]) => [id, token]))
    /** @type {string} */
    this.unknown = model.unk_token
    /** @type {string[]} */
    this.special = added
      .filter((/** @type {any} */ { special }) => special)
      .map((/** @type {any} */ { content }) => content)
    /** What stands around a text. @type {any[]} */
    this.template = post?.single ?? [{ Sequence: {} }]
  }

  /** @param {string} text */
  wordsOf(text) {
    /** @type {string[]} */
    const words = []
    let rest = text
    for (;;) {
      const found = this.special
        .filter(token => rest.includes(token))
        .sort((a, b) => rest.indexOf(a) - rest.indexOf(b))[0]
      const at = found ? rest.indexOf(found) : rest.length
      const own =
        rest
          .slice(0, at)
          .toLowerCase()
          .match(/\w+|[^\w\s]+/g) ?? []
      words.push(...own)
      if (!found) return words
      words.push(found)
      rest = rest.slice(at + found.length)
    }
  }

  /** @type {TokenizerLike['encode']} */
  encode = (text, { text_pair: pair = null, add_special_tokens: isWhole = true } = {}) => {
    const words = this.wordsOf(text)
    const around = isWhole ? this.template.flatMap(({ SpecialToken: mark }) => (mark ? [mark.id] : words)) : words
    const tokens = pair ? [...around, ...this.wordsOf(pair)] : around
    return {
      ids: tokens.map(token => /** @type {number} */ (this.ids.get(token) ?? this.ids.get(this.unknown))),
      tokens,
      token_type_ids: tokens.map(() => 0),
    }
  }

  /** @type {TokenizerLike['decode']} */
  decode = (ids, { skip_special_tokens: isBare = false } = {}) => {
    const words = ids.map(id => this.tokens.get(id) ?? this.unknown)
    const text = words.filter(token => !(isBare && this.special.includes(token))).join(' ')
    // As transformers does: no space before a sign.
    return text
      .replace(/ ([.?!,])/g, '$1')
      .replace(/ ' /g, "'")
      .replace(/ (n't|'m|'s|'ve|'re)/g, '$1')
  }

  /** @type {NonNullable<TokenizerLike['id_to_token']>} */
  id_to_token = id => this.tokens.get(id)
}
