// Tests the elements in jsdom, in which Jest and Vitest run them. It has no matchMedia, no ResizeObserver and no canvas.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { install } from '../packed.js'

// in a variable, because its types belong to another project
const name = 'jsdom'
const { JSDOM } = await import(name)
const { installed, remove } = install()
after(remove)

const NAMES =
  'document HTMLElement customElements CSSStyleSheet MutationObserver ShadowRoot Element Node CustomEvent Event Document'

test('each element is drawn, and described as SVG; a cell that is not there has no description', async () => {
  const { window } = new JSDOM('<!doctype html>', { pretendToBeVisual: true })
  const { getComputedStyle, requestAnimationFrame, devicePixelRatio } = window
  window.HTMLCanvasElement.prototype.getContext = () => null
  Object.assign(globalThis, { window, getComputedStyle, requestAnimationFrame, devicePixelRatio })
  for (const name of NAMES.split(' '))
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
  Object.assign(globalThis, { addEventListener() {}, cancelAnimationFrame: window.cancelAnimationFrame })
  await import(pathToFileURL(`${installed}/dist/elements.js`).href)
  const map = /** @type {any} */ (document.createElement('qkv-heatmap'))
  Object.assign(map, { matrix: { data: [1, 0, 0, 1], dims: [2, 2] }, rowTokens: ['a', 'b'], columnTokens: ['c', 'd'] })
  document.body.append(map)
  await map.updateComplete
  assert.equal(map.describe({ row: 0, column: 0 }), 'a to c: 1.0000')
  assert.match(await map.toSVG(), /^<svg .*<\/svg>$/s)
  Object.assign(map, { matrix: { data: [], dims: [0, 0] } })
  await map.updateComplete
  assert.equal(map.describe({ row: 0, column: 0 }), '')
  map.remove()
  const numbers = { data: [1, 0, 0.5, 0.5], dims: [1, 2, 2] }
  const names = ['queries', 'keys', 'values', 'scores', 'weights', 'output']
  const trace = Object.fromEntries(names.map(step => [step, numbers]))
  const tile = async (/** @type {any} */ { resolution: [rows, columns] }) => ({
    data: Array(rows * columns).fill(1),
    dims: [rows, columns],
  })
  const large = { data: Array(2 * 70 * 70).fill(0.1), dims: [2, 70, 70] }
  for (const [tag, given, shown] of /** @type {[string, object, RegExp][]} */ ([
    ['qkv-heads', { weights: numbers }, /Head 1/],
    ['qkv-heads', { weights: large }, /Head 2/],
    ['qkv-heatmap', { matrix: { ...large, dims: [140, 70] } }, /row 1 to column 1/],
    ['qkv-trace', { trace }, /scores/],
    ['qkv-flow', { trace }, /query/],
    ['qkv-deep-map', { source: { rows: 2, columns: 2, tile } }, /Zoom|zoom/],
  ])) {
    const element = /** @type {any} */ (document.createElement(tag))
    Object.assign(element, given)
    document.body.append(element)
    await element.updateComplete
    if (tag === 'qkv-deep-map') {
      await new Promise(resolve => element.addEventListener('view-change', resolve))
    }
    assert.match(element.shadowRoot.textContent, shown, tag)
    assert.match(await element.toSVG(), /^<svg .*<\/svg>$/s, tag)
    element.remove()
  }
  window.close()
})
