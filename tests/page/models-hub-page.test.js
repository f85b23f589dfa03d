// Tests models of the hub in a browser, by keyboard: a name is typed, the size is shown, the model is kept and opens again without network, on a
// phone, in Chinese. A fake hub on a loopback port answers requests to the public hub.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { after, test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { bytesOf, startHub } from '../models/hub.js'
import { makeFolder } from '../models/made-folder.js'
import { beyond } from './browser.js'
import { filesOf } from './golden-files.js'
import { becomes, page, reads, url, usePage, violations } from './open.js'

const own = usePage({ hash: '#2&room=models' })
const files = Object.fromEntries(filesOf('gpt2-tiny').map(path => [basename(path), readFileSync(path)]))
const large = await bytesOf(makeFolder(await load(), 'F32', { vocab: 80_001 }).folder) // 24 MB: four blocks
const hub = await startHub({ 'openai-community/gpt2': { files }, 'me/large': { files: large } })
after(() => hub.close())

/** Answers a request to the public hub with the response of the fake hub. `fetch` follows redirects to the storage, because a route must not be fulfilled with a redirect. */
const answer = async (/** @type {import('playwright-core').Route} */ route) => {
  const request = route.request()
  const { pathname, search } = new URL(request.url())
  const { range } = request.headers()
  const found = await fetch(hub.url + pathname + search, { headers: range ? { range } : {} })
  const headers = { ...Object.fromEntries(found.headers), 'access-control-allow-origin': '*' }
  await route.fulfill({ status: found.status, headers, body: Buffer.from(await found.arrayBuffer()) })
}

test('a download shows its progress, rate and remaining time; Cancel ends it, and the open model stays', async () => {
  const context = page.context()
  /** Requests for later parts of the weights, which are not answered yet. @type {(() => void)[]} */
  const held = []
  await context.route('https://huggingface.co/**', async route => {
    const [, from] = /bytes=(\d+)/.exec(route.request().headers().range ?? '') ?? []
    if (Number(from) > 2 ** 23) await new Promise(resolve => held.push(() => resolve(undefined)))
    await answer(route).catch(() => {}) // the page may have cancelled the request
  })
  await page.locator('#models-answer').waitFor()
  await page.fill('#models-model', 'me/large')
  await page.keyboard.press('Enter')
  await reads('#models-size', /Download: 23 MB, once/)
  await page.click('#models-agree')
  await reads('.models-progress', /\d MB of 23 MB, .* a second, .* left/)
  await page.click('#models-cancel')
  await becomes(() => page.locator('.models-progress').count(), 0)
  await reads('#models-facts', /^llama/)
  for (const go of held) go()
  await page.click('#models-model')
  await page.click('[data-drop="me/large"]') // the part that had arrived was kept
  await becomes(() => page.locator('.models-kept').count(), 0)
  await context.unroute('https://huggingface.co/**')
  own.browser.complaints.splice(0) // complaints about requests to the hub
})

test('a name is typed, its size is shown before a download, it opens; the link opens it again without network, on a phone, in Chinese', async () => {
  const context = page.context()
  await context.route('https://huggingface.co/**', answer)
  await page.locator('#models-answer').waitFor()
  await page.focus('#models-model')
  await page.keyboard.press('ArrowDown')
  await page.locator('#models-options [role="option"]').first().waitFor()
  await becomes(async () => (await page.locator('#models-options [role="option"]').count()) >= 16, true)
  await reads('#models-privacy', /learns the name of the model.*does not learn your text/)
  assert.deepEqual(await violations(), [])
  await page.keyboard.type('openai-community/gpt2')
  await becomes(() => page.locator('#models-options [role="option"]').count(), 2)
  await page.keyboard.press('ArrowDown')
  await becomes(() => page.getAttribute('#models-model', 'aria-activedescendant'), 'models-option-0')
  await page.keyboard.press('Enter')
  await reads('#models-size', /gpt2, 106,416 parameters, licence: mit\. Download: 486 KB, once/)
  await reads('#models-time', /a text of 32 tokens takes about a second or less on this computer/)
  await becomes(() => page.isChecked('input[value="float16"]'), true)
  await reads('#models-facts', /^llama/, 'the model before stays open')
  assert.deepEqual(await violations(), [])
  await page.focus('#models-agree')
  await page.keyboard.press('Enter')
  await reads('#models-facts', /^gpt2.*float16/)
  await becomes(() => page.inputValue('#models-model'), 'openai-community/gpt2')
  await page.click('#models-look > summary')
  await page.click('#models-look-text')
  await reads('.models-known', /looks at the token before.*3\.3 \(2\.2\).*rank \d+ of 12 by previous token/)
  await reads('.models-known', /stops the copying heads from attending .*This page has no score for it\./)
  await page.waitForFunction(() => {
    const link = decodeURIComponent(location.hash)
    return (
      /checkpoint=hf:openai-community\/gpt2@[0-9a-f]{40}~/.test(link) &&
      /size=485558/.test(link) &&
      /prompt=When/.test(link)
    )
  })
  const hash = await page.evaluate(() => location.hash)
  assert.ok(!hub.asked.some(({ url }) => /Mary/.test(decodeURIComponent(url))), 'the text stays here')

  // Blocks all requests except those to the site itself.
  const asked = hub.asked.length
  await context.unroute('https://huggingface.co/**')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('about:blank')
  await context.route('https://huggingface.co/**', route => route.abort())
  await page.addInitScript(() => localStorage.setItem('qkv', JSON.stringify({ language: 'zh' })))
  await page.goto(url + hash)
  await reads('#models-facts', /^gpt2，3 × 4 头/)
  await becomes(() => page.inputValue('#models-text'), /^When Mary and John/)
  assert.equal(hub.asked.length, asked)
  await becomes(() => beyond(page), [])
  await page.click('#models-model')
  await reads('#models-options', /第一步.*语言模型/)
  await becomes(() => beyond(page), [])
  await page.click('[data-drop]')
  await becomes(() => page.locator('.models-kept').count(), 0)
  own.browser.complaints.splice(0) // complaints about requests to the hub
})
