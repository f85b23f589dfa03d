// Tests the room "Learn" in a browser: nothing trains before a click; a reader trains, looks, changes heads, asks why, compares, goes back in time
// and saves.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { texts } from '../../web/i18n/en/learn.js'
import { linesOf } from '../../web/rooms/learn/curves.js'
import { configOf, toFile } from '../../web/rooms/learn/saved-model.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { initialWeights } from '../../web/rooms/learn/transformer.js'
import { beyond, WINDOW } from './browser.js'
import { becomes, follow, go, page, reads, set, THEME_AND_LANGUAGE, text, usePage, violations } from './open.js'

const SORT = '#2&room=learn&learn.task=sort'
const SORTED = '0 2 3 6 8 9 11 14'
usePage({ hash: SORT })
/** How long a test waits for training, on a busy machine. */
const PATIENCE = { timeout: 120_000 }
const room = (/** @type {string} */ selector) => page.locator(selector)

/** Trains until the goal is reached, or the steps are done. */
async function train() {
  await room('#learn-train:not([disabled])').waitFor(PATIENCE)
  await page.click('#learn-train')
  await room('.learn-said[data-reached]').waitFor(PATIENCE)
  const last = await dataOf('#learn-steps', 'step')
  await room(`.learn-at output[data-step="${last}"]`).waitFor(PATIENCE) // the picture shows the last step
}

/** Reads a number from the data attribute of an element. @param {string} selector @param {string} name */
const dataOf = async (selector, name) => Number(await room(selector).getAttribute(`data-${name}`))

/** Reads the content of the large map. @param {string} [id] @returns {Promise<number[]>} */
const mapOf = (id = '#learn-map') =>
  page.evaluate(id => Array.from(/** @type {any} */ (document.querySelector(id)).matrix.data), id)

test('nothing trains before a click; one click trains to the goal, names the head, the data and what happened; a double click or F2 gives a head a factor', async () => {
  await room('qkv-heads').waitFor()
  await becomes(() => dataOf('#learn-steps', 'step'), 0)
  await reads('.learn-probe', /Nothing is trained yet/)
  await reads('.learn-settings summary', /1 layer, 1 head per layer, d 32/)
  await reads('#learn-train', /^Train \(about \d+ (s|min)\)$/)
  await becomes(() => room('polygon.band').count(), 1)
  await becomes(() => room('.curves > svg').count(), 1, 'charts without a curve wait')
  await becomes(() => room('.learn-switch, #learn-at, .learn-compare').count(), 0)
  assert.deepEqual(await violations(), [], 'axe, before anything is trained')
  await train()
  await reads(
    '.learn-said',
    /^Accuracy jumped around step \d+; at step \d+ it was (9[5-9]\.\d|100)% on lengths never trained \(goal: 95\.0%\)\. Head 1\.1 looks at the next larger number: \d/,
  )
  await reads('#learn-answer', SORTED)
  await reads('#learn-steps', /^step \d+: goal reached$/)
  await becomes(() => room('.curves > svg').count(), 3)
  await reads('#learn-spoken', /^Step \d+, accuracy \d.* on lengths never trained$/)
  const names = linesOf('sort').map(({ name }) => /** @type {Record<string, string>} */ (texts)[name])
  for (const [i, name] of names.entries())
    await reads(`[data-name="accuracy"] .key >> nth=${i}`, new RegExp(`^${name} (0\\.\\d\\d|1\\.00)$`))

  await reads('#learn-train', 'Train on')
  await page.click('#learn-happened')
  await becomes(() => room('#story').getAttribute('data-stop'), '3')
  await becomes(() => room('#story').getAttribute('data-done'), 'false')
  await page.click('#learn-answer .answer-token >> nth=0')
  await room('#story[data-done="true"]').waitFor(PATIENCE)
  await page.click('#story-next')
  await page.locator('#learn-at').fill('20')
  await room('#story[data-done="true"]').waitFor(PATIENCE)
  await page.click('#story-next')
  const { step } = await room('#learn-steps').evaluate(each => /** @type {HTMLElement} */ (each).dataset)
  const said = `These numbers are those of step ${step}; the maps show step 20.`
  await reads('#story-text', new RegExp(`${said}$`))
  await page.click('#learn-live')
  await reads('#story-text', /% of the places are right\.$/)
  await page.fill('#learn-probe', '7 3 1 0 15 12 4 9')
  await page.keyboard.press('Enter')
  await room('#story[data-done="true"]').waitFor(PATIENCE)
  await becomes(() => room('#story-next').count(), 0)
  await page.click('#story-leave')
  await becomes(() => room('#story').count(), 0)
  await page.dblclick('qkv-heads [role=radio]')
  await reads('.change', /1\.1 × 0\.5/)
  await page.waitForFunction(() => document.activeElement?.className === 'head-factor')
  await page.click('.change-remove')
  await page.locator('qkv-heads [role=radio]').focus()
  await page.keyboard.press('F2')
  await reads('.change', /1\.1 × 0\.5/)
  await follow(`${SORT}&learn.d=16`)
  await becomes(() => room('polygon.band').count(), 0)
})

