// Tests qkv/anywidget as a notebook runs it: a model with traits as anywidget has it, and the elements that the widget makes of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useElements } from './elements.js'
import { becomes, page } from './open.js'

useElements()

const DIMS = [2, 3, 3]
const WEIGHTS = [1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5, 1, 0, 0, 0.25, 0.75, 0, 0.125, 0.25, 0.625]

/** Renders the widget with the given traits. Its model is as https://anywidget.dev/en/afm/ defines it. @param {Record<string, unknown>} traits @param {number[]} weights */
const render = (traits, weights) =>
  page.evaluate(
    async ([given, numbers]) => {
      const source = '/dist/anywidget.js'
      const { default: widget } = await import(source)
      /** Returns float32 values as bytes within a larger buffer, as a notebook's kernel sends them. @param {number[]} values */
      const bytes = values => {
        const view = new DataView(new ArrayBuffer(4 * values.length + 3), 3, 4 * values.length)
        values.forEach((value, i) => void view.setFloat32(4 * i, value, true))
        return view
      }
      /** @type {Record<string, any>} */
      const values = { ...given, weights: bytes(numbers) }
      /** @type {Map<string, Set<() => void>>} */
      const listeners = new Map()
      const changed = new Set()
      const state = /** @type {any} */ (window)
      state.saved = []
      const model = {
        get: (/** @type {string} */ name) => values[name],
        set(/** @type {string} */ name, /** @type {unknown} */ value) {
          values[name] = value
          changed.add(name)
          for (const listener of [...(listeners.get(`change:${name}`) ?? [])]) listener()
        },
        on(/** @type {string} */ event, /** @type {() => void} */ listener) {
          listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
        },
        off: (/** @type {string} */ event, /** @type {() => void} */ listener) =>
          void listeners.get(event)?.delete(listener),
        save_changes() {
          state.saved.push(Object.fromEntries([...changed].map(name => [name, values[name]])))
          changed.clear()
        },
      }
      const el = document.createElement('div')
      document.querySelector('main')?.append(el)
      const end = await widget.render({ model, el })
      const settled = () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      Object.assign(state, { model, el, end, bytes, listeners, settled })
      await settled()
    },
    /** @type {const} */ ([traits, weights]),
  )

/** Reads the content of the widget. */
const shown = () =>
  page.evaluate(async () => {
    const { el, settled } = /** @type {any} */ (window)
    await settled()
    const [heads, map] = el.children
    return {
      heads: heads.shadowRoot.querySelectorAll('[role=radio]').length,
      selected: heads.selected,
      matrix: map.matrix && [...map.matrix.data],
      cell: map.matrix && map.describe({ row: 2, column: 1 }),
      pinned: map.pinned,
      problem: heads.shadowRoot.querySelector('.problem')?.textContent,
    }
  })

const TOKENS = ['eat', 'dessert', 'first']

test('bytes of float32 at any alignment are heads, and a map of the selected one', async () => {
  await render({ dims: DIMS, query_tokens: TOKENS, head: 1 }, WEIGHTS)
  await becomes(shown, {
    heads: 2,
    selected: 1,
    matrix: WEIGHTS.slice(9),
    cell: 'first to dessert: 0.2500',
    pinned: undefined,
    problem: undefined,
  })
})

test('a clicked head and a clicked cell are sent to the kernel, once each', async () => {
  await render({ dims: DIMS, query_tokens: TOKENS }, WEIGHTS)
  await page.locator('qkv-heads [role=radio]').nth(1).click()
  await becomes(async () => (await shown()).matrix, WEIGHTS.slice(9))
  await page.locator('qkv-heatmap .map').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await becomes(
    () => page.evaluate(() => /** @type {any} */ (window).saved),
    [{ head: 1 }, { cell: { row: 0, column: 1 } }],
  )
  await becomes(async () => (await shown()).pinned, { row: 0, column: 1 })
})

test('what the kernel changes is shown', async () => {
  await render({ dims: DIMS, query_tokens: TOKENS, key_tokens: ['a', 'b', 'c'] }, WEIGHTS)
  await becomes(async () => (await shown()).cell, 'first to b: 0.3000')
  await page.evaluate(() => /** @type {any} */ (window).model.set('head', 1))
  await becomes(async () => (await shown()).cell, 'first to b: 0.2500')
  await page.evaluate(() => {
    const { model, bytes } = /** @type {any} */ (window)
    model.set('weights', bytes([0.5, 0.5, 0.25, 0.75]))
  })
  await becomes(
    async () => (await shown()).problem ?? '',
    /Expected 18 numbers .* got 4/,
    'the sizes have not come yet',
  )
  await page.evaluate(() => /** @type {any} */ (window).model.set('dims', [1, 2, 2]))
  const { heads, matrix, selected, problem } = await shown()
  assert.deepEqual(
    { heads, matrix, selected, problem },
    { heads: 1, matrix: [0.5, 0.5, 0.25, 0.75], selected: 0, problem: undefined },
  )
  await becomes(() => page.evaluate(() => /** @type {any} */ (window).saved), [], 'nothing is told back')
})

test('a widget that ends leaves no element and no listener', async () => {
  await render({ dims: DIMS }, WEIGHTS)
  const left = await page.evaluate(() => {
    const { el, end, listeners } = /** @type {any} */ (window)
    const count = () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0)
    const before = count()
    end()
    return [before > 0, count(), el.children.length]
  })
  assert.deepEqual(left, [true, 0, 0])
})
