// Converts the steps of the chosen head for <qkv-flow>, and adds the partial sums of the output that the element shows.

import { firstFrame, STEP_OF } from '../explain/frame-steps.js'
import { hasFlow } from '../explain/picture.js'

/** @import { FloatTensor, SceneContext } from '../layer.js' */

/** Maximum number of partial sums of the output. Partial sum n includes the values of the n keys with the largest weights. */
const MOST = 8

/** Caches the partial sums of the last trace, head and query. @type {{ key: readonly unknown[], partials: FloatTensor } | undefined} */
let last

/** Converts a trace for <qkv-flow>. @param {SceneContext} context @returns {import('../../../attention-head/head.js').Flow | undefined} undefined if the trace lacks a step */
export function flowOf({ arithmetic, result, head, link, settings, frame }) {
  const {
    X,
    Q: bareQ,
    K: bareK,
    Qr: Q = bareQ,
    Kr: K = bareK,
    V,
    scores,
    scaled,
    masked,
    exponentials,
    sums,
    weights,
    output,
  } = result.tensors
  if (!hasFlow(result) || !Q || !K || !V || !scores || !weights || !output) return undefined
  const { side, position } = settings.word ?? { side: 'queries', position: link?.row ?? 0 } // without a selected word, the query of the strongest link
  const query = side === 'queries' || !result.settings.isCross ? position : 0
  const trace = {
    embeddings: X,
    queries: Q,
    keys: K,
    values: V,
    scores,
    scaled,
    masked,
    exponentials,
    sums,
    weights,
    output,
  }
  const key = [result, head, query]
  if (!last?.key.every((each, i) => each === key[i]))
    last = { key, partials: arithmetic.partialSums(result, head, query, MOST) }
  const step = frame && STEP_OF[frame] === settings.step ? frame : firstFrame(settings.step)
  return { trace, head, query, partials: last.partials, step }
}
