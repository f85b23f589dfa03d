// Tests exercises in the page: by mouse and keyboard, in both languages, from a file, and in a frame whose host uses the SPLICE protocol.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { load } from 'qkv'
import { answerOf, startOf, withParameters } from '../../web/exercises/attempt.js'
import { exerciseOf, IDS } from '../../web/exercises/index.js'
import { room as layer } from '../../web/rooms/layer/room.js'
import { createStore } from '../../web/shell/store.js'
import { settled, WINDOW } from './browser.js'
import { becomes, follow, go, page, reads, until, url, usePage, violations } from './open.js'

const own = usePage({ hash: null })

/** Fails if axe finds a violation. @param {string} [where] for the message @param {string | undefined} [part] selector of the part to check */
const expectNothing = async (where = '', part = undefined) => assert.deepEqual(await violations(part), [], where)

test('from the list into an exercise: a wrong answer, locked settings, the solution, the score; the address contains all of it', async () => {
  await go('#2&room=exercises')
  await page.click('[data-exercise="e1"]')
  await page.locator('#exercise[data-exercise="e1"]').waitFor()
  await reads('.exercise-measured', /^Weights 0\.333/)
  await page.fill('[data-control="q2"]', '2')
  await page.click('#exercise-check')
  await reads('.exercise-hint', /the query is too short: key 2 gets 0\.787/)
  await page.click('#settings-open')
  await page.selectOption('#mask', 'causal')
  await reads('[data-message="locked"]', /cannot be changed in this exercise\. What may change: the three numbers/)
  await page.keyboard.press('Escape')
  await page.fill('[data-control="q2"]', '8')
  await page.click('#exercise-check')
  await reads('.exercise-passed', /^Right\. A query that is long/)
  await expectNothing()
  await page.waitForFunction(() => location.hash.includes('exercise=e1') && location.hash.includes('edits='))
  await page.reload()
  await reads('.exercise-measured', /output \(0\.000, 0\.999\)/, 'the settings come back')
  await page.click('#exercise-menu > summary')
  await page.click('#exercise-leave')
  await page.locator('#exercise').waitFor({ state: 'detached' })
  await follow('#2&room=exercises')
  await page.locator('[data-exercise="e1"][data-state="solved"]').waitFor()
  await expectNothing()
  await page.evaluate(() => localStorage.clear())
})

/** Exercises in which the reader trains models. */
const TRAINS = ['e13', 'e14']
const qkv = await load()

/** Returns the link of an exercise with the settings of its solution, the answer to type or choose there, and the exercise. @param {string} id */
async function solutionOf(id) {
  const exercise = /** @type {import('../../web/exercises/exercise.js').Exercise} */ (await exerciseOf(id))
  const { room, solution } = exercise
  const own = withParameters(startOf(exercise, 0), solution.set)
  let answer = solution.answer
  if (room === 'layer') {
    const store = createStore(layer, { qkv, link: own })
    answer = answerOf(solution, { state: store.state, answer: undefined, memory: undefined, qkv })
    store.close()
  }
  const prefix = room === 'layer' ? '' : `${room}.`
  const all = new URLSearchParams([...new URLSearchParams(own)].map(([name, value]) => [`${prefix}${name}`, value]))
  return { hash: `#2&exercise=${id}&${all}`, answer, exercise }
}

/** @typedef {import('playwright-core').Page | import('playwright-core').FrameLocator} Place */

/** Enters an answer and presses Check, by mouse or keyboard, until the exercise has passed. @param {Place} place @param {string} id @param {unknown} answer @param {'mouse' | 'keyboard'} by */
async function answers(place, id, answer, by) {
  await place.locator(`#exercise[data-exercise="${id}"]`).waitFor()
  const field = place.locator('#exercise-answer')
  if (Array.isArray(answer)) for (const word of answer) await field.locator('input').nth(word).press('Space')
  else if (answer !== undefined && (await field.evaluate(each => each.localName)) === 'select')
    await field.selectOption(String(answer))
  else if (answer !== undefined) await field.fill(String(answer))
  const check = place.locator('#exercise-check')
  await becomes(
    async () => {
      await (by === 'mouse' ? check.click() : check.press('Enter'))
      return place.locator('#exercise').getAttribute('data-state')
    },
    'passed',
    `${id} by ${by}`,
  )
}

