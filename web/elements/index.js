// The views as custom elements: they take tensors and tokens as properties, emit events, and know nothing of a page.

import { QkvHeads } from './heads.js'
import { QkvHeatmap } from './heatmap.js'
import { QkvLines } from './lines.js'
import { QkvTrace } from './trace.js'

export { QkvHeads } from './heads.js'
export { QkvHeatmap } from './heatmap.js'
export { QkvLines } from './lines.js'
export { headStatistics } from './statistics.js'
export { texts } from './texts.js'
export { QkvTrace } from './trace.js'

/** @typedef {import('./tensor.js').TensorLike} TensorLike */
/** @typedef {import('./texts.js').Texts} Texts */
/** @typedef {import('./statistics.js').HeadStatistics} HeadStatistics */

/** @type {[string, CustomElementConstructor][]} */
const elements = [
  ['qkv-heatmap', QkvHeatmap],
  ['qkv-heads', QkvHeads],
  ['qkv-lines', QkvLines],
  ['qkv-trace', QkvTrace],
]
for (const [name, element] of elements) if (!customElements.get(name)) customElements.define(name, element)
