// Tests that the link contains the whole state, and that no hash breaks the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printed } from './browser.js'
import { addressHash, becomes, follow, go, LAYER, page, reads, set, text, type, url, usePage } from './open.js'

usePage()

test('a link opens the saved state: sentence, edits, mask, head, pinned cell', async () => {
  await page.clock.install()
  await type('#sentence', 'two & three = 五 <b>')
  await set('mask', 'causal')
  await page.locator('qkv-heads').getByRole('radio').nth(1).click()
  await page.locator('[data-matrix="Wk"] [data-row="1"][data-column="0"]').click()
  await page.fill('#set', '-3')
  await page.keyboard.press('Enter')
  const before = await printed(page, 'weights')
  await page.clock.runFor(1000) // the address is written after a pause
  const hash = await addressHash()
  assert.match(hash, /^#2~/)
  assert.ok(hash.length < 250, `${hash.length} characters`)
  await go(hash)
  await becomes(() => page.locator('#sentence').inputValue(), 'two & three = 五 <b>')
  await becomes(() => printed(page, 'weights'), before)
  await becomes(async () => (await printed(page, 'Wk'))[2], '-3.0000')
  await reads('.steps-panel .of-head >> nth=0', /head 2/)
  await becomes(() => page.locator('.panel.is-open').count(), 1)
})

const NOISE = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 90))).join('')
const BAD = /** @type {const} */ ([
  ['cut short', '#2~abc&sentence=Li', /damaged/],
  ['of a later version', '#3~abc&planes=7', /newer/],
  ['100 kB of noise', `#${NOISE}`, /damaged/],
  ['100 kB of noise behind a version', `#2&${NOISE}`, /damaged/],
  ['with a field that is not known', '#2&__proto__=1', /damaged/],
  ['with an edit that is no number', '#2&edits=Wq.0.0.0:NaN', /damaged/],
  [
    'with tensors that lie about their size',
    '#2&model=imported&imported={"weights":{"dims":[2,2],"data":[1]}}',
    /damaged/,
  ],
])

test('a link that cannot be read gives a message and the first example', async () => {
  for (const [name, hash, message] of BAD) {
    await go(hash)
    await becomes(async () => (await text('.notice')) + (await text('.said')), message, name)
    await reads('.answer-first', /^is looks mostly at itself \(68\.7%\)/, name)
  }
})

test('invalid values of a link, and bad inputs, give a message beside their control, and the page stays; markup is text', async () => {
  await follow('#2&heads=99&seed=x&dModel=1e9')
  await reads('#heads-problem', /from 1 to 16/)
  await reads('#seed-problem', /whole number/)
  await reads('#dModel-problem', /from 1 to 512/)
  const markup = '<img src=x onerror=alert(1)>'
  await follow(`#2&sentence=${encodeURIComponent(markup)}`)
  await becomes(() => page.locator('.token').allTextContents(), markup.split(' '))
  await becomes(() => page.locator('img').count(), 0)

  await follow(LAYER)
  await type('#sentence', '')
  await reads('#sentence-problem', 'Type at least one word.')
  await becomes(() => page.locator('#sentence').getAttribute('aria-invalid'), 'true')
  await becomes(async () => (await printed(page, 'weights')).length, 36, 'the last input that worked is still there')
  await page.fill('#sentence', 'word '.repeat(5000))
  await reads('#sentence-problem', /up to 2048 tokens, but there are 5000/)
  await page.fill('#sentence', 'a'.repeat(100_000))
  await reads('#sentence-problem', /up to 60000 characters, but there are 100000/)
  for (const text of ['one', 'مرحبا بالعالم', 'e\u0301\u200d \u200b x', '👩‍👩‍👧‍👦 🏳️‍🌈 ok']) {
    await page.fill('#sentence', text)
    await reads('#sentence-problem', '', text)
    await becomes(async () => (await printed(page, 'weights')).every(x => /^\d\.\d{4}$/.test(x)), true, text)
  }
  for (const seed of ['', 'x', '1.5', '18446744073709551616', '-9223372036854775809']) {
    await set('seed', seed)
    await reads('#seed-problem', /whole number/, `seed ${seed}`)
  }
  await set('seed', '18446744073709551615')
  await reads('#seed-problem', '')
})

test('a message covers no control on a wide screen, in windows of 1440 and 1210', async () => {
  for (const width of [1440, 1210]) {
    await page.setViewportSize({ width, height: 900 })
    // Loads a new page, because an open one would soon replace the address by that of its first example.
    await page.goto('about:blank')
    await page.goto(`${url}#2&room=models&models.head=1.2`, { waitUntil: 'commit' })
    await page.locator('.said span').waitFor()
    const covered = await page.evaluate(() => {
      const box = /** @type {Element} */ (document.querySelector('.said')).getBoundingClientRect()
      return Array.from(document.querySelectorAll('button, a, select, summary, input, textarea'))
        .filter(control => !control.closest('.said') && control.checkVisibility({ opacityProperty: true }))
        .filter(control => {
          const own = control.getBoundingClientRect()
          return own.left < box.right && own.right > box.left && own.top < box.bottom && own.bottom > box.top
        })
        .map(control => control.textContent)
    })
    assert.deepEqual(covered, [], `${width}`)
  }
})
