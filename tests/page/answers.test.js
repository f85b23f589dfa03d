// Asks twelve questions of a first-time reader about One layer, in an open page, from the first screen or from a link. questions.test.js asks
// eighteen, each in a fresh page. Each test finds the answer as a reader would. It compares the numbers on the page with those of the core in Node,
// or with those of the PyTorch program.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { qkvCode } from '../../web/rooms/layer/programs/node.js'
import { pytorchCode } from '../../web/rooms/layer/programs/pytorch.js'
import { change, edit } from '../../web/rooms/layer/settings.js'
import { near } from './article-goldens.js'
import { plain, printed, settled } from './browser.js'
import { traced } from './cases.js'
import { becomes, choose, chooseView, follow, go, LAYER, page, reads, set, text, until, usePage } from './open.js'

const qkv = await load()
usePage({ hash: null })
const SENTENCE = ['Life', 'is', 'short', 'eat', 'dessert', 'first']

/** Formats a share as the page does. @param {number} x */
const share = x => `${(100 * x).toFixed(1)}%`
/** Parses a number as the page prints it. @param {string} text */
const number = text => Number(text.replace('−', '-'))
/** Computes the core's numbers for a preset. @param {import('../../web/rooms/layer/presets.js').PresetId} preset */
const expected = preset => traced(settingsOf(preset)).tensors

const MOST_CLICKS = 3

/** Makes the page count clicks. A choice in a list counts as two, a change of a slider as one. */
const count = () =>
  page.evaluate(() => {
    let clicks = 0
    addEventListener('pointerdown', () => clicks++, true)
    addEventListener('change', ({ target }) => {
      if (target instanceof HTMLSelectElement) clicks += 2
      if (target instanceof HTMLInputElement && target.type === 'range') clicks++
    })
    Object.assign(window, { clicks: () => clicks })
  })

/** @type {{ question: string, answer: () => Promise<void>, link: string }[]} */
const QUESTIONS = []

/**
 * Adds a question that `answer` answers, starting from the first screen or from `link`.
 * @param {string} question
 * @param {() => Promise<void>} answer
 * @param {string} [link]
 */
const asks = (question, answer, link = LAYER) => QUESTIONS.push({ question, answer, link })

/** Opens a stop of the tour from the menu in the header. @param {number} stop */
async function tour(stop) {
  await page.click('#tour-start > summary')
  await page.click(`#tour-start [data-item="${stop}"]`)
  await page.locator(`#tour[data-stop="${stop}"]`).waitFor()
  await settled(page)
}

asks('1. which word does eat attend to most? Its word says it, under the pointer or tapped', async () => {
  const row = expected('heads').weights?.data.slice(18, 24) ?? []
  const order = [0, 1, 2, 3, 4, 5].sort((a, b) => row[b] - row[a])
  await page.hover('[data-word="queries:3"] >> nth=0')
  await reads('.answer-first', /^eat/)
  const [first, second] = order
  await reads(
    '.answer-first',
    `eat looks at all almost evenly, most at ${SENTENCE[first]} (${share(row[first])}), then ${SENTENCE[second]} (${share(row[second])}). Even share: 16.7%.`,
  )
  await page.mouse.move(2, 2)
  await reads('.answer-first', /^is/)
  await page.click('[data-word="queries:3"] >> nth=0')
  const listed = page.locator('.shares').first()
  await becomes(
    async () => (await listed.locator('.share-name').allTextContents()).map(plain),
    order.slice(0, 5).map(i => SENTENCE[i]),
  )
  await becomes(
    async () => (await listed.locator('.share-number').allTextContents()).map(plain),
    order.slice(0, 5).map(i => share(row[i])),
  )
})

