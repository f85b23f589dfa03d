// All exercises, in six groups. A group is loaded when one of its exercises is opened.

/** @import { Exercise } from './exercise.js' */
/**
 * A group of exercises; `texts` names the file of its texts, in addition to exercises.js.
 * @typedef {{ name: string, texts: string, ids: readonly string[], load: (id: string) => Promise<{ exercises: readonly Exercise[] }> }} Group
 */

/** @type {readonly Group[]} */
export const GROUPS = [
  {
    name: 'dotProducts',
    texts: 'dot-product-exercises',
    ids: ['e1', 'e2', 'e3', 'e4'],
    load: () => import('./groups/dot-product-exercises.js'),
  },
  {
    name: 'masks',
    texts: 'mask-exercises',
    ids: ['e5', 'e6', 'e7', 'e8'],
    load: () => import('./groups/mask-exercises.js'),
  },
  {
    name: 'heads',
    texts: 'head-exercises',
    ids: ['e9', 'e10', 'e11', 'e12'],
    load: () => import('./groups/head-exercises.js'),
  },
  {
    name: 'learned',
    texts: 'learned-exercises',
    ids: ['e13', 'e14', 'e15', 'e16'],
    load: id => (id === 'e16' ? import('./groups/alignment-exercises.js') : import('./groups/learned-exercises.js')),
  },
  {
    name: 'circuits',
    texts: 'circuit-exercises',
    ids: ['e17', 'e18', 'e19', 'e20'],
    load: () => import('./groups/circuit-exercises.js'),
  },
  {
    name: 'layers',
    texts: 'lens-exercises',
    ids: ['e21', 'e22', 'e23'],
    load: () => import('./groups/lens-exercises.js'),
  },
]

export const IDS = GROUPS.flatMap(({ ids }) => ids)

/** Splits the ids of a link into existing and unknown ones. @param {string} text */
export function idsOf(text) {
  const all = text.split(',').filter(Boolean)
  return { known: all.filter(id => IDS.includes(id)), unknown: all.filter(id => !IDS.includes(id)) }
}

/** @param {string} id */
export const groupOf = id => GROUPS.find(({ ids }) => ids.includes(id))

/** @param {string} id @returns {Promise<Exercise | undefined>} */
export async function exerciseOf(id) {
  const group = groupOf(id)
  const { exercises } = (await group?.load(id)) ?? { exercises: [] }
  return exercises.find(each => each.id === id)
}
