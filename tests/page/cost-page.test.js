// Tests the page's panel of costs: the times that it measures on this computer, and its slider for the length.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomes, go, LAYER, page, usePage } from './open.js'

usePage({ hash: null })

test('the chosen lengths are measured, the measurement can be cancelled, and its times are copied as CSV', async () => {
  await go(LAYER)
  await page.click('#cost > summary')
  const ticked = () =>
    page
      .locator('[data-length]')
      .evaluateAll(all =>
        all.flatMap(each => (/** @type {HTMLInputElement} */ (each).checked ? [each.dataset.length] : [])),
      )
  await becomes(ticked, ['256', '512', '1024', '2048', '4096', '8192'])
  for (const n of [512, 1024, 2048, 4096, 8192]) await page.locator(`[data-length="${n}"]`).uncheck()
  await becomes(ticked, ['256'])
  await page.locator('[data-length="256"]').uncheck()
  await becomes(() => page.isDisabled('#cost-measure'), true, 'there is nothing to measure')
  await page.locator('[data-length="512"]').check()
  await page.locator('[data-length="16384"]').check()
  await page.click('#cost-measure')
  await page.locator('.cost-dot.is-fused[data-n="512"]').waitFor()
  assert.equal(await page.locator('.cost-dot[data-n="256"]').count(), 0)
  assert.ok(Number(await page.getAttribute('.cost-dot.is-stored', 'data-ms')) > 0)
  await page.click('#cost-cancel') // the largest length takes seconds
  await page.locator('#cost-measure').waitFor()
  assert.equal(await page.locator('.cost-dot[data-n="16384"]').count(), 0)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.click('#cost-csv')
  await becomes(
    () => page.evaluate(() => navigator.clipboard.readText()),
    /^length,fused ms,stored ms,browser,cores\r\n512,[\d.e-]+,[\d.e-]+,".+",\d+$/,
  )
})

test('at 1280 px the number of the length is beside its slider, and nothing is under the inspector', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await go(LAYER)
  await page.click('#cost > summary')
  const ends = () =>
    page.evaluate(() => {
      const edge = document.querySelector('.cost-controls')?.getBoundingClientRect().right ?? 0
      const all = Array.from(document.querySelectorAll('.cost-controls > *'), own => own.getBoundingClientRect().right)
      return all.length > 3 && all.every(right => right <= edge + 1)
    })
  await becomes(ends, true)
  await becomes(() => page.locator('#cost-length').evaluate(own => own.clientWidth > 300), true)
})

test('the slider of the length has a tick where the weights become more numbers than what is kept', async () => {
  await go(LAYER)
  await page.click('#cost > summary')
  const crossing = Number(/4 d = (\d+)/.exec(await page.innerText('.cost-controls .note'))?.[1])
  const tick = await page.locator('#cost-length').evaluate(slider => {
    const { list } = /** @type {HTMLInputElement} */ (slider)
    return list?.options[0].value
  })
  await page.locator('#cost-length').fill(tick ?? '')
  await becomes(() => page.inputValue('#cost-number'), String(crossing))
})

test('a length stays in its field during typing, and one that is too large becomes the largest', async () => {
  await go(LAYER)
  await page.click('#cost > summary')
  await page.fill('#cost-number', '')
  await page.locator('#cost-number').pressSequentially('99999999')
  await page.locator('#cost-causal').evaluate(box => /** @type {HTMLInputElement} */ (box).click())
  await becomes(() => page.isChecked('#cost-causal'), true)
  assert.equal(await page.inputValue('#cost-number'), '99999999')
  await page.press('#cost-number', 'Enter')
  await becomes(() => page.inputValue('#cost-number'), await page.getAttribute('#cost-number', 'max'))
})
