// The type in which each weight of a model is kept in memory.

/** @typedef {'float32' | 'float16' | 'bfloat16' | 'int8' | 'int4'} WeightType */
/** Parts of a model: the projections of attention, those of the MLPs, the layer that computes logits. @typedef {'attention' | 'mlp' | 'head'} WeightPlace */
/** The type of all weights, or one for each part; `default` is that of parts without one. @typedef {WeightType | { [place in WeightPlace | 'default']?: WeightType }} WeightTypes */

/** The type that holds a stored one. */
const NATIVE = /** @type {const} */ ({ F32: 'float32', F64: 'float32', F16: 'float16', BF16: 'bfloat16' })

/** @param {WeightTypes | undefined} types @param {WeightPlace | undefined} place @param {string} stored @returns {WeightType} */
export function typeOf(types, place, stored) {
  const type = typeof types === 'object' ? (types[/** @type {WeightPlace} */ (place)] ?? types.default) : types
  return type ?? NATIVE[/** @type {'F32'} */ (stored)]
}

/** Bytes of values, in rows of `columns`; int4 has blocks of 32 in 20 bytes. @param {WeightType} type @param {number} size @param {number} columns */
export const bytesOf = (type, size, columns) =>
  type === 'int4'
    ? (size / columns) * Math.ceil(columns / 32) * 20
    : size * (type === 'int8' ? 1 : type === 'float32' ? 4 : 2)
