// Tests the methods that page tests call, in each of the three browsers.

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BROWSERS, launch } from './browsers.js'

const html = `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">
<input value="old"><p></p><h-ost></h-ost>
<script>
  const [input] = document.getElementsByTagName('input')
  const [p] = document.getElementsByTagName('p')
  const root = document.querySelector('h-ost').attachShadow({ mode: 'open' })
  root.innerHTML = '<button>inside</button>'
  let clicks = 0
  root.querySelector('button').onclick = () => p.textContent = input.value + ++clicks
  onkeydown = ({ key }) => p.dataset.key = key
</script>`
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
after(() => server.close())
const url = `http://127.0.0.1:${port}/`

for (const name of BROWSERS)
  test(`in ${name} a page is opened, typed into, clicked and read, and its complaints are collected`, async t => {
    const browser = await launch(name)
    t.after(() => browser.close())
    const page = await browser.open(url)
    t.diagnostic(await page.evaluate(() => navigator.userAgent))
    await page.type('input', 'new, Ä语')
    await page.click('button') // the button is in a shadow root
    await page.click('button')
    await page.until(text => document.querySelector('p')?.textContent === text, 'new, Ä语2')
    await page.press('ArrowDown')
    await page.press('b')
    assert.equal(await page.evaluate(() => document.querySelector('p')?.dataset.key), 'b')
    assert.deepEqual(await page.evaluate(async (a, b) => [a, await b], { x: [1] }, null), [{ x: [1] }, null])
    await assert.rejects(
      page.evaluate(() => {
        throw new RangeError('too far')
      }),
      /RangeError: too far/,
    )
    await page.resize(700, 600)
    await page.until(() => innerWidth === 700)

    const second = await browser.open(`${url}second`)
    assert.equal(await second.evaluate(() => location.pathname), '/second')
    await second.goto(`${url}third`)
    assert.equal(await second.evaluate(() => location.pathname), '/third')
    await second.close()

    const picture = join(tmpdir(), `qkv-${name}-${process.pid}.png`)
    t.after(() => rmSync(picture, { force: true }))
    await page.screenshot(picture)
    assert.deepEqual(readFileSync(picture).subarray(1, 4).toString(), 'PNG')

    assert.deepEqual(browser.complaints, [])
    await page.evaluate(() => {
      setTimeout(() => Promise.reject(new Error('a complaint')))
    })
    while (!browser.complaints.length) await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)))
    assert.match(browser.complaints.join(), /a complaint/)
  })

test('a WebKit that cannot start is an error and leaves no process', async t => {
  const before = process.env.WEBKIT
  t.after(() => {
    if (before === undefined) delete process.env.WEBKIT
    else process.env.WEBKIT = before
  })
  process.env.WEBKIT = '/nowhere/MiniBrowser'
  const children = () => process.getActiveResourcesInfo().filter(name => name === 'ProcessWrap').length
  const running = children()
  await assert.rejects(launch('webkit'), /nowhere/)
  while (children() > running) await new Promise(resolve => setTimeout(resolve, 20))
})
