// Reads a file in large blocks, so that adjacent ranges share one request, and prefetches the next blocks. Loaded for servers and Blobs,
// where a request costs more than its bytes.

import { present } from '../../base/present.js'

/** Bytes of the first block, which contains the header of nearly every checkpoint, and all of a small file. */
export const FIRST = 2 ** 20
/** Bytes of each later block. */
export const BLOCK = 8 * 2 ** 20
/** Number of blocks to prefetch. */
const AHEAD = 2
/** Maximum blocks in memory: the prefetched ones, the current one, and the previous one. */
const MOST = AHEAD + 2

/**
 * Returns the block layout of a file.
 * @param {number} size
 * @returns {{ count: number, start: (n: number) => number, at: (byte: number) => number }} count: the number of blocks; start: returns the
 *   first byte of block n (for n = count, the size); at: returns the block of a byte
 */
export const blocksOf = size => ({
  count: size <= FIRST ? Math.min(1, size) : 1 + Math.ceil((size - FIRST) / BLOCK),
  start: n => Math.min(size, n && FIRST + (n - 1) * BLOCK),
  at: byte => (byte < FIRST ? 0 : 1 + Math.floor((byte - FIRST) / BLOCK)),
})

/**
 * Opens a file that is read in blocks.
 * @param {number} size of the file
 * @param {(from: number, to: number, n: number) => Promise<Uint8Array>} load reads block n
 * @returns {{ size: number, read: import('./source.js').ByteSource['read'] }}
 */
export function inBlocks(size, load) {
  const { count, start, at } = blocksOf(size)
  /** Cached blocks, the most recently used last. @type {Map<number, Promise<Uint8Array>>} */
  const blocks = new Map()
  const whole = async (/** @type {number} */ n) => {
    const [from, to] = [start(n), start(n + 1)]
    const bytes = await load(from, to, n)
    if (bytes.length === to - from) return bytes
    throw new RangeError(`expected bytes ${from} to ${to}, got ${bytes.length} of them: the file is cut off`)
  }
  const get = (/** @type {number} */ n) => {
    const found = blocks.get(n)
    const block = found ?? whole(n)
    if (!found) block.catch(() => blocks.delete(n)) // the error is thrown where the block is awaited
    blocks.delete(n)
    blocks.set(n, block)
    for (const oldest of blocks.keys()) if (blocks.size > MOST) blocks.delete(oldest)
    return block
  }
  return {
    size,
    async read(from, to, buffer) {
      const end = Math.min(to, size)
      if (end <= from) return new Uint8Array(0)
      const [first, last] = [at(from), at(end - 1)]
      /** @type {Uint8Array | undefined} */
      let bytes
      for (let n = first; n <= last; n++) {
        const loading = get(n)
        // A read within block 0 is a header. Later reads are sequential, so the next blocks are prefetched.
        if (last > 0) for (let next = n + 1; next <= n + AHEAD && next < count; next++) get(next)
        const begin = start(n)
        const part = (await loading).subarray(Math.max(0, from - begin), end - begin)
        if (first === last) return part
        bytes ??= buffer?.subarray(0, end - from) ?? new Uint8Array(end - from)
        bytes.set(part, Math.max(0, begin - from))
      }
      return present(bytes)
    },
  }
}
