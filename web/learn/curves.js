// The curves of a run as SVG: accuracy and scores from 0 to 1, and the loss below, over the steps.

import { scaleLinear } from 'd3-scale'
import { html, nothing, svg } from 'lit'

/** @typedef {import('../i18n/index.js').Translate} Translate */
/** @typedef {{ step: number } & import('./run.js').Evaluation} Point */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 200, 34, 14, 8, 22]

/**
 * @typedef {object} Line
 * @property {string} name of its text
 * @property {string} kind of its stroke
 * @property {(point: Point) => number} value
 */

/** What is drawn of each task. @param {import('./run.js').Task} task @returns {Line[]} */
export function linesOf(task) {
  /** @type {Line[]} */
  const lines = [{ name: 'learnCurve.accuracy', kind: 'is-train', value: point => point.accuracy }]
  if (task === 'induction' || task === 'translation' || task === 'text')
    lines.push({ name: 'learnCurve.heldOutAccuracy', kind: 'is-held-out', value: point => point.heldOutAccuracy })
  if (task === 'translation')
    lines.push({ name: 'learnCurve.alignment', kind: 'is-answer', value: point => point.alignment })
  if (task === 'induction' || task === 'text')
    lines.push({ name: 'learnCurve.previous', kind: 'is-previous', value: point => point.scores.previous })
  if (task === 'induction' || task === 'sort' || task === 'reverse')
    lines.push({ name: 'learnCurve.answer', kind: 'is-answer', value: point => point.scores.induction })
  return lines
}

/**
 * @param {object} given
 * @param {Translate} given.t
 * @param {import('./run.js').Task} given.task
 * @param {readonly Point[]} given.points
 * @param {readonly number[]} given.losses one each step
 * @param {number} given.steps at most
 * @param {number} given.shownAt
 * @param {number} given.guess accuracy of guessing
 * @param {number | null} given.reachedAt
 */
export function curves({ t, task, points, losses, steps, shownAt, guess, reachedAt }) {
  const x = scaleLinear([0, steps], [LEFT, WIDTH - RIGHT])
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, TOP])
  const finite = losses.filter(Number.isFinite)
  const z = scaleLinear([0, Math.max(1e-9, ...finite.slice(0, 1), ...finite)], [HEIGHT - BOTTOM, TOP]).nice(4)
  const path = (/** @type {[number, number][]} */ pairs) =>
    pairs.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' ')
  const lines = linesOf(task)
  const every = Math.max(1, Math.ceil(losses.length / (WIDTH - LEFT)))
  const lossPoints = losses.flatMap((loss, step) =>
    step % every === 0 && Number.isFinite(loss) ? [/** @type {[number, number]} */ ([x(step), z(loss)])] : [],
  )
  const axes = (/** @type {typeof y} */ scale, /** @type {number} */ count) => svg`
    ${scale.ticks(count).map(
      tick => svg`<g class="tick"><line class="rule" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${scale(tick)} y2=${scale(tick)} />
        <text x=${LEFT - 5} y=${scale(tick) + 4} text-anchor="end">${tick}</text></g>`,
    )}
    ${x.ticks(4).map(tick => svg`<text class="tick" x=${x(tick)} y=${HEIGHT - 6} text-anchor="middle">${tick}</text>`)}`
  const cursor = svg`<line class="cursor" x1=${x(shownAt)} x2=${x(shownAt)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`
  return html`<figure class="curves">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t('learnCurves')}>
        ${axes(y, 4)}
        <line class="guess" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(guess)} y2=${y(guess)} />
        ${lines.map(
          ({ kind, value }) =>
            svg`<polyline class="line ${kind}" points=${path(points.map(point => [x(point.step), y(value(point))]))} />`,
        )}
        ${reachedAt === null ? nothing : svg`<line class="reached" x1=${x(reachedAt)} x2=${x(reachedAt)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`}
        ${cursor}
      </svg>
      <figcaption>
        ${lines.map(
          ({ name, kind, value }) =>
            html`<span class="key"><i class="line ${kind}"></i>${t(/** @type {any} */ (name))} <b>${points.length ? value(points[points.length - 1]).toFixed(2) : ''}</b></span>`,
        )}
        <span class="key"><i class="guess"></i>${t('learnCurve.guess')} <b>${guess.toFixed(2)}</b></span>
      </figcaption>
    </figure>
    <figure class="curves is-loss">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t('learnLoss')}>
        ${axes(z, 3)}<polyline class="line is-train" points=${path(lossPoints)} />${cursor}
      </svg>
      <figcaption>${t('learnLoss')} <b>${finite.length ? finite[finite.length - 1].toFixed(3) : ''}</b></figcaption>
    </figure>`
}
