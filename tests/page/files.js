// Makes files that the tests of One layer import.

import { writeNpy } from '../../web/files/npy.js'

/** @typedef {{ name: string, buffer: Buffer }} GivenFile */

/** @param {unknown} value @param {string} [name] @returns {GivenFile} */
export const json = (value, name = 'own.json') => ({ name, buffer: Buffer.from(JSON.stringify(value)) })
/** @param {number[]} dims @param {ArrayLike<number>} data @param {string} [name] @returns {GivenFile} */
export const npy = (dims, data, name = 'own.npy') => ({ name, buffer: Buffer.from(writeNpy({ dims, data })) })

/**
 * Makes a .npy file with a given header.
 * @param {string} header
 * @param {ArrayLike<number>} bytes
 * @param {string} [name]
 * @returns {GivenFile}
 */
export function raw(header, bytes, name = 'own.npy') {
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8])
  return { name, buffer: Buffer.concat([start, Buffer.from(header), Buffer.from(Array.from(bytes))]) }
}
/** @param {string} descr @param {string} shape @param {boolean} [isFortran] */
export const header = (descr, shape, isFortran = false) =>
  `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': ${shape}, }\n`
