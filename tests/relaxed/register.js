// node --import ./tests/relaxed/register.js: loads the build with relaxed SIMD instead of qkv.wasm.

import { syncBuiltinESMExports } from 'node:module'

const fs = /** @type {any} */ (process.getBuiltinModule('node:fs/promises'))
const { readFile } = fs
fs.readFile = (/** @type {any} */ file, /** @type {any[]} */ ...rest) =>
  readFile(
    String(file).endsWith('src/qkv.wasm') ? new URL('../../src/qkv.relaxed.wasm', import.meta.url) : file,
    ...rest,
  )
syncBuiltinESMExports()
