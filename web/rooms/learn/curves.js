// The curves of a run as SVG: accuracy, scores of each head, and the loss below, over the steps; a second run beside it.

import { scaleLinear } from 'd3-scale'
import { html, nothing, svg } from 'lit'
import { headName } from '../../head/cell-changes.js'
import { RECORDED } from './recorded.js'
import { EVERY } from './session.js'

/** @typedef {import('./texts.js').LearnTranslate} LearnTranslate */
/** @typedef {import('./texts.js').LearnKey} LearnKey */
/** @typedef {{ step: number } & import('./training-run.js').Evaluation} Point */
/** @typedef {[x: number, y: number][]} Path */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 180, 34, 14, 14, 22]
/** Heads that are named in the legend. */
const NAMED = 4
/** A rise by so much within so many evaluations is a jump. */
const [RISE, WITHIN] = [0.35, 5]

/**
 * @typedef {object} Line
 * @property {LearnKey} name of its text
 * @property {string} kind of its stroke
 * @property {(point: Point) => number} value
 */

/** What is drawn of each task. @param {import('./training-run.js').Task} task @returns {Line[]} */
export function linesOf(task) {
  /** @type {Line[]} */
  const lines = [{ name: 'learnCurve.accuracy', kind: 'is-train', value: point => point.accuracy }]
  const heldOut = task === 'text' ? 'learnCurve.unseen' : 'learnCurve.heldOutAccuracy'
  lines.push({ name: heldOut, kind: 'is-held-out', value: point => point.heldOutAccuracy })
  if (task === 'translation')
    lines.push({ name: 'learnCurve.alignment', kind: 'is-answer', value: point => point.alignment })
  return lines
}

/**
 * Where accuracy jumps: the middle of its steepest rise, if it rises far within a few evaluations.
 * @param {readonly Point[]} points
 * @returns {number | null} a step
 */
export function jumpOf(points) {
  const values = points.map(({ heldOutAccuracy }) => heldOutAccuracy)
  const isJump = values.some((value, i) => values[Math.min(values.length - 1, i + WITHIN)] - value >= RISE)
  if (!isJump) return null
  const rises = values.map((value, i) => value - (values[i - 1] ?? value))
  return points[rises.indexOf(Math.max(...rises))].step
}

/**
 * The score that each head is best at in the end: on the token before, or on the position that answers.
 * @param {readonly Point[]} points
 * @returns {{ name: string, kind: 'previous' | 'answer', values: number[] }[]} the best first
 */
export function headLines(points) {
  const last = points.at(-1)
  if (!last) return []
  return last.heads
    .flatMap((heads, layer) =>
      heads.map(({ previous, answer }, head) => {
        const kind = /** @type {'previous' | 'answer'} */ (answer > previous ? 'answer' : 'previous')
        return { name: headName({ layer, head }), kind, values: points.map(({ heads }) => heads[layer][head][kind]) }
      }),
    )
    .sort((a, b) => b.values[b.values.length - 1] - a.values[a.values.length - 1])
}

/**
 * The least and the most accuracy on held-out data of ten recorded runs, at each evaluation.
 * @param {import('./training-run.js').Task} task
 * @returns {{ least: number[], most: number[] } | undefined}
 */
export function bandOf(task) {
  const recorded = RECORDED[task]
  const shares = (/** @type {string} */ text) => text.split(' ').map(percent => Number(percent) / 100)
  return recorded && { least: shares(recorded.least), most: shares(recorded.most) }
}

const path = (/** @type {Path} */ pairs) => pairs.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' ')

/**
 * @typedef {object} Curves
 * @property {LearnTranslate} t
 * @property {import('./training-run.js').Task} task
 * @property {readonly Point[]} points
 * @property {readonly number[]} losses one each step
 * @property {number} steps at most
 * @property {boolean} hasBand do the settings allow the recorded runs to be shown?
 * @property {number} shownAt
 * @property {number} guess accuracy of guessing
 * @property {number} nowhere accuracy of a model that looks nowhere
 * @property {number | null} reachedAt
 * @property {number | null} divergedAt
 * @property {import('./watch.js').Kept} [kept] A
 */

