// Runs test files with another build of the wasm files (other-build.js).

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tests = fileURLToPath(new URL('.', import.meta.url))

/**
 * Runs Node without the environment variables of the test runner and of coverage.
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export const node = (args, env) =>
  spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_V8_COVERAGE: '', SHARE: '0.2', ...env },
  })

/**
 * Fails unless the tests of a file pass with the wasm files of a folder. Returns the number of tests run.
 * @param {string} folder
 * @param {string} file
 * @param {{ names?: string, flags?: string[] }} [options] names: a pattern of the tests to run
 */
export function passesWith(folder, file, { names, flags = [] } = {}) {
  const only = names ? [`--test-name-pattern=${names}`] : []
  const register = join(tests, 'other-build.js')
  const run = node([...flags, '--import', register, ...only, join(tests, file)], { OTHER_BUILD: folder })
  const passed = Number(run.stdout.match(/^# pass (\d+)$/m)?.[1])
  assert.ok(run.status === 0 && passed > 0, `${run.stdout.slice(-3000)}\n${run.stderr.slice(-3000)}`)
  return passed
}
