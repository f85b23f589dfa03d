// A notebook widget for anywidget (https://anywidget.dev). Shows attention weights, which the notebook's kernel sends as bytes: all heads
// as small maps, and the selected head as a large one.

import './heads.js'
import './heatmap.js'

/**
 * Data that the notebook's kernel sends. The widget sets `head` and `cell`.
 * @typedef {object} WidgetModel
 * @property {DataView} weights (H, L, S), float32, little endian
 * @property {readonly number[]} dims H, L, S
 * @property {readonly string[]} [query_tokens]
 * @property {readonly string[]} [key_tokens] default: query_tokens
 * @property {number} [head] index of the selected head
 * @property {{ row: number, column: number } | null} [cell] pinned cell
 */

/**
 * The methods of anywidget's model that are called here.
 * @typedef {object} Model
 * @property {<K extends keyof WidgetModel>(key: K) => WidgetModel[K]} get
 * @property {<K extends keyof WidgetModel>(key: K, value: WidgetModel[K]) => void} set
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off
 * @property {() => void} save_changes
 */

/** @typedef {(given: { model: Model, el: HTMLElement }) => () => void} Render draws the widget, and returns a function that removes it */

/** Reads float32 values at any byte alignment. @param {DataView | undefined} view */
function floats(view) {
  if (!view) return new Float32Array()
  const count = Math.floor(view.byteLength / 4)
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(4 * i, true))
}

/** @type {Render} */
function render({ model, el }) {
  const heads = document.createElement('qkv-heads')
  const map = document.createElement('qkv-heatmap')

  /** @type {{ data: Float32Array, dims: readonly number[] }} */
  let weights = { data: new Float32Array(), dims: [] }
  function show() {
    const [count = 0, rows = 0, columns = 0] = weights.dims
    const head = Math.min(Math.max(model.get('head') ?? 0, 0), count - 1)
    const size = rows * columns
    heads.weights = weights
    heads.selected = head
    map.matrix =
      weights.data.length === count * size && head >= 0
        ? { data: weights.data.subarray(head * size, (head + 1) * size), dims: [rows, columns] }
        : undefined
    map.rowTokens = model.get('query_tokens') ?? []
    map.columnTokens = model.get('key_tokens') ?? map.rowTokens
    map.pinned = model.get('cell') ?? undefined
  }
  function read() {
    weights = { data: floats(model.get('weights')), dims: Array.from(model.get('dims') ?? []) }
    show()
  }
  heads.addEventListener('head-select', ({ detail }) => {
    model.set('head', detail.head)
    model.save_changes()
    show()
  })
  map.addEventListener('cell-pin', ({ detail: { row, column } }) => {
    model.set('cell', { row, column })
    model.save_changes()
    show()
  })
  /** @type {[string, () => void][]} */
  const listeners = [
    ['change:weights', read],
    ['change:dims', read],
    ['change:query_tokens', show],
    ['change:key_tokens', show],
    ['change:head', show],
    ['change:cell', show],
  ]
  for (const [event, listener] of listeners) model.on(event, listener)
  read()
  el.append(heads, map)
  return () => {
    for (const [event, listener] of listeners) model.off(event, listener)
    heads.remove()
    map.remove()
  }
}

export default { render }
