// Reads which files a source imports, for the tests of the layout.

import { posix } from 'node:path'

/** Returns the files that a source imports, without those that only its comments import for types. @param {string} file @param {string} source */
export function importsOf(file, source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  const found = code.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)
  return [...found].map(([, path]) => posix.join(posix.dirname(file), path)).filter(path => path.endsWith('.js'))
}
