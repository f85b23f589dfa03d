// Compares the tokenizer of a folder with the Rust library.

import assert from 'node:assert/strict'
import { Tokenizer as Native } from '@anush008/tokenizers'
import { readJSON } from '../../../src/models/source/source.js'
import { openTokenizer } from '../../../src/models/tokenizers/tokenizer.js'
import { randomOf } from './random-files.js'

/** @import { TextTool } from '../../../src/models/tokenizers/tokenizer.js' */

/**
 * Opens a tokenizer of files in memory.
 * @param {Record<string, unknown>} files JSON, or text, by name
 * @param {string} [type] the model_type
 * @param {string} [named] the tokenizer_class of config.json
 */
export async function openFiles(files, type = 'llama', named) {
  /** @type {import('../../../src/models/source/source.js').Folder} */
  const folder = {
    open: async name => {
      if (!(name in files)) return undefined
      const content = files[name]
      const bytes = new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content))
      return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to) }
    },
    names: () => Object.keys(files),
    close: async () => {},
  }
  return /** @type {TextTool} */ (await openTokenizer(folder, readJSON, undefined, type, named))
}

/** Returns the result of a call, or 'an error' if it throws. @param {() => unknown} call */
async function resultOf(call) {
  try {
    return await call()
  } catch {
    return 'an error'
  }
}

/**
 * Throws if ids, types or texts differ from those of the Rust library. Some texts are encoded as pairs, some are truncated.
 * @param {any} json tokenizer.json
 * @param {readonly string[]} texts
 * @param {number} seed chooses pairs, and how they are truncated
 * @returns {Promise<string | undefined>} the reason, if the file is refused
 */
export async function compare(json, texts, seed) {
  const native = Native.fromString(JSON.stringify(json))
  const isLeft = seed % 2 === 1
  let own
  try {
    own = await openFiles({
      'tokenizer.json': json,
      'tokenizer_config.json': isLeft ? { truncation_side: 'left' } : {},
    })
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    assert.match(
      message,
      /^tokenizer\.json: .* is not covered\. Load the model with \{ tokenizer: false \} and give ids$/,
    )
    return message
  }
  for (const [n, text] of texts.entries()) {
    const pair = n % 3 ? undefined : texts[(n * 7 + seed) % texts.length]
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

/**
 * Decodes random ids, which need not be the encoding of any text. Throws if the texts differ from those of the Rust library.
 * @param {any} json tokenizer.json
 * @param {number} seed
 */
export async function compareDecoding(json, seed) {
  const native = Native.fromString(JSON.stringify(json))
  const own = await openFiles({ 'tokenizer.json': json }).catch(() => undefined)
  if (!own) return
  const random = randomOf(seed)
  const { vocab } = json.model
  const all = [
    ...(Array.isArray(vocab) ? vocab.keys() : Object.values(vocab)),
    ...json.added_tokens.map((/** @type {{ id: number }} */ token) => token.id),
  ]
  for (let n = 0; n < 12; n++) {
    const ids = Array.from({ length: 1 + random.below(9) }, () => random.pick(all))
    const where = JSON.stringify([seed, ids])
    for (const isBare of [true, false]) assert.equal(own.decode(ids, isBare), await native.decode(ids, isBare), where)
    checkStream(own, ids, where)
  }
}

/**
 * Compares files that may not be valid. Counts those that both libraries open with equal results, those that only qkv refuses, and those that both
 * refuse. Throws if only the Rust library refuses a file, if ids or texts differ, or if an error does not name the file.
 * @param {Iterable<[name: string, json: any]>} files
 * @param {readonly string[]} texts
 */
export async function compareOpening(files, texts) {
  const counts = { equal: 0, refused: 0, both: 0 }
  for (const [name, json] of files) {
    const native = await resultOf(() => Native.fromString(JSON.stringify(json)))
    const own = await openFiles({ 'tokenizer.json': json }).catch(error => String(error.message))
    if (typeof own === 'string') {
      assert.match(own, /^tokenizer\.json/, name)
      counts[native instanceof Native ? 'refused' : 'both']++
      continue
    }
    assert.ok(native instanceof Native, `${name}: the Rust library refuses it`)
    native.disableTruncation()
    native.disablePadding()
    for (const text of texts) {
      const want = await resultOf(async () => (await native.encode(text, text)).getIds())
      const got = await resultOf(() => own.encode(text, text, Infinity).ids)
      assert.deepEqual(got, want, `${name}: ${JSON.stringify(text)}`)
      if (Array.isArray(want)) assert.equal(own.decode(want, true), await native.decode(want, true), name)
    }
    counts.equal++
  }
  return counts
}

/** Fails if later ids change text that a stream has already yielded. @param {TextTool} own @param {number[]} ids @param {string} where */
function checkStream(own, ids, where) {
  let shown = ''
  for (let n = 1; n <= ids.length; n++) {
    const whole = own.decode(ids.slice(0, n), true)
    if (n < ids.length && own.isOpen(ids.slice(0, n), whole)) continue
    assert.ok(whole.startsWith(shown), `${where}: ${JSON.stringify([shown, whole])}`)
    shown = whole
  }
}
