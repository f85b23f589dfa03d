// Reads a Blob: in a browser by a stream, into memory that is used again, because a slice costs a request and new memory there.

import { inBlocks } from './blocks.js'

/** @typedef {import('./source.js').ByteSource} ByteSource */

/** Bytes that the stream is asked for at a time, all of them in one answer. */
const PART = 2 ** 20
/** A gap of so many bytes is read and dropped; so short a range that lies elsewhere is read by itself. */
const NEAR = 2 ** 16
/** Milliseconds without them after which another stream goes on, twice as many each time: in Chromium one of some 100,000 reads never ends. */
const PATIENCE = 500

/** @param {Blob} blob @param {number} from @param {number} to */
const readSlice = async (blob, from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer())

/** Large slices, read ahead. @param {Blob} blob @returns {ByteSource} */
const slices = blob => inBlocks(blob.size, (from, to) => readSlice(blob, from, to))

/**
 * Throws if a file is not as it was when it was chosen. Its stream then ends early or tells of the network; in Chromium one that was
 * deleted has size 0, and its slices are empty.
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

/** @param {Blob} blob @param {string} name of the file, in errors @returns {Promise<ByteSource>} */
export async function fromBlob(blob, name) {
  const { size } = blob
  if (!size) await check(blob, name)
  // In Node a Blob lies in the same process or on the disk.
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
    return slices(blob) // in this browser Blobs are no streams of bytes
  }
  let at = 0 // where the stream is
  let patience = PATIENCE
  let memory = new ArrayBuffer(Math.min(PART, size))

  /** Reads bytes; undefined if they did not come for a time. @param {Uint8Array<ArrayBuffer>} part */
  async function readPart(part) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, patience)
    })
    const reading = reader.read(part, { min: part.length }) // a browser without `min` gives what is there
    reading.catch(() => {}) // also where it ends after the time
    return /** @type {typeof reading} */ (Promise.race([reading, late])).finally(() => clearTimeout(timer))
  }

  /** Reads the next bytes of the stream. @param {number} count @param {Uint8Array} [target] undefined: they are dropped */
  async function next(count, target) {
    let have = 0
    while (have < count) {
      if (!memory.byteLength) memory = new ArrayBuffer(PART) // a read that failed does not give it back
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

  /** Settled when the range that was asked for last is read: they are read one after the other. @type {Promise<unknown>} */
  let last = Promise.resolve()
  return {
    size,
    read(from, to, buffer) {
      const bytes = last.then(() => read(from, to, buffer))
      last = bytes.catch(() => {})
      return bytes
    },
    close: () => reader.cancel().catch(() => {}), // its error was thrown where it was read
  }
}
