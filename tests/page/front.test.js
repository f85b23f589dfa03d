// Tests the front door: its recorded numbers are those of the model, its sentences follow from the numbers, and its download is small.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { record } from '../../build/front.js'
import { BOYS, carriedBy, FIRST, GIRLS, NAMED, sayings, tokensOf } from '../../web/rooms/front/pronoun-story.js'
import { recorded } from '../../web/rooms/front/recorded.js'
import { room } from '../../web/rooms/front/room.js'
import { tell, wordsOf } from '../../web/rooms/front/tell.js'
import { createStore } from '../../web/shell/store.js'
import { PAGE } from '../budgets.js'
import { beyond, settled } from './browser.js'
import { addressHash, becomes, go, page, text, url, usePage } from './open.js'
import { keyOf, ofClass } from './template.js'

const FOLDER = fileURLToPath(new URL('../../web/trained/stories', import.meta.url))
const ALL = { isOn: true, othersOn: true }
const WITHOUT = { isOn: false, othersOn: true }

/** Loads the model, and returns a function that runs it on a story. */
async function reader() {
  const qkv = await load()
  const { vocab } = JSON.parse(readFileSync(`${FOLDER}/tokenizer.json`, 'utf8')).model
  const own = { model: await loadModel(qkv, FOLDER, { tokenizer: false }), words: wordsOf(vocab) }
  return (/** @type {import('../../web/rooms/front/pronoun-story.js').Story} */ story) => tell(qkv, own, story)
}

/** Fails unless two values are equal; numbers may differ by 1e-4. @param {unknown} got @param {unknown} want @param {string} path */
function isNear(got, want, path = '') {
  if (typeof want === 'number') assert.ok(Math.abs(Number(got) - want) <= 1e-4, `${path}: ${got}, recorded ${want}`)
  else if (typeof want === 'object' && want !== null)
    for (const [name, value] of Object.entries(want)) isNear(/** @type {any} */ (got)[name], value, `${path}.${name}`)
  else assert.equal(got, want, path)
}

test('the recorded numbers of the front door are those that model and rooms compute', async () => {
  const now = await record()
  assert.deepEqual(Object.keys(now), Object.keys(recorded))
  isNear(now, recorded)
})

test('each of the 144 stories is answered correctly, and its explanation is one of the texts', async () => {
  const told = await reader()
  const { texts } = await import('../../web/i18n/en/front.js')
  let flipped = 0
  for (const girl of GIRLS)
    for (const boy of BOYS)
      for (const first of /** @type {const} */ (['girl', 'boy']))
        for (const pronoun of /** @type {const} */ (['he', 'she'])) {
          const story = { girl, boy, first, pronoun }
          const runs = told(story)
          const name = pronoun === 'he' ? boy : girl
          assert.equal(runs.all.top[0][0], name)
          if (runs.without.top[0][0] !== name) flipped++
          for (const isOn of [true, false])
            for (const othersOn of [true, false])
              for (const { key } of sayings(story, runs, { isOn, othersOn })) assert.ok(Object.hasOwn(texts, key), key)
        }
  assert.equal(flipped, 106, 'the named head decides in so many of them')
})

test('the word that head 3.1 looks at for “she” carries the name before it: patched from another name, the model predicts that name', async () => {
  const qkv = await load()
  const { vocab } = JSON.parse(readFileSync(`${FOLDER}/tokenizer.json`, 'utf8')).model
  const model = await loadModel(qkv, FOLDER, { tokenizer: false })
  const words = wordsOf(vocab)
  const told = await reader()
  for (const girl of GIRLS)
    for (const boy of BOYS)
      for (const first of /** @type {const} */ (['girl', 'boy'])) {
        const story = { girl, boy, first, pronoun: /** @type {const} */ ('she') }
        const [at, name] = carriedBy(told(story).all.row) ?? []
        assert.equal(tokensOf(story)[name ?? -1], girl)
        const other = GIRLS[(GIRLS.indexOf(girl) + 1) % GIRLS.length]
        const ids = (/** @type {string} */ girl) => tokensOf({ ...story, girl }).map(token => words.indexOf(token))
        const { hiddenStates } = model.forwardSync({ ids: ids(other) }, { keep: ['hiddenStates'] })
        const { data, dims } = /** @type {any} */ (hiddenStates)[NAMED.she.layer]
        const from = Number(at) * dims.at(-1)
        const put = (/** @type {any} */ input) => input.data.set(data.subarray(from, from + dims.at(-1)), from)
        const hooks = { [`layers.${NAMED.she.layer}.input`]: put }
        const { logits } = model.forwardSync({ ids: ids(girl) }, { logits: 'last', hooks })
        const scores = Array.from(/** @type {any} */ (logits).data)
        assert.equal(words[scores.indexOf(Math.max(...scores))], other)
      }
})

