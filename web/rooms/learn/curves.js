// The curves of a run as SVG: accuracy, scores of each head, and loss over the steps; optionally with a second run.

import { group } from 'd3-array'
import { html, nothing, svg } from 'lit'
import { headName } from '../../attention-head/changes.js'
import { linearScale } from '../../elements/linear-scale.js'
import { differsFromDefaults, isFresh } from './fields.js'
import { EVERY } from './snapshots.js'
import { TASKS } from './tasks/index.js'

/** @import { Context, LearnKey, RunInfo } from './learn.js' */
/** @import { Point } from './watched-run.js' */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 180, 34, 14, 14, 22]
/** Kinds of scores of a head: its weight on the previous token, and on the position of the answer. @type {('previous' | 'answer')[]} */
const LOOKS = ['previous', 'answer']
/** Number of heads named in the legend. */
const NAMED = 4
/** A rise by RISE within WITHIN evaluations counts as a jump. */
const [RISE, WITHIN] = [0.35, 5]

/**
 * @typedef {object} Line
 * @property {LearnKey} name text key of its name
 * @property {string} kind CSS class of its stroke
 * @property {(point: Point) => number} value
 */

/** Lists the curves of a task that are drawn on the axis of accuracy. @param {string} task @returns {Line[]} */
export function linesOf(task) {
  const { hasText, goal } = TASKS[task]
  /** @type {Line[]} */
  const lines = [
    {
      name: hasText ? 'learnCurve.trainedText' : 'learnCurve.trained',
      kind: 'is-train',
      value: point => point.accuracy,
    },
    {
      name: hasText ? 'learnCurve.heldOutText' : 'learnCurve.heldOut',
      kind: 'is-held-out',
      value: point => point.heldOutAccuracy,
    },
  ]
  if (goal.measure === 'alignment')
    lines.push({ name: 'learnCurve.alignment', kind: 'is-answer', value: point => point.alignment })
  return lines
}

/**
 * Finds the jump of the held-out accuracy: the step with the largest rise. There is a jump only if the accuracy rises by RISE within WITHIN
 * evaluations.
 * @param {readonly Point[]} points
 * @returns {number | null} the step; null without a jump
 */
export function jumpOf(points) {
  const values = points.map(({ heldOutAccuracy }) => heldOutAccuracy)
  const isJump = values.some((value, i) => values[Math.min(values.length - 1, i + WITHIN)] - value >= RISE)
  if (!isJump) return null
  const rises = values.map((value, i) => value - (values[i - 1] ?? value))
  return points[rises.indexOf(Math.max(...rises))].step
}

/**
 * Lists the scores of each head: its mean weight on the previous token, and on the position of the answer.
 * @param {readonly Point[]} points
 */
export const headScores = points =>
  (points.at(-1)?.heads ?? []).flatMap((heads, layer) =>
    heads.flatMap((_, head) =>
      LOOKS.map(kind => ({
        name: headName({ layer, head }),
        kind,
        value: (/** @type {Point} */ { heads }) => heads[layer][head][kind],
      })),
    ),
  )

/** Returns for each head the score that is higher at the end, the best head first. @param {readonly Point[]} points */
export function headLines(points) {
  const last = points[points.length - 1]
  return Array.from(group(headScores(points), ({ name }) => name).values(), ([previous, answer]) =>
    answer.value(last) > previous.value(last) ? answer : previous,
  ).sort((a, b) => b.value(last) - a.value(last))
}

/**
 * Returns the minimum and maximum held-out accuracy of ten recorded runs, at each evaluation.
 * @param {string} task
 * @returns {{ least: number[], most: number[] } | undefined}
 */
export function bandOf(task) {
  const { recorded } = TASKS[task]
  const shares = (/** @type {string} */ text) => text.split(' ').map(percent => Number(percent) / 100)
  return recorded && { least: shares(recorded.least), most: shares(recorded.most) }
}

/**
 * Returns the range of the recorded jumps: the last evaluation before a run reaches an accuracy of 0.5, and the first at which all have.
 * @param {{ least: number[], most: number[] }} band
 */
export const recordedJump = ({ least, most }) => {
  const [first, last] = [most, least].map(values => values.findIndex(value => value >= 1 / 2))
  return { from: EVERY * (first - 1), to: EVERY * last }
}

/** Formats the points of a polyline; points that are not finite are left out. @param {readonly (readonly [x: number | undefined, y: number | undefined])[]} pairs */
export const path = pairs =>
  pairs.flatMap(([a = NaN, b = NaN]) => (Number.isFinite(a + b) ? `${a.toFixed(1)},${b.toFixed(1)}` : [])).join(' ')

/** @import { LinearScale as Scale } from '../../elements/linear-scale.js' */