/** @param {Curves} given */
export function curves(given) {
  const { t, task, points, losses, steps, hasBand, shownAt, guess, nowhere, reachedAt, divergedAt, kept } = given
  const x = scaleLinear([0, steps], [LEFT, WIDTH - RIGHT])
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, TOP])
  const finite = losses.filter(Number.isFinite)
  // Values beyond the scale are cut off, so that the rest can be read.
  const most = finite.length ? Math.min(Math.max(...finite), 1.5 * finite[0]) : 1
  const z = scaleLinear([0, Math.max(1e-9, most)], [HEIGHT - BOTTOM, TOP])
    .nice(4)
    .clamp(true)
  const lines = linesOf(task)
  const heads = headLines(points)
  const jump = jumpOf(points)
  const lossPath = (/** @type {readonly number[]} */ all) => {
    const every = Math.max(1, Math.ceil(all.length / (WIDTH - LEFT)))
    return path(
      all.flatMap((loss, step) =>
        step % every === 0 && step <= steps && Number.isFinite(loss)
          ? [/** @type {[number, number]} */ ([x(step), z(loss)])]
          : [],
      ),
    )
  }
  const axes = (/** @type {typeof y} */ scale, /** @type {number} */ count) => svg`
    ${scale.ticks(count).map(
      tick => svg`<g class="tick"><line class="rule" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${scale(tick)} y2=${scale(tick)} />
        <text x=${LEFT - 5} y=${scale(tick) + 4} text-anchor="end">${tick}</text></g>`,
    )}
    ${x.ticks(4).map(tick => svg`<text class="tick" x=${x(tick)} y=${HEIGHT - 6} text-anchor="middle">${tick}</text>`)}`
  const upright = (/** @type {string} */ kind, /** @type {number} */ step) =>
    svg`<line class=${kind} x1=${x(step)} x2=${x(step)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`
  const cursor = upright('cursor', Math.min(shownAt, steps))
  const across = (/** @type {string} */ kind, /** @type {number} */ value) =>
    svg`<line class=${kind} x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(value)} y2=${y(value)} />`
  const of = (/** @type {readonly Point[]} */ all, /** @type {(point: Point, i: number) => number} */ value) =>
    path(all.filter(({ step }) => step <= steps).map((point, i) => [x(point.step), y(value(point, i))]))
  const key = (
    /** @type {string} */ kind,
    /** @type {string} */ label,
    /** @type {number | undefined} */ value = undefined,
  ) =>
    html`<span class="key"><i class="line ${kind}"></i>${label} <b>${value === undefined ? '' : value.toFixed(2)}</b></span>`
  const last = points.at(-1)
  const wasA = kept && kept.at === null
  const recorded = hasBand ? bandOf(task) : undefined
  const edge = (/** @type {number[]} */ values) =>
    values.map((value, i) => /** @type {[number, number]} */ ([x(i * EVERY), y(value)]))
  const band = recorded && path([...edge(recorded.most), ...edge(recorded.least).reverse()])
  const isFar = jump !== null && x(jump) > WIDTH / 2
  return html`<figure class="curves" data-name="accuracy">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t('learnCurves')}>
        ${band ? svg`<polygon class="band" points=${band} />` : nothing}${axes(y, 4)}${across('guess', guess)}${across('nowhere', nowhere)}
        ${wasA ? svg`<polyline class="line is-kept" points=${of(kept.points, lines[1].value)} />` : nothing}
        ${lines.map(({ kind, value }) => svg`<polyline class="line ${kind}" points=${of(points, value)} />`)}
        ${jump === null ? nothing : svg`${upright('jump', jump)}<text class="mark" x=${x(jump) + (isFar ? -4 : 4)} y=${TOP - 3} text-anchor=${isFar ? 'end' : 'start'}>${t('learnJump', { step: jump })}</text>`}
        ${reachedAt === null ? nothing : upright('reached', reachedAt)}${cursor}
      </svg>
      <figcaption>
        ${lines.map(({ name, kind, value }) => key(kind, t(name), last && value(last)))}
        ${wasA ? key('is-kept', t('learnCurve.kept'), kept.points.at(-1)?.heldOutAccuracy) : nothing}
        ${band ? key('band', t('learnCurve.band')) : nothing}${key('guess', t('learnCurve.guess'), guess)}${key('nowhere', t('learnCurve.nowhere'), nowhere)}
      </figcaption>
    </figure>
    <figure class="curves" data-name="heads">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t('learnScores')}>
        ${axes(y, 4)}
        ${heads.map(({ kind, values }, i) => svg`<polyline class="line ${i < NAMED ? `is-${kind} is-head-${i}` : 'is-other'}" points=${of(points, (_, n) => values[n])} />`).reverse()}
        ${cursor}
      </svg>
      <figcaption>${heads.slice(0, NAMED).map(({ name, kind, values }, i) => key(`is-${kind} is-head-${i}`, t(`learnScore.${kind}`, { name }), values.at(-1)))}</figcaption>
    </figure>
    <figure class="curves" data-name="loss">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t('learnLoss')}>
        ${axes(z, 3)}
        ${wasA ? svg`<polyline class="line is-kept" points=${lossPath(kept.losses)} />` : nothing}
        <polyline class="line is-train" points=${lossPath(losses)} />
        ${divergedAt === null ? nothing : svg`<text class="diverged" x=${x(divergedAt)} y=${TOP + 10} text-anchor="middle">×</text>`}${cursor}
      </svg>
      <figcaption>${t('learnLoss')} <b>${finite.length ? finite[finite.length - 1].toFixed(3) : ''}</b></figcaption>
    </figure>`
}

/** What SVG needs of the page's styles. */
const STROKES = ['stroke', 'stroke-width', 'stroke-dasharray', 'fill', 'fill-opacity', 'font-size', 'font-family']

/**
 * The curves as one picture that needs no style sheet.
 * @param {ParentNode} room
 * @param {string} ground colour of the paper
 */
export function svgOf(room, ground) {
  const figures = Array.from(room.querySelectorAll('.curves svg'))
  const parts = figures.map((figure, n) => {
    const copy = /** @type {SVGElement} */ (figure.cloneNode(true))
    const [from, to] = [figure, copy].map(root => Array.from(root.querySelectorAll('*')))
    to.forEach((element, i) => {
      const style = getComputedStyle(from[i])
      for (const name of STROKES) element.setAttribute(name, style.getPropertyValue(name))
    })
    const label = figure.getAttribute('aria-label') ?? ''
    return `<g transform="translate(0 ${n * HEIGHT})"><title>${label.replace(/[<&]/g, sign => (sign === '<' ? '&lt;' : '&amp;'))}</title>${copy.innerHTML.replace(/<!--.*?-->/g, '')}</g>`
  })
  const height = HEIGHT * figures.length
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${2 * WIDTH}"><rect width="100%" height="100%" fill="${ground}"/>${parts.join('')}</svg>\n`
}
