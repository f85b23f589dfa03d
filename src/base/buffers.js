// Tells ArrayBuffer and SharedArrayBuffer by their tag, not by instanceof: jsdom and iframes have other classes.

const tagOf = (/** @type {unknown} */ value) => Object.prototype.toString.call(value)

/** True if it is memory that threads share. @param {unknown} value */
export const isShared = value => tagOf(value) === '[object SharedArrayBuffer]'

/** @param {unknown} value @returns {value is ArrayBuffer | ArrayBufferView<ArrayBuffer>} */
export const isBytes = value => ArrayBuffer.isView(value) || tagOf(value) === '[object ArrayBuffer]'
