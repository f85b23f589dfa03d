// Tests the lines of heads between two columns of words: which are drawn, how strong they are, and that a head's picture shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headView, WEIGHT_VIEWS } from '../../web/attention-head/head-view.js'
import { linesOf, strongest } from '../../web/attention-head/line-paths.js'
import { texts } from '../../web/i18n/en/lines.js'
import { elementsOf, keyOf } from './template.js'

/** The weights of two heads with two queries and three keys. They start at index 1; the number before belongs to another layer. */
const layer = {
  weights: Float32Array.of(9, 1, 0, 0, 0.25, 0.75, 0, 0.5, 0.5, 0, 0.004, 0.496, 0.5),
  from: 1,
  heads: [0, 1],
  queries: 2,
  keys: 3,
}
/** Returns each line as [head, query, key, opacity]. @param {ReturnType<typeof linesOf>} lines */
const drawn = lines =>
  lines
    .flatMap(({ head, opacity, pairs }) =>
      Array.from({ length: pairs.length / 2 }, (_, i) => [head, pairs[2 * i], pairs[2 * i + 1], opacity]),
    )
    .sort(([a, b, c], [x, y, z]) => a - x || b - y || c - z)

test('each weight from one percent on is a line as strong as it is, and weak lines lie below', () => {
  const lines = linesOf(layer)
  const strengths = lines.map(({ opacity }) => opacity)
  assert.deepEqual(strengths, [...strengths].sort())
  assert.deepEqual(drawn(lines), [
    [0, 0, 0, 1],
    [0, 1, 0, 0.25],
    [0, 1, 1, 0.75],
    [1, 0, 0, 0.5],
    [1, 0, 1, 0.5],
    [1, 1, 1, 0.5],
    [1, 1, 2, 0.5],
  ])
  assert.equal(lines.find(({ head, pairs }) => head === 0 && pairs[0] === 1)?.path, 'M0 15L100 5')
  assert.equal(linesOf(layer), lines, 'the same picture is made once')
})

test('a word has its own lines alone, and a head that is left out has none', () => {
  assert.deepEqual(drawn(linesOf(layer, { side: 'queries', position: 0 })), [
    [0, 0, 0, 1],
    [1, 0, 0, 0.5],
    [1, 0, 1, 0.5],
  ])
  assert.deepEqual(drawn(linesOf({ ...layer, heads: [0] }, { side: 'keys', position: 1 })), [[0, 1, 1, 0.75]])
  assert.deepEqual(linesOf({ ...layer, heads: [] }), [])
  assert.deepEqual(
    strongest(3, at => [0.1, 0.7, 0.2][at]),
    { at: 1, weight: 0.7 },
  )
})

test('lines are a picture of a head in every room: of its layer, with its words, and of long texts a sentence', async () => {
  assert.ok(WEIGHT_VIEWS.includes('lines'))
  const t = /** @type {any} */ (Object.assign((/** @type {string} */ key) => (key === 'htmlLang' ? 'en' : keyOf(key)), { elements: {} })) // biome-ignore format: one line
  globalThis.customElements ??= /** @type {any} */ ({ define() {}, get() {} })
  /** @type {unknown[][]} */
  const done = []
  const act = /** @type {any} */ (
    new Proxy(
      {},
      {
        get:
          (_, name) =>
          (/** @type {unknown[]} */ ...args) =>
            done.push([name, ...args]),
      },
    )
  )
  const view = /** @type {any} */ ({
    prefix: 'a-',
    label: 'Head',
    weights: { data: new Float32Array(6), dims: [2, 3] },
    queries: ['x', 'y'],
    keys: ['u', 'v', 'w'],
    view: 'lines',
    layer: { data: layer.weights, from: 1, names: ['2.1', '2.2'], own: 1 },
  })
  /** Resolves to the drawing, once its module is loaded. @param {any} of */
  const shown = async of => {
    const template = /** @type {any} */ (headView(of, act, t))
    const [waiting] = template.values.flatMap((/** @type {any} */ value) => value?.values ?? [])
    return elementsOf(waiting._$litDirective$ ? await waiting.values[0] : waiting)
  }
  const [lines] = await shown(view)
  assert.equal(lines.tag, 'head-lines')
  assert.deepEqual([lines.attributes['.from'], lines.attributes['.own'], lines.attributes['.keys']], [1, 1, view.keys])
  const word = { side: 'queries', position: 1 }
  lines.listeners['lines-select']({ detail: { word, isSecond: true } })
  lines.listeners['lines-point']({ detail: word })
  lines.listeners['lines-point']({})
  assert.deepEqual(done, [
    ['select', { word }, true],
    ['point', { word }],
    ['point', undefined],
  ])
  const most = texts.linesNone.replace('{most}', '128')
  for (const none of [{ layer: undefined }, { keys: Array(129).fill('w') }])
    assert.equal((await shown({ ...view, ...none }))[0].text, most)
})
