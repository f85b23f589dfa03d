// Finds repeated words. An induction head attends to the word that followed their earlier occurrence. Pure.

/** @import { Result } from '../layer.js' */
/**
 * A repeated word. `first`, `second`: positions of two occurrences; `followed`: position of the word after `first`; `weight`: attention
 * weight of query `second` on key `followed`.
 * @typedef {{ first: number, followed: number, second: number, weight: number }} Induction
 */

/**
 * Finds repeated words.
 * @param {Result} result
 * @param {number} head
 * @returns {Induction[]} for each repeated word, its last earlier occurrence
 */
export function inductionOf({ settings, tensors, visible }, head) {
  const { tokens, ids } = settings.queries
  const S = tokens.length
  return Array.from(ids, (id, second) => {
    const first = Array.from(ids).lastIndexOf(id, second - 1)
    return { first: second === 0 ? -1 : first, followed: first + 1, second, weight: 0 }
  })
    .filter(({ first, followed, second }) => first >= 0 && (!visible || visible[second * S + followed] === 1))
    .map(each => ({ ...each, weight: tensors.weights?.at(head, each.second, each.followed) ?? 0 }))
}
