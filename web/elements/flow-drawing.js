// Draws a frame of the flow: columns of words, X, query, keys, scores, weights, values, output.

import { max } from 'd3-array'
import { paletteOf, stepOf } from './colour-scale.js'
import { visible } from './drawing-backends.js'
import { isFrom, scalingOf } from './flow-frames.js'
import { write } from './number-text.js'

/** @import { FlowRows, Frame } from './flow-frames.js' */
/** @typedef {{ x: number, width: number }} Column */

/**
 * @typedef {object} Stage
 * @property {number} width
 * @property {number} height
 * @property {number} pitch distance between rows
 * @property {number} top position of the first key
 * @property {Record<'word' | 'x' | 'q' | 'k' | 'score' | 'weight' | 'v' | 'output', Column>} columns
 * @property {readonly number[]} shown keys that have a row
 * @property {{ count: number, weight: number } | undefined} rest number of keys without a row, and the sum of their weights
 * @property {number} own row of the query: that of the key with the same word; -1, above all keys, if keys and queries are different words
 * @property {boolean} isNarrow
 */

/** @param {number} x @param {number} width @returns {Column} */
const column = (x, width) => ({ x, width })
const WIDE = {
  word: column(0, 88),
  x: column(96, 48),
  q: column(184, 48),
  k: column(264, 48),
  score: column(352, 96),
  weight: column(488, 96),
  v: column(624, 48),
  output: column(720, 48),
}
const NARROW = {
  word: column(0, 58),
  // In the narrow layout, x, the query and the keys share one column.
  x: column(60, 30),
  q: column(60, 30),
  k: column(60, 30),
  score: column(98, 48),
  weight: column(184, 40),
  v: column(262, 24),
  output: column(324, 24),
}
const TOP = 24
/** Minimum font size of words in pixels. */
export const SMALLEST_WORD = 10
/** Width of a number after a bar, in pixels. */
const NUMBER = 40
/** Minimum width of the wide layout in pixels: less than the space beside an inspector, more than a phone. */
const LEAST_WIDE = 560
const MOST_ROWS = { wide: 20, narrow: 8 }
/** Maximum number of keys that all have a row. Of more keys, only the MOST_ROWS with the largest weights have one. */
const MOST_KEYS = { wide: 60, narrow: 9 }
/** Minimum row height in pixels to label every row, and number of largest weights that are labelled in lower rows. */
const [LEAST_LABEL, MOST_LABELS] = [11, 5]
/** Maximum number of cells per vector; in a longer vector, each cell represents several numbers. */
export const MOST_CELLS = 48

/**
 * Lays out the picture.
 * @param {FlowRows} rows
 * @param {number} query
 * @param {number} width available width
 * @param {boolean} isCross True if the keys are other words than the queries
 * @returns {Stage}
 */
export function stageOf({ weights }, query, width, isCross) {
  const isNarrow = width < LEAST_WIDE
  const form = isNarrow ? 'narrow' : 'wide'
  const S = weights.length
  const all = Array.from({ length: S }, (_, key) => key)
  const isAll = S <= MOST_KEYS[form]
  const largest = [...all].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_ROWS[form])
  if (!isAll && !isCross && !largest.includes(query)) largest[largest.length - 1] = query
  const shown = isAll ? all : largest.sort((a, b) => a - b)
  const rest = isAll ? undefined : { count: S - shown.length, weight: otherThan(weights, shown) }
  const count = Math.max(shown.length + (rest ? 1 : 0), 1) + (isCross ? 1 : 0)
  const pitch = isNarrow ? Math.min(36, Math.floor(324 / count)) : Math.min(44, Math.floor(400 / count))
  const given = isNarrow ? NARROW : WIDE
  const fit = Math.min(1, width / (given.output.x + given.output.width))
  const columns = /** @type {Stage['columns']} */ (
    Object.fromEntries(
      Object.entries(given).map(([name, own]) => {
        // Reserve space for the numbers after the bars, whose font does not shrink with the columns.
        const room = name === 'score' || name === 'weight' ? (1 - fit) * NUMBER : 0
        return [name, column(own.x * fit, own.width * fit - room)]
      }),
    )
  )
  const end = columns.output.x + columns.output.width
  const own = isCross ? -1 : Math.max(0, shown.indexOf(query))
  const top = TOP + (isCross ? pitch : 0)
  return { width: end + 8, height: TOP + count * pitch + 4, pitch, top, columns, shown, rest, own, isNarrow }
}

