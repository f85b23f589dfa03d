// Tests the controls by which a reader of "Models" paints the mask, sets a weight and patches a layer, subtracts heads, ranks heads and chooses
// seeds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, opened, openMade, typeText } from './golden-models.js'
import { becomes, go, page, reads, url, usePage } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const TEXT = 'The cat that chased the dog'
const OTHER = 'The dog that chased the cat' // as many tokens as TEXT

/** Opens a model with a text, and one of its heads. @param {string} [head] */
async function begin(head) {
  await open('gpt2-tiny', 'gpt2')
  await typeText(TEXT)
  await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
  if (!head) return
  await page.locator('#models-ranked button', { hasText: head }).click()
  await page.locator('#models-map canvas').waitFor()
}

/** Reads the weight of a cell of the open head, as it is shown. @param {number} row @param {number} column */
const weight = (row, column) =>
  page.evaluate(
    ([row, column]) => {
      const { matrix } = /** @type {any} */ (document.querySelector('#models-map'))
      return matrix.data[row * matrix.dims[1] + column]
    },
    [row, column],
  )

test('a painted cell hides its key, a typed one sets its weight: the prediction moves, and the chips take both back', async () => {
  await begin('2.2')
  const map = page.locator('#models-map [tabindex="0"]').first()
  await page.click('#models-paint')
  await map.focus()
  await page.keyboard.press('Control+End') // the last query, and the key at the same position
  await page.keyboard.press('Space')
  await reads('.change', /Head 2\.2: .* hidden from/)
  await reads('#models-effect', /^m: 4\.7% before, \d\.\d% after/)
  await page.waitForFunction(() => {
    const { matrix } = /** @type {any} */ (document.querySelector('#models-map'))
    return matrix.data.at(-1) === 0
  })
  await page.locator('.change-remove').click()
  await page.locator('#models-effect').waitFor({ state: 'detached' })
  await becomes(async () => (await weight(9, 9)) > 0, true)
  await page.click('#models-paint')
  await map.focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('0.75')
  await page.keyboard.press('Enter')
  await reads('.change', /= 0\.75/)
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('#models-map')).matrix.data.at(-1) === 0.75,
  )
  const sum = async () => {
    const row = await Promise.all(Array.from({ length: 10 }, (_, key) => weight(9, key)))
    return row.reduce((a, b) => a + b)
  }
  await becomes(async () => Math.abs((await sum()) - 1) < 1e-5, true, 'the others share the rest')
})

/** Returns the viewport coordinates of the middle of a cell of the open head. @param {number} row @param {number} column */
const middleOf = (row, column) =>
  page.locator('#models-map').evaluate(
    (map, [row, column]) => {
      const { plot, cellWidth, cellHeight } = /** @type {any} */ (map).drawing.layout
      const { left, top } = /** @type {any} */ (map.shadowRoot).querySelector('canvas').getBoundingClientRect()
      return [left + plot.left + (column + 0.5) * cellWidth, top + plot.top + (row + 0.5) * cellHeight]
    },
    [row, column],
  )

test('a dragged weight shows the new prediction; one drag is one step of Undo, and Escape takes it back', async () => {
  await go('#2&room=models&models.checkpoint=stories&models.prompt=Lily+and+Tom+are+friends+.+Is+he&models.at=1.2')
  await page.locator('#models-map canvas').waitFor()
  await page.locator('#models-map').evaluate(map => map.scrollIntoView({ block: 'start' }))
  const old = await weight(8, 3) // "he" looks at "tom"
  const [x, y] = await middleOf(8, 3)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 150, { steps: 15 })
  await becomes(() => weight(8, 3), Math.fround(Number((old - 0.75).toFixed(4))))
  await becomes(() => page.locator('.change').count(), 1)
  await reads(
    '.models-hint',
    /^Head 1\.2, “he” to “tom”: 9\.8% instead of 84\.8%\. The model now says “leo” \(\d\d\.\d%\)\./,
  )
  await page.keyboard.press('Escape')
  await becomes(() => page.locator('.change').count(), 0)
  await becomes(() => weight(8, 3), old)
  await page.mouse.move(x, y + 40)
  await page.mouse.up()
  await becomes(() => page.locator('.change').count(), 0, 'the rest of the stroke does nothing')
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 20, { steps: 4 })
  await page.mouse.move(x, y + 10)
  await page.mouse.up()
  await reads('.models-hint', /^Head 1\.2, “he” to “tom”: 79\.8% instead of 84\.8%\. The model still says “tom”/)
  await page.locator('.models-head [data-how="off"]').click()
  await becomes(() => page.locator('.change').count(), 2)
  await reads('.models-hint', /^Select a word/, 'the weight is not what was changed last')
  await page.click('#undo')
  await page.click('#undo')
  await becomes(() => page.locator('.change').count(), 0)
})

test('a row whose keys are all hidden looks at no word', async () => {
  const hidden = ['2>1', '2>2', '3>1', '3>2', '3>3'].map(cell => `1.2:${cell}=hide`).join(' ')
  await go(`#2&room=models&models.checkpoint=stories&models.at=1.2&models.changes=${encodeURIComponent(hidden)}`)
  await reads('.change', /Head 1\.2 sees 5 cells fewer/)
  await reads('#models-looked', /^Most looked at: “tom” \(in 14 of 23 rows\), “he” \(in 4 of 23 rows\)[^<]*$/)
})

