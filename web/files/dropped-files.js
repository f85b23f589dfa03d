// Lists dropped files, including those of dropped folders.

/** Returns the files of a drop, including those inside its folders. @param {DataTransfer} transfer @returns {Promise<File[]>} */
export async function filesOf(transfer) {
  const entries = Array.from(transfer.items, item => item.webkitGetAsEntry?.() ?? undefined)
  if (!entries.some(entry => entry?.isDirectory)) return Array.from(transfer.files)
  const found = await Promise.all(entries.map(entry => (entry ? within(entry) : [])))
  return found.flat()
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function within(entry) {
  if (entry.isFile)
    return [await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject))]
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader()
  /** @type {File[]} */
  const all = []
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (!some.length) return all
    for (const one of some) if (one.isFile) all.push(...(await within(one)))
  }
}
