// Tests that the page answers eighteen questions of a first-time reader, each in a fresh page and within three clicks. answers.test.js asks more
// about One layer, and compares the numbers with the core's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { texts as front } from '../../web/i18n/en/front.js'
import { texts as gallery } from '../../web/i18n/en/gallery.js'
import { texts as glosses } from '../../web/i18n/en/glosses.js'
import { texts as layer } from '../../web/i18n/en/layer.js'
import { texts as parts } from '../../web/i18n/en/layer-parts.js'
import { texts as learn } from '../../web/i18n/en/learn.js'
import { texts as models } from '../../web/i18n/en/models.js'
import { texts as shell } from '../../web/i18n/en/shell.js'
import { texts as chinese } from '../../web/i18n/zh/glosses.js'
import { recorded } from '../../web/rooms/front/recorded.js'
import { trainedLink } from '../../web/rooms/layer/presets.js'
import { SOURCE_WORDS, TARGET_WORDS } from '../../web/rooms/learn/tasks/translation.js'
import { becomes, choose, chooseView, go, page, reads, usePage } from './open.js'

usePage({ hash: null })
const MOST_CLICKS = 3

/** Returns a regular expression that matches a text of the page with anything in its placeholders. @param {string} text */
const says = text => {
  const parts = text.split(/\{\w+\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
  return new RegExp(parts.join('.*?'), 's')
}

/** @param {string} selector */
const value = selector => page.locator(selector).first().getAttribute('data-value').then(Number)

/** True if GPT-2 is in the visible part of the list of models. */
async function isGpt2InSight() {
  const parts = ['[data-name="hf:openai-community/gpt2"]', '#models-options']
  const [own, all] = await Promise.all(parts.map(each => page.locator(each).boundingBox()))
  return own && all && own.y >= all.y && own.y + own.height <= all.y + all.height
}

/** Opens a room from the front door. @param {string} room */
async function enter(room) {
  await page.click(`[data-room="${room}"]`)
  await page.locator('main:not(.front)').waitFor()
}

/** Clicks the darkest cell of the map in One layer. */
async function pressStrongest() {
  const at = () =>
    page.locator('#map').evaluate(map => {
      const { left, top } = /** @type {any} */ (map).where?.({ row: 1, column: 1 }) ?? {}
      return left === undefined ? undefined : [left + 8, top + 8]
    })
  await becomes(async () => (await at()) !== undefined, true)
  const [x, y] = /** @type {number[]} */ (await at())
  await page.mouse.click(x, y)
}

/** The questions, each with a reader's clicks and then assertions on the page. @type {[string, () => Promise<void>][]} */
const QUESTIONS = [
  [
    '1. what does a word attend to most?',
    async () => {
      await enter('layer')
      await page.click('[data-word="queries:3"] >> nth=0')
      await reads(
        '.answer-first',
        /^.?eat.? looks at all almost evenly, most at .*%\), then .*%\)\. Even share: 16\.7%\.$/,
      )
    },
  ],
  [
    '2. where does a number come from?',
    async () => {
      await enter('layer')
      await pressStrongest()
      await reads('.panel .total', '= 0.6870')
      await page.locator('#chain .factor').last().click()
      await reads('.panel .steps', /random number: column \d of row 4 in the table .* drawn from seed 123/)
    },
  ],
  [
    '3. why divide by sqrt(d)?',
    async () => {
      await enter('layer')
      await page.click('#tour-start > summary')
      await page.click('#tour-start [data-item="1"]')
      await reads('#tour-text', /spread like √d; dividing keeps softmax.* from picking a single word/)
    },
  ],
  [
    '4. what does the mask change, and why do rows still sum to 1?',
    async () => {
      await enter('layer')
      await page.click('#tour-start > summary')
      await page.click('#tour-start [data-item="2"]')
      await reads('#tour-text', /Hidden cells: 15 of 36; in the row of is: short, eat, dessert, first\./)
      await reads('#tour-text', /Each row still sums to 1, because what is left is divided by its own sum/)
    },
  ],
  [
    '5. what are q, k, v of this word?',
    async () => {
      await enter('layer')
      await page.click('[data-word="queries:3"] >> nth=0')
      await reads('#inspector', /query q −0\.1037 0\.2902 key k 0\.1420 0\.2291 value v 0\.1516/)
      for (const text of [parts.asksBestOwn, parts.passesOnTwo, layer.receives]) await reads('#inspector', says(text))
    },
  ],
  [
    '6. how do two heads differ?',
    async () => {
      await enter('layer')
      await becomes(
        () => page.locator('qkv-heads').evaluate(heads => /** @type {any} */ (heads).notes?.[1]),
        /looks most at itself \(33\.8%\); sharpest: 2\.07 bit/,
      )
      await chooseView('difference')
      await reads('#largest-differences', /^Largest: \S+ to \S+ \([+−]0\.\d{4}\)/)
    },
  ],
  [
    '7. what if I change one weight?',
    async () => {
      await enter('layer')
      await pressStrongest()
      await page.click('#set')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('0.2')
      await page.keyboard.press('Enter')
      await page.locator('#sensitivity .before-after').waitFor()
      await becomes(() => value('#inspector .total output'), Math.fround(0.2))
    },
  ],
  [
    '8. what are rows and columns of cross-attention?',
    async () => {
      await enter('layer')
      await page.click('#tour-start > summary')
      await page.click('#tour-start [data-item="5"]')
      await reads('#tour-text', /Rows are the words that ask \(4\), columns the words that answer \(5\)/)
    },
  ],
  [
    '9. are the numbers right? At the front door, against what',
    async () => {
      await page.click('.front .checked > summary')
      await reads('.front .checked', says(shell.checkedText))
      const { height } = page.viewportSize() ?? assert.fail()
      const isInSight = async () => {
        const box = await page.locator('.front .checked').boundingBox()
        return box && box.y >= 0 && box.y + box.height <= height
      }
      await becomes(isInSight, true, 'the answer is in the window')
    },
  ],
  ...['layer', 'learn', 'models'].map(
    room =>
      /** @type {[string, () => Promise<void>]} */ ([
        `9. are the numbers right? In ${room}, against what`,
        async () => {
          await enter(room)
          await page.click('#more > summary')
          await page.click('#more .checked > summary')
          await page.locator('#more .checked p').waitFor()
          await reads('#more .checked', says(shell.checkedText))
        },
      ]),
  ),
  [
    '9. are the numbers right? Those that stand here',
    async () => {
      await enter('layer')
      await page.locator('#badge[data-most]').waitFor()
      await becomes(async () => Number(await page.locator('#badge').getAttribute('data-most')) < 1e-5, true)
      await reads('#badge', says(shell.difference))
    },
  ],
  [
    '10. is this trained, and what would that look like?',
    async () => {
      await enter('layer')
      await reads('#seen', says(layer['untrained.random']))
      await page.click('#numbers-trained')
      await reads('#seen', says(layer['untrained.trained']))
    },
  ],
  [
    '11. how does cost grow with length?',
    async () => {
      await enter('layer')
      await page.click('#cost > summary')
      await page.locator('#cost .cost-table [data-value]').first().waitFor()
      await reads('#cost', /twice the length has four times as many weights/)
      const costs = () =>
        page
          .locator('#cost .cost-table [data-value]')
          .evaluateAll(cells => cells.slice(0, 2).map(cell => Number(cell.getAttribute('data-value')) > 0))
      await becomes(costs, [true, true])
    },
  ],
  [
    '12. how do I get the numbers into my program?',
    async () => {
      await enter('layer')
      await page.click('#more > summary')
      await page.click('#to-code')
      await page.locator('#code-pytorch').waitFor()
      await reads('#code-pytorch', /^import torch.*Life.*softmax/s)
    },
  ],
  [
    '13. which head looks at the previous token?',
    async () => {
      await enter('models')
      await page.locator('#models-ranked [data-head]').first().waitFor()
      await becomes(() => page.locator('#models-rank').inputValue(), 'previous')
      await becomes(() => page.locator('#models-ranked [data-head]').first().getAttribute('data-head'), '2.4')
      await becomes(async () => (await value('#models-ranked [data-head="2.4"]')) > 0.4, true)
    },
  ],
  [
    '14. when does induction appear, and why not with one layer?',
    async () => {
      await enter('learn')
      await reads('main', says(learn['task.induction.text']))
      assert.match(learn['task.induction.text'], /One layer cannot: first a head notes/)
      await page.locator('[data-name="accuracy"] polygon.band').waitFor()
      await page.click('#learn-train')
      await reads('.learn-said', says(learn['learnReached.jump']))
    },
  ],
  [
    '15. which head finds the name, and how do I see it in the map?',
    async () => {
      await reads('.front-says', /1\.2/)
      await reads('.front-stage #front-go-on', front.frontGoOn)
      await page.click('#front-go-on')
      await reads('#models-inspector h2', /1\.2.*he.*tom/)
      await reads('.models-head[data-head="1.2"] #models-looked', /“tom” \(in 6 of 9 rows\), “lily” \(in 2 of 9 rows\)/)
    },
  ],
  [
    '15. which head finds the name? In the text that Stories opens with',
    async () => {
      await page.evaluate(() => {
        location.hash = '#2&room=models&models.checkpoint=stories'
      })
      await reads('#models-facts', /3 × 2 heads/)
      await becomes(() => page.inputValue('#models-text'), /^Lily and Tom are friends/)
      await page.locator('#models-ranked [data-head="1.2"]').click()
      await page.locator('.models-head[data-head="1.2"] #models-map').waitFor()
      const from = () =>
        page.locator('#models-map').evaluate(element => {
          const { rowTokens, columnTokens, matrix } = /** @type {any} */ (element)
          const row = Array.from(matrix.data).slice(rowTokens.indexOf('he') * columnTokens.length)
          const weights = row.slice(0, columnTokens.length)
          return columnTokens[weights.indexOf(Math.max(...weights))]
        })
      await becomes(from, 'tom')
    },
  ],
  [
    '16. what breaks when it is off?',
    async () => {
      const [word] = recorded.he.without.top[0]
      await page.click('#front-isOn')
      await page.locator(`.front-bars li:first-child[data-word="${word}"]`).waitFor()
    },
  ],
  [
    '17. how do the words of a translation align?',
    async () => {
      await reads('#front-to-translation', says(front.frontTranslation))
      assert.equal(await page.getAttribute('#front-to-translation', 'href'), trainedLink({ kind: 'cross' }))
      await page.click('#front-to-translation')
      await reads('.models-title h2', /^Head 1\.1$/)
      await reads('.models-hint', /今天 today → today, .*驾驶 driving → driving/)
    },
  ],
  [
    '17. how do the words of a translation align? From Models, which names its own models',
    async () => {
      await enter('models')
      await page.click('#models-open > summary')
      await reads('#models-here', 'StoriesLedger, for long textsTranslation')
      await page.click('#models-here [data-item="translation"]')
      await page.locator('[data-gloss="today"]').waitFor()
      await becomes(() => page.locator('models-atlas').evaluate(atlas => /** @type {any} */ (atlas).scores), undefined)
      await reads('.models-hint', says(models.modelsWrites))
      await becomes(() => page.locator('#models-rank').count(), 0, 'one head has no rank')
      await reads('.models-hint', /今天 today → today, .*驾驶 driving → driving/)
      await reads('.models-hint', /Less clear, with weights below 80%: 方案 plan \(most to beijing, 56\.1%\)\.Rows/)
      // Under the pointer, a cell of the map names the word that looks and the one that it looks at.
      const map = page.locator('.models-atlas canvas').first()
      const { width = 0, height = 0 } = (await map.boundingBox()) ?? {}
      await map.hover({ position: { x: 0.95 * width, y: (1.5 / 11) * height } })
      await reads('#models-pointed', /今天.*today/s)
      await reads('#models-top tbody th', '方案 plan')
    },
  ],
  [
    '18. how do I see GPT-2? The card that names it opens the list',
    async () => {
      await page.click('#front-to-models')
      await page.locator('[data-name="hf:openai-community/gpt2"]').waitFor()
      await becomes(isGpt2InSight, true, 'without scrolling')
      await page.waitForFunction(() => location.hash.includes('room=models') && !location.hash.includes('list'))
      await page.locator('#models-model:focus').waitFor()
      await page.keyboard.press('Escape')
      await becomes(() => page.locator('#models-options').count(), 0)
    },
  ],
  [
    '18. how do I see my own model, and GPT-2?',
    async () => {
      await enter('models')
      await reads('.models-bar', says(models.modelsFolder))
      await page.click('#models-model')
      await page.locator('[data-name="hf:openai-community/gpt2"]').waitFor()
      await becomes(isGpt2InSight, true, 'without scrolling')
      await reads('#models-own', says(gallery.galleryOwn))
      await reads('#models-privacy', says(gallery.galleryPrivacy))
    },
  ],
]

