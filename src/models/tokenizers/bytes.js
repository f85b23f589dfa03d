// Bytes as characters: byte-level vocabularies write each byte as one printable character.

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

/** Returns the bytes of a token. If a character of the token stands for no byte, returns the token's UTF-8 bytes. @param {string} token */
export function toBytes(token) {
  const bytes = Array.from(token, character => BYTES.get(character))
  return bytes.includes(undefined) ? new TextEncoder().encode(token) : bytes
}

/** Returns the token that stands for a byte in a vocabulary with byte_fallback. @param {number} byte */
export const nameOf = byte => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
