// Finds out if the head and the table of tokens share one weight. The file decides, not the config: a single tensor is shared, and two
// tensors with different numbers are two weights. So does transformers 5.16 (modeling_utils.py, tie_weights). Loaded if a file has a head
// weight in addition to the table, or lacks the table.

import { describe } from '../../base/errors.js'

/** @import { Family } from '../family-shapes/parts.js' */
/** @import { StoredTensor } from './safetensors.js' */

const CHUNK = 2 ** 20

/**
 * Returns the family with its head changed to what the file has: a separate weight, or the table of tokens.
 * @param {Family} family
 * @param {Map<string, StoredTensor>} tensors a table under another name is renamed to the family's name
 * @param {typeof import('../source/source.js').readExactly} readExactly passed instead of imported, so that this module stays a
 *   separate file in the package
 * @param {number} [most] maximum bytes of two tensors to compare; default all
 * @returns {Promise<Family>}
 */
export async function headOf(family, tensors, readExactly, most = Number.POSITIVE_INFINITY) {
  const { head, prefix = '', embedding, vocab, isHeadless } = family
  const keyOf = (/** @type {string} */ name) => (tensors.has(name) ? name : prefix + name)
  const { own } = head
  const table = `${embedding.tokens.name}.weight`
  /** @type {(a: string, b: string) => Promise<boolean>} */
  const areEqual = (a, b) => hasSameBytes(tensors.get(keyOf(a)), tensors.get(keyOf(b)), readExactly, most)
  /** Renames a tensor, unless the new name exists. @param {string} from @param {string} to */
  const rename = (from, to) => {
    const tensor = tensors.get(keyOf(from))
    if (!tensor || tensors.has(keyOf(to))) return
    tensors.delete(keyOf(from))
    tensors.set(to, tensor)
  }
  const copies = (embedding.tokens.copies ?? []).map(name => `${name}.weight`)
  if (head.tied || (head.scaled === false && !tensors.has(keyOf(`${own}.weight`)))) copies.push(`${own}.weight`)
  for (const copy of copies) rename(copy, table)
  for (const copy of embedding.tokens.copies ?? [])
    if (tensors.has(keyOf(`${copy}.weight`)) && !(await areEqual(`${copy}.weight`, table)))
      throw new RangeError(
        `loadModel: ${describe(`${copy}.weight`)} and ${describe(table)} differ: two tables of tokens are not covered`,
      )
  if (!own || isHeadless) return family
  const weight = `${own}.weight`
  const hasWeight = tensors.has(keyOf(weight))
  if (!head.tied)
    return hasWeight ? family : { ...family, head: { ...head, project: undefined, tied: embedding.tokens.name } }
  let { bias } = head
  if (bias && head.transform && bias !== `${own}.bias`) {
    rename(`${own}.bias`, bias)
    if (tensors.has(keyOf(`${own}.bias`)) && !(await areEqual(`${own}.bias`, bias))) bias = `${own}.bias`
  }
  if (!hasWeight || (await areEqual(weight, table))) return { ...family, head: { ...head, bias } }
  const project = { name: own, out: vocab, in: embedding.tokens.columns }
  return { ...family, head: { ...head, bias, tied: undefined, project } }
}

/**
 * @param {StoredTensor | undefined} a
 * @param {StoredTensor | undefined} b
 * @param {typeof import('../source/source.js').readExactly} readExactly
 * @param {number} most
 */
async function hasSameBytes(a, b, readExactly, most) {
  if (!a || !b || a.dtype !== b.dtype || String(a.dims) !== String(b.dims)) return false
  if (a.source === b.source && a.from === b.from) return true // torch.save stores a shared weight once, under both names
  const size = Math.min(most, a.to - a.from)
  for (let at = 0; at < size; at += CHUNK) {
    const [x, y] = await Promise.all(
      [a, b].map(({ source, file, from }) => readExactly(source, file, from + at, from + Math.min(size, at + CHUNK))),
    )
    if (x.some((byte, i) => byte !== y[i])) return false
  }
  return true
}
