// Explains a prediction: the most likely tokens, and what each part of the model adds to the logit of one of them.

import { html, nothing } from 'lit'
import { headName } from '../../attention-head/changes.js'
import { signed } from '../../ui/contributions.js'
import { drawParts } from '../../ui/inspector.js'
import { headAt } from './run-state.js'
import { TASKS } from './tasks/index.js'

/** @import { Context, Picture, RunInfo } from './learn.js' */
/** @import { Share } from './logit-shares.js' */

/** Maximum number of positions listed for a head. */
const MOST = 8

/**
 * Lists what the positions that a head reads from contribute: the largest contributions, and the sum of the rest.
 * @param {Context['t']} t
 * @param {Float32Array} sources
 * @param {number} token
 * @param {readonly string[]} columns
 */
function positions(t, sources, token, columns) {
  const sorted = columns
    .map((name, j) => ({ name, j, value: sources[token * columns.length + j] }))
    .filter(({ value }) => value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
  const rest = sorted.slice(MOST)
  const sum = rest.reduce((sum, { value }) => sum + value, 0)
  return html`<p class="note">${t('whySources')}</p><ul>
    ${sorted.slice(0, MOST).map(({ name, j, value }) => html`<li><bdi>${name}</bdi><sub>${j + 1}</sub> <b>${signed(value)}</b></li>`)}
    ${rest.length ? html`<li>${t('moreTerms', { count: rest.length, sum: signed(sum) })}</li>` : nothing}
  </ul>`
}

/** Draws the explanation of an answer. @param {Context} context @param {RunInfo} run @param {Picture} picture */
export function why(context, { settings: { mlp } }, { shown: { why } }) {
  const { t, isDark, settings, view, act } = context
  if (settings.why === null || !why) return nothing
  const { tokens, shares, columns } = why
  const at = Math.min(view.whyToken, tokens.length - 1)
  const { token, logit } = tokens[at]
  const title = t('why', { token: tokens[0].token })
  const hasHeadsOnly = TASKS[settings.task].hasCross && !mlp
  /** @param {Share} share @returns {import('../../attention-head/head.js').Addend} */
  const addend = ({ kind, layer, head, values, sources }) => {
    const isHead = kind === 'head'
    const name = isHead ? headName({ layer, head }) : `${kind}${layer < 0 ? '' : layer + 1}`
    const label = t(`why.${kind}`, { name, layer: layer + 1 })
    const isOpen = isHead && name === view.whyHead
    return {
      name,
      label,
      value: values[at],
      opens: isHead ? { head: headAt({ layer, head }) } : undefined,
      isOpen,
      below: isOpen && sources ? positions(t, sources, at, columns) : undefined,
    }
  }
  const open = (/** @type {import('../../attention-head/head.js').Place} */ { head }) => {
    const name = head ? headName(head) : ''
    act.show({ whyHead: name === view.whyHead ? '' : name })
  }
  return html`<section class="why" id="why" tabindex="-1" aria-labelledby="why-title">
    <header><h2 id="why-title">${title}</h2>
      <button type="button" class="tool" id="why-close" @click=${() => act.explain(null)}>${t('close')}</button></header>
    ${drawParts({ t, isDark, act: { open } }, [
      { type: 'text', tone: 'note', text: t(hasHeadsOnly ? 'whyTextCross' : 'whyText') },
      {
        type: 'guesses',
        id: 'why-tokens',
        label: title,
        columns: [t('whyToken'), t('whyBar'), t('whyShare'), t('whyLogit')],
        rows: tokens.map(({ token, logit, share }, i) => ({
          share,
          last: logit.toFixed(4).replace('-', '−'),
          isCurrent: i === at,
          token: html`<button type="button" class="why-token" aria-pressed=${i === at}
            @click=${() => act.show({ whyToken: i })}><bdi>${token}</bdi></button>`,
        })),
      },
      { type: 'heading', text: t('whyOf', { token }) },
      {
        type: 'addends',
        id: 'why-shares',
        label: t('whyOf', { token }),
        rows: shares.map(addend),
        sum: { label: t('whySum'), value: logit },
      },
    ])}
  </section>`
}
