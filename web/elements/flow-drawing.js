// A frame of the flow as a picture: columns of words, X, query, keys, scores, weights, values, output.

import { max } from 'd3-array'
import { paletteOf, stepOf } from './colour-scale.js'
import { isFrom, scalingOf } from './flow-frames.js'
import { write } from './number-text.js'
import { visible } from './pens.js'

/** @typedef {import('./flow-frames.js').Frame} Frame */
/** @typedef {import('./flow-frames.js').FlowRows} FlowRows */
/** @typedef {{ x: number, width: number }} Column */

/**
 * @typedef {object} Stage
 * @property {number} width
 * @property {number} height
 * @property {number} pitch between two rows
 * @property {number} top of the first key
 * @property {Record<'word' | 'x' | 'q' | 'k' | 'score' | 'weight' | 'v' | 'output', Column>} columns
 * @property {readonly number[]} shown the keys that have a row
 * @property {number} own the row of the query, among them; -1: above them, where the keys are other words
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
  word: column(0, 56),
  // One column is x, then the query, then the keys.
  x: column(60, 30),
  q: column(60, 30),
  k: column(60, 30),
  score: column(98, 48),
  weight: column(184, 40),
  v: column(262, 24),
  output: column(324, 24),
}
const TOP = 24
const MOST_ROWS = { wide: 20, narrow: 8 }
/** Up to so many keys, each has a row; of more, the largest weights have one. */
const MOST_KEYS = { wide: 60, narrow: 9 }
const MOST_CELLS = 48

/**
 * Where everything stands.
 * @param {FlowRows} rows
 * @param {number} query
 * @param {number} width that there is
 * @param {boolean} isCross are the keys other words than the queries?
 * @returns {Stage}
 */
export function stageOf({ weights }, query, width, isCross) {
  const isNarrow = width < 700
  const form = isNarrow ? 'narrow' : 'wide'
  const S = weights.length
  const all = Array.from({ length: S }, (_, key) => key)
  const isAll = S <= MOST_KEYS[form]
  const largest = [...all].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_ROWS[form])
  if (!isAll && !isCross && !largest.includes(query)) largest[largest.length - 1] = query
  const shown = isAll ? all : largest.sort((a, b) => a - b)
  const count = Math.max(shown.length + (isAll ? 0 : 1), 1) + (isCross ? 1 : 0)
  const pitch = isNarrow ? Math.min(36, Math.floor(324 / count)) : Math.min(44, Math.floor(400 / count))
  const given = isNarrow ? NARROW : WIDE
  const fit = Math.min(1, width / (given.output.x + given.output.width))
  const columns = /** @type {Stage['columns']} */ (
    Object.fromEntries(Object.entries(given).map(([name, own]) => [name, column(own.x * fit, own.width * fit)]))
  )
  const end = columns.output.x + columns.output.width
  const own = isCross ? -1 : Math.max(0, shown.indexOf(query))
  const top = TOP + (isCross ? pitch : 0)
  return { width: end + 8, height: TOP + count * pitch + 4, pitch, top, columns, shown, own, isNarrow }
}

/** A number that can be grabbed: a weight or a score of a key, or a number of x. @typedef {{ part: 'weight' | 'score' | 'x', index: number }} Grabbed */

/**
 * The number at a point of the picture.
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 * @returns {Grabbed | undefined}
 */
export function partAt({ columns, pitch, top, shown, own, isNarrow }, { embedding }, frame, x, y) {
  const isIn = (/** @type {Column} */ column) => x >= column.x && x < column.x + column.width
  const row = (y - top) / pitch
  const hasX = embedding && embedding.length <= MOST_CELLS && !(isNarrow && isFrom(frame, 'query'))
  if (hasX && isIn(columns.x) && Math.abs(row - own - 0.5) < 0.5)
    return { part: 'x', index: Math.floor(((x - columns.x.x) / columns.x.width) * embedding.length) }
  const index = shown[Math.floor(row)]
  if (index === undefined) return undefined
  if (isIn(columns.weight) && isFrom(frame, 'softmax')) return { part: 'weight', index }
  return isIn(columns.score) && isFrom(frame, 'scores') ? { part: 'score', index } : undefined
}

/** At most so many cells: of more, each stands for several, and shows the largest of them. @param {ArrayLike<number>} row @returns {number[]} */
export function pooled(row) {
  const size = Math.ceil(row.length / MOST_CELLS)
  return Array.from({ length: Math.ceil(row.length / size) }, (_, i) => {
    const cells = Array.from({ length: Math.min(size, row.length - i * size) }, (_, j) => row[i * size + j])
    return cells.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most))
  })
}

