// Chooses the tokenizer for a text. Pure.

/** @import { Settings } from './layer.js' */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/**
 * Returns the tokenizer after a change of the text: dictionary segments once a script without spaces appears, words again when it is gone.
 * Keeps a tokenizer that the reader has chosen in between.
 * @param {string} before
 * @param {string} after
 * @param {Settings['tokenizer']} tokenizer
 */
export function tokenizerFor(before, after, tokenizer) {
  const [was, is] = [UNSPACED.test(before), UNSPACED.test(after)]
  if (is && !was && tokenizer === 'words') return 'segments'
  return was && !is && tokenizer === 'segments' ? 'words' : tokenizer
}
