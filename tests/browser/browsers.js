// Drives three browsers by one small API.
//
//   const browser = await launch('webkit')          // 'chromium', 'firefox' or 'webkit': BROWSERS names them all
//   const page = await browser.open(url)            // a new tab, loaded
//   await page.evaluate((a, b) => a + b, 1, 2)      // arguments and results as JSON; promises are awaited
//   await page.type('#sentence', 'Life is short')   // replaces what the field held
//   await page.click('button'); await page.press('Escape')
//   await page.until(() => document.querySelector('output')?.textContent === '3')
//   await page.resize(360, 800); await page.screenshot('page.png')
//   browser.complaints                              // errors and warnings of the console, failed requests, dialogs
//   await browser.close()
//
// Chromium runs through playwright, Firefox through puppeteer (WebDriver BiDi), WebKit through its WebDriver (webkit.js) in an Xvfb. The
// Debian packages are chromium-headless-shell, firefox-esr and webkit2gtk-driver. Each browser has a fresh profile.

import * as chromium from './chromium.js'
import * as firefox from './firefox.js'
import * as webkit from './webkit.js'

/**
 * @typedef {object} Page
 * @property {(url: string) => Promise<void>} goto
 * @property {<A extends any[], R>(run: (...args: A) => R, ...args: A) => Promise<Awaited<R>>} evaluate
 * @property {<A extends any[]>(isTrue: (...args: A) => unknown, ...args: A) => Promise<void>} until
 *   waits, at most 120 s, until `isTrue` returns true in the page
 * @property {(selector: string) => Promise<void>} click
 * @property {(selector: string, text: string) => Promise<void>} type
 * @property {(key: string) => Promise<void>} press a key by its name: `Enter`, `ArrowDown`, `Tab`, `a`
 * @property {(width: number, height: number) => Promise<void>} resize
 * @property {(path: string) => Promise<void>} screenshot
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} Browser
 * @property {(url: string) => Promise<Page>} open
 * @property {string[]} complaints
 * @property {() => Promise<void>} close
 */

const opened = { chromium: chromium.open, firefox: firefox.open, webkit: webkit.open }

export const BROWSERS = /** @type {const} */ (['chromium', 'firefox', 'webkit'])

/**
 * @param {typeof BROWSERS[number]} name
 * @returns {Promise<Browser>}
 */
export const launch = name => opened[name]()
