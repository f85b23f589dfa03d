// Tests the room "Models" in a browser: a checkpoint is opened from files, its heads are shown, ranked, opened and changed, and the prediction
// follows.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { filesOf } from './golden-files.js'
import { open, opened, selectCell, typeText, weightsOf } from './golden-models.js'
import { addressHash, becomes, go, page, reads, text, usePage, violations } from './open.js'

usePage({ hash: null })
const ROOM = '#2&room=models'

test('a checkpoint opens from files: sizes, maps of all heads, prediction; a head is switched off, and Undo and a link hold it', async () => {
  await go(ROOM)
  await open('gpt2-tiny', 'gpt2')
  await reads('#models-facts', /gpt2, 3 × 4 heads, 106,416 parameters/)
  await page.fill('#models-text', 'The cat that chased the dog')
  await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
  await becomes(() => page.locator('#models-ranked li').count(), 12)
  await becomes(() => page.locator('#models-top tbody tr').count(), 8)
  await page.locator('#models-why').waitFor()
  const error = async () => {
    const cells = await page.locator('#models-why tbody td:last-child').allInnerTexts()
    const added = cells.map(each => Number(each.replace('−', '-').replace('+', '')))
    const logit = Number(added.pop())
    return Math.abs(added.reduce((a, b) => a + b) - logit)
  }
  await becomes(async () => (await error()) < 0.02, true, 'contributions sum to the logit')
  await page.locator('#models-ranked button', { hasText: '2.2' }).click()
  await page.locator('#models-map').waitFor()
  await page.click('[data-how="off"]')
  await reads('#models-effect', /m: 4\.7% before, 5\.1% after \(\+0\.4 points\)/)
  await reads('#models-answer', /^“\(” \(5\.3%\)$/)
  await page.waitForFunction(() => /changes=2\.2%3D0/.test(location.hash) && /at=2\.2/.test(location.hash))
  const link = await addressHash()
  await page.click('[data-showing="before"]')
  await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
  await page.click('#changes-undo')
  await page.locator('#models-effect').waitFor({ state: 'detached' })
  await go(link)
  await reads('#models-problem', /the model “gpt2”, which the page does not have/)
  await page.setInputFiles('#models-files', filesOf('gpt2-tiny'))
  await reads('#models-effect', /m: 4\.7% before, 5\.1% after/)
  await becomes(() => page.locator('.models-title h2').innerText(), 'Head 2.2')
})

test('a cell is computed down to query and key; an encoder fills masks; an encoder-decoder has three stacks', async () => {
  await go(ROOM)
  await open('qwen3-tiny-bf16', 'qwen3')
  await typeText('The cat that chased the dog')
  await page.locator('#models-ranked button', { hasText: '2.3' }).click()
  await page.locator('#models-map').waitFor()
  await selectCell(3, 2)
  await page.locator('.total output').waitFor()
  const { data, dims } = await weightsOf()
  await reads('.total output', data[3 * dims[1] + 2].toFixed(4))
  await becomes(
    async () => Math.abs(Number(await page.getAttribute('.total output', 'data-value')) - data[3 * dims[1] + 2]) < 1e-5,
    true,
  )
  await page.fill('#models-text', 'The [MASK] wrote to the king') // the text is kept for the next model
  await open('bert-tiny', 'bert')
  await reads('.models-answer', /##ed 58\.0%/)
  await open('marian-tiny', 'marian')
  await becomes(() => page.locator('.models-stacks button').allInnerTexts(), ['Encoder', 'Decoder', 'Cross-attention'])
  await page.click('[data-stack="encoder"]')
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('models-atlas'))?.maps.layers === 3)
})