/** Draws grid lines and labels at the ticks of both axes. @param {Scale} x @param {Scale} y @param {number} count */
const axes = (x, y, count) => svg`
  ${y.ticks(count).map(
    tick => svg`<g class="tick"><line class="rule" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(tick)} y2=${y(tick)} />
      <text x=${LEFT - 5} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`,
  )}
  ${x.ticks(4).map(tick => svg`<text class="tick" x=${x(tick)} y=${HEIGHT - 6} text-anchor="middle">${tick}</text>`)}`

/**
 * Draws an entry of the legend with the stroke of its curve, its name and its latest value.
 * @param {string} kind CSS classes of the curve
 * @param {string} label
 * @param {number} [value]
 */
function key(kind, label, value) {
  const shape =
    kind === 'band'
      ? svg`<rect class="band" width="20" height="10" y="1" />`
      : svg`<line class=${kind} x2="20" y1="6" y2="6" />`
  const number = value === undefined ? '' : Number.isFinite(value) ? value.toFixed(2) : '–'
  return html`<span class="key" data-kind=${kind}><svg class="key-line" viewBox="0 0 20 12"
    aria-hidden="true">${shape}</svg>${label} <b>${number}</b></span>`
}

/** @param {string} name @param {string} label @param {unknown} drawing @param {unknown} caption */
const figure = (name, label, drawing, caption) =>
  html`<figure class="curves" data-name=${name}><h2>${label}</h2>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${label}>${drawing}</svg>
    <figcaption>${caption}</figcaption></figure>`

const upright = (/** @type {string} */ kind, /** @type {number | undefined} */ x) =>
  svg`<line class=${kind} x1=${x} x2=${x} y1=${TOP} y2=${HEIGHT - BOTTOM} />`

/** Scale of values from 0 to 1. */
const shares = linearScale([0, 1], [HEIGHT - BOTTOM, TOP])

/** Draws all curves. @param {Context} context @param {RunInfo} run @param {number} steps maximum of the x axis @param {number} shownAt */
export function curves(context, run, steps, shownAt) {
  const x = linearScale([0, steps], [LEFT, WIDTH - RIGHT])
  const cursor = upright('cursor', x(Math.min(shownAt, steps)))
  // Before training there is no curve: show only the recorded runs.
  if (isFresh(context)) return recordedOf(context, run) ? accuracyFigure(context, run, x, nothing) : nothing
  return html`${accuracyFigure(context, run, x, cursor)}${headsFigure(context, x, cursor)}${lossFigure(context, x, cursor)}`
}

/** Returns the recorded runs of the task, if this run has the same settings: the defaults with any seed. @param {Context} context @param {RunInfo} run */
const recordedOf = ({ settings: { task } }, run) =>
  differsFromDefaults(task, run.settings, ['seed']) ? undefined : bandOf(task)

/** Formats the curve of a value over the steps. @param {Scale} x @param {readonly Point[]} all @param {(point: Point) => number} value */
const over = (x, all, value) =>
  path(all.filter(({ step }) => step <= x.domain[1]).map(point => [x(point.step), shares(value(point))]))

/** @param {Context} context @param {RunInfo} run @param {Scale} x @param {unknown} cursor */
function accuracyFigure(context, run, x, cursor) {
  const { t, settings, view } = context
  const { task } = settings
  const { points, reachedAt, reference } = view
  const guess = 1 / run.shape.outputs
  const lines = linesOf(task)
  const last = points.at(-1)
  const jump = jumpOf(points)
  const isFar = jump !== null && x(jump) > WIDTH / 2
  const recorded = recordedOf(context, run)
  /** @param {number[]} values @returns {[number, number][]} */
  const edge = values => values.map((value, i) => [x(i * EVERY), shares(value)])
  const band = recorded && path([...edge(recorded.most), ...edge(recorded.least).reverse()])
  const across = (/** @type {string} */ kind, /** @type {number} */ value) =>
    svg`<line class=${kind} x1=${LEFT} x2=${WIDTH - RIGHT} y1=${shares(value)} y2=${shares(value)} />`
  const isRun = reference?.at === null
  const drawing = svg`
    ${
      band ? svg`<polygon class="band" points=${band} />` : nothing
    }${axes(x, shares, 4)}${across('guess', guess)}${across('nowhere', run.baseline)}
    ${isRun ? svg`<polyline class="line is-kept" points=${over(x, reference.points, lines[1].value)} />` : nothing}
    ${lines.map(({ kind, value }) => svg`<polyline class="line ${kind}" points=${over(x, points, value)} />`)}
    ${
      jump === null
        ? nothing
        : svg`${upright('jump', x(jump))}<text class="mark" x=${x(jump) + (isFar ? -4 : 4)} y=${TOP - 3}
          text-anchor=${isFar ? 'end' : 'start'}>${t('learnJump', { step: jump })}</text>`
    }
    ${reachedAt === null ? nothing : upright('reached', x(reachedAt))}${cursor}`
  const caption = html`${
    recorded
      ? html`<span class="note" id="learn-recorded">${t('learnRecorded', recordedJump(recorded))}</span>`
      : nothing
  }
    ${isFresh(context) ? nothing : lines.map(({ name, kind, value }) => key(`line ${kind}`, t(name), last && value(last)))}
    ${isRun ? key('line is-kept', t('learnCurve.kept', { name: t(lines[1].name) }), reference.points.at(-1)?.heldOutAccuracy) : nothing}
    ${band ? key('band', t('learnCurve.band')) : nothing}${key('guess', t('learnCurve.guess'), guess)}${key(
      'nowhere',
      t('learnCurve.baseline'),
      run.baseline,
    )}`
  return figure('accuracy', t('learnCurves'), drawing, caption)
}

