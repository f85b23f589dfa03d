import { spawn } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** WebDriver's code of each key, by its name in the DOM. */
const KEYS = /** @type {Record<string, string>} */ ({
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Escape: '\uE00C',
  ' ': ' ',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Delete: '\uE017',
})
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** Returns the path of the browser. Debian's WebKit has it in a folder named after the processor. */
function miniBrowser() {
  const named = process.env.WEBKIT
  if (named && !existsSync(named)) throw new Error(`there is no ${named}, which WEBKIT names`)
  if (named) return named
  for (const folder of readdirSync('/usr/lib'))
    for (const version of ['4.1', '6.0', '4.0']) {
      const path = `/usr/lib/${folder}/webkit2gtk-${version}/MiniBrowser`
      if (existsSync(path)) return path
    }
  throw new Error('MiniBrowser is missing: install webkit2gtk-driver, or name it in WEBKIT')
}

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise(resolve => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })

/** Source of a function for the page: it returns the first element that matches, also inside open shadow roots, or null. */
const find = `function find(selector, root = document) {
  const found = root.querySelector(selector)
  if (found) return found
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    const inside = shadowRoot && find(selector, shadowRoot)
    if (inside) return inside
  }
  return null
}`

/** Milliseconds to wait for an answer of the driver. The machine may be busy. */
const PATIENCE = 300_000

const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Opens a page in a tab of the browser.
 * @param {object} given
 * @param {(method: string, path: string, body?: object) => Promise<any>} given.send sends a command to WebDriver
 * @param {string} given.session the path at which the session's commands begin
 * @param {string} given.handle of the tab
 * @param {string[]} given.complaints takes the errors of the page
 * @param {string} url
 * @returns {ReturnType<import('./browsers.js').Browser['open']>}
 */
async function openTab({ send, session, handle, complaints }, url) {
  /** Runs a command in this tab. @param {string} path @param {object} [body] */
  const post = async (path, body = {}) => {
    await send('POST', `${session}/window`, { handle })
    return send('POST', `${session}/${path}`, body)
  }
  /** @param {Function} run @param {unknown[]} args */
  async function evaluate(run, args) {
    const script = `const done = arguments[arguments.length - 1]
      new Promise(resolve => resolve((${run})(...arguments[0]))).then(
        value => done({ value, complaints: globalThis.qkvComplaints?.splice(0) }),
        error => done({ error: String(error) + '\\n' + error?.stack }))`
    const answer = await post('execute/async', { script, args: [args] })
    if (answer.error) throw new Error(answer.error)
    complaints.push(...(answer.complaints ?? []))
    return answer.value
  }
  async function goto(/** @type {string} */ to) {
    await post('url', { url: to })
    await evaluate(() => {
      const page = /** @type {any} */ (globalThis)
      page.qkvComplaints ??= []
      const list = /** @type {string[]} */ (page.qkvComplaints)
      addEventListener('error', ({ message }) => list.push(`error: ${message}`))
      addEventListener('unhandledrejection', ({ reason }) => list.push(`error: ${reason}`))
    }, [])
  }
  /** @param {string} selector @returns {Promise<string>} its path */
  async function element(selector) {
    for (const end = Date.now() + 120_000; ; await pause(50)) {
      const found = await post('execute/sync', { script: `return (${find})(arguments[0])`, args: [selector] })
      if (found) return `element/${found[ELEMENT]}`
      if (Date.now() > end) throw new Error(`there is no ${selector}`)
    }
  }
  /** @param {string[]} keys held together */
  const press = keys =>
    post('actions', {
      actions: [
        {
          type: 'key',
          id: 'keyboard',
          actions: [
            ...keys.map(value => ({ type: 'keyDown', value })),
            ...keys.map(value => ({ type: 'keyUp', value })).reverse(),
          ],
        },
      ],
    })
  await goto(url)
  return {
    goto,
    evaluate: (run, ...args) => evaluate(run, args),
    async until(isTrue, ...args) {
      for (const end = Date.now() + 120_000; !(await evaluate(isTrue, args)); await pause(50))
        if (Date.now() > end) throw new Error(`after 120 s still not true: ${isTrue}`)
    },
    click: async selector => post(`${await element(selector)}/click`),
    async type(selector, text) {
      const field = await element(selector)
      await post(`${field}/click`)
      await press([KEYS.Control, 'a'])
      await post(`${field}/value`, { text: KEYS.Backspace + text })
    },
    press: key => press([KEYS[key] ?? key]),
    resize: (width, height) => post('window/rect', { width, height }),
    async screenshot(path) {
      await send('POST', `${session}/window`, { handle })
      writeFileSync(path, await send('GET', `${session}/screenshot`), 'base64')
    },
    async close() {
      await send('POST', `${session}/window`, { handle })
      await send('DELETE', `${session}/window`)
    },
  }
}

/**
 * Starts Debian's WebKit on a separate screen, with the API of browsers.js. Its driver does not report the console and the network. So
 * `complaints` has only errors that a loaded page does not catch.
 * @returns {Promise<import('./browsers.js').Browser>}
 */
export async function open() {
  const port = await freePort()
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { detached: true, stdio: 'ignore' })
  // Killing xvfb-run alone leaves Xvfb running, so kill the process group.
  const end = () => {
    try {
      process.kill(-(/** @type {number} */ (driver.pid)))
    } catch {}
  }
  process.once('exit', end)

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  async function send(method, path, body) {
    const given = { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, given)
    const { value } = /** @type {any} */ (await response.json())
    if (value?.error) throw new Error(`WebKit, ${path}: ${value.error}: ${value.message}`)
    return value
  }
  /** Starts a session; returns the path of its commands. */
  async function start() {
    for (const last = Date.now() + PATIENCE; ; await pause(100))
      try {
        await send('GET', '/status')
        break
      } catch (cause) {
        if (Date.now() > last || driver.exitCode !== null) throw new Error('WebKitWebDriver does not start', { cause })
      }
    const browser = { binary: miniBrowser(), args: ['--automation'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browser } }
    const session = `/session/${(await send('POST', '/session', { capabilities })).sessionId}`
    await send('POST', `${session}/timeouts`, { script: PATIENCE })
    await send('POST', `${session}/window/rect`, { width: 1280, height: 900 })
    return session
  }
  const session = await start().catch(error => {
    end() // WebKit's processes would keep this one alive
    throw error
  })
  /** @type {string[]} */
  const complaints = []
  let isFirst = true

  return {
    complaints,
    async close() {
      await send('DELETE', session).finally(end)
      process.off('exit', end)
    },
    async open(url) {
      let handle = await send('GET', `${session}/window`)
      if (!isFirst) ({ handle } = await send('POST', `${session}/window/new`, { type: 'tab' }))
      isFirst = false
      return openTab({ send, session, handle, complaints }, url)
    },
  }
}