test('unreadable files are refused with the reason; text is generated step by step; a lost worker is started again', async () => {
  await go(ROOM)
  await open('gpt2-tiny', 'gpt2')
  const bytes = Buffer.from(JSON.stringify({ model_type: 'mamba' }))
  await page.setInputFiles('#models-files', [{ name: 'config.json', mimeType: 'application/json', buffer: bytes }])
  await reads('#models-problem', /^This did not work: config\.json: model_type "mamba" is not covered; covered: gpt2.*The previous model stays open\./) // biome-ignore format: one line
  await reads('#models-facts', /^gpt2,/)
  assert.equal(await page.locator('.models-progress').count(), 0)
  const config = filesOf('gpt2-tiny').filter(file => file.endsWith('/config.json'))
  await page.setInputFiles('#models-files', config)
  await reads('#models-problem', /model\.safetensors/)
  assert.doesNotMatch(
    await text('#models-problem'),
    /loadModel/,
    'the name of a function of ours is no news for readers',
  )
  await page.fill('#models-text', 'The cat that chased the dog')
  await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
  await page.locator('#models-problem').waitFor({ state: 'detached' })
  // The maps grow with the text that is generated.
  await page.fill('#models-count', '3')
  await page.keyboard.press('Enter')
  await page.click('#models-generate')
  await reads('#models-steps', /3 tokens generated/)
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('models-atlas'))?.maps.rows === 13)
  await becomes(async () => (await page.locator('.is-generated .token').allInnerTexts())[0], 'm')
  // The worker that is lost below has a text and a change. The new worker gets both again.
  await page.fill('#models-text', 'The cat that chased the dog')
  await reads('#models-answer', /^“m\w*” \(4\.7%\)/)
  await page.locator('#models-ranked button', { hasText: '2.2' }).click()
  await page.click('[data-how="off"]')
  await reads('#models-answer', /^“\(” \(5\.3%\)$/)
  const [worker] = page.workers().slice(-1)
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new Error('out of memory')
    })
  })
  await reads('#models-problem', /out of memory/)
  await page.click('#models-again')
  await page.locator('#models-problem').waitFor({ state: 'detached' })
  await reads('#models-answer', /^“\(” \(5\.3%\)$/)
  await page.fill('#models-text', 'The dog')
  await reads('.token-row-label', /2 tokens|3 tokens|4 tokens/)
  await page.setInputFiles(
    '#models-files',
    filesOf('gpt2-tiny').filter(path => !path.endsWith('/tokenizer.json')),
  )
  await reads('.models-text', /Token ids: this folder has no tokenizer\.json/)
})

test('a model too large for the memory: the sizes are shown before reading, and dtypes that fit are buttons', async () => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'deviceMemory', { value: 600_000 / 2 ** 30 }))
  await go(ROOM)
  await page.setInputFiles('#models-files', filesOf('gpt2-tiny'))
  await reads('#models-large', /needs 426 KB of memory as it is stored, 223 KB as float16, 122 KB as int8/)
  await page.click('[data-dtype="int8"]')
  await reads('#models-facts', /int8/)
})

