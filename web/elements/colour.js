// Two colour scales whose lightness changes evenly, safe for colour-blind eyes: green-blue for shares, and purple against
// orange for signs, as lightness orders both. On dark ground small values are dark, so that colour stands out.

import { lab, rgb } from 'd3-color'
import { interpolateLab, piecewise } from 'd3-interpolate'
import { interpolateGnBu, schemePuOr } from 'd3-scale-chromatic'

/** @typedef {'sequential' | 'diverging'} Scale */
/** @typedef {{ colours: string[], inks: string[], pixels: Uint32Array }} Palette 256 colours, the ink to write on each, and each as a pixel */

const STEPS = 256
const DARK_GROUND = '#16191b'

/**
 * The colours of a ramp, at even steps of lightness.
 * @param {(t: number) => string} ramp from 0 to 1, getting darker or lighter all the way
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

/** The relative luminance of WCAG. @param {string} colour */
export function luminance(colour) {
  const { r, g, b } = rgb(colour)
  const [red, green, blue] = [r, g, b].map(c =>
    c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** A colour as a pixel of image data. @param {string} colour */
export function pixel(colour) {
  const { r, g, b } = rgb(colour)
  return new Uint32Array(new Uint8ClampedArray([r, g, b, 255]).buffer)[0]
}

/** @param {string[]} colours @returns {Palette} */
const palette = colours => ({
  colours,
  // 0.179: where black and white have the same contrast, 4.58 at least
  inks: colours.map(colour => (luminance(colour) > 0.179 ? '#000' : '#fff')),
  pixels: Uint32Array.from(colours, pixel),
})

/** @param {Scale} scale @param {boolean} isDark */
function ramp(scale, isDark) {
  if (scale === 'sequential') {
    if (!isDark) return even(interpolateGnBu, 98, 27, STEPS)
    const lit = [0.85, 0.6, 0.3, 0.05].map(interpolateGnBu)
    return even(piecewise(interpolateLab, [DARK_GROUND, '#0d2c4d', ...lit]), 9, 94, STEPS)
  }
  // Purple to orange; grey in the middle, dark on dark ground.
  const half = (/** @type {number} */ sign) => {
    const scheme = [0, 1, 2, 3, 4, 5].map(at => schemePuOr[11][5 + sign * at])
    if (!isDark) return even(piecewise(interpolateLab, scheme), 97.2, 34, STEPS / 2)
    return even(piecewise(interpolateLab, [DARK_GROUND, ...[4, 3, 2, 1].map(at => scheme[at])]), 9, 84, STEPS / 2)
  }
  return [...half(-1).reverse(), ...half(1)]
}

/** @type {Map<string, Palette>} */
const palettes = new Map()

/** @param {Scale} scale @param {boolean} isDark @returns {Palette} */
export function paletteOf(scale, isDark) {
  const name = `${scale} ${isDark}`
  const made = palettes.get(name) ?? palette(ramp(scale, isDark))
  palettes.set(name, made)
  return made
}

/**
 * Which of the 256 colours a value has; values outside of the domain have the colour of its end.
 * @param {number} value
 * @param {readonly number[]} domain
 */
export function stepOf(value, domain) {
  const from = domain[0] // taking the pair apart would take longer than the rest
  const step = Math.floor(((value - from) / (domain[1] - from)) * STEPS)
  return step > 0 ? Math.min(step, STEPS - 1) : 0
}

/** Colours that are no part of a scale: of hidden cells and of those that are not a number. @param {boolean} isDark */
export const exceptions = isDark =>
  isDark
    ? { hidden: '#1b1d1f', hatch: '#565b60', nan: '#7a1f3d', nanInk: '#fff' }
    : { hidden: '#f3f3f1', hatch: '#b4b4ae', nan: '#ffc2d1', nanInk: '#000' }

/**
 * A CSS gradient for a legend.
 * @param {Scale} scale
 * @param {boolean} isDark
 */
export function gradient(scale, isDark) {
  const { colours } = paletteOf(scale, isDark)
  return `linear-gradient(to right, ${colours.filter((_, i) => i % 15 === 0).join(', ')})`
}
