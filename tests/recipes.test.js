// The recipes of CONTRIBUTING.md name the files that an existing score and an existing mask really touch.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('..', import.meta.url)
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), 'utf8')
const contributing = read('CONTRIBUTING.md')

/** The files of a section of CONTRIBUTING.md. @param {string} title */
function filesOf(title) {
  const [, section] = contributing.split(new RegExp(`^## ${title}$`, 'm'))
  const steps = section.split('\n\n')[1]
  return [...steps.matchAll(/`((?:src|tests|docs)\/[\w./-]+)`/g)].map(([, path]) => path)
}

const sources = ['kernel', 'runtime', 'ops'].flatMap(folder =>
  readdirSync(new URL(`src/${folder}`, root)).map(name => `src/${folder}/${name}`),
)
/** The files that name a thing. @param {RegExp} name */
const naming = name =>
  [...sources, 'docs/attention.md', 'tests/reference.js', 'tests/reference-backward.js'].filter(
    path => /\.(c|h|js|md)$/.test(path) && !/README/.test(path) && name.test(read(path)),
  )

test('a score touches the files that CONTRIBUTING.md lists, at most nine, and no other', () => {
  const files = filesOf('Add a score')
  assert.ok(files.length <= 9)
  assert.deepEqual(naming(/gaussian/i).sort(), files.sort())
})

test('a mask touches the files that CONTRIBUTING.md lists, at most nine, and no other', () => {
  const files = filesOf('Add a mask')
  assert.ok(files.length <= 9)
  const isEither = (/** @type {string} */ path) => /mask\.[ch]$/.test(path)
  assert.deepEqual(
    naming(/keyLengths|key_lengths/)
      .filter(path => !isEither(path))
      .sort(),
    files.filter(path => !isEither(path)).sort(),
  )
  assert.ok(naming(/key_lengths/).some(isEither))
})
