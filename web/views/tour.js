import { html, nothing } from 'lit'
import { STOPS } from '../explain/tour.js'
import { tourNumbers } from './tour-numbers.js'
import { rich } from './words.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../i18n/index.js').Key} Key */

/**
 * A stop of the tour: a question, what the page answers, one thing to do.
 * @param {SceneContext} context
 * @param {number} tour the stop, from 1
 */
export function tourPanel(context, tour) {
  const { t, actions } = context
  const at = Math.min(Math.max(tour, 1), STOPS.length)
  const { id } = STOPS[at - 1]
  const text = (/** @type {'question' | 'text' | 'do'} */ part) =>
    rich(t(/** @type {Key} */ (`tour.${id}.${part}`), part === 'text' ? tourNumbers(context, id) : {}))
  return html`<section class="tour" id="tour" aria-label=${t('tour')} data-stop=${at}>
    <h2 class="tour-question">${text('question')}</h2>
    <div class="tour-text"><p id="tour-text">${text('text')}</p><p class="tour-do"><span class="tour-badge">1</span> ${text('do')}</p></div>
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