asks(
  '2. where does 0.6870 come from? Its chain is below it, down to a random number of the seed, and Back',
  async () => {
    await reads('.panel .total', '= 0.6870')
    const chain = (await page.locator('#chain .factor').allTextContents()).map(number)
    const { masked, scaled, scores, Q, X } = expected('heads')
    const [q, x] = chain.slice(3)
    near(
      chain.slice(0, 3),
      [masked, scaled, scores].map(tensor => Number(tensor?.at(0, 1, 1))),
      5e-5,
      'M, S over root d, S',
    )
    assert.ok(
      Array.from(Q?.data.slice(2, 4) ?? []).some(each => Math.abs(each - q) < 5e-5),
      `${q} is of the query of is`,
    )
    assert.ok(
      Array.from(X?.data.slice(3, 6) ?? []).some(each => Math.abs(each - x) < 5e-5),
      `${x} is of the row of is`,
    )
    await page.locator('#chain .factor').last().click()
    await becomes(async () => number((await text('.panel .total')).slice(2)), x)
    await reads('.panel .steps', /random number: column \d of row 4 in the table .* drawn from seed 123/)
    await page.locator('#chain').waitFor({ state: 'detached' })
    await page.click('#inspector-back')
    await page.locator('#chain').waitFor()
    await reads('.panel .total', '= 0.6870')
  },
)

asks(
  '3. why divide by sqrt(d)? A slider: the spread grows as sqrt(d), softmax saturates, the gradient fades',
  async () => {
    await tour(1)
    await reads('#tour-text', /spread like √d; dividing keeps softmax.* from picking a single word/)
    const read = async () => {
      const [deviation] = (await text('#distribution-deviation')).match(/by [\d.]+/) ?? []
      const of = async (/** @type {string} */ side) => ({
        most: Number.parseFloat(await text(`[data-side="${side}"] .distribution-most`)),
        gradient: number(await text(`[data-side="${side}"] .distribution-gradient`)),
      })
      return {
        d: await text('label[for="distribution-d"] output'),
        deviation: Number(deviation?.slice(3)),
        plain: await of('plain'),
        scaled: await of('scaled'),
      }
    }
    const spread = (/** @type {number} */ d) => {
      const generator = qkv.generator(123)
      const scores = qkv.matmul(generator.randn([64, d]), generator.randn([64, d]).T)
      return Math.sqrt(scores.data.reduce((sum, x) => sum + x * x, 0) / scores.data.length)
    }
    await until(async () => {
      const { d, deviation } = await read()
      near([deviation], [spread(Number(d))], 0.006, `spread at d = ${d}`)
    })
    await page.locator('#distribution-d').focus()
    await page.keyboard.press('End')
    await reads('label[for="distribution-d"] output', '1024')
    await until(async () => {
      const { deviation, plain, scaled } = await read()
      near([deviation], [spread(1024)], 0.006, 'spread at d = 1024')
      assert.ok(plain.most > 99 && scaled.most < 80, `${plain.most} and ${scaled.most}`)
      assert.ok(plain.gradient < scaled.gradient / 10, `${plain.gradient} and ${scaled.gradient}`)
    })
  },
)

asks(
  '3. why divide by sqrt(d)? A scaled score is a click away from it',
  async () => {
    await page.click('#why-root')
    await page.locator('#distribution-d').waitFor()
  },
  '#2&cell=scaled.0.0.1',
)

asks(
  '4. what does the mask remove, and why do rows still sum to 1? Three rows, exponential by exponential',
  async () => {
    await tour(2)
    await reads(
      '#tour-text',
      /Hidden cells: 15 of 36; in the row of is: short, eat, dessert, first\..*Each row still sums to 1, because what is left is divided by its own sum/,
    )
    await becomes(() => page.locator('.algebra-row').count(), 3)
    const rows = await page.locator('.algebra-row').all()
    const want = expected('causal').weights?.data ?? []
    for (const [i, row] of rows.entries()) {
      const cells = (await row.locator('tbody tr').allTextContents()).map(plain)
      assert.equal(cells.length, 6)
      const last = (await row.locator('tbody td:last-child').allTextContents()).map(Number)
      near(last, Array.from(want.slice(6 * i, 6 * i + 6)), 1e-4, `row ${i}`)
      const [exponentials, sums] = [await row.locator('tbody td:nth-of-type(1)').allTextContents(), (await row.locator('thead th').allTextContents()).map(text => Number(text.replace('÷', '')))] // biome-ignore format: pairs
      const kept = exponentials.map(Number).filter((_, n) => n <= i)
      near([kept.reduce((a, b) => a + b)], [sums[2]], 5e-4, 'the sum of what is left')
      near([exponentials.map(Number).reduce((a, b) => a + b)], [sums[1]], 5e-4, 'the sum of all')
    }
    const extremes = await page.locator('#extremes tbody tr').allTextContents()
    assert.deepEqual(extremes.map(plain), ['NaN1.0000nan', '1e301.00000.0000'], 'before: not touched; after: lost')
  },
)

