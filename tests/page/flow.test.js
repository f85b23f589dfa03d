// Tests <qkv-flow>: how its frames follow from a trace, and how the element plays them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { drawFlow, pooled, scoreTitle, stageOf } from '../../web/elements/flow-drawing.js'
import { framesOf, rowsOf } from '../../web/elements/flow-frames.js'
import { show, useElements } from './elements.js'
import { becomes, page } from './open.js'

const qkv = await load()

/** Makes a trace of one head. @param {number} L @param {object} [options] */
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

test('a row that sees nothing has an output of 0, with a note', () => {
  const mask = { data: Uint8Array.from([0, 0, 1, 1]), dims: [2, 2] }
  const g = qkv.generator(1)
  const [queries, keys, values] = [2, 2, 2].map(size => g.randn([1, 2, size]))
  const rows = rowsOf({ queries, keys, values, ...qkv.trace(queries, keys, values, { mask }) }, 0, 0)
  const frames = framesOf(rows, 0)
  assert.equal(frames.at(-1)?.text, 'flowOutputNone')
  assert.ok(!stepsOf(frames).includes('values'))
})

/** Draws a frame with a recording pen. Returns its texts with their positions, the filled cells and the links. @param {any} trace @param {string} step @param {boolean} isCross @param {{ query?: number, width?: number, asks?: string }} [options] */
function written(trace, step, isCross, { query = 0, width = 776, asks = 'asks' } = {}) {
  const rows = rowsOf(trace, 0, query)
  const frame = framesOf(rows, query).find(each => each.step === step) ?? assert.fail(step)
  const stage = stageOf(rows, query, width, isCross)
  /** @type {{ text: string, x: number, y: number }[]} */
  const texts = []
  /** @type {{ x: number, y: number, width: number }[]} */
  const fills = []
  /** @type {{ y: number }[]} */
  const links = []
  const pen = {
    text: (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => texts.push({ text, x, y }),
    fill: (
      /** @type {number} */ x,
      /** @type {number} */ y,
      /** @type {number} */ width,
      /** @type {number} */ height,
    ) => fills.push({ x, y: y + height / 2, width }),
    link: (/** @type {number} */ _, /** @type {number} */ y) => links.push({ y }),
    frame() {},
    hatch() {},
  }
  const titles = Object.fromEntries(['x', 'q', 'k', 'weight', 'v', 'output', 'partial'].map(name => [name, name]))
  const style = { ink: '#000', quiet: '#777', mark: '#f00', rule: '#ccc', paper: '#fff', isDark: false }
  const words = Array.from(rows.weights, (_, key) => `key ${key}`)
  drawFlow(/** @type {any} */ (pen), stage, rows, frame, /** @type {any} */ ({ words, query: asks, style, titles, partial: () => undefined, rest: (/** @type {number} */ count, weight = Number.NaN) => `${count} more ${weight}` })) // biome-ignore format: one line
  return { texts, fills, links, stage, rows }
}

test('the keys that have no row are one grey row: how many, and from the softmax on the bar of their weights together', () => {
  for (const [width, count] of [
    [776, 80],
    [358, 92],
  ]) {
    const trace = traceOf(100)
    const { texts, stage } = written(trace, 'scores', false, { query: 50, width })
    const y = stage.top + (stage.shown.length + 0.5) * stage.pitch
    assert.deepEqual(texts.filter(text => text.y === y).map(({ text }) => text), [`${count} more NaN`]) // biome-ignore format: one line
    for (const step of ['softmax', 'output']) {
      const { texts, fills, links, rows } = written(trace, step, false, { query: 50, width })
      const left = Array.from(rows.weights).filter((_, key) => !stage.shown.includes(key))
      const sum = left.reduce((a, b) => a + b)
      assert.equal(left.length, count)
      assert.equal(texts.find(text => text.y === y)?.text, `${count} more ${sum}`)
      const bar = fills.find(fill => fill.y === y)
      assert.deepEqual([bar?.x, bar?.width], [stage.columns.weight.x, sum * stage.columns.weight.width])
      assert.equal(links.some(link => link.y === y), step === 'output', 'they flow into the output, too') // biome-ignore format: one line
    }
  }
  assert.ok(
    written(traceOf(9), 'output', false, { width: 358 }).texts.every(({ text }) => !String(text).includes('more')),
  )
})

test('in low rows the query, the current subject and the largest weights have their words, unless these overlap', () => {
  const trace = traceOf(60)
  const { texts, stage, rows } = written(trace, 'softmax', false, { query: 30 })
  assert.ok(stage.pitch < 11)
  const labels = texts.filter(({ x, y }) => x === 0 && y > 24)
  const largest = Array.from(rows.weights, (_, key) => key).sort((a, b) => rows.weights[b] - rows.weights[a])
  assert.ok(labels.length >= 4 && labels.length <= 6, `${labels.length}`)
  for (const { text } of labels) assert.ok([...largest.slice(0, 5), 30].map(key => `key ${key}`).includes(text), text)
  assert.ok(labels.some(({ text }) => text === 'key 30'))
  assert.ok(labels.some(({ text }) => text === `key ${largest[0]}`))
  const heights = labels.map(({ y }) => y).sort((a, b) => a - b)
  assert.ok(heights.every((y, i) => i === 0 || y - heights[i - 1] >= 11))
  assert.equal(written(traceOf(30), 'softmax', false).texts.filter(({ x, y }) => x === 0 && y > 24).length, 30)
})

test('beside an inspector the picture has its wide form, drawn smaller; on a phone one column is x, then q, then k', () => {
  const rows = rowsOf(traceOf(6), 0, 3)
  for (const width of [560, 617, 776]) {
    const { columns, width: wide } = stageOf(rows, 3, width, false)
    assert.ok(columns.x.x < columns.q.x && columns.q.x < columns.k.x, `${width}`)
    assert.ok(wide <= width + 8 && wide > 0.9 * width, `${width}: ${wide}`)
  }
  const { columns } = stageOf(rows, 3, 390, false)
  assert.ok(columns.x.x === columns.q.x && columns.q.x === columns.k.x)
})

test('in cross-attention the query has a separate row above the keys, with its word', () => {
  const g = qkv.generator(7)
  const [queries, keys, values] = [2, 4, 4].map(rows => g.randn([1, rows, 3]))
  const trace = { embeddings: g.randn([2, 4]), queries, keys, values, ...qkv.trace(queries, keys, values) }
  for (const step of ['word', 'query', 'keys', 'softmax', 'output']) {
    const { texts, fills, stage } = written(trace, step, true)
    const numbers = fills.filter(({ x }) => x >= stage.columns.x.x && x < stage.columns.k.x)
    const rows = new Set(numbers.map(({ y }) => y))
    assert.equal(rows.size, 1, `${step}: x and q stand in one row`)
    const [y] = rows
    const labels = texts.filter(({ x }) => x === stage.columns.word.x)
    assert.deepEqual(labels.filter(label => label.y === y).map(({ text }) => text), ['asks'], step) // biome-ignore format: one line
    assert.ok(
      labels.every(({ text, y: other }) => text === 'asks' || other - y >= stage.pitch - 1e-9),
      step,
    )
    assert.equal(labels.length, 5, step)
  }
  assert.deepEqual(written(traceOf(3), 'word', false).texts.filter(({ text }) => text === 'asks'), []) // biome-ignore format: one line
})

test('a query over its key shares the row with it; a long score has fewer decimals; a word that is too long loses its gloss', () => {
  const { fills, stage } = written(traceOf(4), 'scores', false)
  const cells = fills.filter(({ x }) => x >= stage.columns.k.x && x < stage.columns.k.x + stage.columns.k.width)
  const heights = [...new Set(cells.map(({ y }) => y - stage.top))].filter(y => y < stage.pitch).sort((a, b) => a - b)
  assert.equal(heights.length, 2, 'q, then k')
  assert.ok(heights[0] < stage.pitch / 2 && heights[1] > stage.pitch / 2)
  const tensor = (/** @type {number[]} */ data) => ({ data: Float32Array.from(data), dims: [1, data.length, 1] })
  const long = { queries: tensor([1]), keys: tensor([-18, 2]), values: tensor([1, 2]) }
  const trace = { ...long, ...qkv.trace(long.queries, long.keys, long.values) }
  const numbers = written(trace, 'scores', true).texts.map(({ text }) => text)
  assert.ok(numbers.includes('−18.0'), numbers.join())
  const asks = (/** @type {string} */ query) =>
    written(trace, 'query', true, { asks: query }).texts.find(({ text }) => query.startsWith(text))?.text
  assert.deepEqual(['an 一', 'autonomous 自动'].map(asks), ['an 一', 'autonomous'])
})

test('the output is named partial while values are still added to it', () => {
  const last = (/** @type {string} */ step) => {
    const { texts, stage } = written(traceOf(4), step, false)
    return texts.filter(({ x }) => x === stage.columns.output.x + stage.columns.output.width).map(({ text }) => text)
  }
  assert.deepEqual(['softmax', 'values', 'output'].map(last), [['output'], ['partial'], ['output']])
})

test('the column of the scores is named after its content', () => {
  const titles = (/** @type {any} */ trace) => {
    const rows = rowsOf(trace, 0, 0)
    return Object.fromEntries(framesOf(rows, 0).map(frame => [frame.step, scoreTitle(rows, frame)]))
  }
  const { scores, scale, exponentials, softmax, output } = titles(traceOf(4))
  assert.deepEqual([scores, scale, exponentials, softmax, output], ['score', 'score.root', 'exponential', 'score.root', 'score.root']) // biome-ignore format: one line
  const other = traceOf(4, { scale: 0.25 })
  assert.equal(titles(other).softmax, 'score.factor')
  const scaled = framesOf(rowsOf(other, 0, 0), 0).find(({ step }) => step === 'scale')
  assert.equal(scaled?.text, 'flowFactor', 'it is not divided by √d')
  const { scaled: _, ...plain } = traceOf(4)
  assert.equal(titles(plain).softmax, 'score')
})

useElements()

/** Copies a trace into plain arrays, which can be passed to a page. @param {Record<string, any>} trace */
const plainOf = trace =>
  Object.fromEntries(
    Object.entries(trace).map(([name, { data, dims }]) => [name, { data: Array.from(data), dims: [...dims] }]),
  )

test('it plays to its end, responds to keys, announces each frame, and is saved as SVG', async () => {
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
  await page.locator('qkv-flow [data-act="play"]').waitFor() // playback has stopped
  await page.click('qkv-flow .more summary')
  await page.click('qkv-flow [data-act="next"]')
  await caption.filter({ hasText: 'first is a row of 4 numbers.' }).waitFor()
  assert.equal(await at(), 0)
})

test('the up and down arrows go to another word at the same step, and end at the first and the last', async () => {
  const queryTokens = ['eat', 'dessert', 'first']
  const flow = await show('qkv-flow', { trace: plainOf(traceOf(3, { causal: true })), queryTokens, query: 1 })
  await flow.evaluate(element => {
    const own = /** @type {any} */ (globalThis)
    own.queries = []
    element.addEventListener('flow-query', (/** @type {any} */ { detail }) => own.queries.push(detail.query))
  })
  const caption = page.locator('qkv-flow .caption')
  await caption.filter({ hasText: 'dessert is a row of 4 numbers.' }).waitFor()
  await page.locator('qkv-flow canvas').focus()
  await page.keyboard.press('End')
  for (const [key, word] of [
    ['ArrowUp', 'eat'],
    ['ArrowUp', 'eat'],
    ['ArrowDown', 'dessert'],
    ['ArrowDown', 'first'],
    ['ArrowDown', 'first'],
  ]) {
    await page.keyboard.press(key)
    await caption.filter({ hasText: `The output of ${word} begins with` }).waitFor()
  }
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).queries), [0, 1, 2])
  await flow.evaluate((/** @type {any} */ own) => Object.assign(own, { at: own.indexOf('scores') }))
  await page.keyboard.press('ArrowUp')
  await caption.filter({ hasText: 'q of dessert · k of eat' }).waitFor()
})

