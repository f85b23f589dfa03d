// Runs test files as `node --test` does, those that take longest first, so that none of them runs alone at the end.
//   node tests/run-files.js [--at-once N] [--failed FILE] FILE...
// --failed writes the files in which a test failed to a file, a line each.

import { createWriteStream } from 'node:fs'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import failedFiles from './failed-files.js'

/** Files that take more than a tenth of the time of their part, the longest first (measured 2026-11-26). */
const LONGEST = [
  'package',
  'abi',
  'relaxed',
  'models/head-graph',
  'models/hub',
  'page/exercise-page',
  'page/answers',
  'page/learn-room',
  'page/browsers',
]

const { values, positionals } = parseArgs({
  options: { 'at-once': { type: 'string', default: '1' }, failed: { type: 'string' } },
  allowPositionals: true,
})
/** Its place among the longest; those that are not listed come after them. @param {string} file */
const place = file => {
  const found = LONGEST.findIndex(name => file.endsWith(`tests/${name}.test.js`))
  return found < 0 ? LONGEST.length : found
}
const files = positionals.sort((a, b) => place(a) - place(b)).map(file => resolve(file))

// A test that hangs ends after ten minutes.
const events = run({ files, concurrency: Number(values['at-once']), timeout: 600_000 })
events.on('test:fail', () => {
  process.exitCode = 1
})
/** The seconds that each file took. @type {[string, number][]} */
const seconds = []
events.on('test:complete', ({ name, details }) => {
  if (files.includes(name)) seconds.push([relative('tests', name), details.duration_ms / 1000])
})
const report = events.compose(spec)
report.pipe(process.stdout)
if (values.failed) events.compose(failedFiles).pipe(createWriteStream(values.failed))
report.on('end', () => {
  const lines = seconds.sort(([, a], [, b]) => b - a).map(([name, took]) => `${took.toFixed(1).padStart(7)} s ${name}`)
  console.log(['Seconds of each file:', ...lines].join('\n'))
})
