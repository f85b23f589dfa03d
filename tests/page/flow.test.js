// <qkv-flow>: its frames follow from the trace, and play in the element.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { pooled, stageOf } from '../../web/elements/flow-drawing.js'
import { framesOf, rowsOf } from '../../web/elements/flow-frames.js'
import { show, useElements } from './elements.js'
import { becomes, page } from './open.js'

const qkv = await load()

/** A trace of one head. @param {number} L @param {object} [options] */
function traceOf(L, options = {}) {
  const g = qkv.generator(7)
  const [queries, keys, values] = [3, 3, 2].map(size => g.randn([1, L, size]))
  const trace = qkv.trace(queries, keys, values, options)
  return { embeddings: g.randn([L, 4]), queries, keys, values, ...trace }
}

const stepsOf = (/** @type {readonly { step: string }[]} */ frames) => [...new Set(frames.map(({ step }) => step))]

test('frames come in the order of the computation; a mask and a scale have frames where there are some', () => {
  const causal = framesOf(rowsOf(traceOf(5, { causal: true }), 0, 2), 2)
  assert.deepEqual(stepsOf(causal), ['word', 'query', 'keys', 'scores', 'scale', 'mask', 'exponentials', 'softmax', 'values', 'output']) // biome-ignore format: one line
  assert.equal(causal.filter(({ step }) => step === 'scores').length, 5)
  assert.equal(causal.filter(({ step }) => step === 'values').length, 3, 'hidden keys have no value to add')
  const { numbers, text } = causal.find(({ step }) => step === 'mask') ?? {}
  assert.deepEqual([text, numbers], ['flowLater', { count: 2 }])
  const open = framesOf(rowsOf(traceOf(5), 0, 2), 2)
  assert.ok(!stepsOf(open).includes('mask'))
  const { embeddings: _, scaled: __, exponentials: ___, ...few } = traceOf(5)
  assert.deepEqual(stepsOf(framesOf(rowsOf(few, 0, 0), 0)), ['query', 'keys', 'scores', 'softmax', 'values', 'output'])
})

test('every number of a frame is the trace’s own, to the bit', () => {
  const trace = traceOf(6, { causal: true })
  const rows = rowsOf(trace, 0, 4)
  const frames = framesOf(rows, 4)
  for (const { step, key, numbers } of frames) {
    if (step === 'scores') assert.equal(numbers?.score, trace.scores.data[4 * 6 + Number(key)])
    if (step === 'values') assert.equal(numbers?.weight, trace.weights.data[4 * 6 + Number(key)])
    if (step === 'exponentials') assert.equal(numbers?.sum, trace.sums.data[4])
    if (step === 'output') assert.equal(numbers?.output, trace.output.data[4 * 2])
  }
  assert.deepEqual(Array.from(rows.output), Array.from(trace.output.data.slice(8, 10)))
  const order = frames.filter(({ step }) => step === 'values').map(({ key }) => rows.weights[Number(key)])
  assert.deepEqual(
    order,
    [...order].sort((a, b) => b - a),
    'the largest weight first',
  )
})

test('many keys share the last frame of a step, and a stage of few rows keeps the query', () => {
  const trace = traceOf(100)
  const rows = rowsOf(trace, 0, 50)
  const frames = framesOf(rows, 50)
  const scores = frames.filter(({ step }) => step === 'scores')
  assert.equal(scores.length, 12)
  assert.equal(scores.at(-1)?.done.length, 100)
  assert.ok(scores.reduce((sum, { lasts }) => sum + lasts, 0) <= 2401)
  const values = frames.filter(({ step }) => step === 'values')
  assert.deepEqual([values.length, values.at(-1)?.isWhole, values.at(-1)?.done.length], [8, true, 100])
  for (const width of [776, 358]) {
    const { shown, own, width: wide } = stageOf(rows, 50, width, false)
    assert.ok(shown.includes(50) && shown[own] === 50 && wide <= width + 8, `${width}`)
  }
  assert.deepEqual(pooled(Array.from({ length: 96 }, (_, i) => (i === 7 ? -9 : 1))).slice(2, 5), [1, -9, 1])
})

