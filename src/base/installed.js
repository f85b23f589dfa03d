// Files of the installed package, for bundles in Node.

/**
 * Reads a file of the installed package in Node, where the address that a bundler has made for pages leads nowhere.
 * @param {string} name in dist/
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>} undefined elsewhere, and if no package is installed
 */
export async function readInstalled(name) {
  // getBuiltinModule keeps bundlers from looking for node:fs.
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
