// Tests how a reader moves between heads, cells and words of the room "Models", and to the room "One layer".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { texts as models } from '../../web/i18n/en/models.js'
import { open, opened, openMade, selectCell, typeText, weightsOf } from './golden-models.js'
import { becomes, page, reads, url, usePage } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const TEXT = 'The cat that chased the dog'

/** @param {string} name @param {string} type @param {string} head */
async function openHead(name, type, head) {
  await open(name, type)
  await typeText(TEXT)
  await reads('.token-row-label', /(9|1\d) tokens/)
  await page.locator('#models-ranked button', { hasText: head }).click()
  await page.locator(`.models-head[data-head="${head}"] #models-map`).waitFor()
}

/** Waits until the address's hash matches, and returns it. @param {RegExp} pattern */
async function linkWith(pattern) {
  await page.waitForFunction(source => new RegExp(source).test(location.hash), pattern.source)
  return page.evaluate(() => location.hash)
}

const result = () => page.locator('.total output').innerText()

test('scores of the row and products of the score are cells that open; Back and Forward go between them', async () => {
  await openHead('qwen3-tiny-bf16', 'qwen3', '2.3')
  await selectCell(3, 2)
  await reads('#models-inspector h2', /that to at|to/)
  await page.locator('#models-row .factor').first().waitFor()
  const [title, weight] = [await page.innerText('#models-inspector h2'), await result()]
  // The page of another key of the same query shows the weight that the map shows.
  await page.locator('#models-row .factor').first().click()
  await page.waitForFunction(
    title =>
      document.querySelector('#models-inspector h2')?.textContent !== title && document.querySelector('.total output'),
    title,
  )
  await linkWith(/at=2\.3%3A4%3E(?!3)\d+/)
  /** Returns the map's weight at the key that the link names. */
  const linked = async () => {
    const { data, dims } = await weightsOf()
    const hash = await page.evaluate(() => location.hash)
    return data[3 * dims[1] + Number(/at=2\.3%3A4%3E(\d+)/.exec(hash)?.[1]) - 1]?.toFixed(4)
  }
  await becomes(async () => (await linked()) !== undefined, true)
  const first = String(await linked())
  await becomes(result, first)
  // A click on a product shows how its two factors were rotated.
  await page.locator('#models-products .factor').first().click()
  await page.locator('[data-side="q"]').waitFor()
  await page.click('#models-inspector-back')
  await page.locator('#models-row').waitFor()
  await page.click('#models-inspector-back')
  await reads('#models-inspector h2', new RegExp(title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  await reads('.total output', weight)
  await page.click('#models-inspector-forward')
  await reads('.total output', first)
  await becomes(() => page.isEnabled('#models-inspector-forward'), true)
  // A sentence explains why the head looks at this key. It names a head of an earlier layer, which opens at the weight by which that head read.
  await reads(
    '#models-reason',
    /^The score is a sum\. Its largest term, [+−]\d.* of .*, is .*, written at “that”, times .*, written at “/,
  )
  await page.locator('#models-reasons .addend-open').first().click()
  await reads('#models-inspector h2', /^Head 1\.\d, /)
  await page.click('#models-inspector-back')
  await reads('.total output', first)
  await page.locator('#models-reasons').waitFor()
})

test('what matters for the answer: a cell of the map of heads becomes a change, whose effect is shown beside the prediction of the map', async () => {
  await open('gpt2-tiny', 'gpt2')
  await page.click('#models-matters summary')
  await page.locator('#matters-heads canvas').waitFor()
  await page.locator('.matters [data-exact="3"]').first().waitFor()
  await page.locator('#matters-heads').evaluate(map => {
    map.dispatchEvent(new CustomEvent('cell-pin', { detail: { row: 1, column: 0 }, bubbles: true }))
  })
  await reads('#matters-foretold', /estimated ([+−]\d+\.\d+); together they change it by \1/)
  await page.fill('#matters-other', 'a text of another length, which is longer than the first one')
  await page.keyboard.press('Enter')
  await reads('#matters-lengths', /^Tokens of this text: \d+, of the other: \d+;/)
  await page.click('#models-matters summary')
})

test('Shift-click on a second head subtracts it from the first', async () => {
  await openHead('gpt2-tiny', 'gpt2', '2.2')
  await page.keyboard.press('Escape')
  await page.locator('#models-ranked').waitFor()
  const box = await page.locator('.atlas-maps').boundingBox()
  assert.ok(box)
  const click = async (/** @type {number} */ layer, /** @type {number} */ head) => {
    await page.keyboard.down('Shift')
    await page.mouse.click(box.x + (box.width * (head + 0.4)) / 4, box.y + (box.height * (layer + 0.4)) / 3)
    await page.keyboard.up('Shift')
  }
  await click(1, 0)
  await reads('#models-pointed', /Head 2\.1 is marked/)
  await click(0, 3)
  await reads('#models-likeness', models['modelsRankText.similar'])
  await page.locator('#models-difference').waitFor()
  await reads('.models-title', /Head 2\.1/)
  await becomes(() => page.inputValue('#models-minus'), '0.3')
})

for (const [name, type, head, isPlain] of /** @type {const} */ ([
  ['gpt2-tiny', 'gpt2', '2.2', true],
  ['mistral', 'mistral', '1.3', true],
  ['gemma2-tiny', 'gemma2', '1.3', false],
]))
  test(`a head of ${type} opens in One layer with ${isPlain ? 'queries, keys and values that give' : ''} the weights of the model, and a button leads back`, async () => {
    if (name === 'mistral') {
      await open('mistral-made', 'mistral')
      await typeText('5 9 13 5 9 17 20 31 7')
      await reads('.token-row-label', /9 tokens/)
      await page.locator('#models-ranked button', { hasText: head }).click()
      await page.locator('#models-map').waitFor()
    } else await openHead(name, type, head)
    const { data: want } = await weightsOf()
    await page.click('#models-open-layer')
    await page.locator('#back-to-room').waitFor()
    const isShown = async () => {
      const got = await page.evaluate(() => Array.from(/** @type {any} */ (document.querySelector('#map')).matrix.data))
      return got.length === want.length && got.every((weight, i) => Math.abs(Number(weight) - want[i]) <= 1e-5)
    }
    await becomes(isShown, true, 'One layer has the weights of the head')
    await becomes(() => page.innerText('#back-to-room'), new RegExp(`Back to Models, head ${head}`))
    await page.click('#back-to-room')
    await reads('.models-title', new RegExp(`Head ${head}`))
  })

test('generated tokens are in the link, one by one, and can be removed', async () => {
  await page.goto('about:blank')
  await page.goto(`${url}#2&room=models&models.checkpoint=stories`)
  await opened('')
  await typeText('Lily has a blue')
  await reads('.token-row-label', /^5 tokens|^4 tokens/)
  await page.fill('#models-count', '3')
  await page.keyboard.press('Enter')
  await page.click('#models-generate')
  await reads('#models-steps', /3 tokens generated/)
  await page.waitForFunction(() => /generated=\d+\.\d+\.\d+/.test(location.hash))
  await becomes(() => page.locator('.is-generated').count(), 3)
  const words = await page.locator('.word-button .token').allInnerTexts()
  const link = await page.evaluate(() => location.hash)
  await page.goto('about:blank')
  await page.goto(url + link)
  await reads('#models-steps', /3 tokens generated/)
  await page.waitForFunction(count => document.querySelectorAll('.word-button .token').length === count, words.length)
  await becomes(() => page.locator('.word-button .token').allInnerTexts(), words)
  await becomes(() => page.locator('.is-generated').count(), 3)
  await page.click('#models-forget')
  await page.waitForFunction(
    count => document.querySelectorAll('.word-button .token').length === count,
    words.length - 3,
  )
  await page.waitForFunction(() => !/generated/.test(location.hash))
})

test('a typed sentence is passed between One layer and Models', async () => {
  await opened('')
  await page.fill('#models-text', 'Lily has a ball')
  await reads('.token-row-label', /^5 tokens|^4 tokens/)
  await page.click('[data-room="layer"]')
  await page.waitForFunction(
    () => /** @type {HTMLInputElement | null} */ (document.querySelector('#sentence'))?.value === 'Lily has a ball',
  )
  await page.fill('#sentence', 'Tom has a red ball')
  await page.click('[data-room="models"]')
  await page.waitForFunction(
    () =>
      /** @type {HTMLTextAreaElement | null} */ (document.querySelector('#models-text'))?.value ===
      'Tom has a red ball',
  )
  // The text was copied to Models. Back in One layer, the text typed there is still shown.
  await page.click('[data-room="layer"]')
  await page.waitForFunction(
    () => /** @type {HTMLInputElement | null} */ (document.querySelector('#sentence'))?.value === 'Tom has a red ball',
  )
})

test('on a phone, maps of many heads in few layers do not scroll, and no minimap covers them', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openMade({ layers: 2, heads: 20, d: 80, vocab: 300, positions: 64 })
  const beyond = () =>
    page.locator('.atlas-scroll').evaluate(of => [of.scrollWidth - of.clientWidth, of.scrollHeight - of.clientHeight])
  await becomes(beyond, [0, 0])
  await becomes(() => page.locator('.atlas-minimap').count(), 0)
})

test('an atlas larger than its window has a minimap, which leads to every part; two fingers change its size', async () => {
  await open('gpt2-tiny', 'gpt2')
  await becomes(() => page.locator('.atlas-minimap').count(), 0)
  await page
    .locator('models-atlas')
    .evaluate(atlas => void atlas.dispatchEvent(new CustomEvent('atlas-size', { detail: 260 })))
  await page.locator('.atlas-minimap').waitFor()
  const at = () => page.evaluate(() => document.querySelector('.atlas-scroll')?.scrollLeft ?? 0)
  const before = await at()
  const box = await page.locator('.atlas-minimap').boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + box.width - 4, box.y + box.height - 4)
  await page.waitForFunction(before => (document.querySelector('.atlas-scroll')?.scrollLeft ?? 0) > before, before)
  await page.evaluate(() => {
    const maps = /** @type {HTMLElement} */ (document.querySelector('.atlas-maps'))
    const { left, top } = maps.getBoundingClientRect()
    const send = (/** @type {string} */ type, /** @type {number} */ pointerId, /** @type {number} */ x) =>
      maps.dispatchEvent(
        new PointerEvent(type, {
          pointerId,
          pointerType: 'touch',
          clientX: left + x,
          clientY: top + 50,
          bubbles: true,
        }),
      )
    send('pointerdown', 1, 100)
    send('pointerdown', 2, 300)
    send('pointermove', 2, 200)
    send('pointerup', 1, 100)
    send('pointerup', 2, 200)
  })
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('models-atlas')).side === 130)
  await becomes(() => page.locator('.models-title').count(), 0, 'a pinch opens no head')
})
