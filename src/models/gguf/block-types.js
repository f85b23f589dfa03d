// The tensor types of GGUF files: id, weights per block, and bytes per block.

/** @type {Record<string, readonly [id: number, weights: number, bytes: number]>} */
export const BLOCK_TYPES = {
  F32: [0, 1, 4],
  F16: [1, 1, 2],
  Q4_0: [2, 32, 18],
  Q4_1: [3, 32, 20],
  Q5_0: [6, 32, 22],
  Q5_1: [7, 32, 24],
  Q8_0: [8, 32, 34],
  Q2_K: [10, 256, 84],
  Q3_K: [11, 256, 110],
  Q4_K: [12, 256, 144],
  Q5_K: [13, 256, 176],
  Q6_K: [14, 256, 210],
  Q8_K: [15, 256, 292],
  IQ4_NL: [20, 32, 18],
  IQ4_XS: [23, 256, 136],
  BF16: [30, 1, 2],
  MXFP4: [39, 32, 17],
}

/** Names of unsupported types, for errors. @type {Record<number, string>} */
const OTHERS = {
  4: 'Q4_2',
  5: 'Q4_3',
  9: 'Q8_1',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  21: 'IQ3_S',
  22: 'IQ2_S',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  40: 'NVFP4',
}

const NAMES = new Map(Object.entries(BLOCK_TYPES).map(([name, [id]]) => [id, name]))

/**
 * Returns the name of a type.
 * @param {number} id
 * @param {(text: string) => Error} fail
 */
export function typeName(id, fail) {
  const name = NAMES.get(id)
  if (name) return name
  throw fail(
    `type ${OTHERS[id] ?? id} is not covered; covered: ${Object.keys(BLOCK_TYPES).join(', ')}. Open another quantisation of the model`,
  )
}
