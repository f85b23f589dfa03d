// Draws a heat map as SVG from data alone, also without a DOM. Loaded on demand.

import { drawMap } from './draw.js'
import { commonTexts, fill } from './element-texts.js'
import { layout } from './geometry.js'
import { mapOf, wantedOf } from './model-view.js'
import { svgOf } from './pictures.js'
import { Problem } from './tensor-input.js'

const FONT = { family: 'system-ui, sans-serif', fontSize: 13 }
/** The colours of the elements in light and dark mode. */
const LIGHT = {
  ink: '#000000',
  quiet: '#5b5f64',
  rule: '#d4d4ce',
  paper: '#ffffff',
  mark: '#000000',
  isDark: false,
  ...FONT,
}
const DARK = {
  ink: '#ffffff',
  quiet: '#a7abb0',
  rule: '#393c41',
  paper: '#121212',
  mark: '#ffffff',
  isDark: true,
  ...FONT,
}

/**
 * @param {import('./heatmap.js').HeatmapPicture} given
 * @returns {string}
 */
export function heatmapPicture({
  matrix,
  label = 'qkv-heatmap',
  isDark = false,
  width = 640,
  pinned,
  highlight,
  ...given
}) {
  const words = { ...commonTexts, ...given.texts }
  const style = isDark ? DARK : LIGHT
  try {
    const map = mapOf(
      {
        minus: undefined,
        mask: undefined,
        previous: undefined,
        scale: undefined,
        domain: undefined,
        rowTokens: [],
        columnTokens: [],
        decimals: 4,
        legend: true,
        ...given,
        matrix,
      },
      {
        rowTitle: given.rowTitle ?? words.queries,
        columnTitle: given.columnTitle ?? words.keys,
        hiddenWord: words.hidden,
      },
    )
    const arranged = layout(wantedOf(map, style, 560, width))
    /** @param {import('./drawing-backends.js').Backend} backend */
    const draw = backend => drawMap(backend, map, arranged, style, { pinned, highlight }, undefined)
    return svgOf({ width: arranged.width, height: arranged.height, draw }, style, label)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new TypeError(`heatmapSVG: ${fill(words[error.key], error.values)}`, { cause: error })
  }
}
