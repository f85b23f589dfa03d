// Tests the packed package in the machine's Node and in one bundler's build. `npm run test:runtimes` tries all others.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { launch } from '../browser/browsers.js'
import { check, checkPage, makeProject, serve } from './project.js'

const { folder, run, remove } = makeProject()
after(remove)

for (const [word, file] of [
  ['imported', 'main.mjs'],
  ['required', 'main.cjs'],
])
  test(`${word} in Node ${process.version}: the numbers are right, the bits of 200 results those of the sources`, () =>
    check(JSON.parse(run(process.execPath, ['--no-warnings', `node/${file}`]))))

test('with two threads: the same', () => {
  const answer = JSON.parse(run(process.execPath, ['node/threads.mjs']))
  assert.equal(answer.threads, 2)
  check(answer)
})

test('built by Vite, in a page of Chromium and in its worker: the same', { timeout: 400_000 }, async t => {
  const vite = new URL('../../node_modules/vite/bin/vite.js', import.meta.url).pathname
  run(process.execPath, [vite, 'build', 'bundled', '--outDir', '../vite', '--base', './', '--logLevel', 'warn'])
  const server = await serve(join(folder, 'vite'))
  t.after(server.close)
  const browser = await launch('chromium')
  t.after(browser.close)
  await checkPage(browser, server.url, true)
})
