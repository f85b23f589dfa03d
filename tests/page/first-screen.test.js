// Tests the numbers and the size of the first screen of One layer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectNumbers } from './article-goldens.js'
import { beyond, plain, printed, settled } from './browser.js'
import { becomes, choose, chooseView, go, page, reads, set, type, until, usePage } from './open.js'
import { words } from './typing.js'

const SENTENCE = 'Life is short, eat dessert first'
usePage()

test('the first screen shows sentence, tokens, all heads, one of them large and its strongest link; another head can be chosen', async () => {
  await becomes(() => page.locator('#sentence').inputValue(), SENTENCE)
  for (const selector of ['#sentence', '.token-row', '.answer-first', 'qkv-heads', '#map', '.panel .total']) {
    await becomes(
      async () => {
        const box = await page.locator(selector).first().boundingBox()
        return box && box.height > 10 && box.y >= 0 && box.y + box.height <= 900
      },
      true,
      `${selector} is on the first screen`,
    )
  }
  await becomes(
    async () => (await page.locator('.token-row-words button').allTextContents()).map(plain),
    ['Life1', 'is2', 'short3', 'eat4', 'dessert5', 'first6'],
    'with their positions',
  )
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 4)
  await reads('.answer-first', /^is looks mostly at itself \(68\.7%\)/)
  await reads('#seen', /random: nothing here is trained/)
  await until(async () => {
    const onMap = await page.locator('#map').evaluate(map => Array.from(/** @type {any} */ (map).matrix.data, Number))
    expectNumbers(
      onMap.map(x => x.toFixed(4)),
      'attn_weights',
    )
  })
  // Four heads give the outputs of the article.
  await until(async () => expectNumbers(await printed(page, 'joined'), 'MultiHeadAttentionWrapper-4'))
  const joined = await printed(page, 'joined')
  for (const head of [2, 1]) {
    await page.locator('qkv-heads').getByRole('radio').nth(head).click()
    await becomes(
      () => printed(page, 'output'),
      joined.filter((_, i) => i % 4 === head),
      `output of head ${head + 1}`,
    )
    await reads('.steps-panel .of-head >> nth=0', new RegExp(`head ${head + 1}`))
  }
  // A number of head 3 in the joined matrix comes from that head, while head 2 is shown.
  await page.click('[data-matrix="joined"] [data-row="0"][data-column="2"]')
  await reads('#chain', /Z\s*3/)
  await reads('.flow-comesFrom', /Z\s*3/)
})

test('a sentence typed by hand gives its own numbers, and the article’s sentence those of the article', async () => {
  await choose('self')
  await type('#sentence', 'one two')
  await becomes(async () => (await printed(page, 'weights')).length, 4)
  await page.fill('#sentence', SENTENCE)
  await until(async () => expectNumbers(await printed(page, 'scores'), 'attn_scores'))
  await until(async () => expectNumbers(await printed(page, 'weights'), 'attn_weights'))
  await until(async () => expectNumbers(await printed(page, 'output'), 'SelfAttention-3-2-4'))
  await set('mask', 'causal')
  await until(async () => expectNumbers(await printed(page, 'weights'), 'causal_attn_weights'))
  await becomes(() => page.locator('[data-matrix="weights"] .number.is-hidden').count(), 15, 'hidden cells are marked')
})

