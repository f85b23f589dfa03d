/** Lower case, one character by one: JavaScript alone writes a sigma at the end of a word in another way. @param {string} text */
export const lower = text => text.replaceAll('\u03a3', '\u03c3').toLowerCase()
