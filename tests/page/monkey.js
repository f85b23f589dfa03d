// Does random clicks, keys, texts and strokes in every room of the built page, on a desktop and on a phone. No run may throw, leave the page blank
// or wider than the viewport, or wait for an answer that does not come.
//   npm run monkey -- --seed 7 --runs 200 [--minutes 60] [--actions 60] [--room layer]

import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { beyond, launch, serve, settled, WINDOW } from './browser.js'
import { randomOf } from './hostile.js'

/** @import { Page } from 'playwright-core' */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '200' },
    minutes: { type: 'string', default: 'Infinity' },
    actions: { type: 'string', default: '60' },
    room: { type: 'string' },
  },
})
const [SEED, RUNS, ACTIONS, MINUTES] = [values.seed, values.runs, values.actions, values.minutes].map(Number)
/** Milliseconds after which an answer counts as lost, also on a busy computer. */
const PATIENCE = 180_000

const DESKTOP = { viewport: WINDOW, locale: 'en-US' }
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'en-US' }

const ROOMS = ['front', 'layer', 'learn', 'models', 'exercises']
const STARTS = /** @type {Record<string, readonly string[]>} */ ({
  front: [''],
  layer: ['#2&', '#2&model=handBuilt&mask=causal&view=map', '#2&kind=cross', '#2&view=flow', '#2&tour=2'],
  learn: ['#2&room=learn&learn.steps=60&learn.d=16', '#2&room=learn&learn.task=sort'],
  models: ['#2&room=models', '#2&room=models&models.checkpoint=translation', '#2&room=models&models.graph=80'],
  exercises: ['#2&room=exercises', '#2&exercise=e5', '#2&exercise=e9', '#2&exercise=e16'],
})
const TEXTS = [
  '',
  'a',
  'a b c',
  'the cat sat on the mat and the cat slept',
  'Lily has a ball . Tom sees',
  '五 只 猫',
  '3 1 2',
  '0.3',
  '-7',
  'x'.repeat(80),
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen',
]
const KEYS = [
  'Tab',
  'Tab',
  'Enter',
  'Escape',
  'ArrowDown',
  'ArrowRight',
  'ArrowLeft',
  'ArrowUp',
  'n',
  'p',
  'b',
  ' ',
  'Delete',
].concat(['Home', 'End', 'Control+z', 'Control+Shift+Z', '5', 'Shift+Enter', 'PageDown'])

/** Scrolls a control into view, and returns a point in it with a description. @param {Page} page @param {number} share which control: its position in the list, from 0 to 1 */
const target = (page, share) =>
  page.evaluate(share => {
    const wanted =
      'button, summary, select, input:not([type=file]), textarea, a[href^="#"], [role=gridcell], [role=radio], canvas, [data-word], svg [tabindex]'
    /** @type {Element[]} */
    const found = []
    const look = (/** @type {ParentNode} */ root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) look(element.shadowRoot)
        if (element.matches(wanted) && element.checkVisibility() && !element.matches(':disabled')) found.push(element)
      }
    }
    look(document)
    const element = found[Math.floor(share * found.length)]
    if (!element) return undefined
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { left, top, width, height } = element.getBoundingClientRect()
    const name = `${element.localName}${element.id && `#${element.id}`} ${element.getAttribute('class') ?? ''}`
    const options = element instanceof HTMLSelectElement ? element.options.length : 0
    const isText = element.matches('textarea, input:not([type=range], [type=checkbox], [type=radio])')
    return {
      x: left,
      y: top,
      width,
      height,
      options,
      isText,
      name: `${name} ${(element.textContent ?? '').trim().slice(0, 30)}`,
    }
  }, share)

/**
 * Does one action; returns its description.
 * @param {Page} page @param {() => number} random @param {boolean} isPhone
 */
async function act(page, random, isPhone) {
  const below = (/** @type {number} */ n) => Math.floor(random() * n)
  const one = (/** @type {readonly any[]} */ list) => list[below(list.length)]
  const kind = random()
  if (kind < 0.62) {
    const found = await target(page, random())
    if (!found) return 'nothing to press'
    const at = /** @type {const} */ ([found.x + random() * found.width, found.y + random() * found.height])
    if (isPhone) await page.touchscreen.tap(...at)
    else {
      const isShift = random() < 0.1
      if (isShift) await page.keyboard.down('Shift')
      await page.mouse.click(...at)
      if (isShift) await page.keyboard.up('Shift')
    }
    if (found.options) await page.keyboard.press(one(['ArrowDown', 'ArrowUp', 'End', 'Escape']))
    if (!found.isText) return `press ${found.name}`
    await page.keyboard.press('ControlOrMeta+A')
    const text = one(TEXTS)
    if (text) await page.keyboard.insertText(text)
    else await page.keyboard.press('Delete')
    if (random() < 0.5) await page.keyboard.press('Enter')
    return `type ${JSON.stringify(text)} into ${found.name}`
  }
  if (kind < 0.77) {
    const key = one(KEYS)
    await page.keyboard.press(key)
    return `key ${key}`
  }
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const point = () => /** @type {const} */ ([below(width), below(height)])
  if (kind < 0.83 && !isPhone) {
    await page.mouse.move(...point())
    await page.mouse.down()
    await page.mouse.move(...point(), { steps: 3 })
    await page.mouse.up()
    return 'a stroke'
  }
  if (kind < 0.9) {
    await page.mouse.wheel(0, one([-3000, -400, 400, 3000]))
    return 'scroll'
  }
  if (kind < 0.94) {
    const to = one(['goBack', 'goForward'])
    await page[/** @type {'goBack'} */ (to)]({ timeout: PATIENCE })
    if (page.url() === 'about:blank') await page.goForward()
    return to
  }
  if (kind < 0.97) {
    await wait(700)
    return 'wait'
  }
  if (kind < 0.985) {
    await page.evaluate(() => document.fullscreenElement && document.exitFullscreen()) // a full-screen window cannot be resized
    await page.setViewportSize({ width: height, height: width })
    await settled(page)
    await page.setViewportSize({ width, height })
    return 'turn'
  }
  await page.reload()
  return 'reload'
}