test('a layer is patched from a second text; the head on both texts, and before and after, can be subtracted', async () => {
  await begin()
  await page.locator('.models-patch summary').click()
  await page.fill('#models-second', OTHER)
  await page.keyboard.press('Enter')
  await page.selectOption('#models-patch-layer', '0')
  await page.click('#models-patch')
  await reads('.change', /After layer 1: each token gets the value at its position in the second text/)
  await page.locator('#models-effect').waitFor()
  await page.waitForFunction(() => /changes=1%3A\*%3Dpatch|changes=1%3A%2A%3Dpatch/.test(location.hash))
  await page.locator('#models-ranked button', { hasText: '3.2' }).click()
  await page.click('[data-view="difference"]')
  await page.locator('#models-difference canvas').waitFor()
  await becomes(() => page.inputValue('#models-minus'), 'before')
  const differs = (/** @type {boolean} */ isLarge) =>
    page.waitForFunction(isLarge => {
      const { matrix, minus } = /** @type {any} */ (document.querySelector('#models-difference')) ?? {}
      if (!minus) return false
      const far = matrix.data.map((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - minus.data[i]))
      return isLarge ? Math.max(...far) > 1e-3 : Math.max(...far) < 1e-5
    }, isLarge)
  await differs(true) // a later layer has changed
  await page.selectOption('#models-minus', 'text')
  await differs(false) // layer 1 now has the output of the second text, and so have all later layers
})

test('heads can be listed by a score, only hits, or similarity to one head', async () => {
  await begin()
  const list = () => page.locator('#models-ranked li').allInnerTexts()
  await page.selectOption('#models-rank', 'first')
  await reads('.models-list .note', /In this text: the mean weight on the first token/)
  const read = async () => (await list()).map(line => Number(/0\.\d+/.exec(line)))
  await becomes(async () => {
    const scores = await read()
    return scores.every((score, i) => i === 0 || score <= scores[i - 1])
  }, true)
  const scores = await read()
  await page.click('#models-filter > summary')
  await page.fill('#models-least', '0.25')
  await page.click('#models-hits')
  const hits = scores.filter(score => score >= 0.25).length
  await page.waitForFunction(hits => document.querySelectorAll('#models-ranked li').length === hits, hits)
  assert.ok(hits > 0 && hits < 12)
  await page.click('#models-hits')
  await page.locator('#models-ranked button', { hasText: '2.2' }).click()
  await page.locator('.models-head[data-head="2.2"] #models-map').waitFor()
  await page.locator('.models-small li').first().waitFor()
  const [similar] = await page.locator('.models-small li').allInnerTexts()
  await page.getByRole('button', { name: 'Rank all by similarity' }).click()
  await page.locator('#models-rank').waitFor()
  await becomes(() => page.inputValue('#models-rank'), 'similar')
  await becomes(async () => (await list())[0], /2\.2\s+1\.000/)
  const first = (/** @type {string} */ line) => line.split(/\s+/).slice(0, 2).join()
  await becomes(async () => first((await list())[1]), first(similar))
})

test('with a temperature the seed decides what is generated', async () => {
  await begin()
  /** @param {string} seed */
  const generated = async seed => {
    await page.fill('#models-temperature', '1.5')
    await page.fill('#models-seed', seed)
    await page.fill('#models-count', '5')
    await page.click('#models-generate')
    await reads('#models-steps', /^5 tokens generated/)
    await page.locator('#models-forget').waitFor()
    await becomes(() => page.locator('.is-generated .token').count(), 5)
    const tokens = await page.locator('.is-generated .token').allInnerTexts()
    await page.locator('#stage[data-slot="here"][aria-busy="false"]').waitFor() // until then the page may move under the mouse
    await page.click('#models-forget')
    await page.locator('#models-steps').waitFor({ state: 'detached' })
    return tokens.join(' ')
  }
  const [first, second, again] = [await generated('1'), await generated('2'), await generated('1')]
  assert.equal(again, first)
  assert.notEqual(second, first)
})

test('generation with its defaults fills the positions of the shipped model and ends there, without an error', async () => {
  await page.goto('about:blank')
  await page.goto(`${url}#2&room=models&models.checkpoint=stories`)
  await opened('')
  await page.locator('#models-answer[data-token]').waitFor()
  const tokens = await page.locator('.word-button').count()
  await becomes(() => page.inputValue('#models-count'), String(56 - tokens))
  await reads('#models-fits', new RegExp(`^${56 - tokens} more fit\\.$`))
  await page.click('#models-generate')
  await reads('#models-full', /^Full: 56 of 56 tokens\.$/)
  await becomes(() => page.locator('#models-problem').count(), 0)
  await reads('#models-steps', new RegExp(`^${56 - tokens} tokens generated`))
  await becomes(() => page.locator('.word-button').count(), 56)
  await becomes(() => page.isDisabled('#models-generate'), true)
  await page.click('#models-forget')
  await page.locator('#models-full').waitFor({ state: 'detached' })
  await becomes(() => page.isEnabled('#models-generate'), true)
})

test('one head of a marquee, one token and a model with one head a layer are in the singular', async () => {
  const sizes = { layers: 2, heads: 1, d: 16, vocab: 20, positions: 16 }
  await openMade(sizes)
  await reads('#models-facts', /^gpt2, 2 × 1 head, /)
  await page.fill('#models-text', '5')
  await reads('.token-row-label', /^1 token$/)
})
