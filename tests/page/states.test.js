// Tests that no state breaks a room. states/all.js runs in a separate process, because it fakes a browser and makes the tasks of Learn small.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('actions in any order leave every room without a fault', () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const file = fileURLToPath(new URL('states/all.js', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', file], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
  assert.match(stdout, /^ℹ pass [1-9]/m, 'tests ran')
})
