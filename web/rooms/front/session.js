// The session of the front door: the model of stories, run on a story.

import { loadModel } from 'qkv/models'
import { tell, wordsOf } from './tell.js'

/** @typedef {import('./front.js').FrontAsks} FrontAsks */

/** @param {Record<string, string>} urls by file @param {AbortSignal} signal */
async function filesOf(urls, signal) {
  const files = Object.entries(urls).map(async ([name, url]) => {
    const response = await fetch(url, { signal })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
    return [name, await response.arrayBuffer()]
  })
  return Object.fromEntries(await Promise.all(files))
}

/** @param {import('qkv').Qkv} qkv @returns {import('../../shell/room.js').Handlers<FrontAsks>} */
export function handlers(qkv) {
  /** @type {import('./tell.js').Reader | undefined} */
  let reader
  return {
    async tell({ urls, story }, { signal }) {
      if (!reader) {
        const files = await filesOf(urls, signal)
        const { vocab } = JSON.parse(new TextDecoder().decode(files['tokenizer.json'])).model
        reader = { model: await loadModel(qkv, files, { tokenizer: false, signal }), words: wordsOf(vocab) }
      }
      return tell(qkv, reader, story)
    },
  }
}
