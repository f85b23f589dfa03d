// Computes every number on the page from the settings. The core does all arithmetic; this file determines its order. Input and output are
// plain data, so that it can run in a worker. Shapes: H heads, L queries, S keys.

import { createTable } from '../numbers/embedding-table.js'
import { startOf } from '../numbers/index.js'
import { drawnKey, signature } from '../settings.js'
import { attend, mixed, projected, steps } from './attend.js'
import { runBatch } from './batch-statistics.js'
import { curveOf } from './curve.js'
import { traceLarge } from './large-trace.js'
import { maskOrderOf } from './mask-order.js'
import { swapToken } from './token-swap.js'
import { maskOf } from './visibility.js'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */
/** @import { Batch } from './batch-statistics.js' */

/**
 * @typedef {object} Result
 * @property {Checked} settings
 * @property {number} heads
 * @property {import('../numbers/index.js').Traced} tensors all matrices, (rows, columns) or (heads, rows, columns)
 * @property {Tensors} [before] the tensors without the edits, if there are edits
 * @property {Uint8Array} [visible] (L, S), 1 if visible; undefined if everything is
 * @property {import('./mask-order.js').MaskOrder} [maskOrder] weights masked before and after the softmax; only with a mask and few pairs
 * @property {import('./token-swap.js').TokenSwap} [tokenSwap] which outputs change when one token is replaced
 * @property {import('./curve.js').Curve} [curve] if queries, keys and values are single numbers
 * @property {number} [detailHead] in a large trace: the head whose steps are kept; tensors of (1, rows, columns) belong to it
 * @property {import('../../../elements/statistics.js').HeadStatistics[]} [statistics] of each head, if only the weights of one are kept
 * @property {FloatTensor} [smalls] if only the weights of one head are kept: all heads shrunk, (H, rows, columns)
 */

/**
 * @typedef {((settings: Checked) => Result) & {
 *   parts: (settings: Checked, head: number) => Generator<number, Result>,
 *   isReused: (tensor: FloatTensor) => boolean,
 *   batch: (result: Result) => Batch | undefined }} Tracer parts: the trace of large-trace.js; isReused: True if the next trace needs the
 *   tensor; batch: see batch-statistics.js
 */

/**
 * Creates a tracer. An edit recomputes only what depends on it; drawn numbers are reused.
 * @param {Qkv} qkv
 * @returns {Tracer}
 */
export function createTracer(qkv) {
  const table = createTable(qkv)
  /** @type {{ name: string, tensors: Tensors } | undefined} */
  let last
  const start = (/** @type {Checked} */ settings) => {
    const name = drawnKey(settings)
    if (last?.name !== name) {
      const { tensors, generator } = startOf(qkv, settings, table)
      const hasScores = tensors.Wq ?? tensors.Q
      const additive = hasScores && settings.score === 'additive' ? drawAdditive(qkv, settings, tensors, generator) : {}
      last = { name, tensors: { ...tensors, ...additive } }
    }
    return last.tensors
  }

  /** Returns a function that traces with the given edits only and caches the last trace, which stays valid while other edits change. */
  const createBase = () => {
    /** @type {{ name: string, tensors: Result['tensors'], maskOrder: Result['maskOrder'] } | undefined} */
    let base
    return (
      /** @type {Checked} */ settings,
      /** @type {Tensors} */ drawn,
      /** @type {Uint8Array | undefined} */ visible,
      /** @type {Checked['edits']} */ edits,
    ) => {
      const name = signature({ ...settings, edits, probe: null, probeWord: '' })
      if (base?.name !== name) {
        const tensors = attend(qkv, settings, drawn, visible, edits)
        base = { name, tensors, maskOrder: maskOrderOf(qkv, settings, tensors, visible) }
      }
      return base
    }
  }
  const [unedited, beforeWeights] = [createBase(), createBase()]

  const parts = (/** @type {Checked} */ settings, /** @type {number} */ head) =>
    traceLarge(qkv, settings, projected(qkv, settings, start(settings), settings.edits), maskOf(settings), head)
  const isReused = (/** @type {FloatTensor} */ tensor) =>
    Object.values(last?.tensors ?? {}).some(({ data }) => data.buffer === tensor.data.buffer)

  const trace = (/** @type {Checked} */ settings) => {
    const drawn = start(settings)
    const visible = maskOf(settings)
    const heads = (drawn.Wq ?? drawn.Q ?? drawn.weights)?.dims[0] ?? 1
    const { edits } = settings
    const plain = unedited(settings, drawn, visible, [])
    const earlier = edits.filter(({ matrix }) => matrix !== 'weights')
    const base = earlier.length > 0 ? beforeWeights(settings, drawn, visible, earlier) : plain
    const tensors = mixed(qkv, base.tensors, edits)
    const tokenSwap = swapToken(qkv, settings, table, tensors, (embeddings, remaining) =>
      attend(qkv, settings, { ...drawn, ...embeddings }, visible, remaining),
    )
    return {
      settings,
      heads,
      visible,
      tensors,
      tokenSwap,
      before: edits.length > 0 ? plain.tensors : undefined,
      maskOrder: base.maskOrder,
      curve:
        settings.softmaxAxis === 'keys'
          ? curveOf(tensors, Q => outputOf(qkv, settings, { ...tensors, Q }, visible))
          : undefined,
    }
  }
  const batch = (/** @type {Result} */ result) => runBatch(qkv, result)
  return Object.assign(trace, { parts, isReused, batch })
}

/**
 * Computes the outputs of the queries `tensors.Q`, which replace the only query of the settings. Its mask applies to each of them.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors & { Q: FloatTensor }} tensors
 * @param {Uint8Array | undefined} visible (1, S)
 */
function outputOf(qkv, settings, tensors, visible) {
  const mask =
    visible && Uint8Array.from({ length: tensors.Q.dims[1] * visible.length }, (_, i) => visible[i % visible.length])
  return steps(qkv, settings, tensors, mask, ['output']).output
}

/**
 * Draws the matrices of the additive score by rand, after all other matrices. The score has as many hidden units as a key has dimensions.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {import('qkv').Generator} [generator]
 * @returns {Tensors}
 */
function drawAdditive(qkv, { seed }, { Wq, Q }, generator = qkv.generator(seed)) {
  const size = /** @type {FloatTensor} */ (Wq ?? Q).dims[2]
  const [Wa, Ua] = [generator.rand([size, size]), generator.rand([size, size])]
  return { Wa, Ua, ba: generator.rand([1, size]), va: generator.rand([1, size]) }
}
