// A collapsed part of the page that is loaded when it is opened.

import { html, nothing } from 'lit'
import { later } from '../../../shell/later.js'
import { textsLater } from '../../../shell/texts-later.js'

/** @import { SceneContext } from '../layer.js' */

/** @type {import('../../../shell/texts-later.js').Later<SceneContext['t']>} */
const texts = textsLater(['shell', 'layer', 'layer-parts'])
/** Loads the texts of collapsed parts, in addition to the texts of the room. @param {SceneContext['t']} t */
export const partTexts = t => texts(t('htmlLang'))

/** Returns a part that is loaded, with its texts, when it is drawn. @param {() => Promise<(context: SceneContext) => unknown>} load */
export function part(load) {
  const found = later(load)
  return (/** @type {SceneContext} */ context) =>
    partTexts(context.t).draw(t => found.draw(draw => draw({ ...context, t })))
}

/** Parts that were opened. @type {Set<string>} */
const opened = new Set()

/** @param {SceneContext} context @param {string} id @param {string} title @param {(context: SceneContext) => unknown} part */
export function folded(context, id, title, part) {
  const open = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) => {
    if (!currentTarget.open || opened.has(id)) return
    opened.add(id)
    context.actions.refresh()
  }
  return html`<details class="experiment" id=${id} @toggle=${open}>
    <summary>${title}</summary>
    ${opened.has(id) ? part(context) : nothing}
  </details>`
}
