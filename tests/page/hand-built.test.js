// Tests hand-built heads in the page: their kinds, their link and the sentences about them. layer-numbers.test.js tests their numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, plain, printed } from './browser.js'
import { addressHash, becomes, choose, go, page, reads, set, type, usePage } from './open.js'

usePage()
/** @param {number} head */
async function pick(head) {
  await page.locator('qkv-heads').getByRole('radio').nth(head).click()
  await page
    .locator('.steps-panel .of-head', { hasText: `head ${head + 1}` })
    .first()
    .waitFor()
}

test('the induction head predicts the next word', async () => {
  await choose('handBuilt')
  await reads('.answer-first', /^the₅ looks almost only at cat₂ \(99\.2%\)/)
  const output = (await printed(page, 'output')).map(Number)
  const words = ['and', 'cat', 'sat', 'slept', 'the']
  for (const [row, next] of /** @type {const} */ ([
    [4, 'cat'],
    [5, 'sat'],
  ])) {
    const line = output.slice(row * 5, row * 5 + 5)
    assert.equal(words[line.indexOf(Math.max(...line))], next)
    assert.ok(Math.max(...line) > 0.95)
  }
  const columns = await page.locator('[data-matrix="output"] .column-name').allTextContents()
  assert.deepEqual(columns.map(plain), words)
})

test('kinds are picked for each head and travel in a link', async () => {
  await choose('handBuilt')
  await set('heads', '2')
  await set('hand-built-0', 'same')
  await set('hand-built-1', 'first')
  await set('mask', 'none')
  await type('#sentence', 'a b a a')
  // The score is 8 for the key that this kind of head selects, 0 for the three others.
  const sum = Math.exp(8) + 3
  const row = (/** @type {number} */ at) => [0, 1, 2, 3].map(j => (Math.exp(j === at ? 8 : 0) / sum).toFixed(4))
  const check = async () => {
    for (const [head, at] of [1, 0].entries()) {
      await pick(head)
      await becomes(async () => (await printed(page, 'weights')).slice(4, 8), row(at), `head ${head + 1}`)
    }
  }
  await check()
  await page.waitForFunction(() => location.hash.includes('sentence=a+b+a+a'))
  await go(await addressHash())
  await check()
  const link = (await addressHash()).replace(/~\w+/, '')
  await go(link.replace('handBuilt=same.first', 'handBuilt=same.nonsense'))
  await becomes(() => page.locator('.said').getAttribute('data-message'), 'linkDamaged')
})

test('their numbers are explained, and a sentence too long for them is refused', async () => {
  await choose('handBuilt')
  await cell(page, 'Wq', 0, 0).click()
  await reads('.panel .steps', /Built by hand/)
  await cell(page, 'X', 1, 1).click()
  await reads('.panel .steps', /1 if the token has this position/)
  await page.fill('#sentence', 'word '.repeat(129))
  await reads('#sentence-problem', /up to 128 tokens, but there are 129/)
})