test('a long run shows its progress and can be cancelled: the run before stays, the next one works', async () => {
  await go(ROOM)
  const files = filesOf('qwen3-tiny-bf16')
  const config = JSON.parse(readFileSync(files.find(path => path.endsWith('/config.json')) ?? '', 'utf8'))
  const longer = Buffer.from(JSON.stringify({ ...config, max_position_embeddings: 8192 }))
  await page.setInputFiles('#models-files', [
    { name: 'config.json', mimeType: 'application/json', buffer: longer },
    ...files
      .filter(path => !path.endsWith('/config.json'))
      .map(path => ({ name: basename(path), mimeType: '', buffer: readFileSync(path) })),
  ])
  await opened('qwen3')
  await typeText('The dog')
  await reads('.token-row-label', /^2 tokens$|^3 tokens$|^4 tokens$/)
  const token = () => page.getAttribute('#models-answer', 'data-token')
  const answer = await token()
  const long = Array(1000).fill('The cat that chased').join(' ')
  await page.fill('#models-text', long)
  // The model reads the text at once if earlier runs predict less than five seconds, otherwise after a click.
  await page.locator('#models-draft-read, #models-running').first().waitFor()
  if (await page.locator('#models-draft-read').count()) await page.click('#models-draft-read')
  await page.waitForFunction(() => {
    const running = document.querySelector('#models-running')
    // The finished layers are drawn over those of the previous run.
    const { old } = /** @type {any} */ (document.querySelector('.models.is-streaming models-atlas')) ?? {}
    const isTold = /Layer \d+ of \d+, \d+\.\d s/.test(running?.textContent ?? '') && old > 0
    if (isTold) running?.querySelector('button')?.click()
    return isTold
  })
  await reads('#models-cancelled', /Cancelled\./)
  await becomes(token, answer)
  assert.equal(await page.locator('.is-streaming').count(), 0)
  // A long text has its words in lines, where they are found and selected. A head is a map that zooms, with its links.
  await page.fill('#models-text', `${Array(90).fill('The cat that chased').join(' ')} the dog`)
  await page.locator('#models-cancelled').waitFor({ state: 'detached' })
  await page.locator('long-words .word-button').first().waitFor()
  assert.ok((await page.locator('long-words .word-button').count()) < 500)
  await page.fill('#models-find', 'at')
  await page.press('#models-find', 'Shift+Enter') // the last hit, out of sight until now
  await page.waitForFunction(() => {
    const words = /** @type {any} */ (document.querySelector('long-words'))
    return words.top > 0 && words.top === words.firstElementChild.scrollTop && words.querySelector('.is-found')
  })
  // Finds and clicks the word in one evaluation, because lines that scroll reuse their elements for other words.
  await page.locator('long-words .is-found .token').evaluate(word => /** @type {HTMLElement} */ (word).click())
  await page.locator('long-words .is-found.is-selected').waitFor()
  // The words that the selected word looks at show their weights. The table lists only the strongest ones.
  await page.waitForFunction(() => {
    const list = /** @type {any} */ (document.querySelector('long-words')).firstElementChild
    const isEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 1
    list.scrollTop = isEnd ? 0 : list.scrollTop + 80
    return /^<?[\d.]+%$/.test(list.querySelector('.weight')?.textContent)
  })
  await reads('.models-looks > :last-child caption', /the \d+ strongest, among the eight largest weights/)
  assert.deepEqual(await violations('main'), [])
  await page.locator('.models-looks tbody tr').first().locator('button').click()
  const map = page.locator('#models-deep')
  await page.locator('.models-distance li').first().waitFor()
  const size = page.viewportSize() ?? { width: 1280, height: 900 }
  await page.setViewportSize({ width: 360, height: 740 })
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360) // the page is no wider than the window
  await page.setViewportSize(size)
  await map.evaluate(element => /** @type {any} */ (element).show({ row: 140, column: 130 }))
  await map
    .locator('[role=status]')
    .filter({ hasText: /Rows 13\d to 14\d of/ })
    .waitFor({ state: 'attached' })
  await map.locator('.labels').filter({ hasNotText: 'stands for' }).waitFor()
  // Leaving out the first token hides its column in the overview and in the tiles, and changes no other number. A cell of several tokens loses only
  // the weights of the first one.
  const tileOf = (/** @type {[number, number]} */ columns, /** @type {[number, number]} */ resolution) =>
    map.evaluate(
      async (element, asked) => {
        const { signal } = new AbortController()
        const { data, dims } = await /** @type {any} */ (element).source.tile({ rows: [128, 256], ...asked, signal })
        return [data[dims[1]], data[dims[1] + 1]]
      },
      { columns, resolution },
    )
  const overview = () =>
    map.evaluate(element => {
      const { data, dims } = /** @type {any} */ (element).source.overview
      return [data[dims[1]], data[dims[1] + 1]]
    })
  const firstInOverview = () =>
    map.evaluate(async element => {
      const { rows, overview, tile } = /** @type {any} */ (element).source
      const [R] = overview.dims
      const { signal } = new AbortController()
      return (await tile({ rows: [0, rows], columns: [0, 1], resolution: [R, 1], signal })).data[1]
    })
  const [before, tileBefore, first] = [await overview(), await tileOf([0, 128], [128, 128]), await firstInOverview()]
  assert.ok(before[0] > 0 && tileBefore[0] > 0)
  const twice = await Promise.all([tileOf([0, 128], [64, 64]), tileOf([0, 128], [64, 64])])
  assert.deepEqual(twice[0], twice[1], 'two requests for one tile are both answered')
  const [ofBlock, next] = await tileOf([0, 128], [32, 32])
  const [ofFirst] = await tileOf([0, 1], [32, 1])
  await page.check('#models-first')
  const fourth = (/** @type {number} */ x) => Math.round(x * 1e4)
  await becomes(async () => (await overview()).map(fourth), [before[0] - first, before[1]].map(fourth))
  assert.deepEqual(await tileOf([0, 128], [128, 128]), [Number.NEGATIVE_INFINITY, tileBefore[1]])
  const less = await tileOf([0, 128], [32, 32])
  assert.deepEqual(less.map(fourth), [fourth(ofBlock - ofFirst), fourth(next)])
  assert.ok(less[0] > 0)
  // Until the tile arrives, the cell is part of a coarser one.
  const said = () => map.evaluate(element => /** @type {any} */ (element).describe({ row: 140, column: 0 }))
  await becomes(async () => /left out/.test(await said()), true)
  assert.deepEqual(await violations('.models-head'), [])
  await page.uncheck('#models-first')
  await page.click('#models-back')
  await page.fill('#models-text', 'The cat')
  await page.locator('long-words').waitFor({ state: 'detached' })
  await page.waitForFunction(answer => document.querySelector('#models-answer')?.textContent !== answer, answer)
})

