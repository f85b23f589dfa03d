import { launch } from 'puppeteer-core'

/** @import { Browser } from './browsers.js' */

/**
 * Starts Debian's Firefox, headless, with the API of browsers.js.
 * @returns {Promise<Browser>}
 */
export async function open() {
  const browser = await launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    timeout: 120_000, // the machine may be busy
    defaultViewport: { width: 1280, height: 900 },
  })
  /** @type {string[]} */
  const complaints = []
  return {
    complaints,
    close: () => browser.close(),
    async open(url) {
      const page = await browser.newPage()
      page.on('console', message => {
        if (['error', 'warn'].includes(message.type())) complaints.push(`console: ${message.text()}`)
      })
      page.on('pageerror', error => complaints.push(`error: ${/** @type {Error} */ (error).message}`))
      page.on('response', response => {
        if (response.status() >= 400) complaints.push(`${response.status()} for ${response.url()}`)
      })
      page.on('dialog', dialog => {
        complaints.push(`dialog: ${dialog.message()}`)
        dialog.dismiss()
      })
      const goto = async (/** @type {string} */ to) => void (await page.goto(to))
      await goto(url)
      /** Waits for an element, also in shadow roots, and returns it. @param {string} selector */
      async function find(selector) {
        const element = await page.waitForSelector(`pierce/${selector}`)
        if (!element) throw new Error(`there is no ${selector}`)
        return element
      }
      return {
        goto,
        evaluate: /** @type {any} */ (page.evaluate.bind(page)),
        until: async (isTrue, ...args) => void (await page.waitForFunction(isTrue, { timeout: 120_000 }, ...args)),
        click: async selector => (await find(selector)).click(),
        async type(selector, text) {
          await (await find(selector)).focus()
          await page.keyboard.down('Control')
          await page.keyboard.press('a')
          await page.keyboard.up('Control')
          await page.keyboard.press('Backspace')
          await page.keyboard.type(text)
        },
        press: key => page.keyboard.press(/** @type {import('puppeteer-core').KeyInput} */ (key)),
        resize: (width, height) => page.setViewport({ width, height }),
        screenshot: async path => void (await page.screenshot({ path: /** @type {`${string}.png`} */ (path) })),
        close: () => page.close(),
      }
    },
  }
}
