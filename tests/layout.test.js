// The layout shows the data flow: imports run one way, from what is specific to what is general, and never in a circle.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importsOf } from './imports.js'

const root = new URL('..', import.meta.url)

/** Folders and files in their order: each imports from those before it, and from itself. */
const ORDER = {
  src: [
    'base',
    'wasm-source.js',
    'runtime',
    'relaxed.js',
    'threads',
    'ops',
    'layers',
    'qkv.js',
    'load.js',
    'tokenize.js',
    'cache.js',
    'nn',
    'onnx.js',
    'nn.js',
    'models',
    'models.js',
    'train',
    'train.js',
    'index.js',
  ],
  web: ['elements', 'i18n', 'files', 'shell', 'head', 'rooms', 'main.js'],
}

/** @typedef {Record<string, string[]>} Graph files that each file imports */

/** @param {string} folder @returns {Graph} */
function graphOf(folder) {
  const names = readdirSync(new URL(folder, root), { recursive: true }).map(name => `${folder}/${name}`)
  const files = names.filter(name => name.endsWith('.js') && !name.includes('node_modules'))
  return Object.fromEntries(files.map(file => [file, importsOf(file, readFileSync(new URL(file, root), 'utf8'))]))
}

/** Circles, as their files in alphabetical order. @param {Graph} graph */
function circlesOf(graph) {
  /** @type {Set<string>} */
  const circles = new Set()
  /** @type {Set<string>} */
  const done = new Set()
  /** @param {string} file @param {string[]} path */
  const visit = (file, path) => {
    const at = path.indexOf(file)
    if (at >= 0) circles.add(path.slice(at).sort().join(' '))
    if (at >= 0 || done.has(file)) return
    for (const next of graph[file] ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of Object.keys(graph)) visit(file, [])
  return [...circles].sort()
}

/** Imports that run against the order. @param {Graph} graph @param {string} folder @param {readonly string[]} order */
function upwardOf(graph, folder, order) {
  const rank = (/** @type {string} */ file) => order.indexOf(file.slice(folder.length + 1).split('/')[0])
  return Object.entries(graph).flatMap(([file, imports]) => {
    assert.ok(rank(file) >= 0, `${file} has no place in the order of this test`)
    const wrong = imports.filter(path => !path.startsWith(`${folder}/`) || rank(path) > rank(file))
    return wrong.map(path => `${file} imports ${path}`)
  })
}

for (const [folder, order] of Object.entries(ORDER)) {
  const graph = graphOf(folder)

  test(`${folder}: every import is of a file that exists, and runs from the specific to the general`, () => {
    assert.ok(Object.values(graph).flat().length > 50, 'imports are found')
    const files = Object.keys(graph)
    assert.deepEqual(
      [...new Set(Object.values(graph).flat())].filter(path => !files.includes(path)),
      [],
    )
    assert.deepEqual(upwardOf(graph, folder, order), [])
  })

  test(`${folder}: no file imports itself, over whatever others`, () => {
    assert.deepEqual(circlesOf(graph), [])
  })
}

/** The headers of its own folder that each C file includes. @param {string} folder @returns {Graph} */
function includesOf(folder) {
  const names = readdirSync(new URL(folder, root)).filter(name => /\.[ch]$/.test(name))
  return Object.fromEntries(
    names.map(name => {
      const source = readFileSync(new URL(`${folder}/${name}`, root), 'utf8')
      return [
        `${folder}/${name}`,
        Array.from(source.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm), ([, file]) => `${folder}/${file}`),
      ]
    }),
  )
}

/** The files that define the functions that each C file calls. @param {string} folder @returns {Graph} */
function callsOf(folder) {
  const names = readdirSync(new URL(folder, root)).filter(name => name.endsWith('.c'))
  const sources = names.map(name =>
    readFileSync(new URL(`${folder}/${name}`, root), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
  )
  /** The file of each function that others can call. @type {Map<string, string>} */
  const owners = new Map()
  sources.forEach((source, n) => {
    for (const [, exported, plain] of source.matchAll(
      /^(?!static|typedef|#)\w[\w *]*?\b(?:QKV_EXPORT\((\w+)\)|(\w+))\([^;{]*\)\s*\{/gm,
    ))
      owners.set(exported ?? plain, `${folder}/${names[n]}`)
  })
  return Object.fromEntries(
    sources.map((source, n) => {
      const file = `${folder}/${names[n]}`
      const called = Array.from(source.matchAll(/\b(\w+)(?=\()/g), ([name]) => owners.get(name) ?? file)
      return [file, [...new Set(called)].filter(other => other !== file)]
    }),
  )
}

test('src/kernel: every include is of a file that exists, and no header includes itself, over whatever others', () => {
  const graph = includesOf('src/kernel')
  const all = Object.values(graph).flat()
  assert.ok(all.length > 40, 'includes are found')
  assert.deepEqual(
    all.filter(path => !(path in graph)),
    [],
  )
  assert.deepEqual(circlesOf(graph), [])
})

test('src/kernel: no file calls itself over others', () => {
  const graph = callsOf('src/kernel')
  assert.ok(Object.values(graph).flat().length > 15, 'calls are found')
  const known = 'src/kernel/linear.c src/kernel/linear_decode.c' // ends with the split of linear.c
  assert.deepEqual(
    circlesOf(graph).filter(circle => circle !== known),
    [],
  )
})

test('a circle, an upward import and an import of another tree are found', () => {
  const graph = { 'x/a/1.js': ['x/b/2.js'], 'x/b/2.js': ['x/b/3.js', 'y/4.js'], 'x/b/3.js': ['x/a/1.js'] }
  assert.deepEqual(circlesOf(graph), ['x/a/1.js x/b/2.js x/b/3.js'])
  assert.deepEqual(upwardOf(graph, 'x', ['a', 'b']), ['x/a/1.js imports x/b/2.js', 'x/b/2.js imports y/4.js'])
  const source = `import { a } from './a.js'\n/** @type {import('./no.js').A} */\nexport {\n  b,\n} from '../b.js'\nimport './c.js'\nconst d = await import('./d.js') // from './no.js'`
  assert.deepEqual(
    importsOf('x/y/z.js', source),
    ['x/y/a.js', 'x/b.js', 'x/y/c.js', 'x/y/d.js', 'x/y/no.js'].slice(0, 4),
  )
})
