// The models that ship with the page.

/// <reference types="vite/client" />

/** @typedef {{ name: string, urls: Record<string, string> }} Shipped the address of each file */

/** Addresses by path; where no bundler has filled them in, as in Node, there are none. @returns {Record<string, string>} */
function addresses() {
  try {
    return import.meta.glob(['../trained/*/*.json', '../trained/*/*.safetensors'], {
      query: '?url', // Vite reads this as it is written
      import: 'default',
      eager: true,
    })
  } catch {
    return {}
  }
}

/** By the name of their folder. @type {Shipped[]} */
export const SHIPPED = []
for (const [path, url] of Object.entries(addresses())) {
  const [, folder, file] = /([^/]+)\/([^/]+)$/.exec(path) ?? []
  let own = SHIPPED.find(({ name }) => name === folder)
  if (!own) {
    own = { name: folder, urls: {} }
    SHIPPED.push(own)
  }
  own.urls[file] = new URL(url, document.baseURI).href
}
/** The room opens with the first, which reads any English. */
const FIRST = ['english', 'stories']
const rank = (/** @type {Shipped} */ { name }) => [...FIRST, name].indexOf(name)
SHIPPED.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
