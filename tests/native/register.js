// node --import ./tests/native/register.js: loads the native twin of the core instead of the wasm. Poisons memory that no call has allocated, and 32
// bytes after each allocation, so that AddressSanitizer stops a kernel that reads or writes beyond its arrays.

import { createRequire } from 'node:module'
import { Blocks } from '../../src/runtime/heap.js'
import { Core } from '../../src/runtime/memory.js'

const PAGE = 65536
const GAP = 32
const addon = createRequire(import.meta.url)('./build/twin.node')

/** The part of WebAssembly.Memory that we use. */
class Memory {
  /** @param {any} native */
  constructor(native) {
    this.native = native
    this.buffer = native.buffer(2 * PAGE)
    native.poison(1024, 2 * PAGE)
  }

  /** @param {number} pages */
  grow(pages) {
    const size = this.buffer.byteLength
    if (size + pages * PAGE > 2 ** 32) throw new RangeError('failed to grow memory')
    this.native.detach(this.buffer)
    this.buffer = this.native.buffer(size + pages * PAGE)
    this.native.poison(size, size + pages * PAGE)
    return size / PAGE
  }
}

const { instantiate } = WebAssembly
WebAssembly.instantiate = /** @type {any} */ (
  async (/** @type {WebAssembly.Module} */ module, /** @type {WebAssembly.Imports} */ imports) => {
    if (!WebAssembly.Module.exports(module).some(({ name }) => name === 'qkv_attention'))
      return instantiate(module, imports)
    const { qkv_abi } = (await instantiate(module, imports)).exports // so that a wasm file of another version is still refused
    const native = addon.create()
    return { exports: { ...native, qkv_abi, memory: new Memory(native) } }
  }
)

/** @param {Core} core @returns {Record<string, CallableFunction>} */
const native = core => core.exports

const { alloc, renew } = Core.prototype
Core.prototype.alloc = function (bytes) {
  const pointer = alloc.call(this, bytes)
  alloc.call(this, GAP)
  native(this).unpoison(pointer, pointer + bytes)
  native(this).poison(pointer + bytes, this.top)
  return pointer
}

/** Maps each block allocator to its core and the lengths of its blocks, by address. @type {WeakMap<Blocks, { core: Core, lengths: Map<number, number> }>} */
const owners = new WeakMap()
Core.prototype.renew = function () {
  renew.call(this)
  if (!owners.has(this.blocks)) owners.set(this.blocks, { core: this, lengths: new Map() })
}

const { take, give } = Blocks.prototype
Blocks.prototype.take = function (bytes) {
  const pointer = take.call(this, bytes)
  const { core, lengths } = /** @type {{ core: Core, lengths: Map<number, number> }} */ (owners.get(this))
  lengths.set(pointer, bytes)
  native(core).unpoison(pointer, pointer + bytes)
  native(core).poison(pointer + bytes, pointer + Math.ceil(bytes / 16) * 16)
  return pointer
}
Blocks.prototype.give = function (pointer) {
  const { core, lengths } = /** @type {{ core: Core, lengths: Map<number, number> }} */ (owners.get(this))
  native(core).poison(pointer, pointer + (lengths.get(pointer) ?? 0))
  give.call(this, pointer)
}