asks(
  '5. does token 3 see token 5? Click the one, Shift-click the other: no, the rule, and the proof',
  async () => {
    await page.click('[data-word="queries:2"] >> nth=0')
    await page.click('[data-word="queries:4"] >> nth=0', { modifiers: ['Shift'] })
    await page.locator('#sees-answer').waitFor()
    await reads('#inspector h2', /^short/)
    await reads('#sees-answer', /^No\. Key “?dessert.* comes after query.*does not change, not even in the last bit/)
    await page.click('[data-word="queries:0"] >> nth=0', { modifiers: ['Shift'] })
    await reads('#sees-answer', /Yes\./)
    const weight = Number(expected('causal').weights?.at(0, 2, 0))
    await reads('#sees-answer', new RegExp(`^Yes\\. short sees Life.*${share(weight)}.*changes by \\d`))
  },
  '#2&heads=1&dValue=4&mask=causal',
)

asks('6. what differs between heads? A sentence each; the largest differences of two, with one click', async () => {
  const notes = () => page.locator('qkv-heads').evaluate(heads => /** @type {any} */ (heads).notes)
  await becomes(async () => (await notes()).length, 4)
  await becomes(async () => (await notes())[1], /looks most at itself \(33\.8%\); sharpest: 2\.07 bit/)
  const data = expected('heads').weights?.data ?? new Float32Array()
  const both = Array.from(data.slice(0, 36), (x, i) => x - data[36 + i])
  await chooseView('difference')
  await page.locator('#largest-differences').waitFor()
  const most = Math.max(...both.map(Math.abs))
  const at = both.findIndex(x => Math.abs(x) === most)
  await becomes(
    async () =>
      (await text('#largest-differences')).startsWith(
        `Largest: “\u2068${SENTENCE[Math.floor(at / 6)]}\u2069” to “\u2068${SENTENCE[at % 6]}\u2069” (${both[at] < 0 ? '−' : '+'}${most.toFixed(4)})`,
      ),
    true,
  )
})

asks(
  '6. under a causal mask no head of the article is even; heads of random words are, and none of them is the sharpest',
  async () => {
    const notes = () => page.locator('qkv-heads').evaluate(heads => /** @type {any} */ (heads).notes.join('\n'))
    await becomes(notes, /sharpest: 1\.28 bit/)
    assert.doesNotMatch(await notes(), /evenly/)
    await choose('layer')
    await becomes(notes, /almost evenly.*; 5\.72 bit/)
    assert.doesNotMatch(await notes(), /sharpest/)
  },
  '#2&mask=causal',
)

asks('8. cross-attention: rows are words that ask, columns words that answer', async () => {
  await tour(5)
  const map = () =>
    page.locator('#map').evaluate(map => {
      const { rowTokens, columnTokens, rowTitle, columnTitle } = /** @type {any} */ (map)
      return { rowTokens, columnTokens, rowTitle, columnTitle }
    })
  const columns = ['一套 a', '自动 autonomous', '驾驶 driving', '解决 solve', '方案 plan']
  await becomes(async () => (await map()).columnTokens, columns, 'a gloss stands behind each word')
  await becomes(async () => (await map()).rowTokens, ['an', 'autonomous', 'driving', 'solution'])
  await becomes(async () => Object.values(await map()).join(' '), /queries.*keys/)
  await reads('#tour-text', /Rows are the words that ask \(4\), columns the words that answer \(5\)/)
  await page.locator('[data-word="keys:4"][data-gloss="plan"]').first().waitFor()
  const want = Array.from(expected('translation').weights?.data.slice(0, 20) ?? [])
  await until(async () => near((await printed(page, 'weights')).map(Number), want, 6e-5, 'weights'))
})

asks('9. a waist of 62 gives 112.5: the query, the keys near it, their average', async () => {
  await page.click('#examples > summary')
  await page.click('#examples [data-item="waistline"]')
  const want = [Number(expected('waistline').output?.data[0])]
  await until(async () => near((await printed(page, 'output')).map(Number), want, 6e-5, 'output'))
  await reads('.plot-answer', /62 → 112\.5000/)
})

