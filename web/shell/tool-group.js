// Defines a row of buttons with a single tab stop. Arrow keys, Home and End move the focus within the row.

import { movedInRing } from '../elements/keys.js'

const ITEMS = 'button, a[href], summary, [role=slider]'

export class ToolGroup extends HTMLElement {
  #watch = new MutationObserver(() => this.refresh())

  connectedCallback() {
    if (!this.hasAttribute('role')) this.setAttribute('role', 'toolbar')
    this.addEventListener('keydown', this.key)
    this.addEventListener('focusin', this.focused)
    this.#watch.observe(this, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
    this.refresh()
  }

  disconnectedCallback() {
    this.#watch.disconnect()
  }

  /** Returns the buttons of the row, excluding items of open menus. @returns {HTMLElement[]} */
  get items() {
    /** @type {HTMLElement[]} */
    const all = Array.from(this.querySelectorAll(ITEMS))
    return all.filter(item => !item.closest('.menu-list') && !item.matches(':disabled'))
  }

  refresh() {
    const { items } = this
    const marked = items.find(item => item.matches('[aria-current], [aria-pressed=true]'))
    const current = items.find(item => item === document.activeElement) ?? marked ?? items[0]
    for (const item of items)
      if (item.tabIndex !== (item === current ? 0 : -1)) item.tabIndex = item === current ? 0 : -1
  }

  focused = () => this.refresh()

  /** @param {KeyboardEvent} event */
  key = event => {
    const { items } = this
    const at = items.indexOf(/** @type {HTMLElement} */ (event.target))
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const to = movedInRing(event, at, items.length)
    if (to === undefined) return
    event.preventDefault()
    items[to].focus()
  }
}

customElements.define('tool-group', ToolGroup)
