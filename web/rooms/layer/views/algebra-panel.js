import { html, nothing } from 'lit'
import { format } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { algebraOf } from '../explain/weight-algebra.js'

/** @import { SceneContext } from '../layer.js' */

/**
 * Why both ways to hide agree: three rows, exponential by exponential.
 * @param {SceneContext} context
 */
export function algebra(context) {
  const { t, result, head, arithmetic } = context
  const rows = algebraOf(result, head, arithmetic)
  if (!rows) return nothing
  const { queries, keys } = namesOf(result)
  return html`<section class="algebra" id="algebra" aria-labelledby="algebra-title">
    <h3 id="algebra-title">${t('algebra')}</h3>
    <p class="text">${t('algebraText')}</p>
    <div class="algebra-rows">${rows.map(
      ({ row, terms, all, visible }) =>
        html`<div class="scroll"><table class="algebra-row" data-row-of=${row}>
          <caption>${t('algebraRow', { query: queries[row] })}</caption>
          <thead><tr><td></td><th scope="col">e<sup>m − max</sup></th><th scope="col">÷ ${format(all)}</th><th scope="col">÷ ${format(visible)}</th></tr></thead>
          <tbody>${terms.map(
            ({ column, exponential, full, weight, isHidden }) =>
              html`<tr class=${isHidden ? 'is-out' : ''}><th scope="row"><bdi>${keys[column]}</bdi></th><td>${isHidden ? html`<del>${format(exponential)}</del>` : format(exponential)}</td><td>${isHidden ? html`<del>${format(full)}</del>` : format(full)}</td><td>${isHidden ? '0' : format(weight)}</td></tr>`,
          )}</tbody>
        </table></div>`,
    )}</div>
    ${
      result.maskOrder?.extremes.length
        ? html`<div class="scroll"><table class="extremes" id="extremes"><caption>${t('extremes')}</caption>
          <thead><tr><td></td><th scope="col">${t('masking.before')}</th><th scope="col">${t('masking.after')}</th></tr></thead>
          <tbody>${result.maskOrder.extremes.map(
            ({ name, before, after }) =>
              html`<tr data-extreme=${name}><th scope="row">${name}</th><td>${format(before)}</td><td>${format(after)}</td></tr>`,
          )}</tbody></table></div>`
        : nothing
    }
  </section>`
}
