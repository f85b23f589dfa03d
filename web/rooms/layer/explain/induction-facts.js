// What an induction head finds in a sentence: for each word that stood there before, what followed it then. Pure.

/** @import { Result } from '../layer.js' */
/** @typedef {{ first: number, followed: number, second: number, weight: number }} Induction positions; `weight` of the word that followed */

/**
 * @param {Result} result
 * @param {number} head
 * @returns {Induction[]} of each repeated word, its last occurrence before
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
