// Makes a text, and the same text with slightly changed embeddings. First-order estimates must predict the effects of so small a change.

import { qkv } from './checkpoints.js'
import { ids } from './plain-gpt2.js'

/**
 * @param {string} name of the folder
 * @param {Pick<ReturnType<typeof import('../../src/models/model.js').Model.parts>, 'family' | 'weights'>} parts
 */
export function smallChange(name, { family, weights }) {
  const decoded = family.encoder && family.decoder && { decoderIds: [1, 6, 2, 9] }
  const { tokens } = family.embedding
  const C = tokens.columns
  const random = qkv.generator(5)
  const noise = random.randn([ids.length * C]).data
  const data = new Float32Array(ids.length * C)
  for (const [p, id] of ids.entries()) data.set(weights.row(tokens, id), p * C)
  // t5-tiny needs a smaller step, because many of its neurons are near the kink of ReLU.
  const scale = (name === 't5-tiny' ? 0.0005 : 0.003) * Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length)
  const dims = [1, ids.length, C]
  const input = { embeddings: /** @type {any} */ ({ data, dims }), ...decoded }
  const other = data.map((x, n) => x + scale * noise[n])
  const clean = { embeddings: /** @type {any} */ ({ data: other, dims }), ...decoded }
  return { input, clean }
}
