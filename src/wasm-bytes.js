import { open } from './wasm-source.js'

/**
 * The bytes of a wasm file, which threads need: those of a compiled module cannot be had.
 * @param {Awaited<import('./wasm-source.js').WasmSource> | undefined} source
 * @param {string} what the option that gave it, and who needs the file
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
