// Converts WordPiece vocabularies of GGUF files to parts of tokenizer.json. In a GGUF file, tokens at the start of a word begin with a
// mark, and tokens inside a word do not begin with ##, unlike in vocab.txt.

import { describe } from '../../base/errors.js'
import { CHINESE } from '../tokenizers/normalizers.js'

const MARK = '\u2581'

/**
 * Returns llama.cpp's normalizer: a decomposed character keeps only its first part, even a Korean syllable.
 * @param {boolean} isLower
 * @param {boolean} isStripped
 */
const normalizer = (isLower, isStripped) => (/** @type {string} */ text) => {
  if (/[^\p{White_Space}\p{P}\p{M}\p{C}]\u2581/u.test(text))
    throw new RangeError(`tokenize: ${describe(MARK)} within a word is not covered: put a space before it`)
  let out = ''
  for (const whole of text) {
    const [character] = isStripped ? whole.normalize('NFD') : whole
    if (/\p{White_Space}/u.test(character)) out += ' '
    else if (/[\0\ufffd\p{Cc}\p{Cf}\p{Co}]/u.test(character) || (isStripped && /\p{M}/u.test(character))) continue
    else out += isLower ? Array.from(character.toLowerCase())[0] : character
  }
  return out
}

/** @param {import('./vocabulary.js').Vocabulary} vocabulary */
export function wordPiece(vocabulary) {
  const found = vocabulary.added().map(({ content }) => content)
  const nameOf = (/** @type {string} */ token) => {
    if (found.includes(token) || /^\[.*\]$/s.test(token)) return token
    if (token === MARK) throw vocabulary.refuse('tokens', `${describe(token)} by itself`)
    return token.startsWith(MARK) ? token.slice(1) : `##${token}`
  }
  const marked = found.find(token => token.startsWith(MARK))
  if (marked !== undefined) throw vocabulary.refuse('token_type', `${describe(marked)} as a special token`)
  const vocab = new Map(vocabulary.tokens.map((token, id) => [nameOf(token), id]))
  const twice = vocabulary.tokens.find((token, id) => vocab.get(nameOf(token)) !== id)
  if (twice !== undefined)
    throw vocabulary.refuse('tokens', `${describe(twice)}, a word that begins like a part of one,`)
  const isLower = vocabulary.flag('normalizer.lowercase', true)
  return {
    normalizer: normalizer(isLower, vocabulary.flag('normalizer.strip_accents', isLower)),
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'BertPreTokenizer' },
        { type: 'Split', pattern: CHINESE, behavior: 'Isolated', invert: false },
      ],
    },
    model: {
      type: 'WordPiece',
      vocab: Object.fromEntries(vocab),
      unk_token: nameOf(vocabulary.needed('unknown')),
      continuing_subword_prefix: '##',
      max_input_chars_per_word: Number.POSITIVE_INFINITY,
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  }
}
