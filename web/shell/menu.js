import { html, nothing } from 'lit'

/**
 * A button that opens a list. Escape and a press elsewhere close it.
 * @param {object} given
 * @param {string} given.id
 * @param {unknown} given.label
 * @param {string} [given.title]
 * @param {unknown} list
 */
export const menu = ({ id, label, title }, list) => html`<details class="menu" id=${id} name="menu">
    <summary class="tool" aria-label=${title ?? nothing} title=${title ?? nothing}>${label}</summary>
    <div class="menu-list">${list}</div>
  </details>`

const opened = () => /** @type {HTMLDetailsElement[]} */ (Array.from(document.querySelectorAll('details.menu[open]')))

/** Closes the menu that holds an element, and gives the focus back. @param {Element} within */
export function closeMenu(within) {
  const menu = within.closest('details.menu')
  if (!(menu instanceof HTMLDetailsElement)) return
  menu.open = false
  menu.querySelector('summary')?.focus()
}

/** An item of a menu, which closes it. @param {string} id @param {string} label @param {() => void} act @param {string} [className] */
export const menuItem = (id, label, act, className = '') =>
  html`<button type="button" id=${id} class=${className} @click=${(
    /** @type {Event & { target: Element }} */ event,
  ) => {
    closeMenu(event.target)
    act()
  }}>${label}</button>`

// Where there is no page, as in tests, there is nothing to listen to.
globalThis.addEventListener?.('pointerdown', ({ target }) => {
  for (const menu of opened()) if (!(target instanceof Node && menu.contains(target))) menu.open = false
})
globalThis.addEventListener?.(
  'keydown',
  event => {
    const [menu] = opened()
    if (event.key !== 'Escape' || !menu) return
    event.stopPropagation()
    closeMenu(/** @type {Element} */ (menu.firstElementChild))
  },
  true,
)
