// Changes the height of a sheet: the inspector of a room on a phone, at the bottom of the window.

import { html } from 'lit'

/** Heights of a sheet on a phone: fixed pixels, or a share of the window. */
const HEIGHTS = [() => 96, () => 0.45 * innerHeight, () => 0.9 * innerHeight]

/** @type {{ y: number, height: number, hasMoved: boolean } | undefined} */
let press

/** @param {{ currentTarget: Element }} event */
const sheetOf = ({ currentTarget }) => /** @type {HTMLElement} */ (currentTarget.closest('.sheet'))

/** @param {HTMLElement} sheet @param {number} height */
const setHeight = (sheet, height) => sheet.style.setProperty('--sheet', `${Math.round(height)}px`)

/** Returns the one of HEIGHTS that is nearest to a height. @param {number} height */
function nearest(height) {
  const all = HEIGHTS.map(of => of())
  return all.reduce((best, each) => (Math.abs(each - height) < Math.abs(best - height) ? each : best))
}

/** @param {PointerEvent & { currentTarget: Element }} event */
function down(event) {
  const sheet = sheetOf(event)
  press = { y: event.clientY, height: sheet.clientHeight, hasMoved: false }
  event.currentTarget.setPointerCapture(event.pointerId)
}

/** @param {PointerEvent & { currentTarget: Element }} event */
function move(event) {
  if (!press || (!press.hasMoved && Math.abs(event.clientY - press.y) < 4)) return
  press.hasMoved = true
  setHeight(sheetOf(event), Math.min(Math.max(press.height + press.y - event.clientY, 96), 0.9 * innerHeight))
}

/** @param {PointerEvent & { currentTarget: Element }} event */
function up(event) {
  if (press?.hasMoved) setHeight(sheetOf(event), nearest(sheetOf(event).clientHeight))
}

/** Switches to the next height, unless the click ends a drag. @param {{ currentTarget: Element }} event */
function click(event) {
  const wasDrag = press?.hasMoved
  press = undefined
  if (wasDrag) return
  const sheet = sheetOf(event)
  const all = HEIGHTS.map(of => of())
  const at = all.indexOf(nearest(sheet.clientHeight))
  setHeight(sheet, all[(at + 1) % all.length])
}

/** Draws the handle of a sheet on a phone: 96 px, 45 % or 90 % of the window. @param {(key: 'sheetSize') => string} t */
export const sheetHandle = t => html`<button
    type="button"
    class="sheet-handle"
    aria-label=${t('sheetSize')}
    @pointerdown=${down}
    @pointermove=${move}
    @pointerup=${up}
    @pointercancel=${up}
    @click=${click}
  ></button>`
