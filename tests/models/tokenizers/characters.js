// Counts the characters that our normalizers and pre-tokenizers treat differently from the Rust library, because the engine and that library have
// different versions of the Unicode tables. node tests/models/tokenizers/characters.js

import { Tokenizer as Native } from '@anush008/tokenizers'
import { normalizerOf } from '../../../src/models/tokenizers/normalizers.js'
import { preTokenizerOf } from '../../../src/models/tokenizers/pre-tokenizers.js'

const bert = {
  type: 'BertNormalizer',
  clean_text: true,
  handle_chinese_chars: true,
  strip_accents: null,
  lowercase: true,
}
const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
const NORMALIZERS = [
  bert,
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Nmt', 'Lowercase', 'StripAccents'].map(type => ({ type })),
]
const PRE_TOKENIZERS = [
  { type: 'BertPreTokenizer' },
  { type: 'Punctuation', behavior: 'Isolated' },
  { type: 'Digits', individual_digits: true },
  { type: 'Whitespace' },
  { type: 'WhitespaceSplit' },
  bytes,
]

/** @param {object} part */
const nativeOf = part => {
  const model = { type: 'WordLevel', vocab: { u: 0 }, unk_token: 'u' }
  return Native.fromString(JSON.stringify({ version: '1.0', added_tokens: [], model, ...part }))
}

/** Counts and prints the characters that differ. @param {string} name @param {(character: string) => boolean} isEqual */
function count(name, isEqual) {
  const different = []
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    if (!isEqual(character)) different.push(character)
  }
  const shown = different.slice(0, 5).map(character => `U+${Number(character.codePointAt(0)).toString(16)}`)
  console.log(`${name}: ${different.length}`, ...shown)
}

console.log(`Unicode ${process.versions.unicode} of Node ${process.versions.node}`)
for (const normalizer of NORMALIZERS) {
  const [own, native] = [await normalizerOf(normalizer), nativeOf({ normalizer }).getNormalizer()]
  const isEqual = (/** @type {string} */ text) => own(text) === native?.normalizeString(text)
  count(normalizer.type, isEqual)
  // Normalisation sorts marks by their combining class, which only newer tables know for newer marks.
  count(`${normalizer.type}, between two marks`, character => isEqual(`a\u0315${character}\u0327`))
}
for (const pre_tokenizer of PRE_TOKENIZERS) {
  const [own, native] = [preTokenizerOf(pre_tokenizer), nativeOf({ pre_tokenizer }).getPreTokenizer()]
  count(pre_tokenizer.type, character => {
    const text = `a${character}a1`
    const want = native?.preTokenizeString(text).map(([part]) => part)
    return (
      own({ text, isFirst: true })
        .map(part => part.text)
        .join(' | ') === want?.join(' | ')
    )
  })
}
