// The curves of the run, the slider over its steps, and the curves as a table.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { curves, headScores, linesOf } from './curves.js'
import { isFresh } from './fields.js'
import { EVERY } from './snapshots.js'
import { TASKS } from './tasks/index.js'

/** @import { Context } from './learn.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Context} context @param {import('./learn.js').RunInfo} run @param {import('./learn.js').Picture} picture */
export function curvesPanel(context, run, { shownAt }) {
  const { t, settings, view, act } = context
  const { task, at } = settings
  const { points, steps } = view
  const most = Math.max(run.settings.steps, steps)
  const last = points.at(-1)
  if (isFresh(context)) return curves(context, run, most, shownAt)
  return html`${curves(context, run, most, shownAt)}
    <label class="learn-at">${t('learnAt')} <output data-step=${shownAt}>${shownAt}</output>
      <input id="learn-at" type="range" min="0" max=${most} step=${EVERY} .value=${live(String(at ?? shownAt))}
        aria-valuetext=${t('learnAtValue', { step: shownAt })}
        @input=${(/** @type {InputEvent} */ { target }) => act.goTo(Math.min(Number(target.value), steps))} /></label>
    <button type="button" class="tool" id="learn-live" ?disabled=${at === null}
      @click=${() => act.goTo(null)}>${t('learnLive')} ${steps}</button>
    ${
      TASKS[task].hasText && last
        ? html`<p class="learn-bits">${t('learnBits', { bits: (last.heldOutLoss / Math.LN2).toFixed(2) })}</p>`
        : nothing
    }
    ${table(context)}`
}

/** @param {Context} context */
function table({ t, settings: { task }, view: { points, isTable }, act }) {
  const heads = headScores(points).map(({ name, kind, value }) => ({ label: t(`learnScore.${kind}`, { name }), value }))
  const columns = [...linesOf(task).map(({ name, value }) => ({ label: t(name), value })), ...heads]
  return html`<details class="learn-table" ?open=${isTable}
    @toggle=${(/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
      act.show({ isTable: target.open })}><summary>${t('learnTable')}</summary>${
      isTable
        ? html`<div class="learn-scroll" tabindex="0" role="group" aria-label=${t('learnTable')}><table>
      <tr><th scope="col">${t('learnAt')}</th>${columns.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr>
      ${points.map(
        point =>
          html`<tr><th scope="row">${point.step}</th>${columns.map(({ value }) => html`<td>${value(point).toFixed(3)}</td>`)}</tr>`,
      )}
    </table></div>`
        : nothing
    }</details>`
}
