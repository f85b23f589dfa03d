// From settings to every number on the page. All arithmetic is the core's; this file only orders it. Plain data in,
// plain data out, so that it runs in a worker as well.

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
 * @property {Tensors} tensors every matrix, (rows, columns) or (heads, rows, columns)
 * @property {Tensors} [before] with edits: the same without them
 * @property {Uint8Array} [visible] (L, S), 1 may be seen; undefined: all may
 * @property {import('./mask-order.js').MaskOrder} [maskOrder] under a mask: the weights by both ways of masking; not of many pairs
 * @property {import('./token-swap.js').TokenSwap} [tokenSwap] whose output changes when one token is changed
 * @property {import('./curve.js').Curve} [curve] where queries, keys and values are single numbers
 * @property {number} [detailHead] of a large trace: the head whose steps there are; tensors of (1, rows, columns) are its own
 * @property {import('../../../elements/statistics.js').HeadStatistics[]} [statistics] of each head, where the weights of one only are kept
 * @property {FloatTensor} [smalls] where the weights of one head only are kept: all heads made small, (H, rows, columns)
 */

/**
 * @typedef {((settings: Checked) => Result) & {
 *   parts: (settings: Checked, head: number) => Generator<number, Result>,
 *   isReused: (tensor: FloatTensor) => boolean,
 *   batch: (result: Result) => Batch | undefined }} Tracer parts: the way of large.js; isReused: is it needed for the
 *   next trace? batch: see batch.js
 */

/**
 * An edit computes again only what depends on it: the drawn numbers are reused.
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

  /** Traces with some of the edits: the last one stays while others are dragged. */
  const createBase = () => {
    /** @type {{ name: string, tensors: Tensors, maskOrder: Result['maskOrder'] } | undefined} */
    let base
    return (
      /** @type {Checked} */ settings,
      /** @type {Tensors} */ drawn,
      /** @type {Uint8Array | undefined} */ visible,
      /** @type {Checked['edits']} */ edits,
    ) => {
      const name = signature(/** @type {any} */ ({ ...settings, edits, probe: null, probeWord: '' }))
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
 * The outputs of other queries, each under the mask of the first.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors & { Q: FloatTensor }} tensors
 * @param {Uint8Array | undefined} visible (1, S)
 */
function outputOf(qkv, settings, tensors, visible) {
  const mask =
    visible && Uint8Array.from({ length: tensors.Q.dims[1] * visible.length }, (_, i) => visible[i % visible.length])
  return /** @type {FloatTensor} */ (steps(qkv, settings, tensors, mask, ['output']).output)
}

/**
 * The matrices of the additive score, as many hidden units as a key has dimensions: rand, after all others.
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
