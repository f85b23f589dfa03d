// Which exercises there are, in five groups. A group is loaded when one of its exercises is opened.

/** @typedef {import('./exercise.js').Exercise} Exercise */
/** @typedef {{ name: string, ids: readonly string[], load: () => Promise<{ exercises: readonly Exercise[] }> }} Group */

/** @type {readonly Group[]} */
export const GROUPS = [
  { name: 'dotProducts', ids: ['e1', 'e2', 'e3', 'e4'], load: () => import('./groups/dot-product-exercises.js') },
]

export const IDS = GROUPS.flatMap(({ ids }) => ids)

/** @param {string} id @returns {Promise<Exercise | undefined>} */
export async function exerciseOf(id) {
  const group = GROUPS.find(({ ids }) => ids.includes(id))
  const { exercises } = (await group?.load()) ?? { exercises: [] }
  return exercises.find(each => each.id === id)
}
