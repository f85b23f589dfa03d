/** @import { Core } from './memory.js' */

/**
 * Memory that outlives a call: blocks without gaps, followed by the stack on which calls allocate. `take` reuses the first free block that
 * is large enough. A free block at the end is returned to the stack.
 */
export class Blocks {
  #core
  /** @type {{ pointer: number, size: number, isFree: boolean }[]} in order of their addresses, without gaps */
  #blocks = []
  /** No block before this index is free. `take` starts here, so it skips the weights of a model, which come first. */
  #firstFree = 0

  /** @param {Core} core */
  constructor(core) {
    this.#core = core
  }

  /** Bytes in use. */
  get used() {
    return this.#blocks.reduce((sum, { size, isFree }) => sum + (isFree ? 0 : size), 0)
  }

  /**
   * @param {number} bytes
   * @returns {number} the address of `bytes` bytes, 16-byte aligned, content undefined
   */
  take(bytes) {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16)
    const blocks = this.#blocks
    while (blocks[this.#firstFree]?.isFree === false) this.#firstFree++
    let i = this.#firstFree
    while (i < blocks.length && !(blocks[i].isFree && blocks[i].size >= size)) i++
    if (i < blocks.length) {
      const block = blocks[i]
      if (block.size > size)
        blocks.splice(i + 1, 0, { pointer: block.pointer + size, size: block.size - size, isFree: true })
      block.size = size
      block.isFree = false
      return block.pointer
    }
    if (this.#core.used > 0)
      throw new Error('alloc: called during another call of this module: call alloc before that call')
    const pointer = this.#core.alloc(size)
    this.#core.base = this.#core.top
    blocks.push({ pointer, size, isFree: false })
    return pointer
  }

  /** @param {number} pointer what take returned */
  give(pointer) {
    const blocks = this.#blocks
    let i = blocks.length - 1 // short-lived blocks are near the end
    while (blocks[i].pointer !== pointer) i--
    blocks[i].isFree = true
    this.#firstFree = Math.min(this.#firstFree, i)
    for (const left of [i, i - 1])
      if (blocks[left]?.isFree && blocks[left + 1]?.isFree) blocks[left].size += blocks.splice(left + 1, 1)[0].size
    const last = blocks[blocks.length - 1]
    if (last.isFree && this.#core.used === 0) {
      blocks.pop()
      this.#core.base = this.#core.top = last.pointer
    }
  }
}
