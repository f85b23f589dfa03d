// Reads files of the installed package, for bundles that run in Node.

/**
 * Reads a file of the installed package in Node, where the URLs that bundlers make for pages are useless.
 * @param {string} name in dist/
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>} undefined outside Node, or if the package is not installed
 */
export async function readInstalled(name) {
  // getBuiltinModule keeps bundlers from resolving node:fs.
  const node = globalThis.process?.getBuiltinModule
  if (!node) return undefined
  try {
    const require = node('node:module').createRequire(`${globalThis.process.cwd()}/`)
    const beside = node('node:url').pathToFileURL(require.resolve('qkv/qkv.wasm'))
    return await node('node:fs/promises').readFile(new URL(name, beside))
  } catch {
    return undefined
  }
}
