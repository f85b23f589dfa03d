// Copies texts, and saves files as downloads.

/**
 * Copies a text.
 * @param {string} text
 * @returns {Promise<boolean>} true if it was copied; browsers refuse without a secure context
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const box = document.createElement('textarea')
    box.value = text
    box.className = 'offstage'
    document.documentElement.append(box)
    box.select()
    const isDone = document.execCommand('copy')
    box.remove()
    return isDone
  }
}

/**
 * @param {string} name file name
 * @param {BlobPart} content
 * @param {string} type
 */
export function save(name, content, type) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
