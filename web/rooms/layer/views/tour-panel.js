import { html, nothing } from 'lit'
import { guide } from '../../../shell/guide.js'
import { STOPS } from '../explain/tour.js'
import { withTerms } from './terms.js'
import { tourNumbers } from './tour-numbers.js'
import { rich } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/**
 * Draws a stop of the tour: a question, its answer with numbers of the page, and one task.
 * @param {SceneContext} context
 */
export function tourPanel(context) {
  const { t, actions, wasDone, settings } = context
  const at = Math.min(Math.max(settings.tour ?? 1, 1), STOPS.length)
  const { id, does, exercise } = STOPS[at - 1]
  const text = (/** @type {'question' | 'text' | 'do'} */ part) =>
    t(`tour.${id}.${part}`, part === 'text' ? tourNumbers(context, id) : {})
  const tryIt = exercise ? html` <a id="tour-try" href="#2&exercise=${exercise}">${t('tourTry')}</a>` : nothing
  /** @type {Set<string>} */
  const terms = new Set()
  return guide({
    t,
    id: 'tour',
    label: t('tour'),
    at,
    of: STOPS.length,
    title: text('question'),
    text: html`${
      does ? html`<span class="guide-badge" aria-hidden="true">1</span> ` : nothing
    }${rich(text('text'), part => withTerms(t, part, terms))}`,
    task: does
      ? html`<button type="button" class="plain" id="tour-do" @click=${() => actions.reveal(does)}>${text('do')}</button>${tryIt}`
      : html`${text('do')}${tryIt}`,
    badge: does ? '2' : '1',
    isDone: wasDone,
    go: actions.setTour,
  })
}
