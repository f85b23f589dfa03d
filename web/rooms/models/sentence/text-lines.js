// Breaks the words of a long text into lines, and searches them. No DOM.

/**
 * Returns the index of the first word of each line.
 * @param {readonly string[]} words
 * @param {number} room width of a line in pixels
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

/** Returns the indices of words that contain a text, in order. @param {readonly string[]} tokens @param {string} text */
export function hitsOf(tokens, text) {
  const wanted = text.trim().toLowerCase()
  return wanted ? tokens.flatMap((token, i) => (token.toLowerCase().includes(wanted) ? [i] : [])) : []
}
