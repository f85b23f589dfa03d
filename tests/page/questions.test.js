// Eighteen questions of a first-time reader, within three clicks. Those of One layer alone are in answers.test.js, which
// compares their numbers with the core's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { texts as front } from '../../web/i18n/en/front.js'
import { texts as gallery } from '../../web/i18n/en/gallery.js'
import { texts as glosses } from '../../web/i18n/en/glosses.js'
import { texts as layer } from '../../web/i18n/en/layer.js'
import { texts as learn } from '../../web/i18n/en/learn.js'
import { texts as models } from '../../web/i18n/en/models.js'
import { texts as shell } from '../../web/i18n/en/shell.js'
import { texts as chinese } from '../../web/i18n/zh/glosses.js'
import { recorded } from '../../web/rooms/front/recorded.js'
import { trainedLink } from '../../web/rooms/layer/presets.js'
import { SOURCE_WORDS, TARGET_WORDS } from '../../web/rooms/learn/tasks/translation.js'
import { says } from './browser.js'
import { becomes, choose, follow, go, page, reads, usePage } from './open.js'

usePage({ hash: null })
const MOST_CLICKS = 3

/** Begins to count clicks; what it returns tells those since the last time that it told. */
async function countClicks() {
  await page.evaluate(() => {
    Object.assign(window, { clicks: 0 })
    addEventListener('pointerdown', () => /** @type {any} */ (window).clicks++, true)
  })
  return () =>
    page.evaluate(() => {
      const { clicks } = /** @type {any} */ (window)
      Object.assign(window, { clicks: 0 })
      return clicks
    })
}

/** @param {string} selector */
const value = selector => page.locator(selector).first().getAttribute('data-value').then(Number)

/** Does an element stand within a list that scrolls? @param {string} selector @param {string} list */
async function isInSight(selector, list) {
  const [own, all] = await Promise.all([selector, list].map(each => page.locator(each).boundingBox()))
  return own && all && own.y >= all.y && own.y + own.height <= all.y + all.height
}

/** From the menu: against what the numbers of a room are checked. @type {[string, () => Promise<void>]} */
const CHECKED = [
  '9. are the numbers right? Against what',
  async () => {
    await page.click('#more > summary')
    await page.click('#more .checked > summary')
    await page.locator('#more .checked p').waitFor()
    await reads('#more .checked', says(shell.checkedText))
  },
]

/**
 * What is asked, and what a reader does, at the front door and in the rooms; the assertions are on what the page answers.
 * @type {[room: string, link: string, questions: [string, () => Promise<void>][]][]}
 */
