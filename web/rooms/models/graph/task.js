// Computes the graph of heads: the edges between all parts at all positions, and how they act on the logit difference between the answer
// and the second guess. Also tests one edge. No DOM; loaded on demand.

import { positionEdge, positionEdges } from 'qkv/interpret'
import { rateOf } from '../long-text/computer-rate.js'
import { objectiveOf } from '../matters/task.js'
import { vocabOf } from '../run/read-text.js'
import { graphCost } from './cost.js'
import { readEdge } from './setting.js'

/** @import { Model } from 'qkv/models' */
/** @import { WholeRun } from '../run/model-run.js' */
/** @import { ModelsAsks as Asks } from '../models.js' */

/**
 * Computes the edges. If that takes long and the reader has not agreed, returns only the cost; if it takes too much memory, only
 * `isTooLong`.
 * @param {import('qkv').Qkv} qkv
 * @param {Model} model
 * @param {WholeRun} run without the reader's changes
 * @param {boolean} isAgreed
 * @param {import('../run/model-run.js').Watch} watch
 * @returns {Promise<Asks['graph']['value']>}
 */
export async function graphOf(qkv, model, run, isAgreed, { signal, onProgress: onLayer }) {
  const { row, top, input, ids, targetIds, milliseconds } = run
  const { tensors } = model.describe()
  const parameters = tensors.reduce((sum, { dims }) => sum + dims.reduce((a, b) => a * b, 1), 0)
  const cost = graphCost(
    { stacks: model.stacks, parameters, vocab: vocabOf(model) },
    ids.length,
    milliseconds,
    () => rateOf(qkv),
    targetIds?.length,
  )
  if (cost.isTooLong) return cost
  if (cost.isLong && !isAgreed) return { takes: cost.takes }
  const tokens = top.slice(0, 2).map(({ token }) => token)
  const edges = await positionEdges(model, input, { of: objectiveOf(run), by: 'mean', signal, onLayer })
  return { tokens, row, edges, words: run.targets ?? run.tokens, encoded: run.targets && run.tokens }
}

/** Tests one edge by mean ablation. @param {Model} model @param {WholeRun} run @param {string} name name of the edge @returns {Promise<Asks['graphEdge']['value']>} */
export async function testOf(model, run, name) {
  const edge = readEdge(name)
  if (!edge) throw new RangeError(`the graph has no edge ${name}`)
  return positionEdge(model, run.input, { ...edge, of: objectiveOf(run), by: 'mean' })
}
