// Validates the settings of sentence-transformers' modules; errors name the file.

import { describe } from '../../base/errors.js'

/** @param {unknown} json @param {string} file @returns {Record<string, any>} */
export function expectObject(json, file) {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new TypeError(`${file}: expected an object, got ${describe(json)}`)
}

/** @param {string} file @param {string} key @param {unknown} value @param {string} covered @returns {never} */
export function refuse(file, key, value, covered) {
  throw new RangeError(`${file}: ${key} ${describe(value)} is not covered; covered: ${covered}`)
}

/**
 * Throws unless a module reads and writes embeddings. The last module may write the scores of a cross-encoder instead.
 * @param {unknown} config
 * @param {string} file
 * @param {boolean} [isLast]
 * @returns {boolean} true if the module writes scores
 */
export function checkInput(config, file, isLast = false) {
  const { module_input_name: input, module_output_name: output } = expectObject(config ?? {}, file)
  if (isLast && output === 'scores' && [undefined, null, 'sentence_embedding'].includes(input)) return true
  for (const [key, name] of Object.entries({ module_input_name: input, module_output_name: output }))
    if (![undefined, null, 'sentence_embedding'].includes(name)) refuse(file, key, name, 'sentence_embedding')
  return false
}
