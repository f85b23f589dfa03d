// Colours of numbers in tables, with the same scales as the maps.

import { exceptions, paletteOf, gradient as ramp, stepOf } from '../elements/colour-scale.js'

/** @typedef {'signed' | 'share'} Scale */

const nameOf = (/** @type {Scale} */ scale) => (scale === 'share' ? 'sequential' : 'diverging')

/**
 * Returns background and text colours.
 * @param {Scale} scale
 * @param {number} reach value at the end of the scale
 * @param {number} value
 * @param {boolean} isDark
 * @returns {{ ground: string, ink: string }}
 */
export function colourOf(scale, reach, value, isDark) {
  if (Number.isNaN(value)) return { ground: exceptions(isDark).nan, ink: exceptions(isDark).nanInk }
  const { colours, inks } = paletteOf(nameOf(scale), isDark)
  const step = stepOf(value, [scale === 'share' ? 0 : -reach, reach])
  return { ground: colours[step], ink: inks[step] }
}

/** @param {Scale} scale @param {boolean} isDark */
export const gradient = (scale, isDark) => ramp(nameOf(scale), isDark)
