// This module opens a page for each test, in one browser for each file. A test fails if the browser complains.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import { launch, plain, serve, settled } from './browser.js'

/** @typedef {import('playwright-core').Page} Page */

/** This link opens PyTorch's layer with matrices that are small enough to be read cell by cell. */
export const SMALL_LAYER = '#2&model=multihead&dModel=8&heads=2'

/** The link of One layer as it opens. */
export const LAYER = '#2&'

/** Serves the site and starts a browser for the tests of a file. */
export function useBrowser() {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server
  /** @type {Awaited<ReturnType<typeof launch>>} */
  let browser
  before(async () => {
    server = await serve()
    browser = await launch(server.origin)
  })
  after(async () => {
    await browser?.close()
    server?.close()
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
/** These objects were changed by drawAfterActions. @type {WeakSet<object>} */
const changed = new WeakSet()

/**
 * Makes every action end when the frame after it is drawn. A test that reads the page next reads the answer to the action.
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

/**
 * Opens the page before each test of a file.
 * @param {{ hash?: string }} [options]
 */
export function usePage({ hash = LAYER } = {}) {
  const own = useBrowser()
  /** @type {Page} */
  let page
  beforeEach(async () => {
    page = await own.browser.context.newPage()
    page.setDefaultTimeout(60_000) // the machine may be busy
    drawAfterActions(page)
    await page.goto(own.server.url + hash)
    await page.locator('main').waitFor()
  })
  afterEach(async () => {
    await page.close()
    assert.deepEqual(own.browser.complaints.splice(0), [], 'no console error, failed request or request elsewhere')
  })
  return {
    get page() {
      return page
    },
    get url() {
      return own.server.url
    },
    /** Returns the text of an element, with one space for each run of white space. @param {string} selector */
    text: async selector => plain((await page.locator(selector).textContent()) ?? ''),
    /** Replaces the text of a field, key by key. @param {string} selector @param {string} letters */
    async type(selector, letters) {
      const box = page.locator(selector)
      await box.click()
      await box.press('ControlOrMeta+A')
      await box.press('Delete')
      await box.pressSequentially(letters)
      await settled(page)
    },
    /** @param {string} name */
    async choose(name) {
      await page.click('#examples > summary')
      await page.click(`#examples [data-item="${name}"]`)
      await settled(page)
    },
    /** Sets a field of the drawer, or language and theme in the menu. @param {string} field @param {string} value */
    async set(field, value) {
      const isInMenu = ['language', 'theme'].includes(field)
      await page.click(isInMenu ? '#more > summary' : '#settings-open')
      const control = page.locator(`#${field}`)
      if (await control.evaluate(element => element.localName === 'select')) await control.selectOption(value)
      else await control.fill(value)
      await page.keyboard.press('Escape')
      await settled(page)
    },
    /** @param {'read' | 'edit' | 'paint'} mode */
    async mode(mode) {
      await page.click('#edit > summary')
      await page.click(`#edit [data-item="${mode}"]`)
    },
    /** Opens another address, in the same tab. @param {string} address the hash */
    async go(address) {
      await page.goto('about:blank')
      await page.goto(own.server.url + address)
      await page.locator('main').waitFor()
      await settled(page)
    },
  }
}