/** Trains all runs that an exercise asks for, each until it stops. @param {Place} place @param {import('../../web/exercises/exercise.js').Exercise} exercise */
async function trains(place, { id, parts = [] }) {
  /** Waits until this many runs remain to be trained. @param {number} count */
  const awaits = count =>
    place.locator('.exercise-measured', { hasText: new RegExp(`^[^–]*(–[^–]*){${count}}$`) }).waitFor()
  for (const part of parts) {
    await place.locator(`[data-part="${part.name}"]`).click()
    await place.locator('#learn-train').click()
    await awaits(part === parts[0] ? 1 : 0)
  }
  if (id === 'e14')
    for (const layers of ['1', '2']) {
      await place.locator('[data-control="layers"]').fill(layers)
      await place.locator('#learn-train').click()
      await awaits(3 - Number(layers))
    }
}

/**
 * Opens exercises one after the other, and solves each.
 * @param {(hash: string) => Promise<void>} open
 * @param {Place} place
 * @param {readonly string[]} ids
 * @param {string} more parameters of each link
 * @param {(i: number) => 'mouse' | 'keyboard'} by
 * @param {{ before?: (id: string) => Promise<unknown>, after?: (id: string) => Promise<void> }} [look] called before and after each solution
 */
async function solveAll(open, place, ids, more, by, look) {
  for (const [i, id] of ids.entries()) {
    const { hash, answer, exercise } = await solutionOf(id)
    await open(`${hash}${more}`)
    await place.locator(`#exercise[data-exercise="${id}"]`).waitFor()
    await look?.before?.(id)
    if (TRAINS.includes(id)) await trains(place, exercise)
    await answers(place, id, answer, by(i))
    await look?.after?.(id)
  }
}

/** For each room, the selector of an element that exists once the room is drawn. */
const DRAWN = { layer: '#stage qkv-heatmap', learn: 'main canvas', models: '#models-answer[data-token]' }
/** Describes which parts a bar has. @param {import('../../web/exercises/exercise.js').Exercise | undefined} exercise */
const kindOf = exercise =>
  [
    exercise?.answer?.type,
    ...(exercise?.controls ?? []).flatMap(({ isSlider, isSwitch }) => [isSlider, isSwitch]),
    exercise?.parts?.length,
    exercise?.pair && 'pair',
  ].join()
const kinds = (await Promise.all(IDS.map(exerciseOf))).map(kindOf)
/** The first exercise of each kind of bar. axe checks every second one in Chinese with the dark theme, the others in English with the light one. */
const LOOKED = IDS.filter((_, i) => kinds.indexOf(kinds[i]) === i)
const IN_CHINESE = LOOKED.filter((_, i) => i % 2)
const IN_ENGLISH = LOOKED.filter((_, i) => i % 2 === 0)

/** Returns the height of the bar, and how many of its pixels are out of sight. @param {import('playwright-core').Page | import('playwright-core').Frame} place */
const sizeOf = place =>
  place
    .locator('#exercise')
    .evaluate(bar => ({ height: bar.getBoundingClientRect().height, content: bar.scrollHeight - bar.clientHeight }))

/** Waits for the room of an exercise, and checks the bar. @param {import('playwright-core').Page | import('playwright-core').Frame} place @param {string} id @param {string[]} looked ids of the exercises that axe checks */
async function expectBar(place, id, looked) {
  const { room = 'layer', bars } = (await exerciseOf(id)) ?? {}
  // Where the room has no picture, the bar contains one, so it may be higher.
  const most = bars ? 520 : 120
  await place.locator(DRAWN[room]).first().waitFor({ state: 'attached' })
  // axe checks only the bar here; access.test.js and models-access.test.js check the rooms.
  if (looked.includes(id)) assert.deepEqual(await violations('#exercise', place), [], id)
  await until(async () => {
    const { height, content } = await sizeOf(place)
    assert.ok(height <= most && content <= 0, `${id}: ${height} px, ${content} of it out of sight`)
  })
}

