// Rewrites the wasm file for threads, so that it imports a shared memory, "env" "memory", instead of defining one.

const [IMPORTS, MEMORIES] = [2, 5] // section ids; sections are sorted by id
const HEADER = 8
const PAGES = 65536 // 4 GiB

/** @param {number} n @returns {number[]} LEB128: seven bits per byte, lowest first */
const encode = n => (n < 128 ? [n] : [(n % 128) | 128, ...encode(Math.floor(n / 128))])

/** @param {Uint8Array} bytes @param {number} at @returns {[value: number, end: number]} */
function decode(bytes, at) {
  let [value, factor] = [0, 1]
  for (; bytes[at] & 128; at++, factor *= 128) value += (bytes[at] & 127) * factor
  return [value + bytes[at] * factor, at + 1]
}

/** @param {string} text */
const name = text => [text.length, ...new TextEncoder().encode(text)]

/**
 * Rewrites a wasm file to import a shared memory.
 * @param {Uint8Array} bytes a valid wasm file that has a memory and imports nothing
 * @returns {{ bytes: Uint8Array<ArrayBuffer>, pages: number }} the file for threads, and the minimum pages of its memory
 */
export function importSharedMemory(bytes) {
  /** @type {{ id: number, from: number, to: number }[]} */
  const sections = []
  let pages = 0
  for (let from = HEADER; from < bytes.length; ) {
    const [size, start] = decode(bytes, from + 1)
    const section = { id: bytes[from], from, to: start + size }
    // The section has one memory: count, flags, minimum pages.
    if (section.id === MEMORIES) pages = decode(bytes, start + 2)[0]
    else sections.push(section)
    from = section.to
  }
  const memory = [1, ...name('env'), ...name('memory'), 2, 3, ...encode(pages), ...encode(PAGES)] // flags 3: shared, with a maximum
  const before = sections.findIndex(({ id }) => id > IMPORTS)
  const parts = sections.map(({ from, to }) => bytes.subarray(from, to))
  parts.splice(before, 0, Uint8Array.from([IMPORTS, ...encode(memory.length), ...memory]))
  parts.unshift(bytes.subarray(0, HEADER))
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return { bytes: joined, pages }
}

/**
 * Makes a shared memory with the largest maximum that the engine accepts.
 * @param {number} pages initial pages
 * @returns {WebAssembly.Memory | undefined} undefined if the engine accepts no maximum
 */
export function makeSharedMemory(pages) {
  for (let maximum = PAGES; maximum >= pages; maximum /= 2)
    try {
      return new WebAssembly.Memory({ initial: pages, maximum, shared: true })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  return undefined
}