/** Returns the total weight of the keys that are not shown. @param {ArrayLike<number>} weights @param {readonly number[]} shown */
const otherThan = (weights, shown) =>
  Array.from(weights).reduce((sum, weight, key) => (shown.includes(key) ? sum : sum + weight), 0)

/**
 * A number that can be clicked or dragged. `index`: of the key for a weight or score, else of the number in its vector; `key`: the key
 * whose k or v contains the number.
 * @typedef {{ part: 'weight' | 'score' | 'x' | 'q' | 'k' | 'v', index: number, key?: number }} Grabbed
 */

/**
 * Returns the number at a point of the picture.
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 * @returns {Grabbed | undefined}
 */
export function partAt({ columns, pitch, top, shown, own, isNarrow }, rows, frame, x, y) {
  const isIn = (/** @type {Column} */ column) => x >= column.x && x < column.x + column.width
  const row = Math.floor((y - top) / pitch)
  const { embedding, query, keys, values } = rows
  const index = shown[row]
  /** Returns the number at the point (x, y), if the strip of this vector contains it. @param {'x' | 'q' | 'k' | 'v'} part @param {number} size @param {number} [key] @returns {Grabbed | undefined} */
  const cell = (part, size, key) =>
    isIn(columns[part]) && size <= MOST_CELLS
      ? { part, index: Math.floor(((x - columns[part].x) / columns[part].width) * size), key }
      : undefined
  const hasKeys = isFrom(frame, 'keys')
  const isAsked = isFrom(frame, 'query')
  if (row === own) {
    const found = embedding
      ? !(isNarrow && isAsked) && cell('x', embedding.length)
      : isAsked && !(isNarrow && hasKeys) && cell('q', query.length)
    if (found) return found
  }
  if (index === undefined) return undefined
  const found = !embedding && hasKeys && (cell('k', keys.dims[1], index) ?? cell('v', values.dims[1], index))
  if (found) return found
  if (isIn(columns.weight) && isFrom(frame, 'softmax')) return { part: 'weight', index }
  return isIn(columns.score) && isFrom(frame, 'scores') ? { part: 'score', index } : undefined
}

/** Pools a row into at most MOST_CELLS cells, each showing the number of largest magnitude. @param {ArrayLike<number>} row @returns {number[]} */
export function pooled(row) {
  const size = Math.ceil(row.length / MOST_CELLS)
  return Array.from({ length: Math.ceil(row.length / size) }, (_, i) => {
    const cells = Array.from({ length: Math.min(size, row.length - i * size) }, (_, j) => row[i * size + j])
    return cells.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most))
  })
}

/** Returns the text key of the score column's title in a frame. @param {FlowRows} rows @param {Frame} frame */
export function scoreTitle(rows, frame) {
  if (frame.step === 'exponentials') return 'exponential'
  const scaling = isFrom(frame, 'scale') ? scalingOf(rows) : undefined
  return scaling ? `score.${scaling}` : 'score'
}

/** Returns the largest finite magnitude; 1 if there is none above 0. @param {ArrayLike<number>} numbers */
export const reachOf = numbers => max(Array.from(numbers), x => (Number.isFinite(x) ? Math.abs(x) : 0)) || 1

/**
 * @typedef {object} FlowGiven
 * @property {readonly string[]} words labels of the keys
 * @property {string} query label of the query
 * @property {import('./draw.js').Style} style
 * @property {Record<string, string>} titles of the columns
 * @property {(count: number) => ArrayLike<number> | undefined} partial returns the sum of the `count`
 *   weighted values with the largest weights; undefined if unknown
 * @property {(count: number, weight?: number) => string} rest text about the keys without a row
 * @property {{ index: number, from: number }} [dragged] the weight being dragged, and its initial value
 */

/** @typedef {ReturnType<typeof brushOf>} Brush */

/**
 * @param {import('./drawing-backends.js').Backend} backend
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {FlowGiven} given
 */
export function drawFlow(backend, stage, rows, frame, given) {
  const brush = brushOf(backend, stage, rows, given.style)
  drawTitles(backend, stage, rows, frame, given)
  const named = namedOf(stage, rows, frame)
  stage.shown.forEach((key, i) => {
    drawKey(brush, stage, rows, frame, given, i, named.has(key))
    drawScore(brush, stage, rows, frame, key, brush.middle(i))
    drawWeight(brush, stage, rows, frame, key, brush.middle(i), given)
  })
  drawRest(brush, stage, frame, given)
  drawQuery(brush, stage, rows, frame, given)
  if (isFrom(frame, 'values')) drawSum(brush, stage, rows, frame, given)
}

