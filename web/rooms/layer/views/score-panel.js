import { html } from 'lit'
import { live } from 'lit/directives/live.js'
import { format } from '../../../files/number-format.js'
import { colourOf } from '../../../ui/number-colours.js'
import { distributionOf, SIZES } from '../trace/score-distribution.js'
import { withTerms } from './terms.js'
import { share } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */
/** @import { Side } from '../trace/score-distribution.js' */

/** Formats a number, with an exponent if it is positive and less than 0.0005. @param {number} x */
const small = x => (x > 0 && x < 5e-4 ? x.toExponential(1).replace('-', '−') : format(x))

/** Cache: the last computed distribution. @type {{ of: string, value: import('../trace/score-distribution.js').ScoreDistribution } | undefined} */
let last

/** @param {SceneContext} context */
function distributionFor({ qkv, vectorSize, result }) {
  const { seed } = result.settings
  const of = `${vectorSize} ${seed}`
  if (last?.of !== of) last = { of, value: distributionOf(qkv, vectorSize, seed) }
  return last.value
}

/**
 * Draws a slider for d with the distribution of random scores, the softmax with and without the division, and the gradient.
 * @param {SceneContext} context
 */
export function distributionPanel(context) {
  const { t, actions, isDark, settings } = context
  const { d, deviation, plain, scaled } = distributionFor(context)
  const side = (/** @type {Side} */ { scores, weights, gradient }, /** @type {'plain' | 'scaled'} */ name) => {
    const most = Math.max(...weights)
    return html`<tr data-side=${name}>
      <th scope="row">${t(`distribution.${name}`)}</th>
      <td class="distribution-most">${share(context, most)}</td>
      <td class="distribution-gradient">${small(gradient)}</td>
      ${weights.map((weight, i) => {
        const { ground, ink } = colourOf('share', 1, weight, isDark)
        return html`<td class="distribution-cell" title=${format(scores[i])}
          .style=${`background-color: ${ground}; color: ${ink}`}>${weight.toFixed(2)}</td>`
      })}
    </tr>`
  }
  return html`<div class="text">${withTerms(t, t('distributionText'))}</div>
    <div class="distribution-controls">
      <label for="distribution-d">d = <output>${d}</output></label>
      <input id="distribution-d" type="range" min="0" max=${SIZES.length - 1} step="1"
        .value=${live(String(SIZES.indexOf(d)))} aria-valuetext=${d}
        @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) =>
          actions.setDistribution(SIZES[target.valueAsNumber])} />
    </div>
    <p id="distribution-deviation">${t('distributionDeviation', {
      deviation: deviation.toFixed(2),
      root: Math.sqrt(d).toFixed(2),
      seed: settings.seed,
    })}</p>
    <div class="scroll"><table class="distribution-table">
      <thead><tr><td></td><th scope="col">${t('distributionMost')}</th><th scope="col">${t('distributionGradient')}</th><th scope="col"
        colspan=${plain.weights.length}>${t('distributionWeights')}</th></tr></thead>
      <tbody>${side(plain, 'plain')}${side(scaled, 'scaled')}</tbody>
    </table></div>`
}
