import { html, nothing } from 'lit'

/** Moves the list of an opened menu into the window if the list extends beyond the edge. @param {Event & { target: HTMLDetailsElement }} event */
function show({ target: { open, lastElementChild: list } }) {
  if (!open || !(list instanceof HTMLElement)) return
  list.style.translate = ''
  const { left, right } = list.getBoundingClientRect()
  const beyond = right + EDGE - document.documentElement.clientWidth
  if (beyond > 0) list.style.translate = `${-Math.min(beyond, left - EDGE)}px`
  list.scrollIntoView({ block: 'nearest' })
}
/** Pixels between a list and the edge of the window. */
const EDGE = 8

/**
 * Draws a button that opens a list. Escape or a press elsewhere closes it.
 * @param {object} given
 * @param {string} [given.id]
 * @param {unknown} given.label
 * @param {string} [given.title]
 * @param {string} [given.className] added to "menu"
 * @param {string} [given.buttonClass]
 * @param {unknown} list
 */
export const menu = ({ id, label, title, className = '', buttonClass = 'tool' }, list) =>
  html`<details class="menu ${className}" id=${id ?? nothing} name="menu" @toggle=${show}>
    <summary class=${buttonClass} aria-label=${title ?? nothing} title=${title ?? nothing}>${label}</summary>
    <div class="menu-list">${list}</div>
  </details>`

/** @returns {HTMLDetailsElement[]} */
const opened = () => Array.from(document.querySelectorAll('details.menu[open]'))

/** Closes the menu around an element, and returns the focus to its button. @param {Element} within */
export function closeMenu(within) {
  const menu = within.closest('details.menu')
  if (!(menu instanceof HTMLDetailsElement)) return
  menu.open = false
  menu.querySelector('summary')?.focus()
}

/** Returns a handler that closes the menu before it acts. @param {() => void} act */
const closing =
  act =>
  (/** @type {Event & { target: Element }} */ { target }) => {
    closeMenu(target)
    act()
  }

/** Draws an item of a menu. @param {string} id @param {string} label @param {() => void} act @param {string} [className] */
export const menuItem = (id, label, act, className = '') =>
  html`<button type="button" id=${id} class=${className} @click=${closing(act)}>${label}</button>`

/**
 * Draws choices as menu items.
 * @param {readonly { name: string | number, label: unknown, isChosen?: boolean, act: () => void }[]} items
 */
export const menuChoices = items =>
  items.map(
    ({ name, label, isChosen, act }) =>
      html`<button type="button" data-item=${name} aria-pressed=${isChosen ?? nothing} @click=${closing(act)}>${label}</button>`,
  )

// `addEventListener` is missing in tests.
globalThis.addEventListener?.('pointerdown', ({ target }) => {
  for (const menu of opened()) if (!(target instanceof Node && menu.contains(target))) menu.open = false
})
globalThis.addEventListener?.(
  'keydown',
  event => {
    const [menu] = opened()
    if (event.key !== 'Escape' || !menu) return
    event.stopPropagation()
    closeMenu(menu)
  },
  true,
)
