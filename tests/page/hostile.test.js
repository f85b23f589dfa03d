// No link and no file leaves a blank page: 2,000 links and 200 files from a seed, a tenth of them here.
// The links go through the store in Node, with every cell that can be asked for; then both go through Chromium.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { Trouble } from '../../web/files/trouble.js'
import { loadTexts } from '../../web/i18n/index.js'
import { createApp, TEXTS } from '../../web/rooms/layer/app.js'
import { check } from '../../web/rooms/layer/check-settings.js'
import { explain } from '../../web/rooms/layer/explain/cell.js'
import { sourcesOf, targetsOf } from '../../web/rooms/layer/explain/dependencies.js'
import { shapeWalk, stepsOf } from '../../web/rooms/layer/explain/steps.js'
import { fromFiles } from '../../web/rooms/layer/import.js'
import { qkvCode } from '../../web/rooms/layer/programs/node.js'
import { pytorchCode } from '../../web/rooms/layer/programs/pytorch.js'
import { difference } from '../../web/rooms/layer/trace/reference64.js'
import { FILE_COUNT, fileOf, LINKS, linkOf, randomOf } from './hostile.js'
import { usePage } from './open.js'

const t = await loadTexts('en', TEXTS)

const SEED = Number(process.env.QKV_SEED ?? 11)
const LISTED = [
  '#1&heads=1e308',
  '#1&heads=99999999',
  '#1&model=given',
  '#1&scale=1e39',
  '#1&model=given&heads=1e308',
  '#1&model=given&score=additive&given={"weights":{"dims":[1,2],"data":[0.5,0.5]}}',
  '#1&model=given&given={"q":{"dims":[1,1],"data":[3e38]},"k":{"dims":[1,1],"data":[3e38]},"v":{"dims":[1,1],"data":[3e38]}}',
  '#1&draw=continue&tableRows=1000000&dModel=512',
  `#1&edits=${Array(20_000).fill('weights.0.0.0:0.5').join('+')}`,
]
const links = () => {
  const random = randomOf(SEED)
  return [...LISTED, ...Array.from({ length: LINKS }, () => linkOf(random))]
}

test('every random link gives numbers or sentences, and every cell of it can be explained', async () => {
  let hash = ''
  /** @type {import('../../web/rooms/layer/app.js').Drawing | undefined} */
  let drawing
  /** @type {(() => void)[]} */
  const frames = []
  const nothing = () => {}
  const app = createApp(
    {
      draw: own => {
        drawing = own
      },
      drawPlainly: assert.fail,
      frame: run => void frames.push(run),
      address: () => hash,
      setAddress: nothing,
      href: () => hash,
      remember: nothing,
      reveal: nothing,
      isStill: () => false,
      show: nothing,
      toTop: nothing,
      focus: nothing,
      around: () => ({ isHidden: false, isStill: true, isNarrow: false, sentence: '' }),
    },
    { language: 'en', theme: 'system', t },
  )
  app.connect(await load())
  let shown = 0
  for (const link of links()) {
    hash = link
    app.follow()
    while (frames.length) frames.shift()?.()
    const { scene, failure, problems, notice, progress } = /** @type {NonNullable<typeof drawing>} */ (drawing)
    assert.equal(failure, undefined, `${link}: ${JSON.stringify(failure)}`)
    assert.ok(scene, `${link}: no numbers`)
    if (Object.keys(problems).length || notice || progress !== undefined) continue
    shown++
    const { result, matrices } = scene
    for (const [id, { head, tensor }] of matrices) {
      const [rows, columns] = tensor.dims
      for (const [row, column] of [
        [0, 0],
        [rows - 1, columns - 1],
      ]) {
        const cell = { matrix: id, head, row, column }
        assert.ok(explain(result, cell), link)
        for (const { matrix } of [...sourcesOf(result, cell), ...targetsOf(result, cell)])
          assert.ok(result.tensors[matrix], `${link}: ${id} points to ${matrix}`)
      }
    }
    assert.ok(stepsOf(result).length > 0 && shapeWalk(result).length > 0, link)
    assert.ok(pytorchCode(result) && qkvCode(result), link)
    for (const comparison = difference(result); !comparison.next().done; );
  }
  assert.ok(shown > links().length / 10, `${shown} links were shown`)
})

test('every hostile file gives settings that make sense, or a sentence', () => {
  const random = randomOf(SEED)
  for (let i = 0; i < FILE_COUNT; i++) {
    const file = fileOf(random, i)
    try {
      const settings = fromFiles([file])
      assert.ok(check(settings))
    } catch (error) {
      if (!(error instanceof Trouble)) throw new Error(`file ${i}: ${error}`, { cause: error })
    }
  }
})

const open = usePage()

/** In the page: what is wrong with it. */
const wrong = () => {
  const text = document.body.innerText
  const sees = (/** @type {string} */ selector) => (document.querySelector(selector)?.textContent ?? '').trim() !== ''
  if (!document.querySelector('h1, h2') || text.length < 100) return `blank: ${text.slice(0, 60)}`
  if (document.querySelector('.failure')) return `failure: ${document.querySelector('.failure')?.textContent}`
  return sees('main') || sees('.notice') ? '' : 'neither numbers nor a notice'
}

test('no random link leaves a blank page', async () => {
  const { page } = open
  for (const all = links(); all.length; ) {
    const troubles = await page.evaluate(
      async ([some, source]) => {
        const look = new Function(`return (${source})()`)
        const found = []
        for (const link of some) {
          location.hash = link
          await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))
          let trouble = look()
          // A room is loaded when it is entered first.
          for (let i = 0; trouble && i < 100; i++) {
            await new Promise(resolve => setTimeout(resolve, 20))
            trouble = look()
          }
          if (trouble) found.push(`${link}: ${trouble}`)
        }
        return found
      },
      /** @type {const} */ ([all.splice(0, 50), String(wrong)]),
    )
    assert.deepEqual(troubles, [])
  }
})

test('no hostile file leaves a blank page', async () => {
  const { page } = open
  const random = randomOf(SEED)
  for (let i = 0; i < FILE_COUNT; i++) {
    const { name, bytes } = fileOf(random, i)
    await page.setInputFiles('#bring-files', { name, buffer: Buffer.from(bytes), mimeType: 'application/octet-stream' })
    await page.waitForFunction(() => document.querySelector('.said p'), undefined, { timeout: 60_000 })
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
    assert.equal(await page.evaluate(wrong), '', `file ${i}`)
    await page.evaluate(() => /** @type {HTMLElement | null} */ (document.querySelector('.said button'))?.click())
    await page.waitForFunction(() => !document.querySelector('.said p'))
  }
})