test('a shared link trains the run again to its step; a head opens in One layer with its numbers, and a button leads back', async () => {
  await train()
  await page.locator('#learn-at').fill('40')
  await room('.learn-at output[data-step="40"]').waitFor()
  const steps = await dataOf('#learn-steps', 'step')
  const map = await mapOf()
  await page.waitForFunction(() => /learn\.trained=\d+/.test(location.hash) && /learn\.at=40/.test(location.hash))
  await go(await page.evaluate(() => location.hash))
  await room(`#learn-steps[data-step="${steps}"]`).waitFor(PATIENCE)
  await room('.learn-dock[data-training="false"]').waitFor(PATIENCE)
  await room('.learn-at output[data-step="40"]').waitFor()
  await becomes(mapOf, map)

  await page.click('#learn-open-layer')
  await room('#back-to-room').waitFor()
  await reads('#back-to-room', /Back to Learn, step 40/)
  await room('#map').waitFor()
  const isOpened = async () => {
    const opened = await mapOf('#map')
    return opened.length === map.length && map.every((value, i) => Math.abs(opened[i] - value) < 1e-6)
  }
  await becomes(isOpened, true, 'One layer has the numbers of the run')
  await page.click('#back-to-room')
  await room('#learn-map').waitFor()
  await reads('.learn-at output', /^40$/)
  await becomes(mapOf, map)
})

test('each switch is below the map of its head; a curve has the stroke of its key; recorded runs and the time of a long run are explained', async () => {
  await follow('#2&room=learn&learn.trained=20')
  await room('.learn-switch').first().waitFor()
  await room('.learn-dock[data-training="false"]').waitFor(PATIENCE)
  for (const width of [1280, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const isBelow = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.learn-layer')].map(layer => {
          const maps = [...(layer.querySelector('qkv-heads')?.shadowRoot?.querySelectorAll('[role=radio]') ?? [])]
          return [...layer.querySelectorAll('.learn-switch')].map((own, i) => {
            const [map, box] = [maps[i], own].map(each => each.getBoundingClientRect())
            return (
              box.left >= map.left - 8 && box.right <= map.right && box.top >= map.bottom && box.top < map.bottom + 24
            )
          })
        }),
      )
    await becomes(isBelow, [[true, true], [true, true]], `${width} px`) // biome-ignore format: one line
  }

  await page.setViewportSize(WINDOW)
  const strokes = () =>
    page.evaluate(() => {
      const of = (/** @type {Element | null} */ line) => {
        const { stroke, strokeDasharray } = getComputedStyle(/** @type {Element} */ (line))
        return `${stroke} ${strokeDasharray}`
      }
      return Array.from(document.querySelectorAll('.curves .key'), key => {
        const kind = /** @type {HTMLElement} */ (key).dataset.kind ?? ''
        const selector = kind
          .split(' ')
          .map(name => `.${name}`)
          .join('')
        const curve = key.closest('.curves')?.querySelector(`:scope > svg ${selector}`) ?? null
        return { kind, key: of(key.querySelector('line, rect')), curve: of(curve) }
      })
    })
  await becomes(async () => (await strokes()).length >= 9, true)
  await becomes(async () => (await strokes()).filter(({ key, curve }) => key !== curve), [])

  await reads('#learn-recorded', /passed 50% between steps 200 and 280\.$/)
  await follow('#2&room=learn&learn.steps=5000&learn.d=128&learn.batch=64')
  await reads('#learn-train', /about/)
  await becomes(() => room('#learn-recorded').count(), 0)
  const time = async (/** @type {string} */ selector) => /about (\d+ \w+)/.exec(await text(selector))?.[1]
  await becomes(async () => [await time('#learn-train')], [await time('#learn-large')])
})

