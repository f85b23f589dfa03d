// Measures the download size of a file of dist/: minified, as by a user's bundler, and gzipped.

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { minifySync } from 'rolldown/utils'

/** Returns the bytes of a gzipped file, minified before if it is a module. @param {string} path */
export function minifiedSize(path) {
  const bytes = readFileSync(path)
  if (!path.endsWith('.js')) return gzipSync(bytes, { level: 9 }).length
  const { code, errors } = minifySync(path, String(bytes), { module: true })
  if (errors.length) throw new Error(`${path}: ${errors[0].message}`)
  return gzipSync(code, { level: 9 }).length
}
