import { html } from 'lit'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../i18n/index.js').Key} Key */

/**
 * @param {SceneContext} context
 * @param {Key} label
 * @param {import('qkv').Tokens} tokens
 */
const chips = ({ t }, label, { tokens, ids }) =>
  html`<div class="tokens">
    <span class="tokens-label">${t(label)}</span>
    <ol>
      ${tokens.map(
        (token, i) =>
          html`<li><span class="token">${token}</span> <span class="id" aria-label=${t('tokenId', { id: ids[i] })}>${ids[i]}</span></li>`,
      )}
    </ol>
  </div>`

/** @param {SceneContext} context */
export function tokens(context) {
  const { isCross, queries, keys } = context.result.settings
  return isCross
    ? [chips(context, 'tokensQueries', queries), chips(context, 'tokensKeys', keys)]
    : chips(context, 'tokens', queries)
}
