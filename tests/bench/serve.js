// Serves the repository to a page of a benchmark.

import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import config from '../../vite.config.js'

/**
 * Serves the repository with the headers that a page needs to share memory with threads.
 * @param {string} [folder] is served as well
 */
export async function serve(folder) {
  const headers = Object.entries(config.server?.headers ?? {})
  const open = (/** @type {string} */ path) =>
    sirv(path, {
      dev: true,
      setHeaders: response => {
        for (const [name, value] of headers) response.setHeader(name, String(value))
      },
    })
  const tree = open(fileURLToPath(new URL('../..', import.meta.url)))
  const more = folder && open(folder)
  const server = createServer((request, response) =>
    more ? more(request, response, () => tree(request, response)) : tree(request, response),
  )
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { server, url: `http://127.0.0.1:${port}/tests/bench/page.html` }
}
