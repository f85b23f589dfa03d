// Parts of the page that are loaded when they are shown first.

import { html, nothing } from 'lit'

/** @import { SceneContext } from '../layer.js' */
/** @typedef {(context: SceneContext) => unknown} Part */

/** What was loaded, by name; undefined while it loads. @type {Map<string, Part | undefined>} */
const parts = new Map()

/** @param {SceneContext} context @param {string} name @param {() => Promise<Part>} load */
export function loaded(context, name, load) {
  if (!parts.has(name)) {
    parts.set(name, undefined)
    load().then(part => {
      parts.set(name, part)
      context.actions.refresh()
    })
  }
  return parts.get(name)?.(context) ?? nothing
}

/** A part that is folded until it is opened. @param {SceneContext} context @param {string} id @param {string} title @param {() => Promise<Part>} load */
export function folded(context, id, title, load) {
  const open = (/** @type {Event} */ { currentTarget }) => {
    if (/** @type {HTMLDetailsElement} */ (currentTarget).open) loaded(context, id, load)
  }
  return html`<details class="experiment" id=${id} @toggle=${open}>
    <summary>${title}</summary>
    ${parts.get(id)?.(context) ?? nothing}
  </details>`
}
