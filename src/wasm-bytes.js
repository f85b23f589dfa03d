import { open } from './wasm-source.js'

/**
 * Returns the bytes of a wasm file; threads need them to import a shared memory. Throws for a compiled module, whose bytes are not
 * accessible.
 * @param {Awaited<import('./wasm-source.js').WasmSource> | undefined} source
 * @param {string} what the option that gave the source, and what needs the bytes, for errors
 * @returns {Promise<Uint8Array>}
 */
export async function readBytes(source, what) {
  if (source instanceof WebAssembly.Module)
    throw new TypeError(
      `load: ${what}: expected the file itself (its bytes, a URL or a Response), got a compiled WebAssembly.Module; or use threads: 1`,
    )
  const opened = await open(source)
  const buffer = 'byteLength' in opened ? opened : await opened.arrayBuffer()
  return ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer)
}
