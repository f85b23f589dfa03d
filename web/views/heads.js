import { html } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { weightsOf } from '../matrices.js'
import { paint } from './paint.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */

/**
 * One small map of weights for each head; a click shows that head.
 * @param {SceneContext} context
 */
export function heads({ t, result, head, actions, isDark }) {
  return html`<div class="heads" role="group" aria-label=${t('headsHeading')}>
    ${result.heads.map(
      (
        { steps },
        i,
      ) => html`<button type="button" class="head" data-head=${i} aria-pressed=${i === head} @click=${() => actions.selectHead(i)}>
        <canvas aria-hidden="true" ${ref(canvas => paint(canvas, weightsOf(steps), isDark))}></canvas>
        <span>${t('head', { head: i + 1 })}</span>
      </button>`,
    )}
  </div>`
}
