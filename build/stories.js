// The entry qkv/stories: exports a small language model that ships with the package, as files that loadModel accepts. build/package.js
// bundles it and copies its weights to dist/.

import { readInstalled } from '../src/base/installed.js'
import config from '../web/trained/stories/config.json' with { type: 'json' }
import tokenizer from '../web/trained/stories/tokenizer.json' with { type: 'json' }
import tokenizerConfig from '../web/trained/stories/tokenizer_config.json' with { type: 'json' }

/** @type {Promise<Uint8Array> | undefined} */
let weights

async function readWeights() {
  /** @type {URL | undefined} */
  let url
  try {
    url = new URL('./stories.safetensors', import.meta.url)
    // Node's fetch cannot read files. getBuiltinModule hides node:fs from bundlers.
    const fs = url.protocol === 'file:' ? globalThis.process?.getBuiltinModule?.('node:fs/promises') : undefined
    if (fs) return await fs.readFile(url)
    const response = await fetch(url)
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || /^text\/html/i.test(type)) throw new Error(`it answers ${response.status} ${type}`)
    return new Uint8Array(await response.arrayBuffer())
  } catch (cause) {
    const found = await readInstalled('stories.safetensors')
    if (found) return found
    const message = cause instanceof Error ? cause.message : cause
    const mend = url
      ? `${message}: copy stories.safetensors from qkv/dist beside the bundle`
      : "a bundle that is not an ES module has no address: give the bytes of qkv/dist/stories.safetensors: { ...stories, 'model.safetensors': bytes }"
    throw new Error(`qkv/stories: cannot read ${url ?? 'its weights'}: ${mend}`, { cause })
  }
}

/** @param {object} json */
const bytes = json => new TextEncoder().encode(JSON.stringify(json))

export const stories = {
  'config.json': /* @__PURE__ */ bytes(config),
  'tokenizer.json': /* @__PURE__ */ bytes(tokenizer),
  'tokenizer_config.json': /* @__PURE__ */ bytes(tokenizerConfig),
  /** @param {number} from @param {number} to */
  'model.safetensors': async (from, to) => {
    weights ??= readWeights().catch(error => {
      weights = undefined // so that the next call retries
      throw error
    })
    return (await weights).subarray(from, to)
  },
}
