// Builds site/qkv.html, the page as one file with everything inlined. It can be opened from a disk and works offline.

import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { singleFile } from './site.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const built = await build({
  configFile: 'vite.config.js',
  logLevel: 'warn',
  // Each worker becomes one file, which the build then drops, because the page also works without workers.
  worker: { format: 'iife', rolldownOptions: { output: { codeSplitting: false } } },
  build: {
    write: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
})
if (!('output' in built)) throw new Error('vite built something else than one page')
const text = (/** @type {string} */ end) => {
  const found = built.output.filter(({ fileName }) => fileName.endsWith(end) && !/worker/.test(fileName))
  if (found.length !== 1)
    throw new Error(`${found.length} files end in ${end}: ${found.map(({ fileName }) => fileName)}`)
  const [file] = found
  return file.type === 'chunk' ? file.code : String(file.source)
}
const page = `${singleFile(text('.html'), text('.js'), text('.css'), text('.svg'))}\n<!--\n${text('.txt')}\n-->\n`
mkdirSync('site', { recursive: true })
writeFileSync('site/qkv.html', page)
console.log(`site/qkv.html: ${page.length} bytes, ${gzipSync(page, { level: 9 }).length} gzipped`)
