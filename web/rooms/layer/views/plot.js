import { html, nothing, svg } from 'lit'
import { live } from 'lit/directives/live.js'
import { linearScale } from '../../../elements/linear-scale.js'
import { format } from '../../../files/number-format.js'
import { PRESETS } from '../presets.js'

/** @import { Imported, SceneContext } from '../layer.js' */

const [MOST_WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [560, 300, 44, 40, 24, 12]
/** Total horizontal margins of the page on a phone. */
const MARGINS = 32
/** Returns the width of the picture. A narrow window gets a narrower layout instead of a smaller scale, so that numbers stay readable. */
const widthNow = () => Math.min(MOST_WIDTH, (globalThis.innerWidth ?? MOST_WIDTH) - MARGINS)
/** Number of steps of the slider. */
const STEPS = 200

/** @typedef {Extract<Imported, { q: unknown }>} ImportedQuery */

/** True if keys and values are those of the waistline article. @param {ImportedQuery} imported */
const isWaist = ({ k, v }) => {
  const own = PRESETS.waistline.patch.imported
  return JSON.stringify([own.k, own.v]) === JSON.stringify([k, v])
}

/** Formats a number for axes and labels, with four significant digits. @param {number} x */
const brief = x => String(Number(x.toPrecision(4))).replace(/^-/, '−')

/**
 * Draws keys and values as points, the output of every query as a curve, and the current query on it.
 * @param {SceneContext} context
 */
export function plot(context) {
  const { t, result, actions, settings } = context
  const { curve, tensors, settings: checked } = result
  const { imported } = settings
  const { Q, K, V, output } = tensors
  if (!curve || !imported || !('q' in imported) || !Q || !K || !V || !output) return nothing
  const [query, estimate] = [Q.data[0], output.data[0]]
  const width = widthNow()
  const x = linearScale([Math.min(curve.ends[0], query), Math.max(curve.ends[1], query)], [LEFT, width - RIGHT])
  const heights = [...V.data, ...curve.outputs, estimate].filter(Number.isFinite)
  const y = linearScale([Math.min(...heights), Math.max(...heights)], [HEIGHT - BOTTOM, TOP], { round: 5 })
  const points = Array.from(curve.queries, (q, i) => `${x(q).toFixed(1)},${y(curve.outputs[i]).toFixed(1)}`)
  const label = t('plotLabel', { query: brief(query), estimate: format(estimate) })
  return html`<section class="plot" id="plot" aria-labelledby="plot-title">
    <h3 id="plot-title">${t('plot')}</h3>
    <p class="text">${t('plotText')}${checked.score === 'gaussian' ? t('plotNear') : ''}</p>
    <svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${label}>
      ${x.ticks(8).map(
        tick => svg`<g class="tick"><line x1=${x(tick)} x2=${x(tick)} y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM + 4} />
          <text x=${x(tick)} y=${HEIGHT - BOTTOM + 17} text-anchor="middle">${brief(tick)}</text></g>`,
      )}
      ${y.ticks(5).map(
        tick => svg`<g class="tick"><line class="rule" x1=${LEFT} x2=${width - RIGHT} y1=${y(tick)} y2=${y(tick)} />
          <text x=${LEFT - 6} y=${y(tick) + 4} text-anchor="end">${brief(tick)}</text></g>`,
      )}
      <text class="axis" x=${(LEFT + width - RIGHT) / 2} y=${HEIGHT - 4}
        text-anchor="middle">${t(isWaist(imported) ? 'plotWaist' : 'plotKeys')}</text>
      <text class="axis" transform="translate(11 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)"
        text-anchor="middle">${t(isWaist(imported) ? 'plotWeight' : 'plotValues')}</text>
      <polyline class="curve" points=${points.join(' ')} />
      <path class="drop" d="M${x(query)} ${HEIGHT - BOTTOM} V${y(estimate)} H${LEFT}" />
      ${Array.from(K.data, (key, i) => {
        const isHidden = result.visible?.[i] === 0
        return svg`<circle class="point ${isHidden ? 'is-hidden' : ''}" cx=${x(key)} cy=${y(V.data[i])} r="4.5" />
          <text class="point-name" x=${x(key) - 4} y=${y(V.data[i]) - 9} text-anchor="end">${brief(key)} →
            ${brief(V.data[i])}${isHidden ? ` (${t('hidden')})` : ''}</text>`
      })}
      <circle class="estimate" cx=${x(query)} cy=${y(estimate)} r="6" />
    </svg>
    <div class="plot-controls">
      <label for="plot-query">${t('plotQuery')}</label>
      <input
        id="plot-query"
        type="range"
        min=${curve.ends[0]}
        max=${curve.ends[1]}
        step=${(curve.ends[1] - curve.ends[0]) / STEPS}
        .value=${live(String(query))}
        aria-valuetext=${label}
        @input=${(/** @type {Event & { target: HTMLInputElement }} */ event) =>
          actions.change(withQuery(context, imported, event.target.valueAsNumber), 'query')}
      />
      <output for="plot-query" class="plot-answer">${brief(query)} → <strong>${format(estimate)}</strong></output>
      ${
        checked.score === 'gaussian'
          ? html`<label for="plot-sigma">${t('sigma')}</label>
            <input
              id="plot-sigma"
              type="range"
              min="0.1"
              max="10"
              step="0.1"
              .value=${live(String(checked.sigma))}
              @input=${(/** @type {Event & { target: HTMLInputElement }} */ event) =>
                actions.change({ sigma: event.target.valueAsNumber }, 'sigma')}
            />
            <output for="plot-sigma">${brief(checked.sigma)}</output>`
          : nothing
      }
    </div>
  </section>`
}

/**
 * Returns settings with another query. Keeps the painted cells, and all edits but those of the query and of weights.
 * @param {SceneContext} context
 * @param {ImportedQuery} imported
 * @param {number} query
 */
function withQuery({ settings }, imported, query) {
  const q = { ...imported.q, data: [Number(query.toPrecision(6))] }
  const isNamed = settings.sentence.trim() === String(imported.q.data[0])
  return {
    imported: { ...imported, q },
    ...(isNamed && { sentence: String(q.data[0]) }),
    edits: settings.edits.filter(({ matrix }) => !['Q', 'weights'].includes(matrix)),
    painted: settings.painted,
  }
}
