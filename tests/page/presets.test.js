// Each document opens with its numbers, and notes say what differs from the printed ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { change } from '../../web/rooms/layer/settings.js'
import { runBatch } from '../../web/rooms/layer/trace/batch-statistics.js'
import { plain, printed, settled } from './browser.js'
import { CASES, traced } from './cases.js'
import { expectNumbers, goldenCase, near } from './golden.js'
import { becomes, choose, page, reads, set, usePage } from './open.js'

usePage()

test('every preset of a document says what differs from its print, in both languages', async () => {
  for (const language of ['en', 'zh']) {
    await set('language', language)
    const texts = new Set()
    for (const [preset, document] of Object.entries({
      embedding: '000',
      heads: '001',
      self: '001',
      causal: '001',
      cross: '001',
      layer: '002',
      translation: '003',
      waistline: '004',
    })) {
      await choose(preset)
      await page.click('#examples > summary')
      const details = page.locator('#differs')
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
      const text = plain(await details.innerText())
      assert.ok(text.length > 100, `${document}: ${text}`)
      texts.add(text)
      await page.keyboard.press('Escape')
    }
    assert.equal(texts.size, 5, 'a text for each document')
    await choose('handBuilt')
    await becomes(() => page.locator('#differs').count(), 0, 'no document')
    await page.fill('#sentence', 'something else')
    await becomes(() => page.locator('#differs').count(), 0, 'no preset')
  }
  await page.evaluate(() => localStorage.clear())
})

test('document 000 opens with its printed scores; with its own scale and axis the weights are those of its code', async () => {
  await choose('embedding')
  expectNumbers(await printed(page, 'scores'), '000/QKT')
  near(await printed(page, 'output'), goldenCase('000/Z-correct').oracle.out.data, 1e-3, 'the right Z')
  await set('scale', '0.25')
  await set('softmaxAxis', 'queries')
  const { expected, oracle } = goldenCase('000/Z-as-coded')
  const { weights, out } = /** @type {any} */ ({ ...oracle, ...expected })
  near(await printed(page, 'weights'), weights.data, 2e-4, 'weights as coded')
  near(await printed(page, 'output'), out.data, 1e-3, 'Z as coded')
})

test('document 001: the output differs from the print in one digit, as is said', async () => {
  await choose('self')
  const output = await printed(page, 'output')
  const { data } = goldenCase('001/SelfAttention-3-2-4').expected.out
  const others = output.filter((text, i) => text !== data[i].toFixed(4))
  assert.deepEqual(others, ['-0.2626'])
})

test('document 002 opens with its printed shapes, and the core has run its whole batch', async t => {
  const before = await page.evaluate(() => performance.now())
  await choose('layer')
  await page.locator('#one-of-batch').waitFor()
  await settled(page)
  const took = (await page.evaluate(() => performance.now())) - before
  t.diagnostic(`open after ${took.toFixed(0)} ms`)
  const walk = (await page.locator('.shape-steps .dims').allTextContents()).map(plain)
  assert.deepEqual(walk, [
    '10×60×512',
    '10×60×512',
    '10×60×8×64',
    '10×8×60×64',
    '10×8×60×60',
    '10×8×60×64',
    '10×60×8×64',
    '10×60×512',
    '10×60×512',
  ])
  await reads('#one-of-batch', /^Sequence 1 of a batch of 10/)
  const ran = page.locator('#batch-ran').getByText('the output has the shape (10, 60, 512)')
  await ran.waitFor()
  // Of a batch too large for a page the shapes are known all the same, and that it is not run is said.
  await set('batch', '64')
  await becomes(async () => plain((await page.locator('.shape-steps .dims').last().textContent()) ?? ''), '64×60×512')
  await reads('#batch-ran', /too large to compute here/)
  await set('batch', '65')
  await reads('#batch-problem', /1 to 64/)
})

test('a batch: each sequence has the numbers that it has alone, under every score', async () => {
  const qkv = await load()
  const sentences = ['one two three four', 'two three four one', 'three four one two']
  const [, layer] = CASES[CASES.findIndex(([name]) => name === 'causal, weights hidden after softmax')]
  for (const patch of [{}, { score: 'gaussian' }, { score: 'additive' }, { softmaxAxis: 'queries' }, { bias: false }]) {
    const settings = change(layer, /** @type {any} */ ({ ...patch, batch: 3, sentence: sentences[0] }))
    const batch = runBatch(qkv, traced(settings))
    assert.ok(batch)
    for (const [i, sentence] of sentences.entries()) {
      const alone = traced(change(settings, { sentence })).tensors.final
      near(batch.output.row(i).data, alone?.data ?? [], 1e-5, `${JSON.stringify(patch)}, sequence ${i + 1}`)
    }
  }
})
