// Makes a shape's random inputs, the same for every candidate.

/** @import { Shape } from './shapes.js' */

/**
 * PyTorch's layout, (out, in).
 * @typedef {object} Weights
 * @property {Float32Array} inProj (3E, E)
 * @property {Float32Array} inBias (3E)
 * @property {Float32Array} outProj (E, E)
 * @property {Float32Array} outBias (E)
 */

/**
 * @typedef {object} Task
 * @property {Shape} shape
 * @property {Float32Array} q (H, L, D); with weights the input of all three projections, (B, L, E)
 * @property {Float32Array} k (H, S, D)
 * @property {Float32Array} v (H, S, D)
 * @property {Weights} [weights]
 */

/**
 * A way to do a task.
 * @typedef {object} Candidate
 * @property {string} op what it calls
 * @property {() => unknown} run one call, numbers in and numbers out
 * @property {() => Promise<Float32Array> | Float32Array} output the result of a call, (H, L, D) or (B, L, E)
 * @property {() => unknown} [dispose]
 * @property {() => number} [memory] bytes that it has taken since it was made
 * @property {import('./peak.js').Place[]} [keyValues] where keys and values lie, if they are resident
 */

/**
 * @param {Shape} shape
 * @param {import('../../src/ops/random/generator.js').Generator} generator
 * @returns {Task}
 */
export function makeTask(shape, generator) {
  const { B = 1, H, L, S = L, D, multihead } = shape
  const normal = (/** @type {number[]} */ ...dims) => generator.randn(dims).data
  if (!multihead) return { shape, q: normal(H, L, D), k: normal(H, S, D), v: normal(H, S, D) }
  const E = H * D
  const x = normal(B, L, E)
  const weight = (/** @type {number} */ rows) => normal(rows, E).map(w => w / Math.sqrt(E))
  return {
    shape,
    q: x,
    k: x,
    v: x,
    weights: { inProj: weight(3 * E), inBias: normal(3 * E), outProj: weight(E), outBias: normal(E) },
  }
}
