// Chooses the upper end of the colour scale for attention weights. Pure.

/** @typedef {'shared' | 'one' | 'own'} ScaleEnd */

/**
 * Rounds a largest weight up to 1, 2, 5 or 10 times a power of ten. The result is at most 1, the maximum of a weight.
 * @param {number} most
 */
export function roundedUp(most) {
  if (!(most > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 5, 10].find(n => n * power >= most * (1 - 1e-6)) ?? 10
  return Math.min(Number((step * power).toPrecision(1)), 1)
}

/** @type {WeakMap<object, number>} */
const known = new WeakMap()

/** Returns the largest weight, cached per tensor. @param {{ data: ArrayLike<number> }} tensor */
export function largestOf(tensor) {
  let most = known.get(tensor)
  if (most !== undefined) return most
  most = 0
  const { data } = tensor
  for (let i = 0; i < data.length; i++) if (data[i] > most) most = data[i]
  known.set(tensor, most)
  return most
}

/**
 * Returns the colour range of a head.
 * @param {ScaleEnd} kind 'shared': up to the largest weight of all heads; 'own': up to the largest of this head; 'one': up to 1
 * @param {number} most largest weight of all heads
 * @param {number} own largest weight of this head
 * @returns {[number, number]}
 */
export const domainOf = (kind, most, own) => [0, kind === 'one' ? 1 : roundedUp(kind === 'own' ? own : most)]
