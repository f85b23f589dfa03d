/** Escapes a text for a regular expression. @param {string} text */
export const literal = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
