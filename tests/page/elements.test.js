import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from 'qkv'
import { multiheadAttention } from 'qkv/nn'
import { exceptions, luminance, paletteOf, pixel, stepOf } from '../../web/elements/colour-scale.js'
import { raster } from '../../web/elements/raster.js'
import { headStatistics } from '../../web/elements/statistics.js'
import { events, pixels, show, useElements } from './elements.js'
import { becomes, page, url } from './open.js'

const WORDS = ['Life', 'is', 'short', 'eat']
const HEADS = {
  dims: [2, 4, 4],
  data: [
    // a head that looks at the previous word
    [1, 0, 0, 0],
    [0.9, 0.1, 0, 0],
    [0.1, 0.7, 0.2, 0],
    [0.05, 0.05, 0.8, 0.1],
    // a head that looks at all words evenly
    [0.25, 0.25, 0.25, 0.25],
    [0.25, 0.25, 0.25, 0.25],
    [0.25, 0.25, 0.25, 0.25],
    [0.25, 0.25, 0.25, 0.25],
  ].flat(),
}
const WEIGHTS = { data: HEADS.data.slice(0, 16), dims: [4, 4] }
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  'שָׁלוֹם עולם',
  'e\u0301\u0301\u0301\u0301\u200b\u200d',
  '👩‍👩‍👧‍👦👨‍👩‍👦',
  '\u0000\u0007\ud800 &amp; ]]>',
  'x'.repeat(100_000),
  '\n\t ',
]

useElements()

/** @param {number} got @param {number} want */
const close = (got, want) => {
  if (!(Math.abs(got - want) <= 1e-12)) assert.fail(`${got}, ${want} expected`)
}

/** Adds all elements to the page, each with all of its parts shown. */
async function showAll() {
  await show('qkv-heads', { weights: HEADS })
  const tokens = { rowTokens: WORDS, columnTokens: WORDS }
  await show('qkv-heatmap', {
    matrix: WEIGHTS,
    ...tokens,
    pinned: { row: 2, column: 1 },
    highlight: { rows: [1] },
  })
  const large = { data: Array.from({ length: 2500 }, (_, i) => (i % 50) / 50), dims: [50, 50] }
  await show('qkv-heatmap', { label: 'A large map', matrix: large })
  await show('qkv-heatmap', { label: 'A table', matrix: large, asTable: true })
  await show('qkv-heatmap', { label: 'To edit', matrix: WEIGHTS, editable: true })
  await show('qkv-heatmap', { label: 'Broken', matrix: { data: [], dims: [3] } })
  await show('qkv-heatmap', { label: 'Empty' })
  await show('qkv-trace', { label: 'A trace', queryTokens: WORDS, trace: { scores: HEADS, weights: HEADS } })
}

test('a head has an entropy and shares of the first key, the one before and its own, in float64', () => {
  const [before, uniform] = headStatistics(HEADS)
  const bits = (/** @type {number[]} */ ...all) => all.reduce((sum, p) => sum - p * Math.log2(p), 0)
  close(before.entropy, (bits(0.9, 0.1) + bits(0.1, 0.7, 0.2) + bits(0.05, 0.05, 0.8, 0.1)) / 4)
  close(before.first, (1 + 0.9 + 0.1 + 0.05) / 4)
  close(before.previous, (0.9 + 0.7 + 0.8) / 3)
  close(before.self, (1 + 0.1 + 0.2 + 0.1) / 4)
  assert.deepEqual(uniform, { entropy: 2, first: 0.25, previous: 0.25, self: 0.25 })
  const [offset] = headStatistics({ data: [0.1, 0.2, 0.7], dims: [1, 1, 3] }, { offset: 2 })
  close(offset.previous, 0.2)
  close(offset.self, 0.7)
  const [blind] = headStatistics({ data: [0, 0, 0, 1], dims: [1, 2, 2] })
  assert.deepEqual(blind, { entropy: 0, first: 0, previous: 0, self: 1 }, 'queries that see nothing do not count')
  assert.ok(Number.isNaN(headStatistics({ data: [Number.NaN, 1], dims: [1, 1, 2] })[0].entropy), 'NaN stays NaN')
  assert.throws(() => headStatistics({ data: [1], dims: [1, 1, 2] }), { key: 'problemSize' })
})

