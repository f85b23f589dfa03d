import { html, nothing } from 'lit'
import './save-menu.js'
import { percent } from '../formats/numbers.js'
import { otherView, views } from './others.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').Mode} Mode */
/** @typedef {import('../i18n/index.js').Key} Key */

/**
 * One sentence: who looks hardest at whom.
 * @param {SceneContext} context
 */
export function strongest({ t, result, head, language, link }) {
  const { queries, keys, isCross } = result.settings
  const isSelf = link && !isCross && link.row === link.column
  const text = link
    ? t(isSelf ? 'strongestSelf' : 'strongest', {
        query: queries.tokens[link.row],
        key: keys.tokens[link.column],
        percent: percent(link.weight, language),
      })
    : t('strongestNone')
  return html`<p class="strongest">
    <span class="strongest-title">${result.heads > 1 ? t('strongestHead', { head: head + 1 }) : t('strongestTitle')}</span>
    <span class="strongest-text"><bdi>${text}</bdi></span>
    ${link?.skipped ? html`<span class="note">${t('strongestSkipped')}</span>` : nothing}
  </p>`
}

/** So many tokens are named one by one; the maps name them all. */
const MOST_CHIPS = 24

/**
 * @param {SceneContext} context
 * @param {Key} label
 * @param {import('qkv').Tokens} tokens
 */
const chips = ({ t }, label, { tokens, ids }) =>
  html`<div class="tokens">
    <span class="tokens-label">${t(label)}</span>
    <ol>
      ${tokens
        .slice(0, MOST_CHIPS)
        .map(
          (token, i) =>
            html`<li><bdi class="token">${token}</bdi> <span class="id" aria-label=${t('tokenId', { id: ids[i] })}>${ids[i]}</span></li>`,
        )}
      ${tokens.length > MOST_CHIPS ? html`<li class="rest">${t('moreTokens', { count: tokens.length - MOST_CHIPS })}</li>` : nothing}
    </ol>
  </div>`

/** @param {SceneContext} context */
export function tokens(context) {
  const { t } = context
  const { isCross, queries, keys, batch } = context.result.settings
  return [
    batch > 1 ? html`<p class="note" id="one-of-batch">${t('oneOfBatch', { batch })}</p>` : nothing,
    isCross
      ? [chips(context, 'tokensQueries', queries), chips(context, 'tokensKeys', keys)]
      : chips(context, 'tokens', queries),
  ]
}

/** The picture of each view that has one. */
const PICTURES = { map: '#map', lines: '#lines', difference: '#difference', numbers: '' }

/** Where colours of weights begin and end. */
const SHARES = [0, 1]

/** What a stroke over the map does. @param {SceneContext} context */
function modes({ t, mode, actions }) {
  const all = /** @type {Mode[]} */ (['read', 'edit', 'paint'])
  return html`<div class="modes" role="group" aria-label=${t('modes')}>
    ${all.map(
      name =>
        html`<button type="button" data-mode=${name} aria-pressed=${mode === name} @click=${() => actions.setMode(name)}>${t(`mode.${name}`)}</button>`,
    )}
  </div>`
}

/** Heads built by hand are called what they are. @param {SceneContext} context */
const namesOf = ({ t, result }) =>
  result.settings.model === 'zoo' ? result.settings.zoo.map(kind => t(`zoo.${kind}`)) : []

/**
 * All heads small, the chosen one large.
 * @param {SceneContext} context
 */
export function hero(context) {
  const { t, result, head, matrices, mask, actions, mode, cell, settings } = context
  const { tensors, heads } = result
  const { queries, keys } = result.settings
  const weights = /** @type {import('../models/index.js').FloatTensor} */ (tensors.weights)
  const large = /** @type {import('../explain/matrices.js').Matrix} */ (matrices.get('weights'))
  const at = (/** @type {CustomEvent} */ { detail: { row, column } }) => ({
    matrix: /** @type {const} */ ('weights'),
    head,
    row,
    column,
  })
  const isHere = cell.matrix === 'weights' && cell.head === head
  return html`<section class="hero" aria-label=${t('matrix.weights')}>
    ${strongest(context)}
    <div class="stage ${heads > 1 ? '' : 'is-single'}">
      ${
        heads > 1
          ? html`<div><qkv-heads
              .weights=${result.smalls ?? weights}
              .mask=${result.smalls ? undefined : mask}
              .numbers=${!result.smalls}
              .rowTokens=${queries.tokens}
              .columnTokens=${keys.tokens}
              .names=${namesOf(context)}
              .selected=${head}
              .texts=${t.elements}
              @head-select=${(/** @type {CustomEvent} */ event) => actions.look({ head: event.detail.head })}
            ></qkv-heads>
              <save-menu .t=${t} .name=${t.elements.heads} .picture=${'qkv-heads'}></save-menu></div>`
          : nothing
      }
      <div class="large">
        <div class="large-top">
          <h2>${t('matrix.weights')} ${heads > 1 ? html`<span class="of-head">${t('ofHead', { head: head + 1, heads })}</span>` : nothing} <save-menu .t=${t} .name=${t('matrix.weights')} .matrix=${large} .picture=${PICTURES[settings.view]}></save-menu></h2>
          ${views(context)} ${settings.view === 'map' ? modes(context) : nothing}
        </div>
        ${
          settings.view === 'map'
            ? html`<qkv-heatmap
          id="map"
          .label=${t('matrix.weights')}
          .matrix=${large.tensor}
          .ghost=${large.before}
          .mask=${mask}
          .rowTokens=${queries.tokens}
          .columnTokens=${keys.tokens}
          .rowTitle=${t('axis.queries')}
          .columnTitle=${t('axis.keys')}
          .domain=${SHARES}
          .mode=${mode}
          .texts=${t.elements}
          .cell=${isHere ? cell : undefined}
          .pinned=${isHere && settings.cell ? cell : undefined}
          @cell-focus=${(/** @type {CustomEvent} */ event) => actions.point(at(event))}
          @cell-pin=${(/** @type {CustomEvent} */ event) => actions.pin(at(event))}
          @cell-edit=${(/** @type {CustomEvent} */ event) => actions.edit(at(event), event.detail.value, 'drag weights')}
          @cell-paint=${(/** @type {CustomEvent} */ { detail }) => actions.paint(detail.row, detail.column, !detail.hide)}
        ></qkv-heatmap>`
            : otherView(context)
        }
      </div>
    </div>
  </section>`
}
