// The core of each Qkv, which only code of this package can access.

import { describe, proxied } from '../base/errors.js'

/** @import { Core } from './memory.js' */

/** @type {WeakMap<object, Core>} */
const cores = /* @__PURE__ */ new WeakMap()

/** @param {object} qkv @param {Core} core */
export const setCore = (qkv, core) => void cores.set(qkv, core)

/** Returns the core of a Qkv; undefined for anything else. @param {unknown} qkv */
export const coreOf = qkv => cores.get(Object(qkv))

/**
 * Returns the core of a Qkv; throws for anything else.
 * @param {unknown} qkv `this` of a method, or an argument
 * @param {string} [where] name of the function, if `qkv` is an argument
 */
export function expectCore(qkv, where) {
  const core = coreOf(qkv)
  if (core) return core
  if (!where) throw proxied('qkv')
  throw new TypeError(`${where}: expected what load() of the same package gives, got ${describe(qkv)}`)
}