/** What the column of the scores shows in a frame. @param {FlowRows} rows @param {Frame} frame */
export function scoreTitle(rows, frame) {
  if (frame.step === 'exponentials') return 'exponential'
  const scaling = isFrom(frame, 'scale') ? scalingOf(rows) : undefined
  return scaling ? `score.${scaling}` : 'score'
}

/** The largest magnitude. @param {ArrayLike<number>} numbers */
export const reachOf = numbers => max(Array.from(numbers), x => (Number.isFinite(x) ? Math.abs(x) : 0)) || 1

/**
 * @param {import('./pens.js').Pen} pen
 * @param {Stage} stage
 * @param {FlowRows} rows
 * @param {Frame} frame
 * @param {object} given
 * @param {readonly string[]} given.words of the keys
 * @param {string} given.query its word
 * @param {import('./draw.js').Style} given.style
 * @param {Record<string, string>} given.titles of the columns
 * @param {(key: number) => ArrayLike<number> | undefined} given.partial the sum of the values so far, where it is known
 */
export function drawFlow(pen, stage, rows, frame, given) {
  const { columns, pitch, top, shown, own, isNarrow } = stage
  const { ink, quiet, mark, rule, isDark } = given.style
  const { colours: signed, inks } = paletteOf('diverging', isDark)
  const share = paletteOf('sequential', isDark).colours[isDark ? 190 : 205]
  const size = Math.min(13, pitch * 0.75)
  const middle = (/** @type {number} */ row) => top + (row + 0.5) * pitch
  const thick = Math.max(2, Math.min(18, pitch - 6))
  const ownY = middle(own)

  /** @param {ArrayLike<number>} numbers @param {Column} column @param {number} y @param {number} reach */
  const strip = (numbers, { x, width }, y, reach, isFaint = false) => {
    const cells = pooled(numbers)
    const cell = width / cells.length
    const isWritten = cell >= 44 && pitch >= 28
    cells.forEach((value, i) => {
      const step = stepOf(value, [-reach, reach])
      const colour = isFaint ? rule : signed[step]
      pen.fill(x + i * cell, y - thick / 2, Math.max(cell - (cell > 4 ? 1 : 0), 0.5), thick, colour)
      if (isWritten)
        pen.text(write(value, 2), x + (i + 0.5) * cell, y, {
          size: 11,
          fill: isFaint ? ink : inks[step],
          align: 'center',
        })
    })
  }
  /** @param {Column} from @param {number} y0 @param {Column} to @param {number} y1 @param {number} width */
  const strand = (from, y0, to, y1, width, stroke = quiet) =>
    pen.link(from.x + from.width + 2, y0, to.x - 2, y1, { stroke, width, opacity: 0.6 })

  const isAsked = isFrom(frame, 'query')
  const hasKeys = isFrom(frame, 'keys')
  /** @type {('x' | 'q' | 'k')[]} */
  const firsts = isNarrow ? [hasKeys ? 'k' : isAsked ? 'q' : 'x'] : ['x', 'q', 'k']
  for (const name of /** @type {const} */ ([...firsts, 'score', 'weight', 'v']))
    pen.text(given.titles[name === 'score' ? scoreTitle(rows, frame) : name], columns[name].x, 9, {
      size: 11,
      fill: quiet,
      most: 96,
    })
  const { output } = columns
  pen.text(given.titles.output, output.x + output.width, 9, { size: 11, fill: quiet, align: 'right' })

  const isScaled = isFrom(frame, 'scale') && rows.scaled
  const scores = isScaled ? (rows.scaled ?? rows.scores) : rows.scores
  const reach = {
    x: reachOf(rows.embedding ?? []),
    q: reachOf(rows.query),
    k: reachOf(rows.keys.data),
    v: reachOf(rows.values.data),
    score: reachOf(rows.scores),
    output: reachOf(rows.output),
    exponential: reachOf(rows.exponentials ?? []),
  }
  const [, d] = rows.keys.dims
  const [, e] = rows.values.dims
  const passed = new Set(frame.done)

  shown.forEach((key, i) => {
    const y = middle(i)
    const isHidden = rows.isHidden(key)
    const isOwn = frame.key === key || (frame.step === 'word' && i === own)
    const fill = isOwn || frame.step !== 'word' ? (isHidden && isFrom(frame, 'mask') ? quiet : ink) : quiet
    if (pitch >= 11 || isOwn || frame.words?.includes(key))
      pen.text(visible(given.words[key]), columns.word.x, y, {
        size: Math.max(size, 9),
        fill,
        weight: isOwn ? 650 : 400,
        most: columns.word.width,
      })
    if (hasKeys) {
      strip(part(rows.keys.data, key, d), columns.k, y, reach.k)
      strip(part(rows.values.data, key, e), columns.v, y, reach.v, !isFrom(frame, 'softmax') && frame.step !== 'keys')
    }
    bars(key, y, isHidden)
  })
  const isApart = own < 0
  if (isApart) {
    pen.text(given.query, columns.word.x, ownY, {
      size: Math.max(size, 9),
      fill: ink,
      weight: 650,
      most: columns.word.width,
    })
    pen.fill(0, top - 0.5, output.x + output.width, 1, rule)
  }
  if (rows.embedding && !(isNarrow && isAsked)) strip(rows.embedding, columns.x, ownY, reach.x)
  if (frame.step === 'query' && rows.embedding && !isNarrow) strand(columns.x, ownY, columns.q, ownY, 3)
  const asking = shown.indexOf(frame.key ?? -1)
  if (frame.step === 'scores' && asking >= 0) {
    // The query stands over the key that it is multiplied with.
    const y = middle(asking)
    strip(rows.query, columns.k, y - Math.min(thick, pitch / 2), reach.q)
    pen.frame(columns.k.x - 2, y - pitch / 2, columns.k.width + 4, pitch, { stroke: mark })
  } else if (isAsked && !isNarrow) strip(rows.query, columns.q, ownY, reach.q)
  else if (isAsked && (!hasKeys || isApart)) strip(rows.query, columns.q, ownY, reach.q)

  if (isFrom(frame, 'values')) {
    for (const [i, key] of shown.entries()) {
      const weight = rows.weights[key]
      if (!(weight > 0.001) || (frame.step === 'values' && !passed.has(key))) continue
      strand(columns.v, middle(i), columns.output, ownY, Math.max(0.75, weight * 14), share)
    }
    const sum = frame.step === 'output' || frame.isWhole ? rows.output : given.partial(passed.size)
    if (sum) strip(sum, columns.output, ownY, reach.output)
  }

  /** The bars of a key: score or exponential, and weight. @param {number} key @param {number} y @param {boolean} isHidden */
  function bars(key, y, isHidden) {
    const { score, weight } = columns
    const zero = score.x + score.width / 2
    const half = score.width / 2
    const height = Math.max(2, thick * 0.7)
    const isThere = (frame.step !== 'scores' && isFrom(frame, 'scores')) || (frame.step === 'scores' && passed.has(key))
    if (isThere && isHidden && isFrom(frame, 'mask'))
      pen.hatch(score.x, y - height / 2, score.width, height, { ground: given.style.paper, line: quiet })
    else if (isThere && frame.step === 'exponentials' && rows.exponentials)
      pen.fill(
        score.x,
        y - height / 2,
        Math.max(0.5, (rows.exponentials[key] / reach.exponential) * score.width),
        height,
        share,
      )
    else if (isThere) {
      const length = (scores[key] / reach.score) * half
      if (frame.step === 'scale') {
        const old = (rows.scores[key] / reach.score) * half
        pen.frame(Math.min(zero, zero + old), y - height / 2, Math.abs(old), height, { stroke: rule })
      }
      const colour = signed[stepOf(scores[key], [-reach.score, reach.score])]
      if (Number.isFinite(length))
        pen.fill(Math.min(zero, zero + length), y - height / 2, Math.max(Math.abs(length), 0.5), height, colour)
    }
    if (isThere && pitch >= 16 && !(isHidden && isFrom(frame, 'mask'))) {
      const value = frame.step === 'exponentials' && rows.exponentials ? rows.exponentials[key] : scores[key]
      pen.text(write(value, 2), score.x + score.width + 4, y, { size: 10, fill: quiet, most: 34 })
    }
    if (!isFrom(frame, 'softmax') || isHidden) return
    const value = rows.weights[key]
    pen.fill(weight.x, y - height / 2, Math.max(value * weight.width, 0.5), height, share)
    if (frame.key === key && frame.step === 'values')
      pen.frame(weight.x - 2, y - pitch / 2, weight.width + 4, pitch, { stroke: mark })
    if (pitch >= 16) pen.text(write(value, 2), weight.x + weight.width + 4, y, { size: 10, fill: quiet, most: 34 })
  }
}

/** A row. @param {ArrayLike<number>} data @param {number} row @param {number} size */
const part = (data, row, size) => Array.from({ length: size }, (_, i) => data[row * size + i])
