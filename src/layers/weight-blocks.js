// Block types of GGUF files whose weights are multiplied without conversion.

/**
 * Bytes of 256 weights: `file` for one row in a file, `memory` for the eight rows of a panel in memory.
 * @type {Record<import('./packed-linear.js').BlockType, readonly [file: number, memory: number]>}
 */
export const BLOCKS = {
  Q8_0: [272, 2176],
  Q4_0: [144, 1152],
  Q4_1: [160, 1280],
  Q5_0: [176, 1408],
  Q5_1: [192, 1536],
  Q4_K: [144, 1184],
  Q5_K: [176, 1440],
  Q6_K: [210, 1680],
}
