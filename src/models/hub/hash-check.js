// Computes the hash of a file from its blocks as they arrive.

import { builtin } from './hub-settings.js'

/**
 * Returns a hasher that takes the blocks of a file in any order, or undefined if there is no hash to check.
 * @param {import('./hub-answers.js').HubFile} file
 */
export async function checkOf({ hash, size = 0 }) {
  if (!hash) return undefined
  const isGit = hash.length === 40
  if (isGit && !globalThis.crypto?.subtle) return undefined // no crypto.subtle on a page that was not served over https
  const node = builtin('node:crypto')
  const sum = isGit ? undefined : node ? node.createHash('sha256') : new (await import('./sha256.js')).Sha256()
  /** The content of the file. Kept only for Git's hash, because crypto.subtle takes header and content in one call. */
  const whole = new Uint8Array(isGit ? size : 0)
  /** Blocks that arrived before their turn. @type {Map<number, Uint8Array>} */
  const early = new Map()
  let length = 0
  const check = {
    /** Index of the next block to hash. */
    next: 0,
    /** @param {number} n @param {Uint8Array} bytes */
    take(n, bytes) {
      if (n < check.next) return
      early.set(n, bytes)
      for (let turn = early.get(check.next); turn; turn = early.get(check.next)) {
        if (isGit) whole.set(turn, length)
        else sum?.update(turn)
        length += turn.length
        early.delete(check.next++)
      }
      for (const late of early.keys()) if (early.size > 4) early.delete(late) // bounds memory; dropped blocks are read again at the end
    },
    async digest() {
      if (!isGit) return String(sum?.digest('hex'))
      const header = new TextEncoder().encode(`blob ${size}\0`)
      const bytes = new Uint8Array(header.length + size)
      bytes.set(header)
      bytes.set(whole, header.length)
      const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-1', bytes))
      return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
    },
  }
  return check
}