/** Returns the faults of the page. Waits while the page is blank, because a room may still be loading. @param {Page} page */
async function wrong(page) {
  if (page.url() === 'about:blank') await page.goForward() // an earlier Back has left the page with a delay
  const isBlank = () => (document.querySelector('main, #stage')?.textContent ?? '').trim().length < 20
  if (await page.evaluate(isBlank)) {
    const isThere = page.waitForFunction(
      () => (document.querySelector('main, #stage')?.textContent ?? '').trim().length >= 20,
      undefined,
      { timeout: PATIENCE },
    )
    if (!(await isThere.catch(() => undefined))) return ['the page is blank']
  }
  const found = await page.evaluate(() => {
    const said = Array.from(document.querySelectorAll('[role=alert], .said.is-bad'), each =>
      (each.textContent ?? '').trim(),
    )
    return said.filter(each => /cannot be shown|did not work|stopped|undefined|NaN/.test(each))
  })
  return [...found, ...(await beyond(page))]
}

/** Waits for the answers to all requests at the end of a run. Returns a list: empty, or with a fault if an answer does not come. @param {Page} page */
const answered = page =>
  page
    .waitForFunction(() => !document.querySelector('[aria-busy=true]'), undefined, { timeout: PATIENCE })
    .then(
      () => [],
      () =>
        page.evaluate(() => {
          const busy = Array.from(document.querySelectorAll('[aria-busy=true]'), each => each.id || each.className)
          return [`an answer does not come: ${busy}`]
        }),
    )

const server = await serve()
const { context, close } = await launch(server.origin)
const browser = context.browser()
if (!browser) throw new Error('the browser has ended')
const start = performance.now()
/** Prints the summary also when the program is ended by SIGTERM. */
process.on('SIGTERM', () => process.exit(say()))
const minutes = () => (performance.now() - start) / 60_000
let [failures, runs, actions] = [0, 0, 0]
for (; runs < RUNS && minutes() < MINUTES; runs++) {
  const seed = SEED + runs
  const random = randomOf(seed)
  const room = values.room ?? ROOMS[runs % ROOMS.length]
  const isPhone = random() < 0.4
  const first = STARTS[room][Math.floor(random() * STARTS[room].length)]
  const own = await browser.newContext(isPhone ? PHONE : DESKTOP)
  const page = await own.newPage()
  /** @type {string[]} */
  const errors = []
  page.on('pageerror', error => errors.push(String(error.stack ?? error)))
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  page.on('filechooser', () => {})
  page.on('dialog', dialog => dialog.dismiss())
  page.setDefaultTimeout(60_000)
  /** @type {string[]} */
  const done = [`${isPhone ? 'phone' : 'desktop'} ${first}`]
  try {
    await page.goto(server.url + first)
    await page.locator('main').first().waitFor()
    /** @type {string[]} */
    let found = []
    for (let i = 0; i < ACTIONS && !found.length; i++) {
      done.push(await act(page, random, isPhone))
      actions++
      await settled(page)
      found = [
        ...errors.filter(each => !/ERR_(INTERNET|NAME|CONNECTION)|Failed to load/.test(each)),
        ...(await wrong(page)),
      ]
    }
    if (!found.length) found = await answered(page)
    if (found.length) throw new Error(found.join('\n    '))
  } catch (error) {
    failures++
    console.log(`FAILED seed ${seed} room ${room}: ${error instanceof Error ? error.message : error}`)
    console.log(`    at ${page.url().replace(server.url, '')}\n    ${done.slice(-8).join('\n    ')}`)
  }
  await own.close()
}
await close()
server.close()
process.exit(say())

/** Prints a summary. Returns the exit status. */
function say() {
  console.log(
    `${failures ? `${failures} failed` : 'all held'}: ${runs} runs, ${actions} actions, seeds ${SEED} to ${SEED + runs - 1}, ` +
      `${minutes().toFixed(1)} minutes`,
  )
  return failures ? 1 : 0
}