test('every exercise is solved in English, by mouse and by keyboard; axe finds nothing in their bars, which fold on a phone', async () => {
  await go('#2&exercise=e1')
  await solveAll(follow, page, IDS, '&lang=en&theme=light', i => (i % 2 ? 'keyboard' : 'mouse'), {
    before: id => expectBar(page, id, IN_ENGLISH),
    after: () => reads('.exercise-passed', /^Right\./),
  })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.click('.exercise-fold')
  await becomes(() => page.locator('#exercise').evaluate(bar => bar.getBoundingClientRect().height), 48)
  await page.click('.exercise-fold')
  await becomes(async () => {
    const { height } = await sizeOf(page)
    return height > 48 && height <= 0.4 * 844 + 1
  }, true)
  await page.evaluate(() => localStorage.clear())
})

test('by keyboard, in Chinese, in a list of two with hints and solutions off; an unknown exercise gives a message', async () => {
  await page.goto(`${url}#2&exercise=e3,e8&lang=zh&hints=off&solution=off&attempts=2&theme=dark`)
  await reads('#exercise-title', /手算 softmax/)
  assert.equal(await page.locator('main').isVisible(), false, 'the picture would give the answer away')
  await expectNothing('the room is covered')
  await page.focus('#exercise-answer')
  await page.keyboard.type('0.667')
  await page.keyboard.press('Enter')
  await reads('.exercise-hint', '还不对。')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('0.665')
  await page.keyboard.press('Enter')
  await reads('.exercise-passed', /^对了。/)
  await page.locator('main').waitFor()
  await page.focus('#exercise-next')
  await page.keyboard.press('Enter')
  await reads('#exercise-title', /谁会察觉/)
  for (const word of [3, 4, 5]) {
    await page.locator('#exercise-answer input').nth(word).focus()
    await page.keyboard.press('Space')
  }
  await page.focus('#exercise-check')
  await page.keyboard.press('Enter')
  await reads('.exercise-passed', /^对了。/)
  await expectNothing('solved', '#exercise')
  await follow('#2&exercise=e99&lang=en')
  await reads('#exercise', /There is no exercise e99 on this page/)
  await page.evaluate(() => localStorage.clear())
})

test('e10: sliders are dragged and moved by keys, its bar is at most 120 px high; e18: heads are switched, both texts are side by side', async () => {
  const slider = (/** @type {string} */ name) => page.locator(`[data-control="${name}"]`)
  await go('#2&exercise=e10')
  for (const lang of ['zh', 'en']) {
    await follow(`#2&exercise=e10&lang=${lang}`)
    await page.click('[data-part="two"]')
    await slider('p2').waitFor()
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
    ]) {
      // biome-ignore format: one line
      await page.setViewportSize({ width, height })
      await settled(page)
      await until(async () => {
        const { height, content } = await sizeOf(page)
        assert.ok(height <= 120 && content <= 0, `${lang}, ${width} px: ${height} px, ${content} of it out of sight`)
      })
    }
  }
  const box = (await slider('q1').boundingBox()) ?? assert.fail()
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + 8, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, y, { steps: 3 })
  await page.mouse.move(box.x + box.width + 4, y, { steps: 3 })
  await page.mouse.up()
  await becomes(() => slider('q1').inputValue(), '20')
  await reads('.exercise-control:has([data-control="q1"]) output', '20')
  await slider('p2').focus()
  for (const [key, value] of [
    ['ArrowRight', '1'],
    ['End', '20'],
    ['ArrowLeft', '19'],
  ]) {
    // biome-ignore format: one line
    await page.keyboard.press(key)
    await becomes(() => slider('p2').inputValue(), value)
  }
  await slider('n').press('Home')
  await reads(
    '.exercise-measured',
    /^Weights 1\.000, 0\.000, 0\.000 · 0\.000, 1\.000, 0\.000; output \(0\.500, 0\.500\)/,
  )
  await page.click('#exercise-check')
  await page.locator('.exercise-passed').waitFor()

  await follow('#2&exercise=e18')
  await reads('.exercise-pair', /Is he → tom 99\.9%.*Is she → lily 99\.9%/s)
  await page.click('[data-control="3.1"]')
  await reads('.exercise-pair', /Is he → tom >99\.9%.*lily 10\.4%/s)
  await page.click('#exercise-check')
  await reads('.exercise-passed', /One question, two circuits/)
  await page.evaluate(() => localStorage.clear())
})

