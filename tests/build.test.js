// build.sh is reproducible. The test is slow, so only npm run test:all runs it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(join(root, path))
const wasm = read('src/qkv.wasm')
const integers = read('src/qkv.integers.wasm')

test('building gives the same bytes again, and does nothing when nothing changed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'qkv-build-'))
  const out = join(directory, 'qkv.wasm')
  const build = () => execFileSync(join(root, 'build.sh'), [out], { encoding: 'utf8' })
  try {
    const said = build()
    assert.match(said, /qkv\.wasm: \d+ bytes, \d+ gzipped/)
    assert.ok(readFileSync(out).equals(wasm), `src/qkv.wasm, ${wasm.length} bytes, is what build.sh makes: ${said}`)
    assert.ok(readFileSync(join(directory, 'qkv.integers.wasm')).equals(integers), said)
    const { mtimeMs } = statSync(out)
    assert.equal(build(), '')
    assert.equal(statSync(out).mtimeMs, mtimeMs)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
