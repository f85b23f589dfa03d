// Three random matrices per head, as in the articles.

import { tensor } from 'qkv'
import { stack } from './tensors.js'

/** @type {import('./index.js').Start} */
export function heads(_, settings, table) {
  const { isCross, keysFrom, queries, keys, dModel, dKey, dValue, draw } = settings
  const { embedding, generator } = table(settings)
  const X = embedding.forward(tensor(queries.ids, [queries.ids.length]))
  const matrix = (/** @type {number} */ size) =>
    draw === 'continue' ? generator.rand([size, dModel]).T : generator.rand([dModel, size])
  const drawn = Array.from({ length: settings.heads }, () => [matrix(dKey), matrix(dKey), matrix(dValue)])
  const [Wq, Wk, Wv] = [0, 1, 2].map(i => stack(drawn.map(each => each[i])))
  if (!isCross) return { tensors: { X, Wq, Wk, Wv }, generator }
  const X2 = keysFrom === 'random' ? generator.rand([keys.ids.length, dModel]) : embedding.forward(keys.ids)
  return { tensors: { X, X2, Wq, Wk, Wv }, generator }
}
