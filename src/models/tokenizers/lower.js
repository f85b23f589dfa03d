/** Lowercases character by character; JavaScript would treat a final sigma differently. @param {string} text */
export const lower = text => text.replaceAll('\u03a3', '\u03c3').toLowerCase()