/**
 * Returns the keys to label: all that have a row, if rows are high enough. Otherwise these are the keys that the frame is about, the query,
 * and the keys with the largest weights; those whose label would overlap are left out.
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @returns {ReadonlySet<number>}
 */
function namedOf({ pitch, shown, own }, { weights }, { key = -1, words = [] }) {
  if (pitch >= LEAST_LABEL) return new Set(shown)
  const largest = [...shown].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_LABELS)
  /** @type {Set<number>} */
  const named = new Set()
  for (const each of [key, ...words, shown[own] ?? -1, ...largest]) {
    const row = shown.indexOf(each)
    const isFree = [...named].every(other => Math.abs(shown.indexOf(other) - row) * pitch >= LEAST_LABEL)
    if (row >= 0 && isFree) named.add(each)
  }
  return named
}

/**
 * Returns sizes, colours and drawing functions that all parts of the picture use.
 * @param {import('./drawing-backends.js').Backend} backend
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {import('./draw.js').Style} style
 */
function brushOf(backend, { pitch, top, isNarrow }, rows, style) {
  const { ink, quiet, rule, isDark } = style
  const { colours: signed, inks } = paletteOf('diverging', isDark)
  const share = paletteOf('sequential', isDark).colours[isDark ? 190 : 205]
  const thick = Math.max(2, Math.min(isNarrow ? 18 : 24, pitch - 6))
  return {
    backend,
    style,
    /** Colour of the weights. */
    share,
    thick,
    /** Font size of words. */
    size: Math.max(Math.min(isNarrow ? 12 : 15, pitch * 0.75), 9),
    /** Font size of numbers after bars. */
    numberSize: isNarrow ? SMALLEST_WORD : 11,
    /** Largest magnitude in each column of the picture, to which the column's colours or bars are scaled. */
    reach: {
      x: reachOf(rows.embedding ?? []),
      q: reachOf(rows.query),
      k: reachOf(rows.keys.data),
      v: reachOf(rows.values.data),
      score: reachOf(rows.scores),
      output: reachOf(rows.output),
      exponential: reachOf(rows.exponentials ?? []),
    },
    /** @param {number} row */
    middle: row => top + (row + 0.5) * pitch,
    /** Returns the colour of a number. @param {number} value @param {number} reach */
    colourOf: (value, reach) => signed[stepOf(value, [-reach, reach])],
    /**
     * Draws a vector as a strip of at most MOST_CELLS cells, with a frame that keeps values near 0 visible.
     * @param {ArrayLike<number>} numbers
     * @param {Column} column
     * @param {number} y
     * @param {number} reach
     */
    strip(numbers, { x, width }, y, reach, isFaint = false, high = thick) {
      const cells = pooled(numbers)
      const cell = width / cells.length
      const isWritten = cell >= 44 && pitch >= 28
      cells.forEach((value, i) => {
        const step = stepOf(value, [-reach, reach])
        const colour = isFaint ? rule : signed[step]
        backend.fill(x + i * cell, y - high / 2, Math.max(cell - (cell > 4 ? 1 : 0), 0.5), high, colour)
        const fill = isFaint ? ink : inks[step]
        if (isWritten)
          backend.text(write(value, 2), x + (i + 0.5) * cell, y, { size: isNarrow ? 11 : 12, fill, align: 'center' })
      })
      if (high > 4) backend.frame(x - 0.5, y - high / 2 - 0.5, width, high + 1, { stroke: rule })
    },
    /** Thickness of the two strips in a row that shows the query above the key. */
    half: Math.min(thick, pitch / 2 - 2),
    /** @param {Column} from @param {number} y0 @param {Column} to @param {number} y1 @param {number} width */
    strand: (from, y0, to, y1, width, stroke = quiet) =>
      backend.link(from.x + from.width + 2, y0, to.x - 2, y1, { stroke, width, opacity: 0.6 }),
  }
}

/**
 * Draws the column titles.
 * @param {import('./drawing-backends.js').Backend} backend
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {FlowGiven} given
 */
