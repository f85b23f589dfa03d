// Draws one head: a tab for each picture that the room offers, and the selected picture.

import { html, nothing } from 'lit'
import { headMap } from './views/head-map.js'
import { VIEW_NAMES, VIEWS } from './views/index.js'

/** @import { HeadActions, HeadView, HeadViewTranslate } from './head.js' */

/** Names of the pictures that need only the weights of the head. */
export const WEIGHT_VIEWS = VIEW_NAMES.filter(name => name !== 'flow' && name !== 'plane')

/** Returns the picture named `view`; the map if there is none. @param {string} view */
const pictureOf = view => VIEWS.find(({ name }) => name === view) ?? headMap

/** Returns the CSS selector of the element that can be saved as a picture, if any. @param {Pick<HeadView, 'prefix' | 'view'>} view */
export function pictureSelector({ prefix, view }) {
  const { id } = pictureOf(view)
  return id && `#${prefix}${id}`
}

/**
 * Draws a tab for each picture.
 * @param {string} shown
 * @param {HeadActions['show']} show
 * @param {(key: any) => string} t
 * @param {readonly string[]} [names] pictures that the room offers
 */
export const viewTabs = (shown, show, t, names = VIEW_NAMES) =>
  names.map(
    name =>
      html`<button type="button" class="tab" data-view=${name} aria-pressed=${shown === name}
        @click=${() => show(name)}>${t(`view.${name}`)}</button>`,
  )

/**
 * Draws the button that chooses what dragging over the map does: read weights, or paint the mask.
 * @param {Pick<HeadView, 'prefix' | 'mode'>} view
 * @param {HeadActions['setMode']} setMode
 * @param {(key: 'paintMask') => string} t
 */
export const paintButton = ({ prefix, mode }, setMode, t) =>
  html`<button type="button" class="tool" id="${prefix}paint" aria-pressed=${mode === 'paint'}
    @click=${() => setMode(mode === 'paint' ? 'read' : 'paint')}>${t('paintMask')}</button>`

/**
 * Draws the picture of a head.
 * @param {HeadView | undefined} view undefined while the weights are loading
 * @param {HeadActions} act
 * @param {HeadViewTranslate} t
 * @param {unknown} [below] drawn below the picture
 */
export const headView = (view, act, t, below = nothing) =>
  html`<div class="picture"
    aria-busy=${view ? nothing : 'true'}>${
      view ? pictureOf(view.view).draw(view, act, t) : html`<p class="note">${t('loading')}</p>`
    }${below}</div>`