async function induction() {
  await page.click('#examples > summary')
  await page.click('#examples [data-item="handBuilt"]')
  await page.click('#sentence')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('red fox ran red')
  await reads('#induction', /induction head/)
  const { weights } = traced(change(settingsOf('handBuilt'), { sentence: 'red fox ran red' })).tensors
  const at = Number(weights?.at(3, 3, 1))
  await reads(
    '#induction',
    new RegExp(`red₁ came first, followed by fox\\. At red₄ the head gives ${share(at).replace('.', '\\.')} to fox`),
  )
  assert.ok(at > 0.9)
}
asks('10. what does an induction head do? By its name, on a sentence of one’s own', induction)

asks(
  '11. what happens if a weight of W_q grows? Scores and weights move as the gradient says',
  async () => {
    const own = settingsOf('self')
    const cell = /** @type {const} */ ({ matrix: 'Wq', head: 0, row: 0, column: 0 })
    const value = Number(traced(own).tensors.Wq?.data[0])
    // The core computes scores and weights for a slightly larger and a slightly smaller W_q[0][0]. The page's gradients must equal the difference
    // quotients.
    const h = 0.002
    const [more, less] = [h, -h].map(by => traced(edit(own, cell, value + by)).tensors)
    await becomes(() => page.locator('#sensitivity tbody tr').count(), 6)
    const lines = await page
      .locator('#sensitivity tbody tr')
      .evaluateAll(rows =>
        rows.map(row => Array.from(row.children, each => (each.textContent ?? '').trim().replace('−', '-'))),
      )
    const said = await text('#sensitivity')
    const row = SENTENCE.findIndex(each => said.includes(`the query ${each} changes`))
    assert.ok(row >= 0 && lines.length === 6, said)
    for (const [name, score, weight] of lines) {
      const slope = (/** @type {'scaled' | 'weights'} */ matrix) => {
        const at = (/** @type {import('../../web/rooms/layer/numbers/index.js').Tensors} */ tensors) =>
          Number(tensors[matrix]?.at(0, row, SENTENCE.indexOf(name)))
        return (at(more) - at(less)) / (2 * h)
      }
      near([Number(score)], [slope('scaled')], 5e-4, `the score of ${name}`)
      near([Number(weight)], [slope('weights')], 5e-4, `the weight of ${name}`)
    }
    // Typing the number changes the map.
    await page.click('#set')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('1.5')
    await page.keyboard.press('Enter')
    const typed = traced(edit(own, cell, 1.5)).tensors
    const want = Array.from(typed.weights?.data ?? [])
    await until(async () => near((await printed(page, 'weights')).map(Number), want, 6e-5, 'weights'))
  },
  '#2&heads=1&dValue=4&cell=Wq.0.0.0',
)

asks('12. how to get these numbers in PyTorch? The programs are shown before they are copied, and follow', async () => {
  await page.click('#more > summary')
  await page.click('#to-code')
  // tests/page/code.test.js runs the same program in PyTorch, and compares what it prints.
  await becomes(() => page.locator('#code-pytorch').textContent(), pytorchCode(traced(settingsOf('heads'))))
  await page.locator('#code-pytorch').waitFor()
  await page.click('summary:has-text("JavaScript")')
  await page.locator('#code-qkv').waitFor()
  await becomes(() => page.locator('#code-qkv').textContent(), qkvCode(traced(settingsOf('heads'))))
  await page.fill('#sentence', 'one two')
  const other = traced(change(settingsOf('heads'), { sentence: 'one two' }))
  await becomes(() => page.locator('#code-pytorch').textContent(), pytorchCode(other), 'it follows')
})

test('twelve questions of a first-time reader are answered within three clicks each', async t => {
  await go(LAYER)
  for (const { question, answer, link } of QUESTIONS) {
    t.diagnostic(question)
    await page.mouse.move(0, 0)
    await follow(link)
    await count()
    await answer()
    const clicks = await page.evaluate(() => /** @type {any} */ (window).clicks())
    assert.ok(clicks <= MOST_CLICKS, `${question}: ${clicks} clicks`)
  }
})

