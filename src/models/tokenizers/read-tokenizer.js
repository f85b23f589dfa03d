// tokenizer.json as a reader of texts, by the rules of the Rust library.
// https://github.com/huggingface/tokenizers

import { describe } from '../../base/errors.js'
import { AddedTokens } from './added-tokens.js'
import { decoderOf, isLocal } from './decoders.js'
import { engineOf } from './engines.js'
import { normalizerOf } from './normalizers.js'
import { templateOf } from './post-processors.js'
import { preTokenizerOf } from './pre-tokenizers.js'
import { refuse } from './refuse.js'

/**
 * @typedef {object} Reader
 * @property {(text: string) => { ids: number[], tokens: string[] }} encode without special tokens
 * @property {import('./post-processors.js').Template} template what is put around texts
 * @property {(id: number) => string} nameOf
 * @property {(ids: readonly number[], isBare: boolean) => string} decode isBare: without special tokens
 * @property {(ids: readonly number[], text: string) => boolean} isOpen true if the end of the text may change with the next id
 */

/**
 * Throws where a marker stands at the start of the text alone, and it cannot be told what that is.
 * @param {any} json tokenizer.json
 */
function checkFirst({ normalizer, pre_tokenizer: split }) {
  if (!JSON.stringify(split ?? null).includes('"prepend_scheme":"first"')) return
  if (normalizer && (split.type === 'Sequence' || JSON.stringify(normalizer).includes('"content":""')))
    throw refuse('tokenizer.json: pre_tokenizer.prepend_scheme', '"first" with a normalizer that moves the start of a text')
}

/**
 * @param {any} json tokenizer.json
 * @param {(json: object) => Promise<{ model?: any }>} make makes a tokenizer of the package
 * @returns {Promise<Reader & { added: AddedTokens }>}
 */
export async function readTokenizer(json, make) {
  checkFirst(json)
  const normalize = await normalizerOf(json.normalizer)
  const split = preTokenizerOf(json.pre_tokenizer)
  const decode = decoderOf(json.decoder)
  const template = templateOf(json.post_processor)
  const engine = await engineOf(json.model, make)
  const added = new AddedTokens(engine, normalize)
  added.add(json.added_tokens ?? [])
  const isStream = isLocal(json.decoder)
  const hasBytes = JSON.stringify(json.decoder ?? null).includes('"ByteFallback"')
  const nameOf = (/** @type {number} */ id) => added.byId.get(id)?.content ?? engine.nameOf(id)
  return {
    added,
    template,
    encode(text) {
      /** @type {{ ids: number[], tokens: string[] }} */
      const out = { ids: [], tokens: [] }
      // Half of a surrogate pair is no character.
      for (const section of added.sections(text.replace(/\p{Surrogate}/gu, '\ufffd'))) {
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
    decode(ids, isBare) {
      const tokens = ids.flatMap(id => nameOf(id) ?? []).filter(token => !(isBare && added.special.has(token)))
      return decode(tokens).join('')
    },
    isOpen: (ids, text) =>
      !isStream || text.endsWith('\ufffd') || (hasBytes && /^<0x..>$/.test(nameOf(ids[ids.length - 1]) ?? '')),
  }
}
