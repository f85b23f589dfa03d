// Runs test files in this process, one after the other, until none is left. run-files.js starts several processes of this module, which
// share one list, so that modules are loaded and browsers are started once per process rather than once per file.

import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import './at-end.js'

const tests = fileURLToPath(new URL('.', import.meta.url))
const folder = process.env.TEST_FILES ?? ''
const files = readFileSync(join(folder, 'list'), 'utf8').split('\n')

/** Claims the test file at index `place` of the list. Returns false if another process has claimed it. @param {number} place */
function take(place) {
  try {
    closeSync(openSync(join(folder, String(place)), 'wx'))
    return true
  } catch {
    return false
  }
}

const environment = Object.assign({}, process.env)
/** Restores environment variables that a file has changed. */
function restore() {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

test('files', async () => {
  for (const [place, file] of files.entries()) {
    if (!take(place)) continue
    // After ten minutes, the timeout ends a file that hangs.
    await describe(relative(tests, file), { timeout: 600_000 }, () => import(pathToFileURL(file).href))
    restore()
  }
})
