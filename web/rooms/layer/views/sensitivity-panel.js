import { html, nothing } from 'lit'
import { format } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { effectOf } from '../explain/sensitivity.js'
import { withTerms } from './terms.js'
import { marked, rich } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/** Formats a change per unit with its sign. @param {number} x */
const change = x => (x < 0 ? format(x) : `+${format(x)}`)

/**
 * Describes how other numbers change if the selected number of W_q, W_k or W_v grows: the rule, the direction, the amount.
 * @param {SceneContext} context
 */
export function sensitivity(context) {
  const { t, qkv, result, cell, arithmetic } = context
  const effect = effectOf(qkv, result, cell, arithmetic)
  if (!effect) return nothing
  const { queries, keys } = namesOf(result)
  const names = effect.along === 'keys' ? keys : queries
  const hasWeights = effect.moves.some(({ weight }) => weight !== undefined)
  return html`<div class="sensitivity" id="sensitivity"><h4>${t('sensitivity')}</h4>
    <p>${rich(
      t(`sensitivity.${effect.kind}`, {
        word: marked(effect.along === 'keys' ? queries[effect.word] : keys[effect.word]),
        dimension: cell.column + 1,
        by: change(effect.by),
      }),
    )}</p>
    ${
      effect.moves.length
        ? html`<table class="before-after"><thead><tr><td></td><th scope="col">${t(
            effect.kind === 'value' ? 'output' : 'matrix.scaled',
          )}</th>${hasWeights ? html`<th scope="col">${t('matrix.weights')}</th>` : nothing}</tr></thead>
          <tbody>${effect.moves.map(
            ({ position, amount, weight }) =>
              html`<tr><th scope="row"><bdi>${names[position]}</bdi></th><td>${change(amount)}</td>${
                weight === undefined ? nothing : html`<td>${change(weight)}</td>`
              }</tr>`,
          )}</tbody></table>${hasWeights ? html`<div class="note">${withTerms(t, t('sensitivityGradient'))}</div>` : nothing}`
        : nothing
    }</div>`
}
