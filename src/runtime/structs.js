// Writes the structs of src/kernel/qkv.h (abi.js) from JavaScript, and names the status values of kernels.

/**
 * The argument that a kernel rejected, by the status that it returned. The JavaScript layer checks arguments first, so a rejected one is a
 * bug of qkv.
 */
export const STATUS = ['', 'heads', 'score', 'softmax axis', 'masking', 'id', 'range', 'rope', 'weights']

/**
 * Returns the index of each word of a struct by name. A misspelt name is a type error.
 * @template {string} W
 * @param {readonly W[]} words
 */
export const indices = words =>
  /** @type {{ readonly [K in W]: number }} */ (Object.fromEntries(words.map((word, index) => [word, index])))

/**
 * A struct: its words in order, and which of them are floats.
 * @template {string} W
 * @typedef {{ readonly words: readonly W[], readonly floats: readonly string[] }} Struct
 */

/**
 * Writes a struct into memory of the current call.
 * @template {string} W
 * @param {import('./memory.js').Core} core
 * @param {Struct<W>} struct
 * @param {Readonly<Record<NoInfer<W>, number>>} fields
 * @returns {number} its address
 */
export function writeStruct(core, { words, floats }, fields) {
  const address = core.alloc(words.length * 4)
  let at = address / 4
  for (const name of words) (floats.includes(name) ? core.floats : core.words)[at++] = fields[name]
  return address
}
