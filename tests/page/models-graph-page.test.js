// Tests the graph of heads in a browser: opened from the story, with its share, sentences, the test of an edge, files, link and keys. Also on a
// phone, in Chinese, and with axe.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { beyond } from './browser.js'
import { opened } from './golden-models.js'
import { becomes, go, page, reads, set, text, usePage, violations } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })

/** Returns a file that a button saves. @param {string} selector */
async function saved(selector) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
  return { name: download.suggestedFilename(), body: await readFile(await download.path(), 'utf8') }
}

const countOf = (/** @type {string} */ selector) => page.locator(selector).count()
const part = (/** @type {string} */ name) => page.locator(`#graph-picture [data-part="${name}"]`)

test('the story leads to the graph, which finds the edge of induction; it is tested, saved and linked; its heads open', async () => {
  await opened('')
  await page.click('#models-stories')
  await page.click('#models-stories [data-item="1"]')
  await page.click('#models-story-graph')
  await page.locator('#graph-picture').waitFor()
  // Head 1.1 reads the previous word, head 3.1 copies the name. The page finds this without being told.
  await reads('#graph-found', /Head 3\.1 at “ta” \(23\) reads as a value what head 1\.1 wrote at “\.” \(15\)/)
  await reads('#graph-counts', /^Parts: \d+, edges: \d+\. They explain 5\d\.\d% of the answer\.$/)
  const few = await countOf('.graph-edge')
  await page.locator('#graph-share').fill('80')
  await reads('#graph-counts', /explain 8\d\.\d% of the answer/)
  await becomes(async () => (await countOf('.graph-edge')) > few, true)
  await becomes(async () => (await countOf('.graph-list li')) === (await countOf('.graph-edge')), true)
  await becomes(() => page.evaluate(() => location.hash), /models\.graph=80/)

  // Only what opens looks like a button.
  const look = (/** @type {string} */ kind) =>
    page
      .locator(`#graph-picture [data-kind="${kind}"]`)
      .first()
      .evaluate(node => [
        node.getAttribute('role'),
        getComputedStyle(node).cursor,
        node.querySelector('rect')?.getAttribute('fill'),
      ])
  assert.deepEqual(await look('head'), ['button', 'pointer', 'var(--raised)'])
  for (const kind of ['mlp', 'logits']) assert.deepEqual(await look(kind), ['img', 'default', 'var(--paper)'])

  // A sentence describes the part under the pointer, and everything else is faded.
  await part('3.1@23').hover()
  await reads('#graph-said', /^Head 3\.1 at “ta” \(23\): \d+\.\d% of the answer comes through it\.$/)
  await becomes(async () => (await countOf('.graph-edge.is-dim')) > 0, true)
  await page.hover('#graph-counts')
  await reads('#graph-said', /^Point at a part/)
  await becomes(() => countOf('.graph-edge.is-dim'), 0)
  await page.click('#graph-found button')
  await reads(
    '#graph-said',
    /^Head 3\.1 .* Estimate: without this edge the lead of “mo” changes by −\d\.\d\d, so it supports/,
  )
  await page.click('#graph-drop')
  await page.locator('#graph-test').waitFor({ state: 'detached' })
  // Clicks on a point of the line itself, because the middle of the line's bounding box may not be on it.
  const at = await part('1.1@15>3.1@23:v')
    .locator('.graph-hit')
    .evaluate(path => {
      const line = /** @type {SVGPathElement} */ (path)
      const { x, y } = line
        .getPointAtLength(line.getTotalLength() * 0.3)
        .matrixTransform(line.getScreenCTM() ?? undefined)
      return { x, y }
    })
  await page.mouse.click(at.x, at.y)
  await page.click('#graph-test')
  await reads(
    '#graph-tested',
    /^Cut, the lead of “mo” goes from \d\.\d\d to −?\d\.\d\d: it changes by −\d\.\d\d\. The estimate was −\d\.\d\d\.$/,
  )
  const tested = await text('#graph-tested')
  const found = await text('#graph-counts')

  const { name, body } = await saved('#graph-svg')
  assert.equal(name, 'graph.svg')
  assert.match(body, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  assert.doesNotMatch(body, /var\(|<!--|class=/)
  assert.equal(
    await page.evaluate(
      file => new DOMParser().parseFromString(file, 'image/svg+xml').querySelectorAll('path').length,
      body,
    ),
    await countOf('.graph-edge'),
  )
  const json = JSON.parse((await saved('#graph-json')).body)
  assert.equal(json.edges.length, await countOf('.graph-edge'))
  assert.deepEqual([json.answer, json.nodes.at(-1).id], ['mo', 'a'])
  assert.ok(
    json.edges.some((/** @type {any} */ { from, to, reads }) => from === '1.1@15' && to === '3.1@23' && reads === 'v'),
  )
  assert.deepEqual(await violations('#models-graph'), [])

  // The link contains the share, the open edge and its test.
  await becomes(() => page.evaluate(() => location.hash), /models\.graph=80\+1\.1%4015%3E3\.1%4023%3Av%21/)
  await go(await page.evaluate(() => location.hash))
  await reads('#graph-tested', tested)
  await reads('#graph-counts', found)

  // The button opens the weight of the edge. After Back, keys open a head from its node.
  await page.click('#graph-open')
  await reads('#models-inspector h2', /^Head 3\.1, /)
  await becomes(() => page.evaluate(() => location.hash), /models\.at=3\.1%3A23%3E15/)
  await page.locator('#graph-picture [tabindex="0"]').focus()
  await reads('#graph-said', /^The answer “mo”: 100\.0% of the answer/)
  for (const [key, said] of /** @type {const} */ ([
    ['ArrowDown', /^MLP 3 at “ta” \(23\): .* through it\. It reads no other word, so it has no map to open\.$/],
    ['ArrowDown', /^Head 3\.\d at “ta” \(23\)/],
  ])) {
    await page.keyboard.press(key)
    await reads('#graph-said', said)
  }
  await page.keyboard.press('Enter')
  await becomes(() => page.evaluate(() => location.hash), /models\.at=3\.\d(&|$)/)
  await page.locator('#models-inspector').waitFor({ state: 'detached' })

  // Another text has another graph.
  await page.fill('#models-text', 'Lily and Tom are friends. Lily goes to the river. Is he')
  await reads('.graph > p', /^“tom” leads “/)
  await becomes(() => page.evaluate(() => location.hash), /models\.graph=80(&|$)/)
})

test('on a phone, in Chinese and in the dark, the graph begins at the answer; no panel that explains the answer is wider than the window, and axe finds nothing', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await set('language', 'zh')
  await set('theme', 'dark')
  const prompt = 'Lily and Tom are friends . The fox is called vi ta mo . Tom has a red ball . Vi ta'
  await go(`#2&room=models&models.checkpoint=stories&models.prompt=${encodeURIComponent(prompt)}&models.graph=50`)
  await page.locator('#graph-picture').waitFor()
  await reads('#models-graph summary', '注意力头的图')
  await reads('#graph-found', /“ta”（23）处的头 3\.1 把头 1\.1 在“\.”（15）处写下的内容当作值来读取/)
  await becomes(() => beyond(page), [])
  const answer = await part('a').boundingBox()
  assert.ok(answer && answer.x > 0 && answer.x + answer.width < 390, JSON.stringify(answer))
  await part('3.1@23').click()
  await reads('.models-title', /头 3\.1/)
  await becomes(() => beyond(page), [])
  assert.deepEqual(await violations('#models-graph'), [])

  const other = prompt.replace('vi ta mo', 'vi ta la')
  const link = `#2&room=models&models.checkpoint=stories&models.prompt=${encodeURIComponent(prompt)}`
  await go(`${link}&models.sourceText=${encodeURIComponent(other)}&models.at=3.1%3A23%3E15`)
  await page.locator('#models-reasons').waitFor()
  await reads('#models-why-there h3', '它为什么看那里？')
  await becomes(() => beyond(page), [])
  assert.deepEqual(await violations('#models-inspector'), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.locator('#models-matters > summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('#matters-positions').waitFor()
  await becomes(() => countOf('#models-matters [data-state="done"]'), 2)
  await becomes(() => beyond(page), [])
  assert.deepEqual(await violations('#models-matters'), [])
  await page.evaluate(() => localStorage.clear())
})

test('the graph of a translation goes from the word that is written through cross-attention to the words that are translated', async () => {
  await go('#2&room=models&models.checkpoint=translation&models.graph=80')
  await part('a').waitFor()
  await becomes(async () => (await countOf('[data-kind="head"][data-part^="c"]')) > 0, true)
  await becomes(async () => (await countOf('[data-kind="embedding"][data-part^="ew"]')) > 0, true)
  await reads('#graph-picture', /cross 1/)
  const cross = page.locator('[data-kind="head"][data-part^="c"]').first()
  await cross.hover()
  await reads('#graph-said', /^Head 1\.1 \(Cross-attention\) at “[^”]+” \(\d+\): \d+\.\d% of the answer comes through/)
  await page.locator('.graph-list summary').click()
  await page.locator('.graph-list [data-edge*=">c1.1"][data-edge$=":v"]').first().click()
  await page.click('#graph-test')
  await reads('#graph-tested', /^Cut, the lead of /)
  await page.click('#graph-open')
  await reads('#models-inspector h2', /^Head 1\.1, /)
  await becomes(() => page.evaluate(() => location.hash), /models\.at=c1\.1%3A/)
  assert.deepEqual(await violations('#models-graph'), [])
})
