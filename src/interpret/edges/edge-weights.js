// Computes the exact effect of edges into queries and keys on the attention weights. A gradient would underestimate it: a saturated softmax
// has almost none, although a large change of a query or key moves its weights (the QK fix of AtP*, Kramár et al. 2024).

import { splitHeads } from '../../base/operand.js'
import { scoresOfPositions } from '../../models/run/disentangled.js'
import { ModelOperations, scoreOptions } from '../../models/run/network.js'
import { changedStreams, chunksOf } from './changed-streams.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Changed, Reading } from './changed-streams.js' */
/** @import { EdgeTask } from './edge-task.js' */

/**
 * Replaces the estimates of edges into q and k by the dot product of (changed - unchanged attention weights) with the gradient with respect
 * to these weights.
 * @param {EdgeTask} task
 * @param {(place: string) => FloatTensor} gradientAt
 * @param {FloatTensor} effects (writers, readers)
 * @returns {import('../../models/run/network.js').RunSteps<void>}
 */
export function* throughWeights(task, gradientAt, effects) {
  const { parts, streams, readers } = task
  const { qkv, weights } = parts
  const R = readers.length
  /** @param {Reading} reading @returns {import('../../models/run/network.js').RunSteps<void>} */
  function* visit({ stream, source, layer, one, own, base, changed, changedKeys, project, projectKeys }) {
    const { part } = one
    const { numHeads: H, numKvHeads: G } = stream.spec.heads
    const isCross = part.kind === 'cross'
    const gradient = gradientAt(`${stream.stack}layers.${layer}.${part.kind}.weights`)
    const held = one.weights.data
    const values = splitHeads(base.v, G)
    const size = gradient.data.length / H // numbers per head
    const place = isCross ? 'cross' : stream.stack.slice(0, -1)
    /** @param {Changed[]} chunk @param {'q' | 'k'} kind @param {FloatTensor} made (n, rows, heads * D) */
    const score = (chunk, kind, made) => {
      const plain = { ...own, call: { ...own.call, ops: new ModelOperations(qkv, weights) } }
      const heads = kind === 'q' ? H : G
      const to = task.indexOf(readers, { kind, layer, head: 0, ...(streams.length > 1 && { place }) })
      const rows = { q: base.q, k: base.k, [kind]: made }
      const [q, k] = [splitHeads(rows.q, H), splitHeads(rows.k, G)]
      chunk.forEach(({ writer }, n) => {
        const at = (/** @type {FloatTensor} */ x) => (x.dims[0] === 1 ? x : x.slice(0, n, n + 1))
        const ofDistances = isCross ? undefined : scoresOfPositions(plain, part, at(rows.q), at(rows.k))
        const options = scoreOptions(own, part, ofDistances)
        const { data } = qkv.trace(at(q), at(k), values, { ...options, keep: ['weights'] }).weights
        for (let h = 0; h < H; h++) {
          let sum = 0
          for (let i = h * size; i < (h + 1) * size; i++) sum += (data[i] - held[i]) * gradient.data[i]
          const reader = writer * R + to + Math.floor(h / (H / heads))
          effects.data[reader] = (h % (H / heads) === 0 ? 0 : effects.data[reader]) + sum
        }
      })
    }
    for (const chunk of chunksOf(changed, stream.L)) {
      const { q, k } = project(chunk)
      score(chunk, 'q', q)
      if (!isCross) score(chunk, 'k', k)
      yield []
    }
    if (!isCross) return
    for (const chunk of chunksOf(changedKeys, source.L)) {
      score(chunk, 'k', projectKeys(chunk).k)
      yield []
    }
  }
  yield* changedStreams(task, false, visit)
}
