// Reads a folder on disk. This module is loaded in Node only.

/** Subfolders whose files are listed as well. */
const INNER = ['onnx', 'additional_chat_templates']

/**
 * True if a file is a GGUF file by its content, although its name does not have the extension.
 * @param {typeof import('node:fs/promises')} fs
 * @param {string} path
 */
async function isGguf(fs, path) {
  const handle = await fs.open(path).catch(() => undefined)
  const start = await handle?.read(new Uint8Array(4), 0, 4, 0).catch(() => undefined)
  await handle?.close()
  return String.fromCharCode(...(start?.buffer ?? [])) === 'GGUF' && !/\.gguf$/i.test(path)
}

/**
 * Opens a folder on disk, in Node.
 * @param {string | URL} path
 * @returns {Promise<import('./source.js').Folder | undefined>} undefined without a file system
 */
export async function fromPath(path) {
  const process = globalThis.process
  const fs = process?.getBuiltinModule?.('node:fs/promises')
  const url = process?.getBuiltinModule?.('node:url')
  if (!fs || !url) return undefined
  const base = typeof path === 'string' ? path : url.fileURLToPath(path)
  const found = await fs.stat(base).catch(error => error)
  if (!found.isDirectory?.()) {
    const { noFolder } = await import('./wrong-source.js')
    throw noFolder(base, found.code && found, found.isFile?.() && (await isGguf(fs, base)))
  }
  /** @type {Map<string, import('node:fs/promises').FileHandle>} */
  const handles = new Map()
  return {
    async open(name) {
      const handle = handles.get(name) ?? (await fs.open(`${base.replace(/\/$/, '')}/${name}`).catch(() => undefined))
      if (!handle) return undefined
      handles.set(name, handle)
      const { size } = await handle.stat()
      return {
        size,
        async read(from, to, buffer) {
          const bytes = buffer?.subarray(0, to - from) ?? new Uint8Array(to - from)
          const { bytesRead } = await handle.read(bytes, 0, to - from, from)
          return bytes.subarray(0, bytesRead)
        },
      }
    },
    names: () => [...handles.keys()],
    list: async () => {
      const files = await fs.readdir(base, { withFileTypes: true })
      const inner = files.filter(file => file.isDirectory() && INNER.includes(file.name))
      const inside = inner.map(async ({ name }) =>
        (await fs.readdir(`${base}/${name}`).catch(() => [])).map(file => `${name}/${file}`),
      )
      return [files.filter(file => !file.isDirectory()).map(({ name }) => name), ...(await Promise.all(inside))].flat()
    },
    close: async () => {
      for (const handle of handles.values()) await handle.close()
      handles.clear()
    },
  }
}
