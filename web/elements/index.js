// The views as custom elements: they take tensors and tokens as properties, emit events, and know nothing of a page.

import { QkvHeads } from './heads.js'
import { QkvHeatmap } from './heatmap.js'

export { headStatistics } from './statistics.js'
export { texts } from './texts.js'
export { QkvHeads, QkvHeatmap }

/** @type {[string, CustomElementConstructor][]} */
const elements = [
  ['qkv-heatmap', QkvHeatmap],
  ['qkv-heads', QkvHeads],
]
for (const [name, element] of elements) if (!customElements.get(name)) customElements.define(name, element)
