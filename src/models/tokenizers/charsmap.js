// The character map of SentencePiece files: a trie over UTF-8 (Darts). Its values are offsets of replacements in `results`.
// https://github.com/google/sentencepiece: src/normalizer.cc, https://github.com/huggingface/spm_precompiled

/** @typedef {{ units: Uint32Array, results: Uint8Array }} Charsmap */

/** @param {Uint8Array} bytes @returns {Charsmap} */
export function charsmapOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = view.getUint32(0, true)
  if (4 + size > bytes.length) throw new RangeError('the rules of its characters are cut off')
  const units = Uint32Array.from({ length: size / 4 }, (_, n) => view.getUint32(4 + 4 * n, true))
  return { units, results: bytes.subarray(4 + size) }
}

/**
 * Yields the matches at a position, the shortest first, each with its length in bytes and its replacement.
 * @param {Charsmap} charsmap
 * @param {Uint8Array} text UTF-8
 * @param {number} from
 */
export function* mapped({ units, results }, text, from) {
  const offset = (/** @type {number} */ unit) => (unit >>> 10) << ((unit & 512) >>> 6)
  let node = offset(units[0])
  for (let i = from; i < text.length; i++) {
    node ^= text[i]
    const unit = units[node] ?? 0
    if ((unit & 0x800000ff) >>> 0 !== text[i]) return
    node ^= offset(unit)
    if (!((unit >>> 8) & 1)) continue
    const start = units[node] & 0x7fffffff
    const result = results.subarray(start, results.indexOf(0, start))
    yield { length: i + 1 - from, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(result) }
  }
}

/**
 * Returns the normalizer Precompiled of tokenizer.json. Like the Rust library, it looks up each grapheme of at most five bytes. If that
 * fails or the grapheme is longer, it looks up each character. Of several matches at the start it uses the shortest.
 * @param {string | undefined | null} base64
 */
export function precompiled(base64) {
  const map = charsmapOf(Uint8Array.from(atob(base64 ?? ''), character => character.charCodeAt(0)))
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const encoder = new TextEncoder()
  const changed = (/** @type {string} */ part) => {
    const [found] = mapped(map, encoder.encode(part), 0)
    return found?.text
  }
  return (/** @type {string} */ text) => {
    let out = ''
    for (const { segment } of graphemes.segment(text)) {
      const whole = encoder.encode(segment).length < 6 ? changed(segment) : undefined
      if (whole !== undefined) out += whole
      else for (const character of segment) out += changed(character) ?? character
    }
    return out
  }
}
