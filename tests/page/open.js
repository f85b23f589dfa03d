// Opens a page for each test, in one browser for all test files of a process. A test fails if the browser complains. The functions act on the running
// test's page. An assertion after an action waits by `becomes` or `reads`, because a worker or an import may answer in any later frame.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterEach, before, beforeEach } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { atEnd } from '../at-end.js'
import { launch, plain, serve, settled, THROTTLE, WINDOW } from './browser.js'

/** @import { Page } from 'playwright-core' */

/** A link that opens PyTorch's layer with matrices small enough to be read cell by cell. */
export const SMALL_LAYER = '#2&model=multihead&dModel=8&heads=2'
/** Links of One layer: LAYER shows only the map. OPENS shows the room as it opens, the flow with the map beside it. */
export const LAYER = '#2&view=map'
export const OPENS = '#2&'
/** Milliseconds until a test gives up waiting for a state. The machine may be busy. */
const PATIENCE = 120_000
/** Milliseconds after which the page of a test is closed, because an evaluation in a page that hangs would never end. */
const LIMIT = 480_000

/** The page of the running test. @type {Page} */
export let page
/** The address of the server. */
export let url = ''

/** Closes the page, and makes the functions act on another tab from now on. @param {Page} tab */
export async function turnTo(tab) {
  await page.close()
  page = tab
  page.setDefaultTimeout(PATIENCE)
}

/**
 * Reads repeatedly until the value is as expected: equal to a value, or matched by a pattern.
 * @param {() => unknown} read
 * @param {unknown} expected
 * @param {string} [what] what is expected, in words
 */
export async function becomes(read, expected, what) {
  for (const end = Date.now() + PATIENCE; ; await wait(20)) {
    try {
      const found = await read()
      if (expected instanceof RegExp) assert.match(String(found), expected)
      else assert.deepEqual(found, expected)
      return
    } catch (error) {
      if (Date.now() < end) continue
      throw what ? new Error(what, { cause: error }) : error
    }
  }
}

/** Repeats assertions that read the page until they hold. @param {() => Promise<unknown>} assertions @param {string} [what] */
export const until = (assertions, what) => becomes(async () => void (await assertions()), undefined, what)

/** Returns the text of the first element that matches, with one space for each run of white space. @param {string} selector */
export const text = async selector => plain((await page.locator(selector).first().textContent()) ?? '')

/**
 * Waits until an element has a text, or a text that a pattern matches.
 * @param {string} selector
 * @param {string | RegExp} expected
 * @param {string} [what]
 */
export const reads = (selector, expected, what) => becomes(() => text(selector), expected, what)

/** The servers that the test files of this process share, by the function that starts each. @type {Map<typeof serve, ReturnType<typeof serve>>} */
const servers = new Map()
/** @type {ReturnType<typeof launch> | undefined} */
let launched

/** Starts a server, once. @param {typeof serve} start */
function serveOnce(start) {
  const server = servers.get(start) ?? start()
  if (!servers.has(start)) atEnd(async () => (await server).close())
  servers.set(start, server)
  return server
}

/** Starts the browser, once. */
function launchOnce() {
  if (!launched) atEnd(async () => (await launched)?.close())
  launched ??= launch()
  return launched
}

/** Deletes stored data and permissions that the previous test file has left in the browser, but keeps the HTTP cache. @param {import('playwright-core').BrowserContext} context @param {string} origin */
async function forget(context, origin) {
  await context.clearPermissions()
  await context.clearCookies()
  tab ??= await newTab(context)
  const client = await context.newCDPSession(tab)
  await client.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await client.detach()
}

/** Starts a server, by default of the site, and a browser for the tests of a file. */
export function useBrowser(start = serve) {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server
  /** @type {Awaited<ReturnType<typeof launch>>} */
  let browser
  before(async () => {
    server = await serveOnce(start)
    browser = await launchOnce()
    browser.origins.splice(0, browser.origins.length, server.origin)
    await forget(browser.context, server.origin)
  })
  return {
    get server() {
      return server
    },
    get browser() {
      return browser
    },
  }
}

