// Reads tokenizer.json, by the rules of the Rust library. https://github.com/huggingface/tokenizers

import { describe } from '../../base/errors.js'
import { AddedTokens } from './added-tokens.js'
import { templateOf } from './post-processors.js'
import { refuse } from './refuse.js'

/**
 * @typedef {object} JsonReader
 * @property {(text: string, isLower?: boolean) => { ids: number[], tokens: string[] }} encode encodes without special tokens; isLower: true
 *   to first lowercase everything but added tokens
 * @property {import('./post-processors.js').Template} template the special tokens around texts
 * @property {(id: number) => string} nameOf
 * @property {(token: string) => number | undefined} idOf
 * @property {(ids: readonly number[], isBare: boolean) => string} decode isBare: skips special tokens
 * @property {(tokens: string[]) => string} joined decodes tokens as they are written in the vocabulary
 * @property {(ids: readonly number[], text: string) => boolean} isOpen returns true if the end of the text may change with the next id
 */

/**
 * tokenizer.json. Each part is checked where it is read. For a GGUF file, some parts are functions instead.
 * @typedef {object} TokenizerJson
 * @property {import('./added-tokens.js').AddedToken[] | null} [added_tokens]
 * @property {unknown} [normalizer]
 * @property {unknown} [pre_tokenizer]
 * @property {unknown} [post_processor]
 * @property {unknown} [decoder]
 * @property {unknown} [model]
 * @property {unknown} [truncation]
 * @property {unknown} [padding]
 * @property {(text: string, normalize: import('./normalizers.js').Normalizer) => import('./added-tokens.js').Section[]} [sections]
 */

/**
 * Throws if a pre-tokenizer adds a mark only at the start of the text, but a normalizer may change where the text starts.
 * @param {TokenizerJson} json
 */
function checkFirst({ normalizer, pre_tokenizer: split }) {
  if (normalizer && JSON.stringify(split ?? null).includes('"prepend_scheme":"first"'))
    throw refuse('tokenizer.json: pre_tokenizer.prepend_scheme', '"first" together with a normalizer')
}

/**
 * Reads a tokenizer.
 * @param {TokenizerJson} json
 * @param {(json: object) => Promise<{ model?: any }>} make creates a tokenizer of the package `@huggingface/tokenizers`
 * @returns {Promise<JsonReader & { added: AddedTokens, isPairs: boolean }>} isPairs: true if the tokenizer's model is BPE
 */
export async function readTokenizer(json, make) {
  checkFirst(json)
  // Imported as separate chunks, which a page loads in parallel.
  const [{ normalizerOf }, { preTokenizerOf }, { decoderOf, isLocal }, { engineOf }] = await Promise.all([
    import('./normalizers.js'),
    import('./pre-tokenizers.js'),
    import('./decoders.js'),
    import('./engines.js'),
  ])
  const normalize = await normalizerOf(json.normalizer)
  const split = preTokenizerOf(json.pre_tokenizer)
  const decode = decoderOf(json.decoder)
  const template = templateOf(json.post_processor)
  const engine = await engineOf(json.model, make)
  const added = new AddedTokens(engine, normalize)
  added.add(json.added_tokens ?? [])
  const hasLower = [json.normalizer, ...(Object(json.normalizer).normalizers ?? [])].some(
    one => Object(one).type === 'Lowercase',
  )
  const sectionsOf = (/** @type {string} */ text, /** @type {boolean | undefined} */ isLower) =>
    json.sections?.(text, normalize) ?? added.sections(text, isLower && !hasLower)
  const isStream = isLocal(json.decoder)
  const decoders = JSON.stringify(json.decoder ?? null)
  const [hasBytes, hasEnd] = ['"ByteFallback"', '"BPEDecoder"'].map(name => decoders.includes(name))
  const nameOf = (/** @type {number} */ id) => added.byId.get(id)?.content ?? engine.nameOf(id)
  const tokensOf = (/** @type {readonly number[]} */ ids, /** @type {boolean} */ isBare) =>
    ids.flatMap(id => nameOf(id) ?? []).filter(token => !(isBare && added.special.has(token)))
  return {
    added,
    isPairs: engine.isPairs === true,
    template,
    encode(text, isLower) {
      /** @type {{ ids: number[], tokens: string[] }} */
      const out = { ids: [], tokens: [] }
      // Lone surrogates are not characters.
      for (const section of sectionsOf(text.replace(/\p{Surrogate}/gu, '\ufffd'), isLower)) {
        if (section.id !== undefined) {
          out.ids.push(section.id)
          out.tokens.push(/** @type {string} */ (nameOf(section.id)))
          continue
        }
        for (const piece of split(section)) {
          const { ids, tokens } = engine.encode(piece.text)
          ids.forEach((id, n) => {
            if (id === undefined)
              throw new RangeError(
                `tokenize: the vocabulary does not have ${describe(piece.text)}, and there is no unknown token`,
              )
            out.ids.push(id)
            out.tokens.push(tokens[n])
          })
        }
      }
      return out
    },
    nameOf: id => nameOf(id) ?? '',
    idOf: token => added.ids.get(token) ?? engine.idOf(token),
    decode: (ids, isBare) => decode(tokensOf(ids, isBare)).join(''),
    joined: tokens => decode(tokens).join(''),
    isOpen(ids, text) {
      if (!isStream || text.endsWith('\ufffd')) return true
      const tokens = tokensOf(ids, true)
      const last = tokens[tokens.length - 1] ?? ''
      if (hasBytes && /^<0x..>$/.test(last)) return true // following bytes decide whether it is part of a character
      return (
        hasEnd &&
        !decode([...tokens, `${last}x`])
          .join('')
          .startsWith(text)
      ) // true if another token would change how the text ends
    },
  }
}
