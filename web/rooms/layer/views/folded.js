// A part of the page that is folded until it is opened, and loaded then.

import { html, nothing } from 'lit'

/** @import { SceneContext } from '../layer.js' */

/** Parts that were opened. @type {Set<string>} */
const opened = new Set()

/**
 * @param {SceneContext} context
 * @param {string} id
 * @param {string} title
 * @param {ReturnType<typeof import('../../../shell/later.js').later<(context: SceneContext) => unknown>>} part
 */
export function folded(context, id, title, part) {
  const open = (/** @type {Event} */ { currentTarget }) => {
    if (!(/** @type {HTMLDetailsElement} */ (currentTarget).open) || opened.has(id)) return
    opened.add(id)
    context.actions.refresh()
  }
  return html`<details class="experiment" id=${id} @toggle=${open}>
    <summary>${title}</summary>
    ${opened.has(id) ? part.draw(draw => draw(context)) : nothing}
  </details>`
}
