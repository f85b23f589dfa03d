// The words of a long text: in lines, and found. No DOM.

/**
 * The first word of each line.
 * @param {readonly string[]} words
 * @param {number} room pixels of a line
 * @param {(word: string, index: number) => number} width
 */
export function breakLines(words, room, width) {
  const starts = [0]
  let used = 0
  words.forEach((word, i) => {
    const wide = width(word, i)
    if (used > 0 && used + wide > room) {
      starts.push(i)
      used = 0
    }
    used += wide
  })
  return starts
}

/** The words that hold a text, from the first on. @param {readonly string[]} tokens @param {string} text */
export function hitsOf(tokens, text) {
  const wanted = text.trim().toLowerCase()
  return wanted ? tokens.flatMap((token, i) => (token.toLowerCase().includes(wanted) ? [i] : [])) : []
}
