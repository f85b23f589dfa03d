// Tests what the build makes: the site for any host, and the page as one file.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { crc32, gzipSync, inflateRawSync } from 'node:zlib'
import { parseAst } from 'rolldown/parseAst'
import { singleFile } from '../../build/site.js'
import { withoutIndentation } from '../../build/templates.js'
import { filesOf, zipOf } from '../../build/zip.js'
import { exerciseOf, GROUPS } from '../../web/exercises/index.js'
import { PAGE } from '../budgets.js'
import { settled } from './browser.js'
import { filesOf as checkpoint } from './golden-files.js'
import { opened } from './golden-models.js'
import { LAYER, OPENS, page, reads, url, usePage } from './open.js'

const SINGLE = fileURLToPath(new URL('../../site/qkv.html', import.meta.url))

const own = usePage({ hash: null })

/** Opens a page, and returns its text once this contains a share in percent: how much a word attends to another. @param {string} address */
async function open(address) {
  await page.goto('about:blank')
  await page.goto(address)
  await page.waitForFunction(() => /\d\s?%/.test(document.body.innerText))
  return page.evaluate(() => document.body.innerText)
}

test('the site loads from a sub-path, under a strict Content-Security-Policy that nothing breaks, and stores nothing but a choice of theme and language', async () => {
  assert.match(await open(url + LAYER), /dessert/)
  await page.getByRole('textbox').first().fill('a secret sentence')
  await settled(page)
  const stored = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cookies: document.cookie,
    databases: (await indexedDB.databases()).length,
    caches: 'caches' in window ? await caches.keys() : [],
    workers: (await navigator.serviceWorker?.getRegistrations())?.length ?? 0,
    values: JSON.stringify({ ...localStorage }),
  }))
  assert.deepEqual(
    stored.local.filter(key => !/theme|language/.test(key)),
    [],
  )
  assert.ok(!stored.values.includes('secret'))
  const { session, cookies, databases, caches: cached, workers } = stored
  assert.deepEqual({ session, cookies, databases, cached, workers }, { session: [], cookies: '', databases: 0, cached: [], workers: 0 }) // biome-ignore format: one line
  assert.deepEqual(await own.browser.context.cookies(), [])
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
  const rules = Object.fromEntries(
    (policy ?? '').split('; ').map(rule => [rule.split(' ')[0], rule.split(' ').slice(1)]),
  )
  assert.deepEqual(rules['default-src'], ["'none'"])
  assert.deepEqual(rules['script-src'], ["'self'", "'wasm-unsafe-eval'"])
  assert.deepEqual(rules['style-src'], ["'self'"])
  assert.deepEqual(rules['connect-src'], ["'self'", 'https://huggingface.co', 'https://*.hf.co'])
  const others = Object.entries(rules).filter(([name]) => name !== 'connect-src')
  assert.ok(!/unsafe-inline|'unsafe-eval'|https?:|\*/.test(others.join(' ')), policy ?? '')
  assert.deepEqual(own.browser.complaints.splice(0), [])
  const broken = await page.evaluate(async () => {
    /** @type {string[]} */
    const blocked = []
    const allBlocked = new Promise(resolve =>
      document.addEventListener('securitypolicyviolation', event => {
        if (blocked.push(event.effectiveDirective) === 3) resolve(undefined)
      }),
    )
    const script = document.createElement('script')
    script.textContent = 'window.wasRun = true'
    document.head.append(script)
    document.body.setAttribute('style', 'color: red')
    await fetch('https://example.org/').catch(() => {})
    await allBlocked
    return { blocked: blocked.sort(), wasRun: 'wasRun' in window }
  })
  assert.deepEqual(broken, { blocked: ['connect-src', 'script-src-elem', 'style-src-attr'], wasRun: false })
  own.browser.complaints.splice(0) // complaints about what this test has loaded on purpose
})

/** Modules that One layer loads after its picture: the walk through the steps below it, the inspector, and a worker that compares large sums with float64. Learn and Models need their workers for the first picture. */
const LATER = /^assets\/(?:worker|steps-panel|cell-panel)-/

/** The gzipped sizes of files of the site, by name. @type {Map<string, number>} */
const gzipped = new Map()
/** @param {string} name */
function sizeOf(name) {
  const known = gzipped.get(name)
  if (known !== undefined) return known
  const size = gzipSync(readFileSync(new URL(`../../site/${name || 'index.html'}`, import.meta.url)), {
    level: 9,
  }).length
  gzipped.set(name, size)
  return size
}

/** Files that are loaded with a shipped model, after the first picture of its room: those of the model, and the code that runs it, which the worker imports on demand (vite.config.js). */
const OF_WEIGHTS = /\.(safetensors|json)$|^assets\/(?:tokenizers|checkpoint|read-checkpoint|model)-/

