// npm run front: writes web/rooms/front/recorded.js, the numbers that the front page shows before the model has loaded, and the pictures
// on its cards.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { inspectModel, loadModel } from 'qkv/models'
import { FIRST, HEADS, LAYERS, tokensOf } from '../web/rooms/front/pronoun-story.js'
import { tell, wordsOf } from '../web/rooms/front/tell.js'
import { room as layer } from '../web/rooms/layer/room.js'
import { createStore } from '../web/shell/store.js'
import { learn } from './learn/cli.js'

const FOLDER = fileURLToPath(new URL('../web/trained/stories', import.meta.url))

/** Formats as JSON. Rounds numbers to five digits, more than the page shows. @param {unknown} value */
const short = value =>
  JSON.stringify(value, (_, each) => (typeof each === 'number' ? Number(each.toPrecision(5)) : each))

/** Returns the attention weights of the first head that One layer shows with its default settings, row by row. @param {import('qkv').Qkv} qkv */
function layerMap(qkv) {
  const { got } = createStore(layer, { qkv }).state
  const { weights } = /** @type {any} */ (got.trace).value.tensors
  const size = weights.dims[1] * weights.dims[2]
  return Array.from(/** @type {Float32Array} */ (weights.data).subarray(0, size))
}

/** Returns the attention maps of all heads on the first story. @param {import('../web/rooms/front/tell.js').Reader} reader */
function modelMaps({ model, words }) {
  const ids = tokensOf(FIRST).map(token => words.indexOf(token))
  const { attentions } = model.forwardSync({ ids }, { keep: ['attentions'] })
  const L = ids.length
  return Array.from({ length: LAYERS * HEADS }, (_, i) => {
    const { data } = /** @type {{ data: Float32Array }} */ (/** @type {any} */ (attentions)[Math.floor(i / HEADS)])
    const from = (i % HEADS) * L * L
    return Array.from(data.subarray(from, from + L * L))
  })
}

/** Returns the content of recorded.js. */
export async function record() {
  const qkv = await load()
  const { vocab } = JSON.parse(readFileSync(`${FOLDER}/tokenizer.json`, 'utf8')).model
  const reader = { model: await loadModel(qkv, FOLDER, { tokenizer: false }), words: wordsOf(vocab) }
  const { curve, steps } = await learn('induction', { seed: 0 })
  return {
    parameters: (await inspectModel(FOLDER)).parameters,
    bytes: readFileSync(`${FOLDER}/model.safetensors`).length,
    he: tell(qkv, reader, FIRST),
    she: tell(qkv, reader, { ...FIRST, pronoun: 'she' }),
    layerMap: layerMap(qkv),
    curve: { accuracy: curve, steps },
    modelMaps: modelMaps(reader),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = Object.entries(await record()).map(([name, value]) => `  ${name}: ${short(value)},\n`)
  const head =
    '// What `npm run front` recorded; a test compares it with the model and the rooms.\n\n// biome-ignore-all format: numbers\n\n'
  const type = '/** @type {import("./front.js").Recorded} */\n'
  writeFileSync(
    new URL('../web/rooms/front/recorded.js', import.meta.url),
    `${head}${type}export const recorded = {\n${lines.join('')}}\n`,
  )
}
