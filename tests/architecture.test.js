// docs/architecture.svg and docs/architecture.md match the code: the boxes are the folders, imports run downwards, and the files and
// functions that the text names exist.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { importsOf } from './imports.js'

const root = new URL('..', import.meta.url)
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), 'utf8')
const isFolder = (/** @type {string} */ path) => statSync(new URL(path, root)).isDirectory()

/** Reads the boxes of a picture: for each, the paths it covers, its top and its bottom. @param {string} svg */
function boxesOf(svg) {
  const groups = [...svg.matchAll(/data-holds="([^"]+)">\s*<rect [^>]*y="(\d+)" width="\d+" height="(\d+)"/g)]
  return groups.map(([, holds, y, height]) => ({
    holds: holds.split(' '),
    top: Number(y),
    end: Number(y) + Number(height),
  }))
}

/** @typedef {ReturnType<typeof boxesOf>[number]} Box */

/** Returns the box of a file, the one with the longest matching path. @param {readonly Box[]} boxes @param {string} file */
function boxOf(boxes, file) {
  const holds = (/** @type {string} */ path) => path === file || file.startsWith(`${path}/`)
  const length = (/** @type {Box} */ box) => Math.max(0, ...box.holds.filter(holds).map(path => path.length))
  const found = boxes.reduce((best, box) => (length(box) > length(best) ? box : best))
  return length(found) ? found : undefined
}

/** Lists imports that leave their box and do not run downwards. @param {readonly Box[]} boxes @param {Record<string, string[]>} graph */
function upwardIn(boxes, graph) {
  return Object.entries(graph).flatMap(([file, imports]) =>
    imports
      .filter(path => boxOf(boxes, path) !== boxOf(boxes, file))
      .filter(path => !((boxOf(boxes, path)?.top ?? 0) >= (boxOf(boxes, file)?.end ?? Number.NaN)))
      .map(path => `${file} imports ${path}`),
  )
}

const boxes = boxesOf(read('docs/architecture.svg'))
const scripts = ['src', 'web'].flatMap(folder =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .map(name => `${folder}/${name}`),
)

test('the picture has a box for every folder, and no other', () => {
  const folders = ['src', 'web', 'web/rooms'].flatMap(folder =>
    readdirSync(new URL(folder, root))
      .map(name => `${folder}/${name}`)
      .filter(path => path !== 'web/rooms' && isFolder(path)),
  )
  const held = boxes.flatMap(({ holds }) => holds)
  assert.deepEqual(
    held.filter(path => !existsSync(new URL(path, root))),
    [],
  )
  assert.deepEqual(
    held.filter(path => path.includes('/') && isFolder(path)).sort(),
    folders.sort(),
    'left: the boxes, right: the folders',
  )
  assert.deepEqual(
    scripts.filter(file => !boxOf(boxes, file)),
    [],
  )
})

test('every import between boxes runs downwards in the picture', () => {
  const graph = Object.fromEntries(scripts.map(file => [file, importsOf(file, read(file))]))
  assert.ok(Object.values(graph).flat().length > 500)
  assert.deepEqual(upwardIn(boxes, graph), [])
})

test('an import that runs upwards, and one between rooms, are found', () => {
  const svg = [
    ['web/rooms/a', 0],
    ['web/rooms/b', 0],
    ['web/shell', 40],
  ].map(([path, y]) => `<g data-holds="${path}"> <rect x="0" y="${y}" width="9" height="30" />`)
  const graph = {
    'web/rooms/a/x.js': ['web/rooms/b/y.js', 'web/shell/z.js', 'web/rooms/a/w.js'],
    'web/shell/z.js': ['web/rooms/a/x.js'],
  }
  assert.deepEqual(upwardIn(boxesOf(svg.join('')), graph), [
    'web/rooms/a/x.js imports web/rooms/b/y.js',
    'web/shell/z.js imports web/rooms/a/x.js',
  ])
})

/** Returns the full path of each line of an indented tree. @param {string} tree */
function pathsOf(tree) {
  /** @type {string[]} */
  const at = []
  return tree.split('\n').map(line => {
    const [, indent, name] = /** @type {string[]} */ (/^( *)(\S+) +\S/.exec(line))
    at.splice(indent.length / 2, Infinity, name)
    return at.join('/')
  })
}

test('the tree of docs/architecture.md has a line for every folder of src, web and build, and no other', () => {
  const tree = /^```\n(src [\s\S]*?)\n```/m.exec(read('docs/architecture.md'))?.[1] ?? ''
  const below = (/** @type {string} */ folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .map(name => `${folder}/${name}`)
      .filter(path => !path.includes('node_modules') && isFolder(path))
  const folders = ['src', 'web', 'build'].flatMap(folder => [folder, ...below(folder)])
  assert.deepEqual(pathsOf(tree).sort(), [...folders, 'tests', 'docs'].sort(), 'left: the tree, right: the folders')
  assert.deepEqual(pathsOf('a  x\n  b  y\n    c  z\n  d  w'), ['a', 'a/b', 'a/b/c', 'a/d'])
})

test('each row of the tables of docs/architecture.md has one subject', () => {
  const text = read('docs/architecture.md')
  const tables = [...text.matchAll(/^\| (?:subject|change) \| files? \|\n.*\n((?:\|.*\n)+)/gm)]
  const rows = tables.flatMap(([, rows]) => rows.trim().split('\n'))
  assert.ok(rows.length > 200, `${rows.length} rows`)
  assert.deepEqual(
    rows.filter(row => row.includes(';')),
    [],
  )
})

test('files and functions that docs/architecture.md names exist', () => {
  const text = read('docs/architecture.md')
  const paths = [...text.matchAll(/`((?:src|web|tests|build|docs)\/[\w./-]*)`/g)].map(([, path]) => path)
  assert.ok(paths.length > 80, `${paths.length} paths`)
  assert.deepEqual(
    paths.filter(path => !existsSync(new URL(path, root))),
    [],
  )
  // The last two columns of each table list files and functions. Each function must occur in one of the files.
  const steps = [...text.matchAll(/^\|[^|]+\|([^|]+)\|([^|]+)\|$/gm)].map(([, files, names]) =>
    [files, names].map(cell => [...cell.matchAll(/`([\w./-]+)`/g)].map(([, each]) => each)),
  )
  assert.ok(steps.length > 25, `${steps.length} steps`)
  const missing = steps.flatMap(([files, names]) =>
    names
      .filter(name => !files.some(file => new RegExp(`\\b${name}\\b`).test(read(file))))
      .map(name => `${name} in ${files}`),
  )
  assert.deepEqual(missing, [])
})
