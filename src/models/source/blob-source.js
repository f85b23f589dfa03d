// Reads a Blob. In a browser it is read as a stream into reused memory, because each slice costs a request and new memory there.

import { inBlocks } from './blocks.js'

/** @import { ByteSource } from './source.js' */

/** Bytes per request to the stream. */
const PART = 2 ** 20
/**
 * Maximum bytes to read and drop to reach a range that begins later in the stream. Beyond that, a range of at most NEAR bytes is read as a
 * slice of the Blob, and a longer one by a new stream.
 */
const NEAR = 2 ** 16
/**
 * Milliseconds without data after which a new stream is opened; doubled each time. In Chromium, about one read of 100,000 never ends.
 */
const PATIENCE = 500

/** @param {Blob} blob @param {number} from @param {number} to */
const readSlice = async (blob, from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer())

/** Returns a source that reads large slices ahead. @param {Blob} blob @returns {ByteSource} */
const slices = blob => inBlocks(blob.size, (from, to) => readSlice(blob, from, to))

/**
 * Throws if a file has changed since it was chosen. The stream of a changed file only ends early or reports a network error. A deleted file
 * has size 0 and empty slices in Chromium.
 * @param {Blob} blob
 * @param {string} name
 */
async function check(blob, name) {
  try {
    await (blob.size ? blob.slice(0, 1) : blob).arrayBuffer()
  } catch (cause) {
    const lost = `${name} cannot be read any more: it was changed, moved or deleted after it was chosen; choose it again`
    throw new Error(lost, { cause })
  }
}

/** Opens a Blob as a source. @param {Blob} blob @param {string} name file name for errors @returns {Promise<ByteSource>} */
export async function fromBlob(blob, name) {
  const { size } = blob
  if (!size) await check(blob, name)
  // In Node, a Blob is in memory or on disk, so slices are cheap.
  const isNode = Boolean(globalThis.process?.versions?.node)
  const { read, close } = isNode ? slices(blob) : streamed(blob)
  return {
    size,
    async read(from, to, buffer) {
      try {
        const bytes = await read(from, to, buffer)
        if (bytes.length < Math.min(to, size) - from) await check(blob, name)
        return bytes
      } catch (error) {
        await check(blob, name)
        throw error
      }
    },
    close,
  }
}

/** @param {Blob} blob @returns {ByteSource} */
export function streamed(blob) {
  const { size } = blob
  const open = (/** @type {number} */ from) => blob.slice(from).stream().getReader({ mode: 'byob' })
  /** @type {ReadableStreamBYOBReader} */
  let reader
  try {
    reader = open(0)
  } catch {
    return slices(blob) // this browser has no byte streams of Blobs
  }
  let at = 0 // position of the stream
  let patience = PATIENCE
  let memory = new ArrayBuffer(Math.min(PART, size))

  /** Reads bytes; returns undefined if they do not arrive in time. @param {Uint8Array<ArrayBuffer>} part */
  async function readPart(part) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, patience)
    })
    const reading = reader.read(part, { min: part.length }) // browsers without `min` return the available bytes
    reading.catch(() => {}) // a rejection after the timeout has no other handler
    return Promise.race([reading, late]).finally(() => clearTimeout(timer))
  }

  /** Reads the next bytes of the stream, or drops them if there is no target. @param {number} count @param {Uint8Array} [target] */
  async function next(count, target) {
    let have = 0
    while (have < count) {
      if (!memory.byteLength) memory = new ArrayBuffer(PART) // a failed read does not return the memory
      const part = new Uint8Array(memory, 0, Math.min(memory.byteLength, count - have))
      const read = await readPart(part)
      if (!read) {
        reader.cancel().catch(() => {})
        reader = open(at + have)
        memory = new ArrayBuffer(Math.min(PART, size))
        patience *= 2
        continue
      }
      const { value, done } = read
      if (value) {
        memory = value.buffer
        target?.set(value, have)
        have += value.length
      }
      if (done) break
    }
    at += have
    return have
  }

  /** @param {number} from @param {number} to @param {Uint8Array} [buffer] */
  async function read(from, to, buffer) {
    const [gap, count] = [from - at, Math.max(0, Math.min(to, size) - from)]
    if (gap < 0 || gap > NEAR) {
      if (count <= NEAR) return readSlice(blob, from, to)
      await reader.cancel()
      reader = open(from)
      at = from
    } else await next(gap)
    const bytes = buffer?.subarray(0, count) ?? new Uint8Array(count)
    return bytes.subarray(0, await next(count, bytes))
  }

  /** Settles when the last requested range has been read; ranges are read one after another. @type {Promise<unknown>} */
  let last = Promise.resolve()
  return {
    size,
    read(from, to, buffer) {
      const bytes = last.then(() => read(from, to, buffer))
      last = bytes.catch(() => {})
      return bytes
    },
    close: () => reader.cancel().catch(() => {}), // an error of the stream was already thrown by a read
  }
}
