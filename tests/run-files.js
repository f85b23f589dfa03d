// Runs test files in a few processes (next-files.js). The slowest files run first, so that none of them runs alone at the end.
//   node tests/run-files.js [--at-once N] FILE...

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Files that take more than a tenth of the time of their suite, the slowest first (measured 2026-11-27). */
const LONGEST = [
  'package',
  'build',
  'relaxed',
  'models/head-graph',
  'models/hub',
  'models/token-calls',
  'page/exercise-page',
  'page/learn-room',
  'page/browsers',
  'page/answers',
  'page/cut',
  'page/questions',
  'page/learn',
  'page/learn-stories',
  'page/behaviours',
]

const { values, positionals } = parseArgs({
  options: { 'at-once': { type: 'string', default: '1' } },
  allowPositionals: true,
})
/** Returns the rank of a file in LONGEST; files that it does not list come last. @param {string} file */
const place = file => {
  const found = LONGEST.findIndex(name => file.endsWith(`tests/${name}.test.js`))
  return found < 0 ? LONGEST.length : found
}
const files = positionals.sort((a, b) => place(a) - place(b)).map(file => resolve(file))

const folder = mkdtempSync(join(tmpdir(), 'qkv-tests-'))
writeFileSync(join(folder, 'list'), files.join('\n'))
process.env.TEST_FILES = folder
const tests = fileURLToPath(new URL('.', import.meta.url))
const count = Math.min(Number(values['at-once']), files.length)
const events = run({ files: Array(count).fill(join(tests, 'next-files.js')), concurrency: count })
events.on('test:fail', () => {
  process.exitCode = 1
})
/** The seconds that each file took. @type {[string, number][]} */
const seconds = []
events.on('test:complete', ({ name, nesting, details }) => {
  if (nesting === 1) seconds.push([name, details.duration_ms / 1000])
})
const report = events.compose(spec)
report.pipe(process.stdout)
report.on('end', () => {
  const ended = seconds.map(([name]) => join(tests, name))
  const others = files.filter(file => !ended.includes(file))
  const begun = others.filter(file => existsSync(join(folder, String(files.indexOf(file)))))
  rmSync(folder, { recursive: true })
  if (others.length) {
    console.log(
      `Files that did not end: ${begun.map(file => relative('', file)).join(', ')}; ${others.length - begun.length} did not begin.`,
    )
    process.exitCode = 1
  }
  const lines = seconds.sort(([, a], [, b]) => b - a).map(([name, took]) => `${took.toFixed(1).padStart(7)} s ${name}`)
  console.log(['Seconds of each file:', ...lines].join('\n'))
})