test('a click on the answer explains it, position by position; the slider shows earlier models; an unusable probe is explained; gradients are maps', async () => {
  await train()
  await page.click('#learn-answer .answer-token:nth-of-type(3)')
  await room('#why').waitFor()
  await reads('#why-title', 'Why does it say 3?')
  await becomes(() => room('.why-token').count(), 8)
  const sums = () =>
    page.evaluate(() => {
      const values = Array.from(document.querySelectorAll('.addend .number'), cell =>
        Number(/** @type {HTMLElement} */ (cell).dataset.value),
      )
      return [
        values.reduce((a, b) => a + b, 0),
        Number(/** @type {HTMLElement} */ (document.querySelector('.addends .sum .number')).dataset.value),
      ]
    })
  const [sum, logit] = await sums()
  assert.ok(logit > 1 && Math.abs(sum - logit) < 1e-3, `${sum}, ${logit}`)
  await page.click('.why-token >> nth=1')
  await becomes(async () => {
    const [other, second] = await sums()
    return (second < logit && Math.abs(other - second) < 1e-3) || `${other}, ${second}, before ${logit}`
  }, true)
  await page.click('.addend-open >> nth=0')
  await reads('.addend-parts', /[+−]\d/)
  await page.click('#why-close')
  await becomes(() => room('#why').count(), 0)

  await page.locator('#learn-at').fill('0')
  await page.waitForFunction(
    want => document.querySelector('#learn-answer')?.textContent?.trim().replace(/\s+/g, ' ') !== want,
    SORTED,
  )
  await page.click('#learn-live')
  await reads('#learn-answer', new RegExp(`^${SORTED}$`))
  await page.fill('#learn-probe', '1 2 99')
  await page.keyboard.press('Enter')
  await room('.learn-probe .learn-problem').waitFor()
  await reads('.learn-probe .learn-problem', /Expected numbers from 0 to 15, got "99"/)

  await room('.learn-gradients summary').click()
  await page.click('#learn-gradient')
  await room('#learn-gradient-map').waitFor()
  await becomes(async () => (await mapOf('#learn-gradient-map')).length, 256)
  await page.selectOption('#learn-gradient-which', '0.q')
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('#learn-gradient-map')).matrix.dims[0] === 32,
  )
  const values = await mapOf('#learn-gradient-map')
  assert.ok(values.some(value => value > 0) && values.some(value => value < 0))
})

