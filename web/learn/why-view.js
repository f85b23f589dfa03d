// Why a model says what it says: its likeliest tokens, and what each part of the
// model adds to the logit of one of them.

import { html, nothing } from 'lit'
import { headName } from '../settings/changes.js'

/** @typedef {import('./changes.js').HeadsTranslate} HeadsTranslate */

/**
 * @typedef {object} Addend
 * @property {'embedding' | 'head' | 'mlp' | 'bias'} kind
 * @property {number} layer from 0
 * @property {number} head from 0
 * @property {ArrayLike<number>} values of each token
 * @property {ArrayLike<number>} [sources] of a head: its values, each by position, (tokens, columns)
 */

/**
 * @typedef {object} WhyGiven
 * @property {HeadsTranslate} t
 * @property {readonly { token: string, logit: number, share: number }[]} tokens the likeliest, or those that are looked at
 * @property {readonly Addend[]} shares whose sums are the logits
 * @property {readonly string[]} columns the words of the positions
 * @property {number} chosen which token
 * @property {string} open the head whose positions are shown, such as '2.1', or ''
 * @property {boolean} isCross are there heads only?
 * @property {(patch: { chosen?: number, open?: string }) => void} set
 * @property {() => void} [close]
 */

/** With a true minus. @param {number} x */
const signed = x => `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(4)}`
const plain = (/** @type {number} */ x) => x.toFixed(4).replace('-', '−')
const percent = (/** @type {number} */ share) =>
  share > 0 && share < 0.001 ? '< 0.1%' : share > 0.9995 && share < 1 ? '> 99.9%' : `${(100 * share).toFixed(1)}%`
/** Positions that are shown of a head. */
const MOST = 8

/** A bar from the middle to one side. @param {number} value @param {number} most */
function bar(value, most) {
  const width = most > 0 ? (50 * Math.abs(value)) / most : 0
  const side = value < 0 ? `right: 50%` : `left: 50%`
  return html`<span class="why-bar" aria-hidden="true"><i class=${value < 0 ? 'is-negative' : 'is-positive'} .style=${`${side}; width: ${width.toFixed(2)}%`}></i></span>`
}

/** @param {WhyGiven} given @param {Addend} addend @param {number} most */
function row({ t, chosen, columns, open, set }, addend, most) {
  const { kind, layer, sources, values } = addend
  const name = kind === 'head' ? headName(addend) : ''
  const label = t(`why.${kind}`, { name, layer: layer + 1 })
  const value = values[chosen]
  const isOpen = open === name && name !== ''
  const list = isOpen && sources ? positions(sources, chosen, columns) : undefined
  return html`<tr class="why-row" data-part=${name || `${kind}${layer < 0 ? '' : layer + 1}`}>
      <th scope="row">${sources ? html`<button type="button" class="why-open" aria-expanded=${isOpen} @click=${() => set({ open: isOpen ? '' : name })}>${label}</button>` : label}</th>
      <td class="why-draw">${bar(value, most)}</td><td class="why-value" data-value=${value}>${signed(value)}</td>
    </tr>
    ${
      list
        ? html`<tr class="why-positions"><td colspan="3"><p class="note">${t('whySources')}</p><ul>
            ${list.first.map(
              ({ j, value }) => html`<li><bdi>${columns[j]}</bdi><sub>${j + 1}</sub> <b>${signed(value)}</b></li>`,
            )}
            ${list.count ? html`<li>${t('whyRest', { count: list.count, sum: signed(list.sum) })}</li>` : nothing}
          </ul></td></tr>`
        : nothing
    }`
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
  const { t, tokens, shares, chosen, isCross, set, close } = given
  const at = Math.min(chosen, tokens.length - 1)
  const { token, logit } = tokens[at]
  const most = Math.max(...shares.map(({ values }) => Math.abs(values[at])))
  const likeliest = Math.max(...tokens.map(({ share }) => share))
  return html`<section class="why" id="why" tabindex="-1" aria-labelledby="why-title">
    <header><h2 id="why-title">${t('why', { token: tokens[0].token })}</h2>
      ${close ? html`<button type="button" class="tool" id="why-close" @click=${close}>${t('whyClose')}</button>` : nothing}</header>
    <p class="note">${t(isCross ? 'whyTextCross' : 'whyText')}</p>
    <table class="why-tokens"><tr><td></td><th scope="col">${t('whyShare')}</th><td></td><th scope="col">${t('whyLogit')}</th></tr>
      ${tokens.map(
        ({ token, logit, share }, i) => html`<tr aria-current=${i === at ? 'true' : nothing}>
          <th scope="row"><button type="button" class="why-token" aria-pressed=${i === at} @click=${() => set({ chosen: i })}><bdi>${token}</bdi></button></th>
          <td class="why-value">${percent(share)}</td>
          <td class="why-draw"><span class="why-share" aria-hidden="true" .style=${`width: ${((100 * share) / likeliest).toFixed(2)}%`}></span></td>
          <td class="why-value">${plain(logit)}</td></tr>`,
      )}
    </table>
    <h3>${t('whyOf', { token })}</h3>
    <table class="why-shares">
      ${shares.map(addend => row({ ...given, chosen: at }, addend, most))}
      <tr class="why-sum"><th scope="row">${t('whySum')}</th><td></td><td class="why-value" data-value=${logit}>${plain(logit)}</td></tr>
    </table>
  </section>`
}
