#!/usr/bin/env bash
# Shows two ways in which tests in Chromium 156 differ from what readers see:
# - Emulating a pixel ratio (Emulation.setDeviceMetricsOverride, which Playwright's deviceScaleFactor uses) changes devicePixelRatio and what
#   matchMedia matches, but fires neither "change" of matchMedia nor "resize". A zoom by chrome.tabs.setZoom fires both.
# - fetch of a file that an extension lacks throws a TypeError, where a server answers 404.
# Needs Debian's chromium, because the headless shell loads no extensions.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund playwright-core@1.65.1
mkdir extension
echo '{"manifest_version":3,"name":"x","version":"1","background":{"service_worker":"worker.js"}}' >extension/manifest.json
echo '<p>x' >extension/page.html
touch extension/worker.js
cat >run.mjs <<'JS'
import { chromium } from 'playwright-core'
const folder = `${process.cwd()}/extension`
const args = ['--headless=new', '--no-sandbox', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`]
const context = await chromium.launchPersistentContext(`${process.cwd()}/profile`, {
  executablePath: '/usr/bin/chromium', headless: false, viewport: null, args,
})
const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
const page = await context.newPage()
await page.goto(new URL('page.html', worker.url()).href)
const missing = await page.evaluate(() => fetch('nothing.json').then(({ status }) => status, error => error.name))
const watch = () => page.evaluate(() => {
  globalThis.log = []
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => log.push('change'))
  addEventListener('resize', () => log.push('resize'), { once: true })
})
const heard = async () => {
  await page.waitForTimeout(500)
  return page.evaluate(() => `${devicePixelRatio}: ${log.join(', ') || 'no event'}`)
}
await watch()
await page.evaluate(() => chrome.tabs.setZoom(2))
const zoomed = await heard()
await page.evaluate(() => chrome.tabs.setZoom(1))
await page.waitForTimeout(500)
await page.reload()
const devtools = await context.newCDPSession(page)
const emulate = deviceScaleFactor =>
  devtools.send('Emulation.setDeviceMetricsOverride', { width: 800, height: 600, deviceScaleFactor, mobile: false })
await emulate(1)
await watch()
await emulate(2)
const emulated = await heard()
console.log(`zoom: ${zoomed}\nemulated: ${emulated}\nmissing file of an extension: ${missing}`)
await context.close()
process.exitCode = zoomed === '2: resize, change' && emulated === '2: no event' && missing === 'TypeError' ? 0 : 1
JS
node run.mjs
