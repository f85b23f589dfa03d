// Reads uncompressed files in a zip file by byte range; torch.save writes such zip files.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

/**
 * Reads the directory of a zip file.
 * @param {number} size size of the zip file
 * @param {(from: number, to: number) => Promise<Uint8Array>} read
 * @param {(text: string) => Error} fail
 * @returns {Promise<Map<string, { from: number, to: number }>>} ranges by file name
 */
export async function readStoredZip(size, read, fail) {
  const bytesAt = async (/** @type {number} */ from, /** @type {number} */ length) => {
    if (from < 0 || from + length > size) throw fail('it is a zip file that is cut off, or contradicts itself')
    const bytes = await read(from, from + length)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  const u64 = (/** @type {DataView} */ view, /** @type {number} */ at) => Number(view.getBigUint64(at, true))
  // The file ends with a record of 22 bytes, preceded by one of 20 bytes that locates the record for large files.
  const tail = await bytesAt(Math.max(0, size - 42), Math.min(42, size))
  const end = tail.byteLength - 22
  if (end < 0 || tail.getUint32(end, true) !== 0x06054b50)
    throw fail('it is a zip file that is cut off, or has a comment: torch.save writes none')
  let [count, length, start] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ]
  if (end >= 20 && tail.getUint32(end - 20, true) === 0x07064b50) {
    const large = await bytesAt(u64(tail, end - 12), 56)
    if (large.getUint32(0, true) !== 0x06064b50) throw fail('it is a zip file that contradicts itself')
    count = u64(large, 32)
    length = u64(large, 40)
    start = u64(large, 48)
  }
  const list = await bytesAt(start, length)
  /** @type {{ name: string, bytes: number, header: number, nameLength: number, hasDescriptor: boolean }[]} */
  const found = []
  let at = 0
  for (let n = 0; n < count; n++) {
    if (at + 46 > length || list.getUint32(at, true) !== 0x02014b50) throw fail('its list of files contradicts itself')
    const [method, hasDescriptor] = [list.getUint16(at + 10, true), (list.getUint16(at + 8, true) & 8) !== 0]
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(offset => list.getUint16(at + offset, true))
    const next = at + 46 + nameLength + extraLength + commentLength
    if (next > length) throw fail('its list of files contradicts itself')
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, list.byteOffset + at + 46, nameLength))
    if (method !== 0) throw fail(`${name} in it is compressed, which torch.save does not do`)
    const [bytes, header] = largeNumbers(list, at, nameLength, extraLength)
    found.push({ name, bytes, header, nameLength, hasDescriptor })
    at = next
  }
  found.sort((a, b) => a.header - b.header)
  // A file's content follows its local header, whose length only the header has. Reading it would cost a request per file. So the start of
  // the content is computed from its end, which is a fixed distance before the next header. torch.save aligns contents to 64 bytes.
  return new Map(
    found.map(({ name, bytes, header, nameLength, hasDescriptor }, n) => {
      const next = n + 1 < found.length ? found[n + 1].header : start
      const isLarge = bytes >= 0xffffffff || header >= 0xffffffff
      const to = next - (hasDescriptor ? (isLarge ? 24 : 16) : 0)
      const from = to - bytes
      if (from % 64 || from < header + 30 + nameLength) throw fail(`${name} in it does not lie as torch.save writes it`)
      return [name, { from, to }]
    }),
  )
}

/**
 * Returns the size of a file and the offset of its header. A value above 32 bits is in the extra field of the file's directory entry.
 * @param {DataView} list
 * @param {number} at
 * @param {number} nameLength
 * @param {number} extraLength
 */
function largeNumbers(list, at, nameLength, extraLength) {
  // the size, the compressed size (equal to it), and the offset of the header
  const numbers = [24, 20, 42].map(offset => list.getUint32(at + offset, true))
  const end = at + 46 + nameLength + extraLength
  for (let field = at + 46 + nameLength; field + 4 <= end; field += 4 + list.getUint16(field + 2, true)) {
    if (list.getUint16(field, true) !== 1) continue
    let value = field + 4
    for (const i of [0, 1, 2])
      if (numbers[i] === 0xffffffff && value + 8 <= end) {
        numbers[i] = Number(list.getBigUint64(value, true))
        value += 8
      }
  }
  return [numbers[0], numbers[2]]
}
