// Why a model says what it says: its likeliest tokens, and what each part of the
// model adds to the logit of one of them.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { headName } from '../../head/changes.js'
import { contributions, likeliest, signed } from '../../head/contributions.js'

/** @typedef {import('../../head/changes-bar.js').HeadTranslate} HeadTranslate */

/**
 * @typedef {object} Share
 * @property {'embedding' | 'head' | 'mlp' | 'bias'} kind
 * @property {number} layer from 0
 * @property {number} head from 0
 * @property {ArrayLike<number>} values of each token
 * @property {ArrayLike<number>} [sources] of a head: its values, each by position, (tokens, columns)
 */

/**
 * @typedef {object} WhyGiven
 * @property {HeadTranslate} t
 * @property {readonly { token: string, logit: number, share: number }[]} tokens the likeliest, or those that are looked at
 * @property {readonly Share[]} shares whose sums are the logits
 * @property {readonly string[]} columns the words of the positions
 * @property {number} chosen which token
 * @property {string} open the head whose positions are shown, such as '2.1', or ''
 * @property {boolean} isCross are there heads only?
 * @property {(token: number) => void} choose
 * @property {(head: string) => void} openHead
 * @property {() => void} close
 */

/** With a true minus. @param {number} x */
const plain = x => x.toFixed(4).replace('-', '−')
/** Positions that are shown of a head. */
const MOST = 8

/** A part of the model as an addend of a token's logit. @param {WhyGiven} given @param {Share} share @param {number} chosen @returns {import('../../head/contributions.js').Addend} */
function addendOf({ t, columns, open, openHead }, { kind, layer, head, sources, values }, chosen) {
  const name = kind === 'head' ? headName({ layer, head }) : ''
  const isOpen = open === name && name !== ''
  const addend = {
    name: name || `${kind}${layer < 0 ? '' : layer + 1}`,
    label: t(`why.${kind}`, { name, layer: layer + 1 }),
    value: values[chosen],
  }
  if (!sources) return addend
  const below = isOpen ? positionList(t, sources, chosen, columns) : undefined
  return { ...addend, isOpen, open: () => openHead(isOpen ? '' : name), below }
}

/** From which positions a head adds. @param {HeadTranslate} t @param {ArrayLike<number>} sources @param {number} token @param {readonly string[]} columns */
function positionList(t, sources, token, columns) {
  const { first, count, sum } = positions(sources, token, columns)
  return html`<p class="note">${t('whySources')}</p><ul>
    ${first.map(({ j, value }) => html`<li><bdi>${columns[j]}</bdi><sub>${j + 1}</sub> <b>${signed(value)}</b></li>`)}
    ${count ? html`<li>${t('whyRest', { count, sum: signed(sum) })}</li>` : nothing}
  </ul>`
}

/** The largest of a head's positions, and the sum of the rest. @param {ArrayLike<number>} sources @param {number} token @param {readonly string[]} columns */
function positions(sources, token, { length }) {
  const all = Array.from({ length }, (_, j) => ({ j, value: sources[token * length + j] }))
  const sorted = all.filter(({ value }) => value !== 0).sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
  const rest = sorted.slice(MOST)
  return { first: sorted.slice(0, MOST), count: rest.length, sum: rest.reduce((sum, { value }) => sum + value, 0) }
}

/** @param {WhyGiven} given */
export function why(given) {
  const { t, tokens, shares, chosen, isCross, choose, close } = given
  const at = Math.min(chosen, tokens.length - 1)
  const { token, logit } = tokens[at]
  return html`<section class="why" id="why" tabindex="-1" aria-labelledby="why-title">
    <header><h2 id="why-title">${t('why', { token: tokens[0].token })}</h2>
      <button type="button" class="tool" id="why-close" @click=${close}>${t('whyClose')}</button></header>
    <p class="note">${t(isCross ? 'whyTextCross' : 'whyText')}</p>
    ${likeliest(
      'why-tokens',
      t('why', { token: tokens[0].token }),
      ['whyToken', 'whyBar', 'whyShare', 'whyLogit'].map(key => t(/** @type {any} */ (key))),
      tokens.map(({ token, logit, share }, i) => ({
        share,
        written: percent(share),
        last: plain(logit),
        isCurrent: i === at,
        token: html`<button type="button" class="why-token" aria-pressed=${i === at} @click=${() => choose(i)}><bdi>${token}</bdi></button>`,
      })),
    )}
    <h3>${t('whyOf', { token })}</h3>
    ${contributions(
      'why-shares',
      t('whyOf', { token }),
      shares.map(share => addendOf(given, share, at)),
      { label: t('whySum'), value: logit },
    )}
  </section>`
}
