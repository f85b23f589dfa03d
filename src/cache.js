// qkv/cache: keys and values of all steps of a generation, inside the module's memory.

import { Cache as KVCache } from './layers/kv-cache.js'
import { expectCore } from './qkv.js'

/** @typedef {import('./qkv.js').Qkv} Qkv */
/** @typedef {import('./layers/kv-cache.js').Cache} Cache */
/** @typedef {import('./layers/kv-cache.js').CacheOptions} CacheOptions */
/** @typedef {import('./layers/kv-cache.js').CachedAttentionOptions} CachedAttentionOptions */

/**
 * A cache: `append(k, v)` each step, then `attention(q)`. `append` throws when the cache is full; with `limit` the cache
 * doubles its capacity up to that, with `window` it slides.
 * @param {Qkv} qkv
 * @param {CacheOptions} options
 * @returns {Cache}
 * @throws {TypeError | RangeError}
 */
export const kvCache = (qkv, options) => new KVCache(expectCore(qkv, 'kvCache'), options)
