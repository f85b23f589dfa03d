// Imports run one way, from the specific to the general, and never in a circle.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importsOf } from './imports.js'

const root = new URL('..', import.meta.url)

/** Folders and files in order. Each may import from those before it; a folder also from itself. */
const ORDER = {
  src: [
    'base',
    'wasm-source.js',
    'wasm-bytes.js',
    'runtime',
    'integers.js',
    'relaxed.js',
    'threads',
    'ops',
    'qkv.js',
    'load.js',
    'layers',
    'models',
    'corpus',
    'train',
    'interpret',
    'entries',
  ],
  web: ['elements', 'i18n', 'files', 'shell', 'ui', 'attention-head', 'rooms', 'exercises', 'main.js'],
}

/** Headers of src/kernel in order. Kernels without a header come after all of them, and no other file uses such a kernel. */
const HEADERS = [
  'qkv',
  'simd',
  'rows',
  'exp',
  'mask',
  'random',
  'activation',
  'score',
  'tile',
  'query_rows',
  'texts',
  'summary',
  'decode',
  'linear_output',
  'linear_pack',
  'linear_streams',
  'linear_blocks',
  'integer_tile',
  'linear_bytes',
  'linear_integer',
  'linear_decode',
]

/** @typedef {Record<string, string[]>} Graph maps each file to the files that it imports */

/** @param {string} folder @returns {Graph} */
function graphOf(folder) {
  const names = readdirSync(new URL(folder, root), { recursive: true }).map(name => `${folder}/${name}`)
  const files = names.filter(name => name.endsWith('.js') && !name.includes('node_modules'))
  return Object.fromEntries(files.map(file => [file, importsOf(file, readFileSync(new URL(file, root), 'utf8'))]))
}

/** Lists import cycles, each as its files in alphabetical order. @param {Graph} graph */
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

/** Lists imports that run against the order. @param {Graph} graph @param {string} folder @param {readonly string[]} order */
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

  test(`${folder}: no file imports itself, not even over others`, () => {
    assert.deepEqual(circlesOf(graph), [])
  })
}

/**
 * Returns which other parts each part of the kernels uses. A part is a .c file with its header. It uses the headers that it includes and the
 * files that define the functions it calls.
 * @param {Record<string, string>} sources by file name
 * @returns {Graph}
 */
function kernelGraphOf(sources) {
  const partOf = (/** @type {string} */ file) => file.replace(/\.[ch]$/, '')
  /** @type {Map<string, string>} */
  const definedIn = new Map()
  const codes = Object.entries(sources).map(([file, source]) => {
    const code = source.replace(/\/\*[\s\S]*?\*\//g, '')
    const definitions = code.matchAll(/^(?!static|INLINE)[\w *]*?\b(?:QKV_EXPORT\((\w+)\)|(\w+))\([^;{]*\) \{/gm)
    for (const [, exported, name = exported] of definitions) definedIn.set(name, partOf(file))
    return /** @type {const} */ ([partOf(file), code])
  })
  /** @type {Graph} */
  const graph = {}
  for (const [part, code] of codes) {
    const included = Array.from(code.matchAll(/#include "(\w+)\.h"/g), ([, name]) => name)
    const called = Array.from(code.matchAll(/\b(\w+)\(/g), ([, name]) => definedIn.get(name) ?? part)
    const others = part === 'qkv' ? [] : [...included, ...called].filter(name => name !== part)
    graph[part] = [...new Set([...(graph[part] ?? []), ...others])].sort()
  }
  return graph
}

/** Lists parts of the kernels that use a part that comes later in the order. @param {Graph} graph @param {readonly string[]} headers */
function upwardKernelsOf(graph, headers) {
  const rank = (/** @type {string} */ part) => (headers.includes(part) ? headers.indexOf(part) : headers.length)
  return Object.entries(graph).flatMap(([part, others]) => {
    const wrong = others.filter(name => rank(name) >= rank(part))
    return wrong.map(name => `${part} takes from ${name}`)
  })
}

test('src/kernel: what a file includes or calls lies below it, and there is no circle', () => {
  const folder = new URL('src/kernel/', root)
  const files = readdirSync(folder).filter(name => /\.[ch]$/.test(name))
  const graph = kernelGraphOf(
    Object.fromEntries(files.map(name => [name, readFileSync(new URL(name, folder), 'utf8')])),
  )
  assert.deepEqual(circlesOf(graph), [])
  const headers = files.filter(name => name.endsWith('.h')).map(name => name.slice(0, -2))
  assert.deepEqual([...HEADERS].sort(), headers.sort())
  assert.ok(Object.values(graph).flat().length > 50, 'includes are found')
  assert.deepEqual(upwardKernelsOf(graph, HEADERS), [])
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

test('a circle of C files and an upward include are found', () => {
  const graph = kernelGraphOf({
    'qkv.h': 'uint32_t qkv_sum(void); /* #include "a.h" */',
    'a.h': '#include "qkv.h"',
    'a.c': '#include "a.h"\nuint32_t QKV_EXPORT(qkv_sum)(void) { return 0; }',
    'b.h': '#include "a.h"\nint second(int, int);',
    'b.c': '#include "b.h"\n#include "c.h"\nint second(int x, int y) { return first(); }',
    'c.h': '#include "qkv.h"\nint first(void);',
    'c.c': '#include "c.h"\n\nint first(void) {\n  return second(1,\n    2); }',
    'd.c': '#include "qkv.h"\nstatic uint32_t twice(void) { return 2 * qkv_sum(); }',
  })
  assert.deepEqual(graph, { qkv: [], a: ['qkv'], b: ['a', 'c'], c: ['b', 'qkv'], d: ['a', 'qkv'] })
  assert.deepEqual(circlesOf(graph), ['b c'])
  assert.deepEqual(upwardKernelsOf(graph, ['qkv', 'a', 'b', 'c']), ['b takes from c'])
  assert.deepEqual(upwardKernelsOf({ d: ['e'], e: [] }, ['qkv']), ['d takes from e'])
})

/** The folders of our code, without the tests. */
const NAMED = ['src', 'web', 'build']
const namesIn = (/** @type {string} */ folder) =>
  readdirSync(new URL(folder, root), { recursive: true }).map(name => `${folder}/${name}`)

/** Matches a spread object or array literal, whose parts could be written in place. Does not match one on which a method is called. */
const SPREAD = /\.\.\.(\{[^{}]*\}|\[[^[\]]*\])(?!\s*[.[\]])/
const isSpread = (/** @type {string} */ line) => SPREAD.test(line.replace(/\/?\*.*$/, ''))

test('no literal is spread', () => {
  assert.ok(isSpread('f({ ...{ a, b }, c })') && isSpread('[...[1, 2], 3]'))
  assert.ok(!isSpread('[...[1, 2].map(f), ...list, ...(x && { a })]') && !isSpread('{ ...rest }'))
  const files = [...NAMED, 'tests'].flatMap(namesIn)
  const own = files.filter(name => name.endsWith('.js') && !/node_modules|goldens|layout\.test/.test(name))
  const found = own.flatMap(name => {
    const lines = readFileSync(new URL(name, root), 'utf8').split('\n')
    return lines.flatMap((line, i) => (isSpread(line) ? `${name}:${i + 1} ${line.trim()}` : []))
  })
  assert.deepEqual(found, [])
})