test('presets open with the numbers that the documents print; maps of many dimensions take the width there is, and no more', async () => {
  await choose('cross')
  await until(async () => expectNumbers(await printed(page, 'output'), 'CrossAttention-6x3-8x3'))
  await choose('embedding')
  for (const id of ['X', 'Q', 'K', 'V']) {
    await until(async () => {
      const numbers = await page
        .locator(`[data-matrix="${id}"] matrix-grid`)
        .evaluate(grid => Array.from(/** @type {any} */ (grid).matrix.tensor.data, Number))
      expectNumbers(
        numbers.map(x => x.toFixed(4)),
        `000/${id}`,
      )
    })
  }
  await choose('waistline')
  await becomes(() => printed(page, 'output'), ['112.5000'])
  await becomes(() => printed(page, 'weights'), ['5.6e-8', '0.5000', '0.5000'])
  await choose('layer')
  await until(async () => {
    const { most, widths } = await page.evaluate(() => ({
      most: Number(document.querySelector('main')?.offsetWidth),
      widths: [...document.querySelectorAll('lazy-map')].map(map => map.getBoundingClientRect().width),
    }))
    assert.ok(widths.length > 20)
    assert.ok(Math.max(...widths) <= most, `${Math.max(...widths)} px in ${most}`)
  })
})

test('nothing is wider than a phone, with any preset, a long word and many, in any view; every matrix begins on the screen', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const preset of ['heads', 'layer', 'translation', 'handBuilt', 'waistline']) {
    await choose(preset)
    const boxes = () =>
      page.locator('.steps-panel .matrix').evaluateAll(all =>
        all
          .filter(each => each.checkVisibility())
          .map(each => {
            const { left, width } = each.getBoundingClientRect()
            return { name: each.getAttribute('data-matrix') ?? each.getAttribute('data-copy'), left, width }
          }),
      )
    const isSmall = preset === 'waistline' // this preset's matrices have one column
    await becomes(async () => isSmall || (await boxes()).length > 8, true, preset)
    await becomes(
      async () => (await boxes()).filter(({ left, width }) => left < 0 || width < (isSmall ? 50 : 100)),
      [],
      preset,
    )
    for (const sentence of [undefined, `${SENTENCE} ${'long'.repeat(40)}`, 'long'.repeat(40), words(12)]) {
      if (sentence) await page.fill('#sentence', sentence)
      await page.locator('#sentence').blur() // the field grows with its text only while a reader types
      // Tries every view with the preset's own sentence, and with all sentences of `heads`. Tries all other combinations in flow and map only.
      for (const view of sentence && preset !== 'heads' ? ['flow', 'map'] : ['flow', 'difference', 'numbers', 'map']) {
        await chooseView(view)
        await settled(page)
        await becomes(() => beyond(page), [], `${preset}, “${(sentence ?? '').slice(0, 20)}”, ${view}`)
      }
    }
  }
  await go(`#2&cell=X.0.0.1&sentence=${'long'.repeat(40)}`)
  await page.locator('#inspector .where').waitFor()
  await becomes(() => beyond(page), [], 'the panel of a cell')
})

test('language and theme can be changed, and stay', async () => {
  await set('language', 'zh')
  await set('theme', 'dark')
  await reads('[data-room="layer"]', '单层')
  await reads('.answer-first', /^is 主要关注 自己（68\.7%）/)
  await page.reload()
  await page.locator('main').waitFor()
  await becomes(() => page.locator('html').getAttribute('lang'), 'zh-CN')
  await becomes(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(18, 19, 21)')
  await page.evaluate(() => localStorage.clear())
})

test('on a phone, random and trained heads have their choices on one line, so that nothing below moves', async () => {
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const height = () => page.locator('.bar').evaluate(bar => bar.getBoundingClientRect().height)
    await page.locator('#numbers-random').click()
    const before = await height()
    await page.locator('#numbers-trained').click()
    await page.locator('#layers').waitFor()
    assert.equal(await height(), before, `${width}`)
    assert.deepEqual(await beyond(page), [])
  }
})

test('on a phone, the row of heads begins with the first one, whole', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  const row = page.locator('.heads-column')
  await becomes(() => row.evaluate(box => box.scrollWidth > box.clientWidth), true)
  await becomes(
    () =>
      page
        .locator('qkv-heads')
        .getByRole('radio')
        .first()
        .evaluate(head => head.clientWidth < 200),
    true,
  )
  assert.equal(await row.evaluate(box => box.scrollLeft), 0)
})
