// Exports the lines of heads as a picture. Loaded on demand.

import { pngOf, svgOf } from '../elements/pictures.js'

/** In pixels: row height, width of the words, space between the columns, height of the legend. */
const [ROW, WORDS, BETWEEN, LEGEND] = [26, 150, 400, 36]

/**
 * @param {{ queries: readonly string[], keys: readonly string[], lines: readonly import('./line-paths.js').LinePath[], names: readonly { name: string, colour: string, dash: number[] }[], heads: readonly number[] }} lines
 * @param {import('../elements/draw.js').Style} style
 * @returns {import('../elements/pictures.js').Picture}
 */
function pictureOf({ queries, keys, lines, names, heads }, { ink, paper }) {
  const height = LEGEND + Math.max(queries.length, keys.length) * ROW + ROW / 2
  const y = (/** @type {number} */ row) => LEGEND + (row + 0.5) * ROW
  return {
    width: 2 * WORDS + BETWEEN,
    height,
    draw(backend) {
      backend.fill(0, 0, 2 * WORDS + BETWEEN, height, paper)
      let x = WORDS
      for (const head of heads) {
        backend.fill(x, 12, 12, 12, names[head].colour)
        backend.text(names[head].name, x + 18, 18, { fill: ink })
        x += 40 + 7 * names[head].name.length
      }
      for (const { head, opacity, pairs } of lines)
        for (let i = 0; i < pairs.length; i += 2)
          backend.line([WORDS, y(pairs[i]), WORDS + BETWEEN, y(pairs[i + 1])], {
            stroke: names[head].colour,
            width: 2,
            opacity,
            dash: names[head].dash,
          })
      queries.forEach((word, row) => {
        backend.text(word, WORDS - 8, y(row), { size: 14, fill: ink, align: 'right', most: WORDS - 16 })
      })
      keys.forEach((word, row) => {
        backend.text(word, WORDS + BETWEEN + 8, y(row), { size: 14, fill: ink, most: WORDS - 16 })
      })
    },
  }
}

/** @param {Parameters<typeof pictureOf>[0]} lines @param {import('../elements/draw.js').Style} style @param {string} title */
export const toSVG = (lines, style, title) => svgOf(pictureOf(lines, style), style, title)

/** @param {Parameters<typeof pictureOf>[0]} lines @param {import('../elements/draw.js').Style} style */
export const toPNG = (lines, style) => pngOf(pictureOf(lines, style), style, 2)
