// Removes spaces before signs, which tokenizers of whole words put between tokens.

/** What removes the spaces that stand before signs of a sentence. @type {[string, string][]} */
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

/** As transformers' clean_up_tokenization_spaces. @param {string} text */
export const cleanUp = text => SIGNS.reduce((done, [from, to]) => done.replaceAll(from, to), text)

/** As the Rust library's decoders, which join "do not", too. @param {string} text */
export const cleaned = text => {
  const start = SIGNS.slice(0, 7).reduce((done, [from, to]) => done.replaceAll(from, to), text)
  return SIGNS.slice(7).reduce((done, [from, to]) => done.replaceAll(from, to), start.replaceAll(' do not', " don't"))
}
