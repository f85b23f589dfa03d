import { html, nothing } from 'lit'
import { stepsOf } from '../explain/steps.js'
import { part } from './folded.js'

/** @import { SceneContext } from '../layer.js' */

const panel = part(async () => (await import('./tour-panel.js')).tourPanel)

/**
 * Draws the dock: the steps with the current one marked, Back and Next, and the tour.
 * @param {SceneContext} context
 */
export function dock(context) {
  const { t, actions, result, settings } = context
  const { tour } = settings
  const steps = stepsOf(result)
  const current = steps.some(({ id }) => id === settings.step) ? settings.step : steps[0].id
  const at = steps.findIndex(({ id }) => id === current)
  return html`<div class="dock ${tour === null ? '' : 'has-tour'}">
    ${tour === null ? nothing : panel(context)}
    <nav class="dock-row" aria-label=${t('steps')}>
      <tool-group class="rail" role="group" aria-label=${t('steps')}>
        ${steps.map(
          ({ id }, i) =>
            html`<a href="#step-${id}" data-step=${id} title=${t(`step.${id}`)} aria-current=${id === current ? 'step' : nothing} @click=${(
              /** @type {Event} */ event,
            ) => {
              event.preventDefault() // the hash stores the settings
              actions.goTo(id)
            }}><span class="number-of">${i + 1}</span> <span class="name-of">${t(`rail.${id}`)}</span></a>`,
        )}
      </tool-group>
      <tool-group class="step-buttons" aria-label=${t('steps')}>
        <button type="button" class="tool" id="to-matrices" @click=${() => actions.reveal(`#step-${current}`)}>${t('toMatrices')}</button>
        <button type="button" class="tool icon" id="previous" aria-label=${t('previous')} title=${t('previous')}
          ?disabled=${at <= 0} @click=${() => actions.moveStep(-1)}>←</button>
        <button type="button" class="tool icon" id="next" aria-label=${t('next')} title=${t('next')}
          ?disabled=${at >= steps.length - 1} @click=${() => actions.moveStep(1)}>→</button>
      </tool-group>
    </nav>
  </div>`
}