/** @param {Context} context @param {Scale} x @param {unknown} cursor */
function headsFigure({ t, view: { points } }, x, cursor) {
  const heads = headLines(points).map(({ name, kind, value }, i) => ({
    classes: i < NAMED ? `line is-${kind} is-head-${i}` : 'line is-other',
    label: t(`learnScore.${kind}`, { name }),
    line: over(x, points, value),
    last: value(points[points.length - 1]),
  }))
  const lines = heads.map(({ classes, line }) => svg`<polyline class=${classes} points=${line} />`).reverse()
  const caption = heads.slice(0, NAMED).map(({ classes, label, last }) => key(classes, label, last))
  return figure('heads', t('learnScores'), svg`${axes(x, shares, 4)}${lines}${cursor}`, caption)
}

/** @param {Context} context @param {Scale} x @param {unknown} cursor */
function lossFigure({ t, view }, x, cursor) {
  const { losses, divergedAt, reference } = view
  const finite = losses.filter(Number.isFinite)
  // Clip losses above 1.5 times the first one, so that the rest stays readable.
  const most = finite.length ? Math.min(Math.max(...finite), 1.5 * finite[0]) : 1
  const y = linearScale([0, Math.max(1e-9, most)], [HEIGHT - BOTTOM, TOP], { round: 4, isCut: true })
  const line = (/** @type {readonly number[]} */ all) => {
    const every = Math.max(1, Math.ceil(all.length / (WIDTH - LEFT)))
    const pairs = all.map((loss, step) => [step, loss])
    const shown = pairs.filter(([step]) => step % every === 0 && step <= x.domain[1])
    return path(shown.map(([step, loss]) => [x(step), Number.isFinite(loss) ? y(loss) : undefined]))
  }
  const drawing = svg`
    ${axes(x, y, 3)}
    ${reference?.at === null ? svg`<polyline class="line is-kept" points=${line(reference.losses)} />` : nothing}
    <polyline class="line is-train" points=${line(losses)} />
    ${divergedAt === null ? nothing : svg`<text class="diverged" x=${x(divergedAt)} y=${TOP + 10} text-anchor="middle">×</text>`}${cursor}`
  const caption = html`<b>${finite.length ? finite[finite.length - 1].toFixed(3) : ''}</b>`
  return figure('loss', t('learnLoss'), drawing, caption)
}

/** CSS properties that the exported SVG needs inline. */
const STROKES = ['stroke', 'stroke-width', 'stroke-dasharray', 'fill', 'fill-opacity', 'font-size', 'font-family']

/**
 * Combines the curves into one SVG that needs no style sheet.
 * @param {ParentNode} room
 * @param {string} ground background colour
 */
export function svgOf(room, ground) {
  const figures = Array.from(room.querySelectorAll('.curves > svg'))
  const parts = figures.map((figure, n) => {
    const copy = /** @type {SVGElement} */ (figure.cloneNode(true))
    const [from, to] = [figure, copy].map(root => Array.from(root.querySelectorAll('*')))
    to.forEach((element, i) => {
      const style = getComputedStyle(from[i])
      for (const name of STROKES) element.setAttribute(name, style.getPropertyValue(name))
    })
    const label = figure.getAttribute('aria-label') ?? ''
    const title = label.replace(/[<&]/g, sign => (sign === '<' ? '&lt;' : '&amp;'))
    const inside = copy.innerHTML.replace(/<!--.*?-->/g, '')
    return `<g transform="translate(0 ${n * HEIGHT})"><title>${title}</title>${inside}</g>`
  })
  const height = HEIGHT * figures.length
  const whole = `<rect width="100%" height="100%" fill="${ground}"/>${parts.join('')}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${2 * WIDTH}">${whole}</svg>\n`
}
