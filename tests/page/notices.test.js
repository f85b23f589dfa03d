// Tests that the licences of bundled packages are shipped. The notices of the package and of the site must name every package that the files or their
// source maps mention.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(`${root}/${path}`, 'utf8')

/** @param {string[]} sources @returns {string[]} */
const packages = sources => [
  ...new Set(sources.flatMap(source => source.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [])),
]

/** Packages that compute the values of web/elements/ramps.js at build time, and so do not occur in the bundles. */
const MADE_OF = [...read('web/elements/ramps.js').matchAll(/ from '([^.'][^']*)'/g)].map(([, name]) => name)

/** @param {string} text of the notices @param {string[]} sources of the bundles */
function check(text, sources) {
  const wanted = packages(sources)
  assert.ok(wanted.includes('lit-html'), `the bundles hold ${wanted}`)
  assert.ok(MADE_OF.includes('d3-scale-chromatic'))
  for (const name of new Set([...wanted, ...MADE_OF])) {
    const folder = `node_modules/${name}`
    const { version } = JSON.parse(read(`${folder}/package.json`))
    const file = readdirSync(`${root}/${folder}`).find(found => /^licen[cs]e/i.test(found))
    assert.ok(text.includes(`\n${name} ${version} (`), `${name} ${version} is named`)
    assert.ok(text.includes(read(`${folder}/${file}`).trim()), `the licence of ${name} is there`)
  }
  assert.match(text, /ColorBrewer Color Schemes[\s\S]*Apache License, Version 2\.0/)
}

test('the notices of the package have the licence of every package in its files', () => {
  const files = readdirSync(`${root}/dist`, { recursive: true, encoding: 'utf8' })
  const sources = files.flatMap(name => {
    if (name.endsWith('.map')) return JSON.parse(read(`dist/${name}`)).sources
    return name.endsWith('.js') ? (read(`dist/${name}`).match(/(?<=^\/\/(?:#region)? ).*node_modules.*$/gm) ?? []) : []
  })
  check(read('dist/THIRD_PARTY_NOTICES'), sources)
})

test('the notices of the site have the licence of every package in its files', async () => {
  const built = await build({
    configFile: `${root}/vite.config.js`,
    logLevel: 'silent',
    build: { write: false, sourcemap: true },
  })
  assert.ok('output' in built)
  const maps = built.output.flatMap(file => {
    if (file.type === 'chunk') return file.map?.sources ?? []
    return file.fileName.endsWith('.map') ? JSON.parse(String(file.source)).sources : []
  })
  check(read('site/THIRD_PARTY_NOTICES.txt'), maps)
  assert.ok(read('site/qkv.html').includes('lit-html 3'), 'the page in one file has them inside')
})
