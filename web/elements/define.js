/**
 * Gives an element its tag, once; without a DOM, as on a server, it does nothing.
 * @param {string} tag
 * @param {CustomElementConstructor} element
 */
export function define(tag, element) {
  if (globalThis.customElements && !customElements.get(tag)) customElements.define(tag, element)
}
