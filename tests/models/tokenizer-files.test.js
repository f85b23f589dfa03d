// Random valid files tokenizer.json give the ids, types and texts of the Rust library, or are refused when they are opened.
// More of them: TOKENIZER_FILES=2000 TOKENIZER_SEED=1000 node --test tests/models/tokenizer-files.test.js

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tokenizer as Native } from '@anush008/tokenizers'
import { readJSON } from '../../src/models/source.js'
import { openTokenizer } from '../../src/models/tokenizer.js'
import { randomFile, randomOf, TEXTS } from './tokenizers/random-files.js'

const count = Number(process.env.TOKENIZER_FILES ?? 120)
const first = Number(process.env.TOKENIZER_SEED ?? 1)

/** A folder of JSON files in memory. @param {Record<string, unknown>} files @returns {import('../../src/models/source.js').Folder} */
const folderOf = files => ({
  open: async name => {
    if (!(name in files)) return undefined
    const bytes = new TextEncoder().encode(JSON.stringify(files[name]))
    return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to) }
  },
  names: () => Object.keys(files),
  close: async () => {},
})

/** @param {Record<string, unknown>} files */
const open = async files =>
  /** @type {import('../../src/models/tokenizer.js').TextTool} */ (
    await openTokenizer(folderOf(files), readJSON, undefined, 'llama')
  )

/** What a call returns, or that it fails. @param {() => unknown} call */
async function resultOf(call) {
  try {
    return await call()
  } catch {
    return 'an error'
  }
}

/** @param {any} json @param {number} seed @returns {Promise<string | undefined>} the reason of a refusal */
async function compare(json, seed) {
  const native = Native.fromString(JSON.stringify(json))
  const isLeft = seed % 2 === 1
  const files = { 'tokenizer.json': json, 'tokenizer_config.json': isLeft ? { truncation_side: 'left' } : {} }
  let own
  try {
    own = await open(files)
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    assert.match(
      message,
      /^tokenizer\.json: .* is not covered\. Load the model with \{ tokenizer: false \} and give ids$/,
    )
    return message
  }
  for (const [n, text] of TEXTS.entries()) {
    const pair = n % 3 ? undefined : TEXTS[(n * 7 + seed) % TEXTS.length]
    const most = n % 5 === 4 ? 12 + ((n * seed) % 9) : undefined
    const where = JSON.stringify([seed, text, pair, most])
    if (most) native.setTruncation(most, { direction: /** @type {any} */ (isLeft ? 'left' : 'right') })
    else native.disableTruncation()
    const want = await resultOf(async () => {
      const encoded = await native.encode(text, pair ?? null)
      return { ids: encoded.getIds(), types: encoded.getTypeIds() }
    })
    const got = await resultOf(() => {
      const { ids, tokenTypeIds } = own.encode(text, pair, Infinity, most)
      return { ids, types: tokenTypeIds ?? /** @type {any} */ (want).types }
    })
    assert.deepEqual(got, want, where)
    if (typeof want === 'string') continue
    const { ids } = /** @type {{ ids: number[] }} */ (want)
    for (const isBare of [true, false]) assert.equal(own.decode(ids, isBare), await native.decode(ids, isBare), where)
    if (n % 10 === 0) checkStream(own, ids, where)
  }
  return undefined
}

/** What a stream has shown is never changed by the ids that follow. @param {Awaited<ReturnType<typeof open>>} own @param {number[]} ids @param {string} where */
function checkStream(own, ids, where) {
  let shown = ''
  for (let n = 1; n <= ids.length; n++) {
    const whole = own.decode(ids.slice(0, n), true)
    if (n < ids.length && own.isOpen(ids.slice(0, n), whole)) continue
    assert.ok(whole.startsWith(shown), `${where}: ${JSON.stringify([shown, whole])}`)
    shown = whole
  }
}

test(`of ${count} random files none differs from the Rust library in silence, and at most 5 % are refused`, async t => {
  /** @type {Map<string, number>} */
  const refused = new Map()
  for (let seed = first; seed < first + count; seed++) {
    const reason = await compare(randomFile(randomOf(seed)), seed)
    if (reason) refused.set(reason, (refused.get(reason) ?? 0) + 1)
  }
  for (const [reason, number] of refused) t.diagnostic(`${number} refused: ${reason}`)
  const all = [...refused.values()].reduce((a, b) => a + b, 0)
  assert.ok(all <= 0.05 * count, `${all} of ${count} refused`)
})
