// Everybody can use it: axe finds nothing, in both themes and languages.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pinWeight, settled } from './browser.js'
import { usePage } from './open.js'

const open = usePage()
const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

for (const [theme, language] of [
  ['light', 'en'],
  ['dark', 'zh'],
  ['dark', 'en'],
  ['light', 'zh'],
])
  test(`axe finds nothing: ${theme}, ${language}`, async () => {
    const { page } = open
    await open.set('theme', theme)
    await open.set('language', language)
    await page.evaluate(axe)
    for (const preset of ['heads', 'layer', 'causal', 'waistline']) {
      await open.choose(preset)
      await pinWeight(page)
      await page.click('[data-matrix="weights"] .save-open') // an open menu, and a message
      if (preset === 'waistline') await page.click('#bring-pasted')
      await settled(page)
      const found = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (globalThis).axe.run(document)
        return violations.map(
          (/** @type {any} */ { id, nodes }) =>
            `${id}: ${nodes.map((/** @type {any} */ node) => node.html.slice(0, 120)).join('\n  ')}`,
        )
      })
      assert.deepEqual(found, [], preset)
    }
    await page.evaluate(() => localStorage.clear())
  })
