// Names tokens that are bytes of a character, such as the first two bytes of a Chinese one.

/** Bytes that byte-level tokenizers write as U+0100 and up; every other byte is written as the character of its code. */
const OTHER_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter(
  byte => byte <= 0x20 || (byte >= 0x7f && byte <= 0xa0) || byte === 0xad,
)

/** Returns the bytes of a token of a byte-level tokenizer, such as <E4B8>; undefined for ASCII text and for other tokenizers. @param {string} raw */
export function bytesOf(raw) {
  if (/^[ -~]*$/.test(raw)) return undefined
  const bytes = Array.from(raw, sign => {
    const code = sign.codePointAt(0) ?? 0
    return code < 0x100 ? (OTHER_BYTES.includes(code) ? undefined : code) : OTHER_BYTES[code - 0x100]
  })
  if (bytes.includes(undefined)) return undefined
  return `<${bytes.map(byte => Number(byte).toString(16).padStart(2, '0').toUpperCase()).join('')}>`
}
