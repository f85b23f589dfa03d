import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { format } from '../../../files/number-format.js'
import { colourOf } from '../../../head/number-colours.js'
import { SIZES } from '../trace/score-distribution.js'
import { share } from './word-buttons.js'

/** @import { SceneContext, Side } from '../layer.js' */

/** A small number as it is. @param {number} x */
const small = x => (x > 0 && x < 5e-4 ? x.toExponential(1).replace('-', '−') : format(x))

/**
 * Why divide by sqrt(d)? A slider for d: the spread of random scores, softmax with and without the division, the gradient.
 * @param {SceneContext} context
 */
export function spreadPanel(context) {
  const { t, spread, spreadSize, actions, isDark, settings } = context
  const side = (/** @type {Side} */ { scores, weights, gradient }, /** @type {'plain' | 'scaled'} */ name) => {
    const most = Math.max(...weights)
    return html`<tr data-side=${name}>
      <th scope="row">${t(`spread.${name}`)}</th>
      ${weights.map((weight, i) => {
        const { ground, ink } = colourOf('share', 1, weight, isDark)
        return html`<td class="spread-cell" title=${format(scores[i])} .style=${`background-color: ${ground}; color: ${ink}`}>${weight.toFixed(2)}</td>`
      })}
      <td class="spread-most">${share(context, most)}</td>
      <td class="spread-gradient">${small(gradient)}</td>
    </tr>`
  }
  const isOpen = spread !== undefined
  return html`<details class="try" id="spread" .open=${live(isOpen)}>
    <summary @click=${(/** @type {Event} */ event) => {
      event.preventDefault()
      actions.setSpread(isOpen ? undefined : spreadSize)
    }}>${t('spread')}</summary>
    ${
      spread
        ? html`<p class="text">${t('spreadText')}</p>
          <div class="spread-controls">
            <label for="spread-d">d = <output>${spread.d}</output></label>
            <input id="spread-d" type="range" min="0" max=${SIZES.length - 1} step="1" .value=${live(String(SIZES.indexOf(spread.d)))} aria-valuetext=${spread.d}
              @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => actions.setSpread(SIZES[target.valueAsNumber])} />
          </div>
          <p id="spread-deviation">${t('spreadDeviation', { deviation: spread.deviation.toFixed(2), root: Math.sqrt(spread.d).toFixed(2), seed: settings.seed })}</p>
          <div class="scroll"><table class="spread-table">
            <thead><tr><td></td><th scope="col" colspan=${spread.plain.weights.length}>${t('spreadWeights')}</th><th scope="col">${t('spreadMost')}</th><th scope="col">${t('spreadGradient')}</th></tr></thead>
            <tbody>${side(spread.plain, 'plain')}${side(spread.scaled, 'scaled')}</tbody>
          </table></div>`
        : nothing
    }
  </details>`
}
