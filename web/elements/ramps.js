// The colours of the two scales, with evenly increasing lightness, distinguishable for colour-blind readers: green-blue for shares, purple
// against orange for signed values. Builds replace this module by the exported values (build/constants.js), so that no colour library is
// loaded.

import { lab, rgb } from 'd3-color'
import { interpolateLab, piecewise } from 'd3-interpolate'
import { interpolateGnBu, schemePuOr } from 'd3-scale-chromatic'

const STEPS = 256
const DARK_GROUND = '#16191b'

/**
 * Returns the colours of a ramp, at even steps of lightness.
 * @param {(t: number) => string} ramp from 0 to 1, of monotone lightness
 * @param {number} from lightness, 0 to 100
 * @param {number} to
 * @param {number} count
 */
function even(ramp, from, to, count) {
  const rises = to > from
  return Array.from({ length: count }, (_, i) => {
    const wanted = from + ((to - from) * i) / (count - 1)
    let [low, high] = [0, 1]
    for (let round = 0; round < 20; round++) {
      const middle = (low + high) / 2
      if (lab(ramp(middle)).l < wanted === rises) low = middle
      else high = middle
    }
    return ramp(low)
  })
}

/** @param {boolean} isDark */
function sequential(isDark) {
  if (!isDark) return even(interpolateGnBu, 98, 27, STEPS)
  const lit = [0.85, 0.6, 0.3, 0.05].map(interpolateGnBu)
  return even(piecewise(interpolateLab, [DARK_GROUND, '#0d2c4d', ...lit]), 9, 94, STEPS)
}

/** Returns a ramp from purple to orange; grey in the middle, which is dark in dark mode. @param {boolean} isDark */
function diverging(isDark) {
  const half = (/** @type {number} */ sign) => {
    const scheme = [0, 1, 2, 3, 4, 5].map(at => schemePuOr[11][5 + sign * at])
    if (!isDark) return even(piecewise(interpolateLab, scheme), 97.2, 34, STEPS / 2)
    const lit = [4, 3, 2, 1].map(at => scheme[at])
    return even(piecewise(interpolateLab, [DARK_GROUND, ...lit]), 9, 84, STEPS / 2)
  }
  return [...half(-1).reverse(), ...half(1)]
}

/** Added to each encoded number, so that its character code is printable. */
export const OFFSET = 64
/** Every third colour is stored; those in between are interpolated, with an error of at most 3 of 255. */
export const STRIDE = 3

/**
 * Encodes every third colour as letters: all red values, then green, then blue, as differences between neighbours, which compress best.
 * @param {string[]} colours
 */
function steps(colours) {
  const told = colours.filter((_, i) => i % STRIDE === 0).map(colour => rgb(colour))
  const all = /** @type {const} */ (['r', 'g', 'b']).flatMap(channel => told.map(colour => colour[channel]))
  return String.fromCharCode(...all.map((value, i) => value - (i % told.length ? all[i - 1] : 0) + OFFSET))
}

export const RAMPS = {
  sequential: { light: steps(sequential(false)), dark: steps(sequential(true)) },
  diverging: { light: steps(diverging(false)), dark: steps(diverging(true)) },
}
