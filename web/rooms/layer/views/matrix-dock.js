import { html, nothing } from 'lit'
import { stepsOf } from '../explain/steps.js'
import { tourPanel } from './tour-panel.js'

/** @import { SceneContext } from '../layer.js' */

/** How fast a step plays. */
export const PACES = /** @type {const} */ ([0.25, 0.5, 1, 2, 4])

/**
 * The steps with the current one, the play bar, and the tour.
 * @param {SceneContext} context
 */
export function dock(context) {
  const { t, actions, playing, result, settings, pace } = context
  const { tour } = settings
  const steps = stepsOf(result)
  const current = steps.some(({ id }) => id === settings.step) ? settings.step : steps[0].id
  const at = steps.findIndex(({ id }) => id === current)
  const names = pace === 0.25 ? '¼×' : pace === 0.5 ? '½×' : `${pace}×`
  return html`<div class="dock ${tour === null ? '' : 'has-tour'}">
    ${tour === null ? nothing : tourPanel(context, tour)}
    <nav class="dock-row" aria-label=${t('steps')}>
      <tool-group class="rail" role="group" aria-label=${t('steps')}>
        ${steps.map(
          ({ id }, i) =>
            html`<a href="#step-${id}" data-step=${id} title=${t(`step.${id}`)} aria-current=${id === current ? 'step' : nothing} @click=${(
              /** @type {Event} */ event,
            ) => {
              event.preventDefault() // the hash is the settings'
              actions.look({ step: id })
            }}><span class="number-of">${i + 1}</span> <span class="name-of">${t(`rail.${id}`)}</span></a>`,
        )}
      </tool-group>
      <tool-group class="step-buttons" aria-label=${t('play')}>
        <button type="button" class="tool icon" id="previous" aria-label=${t('previous')} title=${t('previous')} ?disabled=${at <= 0} @click=${() => actions.moveStep(-1)}>←</button>
        <button type="button" class="tool" id="play" aria-pressed=${playing !== undefined} title=${t('playTitle')} @click=${actions.play}>${t(playing ? 'pause' : 'play')}</button>
        <button type="button" class="tool icon" id="next" aria-label=${t('next')} title=${t('next')} ?disabled=${at >= steps.length - 1} @click=${() => actions.moveStep(1)}>→</button>
        <button type="button" class="tool" id="pace" aria-label=${t('pace', { pace: names })} title=${t('pace', { pace: names })} @click=${() => actions.setPace(PACES[(PACES.indexOf(/** @type {any} */ (pace)) + 1) % PACES.length])}>${names}</button>
      </tool-group>
    </nav>
  </div>`
}
