// The session of the front door: runs the stories model.

import { loadModel } from 'qkv/models'
import { once } from '../../shell/once.js'
import { tell, wordsOf } from './tell.js'

/** @import { FrontAsks } from './front.js' */

/** Fetches the files of the model. @param {Record<string, string>} urls address of each file */
async function filesOf(urls) {
  const files = Object.entries(urls).map(async ([name, url]) => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
    return [name, await response.arrayBuffer()]
  })
  return Object.fromEntries(await Promise.all(files))
}

/** @param {import('qkv').Qkv} qkv @param {Record<string, string>} urls @returns {Promise<import('./tell.js').Reader>} */
async function readerOf(qkv, urls) {
  const files = await filesOf(urls)
  const { vocab } = JSON.parse(new TextDecoder().decode(files['tokenizer.json'])).model
  return { model: await loadModel(qkv, files, { tokenizer: false }), words: wordsOf(vocab) }
}

/** @param {import('qkv').Qkv} qkv @returns {import('../../shell/room.js').Handlers<FrontAsks>} */
export function handlers(qkv) {
  /** Loads the model only once, even if the story changes meanwhile. @type {(() => Promise<import('./tell.js').Reader>) | undefined} */
  let reader
  return {
    async tell({ urls, story }, { signal }) {
      reader ??= once(() => readerOf(qkv, urls))
      const own = await reader()
      signal.throwIfAborted()
      return tell(qkv, own, story)
    },
  }
}
