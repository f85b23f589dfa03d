// The models that ship with the page.

/// <reference types="vite/client" />

/**
 * A model with the URLs of its files by name, and of its lenses by kind. Lenses are loaded on demand.
 * @typedef {{ name: string, urls: Record<string, string>, lenses: Record<string, string> }} Shipped
 */

/** Returns URLs by path; empty without a bundler, as in Node. @returns {Record<string, string>} */
function addresses() {
  try {
    return import.meta.glob(['../trained/*/*.json', '../trained/*/*.safetensors', '../trained/*/*.pt'], {
      query: '?url', // must be a literal, since Vite parses it
      import: 'default',
      eager: true,
    })
  } catch {
    return {}
  }
}

/** Kinds of lenses by file name. @type {Record<string, string>} */
const LENSES = { 'lens.pt': 'jacobian', 'tuned-lens.pt': 'tuned' }

/** Models, named by their folder. @type {Shipped[]} */
export const SHIPPED = []
for (const [path, url] of Object.entries(addresses())) {
  const [, folder, file] = /([^/]+)\/([^/]+)$/.exec(path) ?? []
  let own = SHIPPED.find(({ name }) => name === folder)
  if (!own) {
    own = { name: folder, urls: {}, lenses: {} }
    SHIPPED.push(own)
  }
  const { href } = new URL(url, document.baseURI)
  const kind = LENSES[file]
  if (kind) own.lenses[kind] = href
  else own.urls[file] = href
}
/** Models listed first. "Models" opens with the first of them, which reads any English text. */
const FIRST = ['english', 'stories']
const rank = (/** @type {Shipped} */ { name }) => [...FIRST, name].indexOf(name)
SHIPPED.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