/** Lists files that a link loads before its room is drawn, with their gzipped sizes. The weights of models that ship are not counted. @param {string} hash */
async function downloads(hash) {
  await page.goto('about:blank')
  /** @type {Map<string, number>} */
  const sizes = new Map()
  const note = (/** @type {import('playwright-core').Request} */ request) => {
    const name = request.url().slice(url.length).replace(/#.*/, '')
    if (!OF_WEIGHTS.test(name)) sizes.set(name, sizeOf(name))
  }
  own.browser.context.on('request', note)
  await page.goto(url + hash)
  await page.waitForSelector('main', { state: 'attached' })
  if (/exercise=/.test(hash)) await page.waitForSelector('#exercise')
  await page.waitForLoadState('networkidle')
  own.browser.context.off('request', note)
  const isLayer = (await page.locator('main.room').count()) > 0
  const names = [...sizes.keys()]
  const end = isLayer ? names.findIndex(name => LATER.test(name)) : -1
  return end < 0 ? sizes : new Map([...sizes].slice(0, end))
}

test('what any link loads before its room is drawn, and the code of all rooms, is within its limit', async t => {
  const sum = (/** @type {Iterable<number>} */ sizes) => [...sizes].reduce((a, b) => a + b, 0)
  const rooms = ['', OPENS, '#2&room=learn', '#2&room=models']
  const pages = ['#2&room=exercises', '#2&room=exercises&exercises.part=teachers']
  // Tries one exercise of each module of Learn and Models, because all exercises of a module load the same files. Tries every exercise of One layer,
  // because each has different pictures.
  /** @type {Map<unknown, string>} */
  const exercises = new Map()
  for (const { ids, load } of GROUPS)
    for (const id of ids)
      exercises.set((await exerciseOf(id))?.room === 'layer' ? id : await load(id), `#2&exercise=${id}`)
  const links = [...rooms, ...pages, ...exercises.values()]
  const all = []
  for (const link of links) {
    const sizes = await downloads(link)
    t.diagnostic(`${link || 'no link'}: ${sum(sizes.values())} bytes gzipped in ${sizes.size} files`)
    assert.ok(sizes.size > 5 && sum(sizes.values()) <= PAGE.link, link)
    if (rooms.includes(link)) all.push(sizes)
  }
  const [first, ...others] = all
  const shared = [...first].filter(([name]) => others.every(sizes => sizes.has(name))).map(([, size]) => size)
  t.diagnostic(`what all rooms share: ${sum(shared)} bytes gzipped`)
  assert.ok(sum(shared) <= PAGE.rooms)
})

test('the page as one file works from a disk, offline, and requests nothing else; it opens a checkpoint without a worker', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv single '))
  copyFileSync(SINGLE, join(folder, 'attention.html')) // only that file, under another name
  const { context, complaints } = own.browser
  const file = pathToFileURL(join(folder, 'attention.html')).href
  try {
    await context.setOffline(true)
    assert.match(await open(file + LAYER), /dessert/)
    await page.getByRole('textbox').first().fill('one two three')
    await page.waitForFunction(
      () => !document.body.innerText.includes('dessert') && /\d\s?%/.test(document.body.innerText),
    )
    await page.goto('about:blank')
    await page.goto(file)
    await page.locator('.front[data-live="true"]').waitFor()
    await page.goto('about:blank')
    await page.goto(`${file}#2&room=models`)
    await page.locator('#models-files').waitFor({ state: 'attached' })
    await page.setInputFiles('#models-files', checkpoint('gpt2-tiny'))
    await opened('gpt2')
    await page.fill('#models-text', 'The cat that chased the dog')
    await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
    const isItself = (/** @type {string} */ complaint) =>
      complaint === `request to ${file}` || /^request to data:/.test(complaint)
    assert.deepEqual(
      complaints.splice(0).filter(complaint => !isItself(complaint)),
      [],
    )
  } finally {
    await context.setOffline(false)
    rmSync(folder, { recursive: true })
  }
})

test('the one file has a policy by hashes, and keeps script and style whole', () => {
  const html = readFileSync(SINGLE, 'utf8')
  assert.match(html, /connect-src data: https:\/\/huggingface\.co https:\/\/\*\.hf\.co;/)
  assert.match(html, /script-src 'sha256-[\w+/]{43}=' 'wasm-unsafe-eval'; style-src 'sha256-[\w+/]{43}='/)
  assert.ok(!/unsafe-inline|'unsafe-eval'/.test(html.slice(0, html.indexOf('<script'))))
  const script = 'x = "</script><!--<SCRIPT>"'
  const page = singleFile(readFileSync(new URL('../../site/index.html', import.meta.url), 'utf8'), script, 'a{}', '')
  assert.equal(page.match(/<\/script>/gi)?.length, 1, 'a script ends where it ends')
  assert.ok(!page.includes('<!--') && page.includes('<style>a{}</style>'))
  assert.throws(() => singleFile('<head></head>', '', '', ''), /the built page has no/)
  assert.throws(() => singleFile('', '', '</style>', ''), /<\/style/)
})

test('templates lose their indentation and keep their words and line breaks; other text keeps both', () => {
  const parse = (/** @type {string} */ code) => parseAst(code)
  const withHoles = (/** @type {string} */ text) => text.replaceAll('[', '${').replaceAll(']', '}')
  const code = 'const é = `a\n    b`; html`<p\n   class="x">  a \n\n  b [html`<i>\n    c</i>`][`d\n  e`]\n</p>`'
  const short = 'const é = `a\n    b`; html`<p\nclass="x">  a\nb [html`<i>\nc</i>`][`d\n  e`]\n</p>`'
  assert.equal(withoutIndentation(withHoles(code), parse), withHoles(short))
})

test('the zip for a class holds every file of the site, whole', () => {
  const files = filesOf(fileURLToPath(new URL('../../site', import.meta.url)), 'qkv')
  assert.ok(files['qkv/qkv.html'] && files['qkv/index.html'])
  const zip = zipOf(files)
  let at = 0
  for (const [name, data] of Object.entries(files)) {
    const [check, packed, size, length] = [14, 18, 22, 26].map((to, i) => zip.readUIntLE(at + to, i < 3 ? 4 : 2))
    const from = at + 30 + length
    assert.equal(zip.toString('utf8', at + 30, from), name)
    assert.deepEqual([check, size], [crc32(data), data.length], name)
    assert.ok(inflateRawSync(zip.subarray(from, from + packed)).equals(data), name)
    at = from + packed
  }
  assert.equal(zip.readUInt16LE(zip.length - 12), Object.keys(files).length)
})
