// The curves of the run with what stands below them: the slider over its steps, and the curves as a table.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { headName } from '../../head/changes.js'
import { curves, linesOf } from './curves.js'
import { differsFromDefaults } from './fields.js'
import { EVERY } from './snapshots.js'
import { TASKS } from './tasks/index.js'

/** @typedef {import('./learn.js').Context} Context */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Context} context @param {import('./learn.js').RunInfo} run @param {import('./learn.js').Picture} picture */
export function curvesPanel(context, run, { shownAt }) {
  const { t, settings, view, act } = context
  const { task, at } = settings
  const { points, steps } = view
  const most = Math.max(run.settings.steps, steps)
  const last = points.at(-1)
  return html`${curves({
    t,
    task,
    view,
    steps: most,
    hasBand: !differsFromDefaults(task, run.settings, ['seed']),
    shownAt,
    guess: 1 / run.shape.outputs,
    baseline: run.baseline,
  })}
    <label class="learn-at">${t('learnAt')} <output data-step=${shownAt}>${shownAt}</output>
      <input id="learn-at" type="range" min="0" max=${most} step=${EVERY} .value=${live(String(at ?? shownAt))} aria-valuetext=${t('learnAtValue', { step: shownAt })} @input=${(/** @type {InputEvent} */ { target }) => act.goTo(Math.min(Number(target.value), steps))} /></label>
    <button type="button" class="tool" id="learn-live" ?disabled=${at === null} @click=${() => act.goTo(null)}>${t('learnLive')} ${steps}</button>
    ${TASKS[task].hasText && last ? html`<p class="learn-bits">${t('learnBits', { bits: (last.heldOutLoss / Math.LN2).toFixed(2) })}</p>` : nothing}
    ${table(context)}`
}

/** @param {Context} context */
function table({ t, settings: { task }, view: { points, isTable }, act }) {
  const lines = linesOf(task)
  const heads = points[0]?.heads.flatMap((layer, l) => layer.map((_, head) => ({ layer: l, head }))) ?? []
  return html`<details class="learn-table" ?open=${isTable} @toggle=${(/** @type {Event & { target: HTMLDetailsElement }} */ { target }) => act.show({ isTable: target.open })}><summary>${t('learnTable')}</summary>${
    isTable
      ? html`<div class="learn-scroll" tabindex="0" role="group" aria-label=${t('learnTable')}><table>
      <tr><th scope="col">${t('learnAt')}</th>${lines.map(({ name }) => html`<th scope="col">${t(name)}</th>`)}${heads.map(head => html`<th scope="col">${t('learnScore.previous', { name: headName(head) })}</th><th scope="col">${t('learnScore.answer', { name: headName(head) })}</th>`)}</tr>
      ${points.map(point => html`<tr><th scope="row">${point.step}</th>${lines.map(({ value }) => html`<td>${value(point).toFixed(3)}</td>`)}${heads.map(({ layer, head }) => html`<td>${point.heads[layer][head].previous.toFixed(3)}</td><td>${point.heads[layer][head].answer.toFixed(3)}</td>`)}</tr>`)}
    </table></div>`
      : nothing
  }</details>`
}