test('in a window of 1024 x 768 the maps of all heads are on the first screen, the list of heads below them', async () => {
  await page.setViewportSize({ width: 1024, height: 768 })
  await go(ROOM)
  await opened('llama')
  const boxes = ['.models-atlas canvas', '.models-list', '.models-prediction'].map(each =>
    page.locator(each).boundingBox(),
  )
  const [maps, list, prediction] = await Promise.all(boxes)
  assert.ok(maps && list && prediction)
  assert.ok(maps.y + maps.height <= 768 && list.y >= maps.y + maps.height, `${maps.y + maps.height}, ${list.y}`)
  assert.ok(prediction.x >= maps.x + maps.width && prediction.y < maps.y, 'what it says stands beside them')
})

test('of a long text the lines of the lens fit their layer, both lists of a word are in sight on a phone, and a tile waits for no frame', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await go('#2&room=models&models.checkpoint=ledger')
  await opened('')
  const names = ['nora', 'luca', 'mia', 'opal', 'enzo', 'greta', 'otto', 'ivy']
  const text = Array.from({ length: 60 }, (_, n) => `${names[n % 8]} ${['glove', 'pipe', 'mask'][n % 3]} .`).join(' ')
  await page.fill('#models-text', text)
  await page.locator('#models-draft-read, long-words .word-button').first().waitFor()
  if (await page.locator('#models-draft-read').count()) await page.click('#models-draft-read')
  await page.locator('long-words .word-button').nth(12).click()
  await page.locator('.models-looks tbody tr').first().waitFor()
  const layers = await page.locator('.atlas-lens li').evaluateAll(list =>
    list.map(layer => {
      const box = layer.getBoundingClientRect()
      const lines = Array.from(layer.children, line => line.getBoundingClientRect())
      const isApart = lines.every(({ top }, n) => top >= (n ? lines[n - 1].bottom : box.top) - 0.5)
      const isWhole = lines.every(line => line.bottom <= box.bottom + 0.5)
      return { count: lines.length, isApart, isWhole }
    }),
  )
  assert.equal(layers.length, 3)
  for (const { count, isApart, isWhole } of layers) assert.ok(count > 0 && isApart && isWhole, JSON.stringify(layers))
  await page.setViewportSize({ width: 390, height: 780 })
  const lists = page.locator('.models-looks > *')
  const cut = await lists.evaluateAll(all => {
    const { bottom } = /** @type {Element} */ (all[0].parentElement).getBoundingClientRect()
    return all.map(list => (list.querySelector('tbody tr')?.getBoundingClientRect().bottom ?? Infinity) - bottom)
  })
  assert.ok(cut.length === 2 && cut.every(below => below <= 0), `${cut}`)
  await page.locator('#models-ranked button').first().click()
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#models-deep'))?.source)
  const first = await page.locator('#models-deep').evaluate(async map => {
    const frame = window.requestAnimationFrame
    window.requestAnimationFrame = () => 0
    const { signal } = new AbortController()
    const tile = { rows: [100, 164], columns: [0, 64], resolution: [64, 64], signal }
    const wait = new Promise(resolve => setTimeout(resolve, 60_000, 'no answer'))
    const found = await Promise.race([/** @type {any} */ (map).source.tile(tile), wait])
    window.requestAnimationFrame = frame
    return found.dims?.join()
  })
  assert.equal(first, '64,64')
})
