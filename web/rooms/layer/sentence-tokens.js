// Chooses the tokenizer for a text. Pure.

/** @import { Settings } from './layer.js' */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/**
 * Returns the tokenizer after a change of the text. Changes 'words' to 'segments' once a script without spaces appears, and back when it is
 * gone. Keeps any other tokenizer, which the reader has chosen.
 * @param {string} before
 * @param {string} after
 * @param {Settings['tokenizer']} tokenizer
 */
export function tokenizerFor(before, after, tokenizer) {
  const [was, is] = [UNSPACED.test(before), UNSPACED.test(after)]
  if (is && !was && tokenizer === 'words') return 'segments'
  return was && !is && tokenizer === 'segments' ? 'words' : tokenizer
}
