// Gives One layer the English model in Node, where no bundler has inserted the addresses of its files.

import { readdirSync, readFileSync } from 'node:fs'
import { unpacked } from '../../web/files/packed-weights.js'
import { SHIPPED } from '../../web/files/shipped-models.js'

const folder = new URL('../../web/trained/english/', import.meta.url)
const names = readdirSync(folder).filter(name => /\.(json|safetensors)$/.test(name))

/** The addresses of the model's files, by name. */
export const urls = Object.fromEntries(names.map(name => [name, new URL(name, folder).href]))

/** Returns the model's files as a reader would drop them on the page. */
export const files = () =>
  names.map(name => {
    const { buffer } = new Uint8Array(readFileSync(new URL(name, folder)))
    return name === 'packed.safetensors' ? new File([unpacked(buffer)], 'model.safetensors') : new File([buffer], name)
  })

/** Adds the English model to the shipped models. Answers every request to a server with 404, so that no test waits for a network. */
export function giveEnglishModel() {
  const { fetch } = globalThis
  /** @type {string[]} */
  const fetched = []
  SHIPPED.push({ lenses: {}, name: 'english', urls })
  globalThis.fetch = /** @type {any} */ (
    async (/** @type {string} */ url) => {
      fetched.push(url)
      if (/^https?:/.test(url)) return new Response(null, { status: 404 })
      return new Response(readFileSync(new URL(url)))
    }
  )
  /** Removes the model, and restores fetch. */
  const end = () => {
    SHIPPED.pop()
    globalThis.fetch = fetch
  }
  return { fetched, end }
}