/** Waits until the page has scrolled the top of an element into the viewport. @param {string} selector */
const inView = selector =>
  becomes(
    () =>
      page.locator(selector).evaluate(element => {
        const { top } = element.getBoundingClientRect()
        return top >= 0 && top < innerHeight
      }),
    true,
  )

test('the things that a first-time reader looks for are in sight: whole questions, the way down the page, two equal shares once', async () => {
  await go(LAYER)
  const { width } = page.viewportSize() ?? assert.fail()
  await page.click('#tour-start > summary')
  await until(async () => {
    const list = (await page.locator('#tour-start .menu-list').boundingBox()) ?? assert.fail()
    assert.ok(list.x >= 0 && list.x + list.width <= width, `the menu of the tour: ${list.x} to ${list.x + list.width}`)
  })
  await page.keyboard.press('Escape')
  for (const [item, part] of [
    ['#to-cost', '#cost'],
    ['#to-float64', '#badge'],
  ]) {
    await page.click('#more > summary')
    await page.click(item)
    await inView(part)
  }
  await page.click('[data-step="masked"]')
  await page.click('#to-matrices')
  await inView('#step-masked')
  await follow('#2&sentence=go+go+go')
  await reads('.answer-first', /almost evenly, most at itself and go₂ \(33\.3% each\)\./)
})

test('the tour has seven stops, each with a link, a question and live words, in both languages', async () => {
  await go(LAYER)
  for (const [language, reducedMotion] of /** @type {const} */ ([
    ['en', 'no-preference'],
    ['zh', 'reduce'],
  ])) {
    await page.emulateMedia({ reducedMotion })
    await set('language', language)
    await tour(1)
    for (let stop = 1; stop <= 7; stop++) {
      await page.locator(`#tour[data-stop="${stop}"]`).waitFor()
      await until(async () => {
        const said = await text('#tour')
        assert.ok(said.length > 30 && !/undefined|\{\w+\}|NaN/.test(said), said)
      })
      // At each stop, badge 1 marks the subject of its text, which is in sight. Badge 2 marks the control for the stop's task, if it has one. The
      // task is not done yet.
      const marks = () =>
        page.evaluate(() => {
          const [marked, ...others] = document.querySelectorAll('[data-tour="1"]')
          const dock = document.querySelector('.dock')?.getBoundingClientRect()
          if (!marked || !dock) return 'nothing is marked'
          const { top, bottom } = marked.getBoundingClientRect()
          const [from, to] = dock.top > innerHeight / 2 ? [0, dock.top] : [dock.bottom, innerHeight]
          const count = (/** @type {string} */ selector) => document.querySelectorAll(selector).length
          return {
            others: others.length,
            isInSight: Math.min(bottom, to) - Math.max(top, from) > Math.min(60, bottom - top - 8),
            badge: document.querySelector('#tour .guide-badge')?.textContent?.trim(),
            hasItsThing: count('[data-tour="2"]') === Number(count('#tour-do') === 1),
            done: document.querySelector('#tour-done')?.textContent?.trim(),
          }
        })
      await becomes(marks, { others: 0, isInSight: true, badge: '1', hasItsThing: true, done: '' }, `stop ${stop}`)
      if (stop < 7) await page.click('#tour-next')
    }
    await becomes(() => page.locator('#tour-next').count(), 0)
    await page.waitForFunction(() => /tour=7/.test(location.hash))
    await page.click('#tour-leave')
    await page.locator('#tour').waitFor({ state: 'detached' })
  }
  await page.evaluate(() => localStorage.clear())
})

// store.test.js does the task of every stop, and leaves the tour with the earlier settings.
test('a stop of the tour detects when its task is done, leads to its control, and explains its terms', async () => {
  await go('#2&tour=7')
  await reads('#tour-done', '')
  await page.click('#tour-do')
  await page.waitForFunction(() => (document.querySelector('[data-tour="2"]')?.getBoundingClientRect().top ?? -1) >= 0)
  await page.fill('#sentence', 'red fox ran red')
  await reads('#tour-done', 'Done.')
  await follow('#2&tour=1')
  await reads('#tour-done', '')
  await page.locator('#distribution-d').press('ArrowRight')
  await reads('#tour-done', 'Done.')
  const term = page.locator('#tour [data-term="softmax"]')
  await term.locator('button').click()
  await reads('#tour [data-term="softmax"] .term-text', /Turns a row of scores into shares/)
  await becomes(
    async () => {
      const box = await term.locator('.term-text').boundingBox()
      return box && box.y >= 0 && box.y + box.height <= 900
    },
    true,
    'it is in sight',
  )
})