function drawTitles(backend, { columns, isNarrow }, rows, frame, { titles, style }) {
  const fill = style.quiet
  const size = isNarrow ? 11 : 13
  const first = isFrom(frame, 'keys') ? 'k' : isFrom(frame, 'query') ? 'q' : 'x'
  /** @type {('x' | 'q' | 'k' | 'score' | 'weight' | 'v')[]} */
  const names = isNarrow ? [first, 'score', 'weight', 'v'] : ['x', 'q', 'k', 'score', 'weight', 'v']
  for (const name of names) {
    const title = titles[name === 'score' ? scoreTitle(rows, frame) : name]
    backend.text(title, columns[name].x, 9, { size, fill, most: 96 })
  }
  const { output } = columns
  const isPartial = frame.step === 'values' && !frame.isWhole
  backend.text(isPartial ? titles.partial : titles.output, output.x + output.width, 9, {
    size,
    fill,
    align: 'right',
  })
}

/** Returns a word with its gloss, or the word alone if there is no space for both. @param {string} text @param {number} size @param {number} most maximum width in pixels */
function labelOf(text, size, most) {
  const em = Array.from(text).reduce((sum, letter) => sum + (letter < '\u2e80' ? 0.6 : 1), 0)
  return em * size > most ? text.replace(/(?<=\S)\s.*/, '') : text
}

/** Formats with as many decimals as fit after a bar. @param {number} value */
const behindBar = value => write(value, Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0)

/**
 * Draws the word of a key, its key vector and its value vector.
 * @param {Brush} brush
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {FlowGiven} given
 * @param {number} i index of the key's row
 * @param {boolean} isNamed True to draw the word
 */
function drawKey(
  { backend, style, size, reach, middle, strip, half },
  { columns, shown, own },
  rows,
  frame,
  { words },
  i,
  isNamed,
) {
  const { ink, quiet } = style
  const key = shown[i]
  const y = middle(i)
  const isHidden = rows.isHidden(key) && isFrom(frame, 'mask')
  const isOwn = frame.key === key || (frame.step === 'word' && i === own)
  const fill = (isOwn || frame.step !== 'word') && !isHidden ? ink : quiet
  const weight = isOwn ? 650 : 400
  const most = columns.word.width
  if (isNamed) backend.text(labelOf(visible(words[key]), size, most), columns.word.x, y, { size, fill, weight, most })
  if (!isFrom(frame, 'keys')) return
  const [, d] = rows.keys.dims
  const [, e] = rows.values.dims
  const isAsked = frame.step === 'scores' && frame.key === key
  if (isAsked) strip(part(rows.keys.data, key, d), columns.k, y + half / 2, reach.k, false, half)
  else strip(part(rows.keys.data, key, d), columns.k, y, reach.k)
  strip(part(rows.values.data, key, e), columns.v, y, reach.v, !isFrom(frame, 'softmax') && frame.step !== 'keys')
}

/**
 * Draws the bar of a score, or of its exponential.
 * @param {Brush} brush
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {number} key
 * @param {number} y
 */
function drawScore(
  { backend, style, share, thick, reach, colourOf, numberSize },
  { columns, pitch },
  rows,
  frame,
  key,
  y,
) {
  const { step, done } = frame
  const isThere = step === 'scores' ? done.includes(key) : isFrom(frame, 'scores')
  if (!isThere) return
  const { quiet, rule, paper } = style
  const { x, width } = columns.score
  const height = Math.max(2, thick * 0.7)
  const top = y - height / 2
  if (rows.isHidden(key) && isFrom(frame, 'mask'))
    return backend.hatch(x, top, width, height, { ground: paper, line: quiet })
  const scores = (isFrom(frame, 'scale') && rows.scaled) || rows.scores
  const exponentials = step === 'exponentials' ? rows.exponentials : undefined
  if (exponentials) backend.fill(x, top, Math.max(0.5, (exponentials[key] / reach.exponential) * width), height, share)
  else {
    const zero = x + width / 2
    const lengthOf = (/** @type {number} */ score) => (score / reach.score) * (width / 2)
    const length = lengthOf(scores[key])
    const old = lengthOf(rows.scores[key])
    if (step === 'scale') backend.frame(Math.min(zero, zero + old), top, Math.abs(old), height, { stroke: rule })
    const colour = colourOf(scores[key], reach.score)
    if (Number.isFinite(length))
      backend.fill(Math.min(zero, zero + length), top, Math.max(Math.abs(length), 0.5), height, colour)
  }
  const value = (exponentials ?? scores)[key]
  if (pitch >= 16) backend.text(behindBar(value), x + width + 4, y, { size: numberSize, fill: quiet, most: 36 })
}

/**
 * Draws the bar of a weight. While the weight is dragged, an outline shows the length of the bar before the drag.
 * @param {Brush} brush
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {number} key
 * @param {number} y
 * @param {FlowGiven} given
 */