const ACTIONS = ['click', 'dblclick', 'fill', 'hover', 'press', 'selectOption', 'setInputFiles', 'tap']
/** Objects that drawAfterActions has changed. @type {WeakSet<object>} */
const changed = new WeakSet()

/**
 * Makes every action end after the next frame is drawn, so that a test that reads the page next reads the answer to the action.
 * @param {Page} page
 */
function drawAfterActions(page) {
  /** @param {any} target @param {string[]} names */
  const change = (target, names) => {
    if (changed.has(target)) return
    changed.add(target)
    for (const name of names) {
      const act = target[name]
      target[name] = async function (/** @type {any[]} */ ...options) {
        const result = await act.apply(this, options)
        await settled(this.page?.() ?? page).catch(() => {}) // the action may have left the page
        return result
      }
    }
  }
  change(page, ACTIONS)
  change(page.keyboard, ['press'])
  change(Object.getPrototypeOf(page.locator('html')), [...ACTIONS, 'check', 'pressSequentially'])
}

/** Tabs that are not used again, because a test has added a script, a route or a clock to them. @type {WeakSet<Page>} */
const isChanged = new WeakSet()

/** @param {import('playwright-core').BrowserContext} context */
async function newTab(context) {
  const tab = await context.newPage()
  tab.setDefaultTimeout(PATIENCE)
  if (THROTTLE > 1) await (await context.newCDPSession(tab)).send('Emulation.setCPUThrottlingRate', { rate: THROTTLE })
  drawAfterActions(tab)
  for (const [target, name] of /** @type {[any, string][]} */ ([
    [tab, 'addInitScript'],
    [tab, 'route'],
    [tab.clock, 'install'],
  ])) {
    const change = target[name].bind(target)
    target[name] = (/** @type {any[]} */ ...options) => {
      isChanged.add(tab)
      return change(...options)
    }
  }
  return tab
}

/** Resets a tab for the next test. Loading a page in a reused tab takes a third less time than in a new one. @param {Page} tab */
async function empty(tab) {
  await tab.goto('about:blank')
  await tab.mouse.move(0, 0)
  await tab.setViewportSize(WINDOW)
  await tab.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null })
}

/** The tab of the previous test, if a test may use it again. @type {Page | undefined} */
let tab

/**
 * Opens the page before each test of a file, in one tab.
 * @param {{ hash?: string | null, start?: typeof serve }} [options] hash is null where each test begins with `go`; `start` serves
 *   something else than the site
 */
export function usePage({ hash = LAYER, start } = {}) {
  const own = useBrowser(start)
  /** @type {ReturnType<typeof setTimeout>} */
  let limit
  beforeEach(async () => {
    tab ??= await newTab(own.browser.context)
    page = tab
    limit = setTimeout(() => page.close(), LIMIT)
    url = own.server.url
    if (hash === null) return
    await page.goto(url + hash)
    await page.locator('main').waitFor()
    await whole()
  })
  afterEach(async () => {
    clearTimeout(limit)
    if (page === tab && !isChanged.has(page) && !page.isClosed()) await empty(page)
    else {
      await page.close()
      tab = undefined
    }
    assert.deepEqual(own.browser.complaints.splice(0), [], 'no console error, failed request or request elsewhere')
  })
  return own
}

/** Replaces the text of a field, key by key. @param {string} selector @param {string} letters */
export async function type(selector, letters) {
  const box = page.locator(selector)
  await box.click()
  await box.press('ControlOrMeta+A')
  await box.press('Delete')
  await box.pressSequentially(letters)
}

/** Chooses an example of One layer. @param {string} name */
export async function choose(name) {
  await page.click('#examples > summary')
  await page.click(`#examples [data-item="${name}"]`)
}

