// Bytes as characters, in the notation of byte-level vocabularies.

/** @type {string[]} */
const CHARACTERS = []
let next = 256
for (let byte = 0; byte < 256; byte++) {
  const isShown = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
  CHARACTERS.push(String.fromCharCode(isShown ? byte : next++))
}
const BYTES = new Map(CHARACTERS.map((character, byte) => [character, byte]))

/** @param {string} text */
export const toCharacters = text => Array.from(new TextEncoder().encode(text), byte => CHARACTERS[byte]).join('')

/** Returns the bytes of a token; if it contains characters outside the notation, the UTF-8 bytes of its text. @param {string} token */
export function toBytes(token) {
  const bytes = Array.from(token, character => BYTES.get(character))
  return bytes.includes(undefined) ? new TextEncoder().encode(token) : bytes
}

/** Returns the token of a byte in a vocabulary with byte_fallback. @param {number} byte */
export const nameOf = byte => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
