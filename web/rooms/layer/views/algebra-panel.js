import { html, nothing } from 'lit'
import { format } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { algebraOf } from '../explain/weight-algebra.js'

/** @import { SceneContext } from '../layer.js' */

/** Draws a number, struck through if its key is hidden. @param {number} value @param {boolean} isHidden */
const struck = (value, isHidden) => (isHidden ? html`<del>${format(value)}</del>` : format(value))

/** Draws the exponentials of one row. @param {SceneContext} context @param {import('../explain/weight-algebra.js').AlgebraRow} row */
function exponentials({ t, result }, { row, terms, all, visible }) {
  const { queries, keys } = namesOf(result)
  return html`<div class="scroll"><table class="algebra-row" data-row-of=${row}>
    <caption>${t('algebraRow', { query: queries[row] })}</caption>
    <thead><tr><td></td><th scope="col">e<sup>m − max</sup></th><th scope="col">÷ ${format(all)}</th><th scope="col">÷
      ${format(visible)}</th></tr></thead>
    <tbody>${terms.map(
      ({ column, exponential, full, weight, isHidden }) =>
        html`<tr class=${isHidden ? 'is-out' : ''}>
          <th scope="row"><bdi>${keys[column]}</bdi></th>
          <td>${struck(exponential, isHidden)}</td>
          <td>${struck(full, isHidden)}</td>
          <td>${isHidden ? '0' : format(weight)}</td></tr>`,
    )}</tbody>
  </table></div>`
}

/**
 * Shows why hiding keys before the softmax gives the same weights as hiding them after it: the arithmetic of up to three rows. Below it
 * are the largest difference in any head, and the weights that both ways give if a hidden score is NaN or huge.
 * @param {SceneContext} context
 */
export function algebra(context) {
  const { t, result, head, arithmetic } = context
  const { maskOrder } = result
  if (!maskOrder) return nothing
  const { most, extremes } = maskOrder
  return html`<section class="algebra" id="algebra" aria-labelledby="algebra-title">
    <h4 id="algebra-title">${t('algebra')}</h4>
    <p class="text">${t('algebraText')}</p>
    <div class="algebra-rows">${algebraOf(result, head, arithmetic).map(row => exponentials(context, row))}</div>
    <p class="mask-order-most" data-most=${most}>${t('maskOrderMost', { most: most ? most.toExponential(1).replace('-', '−') : '0' })}</p>
    ${
      extremes.length
        ? html`<div class="scroll"><table class="extremes" id="extremes"><caption>${t('extremes')}</caption>
          <thead><tr><td></td><th scope="col">${t('masking.before')}</th><th scope="col">${t('masking.after')}</th></tr></thead>
          <tbody>${extremes.map(
            ({ name, before, after }) =>
              html`<tr data-extreme=${name}><th scope="row">${name}</th><td>${format(before)}</td><td>${format(after)}</td></tr>`,
          )}</tbody></table></div>`
        : nothing
    }
  </section>`
}
