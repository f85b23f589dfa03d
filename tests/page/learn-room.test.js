// The room "Learn": train, look, switch heads off, go back in time, take along; nothing trains unasked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePage } from './open.js'

const SORT = '#1&room=learn&task=sort'
const context = usePage({ hash: SORT })
const text = (/** @type {string} */ selector) => context.page.locator(selector).innerText()
const isTrained = () =>
  context.page.waitForFunction(
    () => /\d %|\d%/.test(document.querySelector('.learn-said')?.textContent ?? ''),
    undefined,
    {
      timeout: 30_000,
    },
  )

test('nothing trains unasked; one click trains to the goal and names the head', async () => {
  const { page } = context
  await page.locator('qkv-heads').waitFor()
  assert.match(await text('#learn-steps'), /step 0 of 300/)
  assert.match(await text('.learn-probe'), /Nothing is trained yet/)
  await page.click('#learn-train')
  await isTrained()
  assert.match(await text('.learn-said'), /^Reached 95\.0% at step \d+\. Head 1\.1 looks at the next larger number: \d/)
  assert.equal(await text('#learn-answer'), '0 2 3 6 8 9 11 14')
})

test('a head that is switched off breaks the answer; restoring it mends it', async () => {
  const { page } = context
  await page.click('#learn-train')
  await isTrained()
  await page.click('.learn-switches button')
  await page.locator('.learn-changed').waitFor()
  const shares = [...(await text('.learn-changed')).matchAll(/([\d.]+)%/g)].map(([, share]) => Number(share))
  assert.ok(shares[0] > 95 && shares[1] < 70, String(shares))
  assert.notEqual(await text('#learn-answer'), '0 2 3 6 8 9 11 14')
  await page.click('.learn-changed button')
  await page.locator('.learn-changed').waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.querySelector('#learn-answer')?.textContent === '0 2 3 6 8 9 11 14')
})

test('the slider shows the model as it was; a probe that cannot be used is explained', async () => {
  const { page } = context
  await page.click('#learn-train')
  await isTrained()
  await page.locator('#learn-at').fill('0')
  await page.waitForFunction(() => document.querySelector('#learn-answer')?.textContent !== '0 2 3 6 8 9 11 14')
  await page.click('#learn-live')
  await page.waitForFunction(() => document.querySelector('#learn-answer')?.textContent === '0 2 3 6 8 9 11 14')
  await page.fill('#learn-probe', '1 2 99')
  await page.keyboard.press('Enter')
  assert.match(await page.locator('.learn-probe .learn-problem').innerText(), /3 numbers given, 8 expected/)
})

test('settings stand in the link; bad ones are complained about and the recipe is kept', async () => {
  const { page } = context
  await page.locator('.learn-settings summary').click()
  await page.fill('#learn-set-seed', '7')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => /learn=seed%3D7/.test(location.hash))
  assert.match(await text('.learn-settings summary'), /seed 7/)
  await page.goto('about:blank')
  await page.goto(`${context.url}#1&room=learn&task=sort&learn=heads%3D5,rate%3D1e9`)
  assert.match(await page.locator('.learn-problem').first().innerText(), /Learning rate: 1e9 given/)
  await page.click('#learn-train')
  await isTrained()
})

test('the program and the curves are there to take along', async () => {
  const { page } = context
  await page.locator('.learn-along summary').click()
  assert.match(await text('.learn-along pre'), /torch\.manual_seed\(0\)/)
  await page.click('#learn-train')
  await isTrained()
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#learn-csv')])
  assert.equal(download.suggestedFilename(), 'sort.csv')
})
