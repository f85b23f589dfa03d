import { html } from 'lit'
import { format } from '../../../files/number-format.js'
import { FIELDS } from '../fields.js'
import { wordOrder } from '../trace/word-order.js'

/** @import { SceneContext } from '../layer.js' */

/** A sentence that means something else in reverse order. */
const EXAMPLE = 'dog bites man'
/** Largest rounding difference of float32 sums in another order. */
const ROUNDING = 1e-5

/** Shows whether the order of the words matters. @param {SceneContext} context */
export function orderPanel(context) {
  const { t, qkv, result, arithmetic, settings, actions } = context
  const found = wordOrder(qkv, result, arithmetic)
  const tokens = result.settings.queries.tokens
  const isMasked = result.visible !== undefined
  return html`<p class="text">${t('orderText')}</p>
    <div class="buttons" role="group" aria-label=${t('positions')}>
      ${FIELDS.positions.kind.choices.map(
        name =>
          html`<button type="button" data-positions=${name} aria-pressed=${settings.positions === name}
            @click=${() => actions.change({ positions: name })}>${t(`positions.${name}`)}</button>`,
      )}
      ${
        settings.sentence === EXAMPLE
          ? ''
          : html`<button type="button" id="order-example" @click=${() => actions.change({ sentence: EXAMPLE })}>${EXAMPLE}</button>`
      }
    </div>
    ${
      found
        ? html`<div class="scroll"><table class="order-table">
        <caption>${t('orderCaption')}</caption>
        <thead><tr><td></td><th scope="col"><bdi>${tokens.join(' ')}</bdi></th><th
          scope="col"><bdi>${[...tokens].reverse().join(' ')}</bdi></th></tr></thead>
        <tbody>${found.words.map(
          ({ name, here, there }) =>
            html`<tr><th scope="row"><bdi>${name}</bdi></th><td data-number>${format(here)}</td><td data-number>${format(there)}</td></tr>`,
        )}</tbody>
      </table></div>
      <p id="order-says" data-most=${found.most}
        role="status">${t(found.most > ROUNDING ? (isMasked ? 'orderMasked' : 'orderMoves') : 'orderSame', {
          most: format(found.most),
        })}</p>`
        : html`<p class="note">${t('orderNone')}</p>`
    }`
}
