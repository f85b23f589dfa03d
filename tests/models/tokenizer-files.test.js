// Random valid tokenizer.json files give the ids, types and texts of the Rust library, or are refused when they are opened.
// To run more: TOKENIZER_FILES=2000 TOKENIZER_SEED=1000 node --test tests/models/tokenizer-files.test.js

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tokenizer as Native } from '@anush008/tokenizers'
import { compile, cut } from '../../src/models/tokenizers/patterns.js'
import { compare, compareDecoding } from './tokenizers/compare.js'
import { randomCharacters, randomFile, randomOf, randomPattern, randomTexts, TEXTS } from './tokenizers/random-files.js'

const count = Number(process.env.TOKENIZER_FILES ?? 120)
const first = Number(process.env.TOKENIZER_SEED ?? 1)
/** Seeds of files that differed in the past, or at which the Rust library crashed, found among 80,000. */
const FOUND = [700218, 802511, 2005525, 43535471, 43555283, 43710015]

test(`of ${count} random files none silently differs from the Rust library, and at most 5 % are refused`, async t => {
  /** @type {Map<string, number>} */
  const refused = new Map()
  const seeds = Array.from({ length: count }, (_, n) => first + n)
  for (const seed of [...FOUND, ...seeds]) {
    const json = randomFile(randomOf(seed))
    const reason = await compare(json, [...TEXTS, ...randomTexts(randomOf(-seed), json)], seed)
    await compareDecoding(json, seed)
    if (reason && seeds.includes(seed)) refused.set(reason, (refused.get(reason) ?? 0) + 1)
  }
  for (const [reason, number] of refused) t.diagnostic(`${number} refused: ${reason}`)
  const all = [...refused.values()].reduce((a, b) => a + b, 0)
  assert.ok(all <= 0.05 * count, `${all} of ${count} refused`)
})

test('random patterns cut texts as Oniguruma does, or are refused', t => {
  const counts = { equal: 0, refused: 0, both: 0 }
  const model = { type: 'WordLevel', vocab: { u: 0 }, unk_token: 'u' }
  for (const seed of [708378, 43612594, ...Array.from({ length: 10 * count }, (_, n) => first + n)]) {
    const random = randomOf(seed)
    const Regex = randomPattern(random)
    const split = { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }
    const own = (() => {
      try {
        return compile({ Regex }, 'pre_tokenizer')
      } catch (error) {
        assert.match(
          /** @type {Error} */ (error).message,
          /^tokenizer\.json: pre_tokenizer: the pattern .* is not covered/,
        )
        return undefined
      }
    })()
    const native = /** @type {import('@anush008/tokenizers').PreTokenizer | null | undefined} */ (
      (() => {
        try {
          return Native.fromString(JSON.stringify({ version: '1.0', added_tokens: [], pre_tokenizer: split, model }))
        } catch {
          return undefined // an invalid pattern, or a look-behind that Oniguruma does not support
        }
      })()?.getPreTokenizer()
    )
    if (!own || !native) {
      counts[native ? 'refused' : 'both']++
      continue
    }
    counts.equal++
    for (let n = 0; n < 5; n++) {
      const text = randomCharacters(random)
      /** @type {string[]} */
      const want = native.preTokenizeString(text).flatMap(([part]) => part || [])
      /** @type {string[]} */
      const got = cut(own, text).flatMap(part => part.text || [])
      assert.deepEqual(got, want, JSON.stringify([seed, Regex, text]))
    }
  }
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.equal > 3 * count)
})
