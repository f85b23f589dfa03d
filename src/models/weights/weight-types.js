// The type in which each weight of a model is stored in memory.

import { BLOCKS } from '../../layers/weight-blocks.js'

/** @typedef {'float32' | 'float16' | 'bfloat16' | 'int8' | 'int4'} WeightType */
/** @type {readonly WeightType[]} */
export const TYPES = ['float32', 'float16', 'bfloat16', 'int8', 'int4']
/** Parts of a model: projections of attention, those of the MLPs, and the head. @typedef {'attention' | 'mlp' | 'head'} WeightPlace */
/** The type of all weights, or the type for each part; `default` is for parts that are not listed. @typedef {WeightType | { [place in WeightPlace | 'default']?: WeightType }} WeightTypes */

/** @import { BlockType } from '../../layers/packed-linear.js' */

/** For each dtype in a file, the type that it has in memory by default. @type {Record<string, WeightType>} */
const NATIVE = { F32: 'float32', F64: 'float32', F16: 'float16', BF16: 'bfloat16' }

/** @param {WeightTypes | undefined} types @param {WeightPlace | undefined} place @param {{ dtype: string, blocks?: { type: BlockType } }} stored @returns {WeightType | BlockType} */
export function typeOf(types, place, { dtype, blocks }) {
  const type = typeof types === 'object' ? (types[/** @type {WeightPlace} */ (place)] ?? types.default) : types
  return type ?? blocks?.type ?? NATIVE[dtype]
}

/** Returns the number of bytes of `size` values in rows of `columns`; int4 has blocks of 32 values in 20 bytes. @param {WeightType | BlockType} type @param {number} size @param {number} columns */
export function bytesOf(type, size, columns) {
  if (type === 'int4') return (size / columns) * Math.ceil(columns / 32) * 20
  const blocks = BLOCKS[/** @type {BlockType} */ (type)]
  return blocks ? (size / 2048) * blocks[1] : size * (type === 'int8' ? 1 : type === 'float32' ? 4 : 2)
}