test('eighteen questions of a first-time reader are answered from a fresh page, within three clicks each', async t => {
  for (const [question, answer] of QUESTIONS) {
    await go('')
    await page.evaluate(() => {
      let clicks = 0
      addEventListener('pointerdown', () => clicks++, true)
      Object.assign(window, { clicks: () => clicks })
    })
    await answer()
    const clicks = await page.evaluate(() => /** @type {any} */ (window).clicks())
    t.diagnostic(`${question} ${clicks}`)
    assert.ok(clicks <= MOST_CLICKS, `${question}: ${clicks} clicks`)
    await page.evaluate(() => localStorage.clear())
  }
})

test('the translation of One layer explains its rows, and leads in one click to the trained one, whose rows are its own words', async () => {
  await go('#2&')
  await choose('translation')
  await reads('#seen', says(layer.seenCross))
  await page.click('#to-trained')
  await reads('.models-title h2', /^Head 1\.1$/)
  await reads('.models-hint', /今天 today → today, .*驾驶 driving → driving/)
  await reads('.models-hint', says(models.modelsWrites))
  const names = () =>
    page.locator('#models-map').evaluate(map => {
      const { rowTokens, columnTokens } = /** @type {any} */ (map)
      return [rowTokens[1], columnTokens[0]]
    })
  await becomes(names, ['今天 today', 'an'])
  await page.click('#models-open-layer')
  await reads('#seen', says(layer.seenCross))
  await page.locator('[data-word="queries:1"][data-gloss="today"]').first().waitFor()
})

test('only the translation names the words that it writes and reads, not random keys', async () => {
  await go('#2&')
  await choose('cross')
  await page.locator('#map').waitFor()
  await reads('#seen', /^Each row shows how a word divides/)
})

test('every word of the translation has a gloss in the other language', () => {
  const known = (/** @type {string} */ text) => new Set(text.split(' ').map(pair => pair.split('=')[0]))
  const [inEnglish, inChinese] = [known(glosses.glosses), known(chinese.glosses)]
  assert.deepEqual(
    TARGET_WORDS.filter(word => /\p{Script=Han}/u.test(word) && !inEnglish.has(word)),
    [],
  )
  assert.deepEqual(
    SOURCE_WORDS.filter(word => !inChinese.has(word.toLowerCase())),
    [],
  )
})
