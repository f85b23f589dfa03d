// Tests cross-attention on the page: two sentences (article 003), and the curve of the weighted average (article 004).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { embeddingLayer, multiheadAttention } from 'qkv/nn'
import { tokenize } from '../../web/rooms/layer/tokenize.js'
import { goldenCase, near } from './article-goldens.js'
import { plain, printed, settled } from './browser.js'
import { becomes, choose, follow, page, reads, set, text, type, until, usePage } from './open.js'

usePage()
const qkv = await load()

/** Returns all weights that the page shows, head after head. */
const weights = () =>
  page.evaluate(() => {
    const heads = /** @type {any} */ (document.querySelector('qkv-heads'))
    const map = /** @type {any} */ (document.querySelector('#map'))
    return Array.from((heads ?? { weights: map.matrix }).weights.data, Number)
  })

test('the translation: Chinese words of a dictionary are keys, English ones queries; a rectangle of PyTorch’s layer; each side has separate tokens, typed by hand', async () => {
  await choose('translation')
  const [english, chinese] = ['an autonomous driving solution', '一套自动驾驶解决方案'].map(
    text => tokenize(text, { by: 'segments' }).tokens,
  )
  assert.deepEqual(chinese, ['一套', '自动', '驾驶', '解决', '方案'])
  await until(async () => {
    const labels = await page.locator('.token-row').allTextContents()
    for (const [i, words] of [english, chinese].entries())
      for (const word of words) assert.ok(plain(labels[i]).includes(word), `${word} in ${labels[i]}`)
  })

  const { vocabulary } = tokenize('an autonomous driving solution 一套自动驾驶解决方案', { by: 'segments' })
  const ids = (/** @type {string[]} */ words) => words.map(word => Number(vocabulary.get(word)))
  const embedding = embeddingLayer(qkv.generator(123), 50_000, 8)
  const [x1, x2] = [embedding.forward(ids(english)), embedding.forward(ids(chinese))]
  const layer = multiheadAttention(qkv.generator(123), 8, 2)
  const { output, weights: want } = layer.forward(x1, x2, x2, { averageWeights: false })
  assert.deepEqual(want?.dims, [2, 4, 5])
  await until(async () => near(await weights(), want?.data ?? [], 1e-6, 'weights of both heads'))
  await until(async () => near(await printed(page, 'final'), output.data, 6e-5, 'output'))

  await set('tokenizer', 'words')
  await type('#sentence', 'an autonomous-driving solution')
  await page.fill('#second', '一套 自动驾驶 解决方案')
  await becomes(async () => (await printed(page, 'weights')).length, 9, 'the three by three of the document')
  const columns = () => page.locator('[data-matrix="weights"] .column-name').allTextContents()
  await becomes(async () => (await columns()).slice(0, 3).map(plain), ['一套', '自动驾驶', '解决方案'])
  await set('tokenizer', 'characters')
  await becomes(async () => plain((await page.locator('.token-row').allTextContents())[1]), /一 ?\d+ ?套/)
})

const [KEYS, VALUES] = [
  [68, 60, 64],
  [126, 110, 115],
]
/** @param {number} query @param {number} sigma */
function estimate(query, sigma) {
  const kernel = KEYS.map(key => -((query - key) ** 2) / (2 * sigma ** 2))
  const most = Math.max(...kernel)
  const terms = kernel.map(x => Math.exp(x - most))
  return terms.reduce((sum, x, i) => sum + x * VALUES[i], 0) / terms.reduce((a, b) => a + b)
}

/** Reads the points of the drawn curve, with the scale of the ticks on its axes. */
const drawn = () =>
  page.locator('.plot svg').evaluate(picture => {
    const ticks = [...picture.querySelectorAll('.tick')].map(tick => {
      const line = /** @type {Element} */ (tick.querySelector('line'))
      const number = (/** @type {string} */ name) => Number(line.getAttribute(name))
      return {
        value: Number(tick.textContent?.replace('−', '-')),
        isX: !line.classList.contains('rule'),
        x: number('x1'),
        y: number('y1'),
      }
    })
    const scale = (/** @type {boolean} */ isX) => {
      const own = ticks.filter(tick => tick.isX === isX)
      const [a, b] = [own[0], own[own.length - 1]]
      const at = (/** @type {typeof a} */ tick) => (isX ? tick.x : tick.y)
      return (/** @type {number} */ place) => a.value + ((place - at(a)) / (at(b) - at(a))) * (b.value - a.value)
    }
    const [x, y] = [scale(true), scale(false)]
    const points = picture.querySelector('polyline')?.getAttribute('points')?.split(' ') ?? []
    const circles = (/** @type {string} */ name) =>
      [...picture.querySelectorAll(name)].map(each => [
        x(Number(each.getAttribute('cx'))),
        y(Number(each.getAttribute('cy'))),
      ])
    return {
      curve: points.map(point => point.split(',').map(Number)).map(([left, top]) => [x(left), y(top)]),
      points: circles('.point'),
      estimate: circles('.estimate')[0],
    }
  })

