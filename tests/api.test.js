// docs/api.md matches the types.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { page } from '../build/api.js'

test('docs/api.md lists the calls of the types; npm run api writes it', () => {
  assert.equal(readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8'), page())
})

test('each row is a call or a property with its type', () => {
  const rows = page()
    .split('\n')
    .filter(line => /^\| `/.test(line))
  assert.ok(rows.length > 200, `${rows.length} rows`)
  for (const row of rows) assert.match(row, /^\| `\w+(\(.*?\))?` \| `[^`]+` \| .*\|$/)
})
