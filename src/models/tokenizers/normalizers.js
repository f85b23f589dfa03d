// The normalizers of tokenizer.json, by the rules of the Rust library.
// https://github.com/huggingface/tokenizers: tokenizers/src/normalizers

import { toCharacters } from './bytes.js'
import { lower } from './lower.js'
import { compile, replaced } from './patterns.js'
import { refuse, ruleFor } from './refuse.js'

/** @typedef {(text: string) => string} Normalizer */

// Control characters except tab and newlines. Those added to Unicode after version 8 are not matched, as in the Rust library.
const CONTROL = /(?![\t\n\r\u0890\u0891\u08e2\u{110cd}\u{13430}-\u{1343f}])[\ufffd\p{Cc}\p{Cf}\p{Co}]/gu
export const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu

/** @param {import('./check-json.js').PartsOf<'normalizer'>['BertNormalizer']} part @returns {Normalizer} */
function bert({
  clean_text: isCleaned,
  handle_chinese_chars: hasChinese,
  strip_accents: isStripped,
  lowercase: isLower,
}) {
  return text => {
    if (isCleaned) text = text.replace(CONTROL, '').replace(/\p{White_Space}/gu, ' ')
    if (hasChinese) text = text.replace(CHINESE, ' $& ')
    if (isStripped ?? isLower) text = text.normalize('NFD').replace(/\p{Mn}/gu, '')
    return isLower ? lower(text) : text
  }
}

/** Characters that the normalizer Nmt removes, and those that it replaces by a space. */
const [REMOVED, SPACED] = [
  /(?![\0\t\n\f\r\x80-\x8e\x90-\x9e])\p{Cc}/gu,
  /[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g,
]

/** @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {() => Normalizer} */
const unicode = form => () => text => text.normalize(form)

/** @type {import('./check-json.js').Rules<'normalizer', Normalizer | Promise<Normalizer>>} */
const RULES = {
  async Sequence({ normalizers = [] }, where) {
    const all = await Promise.all(normalizers.map((one, n) => normalizerOf(one, `${where}.normalizers.${n}`)))
    return text => all.reduce((done, normalize) => normalize(done), text)
  },
  BertNormalizer: bert,
  Lowercase: () => lower,
  NFC: unicode('NFC'),
  NFD: unicode('NFD'),
  NFKC: unicode('NFKC'),
  NFKD: unicode('NFKD'),
  Nmt: () => text => text.replace(REMOVED, '').replace(SPACED, ' '),
  StripAccents: () => text => text.replace(/\p{M}/gu, ''),
  Strip:
    ({ strip_left: left, strip_right: right }) =>
    text => {
      if (left) text = text.replace(/^\p{White_Space}+/u, '')
      return right ? text.replace(/\p{White_Space}+$/u, '') : text
    },
  Prepend:
    ({ prepend }) =>
    text =>
      text && prepend + text,
  Replace({ pattern, content }, where) {
    const compiled = compile(pattern, where)
    if (''.match(compiled)) throw refuse(`tokenizer.json: ${where}`, 'a pattern that matches nothing')
    return text => replaced(compiled, text, content)
  },
  ByteLevel: () => toCharacters,
  async Precompiled({ precompiled_charsmap: map }) {
    const { precompiled } = await import('./charsmap.js')
    return precompiled(map)
  },
}

/** @param {unknown} json @param {string} [where] @returns {Promise<Normalizer>} */
export const normalizerOf = async (json, where = 'normalizer') =>
  typeof json === 'function'
    ? /** @type {Normalizer} */ (json) // the reader of GGUF files passes a function
    : json === null || json === undefined
      ? text => text
      : ruleFor(RULES, json, where)(json, where)
