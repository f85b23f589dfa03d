// Exports the package with another `load`, which starts QKV_THREADS threads. They share even the smallest call.

import * as qkv from '../../src/entries/index.js'
import { Threads } from '../../src/threads/pool.js'

export * from '../../src/entries/index.js'

Object.assign(Threads.least, { burst: 0, work: 0, chunk: 0 })
const threads = Number(process.env.QKV_THREADS)

/** @param {import('../../src/load.js').LoadOptions} [options] */
export async function load(options) {
  const loaded = await qkv.load({ threads, ...options })
  if (loaded.threads !== threads && !options?.threads) throw new Error(`${loaded.threads} threads`)
  return loaded
}
