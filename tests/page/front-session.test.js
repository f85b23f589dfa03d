// Tests the session of the front door without a browser.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from 'qkv'
import { FIRST, storyOf } from '../../web/rooms/front/pronoun-story.js'
import { handlers } from '../../web/rooms/front/session.js'

const folder = new URL('../../web/trained/stories/', import.meta.url)
const names = ['config.json', 'tokenizer.json', 'model.safetensors']
const urls = Object.fromEntries(names.map(name => [name, new URL(name, folder).href]))

test('the model is loaded once, also when the story changes while it is loaded, and again when that failed', async t => {
  /** @type {string[]} */
  const fetched = []
  let isOffline = true
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ url, /** @type {RequestInit} */ options) => {
    fetched.push(url)
    await new Promise(resolve => setTimeout(resolve))
    options?.signal?.throwIfAborted()
    if (isOffline) throw new TypeError('no network')
    return new Response(readFileSync(new URL(url)))
  })
  const { tell } = handlers(await load())
  const run = { progress() {}, emit() {}, transfer: [] }
  const request = { urls, story: storyOf(/** @type {any} */ (FIRST)) }
  const first = new AbortController()
  const { signal } = new AbortController()
  await assert.rejects(async () => tell(request, { ...run, signal }), /no network/)
  assert.equal(fetched.splice(0).length, 3)
  isOffline = false
  const cancelled = assert.rejects(async () => tell(request, { ...run, signal: first.signal }))
  first.abort()
  const told = await tell(request, { ...run, signal })
  await cancelled
  assert.equal(fetched.length, 3)
  assert.ok(told.all.top.length > 0)
})
