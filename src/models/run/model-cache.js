// Keeps keys and values of earlier ids, which forward and generate continue.

import { describe, proxied } from '../../base/errors.js'

/** @import { KVCache } from '../../ops/attention/kv-cache.js' */
/** @import { Model } from '../model.js' */
/** @import { Encoded } from './forward.js' */

/** Keys and values of a sequence for each layer; for an encoder-decoder also the output of the encoder. */
export class ModelCache {
  /** @internal @param {Model} model @param {KVCache[]} layers */
  constructor(model, layers) {
    /** @internal The model that made this cache; no other model can use it. */
    this.model = model
    /** @internal */
    this.layers = layers
    /** @internal @type {Encoded | undefined} */
    this.encoded = undefined
    /** @internal @type {number} */
    this.length = 0
    /** @internal The attention mask of each row, 0 is padding; undefined without padding. @type {number[][] | undefined} */
    this.tokens = undefined
    /** @internal True while a call runs, and after one that threw or was aborted half way. */
    this.isBroken = false
    /** @internal The kernel calls recorded for a single token. @type {import('./token-calls.js').TokenCalls | undefined} */
    this.calls = undefined
  }

  clear() {
    for (const layer of this.layers) layer.clear()
    this.encoded = undefined
    this.tokens = undefined
    this.length = 0
    this.isBroken = false
  }

  dispose() {
    for (const layer of this.layers) layer.dispose()
    this.calls?.dispose()
  }
}

/** Validates a cache. @param {unknown} cache as given @param {Model} model that is to use it @returns {ModelCache | undefined} */
export function checkCache(cache, model) {
  if (cache === undefined) return undefined
  if (!(cache instanceof ModelCache))
    throw new TypeError(`forward: cache: expected the result of model.cache(), got ${describe(cache)}`)
  if (!Object.hasOwn(cache, 'layers')) throw proxied('cache')
  if (cache.model !== model)
    throw new TypeError('forward: cache: it was made by another model: use cache() of this one')
  if (cache.isBroken)
    throw new Error(
      'forward: another call with this cache is running, or threw half way: clear it with cache.clear() and begin again',
    )
  return cache
}