function drawWeight(
  { backend, style, share, thick, numberSize },
  { columns, pitch },
  rows,
  frame,
  key,
  y,
  { dragged },
) {
  if (!isFrom(frame, 'softmax') || rows.isHidden(key)) return
  const { mark, quiet } = style
  const { x, width } = columns.weight
  const height = Math.max(2, thick * 0.7)
  const value = rows.weights[key]
  backend.fill(x, y - height / 2, Math.max(value * width, 0.5), height, share)
  if (dragged?.index === key) backend.frame(x, y - height / 2, dragged.from * width, height, { stroke: quiet })
  if (frame.key === key && frame.step === 'values')
    backend.frame(x - 2, y - pitch / 2, width + 4, pitch, { stroke: mark })
  if (pitch >= 16) backend.text(behindBar(value), x + width + 4, y, { size: numberSize, fill: quiet, most: 36 })
}

/** Draws the number of keys without a row, and the sum of their weights. @param {Brush} brush @param {Stage} stage @param {Frame} frame @param {FlowGiven} given */
function drawRest({ backend, style, size, thick, middle, numberSize }, { columns, pitch, shown, rest }, frame, given) {
  if (!rest) return
  const fill = style.quiet
  const y = middle(shown.length)
  const isWeighed = isFrom(frame, 'softmax')
  const { x, width } = columns.weight
  backend.text(given.rest(rest.count, isWeighed ? rest.weight : undefined), 0, y, {
    size,
    fill,
    most: columns.weight.x - 8,
  })
  if (!isWeighed) return
  const height = Math.max(2, thick * 0.7)
  backend.fill(x, y - height / 2, Math.max(rest.weight * width, 0.5), height, style.rule)
  if (pitch >= 16) backend.text(write(rest.weight, 2), x + width + 4, y, { size: numberSize, fill, most: 36 })
}

/** Draws the word of the query, its x and its query vector. @param {Brush} brush @param {Stage} stage @param {FlowRows} rows @param {Frame} frame @param {FlowGiven} given */
function drawQuery({ backend, style, size, half, reach, middle, strip, strand }, stage, rows, frame, { query }) {
  const { columns, pitch, top, shown, own, isNarrow } = stage
  const { ink, mark, rule } = style
  const y = middle(own)
  const isAsked = isFrom(frame, 'query')
  const isApart = own < 0
  if (isApart) {
    const most = columns.word.width
    backend.text(labelOf(query, size, most), columns.word.x, y, { size, fill: ink, weight: 650, most })
    backend.fill(0, top - 0.5, columns.output.x + columns.output.width, 1, rule)
  }
  if (rows.embedding && !(isNarrow && isAsked)) strip(rows.embedding, columns.x, y, reach.x)
  if (frame.step === 'query' && rows.embedding && !isNarrow) strand(columns.x, y, columns.q, y, 3)
  const asking = shown.indexOf(frame.key ?? -1)
  if (frame.step === 'scores' && asking >= 0) {
    // Draw the query above the key it is multiplied with.
    const at = middle(asking)
    strip(rows.query, columns.k, at - half / 2, reach.q, false, half)
    backend.frame(columns.k.x - 2, at - pitch / 2, columns.k.width + 4, pitch, { stroke: mark })
  } else if (isAsked && (!isNarrow || !isFrom(frame, 'keys') || isApart)) strip(rows.query, columns.q, y, reach.q)
}

/**
 * Draws strands from the values to the output, each as wide as its weight, and the output vector.
 * @param {Brush} brush
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {FlowGiven} given
 */
function drawSum({ share, reach, middle, strip, strand }, { columns, shown, own, rest }, rows, frame, { partial }) {
  const y = middle(own)
  const thickOf = (/** @type {number} */ weight) => Math.max(0.75, weight * 14)
  const passed = new Set(frame.done)
  for (const [i, key] of shown.entries()) {
    const weight = rows.weights[key]
    if (!(weight > 0.001) || (frame.step === 'values' && !passed.has(key))) continue
    strand(columns.v, middle(i), columns.output, y, thickOf(weight), share)
  }
  if (rest && (frame.isWhole || frame.step === 'output'))
    strand(columns.v, middle(shown.length), columns.output, y, thickOf(rest.weight))
  const sum = frame.step === 'output' || frame.isWhole ? rows.output : partial(passed.size)
  if (sum) strip(sum, columns.output, y, reach.output)
}

/** Returns a row. @param {ArrayLike<number>} data @param {number} row @param {number} size */
const part = (data, row, size) => Array.from({ length: size }, (_, i) => data[row * size + i])