test('cells are hidden from a head by painting; a changed head is listed and in the link; undo, suspend, remove and restore work on it', async () => {
  await train()
  const map = await mapOf()
  await page.click('#learn-paint')
  await page.locator('#learn-map').locator('[tabindex="0"]').first().focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'Home', ' ']) await page.keyboard.press(key)
  await reads('.change', /sees 1 cell fewer/)
  await page.waitForFunction(() => location.hash.includes('hide'))
  const hidden = async () => (await mapOf()).flatMap((weight, i) => (weight === 0 && map[i] !== 0 ? [i] : []))
  await becomes(hidden, [2 * Math.sqrt(map.length)], 'the first cell of row 2 is hidden')
  await page.click('.change-remove')
  await room('.change').waitFor({ state: 'detached' })

  await page.selectOption('.head-state', 'off')
  await room('.changes-effect[data-after]').waitFor()
  await becomes(async () => (await dataOf('.changes-effect', 'before')) > 0.95, true)
  await becomes(async () => (await dataOf('.changes-effect', 'after')) < 0.7, true)
  await reads('.changes-effect', /^Accuracy on lengths never trained: \d/)
  await becomes(async () => (await text('#learn-answer')) !== SORTED, true)
  await page.waitForFunction(() => location.hash.includes('learn.changes=1.1%3D0'))
  const hash = await page.evaluate(() => location.hash)
  await becomes(() => room('.change-switch').getAttribute('aria-checked'), 'true')
  await page.click('.change-switch')
  await reads('#learn-answer', new RegExp(`^${SORTED}$`))
  await page.click('.change-switch')
  await page.selectOption('.head-state', 'scale')
  await reads('.change', /1\.1 × 0\.5/)
  await page.keyboard.press('ControlOrMeta+z')
  await reads('.change', /1\.1 off/)
  await page.click('.change-remove')
  await reads('#learn-answer', new RegExp(`^${SORTED}$`))
  await page.click('#changes-undo')
  await page.click('#changes-restore')
  await room('.change').waitFor({ state: 'detached' })
  await go(hash)
  await room('.change').waitFor()
  await reads('.change', /1\.1 off/)
})

test('two seeds are shown side by side at one step, and two moments of one run', async () => {
  await train()
  await page.click('#learn-other-seed')
  await reads('.learn-settings summary', /seed 1/)
  await room('qkv-heads.is-kept').waitFor()
  await train()
  await reads('.learn-compare', /A: seed 0, layers 1, step \d+\s+B: seed 1/)
  await becomes(() => room('polyline.is-kept').count(), 2)
  const [a, b] = [await mapOf('#learn-a-map'), await mapOf()]
  assert.notDeepEqual(a, b)
  await page.click('[data-view="difference"]')
  await becomes(
    () => page.evaluate(() => Array.from(/** @type {any} */ (document.querySelector('#learn-difference')).minus.data)),
    a,
  )
  await page.click('#learn-release')
  await room('qkv-heads.is-kept').waitFor({ state: 'detached' })
  await page.locator('#learn-at').fill('20')
  await reads('.learn-at output', /^20$/)
  await page.click('#learn-keep-step')
  await page.click('#learn-live')
  await reads('.learn-of.is-kept', /A step 20/)
  await reads('.learn-of.is-new', /B step (?!20)/)
})

test('the story opens at the stop that fits the run, waits for it, is silent about other steps, and stays with its task', async () => {
  await follow('#2&room=learn&learn.steps=20')
  await page.click('#story-start')
  await room('#story[data-stop="1"]').waitFor()
  await reads('#story-text', /Its weights are random: it says \d+\. Before training it is right in [\d.]+% of/)
  await becomes(() => page.evaluate(() => scrollY), 0)
  const below = async (/** @type {string} */ selector) => (await room(selector).boundingBox())?.y ?? 0
  await becomes(async () => (await below('#learn-probe')) + 40 < (await below('.learn-dock')), true)
  await becomes(() => room('#story').getAttribute('data-done'), 'false')
  await becomes(() => room('#story-next').isDisabled(), true)
  const gap = () =>
    page.evaluate(() => {
      const [map, dock] = ['#learn-map', '.learn-dock'].map(
        each => /** @type {Element} */ (document.querySelector(each)),
      )
      map.scrollIntoView({ block: 'end' })
      return dock.getBoundingClientRect().top - map.getBoundingClientRect().bottom
    })
  await becomes(async () => (await gap()) >= 0, true, 'the dock does not cover the map')
  await page.click('#learn-train')
  await room('#story[data-done="true"]').waitFor(PATIENCE)
  await becomes(() => dataOf('.learn-at output', 'step'), 20)
  await reads('#story-text', /first time\. Before training it is right in [\d.]+% of/)
  await page.click('#story-leave')
  await page.click('#story-start')
  await room('#story[data-stop="2"]').waitFor()
})