test('numbers on cells have contrast, and colours have lightness in even steps', () => {
  for (const scale of /** @type {const} */ (['sequential', 'diverging']))
    for (const isDark of [false, true]) {
      const { colours, inks } = paletteOf(scale, isDark)
      const light = colours.map(luminance)
      colours.forEach((colour, i) => {
        const [high, low] = [light[i], inks[i] === '#000' ? 0 : 1].sort((a, b) => b - a)
        assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${inks[i]} on ${colour}`)
      })
      // Except for rounding, CIE lightness is linear along a sequential scale, and along the second half of a diverging one.
      const lightness = light.slice(scale === 'sequential' ? 0 : 128).map(y => 116 * Math.cbrt(y) - 16)
      const [first, last] = [lightness[0], lightness.at(-1) ?? 0]
      assert.equal(last > first, isDark, 'small numbers are near to the paper')
      lightness.forEach((value, i) => {
        const straight = first + ((last - first) * i) / (lightness.length - 1)
        assert.ok(Math.abs(value - straight) < 1, `${scale} ${i}: ${value}, ${straight} expected`)
      })
    }
})

test('a pixel has the colour of its strongest cell that is seen', t => {
  class Image {
    /** @param {number} width @param {number} height */
    constructor(width, height) {
      this.data = new Uint8ClampedArray(width * height * 4)
    }
  }
  Object.assign(globalThis, { ImageData: Image }) // missing in Node
  t.after(() => Reflect.deleteProperty(globalThis, 'ImageData'))
  const [ROWS, COLUMNS] = [40, 30]
  const odd = [Number.NaN, -Infinity, Infinity, -2, 3]
  for (const scale of /** @type {const} */ (['sequential', 'diverging']))
    for (const [width, height] of [
      [20, 25],
      [7, 9],
      [3, 1],
    ]) {
      const data = Array.from({ length: ROWS * COLUMNS }, (_, i) => odd[i % 211] ?? Math.sin(i * i) / 2 + 0.4)
      const isHidden = (/** @type {number} */ i) => data[i] === -Infinity || i % 3 === 0 || i > 900
      const domain = scale === 'sequential' ? [0, 1] : [-1, 1]
      const part = { row: 5, column: 4, rows: 25, columns: 20 }
      const image = raster({ data, dims: [ROWS, COLUMNS], isHidden, scale, domain }, false, part, width, height)
      const got = new Uint32Array(image.data.buffer)
      const strength = (/** @type {number} */ x) => Math.max(scale === 'sequential' ? x : Math.abs(x), 0)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const cells = []
          for (let r = 0; r < part.rows; r++)
            for (let c = 0; c < part.columns; c++) {
              const isIn = r < ((y + 1) * part.rows) / height && r + 1 > (y * part.rows) / height
              const i = (part.row + r) * COLUMNS + part.column + c
              if (isIn && Math.floor((c * width) / part.columns) === x && !isHidden(i)) cells.push(data[i])
            }
          const strongest = cells.reduce((a, b) => (strength(b) > strength(a) ? b : a), cells[0])
          const seen = paletteOf(scale, false).pixels[stepOf(strongest, domain)]
          const want = cells.some(Number.isNaN) ? pixel(exceptions(false).nan) : cells.length ? seen : 0
          assert.equal(got[y * width + x], want, `${scale} ${width}x${height}: ${x}, ${y} of ${cells}`)
        }
    }
})

test('all heads are shown with their numbers; arrow keys and clicks select one', async () => {
  await show('qkv-heads', { weights: HEADS })
  const heads = page.getByRole('radio')
  await becomes(() => heads.count(), 2)
  const numbers = await page.locator('qkv-heads dd').allTextContents()
  assert.deepEqual(numbers.slice(0, 4), ['0.66 bit', '0.51', '0.80', '0.35'])
  assert.deepEqual(numbers.slice(4), ['2.00 bit', '0.25', '0.25', '0.25'])
  await heads.first().focus()
  assert.deepEqual(await events('head-focus'), [{ head: 0 }])
  await page.keyboard.press('ArrowRight')
  assert.deepEqual(await events('head-select'), [{ head: 1 }])
  await becomes(() => heads.nth(1).getAttribute('aria-checked'), 'true')
  await becomes(
    () => heads.nth(1).evaluate(element => element === /** @type {ShadowRoot} */ (element.getRootNode()).activeElement),
    true,
  )
  await heads.first().click()
  await page.mouse.move(700, 700)
  await page.waitForFunction(() => /** @type {any} */ (window).events.at(-1)[1] === null, undefined, {
    timeout: 60_000,
  })
  const log = await page.evaluate(() => /** @type {any} */ (window).events)
  const of = (/** @type {string} */ type) =>
    log.flatMap((/** @type {[string, object]} */ [name, detail]) => (name === type ? [detail] : []))
  assert.deepEqual(of('head-select'), [{ head: 0 }])
  assert.ok(
    of('head-focus').some((/** @type {any} */ detail) => detail?.head === 0),
    'pointed at',
  )
  const colour = await pixels('qkv-heads')
  assert.notDeepEqual(colour(2, 2), colour(60, 2), 'a small map is painted')
})

test('a trace of qkv shows each of its steps, and its numbers', async () => {
  const qkv = await load()
  const g = qkv.generator(1)
  const trace = qkv.trace(g.randn([2, 3, 4]), g.randn([2, 5, 4]), g.randn([2, 5, 2]), { causal: true, pastLength: 2 })
  const plain = Object.entries(trace).map(([name, { data, dims }]) => [name, { data: [...data], dims: [...dims] }])
  await show('qkv-trace', { trace: Object.fromEntries(plain), head: 1 })
  const names = await page.getByRole('tab').allTextContents()
  assert.deepEqual(names, ['scores', 'scaled', 'masked', 'maxima', 'exponentials', 'sums', 'weights', 'output'])
  await page.getByRole('button', { name: 'As table' }).click()
  const numbers = async () => {
    const texts = await page.locator('qkv-trace td:not(:empty)').allTextContents()
    return texts.map(text => text.trim().replace('−', '-').replace('-0.0000', '0.0000'))
  }
  for (const name of names) {
    await page.getByRole('tab', { name }).click()
    const { data } = trace[/** @type {'scores'} */ (name)]
    const written = (/** @type {number} */ x) =>
      x === -Infinity ? 'hidden' : x.toFixed(4).replace('-0.0000', '0.0000')
    await becomes(numbers, Array.from(data.slice(data.length / 2), written), name)
  }
  await page.getByRole('radio').first().click()
  await becomes(async () => (await numbers())[0], trace.output.data[0].toFixed(4), 'another head')
})

test("a layer's trace shows its steps, too", async () => {
  const qkv = await load()
  const layer = multiheadAttention(qkv.generator(1), 8, 2)
  const { steps } = layer.trace(qkv.generator(2).randn([5, 8]))
  const plain = steps.map(({ name, axes, tensor }) => ({
    name,
    axes,
    tensor: { data: [...tensor.data], dims: [...tensor.dims] },
  }))
  await show('qkv-trace', { trace: { steps: plain } })
  await becomes(
    () => page.getByRole('tab').allTextContents(),
    steps.map(({ name }) => name),
  )
  for (let i = 0; i < steps.length; i++) await page.getByRole('tab').nth(i).click()
  await becomes(() => page.locator('qkv-trace .problem').count(), 0)
})

test('pictures are SVG with text as text, and PNG', async () => {
  await showAll()
  const pictures = await page.evaluate(async () => {
    const all = []
    for (const element of /** @type {any} */ (document.querySelectorAll('qkv-heatmap, qkv-heads, qkv-trace'))) {
      const svg = await element.toSVG()
      const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml')
      const png = new Uint8Array(await (await element.toPNG()).arrayBuffer())
      const { width } = await createImageBitmap(new Blob([png], { type: 'image/png' }))
      const isBroken = parsed.querySelector('parsererror') !== null
      const texts = Array.from(parsed.querySelectorAll('text'), text => text.textContent)
      const font = parsed.documentElement.getAttribute('font-family')
      const wide = Number(parsed.documentElement.getAttribute('width'))
      all.push({ isBroken, texts, font, images: parsed.querySelectorAll('image').length, ratio: width / wide })
    }
    return all
  })
  assert.equal(pictures.length, 8)
  for (const { isBroken, font, ratio } of pictures) {
    assert.ok(!isBroken)
    assert.match(font ?? '', /sans-serif/)
    assert.ok(Math.abs(ratio - 2) < 0.01, 'a PNG is twice as fine')
  }
  const [heads, map] = pictures
  assert.ok(heads.texts.includes('entropy 0.66 bit'))
  assert.deepEqual(map.texts.filter(text => /^\d\.\d{4}$/.test(text ?? '')).map(Number), WEIGHTS.data)
  for (const word of [...WORDS, 'keys →', '← queries']) assert.ok(map.texts.includes(word), word)
})

test('the picture of a large map contains its cells as one image, with a note', async () => {
  const element = await show('qkv-heatmap', { matrix: { data: Array(160_000).fill(0.5), dims: [400, 400] } })
  const svg = await element.evaluate(map => map.toSVG())
  assert.equal(svg.match(/<image /g)?.length, 1)
  assert.match(svg, /<desc>The 400 by 400 cells are one embedded image/)
  const size = await page.evaluate(async source => {
    const href =
      new DOMParser().parseFromString(source, 'image/svg+xml').querySelector('image')?.getAttribute('href') ?? ''
    const bytes = Uint8Array.from(atob(href.split(',')[1]), letter => letter.charCodeAt(0))
    const { width, height } = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    return [width, height]
  }, svg)
  assert.deepEqual(size, [400, 400], 'at full resolution')
})

test('tokens are text, whatever they hold', async () => {
  const size = HOSTILE.length
  const matrix = { data: Array(size * size).fill(1 / size), dims: [size, size] }
  const tokens = { rowTokens: HOSTILE, columnTokens: HOSTILE, label: HOSTILE[0] }
  await show('qkv-heatmap', { matrix, ...tokens })
  await show('qkv-heatmap', { matrix, ...tokens, asTable: true })
  await show('qkv-heads', { weights: { data: matrix.data, dims: [1, size, size] }, names: [HOSTILE[0]] })
  await show('qkv-trace', { trace: { weights: matrix }, queryTokens: HOSTILE })
  const found = await page.evaluate(async () => {
    const roots = Array.from(document.querySelectorAll('main > *'), ({ shadowRoot }) => shadowRoot)
    const elements = Array.from(/** @type {any} */ (document.querySelectorAll('main > :not(h1)')))
    const svgs = await Promise.all(elements.map(element => element.toSVG()))
    const pictures = svgs.map(svg => new DOMParser().parseFromString(svg, 'image/svg+xml'))
    return {
      strange: roots.reduce((sum, root) => sum + (root?.querySelectorAll('img, script').length ?? 0), 0),
      broken: pictures.filter(picture => picture.querySelector('parsererror, script, img')).length,
      names: Array.from(roots[2]?.querySelectorAll('th[scope=row]') ?? [], th => th.textContent),
      narrow: document.documentElement.scrollWidth <= innerWidth,
    }
  })
  assert.deepEqual(
    { strange: found.strange, broken: found.broken, narrow: found.narrow },
    { strange: 0, broken: 0, narrow: true },
  )
  assert.deepEqual(found.names.slice(0, 5), HOSTILE.slice(0, 5))
  assert.equal(found.names[7], '↵⇥␣', 'blanks can be seen')
})

test('a page can pass its texts, and no English is left', async () => {
  const texts = await page.evaluate(async () => {
    const source = '/dist/elements.js'
    const { texts: english } = await import(source)
    return Object.fromEntries(
      Object.entries(/** @type {Record<string, string>} */ (english)).map(([key, text]) => [
        key,
        (text.match(/\{\w+\}/g) ?? []).join('·') || '词',
      ]),
    )
  })
  const tokens = ['甲', '乙', '丙', '丁']
  await show('qkv-heatmap', { matrix: WEIGHTS, texts, rowTokens: tokens, columnTokens: tokens, label: '图' })
  await show('qkv-heads', { weights: HEADS, texts })
  const english = await page.evaluate(async () => {
    const elements = Array.from(/** @type {any} */ (document.querySelectorAll('main > :not(h1)')))
    const words = elements.map(async element => {
      const shadow = element.shadowRoot
      const attributes = Array.from(shadow.querySelectorAll('*'), (/** @type {any} */ node) => [
        node.getAttribute('aria-label'),
        node.getAttribute('title'),
      ])
      const svg = new DOMParser().parseFromString(await element.toSVG(), 'image/svg+xml')
      const drawn = Array.from(svg.querySelectorAll('text'), text => text.textContent)
      return [shadow.textContent, ...attributes.flat(), ...drawn].join(' ').match(/[a-z]{2,}/gi) ?? []
    })
    return (await Promise.all(words)).flat()
  })
  assert.deepEqual(english, [])
})

test('colours follow the page when it turns dark', async () => {
  const element = await show('qkv-heatmap', { matrix: { data: [0], dims: [1, 1] }, legend: false })
  const ground = () => element.evaluate(async map => (await map.toSVG()).match(/fill="(rgb[^"]+)"/)?.[1])
  await becomes(ground, 'rgb(255, 255, 255)')
  await page.evaluate(() => {
    document.documentElement.style.colorScheme = 'dark'
  })
  await becomes(ground, 'rgb(18, 18, 18)')
  await page.evaluate(() => {
    document.documentElement.style.colorScheme = ''
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('qkv-heatmap { --qkv-paper: rgb(1, 2, 3) }')
    document.adoptedStyleSheets = [sheet]
    document.documentElement.className = 'other'
  })
  await becomes(ground, 'rgb(1, 2, 3)')
})

test('tensors and lists can be attributes in JSON; other text gives a message', async () => {
  await page.evaluate(() => {
    const main = document.querySelector('main') ?? document.body
    const dims = [2, 2]
    const map = document.createElement('qkv-heatmap')
    map.setAttribute('matrix', JSON.stringify({ data: [1, 0, 0.6, 0.4], dims }))
    map.setAttribute('mask', JSON.stringify({ data: [true, false, true, true], dims }))
    map.setAttribute('row-tokens', '["eat", "dessert"]')
    map.setAttribute('column-tokens', '["eat", "dessert"]')
    const heads = document.createElement('qkv-heads')
    heads.setAttribute('weights', JSON.stringify({ data: [1, 0, 0.6, 0.4], dims: [1, 2, 2] }))
    heads.setAttribute('names', '["the only one"]')
    heads.setAttribute('notes', '["looks back"]')
    main.append(map, heads)
  })
  const described = () =>
    page.locator('qkv-heatmap').evaluate(map => {
      const { describe } = /** @type {any} */ (map)
      return [describe.call(map, { row: 1, column: 0 }), describe.call(map, { row: 0, column: 1 })]
    })
  await becomes(described, ['dessert to eat: 0.6000', 'eat to dessert: hidden (0.0000)'])
  await becomes(() => page.locator('qkv-heads').getByRole('radio').count(), 1)
  await becomes(() => page.locator('qkv-heads').getByText('the only one').count(), 1)
  await becomes(() => page.locator('qkv-heads').getByText('looks back').count(), 1)
  const said = () => page.locator('qkv-heatmap [part="problem"], qkv-heatmap [part="empty"]').allTextContents()
  /** @param {string | null} text of the attribute */
  const set = text =>
    page
      .locator('qkv-heatmap')
      .evaluate((map, own) => (own === null ? map.removeAttribute('matrix') : map.setAttribute('matrix', own)), text)
  await set('[object Object]')
  await becomes(said, ['Expected a tensor { data, dims }, got string.'])
  await set(null)
  await becomes(said, ['Nothing to show yet.'])
})

test('an option of another form gives a sentence with an example, and the element draws again when it is unset', async () => {
  const matrix = JSON.stringify({ data: [1, 0, 0.6, 0.4], dims: [2, 2] })
  const three = JSON.stringify({ data: [1, 0, 0.6, 0.4], dims: [1, 2, 2] })
  const square = { data: [1, 0, 0.6, 0.4], dims: [2, 2] }
  const flow = { queries: square, keys: square, values: square, scores: square, weights: square, output: square }
  const trace = `{"scores": ${three}, "weights": ${three}}`
  /** Each case has an element, its valid attributes, the name and value of an invalid one, and the message that the element shows. @type {[string, Record<string, string>, string, string, string][]} */
  const cases = [
    ['qkv-heatmap', { matrix }, 'domain', '0,4', 'Expected domain like [0,1], got 0,4.'],
    ['qkv-heatmap', { matrix }, 'domain', '[null,null]', 'Expected domain like [0,1], got ,.'],
    ['qkv-heatmap', { matrix }, 'row-tokens', 'eat,dessert', 'Expected rowTokens like ["a","b"], got eat,dessert.'],
    ['qkv-heatmap', { matrix }, 'column-tokens', '{}', 'Expected columnTokens like ["a","b"], got [object Object].'],
    ['qkv-heatmap', { matrix }, 'scale', 'rainbow', 'Expected scale like "diverging", got rainbow.'],
    ['qkv-heatmap', { matrix }, 'decimals', '-1', 'Expected decimals like 4, got -1.'],
    ['qkv-heads', { weights: three }, 'domain', '0,4', 'Expected domain like [0,1], got 0,4.'],
    ['qkv-heads', { weights: three }, 'names', 'a,b', 'Expected names like ["a","b"], got a,b.'],
    ['qkv-heads', { weights: three }, 'side', 'wide', 'Expected side like 72, got NaN.'],
    ['qkv-trace', { trace }, 'query-tokens', 'a,b', 'Expected queryTokens like ["a","b"], got a,b.'],
    ['qkv-trace', { trace }, 'trace', '[object Object]', 'Expected a tensor { data, dims }, got string.'],
    ['qkv-flow', { trace: JSON.stringify(flow) }, 'key-tokens', 'a', 'Expected keyTokens like ["a","b"], got a.'],
    ['qkv-deep-map', {}, 'domain', '0,4', 'Expected domain like [0,1], got 0,4.'],
  ]
  for (const [tag, right, name, value, want] of cases) {
    const said = await page.evaluate(
      async ([tag, right, name, value]) => {
        const element = /** @type {any} */ (document.createElement(tag))
        for (const [key, text] of Object.entries(right)) element.setAttribute(key, text)
        const tile = (/** @type {any} */ { resolution: [rows, columns] }) => ({
          data: new Float32Array(rows * columns),
          dims: [rows, columns],
        })
        if (tag === 'qkv-deep-map') element.source = { rows: 4, columns: 4, tile }
        document.querySelector('main')?.append(element)
        await element.updateComplete
        const old = element.getAttribute(name)
        const problem = () => element.shadowRoot.querySelector('[part=problem]')?.textContent
        const drawn = () => element.shadowRoot.querySelectorAll('canvas, qkv-heatmap').length
        const before = drawn()
        element.setAttribute(name, value)
        await element.updateComplete
        await element.toSVG()
        const found = [problem(), drawn()]
        if (old === null) element[name.replace(/-./, (/** @type {string} */ at) => at[1].toUpperCase())] = undefined
        else element.setAttribute(name, old)
        await element.updateComplete
        const isSame = drawn() === before && problem() === undefined
        element.remove()
        return [before > 0, ...found, isSame]
      },
      /** @type {const} */ ([tag, right, name, value]),
    )
    assert.deepEqual(said, [true, want, 0, true], `${tag} ${name}`)
  }
})

for (const colorScheme of /** @type {const} */ (['light', 'dark']))
  test(`axe finds nothing, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(() => {
      document.body.style.background = 'Canvas' // axe assumes a white background if the page has none
    })
    await showAll()
    const violations = await page.evaluate(
      async () => (await /** @type {any} */ (window).axe.run({ resultTypes: ['violations'] })).violations,
    )
    assert.deepEqual(
      violations.map((/** @type {any} */ { id, nodes }) => [id, nodes.map((/** @type {any} */ node) => node.html)]),
      [],
    )
  })

test('the example page shows weights that did not come from qkv', async () => {
  await page.goto(`${url}web/elements/example.html`)
  const { data, dims } = JSON.parse(await readFile(new URL('../../web/elements/example.json', import.meta.url), 'utf8'))
  for (const head of [1, 0]) {
    await page.getByRole('radio').nth(head).click()
    const told = () =>
      page.locator('qkv-heatmap').evaluate(map => /** @type {any} */ (map).describe({ row: 8, column: 1 }))
    await becomes(told, `it to animal: ${data[(head * dims[1] + 8) * dims[2] + 1].toFixed(4)}`)
  }
})
