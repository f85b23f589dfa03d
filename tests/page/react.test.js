// Tests the elements in React 19: properties are set as properties, and events are received.

import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { useElements } from './elements.js'
import { becomes, page } from './open.js'

useElements()

const PROGRAM = `
import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '../../dist/elements/heatmap.js'

function App() {
  const [pinned, setPinned] = useState(undefined)
  const matrix = { data: [1, 0, 0.25, 0.75], dims: [2, 2] }
  return createElement('div', null,
    createElement('qkv-heatmap', {
      matrix, pinned, rowTokens: ['a', 'b'], columnTokens: ['a', 'b'], label: 'Weights',
      'oncell-pin': event => setPinned({ row: event.detail.row, column: event.detail.column }),
    }),
    createElement('output', null, pinned ? pinned.row + ', ' + pinned.column : 'nothing'))
}
createRoot(document.querySelector('main').appendChild(document.createElement('div'))).render(createElement(App))
`

test('React sets tensors and tokens, and a pinned cell comes back as state', async () => {
  const id = fileURLToPath(new URL('program.js', import.meta.url))
  const { output } = await build({
    input: id,
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      { name: 'program', resolveId: name => (name === id ? id : null), load: name => (name === id ? PROGRAM : null) },
    ],
  })
  await page.route('**/program.js', route => route.fulfill({ contentType: 'text/javascript', body: output[0].code }))
  await page.evaluate(async () => {
    const program = '/program.js'
    await import(program)
  })
  await page.locator('qkv-heatmap .map').focus()
  await page.keyboard.press('ArrowDown')
  await becomes(() => page.locator('output').textContent(), 'nothing')
  await page.keyboard.press('Enter')
  await becomes(() => page.locator('output').textContent(), '1, 0')
  const map = page.locator('qkv-heatmap')
  const seen = () => map.evaluate((/** @type {any} */ map) => [map.describe({ row: 1, column: 0 }), map.pinned])
  await becomes(seen, ['b to a: 0.2500', { row: 1, column: 0 }])
})