test('undo of the header is that of the open room; a run pauses while the tab is hidden or another room is open; what is being typed stays', async () => {
  await follow(`${SORT}&learn.trained=20`)
  await room('.learn-dock[data-training="false"] [data-step="20"]').waitFor(PATIENCE)
  await becomes(() => room('#undo').isDisabled(), true)
  await page.selectOption('.head-state', 'off')
  await room('.change').waitFor()
  await page.click('#undo')
  await room('.change').waitFor({ state: 'detached' })
  await page.click('#redo')
  await room('.change').waitFor()
  await page.click('[data-room="layer"]')
  await becomes(() => room('#undo').isDisabled(), true)
  await page.click('[data-room="learn"]')
  await page.keyboard.press('ControlOrMeta+z')
  await room('.change').waitFor({ state: 'detached' })

  await page.selectOption('#learn-pace', 'ten')
  await room('#learn-train:not([disabled])').waitFor(PATIENCE)
  await page.click('#learn-train')
  await reads('#learn-steps', /step [1-9]/)
  const hide = (/** @type {boolean} */ isHidden) =>
    page.evaluate(isHidden => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await hide(true)
  await reads('.learn-said', /Paused: the tab was hidden/)
  await reads('#learn-train', /^Train on$/)
  await hide(false)
  await reads('#learn-train', /^Pause$/)

  await reads('#learn-steps', /step [1-9]/)
  await page.click('[data-room="layer"]')
  await room('#map').waitFor()
  await reads('[data-room="learn"] .room-note', /^step [1-9]/)
  await page.click('[data-room="learn"]')
  await becomes(() => room('.room-note').count(), 0)
  await reads('.learn-said', /Paused while you were elsewhere/)
  assert.doesNotMatch(await text('#learn-steps'), /step 0 /)

  await page.click('#learn-train')
  await room('.learn-settings summary').click()
  await page.locator('#learn-set-steps').fill('280')
  const before = Number((await text('#learn-steps')).match(/\d+/)?.[0])
  await page.waitForFunction(
    before => Number(document.querySelector('#learn-steps')?.textContent?.match(/\d+/)?.[0]) > before + 2,
    before,
  )
  await becomes(() => room('#learn-set-steps').inputValue(), '280')
})

test('the link contains the settings; bad ones, and a rate that is too high, give a message, with a good value as a button', async () => {
  await room('.learn-settings summary').click()
  await page.fill('#learn-set-seed', '7')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => /learn\.seed=7/.test(location.hash))
  await reads('.learn-settings summary', /seed 7/)
  await follow(`${SORT}&learn.heads=5&learn.rate=1e9`)
  await reads('[data-problem="rate"]', /Learning rate 1000000000: Enter a number from/)
  await page.click('[data-nearest="rate"]')
  await page.waitForFunction(() => /learn\.rate=1(?!0)/.test(location.hash))
  await follow(`${SORT}&learn.layers=2&learn.d=128&learn.mlp=512&learn.batch=64&learn.steps=5000`)
  await reads('#learn-large', /This run takes about \d+ min and \d+ MB/)
  await page.click('#learn-smaller')
  await page.waitForFunction(() => /learn\.batch=16/.test(location.hash))

  await follow(`${SORT}&learn.rate=1`)
  await room('#learn-train:not([disabled])').waitFor(PATIENCE)
  await page.click('#learn-train')
  await room('#learn-diverged').waitFor(PATIENCE)
  await reads('#learn-diverged', /Training diverged at step \d+/)
  await becomes(() => room('.curves .diverged').count(), 1)
  await page.click('#learn-good')
  await page.click('#learn-lower')
  await page.waitForFunction(() => /learn\.rate=0\.3/.test(location.hash))
  await becomes(() => dataOf('#learn-steps', 'step'), 0)
})