/** Sets a field of the drawer, or language and theme in the menu. @param {string} field @param {string} value */
export async function set(field, value) {
  const isInMenu = ['language', 'theme'].includes(field)
  await page.click(isInMenu ? '#more > summary' : '#settings-open')
  const control = page.locator(`#${field}`)
  if (await control.evaluate(element => element.localName === 'select')) await control.selectOption(value)
  else await control.fill(value)
  if (field === 'language') await page.locator(`html[lang^="${value}"]`).waitFor() // once the texts of the language are loaded
  await page.keyboard.press('Escape')
}

/** Chooses a picture of the head of One layer. Pictures without a tab are in the menu beside the tabs. @param {string} name */
export async function chooseView(name) {
  const tab = page.locator(`.tab[data-view="${name}"]`)
  if (await tab.count()) return tab.click()
  await page.click('#views > summary')
  await page.click(`#views [data-item="${name}"]`)
}

/** Chooses whether a stroke over the map reads or paints. @param {'read' | 'paint'} name */
export async function mode(name) {
  const isPainting = (await page.locator('#paint').getAttribute('aria-pressed')) === 'true'
  if (isPainting !== (name === 'paint')) await page.click('#paint')
}

/** Opens a part of One layer from the menu in the header. @param {'import' | 'code'} part */
export async function unfold(part) {
  await page.click('#more > summary')
  await page.click(`#to-${part}`)
}

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** The rules of axe whose result depends on the theme or the language. A second theme and language need no others. */
export const THEME_AND_LANGUAGE = `
  color-contrast link-in-text-block html-has-lang html-lang-valid valid-lang document-title label button-name link-name
  select-name summary-name image-alt svg-img-alt frame-title aria-command-name aria-input-field-name
  aria-toggle-field-name empty-heading empty-table-header`
  .trim()
  .split(/\s+/)

/** Returns the violations that axe finds in the page, or in a part of it. @param {string} [part] @param {Page | import('playwright-core').Frame} [place] a frame within the page @param {string[]} [rules] the rules to check, by default all */
export async function violations(part, place = page, rules = undefined) {
  if (!(await place.evaluate(() => 'axe' in globalThis))) await place.evaluate(AXE)
  const given = { part, rules }
  return place.evaluate(async ({ part, rules }) => {
    // An element that fades in has less contrast until it is opaque.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    const { axe } = /** @type {any} */ (globalThis)
    const { violations } = await axe.run(part ?? document, { resultTypes: ['violations'], runOnly: rules })
    return violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ node) => node.html.slice(0, 120)).join('\n  ')}`,
    )
  }, given)
}

/** Follows a link within the open page. The settings change, and state that no link contains stays. @param {string} address the hash */
export async function follow(address) {
  await page.evaluate(hash => {
    // The page writes its settings to the address after a pause. Until then the address may still be `hash`, and setting it would fire no event.
    if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'))
    location.hash = hash
  }, address)
  await settled(page)
}

/** Waits until an element has had the same place for half a second, before the mouse acts at coordinates. @param {string} selector */
export async function still(selector) {
  const place = async () => JSON.stringify(await page.locator(selector).first().boundingBox())
  for (let [before, now] = ['', await place()]; before !== now; [before, now] = [now, await place()]) await wait(500)
}

/** Waits for the part below the first screen of One layer, which is loaded after the picture. */
async function whole() {
  if (await page.locator('main.room').count()) await page.locator('.steps-panel').waitFor({ state: 'attached' })
}

/** Returns the hash of the address in the page, because `page.url()` learns of a change only later. */
export const addressHash = () => page.evaluate(() => location.hash)

/** Reloads the page at another address, in the same tab. @param {string} address the hash */
export async function go(address) {
  await page.goto('about:blank')
  await page.goto(url + address)
  await page.locator('main').waitFor()
  await whole()
  await settled(page)
}