test('the sentences follow from the run', () => {
  const keys = (/** @type {'he' | 'she'} */ pronoun, /** @type {typeof ALL} */ switches) =>
    sayings({ ...FIRST, pronoun }, recorded[pronoun], switches).map(({ key }) => key)
  assert.deepEqual(keys('he', ALL), ['frontLooks'])
  assert.deepEqual(keys('she', ALL), ['frontLooksBehind'])
  assert.deepEqual(keys('he', WITHOUT), ['frontStranger', 'frontBoy'])
  assert.deepEqual(keys('she', WITHOUT), ['frontStranger', 'frontGirl'])
  assert.deepEqual(keys('he', { isOn: true, othersOn: false }), ['frontAlone'])
  assert.deepEqual(keys('he', { isOn: false, othersOn: false }), ['frontNone'])
  const runs = { ...recorded.he, without: { ...recorded.he.all, top: recorded.he.all.top } }
  assert.deepEqual(sayings(FIRST, runs, WITHOUT)[0].key, 'frontSame')
})

test('names, pronoun and switches are settings of a link, with Undo; the model is requested after the first picture', async () => {
  const store = createStore(room, { qkv: await load(), link: 'boy=leo' })
  assert.deepEqual(store.state.settings, { ...FIRST, boy: 'leo', isOn: true, othersOn: true })
  store.act.name('girl', 'mia')
  store.act.swap()
  store.act.flip('isOn')
  assert.equal(store.link(), 'girl=mia&boy=leo&first=boy&isOn=false')
  assert.equal(store.state.view.isUsed, true)
  store.travel('undo', 0)
  assert.equal(store.state.settings.isOn, true)
  assert.throws(() => createStore(room, { link: 'girl=nobody' }))
  store.close()
})

test('with Save-Data the model is loaded when a name is changed, and the page shows that', async t => {
  const store = createStore(room, { qkv: await load() })
  const asks = () => room.enter?.(store.state)?.effects?.map(effect => [effect.type, /** @type {any} */ (effect).act])
  assert.deepEqual(asks(), [['later', 'want']])
  const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  Object.defineProperty(globalThis, 'navigator', { value: { connection: { saveData: true } }, configurable: true })
  t.after(() =>
    own ? Object.defineProperty(globalThis, 'navigator', own) : Reflect.deleteProperty(globalThis, 'navigator'),
  )
  assert.equal(asks(), undefined)
  store.update(room.enter?.(store.state))
  const says = () =>
    ofClass(room.draw(/** @type {any} */ ({ ...store.state, t: keyOf, act: store.act })), 'front-state')[0].text
  assert.match(says(), /^frontSaving/)
  assert.equal(store.state.view.isWanted, false)
  store.act.name('boy', 'leo')
  assert.equal(store.state.view.isWanted, true)
  assert.match(says(), /^frontWaiting/)
  store.close()
})

const own = usePage({ hash: null })

test('the switch works on recorded numbers before the model is loaded; the first download is within its limit; a model that cannot start gives a message', async t => {
  /** @type {import('playwright-core').Response[]} */
  const responses = []
  page.on('response', response => responses.push(response))
  /** Requests for the files of the model, which are not answered at first. @type {import('playwright-core').Route[]} */
  const waiting = []
  /** @type {(route: import('playwright-core').Route) => unknown} */
  let answer = route => waiting.push(route)
  await page.route(/\.(wasm|safetensors)$|worker/, route => void answer(route))
  await page.goto(url)
  await page.locator('.front-says:not(:empty)').waitFor()
  const sizes = await Promise.all(
    responses.map(async response => gzipSync(await response.body().catch(() => ''), { level: 9 }).length),
  )
  const bytes = sizes.reduce((a, b) => a + b, 0)
  t.diagnostic(`${bytes} bytes gzipped in ${sizes.length} files`)
  assert.ok(bytes <= PAGE.front, `${bytes} bytes`)
  assert.equal(await page.locator('.front').getAttribute('data-live'), 'false')
  assert.match(await page.locator('.front-state').innerText(), /^Saved numbers; the model \(186 KB\) is loading/)
  await page.getByRole('switch', { name: 'Head 1.2: on' }).click()
  await page.getByRole('switch', { name: 'Head 1.2: off' }).waitFor()
  assert.equal(
    await text('.front-says'),
    'Without head 1.2 the model says “Max” (48.4%), who is not in the story. It still knows that a boy is meant (98.1% on boys’ names), but no longer which.',
  )
  assert.equal(await page.locator('.front-answer').innerText(), 'Max')
  answer = route => (/\.safetensors$/.test(route.request().url()) ? route.fulfill({ status: 404 }) : route.continue())
  for (const route of waiting) await answer(route)
  const state = page.locator('.front-state', { hasText: 'could not start' })
  await state.waitFor()
  assert.match(
    await state.innerText(),
    /The model could not start \([^:]*: 404[^.]*\)\. These numbers were saved earlier/,
  )
  assert.match(await text('.front-says'), /^Without head 1\.2/)
  answer = route => route.continue()
  await page.click('#front-retry')
  await page.locator('.front[data-live="true"]').waitFor()
  assert.deepEqual(
    own.browser.complaints.splice(0).filter(complaint => !/404/.test(complaint)),
    [],
  )
})