test('a row that sees nothing has an output of 0 and says so', () => {
  const mask = { data: Uint8Array.from([0, 0, 1, 1]), dims: [2, 2] }
  const g = qkv.generator(1)
  const [queries, keys, values] = [2, 2, 2].map(size => g.randn([1, 2, size]))
  const rows = rowsOf({ queries, keys, values, ...qkv.trace(queries, keys, values, { mask }) }, 0, 0)
  const frames = framesOf(rows, 0)
  assert.equal(frames.at(-1)?.text, 'flowOutputNone')
  assert.ok(!stepsOf(frames).includes('values'))
})

useElements()

/** Plain numbers, which a page can be given. @param {Record<string, any>} trace */
const plainOf = trace =>
  Object.fromEntries(
    Object.entries(trace).map(([name, { data, dims }]) => [name, { data: Array.from(data), dims: [...dims] }]),
  )

test('it plays to its end, goes by keys, says each frame, and is saved as SVG', async () => {
  const queryTokens = ['eat', 'dessert', 'first']
  const flow = await show('qkv-flow', { trace: plainOf(traceOf(3)), queryTokens, query: 1, pace: 40 })
  const at = () => flow.evaluate((/** @type {any} */ own) => own.at)
  const caption = page.locator('qkv-flow .caption')
  await caption.filter({ hasText: 'dessert is a row of 4 numbers.' }).waitFor()
  await page.locator('qkv-flow canvas').focus()
  await page.keyboard.press('ArrowRight')
  await caption.filter({ hasText: 'dessert asks with a query.' }).waitFor()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await caption.filter({ hasText: 'q of dessert · k of eat' }).waitFor()
  const svg = await flow.evaluate((/** @type {any} */ own) => own.toSVG())
  assert.match(svg, /<svg[^>]*>.*dessert/s)
  await page.click('qkv-flow [data-act="play"]')
  await caption.filter({ hasText: 'The output of dessert begins with' }).waitFor()
  assert.equal(await at(), await flow.evaluate((/** @type {any} */ own) => own.frames.length - 1))
  await page.locator('qkv-flow [data-act="play"]').waitFor() // it has stopped
  await page.click('qkv-flow [data-act="next"]')
  await caption.filter({ hasText: 'first is a row of 4 numbers.' }).waitFor()
  assert.equal(await at(), 0)
})

test('with less motion nothing plays by itself, and the frames are there one by one', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await show('qkv-flow', { trace: plainOf(traceOf(3)), queryTokens: ['a', 'b', 'c'] })
  await page.locator('qkv-flow [data-act="on"]').click()
  await page.locator('qkv-flow .caption', { hasText: 'a asks with a query.' }).waitFor()
  assert.equal(await page.locator('qkv-flow [data-act="play"]').count(), 0)
})

test('a dragged weight follows the pointer; a drag that the browser ends is taken back, and a released button drags nothing', async () => {
  const flow = await show('qkv-flow', { trace: plainOf(traceOf(3)), queryTokens: ['a', 'b', 'c'], editable: true })
  await flow.evaluate(element => {
    const own = /** @type {any} */ (globalThis)
    own.edits = []
    element.addEventListener('flow-edit', (/** @type {any} */ { detail }) => own.edits.push(detail))
  })
  const edits = () => page.evaluate(() => /** @type {any} */ (globalThis).edits)
  const box = (await page.locator('qkv-flow canvas').boundingBox()) ?? assert.fail()
  const drag = async (/** @type {number} */ x, /** @type {number} */ y) => {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 12, y)
  }
  find: for (let y = box.y + 10; y < box.y + box.height; y += 12)
    for (let x = box.x + 10; x < box.x + box.width; x += 24) {
      await drag(x, y)
      if ((await edits()).length) break find
      await page.mouse.up()
    }
  const [{ part, index, isFirst }] = await edits()
  assert.ok(isFirst, 'a drag begins')
  await page.locator('qkv-flow canvas').dispatchEvent('pointercancel')
  await becomes(async () => (await edits()).at(-1).isUndone, true)
  assert.deepEqual([(await edits()).at(-1).part, (await edits()).at(-1).index], [part, index])
  const { length } = await edits()
  await page.mouse.move(box.x + 40, box.y + 40)
  await page.mouse.up()
  assert.equal((await edits()).length, length)
})

test('a trace that is none is a sentence', async () => {
  await show('qkv-flow', { trace: { queries: 3 } })
  await page.locator('qkv-flow [part="problem"]', { hasText: 'Expected a tensor' }).waitFor()
})
