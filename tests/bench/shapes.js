// The measured shapes. They differ in L, S, D and the mask, which choose the code path; cost is linear in the number of heads.

/**
 * B batch, H heads, L queries, S keys (L if absent), D size of a head.
 * `resident`: keys and values are in the memory of the measured library; in qkv also the query and the output.
 * `multihead`: a whole nn.MultiheadAttention(H * D, H), with its projections and biases.
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} [B]
 * @property {number} H
 * @property {number} L
 * @property {number} [S]
 * @property {number} D
 * @property {boolean} [causal]
 * @property {boolean} [resident]
 * @property {boolean} [multihead]
 */

/** @type {Shape[]} The largest is last, so that a peer that runs out of memory there disturbs no other shape. */
export const SHAPES = [
  { name: 'H12 L128 D64', H: 12, L: 128, D: 64 },
  { name: 'H12 L128 D64 causal', H: 12, L: 128, D: 64, causal: true },
  { name: 'H12 L512 D64', H: 12, L: 512, D: 64 },
  { name: 'H12 L512 D64 causal', H: 12, L: 512, D: 64, causal: true },
  { name: 'H12 L1024 D64', H: 12, L: 1024, D: 64 },
  { name: 'H12 L1024 D64 causal', H: 12, L: 1024, D: 64, causal: true },
  { name: 'H8 L2048 D64 causal', H: 8, L: 2048, D: 64, causal: true },
  { name: 'H4 L1024 D128', H: 4, L: 1024, D: 128 },
  { name: 'decode H32 S2048 D128 resident', H: 32, L: 1, S: 2048, D: 128, resident: true },
  { name: 'multihead B10 L60 E512 H8', B: 10, H: 8, L: 60, D: 64, multihead: true },
  { name: 'tiny H1 L6 D16', H: 1, L: 6, D: 16 },
  { name: 'tiny H1 L6 D16 resident', H: 1, L: 6, D: 16, resident: true },
  { name: 'H1 L16384 D64 causal', H: 1, L: 16384, D: 64, causal: true },
]

/** Shapes that threads must not slow down. @type {Shape[]} */
export const SMALL = [16, 32, 64, 256].map(L => ({ name: `H12 L${L} D64`, H: 12, L, D: 64 }))

/**
 * Counts additions and multiplications: 4 H L S D for attention, half of it when causal, and 2 for each row and each weight of a projection.
 * @param {Shape} shape
 */
export function flops({ B = 1, H, L, S = L, D, causal, multihead }) {
  const attention = (4 * B * H * L * S * D) / (causal ? 2 : 1)
  return attention + (multihead ? 4 * 2 * B * L * (H * D) ** 2 : 0)
}

/** Returns the bytes of q, k, v and the output. @param {Shape} shape */
export const operandBytes = ({ B = 1, H, L, S = L, D }) => 2 * 4 * B * H * (L + S) * D

/** @param {{ quick: boolean, shape: string }} options */
export function chooseShapes({ quick, shape }, all = SHAPES) {
  const shapes = all.filter(({ name, L }) => name.includes(shape) && !(quick && L > 4096))
  if (!shapes.length)
    throw new RangeError(`--shape ${shape}: part of one of these expected: ${all.map(({ name }) => name).join(', ')}`)
  return shapes
}
