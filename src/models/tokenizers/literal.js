/** A text, escaped where JavaScript's syntax needs it. @param {string} text */
export const literal = text => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
