// Converts settings to options of the core: scale, score function, mask.

import { Tensor } from 'qkv'

/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/**
 * Returns the mask as a named option where one exists, so that the core need not read every cell.
 * @param {Checked} settings
 * @param {Uint8Array | undefined} visible
 * @param {number[]} dims
 * @returns {import('qkv').TraceOptions}
 */
function whoSees({ mask, painted, left, right }, visible, dims) {
  if (!visible) return {}
  if (painted.length === 0 && mask === 'causal') return { causal: true }
  if (painted.length === 0 && mask === 'window') return { window: [left, right] }
  return { mask: new Tensor(visible, dims) }
}

/**
 * Returns the options of qkv.trace for the settings.
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array | undefined} visible
 * @param {number[]} dims numbers of queries and keys
 * @param {number} size size of a key
 * @returns {import('qkv').TraceOptions}
 */
export function optionsOf(settings, tensors, visible, dims, size) {
  const { score, sigma, masking, softmaxAxis } = settings
  return {
    masking,
    softmaxAxis,
    scale: scaleOf(settings, size),
    ...whoSees(settings, visible, dims),
    ...(score === 'gaussian' && { score: { kind: 'gaussian', sigma } }),
    ...(score === 'additive' && { score: additive(tensors) }),
  }
}

/**
 * @param {Tensors} tensors
 * @returns {import('qkv').Score}
 */
function additive({ Wa, Ua, ba, va }) {
  const [wQuery, wKey, bias, v] = /** @type {FloatTensor[]} */ ([Wa?.T, Ua?.T, ba, va])
  const line = (/** @type {FloatTensor} */ x) => x.reshape([x.data.length])
  return { kind: 'additive', wQuery, wKey, v: line(v), bias: line(bias) }
}

/**
 * Returns the factor that multiplies the scores.
 * @param {Pick<Checked, 'scale' | 'score'>} settings
 * @param {number} size size of a key
 */
export const scaleOf = ({ scale, score }, size) => scale ?? (score === 'scaled' ? 1 / Math.sqrt(size) : 1)