test('a step without a frame shows that it changes nothing; words are bold', async () => {
  const trace = plainOf(traceOf(3))
  const flow = await show('qkv-flow', { trace, queryTokens: ['a', 'is', 'b'], query: 1 })
  const caption = page.locator('qkv-flow .caption')
  await page.locator('qkv-flow .caption b', { hasText: /^is$/ }).waitFor()
  await flow.evaluate((/** @type {any} */ own) => Object.assign(own, { step: 'mask' }))
  await caption.filter({ hasText: 'No word is hidden from is: this step changes nothing.' }).waitFor()
  assert.equal(await flow.evaluate((/** @type {any} */ own) => own.frames[own.at].step), 'scale')
  await page.click('qkv-flow [data-act="on"]')
  await caption.filter({ hasText: 'e to the power of each score' }).waitFor()
  await flow.evaluate((/** @type {any} */ own) => Object.assign(own, { step: undefined }))
  await flow.evaluate((/** @type {any} */ own) => Object.assign(own, { step: 'mask' }))
  await caption.filter({ hasText: 'No word is hidden' }).waitFor()
  const masked = plainOf(traceOf(3, { causal: true }))
  await flow.evaluate(
    (/** @type {any} */ own, /** @type {any} */ given) => Object.assign(own, { trace: given }),
    masked,
  )
  await caption.filter({ hasText: 'Later words are hidden: 1. The shares that stay grow' }).waitFor()
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

test('without x, a number of q, k or v is dragged up and down; a weight that is dragged keeps its old length as an outline', async () => {
  const g = qkv.generator(3)
  const [queries, keys, values] = [2, 2, 2].map(size => g.randn([1, 3, size]))
  const trace = { queries, keys, values, ...qkv.trace(queries, keys, values) }
  const flow = await show('qkv-flow', { trace: plainOf(trace), queryTokens: ['a', 'b', 'c'], editable: true, at: -1 })
  await flow.evaluate(element => {
    const own = /** @type {any} */ (globalThis)
    element.addEventListener('flow-edit', (/** @type {any} */ { detail }) => {
      const { part, index, key } = detail
      own.edited = [part, index, key]
    })
  })
  const canvas = page.locator('qkv-flow canvas')
  const { x, y, width } = (await canvas.boundingBox()) ?? assert.fail()
  const fit = Math.min(1, (width - 8) / 768)
  const at = (/** @type {number} */ column, /** @type {number} */ row) =>
    /** @type {const} */ ([x + column * fit, y + 24 + (row + 0.5) * 44])
  for (const [part, column, row, key] of /** @type {const} */ ([
    ['q', 190, 0, undefined],
    ['k', 270, 1, 1],
    ['v', 630, 2, 2],
  ])) {
    const [across, down] = at(column, row)
    await page.mouse.move(across, down)
    await page.mouse.down()
    await page.mouse.move(across, down - 10)
    await page.mouse.up()
    const edited = () => page.evaluate(() => /** @type {any} */ (globalThis).edited)
    await becomes(edited, [part, 0, key])
  }
  const picture = () => canvas.evaluate(element => /** @type {HTMLCanvasElement} */ (element).toDataURL())
  const [across, down] = at(500, 0)
  await page.mouse.move(across, down)
  const before = await picture()
  await page.mouse.down()
  await page.mouse.move(across + 20, down)
  await becomes(async () => (await picture()) !== before, true, 'the outline')
  await page.mouse.up()
  await becomes(picture, before)
})

test('with other words the flow stays at its end, and elsewhere at its frame', async () => {
  const traceOf = (/** @type {number} */ tokens) => {
    const g = qkv.generator(tokens)
    const [queries, keys, values] = [0, 1, 2].map(() => g.randn([1, tokens, 4]))
    return plainOf({ queries, keys, values, ...qkv.trace(queries, keys, values) })
  }
  const flow = await show('qkv-flow', { trace: traceOf(3) })
  await flow.evaluate((/** @type {any} */ own) => own.show(own.frames.length - 1))
  const at = () => flow.evaluate((/** @type {any} */ own) => [own.at, own.frames.length])
  const change = async (/** @type {number} */ tokens) => {
    await flow.evaluate((own, trace) => Object.assign(own, { trace }), traceOf(tokens))
    await flow.evaluate((/** @type {any} */ own) => own.updateComplete)
  }
  await change(6)
  const [end, count] = await at()
  assert.equal(end, count - 1)
  await flow.evaluate((/** @type {any} */ own) => own.show(2))
  await change(4)
  assert.equal((await at())[0], 2)
})

test('“All words” shows the output of each word in turn; a score explains why it cannot be set; pooled cells are named as such', async () => {
  const g = qkv.generator(3)
  const [queries, keys, values] = [60, 60, 2].map(size => g.randn([1, 3, size]))
  const trace = { embeddings: g.randn([3, 100]), queries, keys, values, ...qkv.trace(queries, keys, values) }
  const tokens = ['a', 'b', 'c']
  const flow = await show('qkv-flow', { trace: plainOf(trace), queryTokens: tokens, editable: true, pace: 0.25 })
  const own = () => flow.evaluate(element => ({ query: /** @type {any} */ (element).query, caption: element.shadowRoot?.querySelector('.caption')?.textContent })) // biome-ignore format: one line
  await becomes(
    async () => (await own()).caption,
    'a is a row of 100 numbers. → goes on. A cell stands for up to 3 numbers and shows the largest of them.',
  )
  const told = await flow.evaluate(async element => {
    /** @type {unknown[]} */
    const told = []
    element.addEventListener('flow-query', (/** @type {any} */ { detail }) => told.push([detail.query, detail.isPassing ?? false])) // biome-ignore format: one line
    const end = new Promise(resolve => element.addEventListener('flow-all', resolve))
    const press = (/** @type {string} */ act) =>
      /** @type {any} */ (element).shadowRoot.querySelector(`[data-act=${act}]`).click()
    press('all')
    await /** @type {any} */ (element).updateComplete
    press('pause')
    await /** @type {any} */ (element).updateComplete
    press('all')
    await end
    return told
  })
  assert.deepEqual(told, [[0, true], [0, false], [0, true], [1, true], [2, true]]) // biome-ignore format: one line
  await becomes(async () => /^The output of c /.test((await own()).caption ?? ''), true)
  await flow.evaluate(element => Object.assign(element, { at: /** @type {any} */ (element).indexOf('scale') }))
  const box = (await page.locator('qkv-flow canvas').boundingBox()) ?? assert.fail()
  await page.mouse.move(box.x + 400, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + 430, box.y + 60, { steps: 3 })
  await page.mouse.up()
  await becomes(async () => (await own()).caption, 'Scores follow from q and k: change x.')
  await page.keyboard.press('Home')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const atOnce = await flow.evaluate(element => {
    let count = 0
    element.addEventListener('flow-all', () => count++)
    const button = /** @type {any} */ (element).shadowRoot.querySelector('[data-act=all]')
    button.click()
    return count
  })
  assert.equal(atOnce, 1, 'with less motion the page shows all at once')
  await page.emulateMedia({ reducedMotion: null })
})

test('an invalid trace gives a message', async () => {
  await show('qkv-flow', { trace: { queries: 3 } })
  await page.locator('qkv-flow [part="problem"]', { hasText: 'Expected a tensor' }).waitFor()
})
