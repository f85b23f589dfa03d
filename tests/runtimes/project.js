// Makes a project in a separate folder, with the packed package installed by npm, and the small programs of projects/, which all give the same
// answer.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { load } from '../../src/entries/index.js'
import { results } from './projects/results.js'

/** @typedef {{ printed: string, hashes: Record<string, number> }} Answer */

const root = fileURLToPath(new URL('../..', import.meta.url))
const PRINTED = `tensor([[1.0000, 0.0000],
        [0.1192, 0.8808]])
tensor([[3.0000],
        [3.8808]])`

/** The expected answer, computed from the sources in the machine's Node. */
const wanted = results(await load())

/** Checks that an answer has the printed numbers and the bits of 200 results. @param {Answer} answer */
export function check(answer) {
  assert.equal(answer.printed, PRINTED)
  assert.equal(Object.keys(answer.hashes).length, 200)
  const different = Object.entries(wanted.hashes).filter(([name, hash]) => answer.hashes[name] !== hash)
  assert.deepEqual(
    different.map(([name]) => name),
    [],
  )
}

export function makeProject() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-runtimes-'))
  /** @param {string} command @param {string[]} args @param {string} [cwd] @returns what it printed */
  function run(command, args, cwd = folder) {
    const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 300_000 })
    if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? status}\n${stdout}\n${stderr}`)
    return stdout
  }
  cpSync(fileURLToPath(new URL('projects', import.meta.url)), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }')
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz'))
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`])
  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Returns a free port of this machine. @returns {Promise<number>} */
export const freePort = () =>
  new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })

/** Serves all files of a folder. @param {string} folder @param {Record<string, string>} [headers] */
export async function serve(folder, headers = {}) {
  const setHeaders = (/** @type {import('node:http').ServerResponse} */ response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  }
  const server = createServer(sirv(folder, { dev: true, setHeaders }))
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/**
 * Opens a page and checks its answer, and that of its worker.
 * @param {import('../browser/browsers.js').Browser} browser
 * @param {string} url
 * @param {boolean} hasWorker
 */
export async function checkPage(browser, url, hasWorker) {
  const page = await browser.open(url)
  await page.until(() => 'answer' in globalThis)
  const globals = hasWorker ? ['answer', 'workerAnswer'] : ['answer']
  for (const name of globals) check(await page.evaluate(key => /** @type {any} */ (globalThis)[key], name))
  assert.deepEqual(browser.complaints, [])
  await page.close()
}
