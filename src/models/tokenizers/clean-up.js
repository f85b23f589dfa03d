// Removes the spaces that word-level tokenizers put before punctuation.

/** Replacements of a space before punctuation. @type {[string, string][]} */
const SIGNS = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
]

/** Cleans up like transformers' clean_up_tokenization_spaces. @param {string} text */
export const cleanUp = text => SIGNS.reduce((done, [from, to]) => done.replaceAll(from, to), text)

/** Cleans up like the Rust library's decoders, which also join "do not". @param {string} text */
export const cleaned = text => {
  const start = SIGNS.slice(0, 7).reduce((done, [from, to]) => done.replaceAll(from, to), text)
  return SIGNS.slice(7).reduce((done, [from, to]) => done.replaceAll(from, to), start.replaceAll(' do not', " don't"))
}