const VISITS = [
  [
    'front',
    '',
    [
      [
        '9. are the numbers right? Against what',
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
      [
        '15. which head finds the name, and how do I see it in the map?',
        async () => {
          await reads('.front-says', /1\.2/)
          await reads('.front-stage #front-go-on', front.frontGoOn)
          await page.click('#front-go-on')
          await reads('#models-inspector h2', /1\.2.*he.*tom/)
          await reads('.models-head[data-head="1.2"] #models-looked', /“tom” \(rows: 6 of 9\), “lily” \(rows: 2 of 9\)/)
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
        '18. how do I see GPT-2? The card that names it opens the list',
        async () => {
          await page.click('#front-to-models')
          await page.locator('[data-name="hf:openai-community/gpt2"]').waitFor()
          assert.ok(await isInSight('[data-name="hf:openai-community/gpt2"]', '#models-options'), 'without scrolling')
          await page.waitForFunction(() => location.hash.includes('room=models') && !location.hash.includes('list'))
          await page.locator('#models-model:focus').waitFor()
          await page.keyboard.press('Escape')
          await becomes(() => page.locator('#models-options').count(), 0)
        },
      ],
    ],
  ],
  [
    'layer',
    '#2&',
    [
      CHECKED,
      [
        '9. are the numbers right? Those that stand here',
        async () => {
          await page.locator('#badge[data-most]').waitFor()
          assert.ok(Number(await page.locator('#badge').getAttribute('data-most')) < 1e-5)
          await reads('#badge', says(shell.difference))
        },
      ],
      [
        '10. is this trained, and what would that look like?',
        async () => {
          await reads('#seen', says(layer['untrained.random']))
          await page.click('#to-trained')
          await page.locator('.models-head[data-head="1.2"]').waitFor()
        },
      ],
      [
        '11. how does cost grow with length?',
        async () => {
          await page.click('#seen-cost')
          await page.locator('#cost .cost-table [data-value]').first().waitFor()
          await reads('#cost', /twice the length has four times as many weights/)
          const [projections, mixing] = await page
            .locator('#cost .cost-table [data-value]')
            .evaluateAll(cells => cells.slice(0, 2).map(cell => Number(cell.getAttribute('data-value'))))
          assert.ok(projections > 0 && mixing > 0)
        },
      ],
    ],
  ],
  [
    'learn',
    '#2&room=learn',
    [
      CHECKED,
      [
        '14. when does induction appear, and why not with one layer?',
        async () => {
          await reads('main', says(learn['task.induction.text']))
          assert.match(learn['task.induction.text'], /One layer cannot: first a head notes/)
          await page.locator('[data-name="accuracy"] polygon.band').waitFor()
          await page.click('#learn-train')
          await reads('.learn-said', says(learn['learnReached.jump']))
        },
      ],
    ],
  ],
  [
    'models',
    '#2&room=models',
    [
      CHECKED,
      [
        '13. which head looks at the previous token?',
        async () => {
          await page.locator('#models-ranked [data-head]').first().waitFor()
          assert.equal(await page.locator('#models-rank').inputValue(), 'previous')
          assert.equal(await page.locator('#models-ranked [data-head]').first().getAttribute('data-head'), '1.1')
          assert.ok((await value('#models-ranked [data-head="1.1"]')) > 0.5)
        },
      ],
      [
        '15. which head finds the name? In the text that Models opens with',
        async () => {
          await page.locator('#models-ranked [data-head="1.2"]').click()
          await page.locator('.models-head[data-head="1.2"] #models-map').waitFor()
          const from = await page.locator('#models-map').evaluate(element => {
            const { rowTokens, columnTokens, matrix } = /** @type {any} */ (element)
            const row = Array.from(matrix.data).slice(rowTokens.indexOf('he') * columnTokens.length)
            const weights = row.slice(0, columnTokens.length)
            return columnTokens[weights.indexOf(Math.max(...weights))]
          })
          assert.equal(from, 'tom')
        },
      ],
      [
        '17. how do the words of a translation align? From Models, which names its own models',
        async () => {
          await reads('#models-here', 'Also here: Ledger, for long texts Translation')
          await page.click('#models-here [data-here="translation"]')
          await page.locator('[data-gloss="today"]').waitFor()
          await becomes(
            () => page.locator('models-atlas').evaluate(atlas => /** @type {any} */ (atlas).scores),
            undefined,
          )
          await reads('.models-hint', says(models.modelsWrites))
          assert.equal(await page.locator('#models-rank').count(), 0, 'one head has no rank')
          await reads('.models-hint', /今天 today → today, .*驾驶 driving → driving/)
          await reads('.models-hint', /80% of their weight: 方案 plan \(most to beijing, 56\.1%\)\.Rows/)
          // Under the pointer, a cell of the map says which word looks at which.
          const map = page.locator('.models-atlas canvas').first()
          const { width = 0, height = 0 } = (await map.boundingBox()) ?? {}
          await map.hover({ position: { x: 0.95 * width, y: (1.5 / 11) * height } })
          await reads('#models-pointed', /今天.*today/s)
          await reads('#models-top tbody th', '方案 plan')
        },
      ],
      [
        '18. how do I see my own model, and GPT-2?',
        async () => {
          await reads('.models-bar', says(models.modelsFolder))
          await page.click('#models-model')
          await page.locator('[data-name="hf:openai-community/gpt2"]').waitFor()
          assert.ok(await isInSight('[data-name="hf:openai-community/gpt2"]', '#models-options'), 'without scrolling')
          await reads('#models-own', says(gallery.galleryOwn))
          await reads('#models-privacy', says(gallery.galleryPrivacy))
        },
      ],
    ],
  ],
]

test('questions 9 to 18 of a first-time reader are answered within three clicks each, the one into a room among them', async t => {
  for (const [room, link, questions] of VISITS) {
    await go('')
    const isEntered = room !== 'front'
    if (isEntered) await page.click(`[data-room="${room}"]`)
    await page.locator(isEntered ? 'main:not(.front)' : 'main.front').waitFor()
    const clicks = await countClicks()
    for (const [question, answer] of questions) {
      await follow(link)
      await clicks()
      t.diagnostic(`${room}: ${question}`)
      await answer()
      const count = (await clicks()) + Number(isEntered)
      assert.ok(count <= MOST_CLICKS, `${room}: ${question} ${count} clicks`)
    }
  }
})

test('the translation of One layer says what its rows are, and leads in one click to the trained one, whose rows are what it writes', async () => {
  await go('#2&')
  await choose('cross')
  await reads('#seen', /^Each row shows how a word divides/, 'random keys have no translator')
  await choose('translation')
  await reads('#seen', says(layer.seenCross))
  await page.click('#to-trained')
  await reads('.models-title h2', /^Head 1\.1$/)
  await reads('.models-hint', /今天 today → today, .*驾驶 driving → driving/)
  await reads('.models-hint', says(models.modelsWrites))
  const names = await page.locator('#models-map').evaluate(map => {
    const { rowTokens, columnTokens } = /** @type {any} */ (map)
    return [rowTokens[1], columnTokens[0]]
  })
  assert.deepEqual(names, ['今天 today', 'an'])
  await page.click('#models-open-layer')
  await reads('#seen', says(layer.seenCross))
  await page.locator('[data-word="queries:1"][data-gloss="today"]').first().waitFor()
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