test('the presenter: larger, without the header; slides go on and come back, a full stop blanks the screen, Escape leaves; in a window of 1280 x 800 its bar covers no row of the map', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await go('#2&view=map&present=1')
  await page.locator('#present').waitFor()
  const isFree = async () => {
    const [map, bar] = await Promise.all(['#map canvas', '#present'].map(each => page.locator(each).boundingBox()))
    return map && bar && map.y + map.height <= bar.y
  }
  await becomes(isFree, true)
  await page.keyboard.press('Escape')
  await page.locator('#present').waitFor({ state: 'detached' })
  await page.setViewportSize(WINDOW)
  await follow('#2&')
  const seed = () => page.locator('#map').evaluate(map => /** @type {any} */ (map).rowTokens.join(' '))
  await page.keyboard.press('Shift+P')
  await page.locator('#present').waitFor()
  await becomes(() => page.locator('header.top').isVisible(), false)
  const fontSize = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
  await becomes(async () => Math.round(await fontSize()), 24)
  const flow = () => page.locator('qkv-flow').evaluate(own => own.getBoundingClientRect().width > innerWidth / 2)
  await becomes(flow, true) // the map beside it is hidden, and leaves no gap
  const cell = () =>
    page.locator('#map').evaluate(map => {
      const style = getComputedStyle(map)
      return ['width', 'height'].map(side =>
        Math.round(Number.parseFloat(style.getPropertyValue(`--qkv-cell-${side}`))),
      )
    })
  await becomes(cell, [128, 92])
  await page.click('#present-add')
  await page.locator('#present[data-slides="1"]').waitFor()
  await follow('#2&present=1&sentence=one+two+three')
  await becomes(seed, 'one two three')
  await page.click('#present-add')
  await page.locator('#present[data-at="1"][data-slides="2"]').waitFor()
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur())
  await page.keyboard.press('ArrowLeft')
  await becomes(seed, 'Life is short eat dessert first')
  await page.keyboard.press('.')
  await page.locator('.present-blank').waitFor()
  await page.keyboard.press('.')
  await page.locator('.present-blank').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await becomes(seed, 'one two three')
  await page.keyboard.press('ControlOrMeta+Z')
  await becomes(seed, 'Life is short eat dessert first')
  await page.keyboard.press('Escape')
  await page.locator('#present').waitFor({ state: 'detached' })
  await page.locator('header.top').waitFor()
  await page.evaluate(() => localStorage.clear())
})

/** Returns the page of a host, which records the messages of its frames and answers getState with a given state. @param {string} body @param {unknown} state */
const hostOf = (body, state) => `<!doctype html><html lang="en"><title>host</title>${body}<script>
  window.heard = []
  window.state = ${JSON.stringify(state) ?? 'undefined'}
  addEventListener('message', ({ source, data }) => {
    if (!data || !data.subject) return
    const frame = Array.from(document.querySelectorAll('iframe')).findIndex(each => each.contentWindow === source)
    heard.push({ frame, ...data })
    const { state } = window
    if (data.subject === 'SPLICE.getState' && state !== undefined)
      source.postMessage({ subject: 'SPLICE.getState.response', message_id: data.message_id, state }, '*')
  })
</script>`

