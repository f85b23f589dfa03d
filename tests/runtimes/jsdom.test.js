// The elements in jsdom, as Jest and Vitest run them: without matchMedia, ResizeObserver and a canvas.

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

test('a heat map is described and drawn as SVG; a cell that is not there has no description', async () => {
  const { window } = new JSDOM('<!doctype html>', { pretendToBeVisual: true })
  const { getComputedStyle, requestAnimationFrame, devicePixelRatio } = window
  window.HTMLCanvasElement.prototype.getContext = () => null
  Object.assign(globalThis, { window, getComputedStyle, requestAnimationFrame, devicePixelRatio })
  for (const name of NAMES.split(' '))
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
  await import(pathToFileURL(`${installed}/dist/elements/heatmap.js`).href)
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
  window.close()
})
