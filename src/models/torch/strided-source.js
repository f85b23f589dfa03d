// Reads a tensor that is strided in its storage, such as a transposed weight, in the order of its dims.

/**
 * Returns a source of the tensor's bytes.
 * @param {() => Promise<Uint8Array>} readSpan reads the bytes of the storage from the tensor's first number to its last
 * @param {readonly number[]} dims
 * @param {readonly number[]} strides in numbers
 * @param {number} size bytes per number
 * @returns {import('../source/source.js').ByteSource}
 */
export function gathered(readSpan, dims, strides, size) {
  const end = dims.reduce((product, n) => product * n, size)
  /** All bytes in the order of dims. Kept until the last byte was read, because a weight is read in chunks. @type {Promise<Uint8Array> | undefined} */
  let all
  const gather = async () => {
    const span = await readSpan()
    const out = new Uint8Array(end)
    const index = dims.map(() => 0)
    for (let at = 0, from = 0; at < end; at += size) {
      for (let i = 0; i < size; i++) out[at + i] = span[from * size + i]
      for (let axis = dims.length - 1; axis >= 0; axis--) {
        from += strides[axis]
        if (++index[axis] < dims[axis]) break
        from -= dims[axis] * strides[axis]
        index[axis] = 0
      }
    }
    return out
  }
  return {
    size: end,
    async read(from, to) {
      all ??= gather()
      const bytes = await all
      if (to >= end) all = undefined
      return bytes.slice(from, to)
    },
  }
}