/** Returns what a screen reader reads for the weights of "he", except those below 1 %. @param {readonly number[]} row the weights */
const lookedAt = row =>
  ['the start', 'Lily', 'and', 'Tom', 'are', 'friends', '.', 'is', 'he'].flatMap((word, i) =>
    row[i] < 0.01 ? [] : [`he gives ${word} ${(100 * row[i]).toFixed(1)}%`],
  )

test('once loaded, the model answers for another name and "she"; B shows the earlier picture; the cards lead into the rooms', async () => {
  await go('')
  await page.locator('.front[data-live="true"]').waitFor()
  assert.equal(await page.locator('.front-state').innerText(), '')
  assert.deepEqual(await page.locator('#front-gives li').allTextContents(), lookedAt(recorded.he.all.row))
  await page.click('#front-boy > summary')
  await page.click('#front-name-leo')
  await page.locator('.front-answer', { hasText: 'Leo' }).waitFor()
  assert.match(await text('.front-says'), /back at “Leo”/)
  await page.click('#front-pronoun')
  await page.locator('.front-answer', { hasText: 'Lily' }).waitFor()
  assert.match(
    await text('.front-says'),
    /^Head 3\.1 looks from “she” back at “and” \(.*\), which carries “Lily”, .* says “Lily” \(99\.\d%\)\.$/,
  )
  await page.getByRole('switch', { name: 'Head 3.1: on' }).click()
  await page.getByRole('switch', { name: 'Head 3.1: off' }).waitFor()
  const off = await page.locator('.front-answer').innerText()
  assert.notEqual(off, 'Lily')
  await page.keyboard.down('b')
  await page.locator('.front-answer', { hasText: 'Lily' }).waitFor()
  await page.keyboard.up('b')
  await page.locator('.front-answer', { hasText: off }).waitFor()
  await page.waitForFunction(() => location.hash.includes('front.isOn=false'))
  const link = await addressHash()
  await page.click('#front-go-on')
  await page.locator('.models .change').first().waitFor()
  await becomes(addressHash, /models\.prompt=lily\+and\+leo\+are\+friends/)
  await go(link)
  await page.locator('.front-answer', { hasText: off }).waitFor()
  await page.click('#front-to-layer')
  await page.locator('#flow .caption').waitFor()
  await page.click('#to-front')
  await page.locator('.front').waitFor()
})

test('a sentence of the reader opens Models with the model of English', async () => {
  await go('')
  assert.equal(
    new URLSearchParams((await page.getAttribute('#front-to-own', 'href')) ?? '').get('models.prompt'),
    'The cat sat on the mat because it was',
    'an empty field stands for its example',
  )
  await page.fill('#front-own', 'My dog ran to the & house')
  await page.press('#front-own', 'Enter')
  await page.locator('#models-text').waitFor()
  await becomes(() => page.inputValue('#models-text'), 'My dog ran to the & house')
  assert.match(await addressHash(), /models\.checkpoint=english|^((?!checkpoint).)*$/)
  await page.goBack()
  await page.locator('.front').waitFor()
  await page.evaluate(() => {
    const field = /** @type {HTMLInputElement} */ (document.querySelector('#front-own'))
    field.value = 'My dog ran home'
    field.dispatchEvent(new InputEvent('input'))
    field.form?.requestSubmit()
  })
  await becomes(() => page.inputValue('#models-text'), 'My dog ran home', 'Enter comes before the next frame')
  await page.goBack()
  await page.locator('.front').waitFor()
})

test('front door, list of exercises and page for teachers fit 360 px, do not move with reduced motion, and print', async () => {
  await page.setViewportSize({ width: 360, height: 780 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  for (const [hash, part] of [
    ['#2&room=exercises', '.exercise-square'],
    ['#2&room=exercises&exercises.part=teachers', '.teachers-groups'],
    ['', '.front[data-live="true"]'],
  ]) {
    await go(hash)
    await page.locator(part).first().waitFor()
    await settled(page)
    assert.deepEqual(await beyond(page), [], hash)
    if (hash.endsWith('teachers')) {
      await page.getByRole('button', { name: 'Show the solutions' }).click()
      await page.locator('.teachers-solutions a').first().waitFor()
      assert.deepEqual(await beyond(page), [], 'with the solutions')
    }
    const moving = await page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    )
    assert.equal(moving, 0, hash)
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const [red] = ground.match(/\d+/g) ?? []
    assert.ok(Number(red) < 60, `dark: ${ground}`)
  }
  await page.emulateMedia({ media: 'print' })
  await settled(page)
  for (const part of ['.front-line >> nth=0', '.front-answer', '.front-says', '.front-bars'])
    assert.ok(await page.locator(part).isVisible(), part)
  assert.equal(await page.locator('header.top').isVisible(), false)
  assert.equal(await page.locator('.front-switch').first().isVisible(), false, 'no switch on paper')
})
