// Random valid files tokenizer.json give the ids, types and texts of the Rust library, or are refused when they are opened.
// More of them: TOKENIZER_FILES=2000 TOKENIZER_SEED=1000 node --test tests/models/tokenizer-files.test.js

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from './tokenizers/compare.js'
import { randomFile, randomOf, TEXTS } from './tokenizers/random-files.js'

const count = Number(process.env.TOKENIZER_FILES ?? 120)
const first = Number(process.env.TOKENIZER_SEED ?? 1)

test(`of ${count} random files none differs from the Rust library in silence, and at most 5 % are refused`, async t => {
  /** @type {Map<string, number>} */
  const refused = new Map()
  for (let seed = first; seed < first + count; seed++) {
    const reason = await compare(randomFile(randomOf(seed)), TEXTS, seed)
    if (reason) refused.set(reason, (refused.get(reason) ?? 0) + 1)
  }
  for (const [reason, number] of refused) t.diagnostic(`${number} refused: ${reason}`)
  const all = [...refused.values()].reduce((a, b) => a + b, 0)
  assert.ok(all <= 0.05 * count, `${all} of ${count} refused`)
})
