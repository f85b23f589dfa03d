// A tokenizer.json of whole words, such as that of qkv/stories: read without a package, and loaded with such a file.
// https://github.com/huggingface/tokenizers: WordLevel, Whitespace, Lowercase, TemplateProcessing

const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}' // \w of Rust
const PIECES = new RegExp(`[${WORD}]+|[^${WORD}\\s]+`, 'gu')
const PARTS = [{ type: 'Lowercase' }, { type: 'Whitespace' }, null, null, null, 'WordLevel']

/** @typedef {import('./tokenizer.js').TokenizerLike} TokenizerLike */
/** @typedef {{ content: string, id: number, special: boolean, single_word: boolean, lstrip: boolean, rstrip: boolean, normalized: boolean }} Added */
/** A part of a template: a special token, or the first or second text. @typedef {{ SpecialToken?: { id: string, type_id: number }, Sequence?: { id: 'A' | 'B', type_id: number } }} Part */

/** @param {unknown} a @param {unknown} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b)

/**
 * True if the file consists of the parts that WordLevel reads, and of no others.
 * @param {any} json tokenizer.json
 * @param {Record<string, unknown>} config tokenizer_config.json
 */
export function isWordLevel(json, config) {
  const {
    model,
    post_processor: post,
    normalizer,
    pre_tokenizer,
    decoder,
    truncation,
    padding,
    added_tokens = [],
  } = json
  if (!isSame([normalizer, pre_tokenizer, decoder, truncation, padding, model?.type], PARTS)) return false
  const { vocab, unk_token: unknown } = model
  const isPlain = (/** @type {Added} */ { content, id, special, single_word, lstrip, rstrip, normalized }) =>
    content && vocab[content] === id && special && !(single_word || lstrip || rstrip || normalized)
  const isKnown = (/** @type {[string, any]} */ [token, { ids }]) => isSame(ids, [vocab[token]])
  return (
    Object.hasOwn(vocab, unknown) &&
    added_tokens.every(isPlain) &&
    !config.additional_special_tokens &&
    (post === null || (post.type === 'TemplateProcessing' && Object.entries(post.special_tokens).every(isKnown)))
  )
}

/** Letter by letter, as in Rust: a sigma at the end of a word is no exception. @param {string} text */
const lower = text => Array.from(text, letter => letter.toLowerCase()).join('')

/** @implements {TokenizerLike} */
export class WordLevel {
  /** @param {any} json tokenizer.json @param {{ clean_up_tokenization_spaces?: boolean }} [config] */
  constructor(
    { model, added_tokens = [], post_processor: post },
    { clean_up_tokenization_spaces: isCleaned = true } = {},
  ) {
    /** @type {Map<string, number>} */
    this.ids = new Map(Object.entries(model.vocab))
    this.tokens = new Map([...this.ids].map(([token, id]) => [id, token]))
    /** @type {string} */
    this.unknown = model.unk_token
    this.isCleaned = isCleaned
    this.special = new Set(added_tokens.map((/** @type {Added} */ { content }) => content))
    const escaped = [...this.special]
      .sort((a, b) => b.length - a.length)
      .map(text => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    this.between = new RegExp(`(${escaped.join('|') || '$'})`, 'u')
    /** What stands around a text, and around two. @type {Part[][]} */
    this.templates = post
      ? [post.single, post.pair]
      : [
          [{ Sequence: { id: 'A', type_id: 0 } }],
          [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
        ]
  }

  /** @param {string} text */
  wordsOf(text) {
    return text.split(this.between).flatMap(part => (this.special.has(part) ? part : (lower(part).match(PIECES) ?? [])))
  }

  /** @type {TokenizerLike['encode']} */
  encode = (text, { text_pair: pair = null, add_special_tokens: isWhole = true } = {}) => {
    const texts = { A: this.wordsOf(text), B: this.wordsOf(pair ?? '') }
    const parts = this.templates[pair === null ? 0 : 1].flatMap(({ SpecialToken: mark, Sequence: part }) => {
      if (part) return texts[part.id].map(token => ({ token, type: part.type_id }))
      return mark && isWhole ? [{ token: mark.id, type: mark.type_id }] : []
    })
    const unknown = /** @type {number} */ (this.ids.get(this.unknown))
    return {
      ids: parts.map(({ token }) => this.ids.get(token) ?? unknown),
      tokens: parts.map(({ token }) => token),
      token_type_ids: parts.map(({ type }) => type),
    }
  }

  /** @type {TokenizerLike['decode']} */
  decode = (ids, { skip_special_tokens: isBare = false } = {}) => {
    const words = ids.map(id => this.tokens.get(id) ?? this.unknown)
    const text = words.filter(token => !(isBare && this.special.has(token))).join(' ')
    if (!this.isCleaned) return text
    // As transformers does: no space before a sign.
    return text
      .replace(/ ([.?!,])/g, '$1')
      .replace(/ ' /g, "'")
      .replace(/ (n't|'m|'s|'ve|'re)/g, '$1')
  }

  /** @type {NonNullable<TokenizerLike['id_to_token']>} */
  id_to_token = id => this.tokens.get(id)
}
