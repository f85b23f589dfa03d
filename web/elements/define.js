/**
 * Registers an element once; a no-op without a DOM, as on a server.
 * @param {string} tag
 * @param {CustomElementConstructor} element
 */
export function define(tag, element) {
  if (globalThis.customElements && !customElements.get(tag)) customElements.define(tag, element)
}
