// OTHER_BUILD=/folder node --import ./tests/other-build.js: the wasm files of the folder replace those of src with the same names.

import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const fs = /** @type {any} */ (process.getBuiltinModule('node:fs/promises'))
const { readFile } = fs
const src = fileURLToPath(new URL('../src/', import.meta.url))
fs.readFile = (/** @type {any} */ file, /** @type {any[]} */ ...rest) => {
  const path = file instanceof URL ? fileURLToPath(file) : String(file)
  const other = join(process.env.OTHER_BUILD ?? '', basename(path))
  return readFile(path.startsWith(src) && path.endsWith('.wasm') && existsSync(other) ? other : file, ...rest)
}
syncBuiltinESMExports()