test('a lost worker is reported, and Restart starts another', async () => {
  await room('#learn-train:not([disabled])').waitFor(PATIENCE)
  await room('#learn-map').waitFor()
  const [worker] = page.workers().slice(-1)
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new Error('out of memory')
    })
  })
  await room('.failure[data-problem="workerLost"]').waitFor()
  await reads('.failure', /has stopped \(.*out of memory/)
  await room('#learn-map').waitFor()
  await page.click('.failure button')
  await train()
  await reads('#learn-answer', SORTED)
})

test('the sentence of One layer is a probe of the translation; words that the grammar lacks are underlined; its layers, positions and MLP can be changed', async () => {
  await follow('#2&room=layer&sentence=she+buys+a+car+today')
  await room('#map').waitFor()
  await page.click('[data-room="learn"]')
  await page.selectOption('#learn-task', 'translation')
  await page.click('#learn-use-sentence')
  await reads('.learn-probe', /Click an answer|Nothing is trained/)
  await becomes(() => room('#learn-probe').inputValue(), 'she buys a car today')
  await becomes(() => room('#learn-unknown').count(), 0)
  await page.fill('#learn-probe', 'she buys a cat today')
  await page.keyboard.press('Enter')
  await room('#learn-unknown u').waitFor()
  await reads('#learn-unknown u', 'cat')

  await follow('#2&room=learn&learn.task=translation')
  await room('.learn-settings summary').click()
  await page.selectOption('#learn-positions', 'rope')
  await page.fill('#learn-set-mlp', '16')
  await page.keyboard.press('Enter')
  await page.fill('#learn-set-layers', '2')
  await page.keyboard.press('Enter')
  await room('[data-layer="3"] qkv-heads').waitFor(PATIENCE)
  await becomes(
    () => room('.learn-layer h2').allInnerTexts(),
    [
      'Layer 1: The sentence looks at itself',
      'Layer 2: The sentence looks at itself',
      'Chinese (rows) looks at English (columns)',
    ],
  )
  await reads('#learn-chosen-title', 'Head 3.1')
  await page.waitForFunction(() =>
    decodeURIComponent(location.hash).includes('learn.layers=2&learn.positions=rope&learn.mlp=16'),
  )
  await page.click('#learn-answer .answer-token:nth-of-type(1)')
  await room('#why').waitFor(PATIENCE)
  await reads('#why', /MLP of layer 3/)
})

