// node --import ./tests/relaxed/register.js: whoever loads qkv.wasm gets the build with relaxed SIMD.

import { syncBuiltinESMExports } from 'node:module'

const fs = /** @type {any} */ (process.getBuiltinModule('node:fs/promises'))
const { readFile } = fs
fs.readFile = (/** @type {any} */ file, /** @type {any[]} */ ...rest) =>
  readFile(
    String(file).endsWith('src/qkv.wasm') ? new URL('../../src/qkv.relaxed.wasm', import.meta.url) : file,
    ...rest,
  )
syncBuiltinESMExports()
