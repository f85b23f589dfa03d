// The steps of the chosen head as <qkv-flow> takes them, with the sums of the values that it shows on the way.

import { firstFrame, STEP_OF } from '../explain/frame-steps.js'
import { hasFlow } from '../explain/picture.js'

/** @import { FloatTensor, SceneContext } from '../layer.js' */

/** So many values are added one by one. */
const MOST = 8

/** The partial sums of a trace, as long as trace, head and query are the same. @type {{ key: readonly unknown[], partials: FloatTensor } | undefined} */
let last

/** @param {SceneContext} context @returns {import('../../../head/head.js').Flow | undefined} undefined where the trace has not all steps */
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
  const { side, position } = settings.word ?? { side: 'queries', position: link?.row ?? 0 } // the answer speaks of it, too
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
