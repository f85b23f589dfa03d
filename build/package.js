// Makes dist/, what the package ships: the sources as one small module, the worker that threads run, the wasm file, the
// public types, the elements. Prints the size of the package.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { publicTypes } from './types.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
copyFileSync('src/qkv.wasm', 'dist/qkv.wasm')

// Classes keep their names: they stand in error messages.
const minify = {
  compress: true,
  codegen: true,
  mangle: { toplevel: true, keepNames: { class: true, function: false } },
}
// All but what is ONNX's own stands in core.js, for both entries: one file is smaller, compressed, than two.
const chunks = { groups: [{ name: 'core', test: /src\/(?!onnx)/ }] }
const output = { dir: 'dist', minify, chunkFileNames: 'core.js', codeSplitting: chunks }
await build({ input: ['src/index.js', 'src/onnx.js'], platform: 'neutral', output })
await build({ input: 'src/threads/worker.js', platform: 'neutral', output: { file: 'dist/worker.js', minify } })

execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json'], { stdio: 'inherit' })
writeFileSync('dist/index.d.ts', publicTypes('dist/types', 'index'))
writeFileSync('dist/onnx.d.ts', publicTypes('dist/types', 'onnx', 'index'))
rmSync('dist/types', { recursive: true })
execFileSync(process.execPath, ['build/elements.js'], { stdio: 'inherit' })

const pack = ['pack', '--dry-run', '--json', '--ignore-scripts']
const [{ size }] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
const gzipped = ['index.js', 'core.js', 'worker.js', 'qkv.wasm'].map(
  name => gzipSync(readFileSync(`dist/${name}`), { level: 9 }).length,
)
console.log(
  `dist: module, worker and wasm ${gzipped.join(' + ')} = ${gzipped.reduce((a, b) => a + b)} bytes gzipped; ` +
    `the package with types, README and elements ${size}`,
)
