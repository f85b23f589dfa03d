// The page's files import one way, from what is specific to what is general; there are no circles.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))

/** Folders from general to specific: a file imports its own folder and those before it. */
const ORDER = ['elements', 'settings', 'models', 'compute', 'explain', 'formats', 'learn', 'i18n', 'views', '']

/** The files that a file imports, types aside. @param {string} file */
function importsOf(file) {
  const code = readFileSync(join(WEB, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
  const found = code.matchAll(/(?:from|import|import\(|new URL\()\s*'(\.[^']+\.js)'/g)
  return [...found].map(([, path]) => relative(WEB, resolve(WEB, dirname(file), path)))
}

const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.js'))
const graph = new Map(files.map(file => [file, importsOf(file)]))
const folderOf = (/** @type {string} */ file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '')

test('every import leads to a file of the same folder or of a more general one', () => {
  assert.ok(graph.size > 80, `${graph.size} files`)
  const upward = []
  for (const [file, imports] of graph) {
    const own = ORDER.indexOf(folderOf(file))
    assert.ok(own >= 0, `${file} stands in a folder of the order`)
    for (const other of imports) {
      const [src] = other.split('/')
      if (src === '..') continue // the package itself
      assert.ok(graph.has(other), `${file} imports ${other}, which exists`)
      if (ORDER.indexOf(folderOf(other)) > own) upward.push(`${file} -> ${other}`)
    }
  }
  assert.deepEqual(upward, [])
})

test('no file imports itself in a circle', () => {
  /** @type {Map<string, boolean>} true: on the way; false: done */
  const seen = new Map()
  const walk = (/** @type {string} */ file, /** @type {string[]} */ way) => {
    assert.ok(!seen.get(file), [...way.slice(way.indexOf(file)), file].join(' -> '))
    if (seen.has(file)) return
    seen.set(file, true)
    for (const other of graph.get(file) ?? []) walk(other, [...way, file])
    seen.set(file, false)
  }
  for (const file of files) walk(file, [])
})
