// Reads a folder on a server. This module is loaded for URLs only.

/**
 * A folder on a server. Files are requested by ranges; a server without ranges sends each file once.
 * @param {string} base ends in a slash
 * @param {(content: unknown, name: string) => import('./source.js').ByteSource} fromContent
 * @param {AbortSignal} [signal]
 * @returns {import('./source.js').Folder}
 */
export function fromURL(base, fromContent, signal) {
  /** @type {Set<string>} */
  const found = new Set()
  return {
    async open(name) {
      const url = new URL(name, base)
      /** @param {number} from @param {number} to */
      const get = async (from, to) => {
        const headers = { Range: `bytes=${from}-${to - 1}` }
        const response = await fetch(url, { signal, headers }).catch(cause => {
          signal?.throwIfAborted()
          throw new Error(`loadModel: ${url} cannot be fetched: ${cause.message}`, { cause })
        })
        if (!response.ok && response.status !== 404 && response.status !== 416)
          throw new Error(`loadModel: ${url} answers ${response.status} ${response.statusText}`)
        return response
      }
      const first = await get(0, 8)
      if (first.status === 404) return undefined
      found.add(name)
      if (first.status === 206) {
        await first.arrayBuffer()
        const size = Number(first.headers.get('content-range')?.split('/')[1] ?? Number.NaN)
        return {
          size: Number.isSafeInteger(size) ? size : undefined,
          read: async (from, to) =>
            new Uint8Array(from === to ? new ArrayBuffer(0) : await (await get(from, to)).arrayBuffer()),
        }
      }
      return fromContent(first.status === 416 ? new ArrayBuffer(0) : await first.arrayBuffer(), name)
    },
    names: () => [...found],
    close: async () => {},
  }
}
