// The decoders of tokenizer.json, by the rules of the Rust library.
// https://github.com/huggingface/tokenizers: tokenizers/src/decoders

import { toBytes } from './bytes.js'
import { cleaned } from './clean-up.js'
import { literal } from './literal.js'
import { compile, replaced } from './patterns.js'
import { ruleFor } from './refuse.js'

/** @typedef {(tokens: string[]) => string[]} Decoder */

/** Decodes bytes as UTF-8. If they are invalid, each byte becomes a replacement character. @param {number[]} bytes @returns {string[]} */
function textOf(bytes) {
  if (!bytes.length) return []
  try {
    return [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))]
  } catch {
    return bytes.map(() => '\ufffd')
  }
}

/** Returns a pattern for all occurrences of a text. An empty text occurs between characters, never inside a surrogate pair. @param {string} text */
const each = text => new RegExp(literal(text), 'gu')

/** @type {import('./check-json.js').Rules<'decoder', Decoder>} */
const RULES = {
  Sequence({ decoders = [] }, where) {
    const all = decoders.map((one, n) => decoderOf(one, `${where}.decoders.${n}`))
    return tokens => all.reduce((done, decode) => decode(done), tokens)
  },
  BPEDecoder:
    ({ suffix }) =>
    tokens =>
      tokens.map((token, n) => token.replace(each(suffix), n === tokens.length - 1 ? '' : ' ')),
  ByteFallback: () => tokens => {
    /** @type {string[]} */
    const out = []
    /** @type {number[]} */
    let bytes = []
    for (const token of tokens) {
      const [, byte] = /^<0x([\da-f]{2})>$/i.exec(token) ?? []
      if (byte) bytes.push(Number.parseInt(byte, 16))
      else {
        out.push(...textOf(bytes), token)
        bytes = []
      }
    }
    return [...out, ...textOf(bytes)]
  },
  ByteLevel: () => tokens => {
    const bytes = tokens.flatMap(token => [...toBytes(token)])
    return [new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))]
  },
  CTC:
    ({ pad_token: pad, word_delimiter_token: delimiter, cleanup: isCleaned }) =>
    tokens =>
      tokens.flatMap((token, n) => {
        if (n > 0 && token === tokens[n - 1]) return []
        const text = token.replaceAll(pad, '')
        return (isCleaned ? cleaned(text).replace(each(delimiter), ' ') : text) || []
      }),
  Fuse: () => tokens => [tokens.join('')],
  Metaspace:
    ({ replacement, prepend_scheme: scheme = 'always', add_prefix_space: hasPrefix }) =>
    tokens => {
      const isKept = scheme === 'never' || hasPrefix === false
      return tokens.map((token, n) => token.replaceAll(replacement, n === 0 && !isKept ? '' : ' '))
    },
  Replace({ pattern, content }, where) {
    const compiled = compile(pattern, where)
    return tokens => tokens.map(token => replaced(compiled, token, content))
  },
  Strip:
    ({ content, start, stop }) =>
    tokens =>
      tokens.map(token => {
        const characters = Array.from(token)
        let [from, to] = [0, characters.length]
        while (from < start && characters[from] === content) from++
        while (characters.length - to < stop && characters[to - 1] === content) to--
        return characters.slice(from, to).join('')
      }),
  WordPiece:
    ({ prefix, cleanup: isCleaned }) =>
    tokens =>
      tokens.map((token, n) => {
        const joined = n === 0 ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`
        return isCleaned ? cleaned(joined) : joined
      }),
}

/** @param {unknown} json @param {string} [where] @returns {Decoder} */
export const decoderOf = (json, where = 'decoder') =>
  typeof json === 'function'
    ? /** @type {Decoder} */ (json) // a function, for GGUF files
    : json === null || json === undefined
      ? tokens => [tokens.join(' ')]
      : ruleFor(RULES, json, where)(json, where)

/** JOINING: decoders that join all tokens into one text. AFTER: decoders that may follow, because they change a text only at its ends. */
const [JOINING, AFTER] = [
  ['Fuse', 'ByteLevel'],
  ['Fuse', 'Strip'],
]

/** True if decoding a prefix of the ids gives a prefix of the text; only its last characters may differ. @param {unknown} json of a decoder */
export function isLocal(json) {
  const { type, decoders = [] } = Object(json)
  if (type !== 'Sequence') return true
  /** @type {string[]} */
  const types = decoders.map((/** @type {unknown} */ one) => Object(one).type)
  const at = types.findIndex(one => JOINING.includes(one))
  return (
    !types.includes('Sequence') &&
    !(types.includes('CTC') && types.includes('BPEDecoder')) &&
    (at < 0 || types.slice(at + 1).every(one => AFTER.includes(one)))
  )
}
