// Tests the time from a key to its picture. tests/test.sh starts this file last and alone, so that nothing else slows it down.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { go, page, usePage } from './open.js'
import { CASES, hashOf, idle, median, shows, typing, yardstick } from './typing.js'

usePage()

test('a key is answered within four times of what a blank page takes to write 32 x 32 numbers; its result at 512 x 8 is there within 24', async t => {
  for (const each of CASES.filter(({ name }) => /first screen|causal/.test(name))) {
    const blank = await yardstick(page)
    await go(hashOf(each))
    await shows(page, each.tokens)
    await idle(page)
    const strokes = (await typing(page, 'abcdefghij')).slice(3) // the first ones warm up
    const [paint, result] = [strokes.map(stroke => stroke.paint), strokes.map(stroke => stroke.result)].map(median)
    const said = `${each.name}: ${paint.toFixed(0)} ms, with its numbers ${result.toFixed(0)} ms, a blank page ${blank.toFixed(0)} ms`
    t.diagnostic(said)
    assert.ok(paint <= 4 * blank, said)
    assert.ok(result <= (each.tokens === 512 ? 24 : 4) * blank, said)
  }
})

test('no key adds a child to <body>, which would restyle the whole page', async () => {
  const each = /** @type {import('./typing.js').Case} */ (CASES.find(({ tokens }) => tokens === 512))
  await go(hashOf(each))
  await shows(page, each.tokens)
  await page.evaluate(() => {
    const added = /** @type {string[]} */ ([])
    Object.assign(window, { added })
    new MutationObserver(records => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node instanceof Element) added.push(node.outerHTML)
    }).observe(document.body, { childList: true })
  })
  await typing(page, 'ab')
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).added), [])
})