/** Opens a host page from the same origin as the site. @param {string} body @param {unknown} [state] */
async function openHost(body, state) {
  await page.route('**/host.html', route => route.fulfill({ contentType: 'text/html', body: hostOf(body, state) }))
  await page.goto(`${url}host.html`)
}

/** Returns the messages of a subject that the host has received. @param {string} subject @returns {Promise<any[]>} */
const heard = subject =>
  page.evaluate(
    subject => /** @type {any} */ (window).heard.filter((/** @type {any} */ each) => each.subject === subject),
    subject,
  )

const FRAME = '<iframe src="./#2&exercise=e1&embed=1" width="900" height="600"></iframe>'

test('in a frame: the host is asked for a state, and gets score, state and height; nothing is stored; two frames are independent', async () => {
  await openHost(FRAME + FRAME)
  const [first, second] = [0, 1].map(n => page.frameLocator('iframe').nth(n))
  await first.locator('#exercise').waitFor()
  await second.locator('#exercise').waitFor()
  await first.locator('header.top').waitFor({ state: 'hidden' })
  await first.locator('[data-control="q2"]').fill('8')
  await first.locator('#exercise-check').click()
  await first.locator('.exercise-passed').waitFor()
  await becomes(async () => (await heard('SPLICE.reportScoreAndState')).length, 1)
  const [{ frame, score, state, activity_id }] = await heard('SPLICE.reportScoreAndState')
  assert.deepEqual([frame, score, activity_id], [0, 1, 'qkv.e1'])
  assert.deepEqual([state.exercise, state.isPassed, state.tries], ['e1', true, 1])
  await until(async () => {
    const [event] = await heard('SPLICE.sendEvent')
    assert.deepEqual([event.name, event.data.passed], ['check', true])
    assert.ok((await heard('lti.frameResize')).some(({ height }) => height > 200))
  })
  const asked = await heard('SPLICE.getState')
  assert.deepEqual(asked.map(({ frame }) => frame).sort(), [0, 1])
  assert.equal(await second.locator('#exercise').getAttribute('data-state'), 'open')
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), [])
  // The host returns the state to a frame that requests it.
  const answers = (/** @type {unknown} */ state) =>
    page.evaluate(state => {
      Object.assign(window, { state })
      document.querySelector('iframe')?.contentWindow?.location.reload()
    }, state)
  await answers(state)
  await first.locator('#exercise[data-state="passed"]').waitFor()
  await becomes(() => first.locator('[data-control="q2"]').inputValue(), '8')
  // A state of another exercise and an invalid state are refused with a message, on getState and when the host sets the state.
  await answers('nonsense')
  await first.locator('[data-said="exerciseStateRefused"]').waitFor()
  for (const wrong of [
    { ...state, exercise: 'e2' },
    { ...state, link: 'no=field' },
  ]) {
    await first.locator('#exercise-check').click()
    await first.locator('[data-said]').waitFor({ state: 'detached' })
    await page.evaluate(state => {
      const message = { subject: 'qkv.setState', state }
      document.querySelector('iframe')?.contentWindow?.postMessage(message, '*')
    }, wrong)
    await first.locator('[data-said="exerciseStateRefused"]').waitFor()
  }
})

