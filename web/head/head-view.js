// One head, drawn as the reader chose: tabs of its pictures, and the picture.

import { html, nothing } from 'lit'
import { headMap } from './views/head-map.js'
import { VIEW_NAMES, VIEWS } from './views/index.js'

/** @typedef {import('./head.js').HeadActions} HeadActions */
/** @typedef {import('./head.js').HeadView} HeadView */
/** @typedef {import('./head.js').HeadViewTranslate} HeadViewTranslate */

/** Those that need no more than the weights of the head. */
export const WEIGHT_VIEWS = VIEW_NAMES.filter(name => name !== 'flow' && name !== 'plane')

/** The picture of a view; of an unknown one, the map. @param {string} view */
const pictureOf = view => VIEWS.find(({ name }) => name === view) ?? headMap

/** The selector of what can be saved of a view, or nothing. @param {Pick<HeadView, 'prefix' | 'view'>} view */
export function pictureSelector({ prefix, view }) {
  const { id } = pictureOf(view)
  return id && `#${prefix}${id}`
}

/**
 * A tab for each picture.
 * @param {string} shown
 * @param {HeadActions['show']} show
 * @param {(key: any) => string} t
 * @param {readonly string[]} [names] those that the room has
 */
export const viewTabs = (shown, show, t, names = VIEW_NAMES) =>
  names.map(
    name =>
      html`<button type="button" class="tab" data-view=${name} aria-pressed=${shown === name} @click=${() => show(name)}>${t(`view.${name}`)}</button>`,
  )

/** Whether a stroke over the map paints the mask. @param {Pick<HeadView, 'prefix' | 'mode'>} view @param {HeadActions['setMode']} setMode @param {(key: 'paintMask') => string} t */
export const paintButton = ({ prefix, mode }, setMode, t) =>
  html`<button type="button" class="tool" id="${prefix}paint" aria-pressed=${mode === 'paint'} @click=${() => setMode(mode === 'paint' ? 'read' : 'paint')}>${t('paintMask')}</button>`

/** The picture of a head. @param {HeadView | undefined} view undefined while its weights are awaited @param {HeadActions} act @param {HeadViewTranslate} t @param {unknown} [below] of the picture */
export const headView = (view, act, t, below = nothing) =>
  html`<div class="picture" aria-busy=${view ? nothing : 'true'}>${view ? pictureOf(view.view).draw(view, act, t) : html`<p class="note">${t('loading')}</p>`}${below}</div>`
