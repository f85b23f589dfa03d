import { html, nothing } from 'lit'
import { STOPS } from '../explain/tour.js'
import { withTerms } from './terms.js'
import { tourNumbers } from './tour-numbers.js'
import { rich } from './word-buttons.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../../../i18n/index.js').Key} Key */

/**
 * A stop of the tour: a question, what the page answers, one thing to do.
 * @param {SceneContext} context
 * @param {number} tour the stop, from 1
 */
export function tourPanel(context, tour) {
  const { t, actions, wasDone } = context
  const at = Math.min(Math.max(tour, 1), STOPS.length)
  const { id, does } = STOPS[at - 1]
  const text = (/** @type {'question' | 'text' | 'do'} */ part) =>
    t(/** @type {Key} */ (`tour.${id}.${part}`), part === 'text' ? tourNumbers(context, id) : {})
  const badge = (/** @type {string | number} */ sign) => html`<span class="tour-badge">${sign}</span>`
  /** @type {Set<string>} */
  const terms = new Set()
  return html`<section class="tour" id="tour" aria-label=${t('tour')} data-stop=${at}>
    <h2 class="tour-question">${text('question')}</h2>
    <div class="tour-text">
      <p>${does ? badge(1) : nothing} <span id="tour-text">${rich(text('text'), part => withTerms(t, part, terms))}</span></p>
      <p class="tour-do ${wasDone ? 'is-done' : ''}">${badge(wasDone ? '✓' : does ? 2 : 1)}
        ${does ? html`<button type="button" class="plain" id="tour-do" @click=${() => actions.reveal(does)}>${text('do')}</button>` : text('do')}
        <span role="status" id="tour-done">${wasDone ? t('tourDone') : ''}</span></p>
    </div>
    <tool-group class="tour-buttons" aria-label=${t('tour')}>
      <button type="button" class="tool" id="tour-back" ?disabled=${at === 1} @click=${() => actions.setTour(at - 1)}>${t('back')}</button>
      <span class="tour-at">${t('tourAt', { at, of: STOPS.length })}</span>
      ${
        at < STOPS.length
          ? html`<button type="button" class="tool is-filled" id="tour-next" @click=${() => actions.setTour(at + 1)}>${t('tourNext')}</button>`
          : nothing
      }
      <button type="button" class="tool icon" id="tour-leave" aria-label=${t('tourLeave')} title=${t('tourLeave')} @click=${() => actions.setTour(null)}>×</button>
    </tool-group>
  </section>`
}