test('in the frame of a host every exercise is solved in Chinese and reported; axe finds nothing in their bars; no link leads out but the one to the whole page', async () => {
  await openHost(FRAME.replace('900" height="600', '1440" height="900'), null)
  const frame = page.frameLocator('iframe')
  const inside = page.frames()[1]
  const whole = async (/** @type {string} */ id) => {
    await until(async () => {
      const found = await frame
        .locator('a[href]')
        .evaluateAll(all => all.filter(each => each.checkVisibility()).map(each => each.getAttribute('href') ?? ''))
      assert.ok(found.length === 1 && /^#2/.test(found[0]) && !/embed=/.test(found[0]), `${id}: ${found}`)
    })
  }
  const open = (/** @type {string} */ hash) =>
    page.evaluate(hash => {
      const { contentWindow } = /** @type {HTMLIFrameElement} */ (document.querySelector('iframe'))
      if (contentWindow) contentWindow.location.hash = hash
    }, hash)
  await solveAll(open, frame, IDS, '&embed=1&lang=zh&theme=dark', i => (i % 2 ? 'mouse' : 'keyboard'), {
    before: id => expectBar(inside, id, IN_CHINESE),
    async after(id) {
      await frame.locator('.exercise-passed', { hasText: /^\s*对了。/ }).waitFor()
      await whole(id)
    },
  })
  await until(async () => {
    const reported = await heard('SPLICE.reportScoreAndState')
    for (const id of IDS)
      assert.ok(
        reported.some(({ activity_id, score }) => activity_id === `qkv.${id}` && score === 1),
        id,
      )
  })
  await open('#2&exercise=e99&embed=1')
  await frame.locator('#exercise[data-state="unknown"]').waitFor()
  await whole('e99')
})

test('<qkv-exercise> reports checks, score and state, and continues from a state', async () => {
  await page.route('**/dist/**', route => {
    const [, path] = /\/dist\/(.*)$/.exec(route.request().url()) ?? []
    const body = readFileSync(new URL(`../../dist/${path}`, import.meta.url), 'utf8')
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  const body = `<qkv-exercise exercise="e1" lang="zh"></qkv-exercise><script type="module" src="./dist/elements/exercise.js"></script><script>
    window.events = []
    for (const name of ['qkv-check', 'qkv-score', 'qkv-state', 'qkv-error'])
      addEventListener(name, ({ detail }) => events.push([name, detail]))
  </script>`
  await openHost(body)
  const frame = page.frameLocator('iframe')
  await frame.locator('#exercise-title', { hasText: '只看一个值' }).waitFor()
  await frame.locator('[data-control="q1"]').fill('8')
  await page.evaluate(() => /** @type {any} */ (document.querySelector('qkv-exercise')).check())
  await frame.locator('#exercise[data-hint="other"]').waitFor()
  const events = () => page.evaluate(() => /** @type {any} */ (window).events)
  await becomes(async () => (await events()).map((/** @type {any} */ [name]) => name), ['qkv-check', 'qkv-state'])
  await frame.locator('[data-control="q1"]').fill('0')
  await frame.locator('[data-control="q2"]').fill('8')
  await frame.locator('#exercise-check').click()
  await becomes(async () => (await events()).at(-1)[0], 'qkv-score')
  await becomes(() => page.evaluate(() => /** @type {any} */ (document.querySelector('qkv-exercise')).score), 1)
  await page.evaluate(() => /** @type {any} */ (document.querySelector('qkv-exercise')).setState({ exercise: 'e9' }))
  await becomes(async () => (await events()).at(-1)[0], 'qkv-error')
})

test('the page as one file: an exercise of each kind is solved from a disk, offline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv exercise '))
  copyFileSync(fileURLToPath(new URL('../../site/qkv.html', import.meta.url)), join(folder, 'qkv.html'))
  const file = pathToFileURL(join(folder, 'qkv.html')).href
  const { context, complaints } = own.browser
  try {
    await context.setOffline(true)
    await page.goto(`${file}#2&exercise=e17`)
    await page.locator('[data-control="1.2"]').click({ timeout: 60_000 })
    await page.locator('#models-answer[data-token="max"]').waitFor()
    await page.click('#exercise-check')
    await page.locator('.exercise-passed').waitFor()
    await solveAll(follow, page, LOOKED, '', i => (i % 2 ? 'keyboard' : 'mouse'))
    assert.deepEqual([...new Set(complaints.splice(0))], [`request to ${file}`], 'the file alone is loaded')
  } finally {
    await context.setOffline(false)
    rmSync(folder, { recursive: true })
  }
})

test('on a phone the name of the example is whole beside two sentences', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('about:blank')
  await page.goto(`${url}#2&exercise=e9`)
  const name = page.locator('.example-name')
  await name.waitFor()
  assert.ok(await name.evaluate(each => each.scrollWidth <= each.clientWidth))
})
