// Which tokenizer a text asks for. Pure.

/** @import { Settings } from './layer.js' */

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/**
 * The tokenizer after the text changed: a dictionary once a script without spaces comes in, spaces again when it is gone.
 * A choice that the reader made in between stays.
 * @param {string} before
 * @param {string} after
 * @param {Settings['tokenizer']} tokenizer
 */
export function tokenizerFor(before, after, tokenizer) {
  const [was, is] = [UNSPACED.test(before), UNSPACED.test(after)]
  if (is && !was && tokenizer === 'words') return 'segments'
  return was && !is && tokenizer === 'segments' ? 'words' : tokenizer
}
