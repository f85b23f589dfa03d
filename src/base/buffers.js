// Recognises ArrayBuffer and SharedArrayBuffer by their tag, because instanceof fails for buffers of jsdom or another window.

const tagOf = (/** @type {unknown} */ value) => Object.prototype.toString.call(value)

/** True if a value is a SharedArrayBuffer. @param {unknown} value @returns {value is SharedArrayBuffer} */
export const isShared = value => tagOf(value) === '[object SharedArrayBuffer]'

/** @param {unknown} value @returns {value is ArrayBuffer | ArrayBufferView<ArrayBuffer>} */
export const isBytes = value => ArrayBuffer.isView(value) || tagOf(value) === '[object ArrayBuffer]'
