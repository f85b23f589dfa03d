// Computes with qkv what gguf-oracle.test.js and bench/gguf-wllama.js compare with llama.cpp.

import { loadModel } from '../../../src/entries/models.js'
import { D, VOCAB } from './made.js'

/** The ids that the models read. */
export const IDS = [1, 270, 30, 261, 287, 5, 262, 263]

export const isEncoder = (/** @type {string} */ of) => /bert|embedding$|encoder$/.test(of)
/** True if a norm follows the last layer of the architecture `of`. */
const isNormed = (/** @type {string} */ of) => /embedding|modern|t5/.test(of)

/** Returns a decoder's next-token probabilities after each id, an encoder's mean state at length 1, or a reranker's score. @param {import('../../../src/entries/index.js').Qkv} qkv @param {Uint8Array} gguf @param {string} of */
export async function probabilitiesOf(qkv, gguf, of) {
  const model = await loadModel(qkv, gguf, { tokenizer: false, dtype: 'float32' })
  const { logits, hiddenStates, kept, classScores } = model.forwardSync(
    { ids: [IDS] },
    { keep: [isNormed(of) ? 'norm' : 'hiddenStates'] },
  )
  model.dispose()
  if (classScores) return [[classScores.data[0]]]
  if (isEncoder(of)) {
    const last = /** @type {import('../../../src/base/tensor.js').FloatTensor} */ (
      hiddenStates?.slice(-1)[0] ?? kept?.norm
    )
    const mean = Array.from({ length: D }, (_, i) => IDS.reduce((sum, _, t) => sum + last.at(0, t, i), 0))
    const size = Math.hypot(...mean)
    return [mean.map(one => one / size)]
  }
  return IDS.map((_, t) => {
    const row = Array.from({ length: VOCAB }, (_, id) => Number(logits?.at(0, t, id)))
    const most = Math.max(...row)
    const sum = row.reduce((total, one) => total + Math.exp(one - most), 0)
    return row.map(one => Math.exp(one - most) / sum)
  })
}

/** Returns the largest difference between numbers at the same position. @param {number[][]} a @param {number[][]} b */
export const farthest = (a, b) => Math.max(...a.flatMap((row, t) => row.map((one, i) => Math.abs(one - b[t][i]))))
