// Lists the files of dropped folders. Loaded when a folder is dropped.

/** Returns the files of dropped entries, including those inside folders. @param {readonly (FileSystemEntry | null)[]} entries */
export async function filesIn(entries) {
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