test('no bar covers the inspector, at four sizes, with the tour and without, above and below', async () => {
  /** Returns the elements that cover the panel while the page scrolls down, found at points inside it. */
  const covers = () =>
    page.evaluate(async () => {
      const panel = /** @type {Element} */ (document.querySelector('#inspector'))
      const found = new Set()
      for (const share of [0, 0.1, 0.5, 1]) {
        scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight))
        await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        const { left, right, top, bottom } = panel.getBoundingClientRect()
        for (let x = left + 12; x < right - 8; x += 40)
          for (let y = Math.max(top, 0) + 8; y < Math.min(bottom, innerHeight) - 4; y += 16) {
            const seen = document.elementFromPoint(x, y)
            if (!seen || panel.contains(seen)) continue
            found.add(`${seen.closest('[id], [class]')?.className} at ${x}, ${y}, ${share} down`)
          }
      }
      return [...found].slice(0, 3)
    })
  await go(LAYER)
  for (const [width, height] of [[1440, 900], [1920, 1080], [1100, 700], [360, 780]]) // biome-ignore format: one line
    for (const hash of ['#2&cell=weights.0.1.1', '#2&tour=3']) {
      await page.setViewportSize({ width, height })
      await follow(hash)
      await becomes(covers, [], `${width} by ${height}, ${hash}`)
    }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.locator('#tour[data-stop="3"]').waitFor()
  const isFree = () =>
    page.locator('#inspector-close').evaluate(button => {
      const { x, y, width, height } = button.getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2) === button
    })
  await becomes(isFree, true, 'the badge leaves Close free')
})

test('no bar covers the subject of a stop of the tour, at four sizes', async () => {
  /** Selectors of the subjects of stops whose subject is not the element with badge 1. Stop 4 is about the difference of two heads. @type {Record<number, string>} */
  const PARTS = { 2: '#algebra', 4: '#difference', 5: '#map' }
  await page.emulateMedia({ reducedMotion: 'reduce' }) // so that scrolling ends at once
  await go(LAYER)
  for (const [width, height] of [
    [1440, 900],
    [1280, 800],
    [1024, 768],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height })
    for (let stop = 1; stop <= 7; stop++) {
      await follow(`#2&tour=${stop}`)
      await page.locator(`#tour[data-stop="${stop}"]`).waitFor()
      const part = PARTS[stop] ?? '[data-tour="1"]'
      /** Returns true if the bars leave enough of the stop's subject visible, else how much. A map is counted without its legend. */
      const seen = () =>
        page.evaluate(selector => {
          const part = document.querySelector(selector)
          if (!part) return 'it is not there'
          const { top, bottom, left } = (part.shadowRoot?.querySelector('canvas') ?? part).getBoundingClientRect()
          const isBar = (/** @type {number} */ y) => {
            const at = document.elementFromPoint(left + 24, y)
            return !at || Boolean(at.closest('.dock, .top') ?? (!part.closest('.side') && at.closest('.side')))
          }
          const rows = Array.from({ length: innerHeight / 4 }, (_, i) => 4 * i + 2)
          const free = rows.filter(y => !isBar(y))
          const own = free.filter(y => y >= top && y < bottom).length * 4
          return (
            own >= Math.min(bottom - top, free.length * 4 - 80) - 8 ||
            `${own} of ${bottom - top}, free ${free.length * 4}`
          )
        }, part)
      await becomes(seen, true, `stop ${stop}, ${width} by ${height}`)
    }
  }
})

test('a link to a stop of the tour opens it', async () => {
  await go('#2&tour=3')
  await page.locator('#tour[data-stop="3"]').waitFor()
  await reads('#tour-text', /Does short \(word 3\) see dessert \(word 5\)\? No\./)
  await go('#2&tour=2')
  await page.waitForFunction(() => {
    const { top = 1e9 } = document.querySelector('#algebra[data-tour="1"]')?.getBoundingClientRect() ?? {}
    return top >= 0 && top < innerHeight / 2
  })
})
