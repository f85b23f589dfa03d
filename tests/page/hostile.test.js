// Tests that no link and no file leaves a blank page: 200 links and 20 files from a seed, ten times as many with QKV_HOSTILE=1. In Node, all links
// go through the store, and two cells of every matrix are explained. Then some links and files go through Chromium.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { load } from 'qkv'
import { Trouble } from '../../web/files/trouble.js'
import { check } from '../../web/rooms/layer/check-settings.js'
import { explain } from '../../web/rooms/layer/explain/cell.js'
import { sourcesOf, targetsOf } from '../../web/rooms/layer/explain/dependencies.js'
import { matricesOf } from '../../web/rooms/layer/explain/matrix-names.js'
import { shapeSteps, stepsOf } from '../../web/rooms/layer/explain/steps.js'
import { fromFiles } from '../../web/rooms/layer/import-files.js'
import { resultOf } from '../../web/rooms/layer/needs.js'
import { qkvCode } from '../../web/rooms/layer/programs/node.js'
import { pytorchCode } from '../../web/rooms/layer/programs/pytorch.js'
import { room } from '../../web/rooms/layer/room.js'
import { difference } from '../../web/rooms/layer/trace/reference64.js'
import { readHash } from '../../web/shell/link.js'
import { createStore } from '../../web/shell/store.js'
import { FILE_COUNT, fileOf, LINKS, linkOf, randomOf } from './hostile.js'
import { becomes, page, unfold, usePage } from './open.js'

const SEED = Number(process.env.QKV_SEED ?? 11)
const LISTED = [
  '#2&heads=1e308',
  '#2&heads=99999999',
  '#2&model=imported',
  '#2&scale=1e39',
  '#2&model=imported&heads=1e308',
  '#2&model=imported&score=additive&imported={"weights":{"dims":[1,2],"data":[0.5,0.5]}}',
  '#2&model=imported&imported={"q":{"dims":[1,1],"data":[3e38]},"k":{"dims":[1,1],"data":[3e38]},"v":{"dims":[1,1],"data":[3e38]}}',
  '#2&draw=continue&tableRows=1000000&dModel=512',
  `#2&edits=${Array(20_000).fill('weights.0.0.0:0.5').join('+')}`,
]
const links = () => {
  const random = randomOf(SEED)
  return [...LISTED, ...Array.from({ length: LINKS }, () => linkOf(random))]
}

test('every random link gives numbers or sentences, and every cell of it can be explained', async () => {
  const qkv = await load()
  let shownCount = 0
  for (const hash of links()) {
    const { links: parts, trouble } = readHash({ front: 'layer', home: 'layer' }, ['layer', 'learn', 'models'], hash)
    /** @type {import('../../web/shell/store.js').Store<import('../../web/rooms/layer/layer.js').LayerTypes>} */
    let store
    try {
      store = createStore(room, { link: parts.layer ?? '', qkv })
    } catch {
      continue // the page shows that the link is damaged
    }
    store.update(room.enter?.(store.state))
    const { got, problems, settings } = store.state
    const { trace } = got
    assert.ok(trace?.is === 'here' || trace?.is === 'waiting', `${hash}: ${trace?.is}`)
    const result = resultOf(store.state)
    store.close()
    if (!result || Object.keys(problems).length || trouble) continue
    shownCount++
    const matrices = matricesOf(result, Math.min(settings.head, result.heads - 1))
    for (const [id, { head, tensor }] of matrices) {
      const [rows, columns] = tensor.dims
      for (const [row, column] of [
        [0, 0],
        [rows - 1, columns - 1],
      ]) {
        const cell = { matrix: id, head, row, column }
        assert.ok(explain(result, cell), hash)
        for (const { matrix } of [...sourcesOf(result, cell), ...targetsOf(result, cell)])
          assert.ok(result.tensors[matrix], `${hash}: ${id} points to ${matrix}`)
      }
    }
    assert.ok(stepsOf(result).length > 0 && shapeSteps(result).length > 0, hash)
    assert.ok(pytorchCode(result) && qkvCode(result), hash)
    for (const comparison = difference(result); !comparison.next().done; );
  }
  assert.ok(shownCount > links().length / 10, `${shownCount} links were shown`)
})

test('every hostile file gives valid settings, or a message', () => {
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

usePage()

/** Runs in the page: returns the first fault it finds there, or ''. */
const wrong = () => {
  const text = document.body.innerText
  const sees = (/** @type {string} */ selector) => (document.querySelector(selector)?.textContent ?? '').trim() !== ''
  if (!document.querySelector('h1, h2') || text.length < 100) return `blank: ${text.slice(0, 60)}`
  if (document.querySelector('.failure')) return `failure: ${document.querySelector('.failure')?.textContent}`
  return sees('main') || sees('.notice') ? '' : 'neither numbers nor a notice'
}

test('no random link leaves a blank page', async () => {
  const every = links()
  // All links have gone through the store. The page gets the listed ones and every fourth of the others.
  for (const all = every.filter((_, n) => n < LISTED.length || n % 4 === 0); all.length; ) {
    const troubles = await page.evaluate(
      async ([some, source]) => {
        const look = new Function(`return (${source})()`)
        const found = []
        for (const link of some) {
          location.hash = link
          await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))
          let trouble = look()
          // A room is loaded when it is first entered.
          for (let i = 0; trouble && i < 1500; i++) {
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

test('no hostile file leaves a blank page', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv hostile '))
  t.after(() => rmSync(folder, { recursive: true }))
  await unfold('import')
  const random = randomOf(SEED)
  for (let i = 0; i < FILE_COUNT; i++) {
    const { name, bytes } = fileOf(random, i)
    if (i % 2) continue // every file has been read in Node
    writeFileSync(join(folder, name), bytes)
    await page.setInputFiles('#import-files', join(folder, name))
    await page.waitForFunction(() => document.querySelector('.said span'), undefined, { timeout: 60_000 })
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
    await becomes(() => page.evaluate(wrong), '', `file ${i}`)
    await page.evaluate(() => /** @type {HTMLElement | null} */ (document.querySelector('.said button'))?.click())
    await page.waitForFunction(() => !document.querySelector('.said span'))
  }
})
