// A compiler of 2025 compiles the kernels without a warning, and its build passes the numeric tests.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { passesWith } from './other-builds.js'

const folder = mkdtempSync(join(tmpdir(), 'qkv-clang-'))
after(() => rmSync(folder, { recursive: true }))

test('clang 19 compiles the kernels with warnings as errors', t => {
  const build = fileURLToPath(new URL('../build.sh', import.meta.url))
  const env = { ...process.env, CI: '1' }
  t.diagnostic(execFileSync(build, ['--clang', '19', join(folder, 'qkv.wasm')], { encoding: 'utf8', env }))
})

for (const [file, names] of Object.entries({
  goldens: '',
  kernels: '',
  rope: '',
  backward: '',
  linear: '',
  summary: '',
  'int8-cache': '',
  threads: 'has the same bits',
}))
  test(`built by clang 19, the tests of ${file}.test.js pass${names && ` that are about ${names}`}`, t => {
    t.diagnostic(`${passesWith(folder, `${file}.test.js`, { names })} tests`)
  })
