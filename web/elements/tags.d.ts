// Maps tag names to element classes, so that document.createElement returns the right type.

import type { QkvDeepMap } from './deep-map.js'
import type { QkvFlow } from './flow.js'
import type { QkvHeads } from './heads.js'
import type { QkvHeatmap } from './heatmap.js'
import type { QkvTrace } from './trace.js'

declare global {
  interface HTMLElementTagNameMap {
    'qkv-deep-map': QkvDeepMap
    'qkv-flow': QkvFlow
    'qkv-heads': QkvHeads
    'qkv-heatmap': QkvHeatmap
    'qkv-trace': QkvTrace
  }
}
