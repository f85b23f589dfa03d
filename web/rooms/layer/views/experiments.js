import { html, noChange, nothing } from 'lit'
import '../../../elements/heatmap.js'
import { live } from 'lit/directives/live.js'
import { format } from '../../../files/number-format.js'
import { ofHead } from '../numbers/tensors.js'
import { largest } from '../trace/subtract.js'
import { algebra } from './algebra-panel.js'
import { inductionPanel } from './induction-panel.js'
import { distributionPanel } from './score-panel.js'

/** @import { FloatTensor, SceneContext } from '../layer.js' */

/** Longer sentences are tried by their first tokens. */
const MOST_TOKENS = 64

/** Changes below this are rounding, not attention. */
const ROUNDING = 1e-5

/**
 * A difference, however small.
 * @param {number} x
 */
const small = x => (x !== 0 && Math.abs(x) < 5e-4 ? x.toExponential(1).replace('-', '−') : format(x))

/**
 * The changed token, and whose outputs changed. Open if a link holds a try; after that as the reader leaves it.
 * @param {SceneContext} context
 */
function tokenSwapPanel(context) {
  const { t, settings, result, actions } = context
  const { tensors, tokenSwap, settings: checked } = result
  if (!tensors.X || result.detailHead !== undefined) return nothing // many tokens are computed once
  const { tokens } = checked.isCross ? checked.keys : checked.queries
  return html`<details class="experiment" id="token-swap" .open=${tokenSwap ? true : noChange}>
    <summary>${t('tokenSwap')}</summary>
    <p class="text">${t(checked.isCross ? 'tokenSwapTextCross' : 'tokenSwapText')}</p>
    <div class="token-swap-controls">
      <div class="group token-swap-tokens" role="group" aria-label=${t('tokenSwapToken')}>
        ${tokens.slice(0, MOST_TOKENS).map(
          (token, i) =>
            html`<button
              type="button"
              data-probe=${i}
              aria-pressed=${tokenSwap?.position === i}
              @click=${() => actions.change({ probe: tokenSwap?.position === i ? null : i })}
            ><bdi>${token}</bdi></button>`,
        )}
        ${tokens.length > MOST_TOKENS ? html`<span class="note">${t('moreTokens', { count: tokens.length - MOST_TOKENS })}</span>` : nothing}
      </div>
      <div class="field">
        <label for="probeWord">${t('probeWord')}</label>
        <input
          id="probeWord"
          dir="auto"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          .value=${live(settings.probeWord)}
          @input=${(/** @type {Event & { target: HTMLInputElement }} */ event) => actions.change({ probeWord: event.target.value }, 'probeWord')}
        />
      </div>
    </div>
    <div aria-live="polite">${tokenSwap ? moved(context, tokenSwap) : nothing}</div>
  </details>`
}

/** @param {SceneContext} context @param {import('../trace/token-swap.js').TokenSwap} tokenSwap */
function moved({ t, result }, { position, word, moved: amounts }) {
  const { queries, keys, isCross, masking } = result.settings
  const most = largest(amounts)
  const count = amounts.filter(x => x !== 0).length
  const before = amounts.slice(0, position).filter(x => x !== 0).length
  const { tokens } = isCross ? keys : queries
  const params = { token: tokens[position], word, count, all: amounts.length, before, of: position }
  const isRounding = amounts.some(x => x !== 0 && x < ROUNDING)
  return html`<p class="token-swap-moved" data-moved=${count} data-before=${before}>
      ${t('tokenSwapMoved', params)} ${isCross || position === 0 ? nothing : t(before ? 'tokenSwapSome' : 'tokenSwapNone', params)}
      ${masking === 'after' && isRounding ? t('tokenSwapRounding') : nothing}
    </p>
    <ol class="strip">
      ${amounts.slice(0, MOST_TOKENS).map(
        (amount, i) =>
          html`<li class=${amount === 0 ? 'is-still' : ''} data-amount=${amount}>
            <span class="strip-token">${!isCross && i === position ? html`<del><bdi>${queries.tokens[i]}</bdi></del> <ins><bdi>${word}</bdi></ins>` : html`<bdi>${queries.tokens[i]}</bdi>`}</span>
            <span class="strip-bar" aria-hidden="true"><span .style=${`inline-size: ${most ? (100 * amount) / most : 0}%`}></span></span>
            <span class="strip-amount">${amount === 0 ? t('stoodStill') : small(amount)}</span>
          </li>`,
      )}
    </ol>`
}

/**
 * Minus infinity before softmax beside zero after it.
 * @param {SceneContext} context
 */
function maskOrder(context) {
  const { t, result, head, mask } = context
  const { visible, maskOrder: both } = result
  if (!visible || !result.tensors.scores) return nothing
  return html`<details class="experiment" id="mask-order">
    <summary>${t('maskOrder')}</summary>
    ${
      both
        ? html`<p class="text">${t('maskOrderText')}</p>
          <p class="mask-order-most" data-most=${both.most}>${t('maskOrderMost', { most: small(both.most) })}</p>
          <div class="mask-order-maps">
            ${maskedMap(context, 'before', t('masking.before'), ofHead(both.before, head), mask)}
            ${maskedMap(context, 'after', t('masking.after'), ofHead(both.after, head), mask)}
            ${maskedMap(context, 'difference', both.digits ? html`${t('maskOrderDifference')} × 10<sup>−${both.digits}</sup>` : t('maskOrderDifference'), ofHead(both.difference, head))}
          </div>`
        : html`<p class="text">${t('maskOrderMany')}</p>`
    }
  </details>`
}

/**
 * @param {SceneContext} context
 * @param {'before' | 'after' | 'difference'} name
 * @param {unknown} title
 * @param {FloatTensor} tensor
 * @param {SceneContext['mask']} [mask]
 */
function maskedMap({ t, result }, name, title, tensor, mask) {
  const { queries, keys } = result.settings
  const isDifference = name === 'difference'
  const reach = largest(tensor.data) || 1
  return html`<figure class="masked-map" data-masking=${name}>
    <figcaption>${title}</figcaption>
    <qkv-heatmap
      .label=${isDifference ? t('maskOrderDifference') : t(`masking.${name}`)}
      .matrix=${tensor}
      .mask=${mask}
      .rowTokens=${queries.tokens}
      .columnTokens=${keys.tokens}
      .rowTitle=${t('axis.queries')}
      .columnTitle=${t('axis.keys')}
      .scale=${isDifference ? 'diverging' : 'sequential'}
      .domain=${isDifference ? [-reach, reach] : [0, 1]}
      .decimals=${2}
      .texts=${t.elements}
    ></qkv-heatmap>
  </figure>`
}

/** What can be tried on the mask. @param {SceneContext} context */
export const experiments = context =>
  html`<div class="experiments">${inductionPanel(context)} ${algebra(context)} ${tokenSwapPanel(context)} ${maskOrder(context)} ${distributionPanel(context)}</div>`
