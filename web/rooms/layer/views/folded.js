// A part of the page that is folded until it is opened, and loaded then.

import { html, nothing } from 'lit'
import { later, laterTexts } from '../../../shell/later.js'

/** @import { SceneContext } from '../layer.js' */

/** The texts of the room with those of such parts. @type {ReturnType<typeof laterTexts<SceneContext['t']>>} */
export const partTexts = laterTexts(['shell', 'layer', 'layer-parts'])

/** A part that is loaded with its texts when it is drawn. @param {() => Promise<(context: SceneContext) => unknown>} load */
export function part(load) {
  const found = later(load)
  return (/** @type {SceneContext} */ context) =>
    partTexts(context.t).draw(t => found.draw(draw => draw({ ...context, t })))
}

/** Parts that were opened. @type {Set<string>} */
const opened = new Set()

/** @param {SceneContext} context @param {string} id @param {string} title @param {(context: SceneContext) => unknown} part */
export function folded(context, id, title, part) {
  const open = (/** @type {Event} */ { currentTarget }) => {
    if (!(/** @type {HTMLDetailsElement} */ (currentTarget).open) || opened.has(id)) return
    opened.add(id)
    context.actions.refresh()
  }
  return html`<details class="experiment" id=${id} @toggle=${open}>
    <summary>${title}</summary>
    ${opened.has(id) ? part(context) : nothing}
  </details>`
}