test('waist and weight: three points, the curve of all estimates, 112.5 at 62; the query slides along it, by keyboard as well, and sigma bends it', async () => {
  await choose('waistline')
  const { data } = goldenCase('004/gaussian-weights').expected.weights
  await until(async () => near(await weights(), data, 1e-5, 'weights'))
  await reads('.plot-answer', '62 → 112.5000')
  const { curve, points, estimate: here } = await drawn()
  near(
    points.flat(),
    KEYS.flatMap((key, i) => [key, VALUES[i]]),
    1e-6,
    'points',
  )
  near(here, [62, 112.5], 1e-6, 'the estimate')
  assert.ok(curve.length > 100)
  near(
    curve.map(([, y]) => y),
    curve.map(([x]) => estimate(x, 1)),
    2e-3, // a tenth of a pixel in both directions
    'curve',
  )

  await page.fill('#plot-query', '66')
  await until(async () => near([(await text('.plot-answer')).split('→ ')[1]], [estimate(66, 1)], 1e-6, 'at 66'))
  await becomes(() => printed(page, 'Q'), ['66.0000'])
  await reads('.answer-first', /^66 gives about half to 68 \(50/, 'the query is called what it is')
  await page.locator('#plot-query').focus()
  await page.keyboard.press('ArrowRight')
  await becomes(() => printed(page, 'Q'), ['66.1000'])
  await page.fill('#plot-sigma', '4')
  await until(async () => {
    const bent = await drawn()
    near([bent.estimate[1]], [estimate(66.1, 4)], 1e-4, 'the estimate with sigma 4')
    near(
      bent.curve.map(([, y]) => y),
      bent.curve.map(([x]) => estimate(x, 4)),
      2e-3,
      'curve with sigma 4',
    )
  })
  await becomes(() => page.locator('#sigma').inputValue(), '4')
  await set('score', 'plain')
  await until(async () =>
    near((await drawn()).curve.slice(120, 121)[0].slice(1), [126], 1e-3, 'a dot product prefers the largest key'),
  )
})

test('the curve reaches a query beyond the keys, its line lies below their names, a hidden key is hollow; on a phone its numbers are as large as a caption, and no name lies over them', async () => {
  const q = (/** @type {number[]} */ data, /** @type {number[]} */ dims) => ({ data, dims })
  const imported = { q: q([1], [1, 1, 1]), k: q([-1.6, -0.7, -1.2], [1, 3, 1]), v: q([1, 2, 3], [1, 3, 1]) }
  const rest = 'model=imported&sentence=1&second=a+b+c&score=plain&painted=0.2.0'
  await follow(`#2&${rest}&imported=${encodeURIComponent(JSON.stringify(imported))}`)
  await page.locator('#plot .estimate').waitFor()
  const { curve, estimate: here } = await drawn()
  near(curve.at(-1) ?? [], here, 2e-2, 'the end of the curve is the query')
  const parts = await page.locator('#plot svg').evaluate(picture => ({
    hollow: [...picture.querySelectorAll('.point')].map(each => each.classList.contains('is-hidden')),
    names: [...picture.querySelectorAll('.point-name')].map(each => each.textContent?.replace(/\s+/g, ' ')),
    isBelow: [...picture.querySelectorAll('.drop, .point-name')][0].classList.contains('drop'),
  }))
  assert.deepEqual(parts, { hollow: [false, false, true], names: ['−1.6 → 1', '−0.7 → 2', '−1.2 → 3 (hidden)'], isBelow: true }) // biome-ignore format: one line
  assert.doesNotMatch(await text('#plot .text'), /near/i, 'scores are products')
  await choose('waistline')
  await reads('#plot .text', /for every query\. Keys near the query weigh most\.$/)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('.plot svg').waitFor()
  const look = () =>
    page.locator('.plot svg').evaluate(own => {
      const picture = /** @type {SVGSVGElement} */ (own)
      const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width
      const texts = Array.from(picture.querySelectorAll('text'))
      const names = texts.filter(each => each.classList.contains('axis')).map(each => each.getBoundingClientRect())
      const numbers = texts.filter(each => each.closest('.tick')).map(each => each.getBoundingClientRect())
      const covered = numbers.filter(({ left, right, top, bottom }) =>
        names.some(name => name.left < right && name.right > left && name.top < bottom && name.bottom > top),
      )
      const sizes = texts.map(each => scale * Number.parseFloat(getComputedStyle(each).fontSize))
      return { isReadable: Math.min(...sizes) >= 11, covered: covered.length, count: numbers.length > 8 }
    })
  await becomes(look, { isReadable: true, covered: 0, count: true })
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('both sentences of the examples fit their boxes; their names are not cut off at any width, in both languages', async () => {
  for (const name of ['translation', 'cross'])
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await choose(name)
      await page.locator('#second').waitFor()
      const cut = () =>
        page
          .locator('.bar .sentences textarea')
          .evaluateAll(all => all.filter(box => box.scrollHeight > box.clientHeight + 1).map(({ id }) => id))
      await becomes(cut, [], `${name}, ${width}`)
    }

  for (const language of ['en', 'zh']) {
    await follow('#2&kind=cross&second=one+two')
    await set('language', language)
    for (const width of [1440, 1000, 700, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await settled(page)
      const labels = () =>
        page.locator('.bar .sentences label').evaluateAll(all =>
          all.map(label => {
            const range = document.createRange()
            range.selectNodeContents(label)
            const text = range.getBoundingClientRect()
            const field = /** @type {Element} */ (label.parentElement)
            const box = /** @type {Element} */ (field.querySelector('textarea')).getBoundingClientRect()
            const seen = document.elementFromPoint(text.right - 2, text.top + text.height / 2)
            return {
              isAbove: text.bottom <= box.top + 1,
              isWithin: text.right <= box.right + 1,
              isSeen: seen === label,
            }
          }),
        )
      const fine = { isAbove: true, isWithin: true, isSeen: true }
      await becomes(labels, [fine, fine], `${language}, ${width}`)
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.evaluate(() => localStorage.clear())
})
