// Scrolls the page on a phone, where the inspector is a sheet over the page, so that the sheet does not cover the cell it explains.

/** @typedef {Element & { where?: (cell: { row: number, column: number }) => DOMRect | undefined }} Picture */

/** Pixels kept free between the explained part and the sheet. */
const GAP = 8
/** Share of the window that is above a sheet of the initial height. */
const ABOVE = 0.55

/** The last cell that was scrolled into view. It is not scrolled again while the sheet is open, so that the reader may scroll away. */
let last = ''
/** @type {HTMLElement | null} */
let lastSheet = null

/** Returns the focused element, also inside shadow roots. @returns {Element | null} */
function focused() {
  let found = document.activeElement
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
  return found
}

/** Forgets `last` when the sheet closes, so that the same cell is uncovered again when the sheet reopens. */
const closing = new MutationObserver(([{ target }]) => {
  if (!(/** @type {Element} */ (target).matches('.is-open'))) last = ''
})

/** @param {Element | null | undefined} element */
function isInSight(element) {
  const { top = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {}
  return bottom > 0 && top < innerHeight
}

/**
 * Scrolls, once per cell, until the picture is above the sheet, or, if the picture is too tall, until its cell is. If the picture is out of
 * view, scrolls until the focused cell of a visible matrix is above the sheet.
 * @param {string} sheetId
 * @param {string | undefined} picture selector of the picture that contains the cell
 * @param {{ row: number, column: number, matrix?: string }} cell
 */
export function uncover(sheetId, picture, cell) {
  const key = [sheetId, picture, cell.matrix, cell.row, cell.column].join(' ')
  requestAnimationFrame(() => {
    const sheet = document.getElementById(sheetId)
    if (!sheet || (sheet === lastSheet && key === last)) return
    last = key
    lastSheet = sheet
    if (getComputedStyle(sheet).position !== 'fixed') return
    closing.observe(sheet, { attributeFilter: ['class'] })
    const drawn = picture ? document.querySelector(picture) : null
    const pressed = focused()?.closest('[data-row]')
    const evidence = /** @type {Picture | null | undefined} */ ([drawn, pressed].find(isInSight) ?? drawn)
    if (!evidence || sheet.contains(evidence)) return
    const end = Math.min(sheet.getBoundingClientRect().top, ABOVE * innerHeight) - GAP
    const { top, bottom } = evidence.getBoundingClientRect()
    const lowest = bottom - top <= end ? bottom : (evidence.where?.(cell)?.bottom ?? bottom)
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
    if (lowest > end) scrollBy({ top: lowest - end, behavior })
  })
}