test('the model is saved and opens again; a file that Learn cannot open is named, and huge weights leave the room as it is; programs, curves and a table are there', async () => {
  await train()
  await room('.learn-along summary').click()
  await room('.learn-along pre').waitFor()
  await reads('.learn-along pre', /torch\.manual_seed\(0\)/)
  await page.click('[data-program="qkv"]')
  await reads('.learn-along pre', /import { load, tensor } from 'qkv'/)
  const saved = async (/** @type {string} */ selector) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
    return { name: download.suggestedFilename(), path: await download.path() }
  }
  assert.equal((await saved('#learn-csv')).name, 'sort.csv')
  const svg = await saved('#learn-svg')
  const drawn = await readFile(svg.path, 'utf8')
  await becomes(
    () =>
      page.evaluate(
        text =>
          new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror, polyline').length > 2,
        drawn,
      ),
    true,
  )
  assert.doesNotMatch(drawn, /parsererror|class="rule"[^>]*stroke="none"/)
  const json = await saved('#learn-save-json')
  assert.equal(JSON.parse(await readFile(json.path, 'utf8')).task, 'sort')
  const model = await saved('#learn-save')
  assert.match(model.name, /^sort-seed0-step\d+\.safetensors$/)
  const map = await mapOf()
  const buffer = await readFile(model.path)
  await follow('#2&room=learn&learn.task=reverse')
  await becomes(async () => (await text('#learn-answer')) !== SORTED, true)
  await page.setInputFiles('#learn-file', { name: model.name, mimeType: 'application/octet-stream', buffer })
  await room('#learn-opened').waitFor()
  await reads('#learn-answer', new RegExp(`^${SORTED}$`))
  await becomes(mapOf, map)
  await page.setInputFiles('#learn-file', {
    name: 'x.safetensors',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('nothing'),
  })
  await reads('main', /This file cannot be opened: this is no safetensors file/)
  await room('.learn-table summary').click()
  await room('.learn-table table').waitFor()

  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'x.npy'))
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  })
  await room('#learn-refused[data-files="x.npy"]').waitFor()
  await reads('#learn-refused', /Learn cannot open x\.npy\. It opens a model that was saved here/)

  const { defaults } = TASKS.sort
  const weights = initialWeights(
    /** @type {any} */ ({
      normal: (/** @type {number[]} */ dims) => ({ dims, data: new Float32Array(dims[0] * dims[1]).fill(3e38) }),
    }),
    defaults,
    TASKS.sort.shape(defaults),
  )
  const huge = Buffer.from(toFile(weights, configOf('sort', defaults, 20, '')))
  await page.setInputFiles('#learn-file', {
    name: 'huge.safetensors',
    mimeType: 'application/octet-stream',
    buffer: huge,
  })
  await room('#learn-not-finite').waitFor()
  await becomes(() => room('.curves > svg').count(), 3)
  await room('#learn-train').waitFor()
  await becomes(() => room('.failure').count(), 0)
})

test('on a phone a text begins with a smaller model; a text of the reader is learned, measured on a held-out part and continued; a short one is reported', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.selectOption('#learn-task', 'text')
  await reads('.learn-settings summary', /d 32/)
  await page.waitForFunction(() => /learn\.d=32&learn\.mlp=64&learn\.batch=8/.test(location.hash))
  await becomes(() => beyond(page), [])
  await page.setViewportSize({ width: 1440, height: 900 })

  await room('#learn-own').fill('a')
  await room('#learn-own').blur()
  await reads('#learn-short', /at least 500 characters; this text has 1/)
  await room('#learn-own').fill('The cat sat on the mat. The dog sat on the log. '.repeat(20))
  await room('#learn-step:not([disabled])').waitFor() // pasted text is used before the field loses the focus
  await page.click('#learn-step')
  await reads('#learn-steps', /step 1 of/)
  await reads('.learn-bits', /\d\.\d\d bits per character/)
  await becomes(async () => (await text('.learn-continued mark')).length > 0, true)
})

test('axe finds nothing in the room, and nothing sticks out at 390 and 360 px, in both languages and themes', async () => {
  await page.click('#story-start')
  await train()
  for (const head of await page.locator('.head-state').all()) await head.selectOption('scale')
  await page.click('#learn-answer .answer-token >> nth=0')
  for (const part of ['settings', 'along', 'gradients']) await room(`.learn-${part} summary`).click()
  for (const language of ['en', 'zh']) {
    await set('language', language)
    await set('theme', language === 'zh' ? 'dark' : 'light')
    assert.deepEqual(await violations(undefined, page, language === 'zh' ? THEME_AND_LANGUAGE : undefined), [])
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await becomes(() => beyond(page), [], `${language}, ${width} px`)
    }
    await page.setViewportSize(WINDOW)
  }
  await page.evaluate(() => localStorage.clear())
})
