// Makes dist/elements.js, the views as custom elements, with all that they need in one file, and their types.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { publicTypes } from './types.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
await build({
  input: 'web/elements/index.js',
  platform: 'browser',
  output: { file: 'dist/elements.js', minify: true, comments: { legal: true } },
})
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.elements.json'], { stdio: 'inherit' })
writeFileSync('dist/elements.d.ts', publicTypes('dist/types'))
rmSync('dist/types', { recursive: true })
const bytes = readFileSync('dist/elements.js')
console.log(`dist/elements.js: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`)
