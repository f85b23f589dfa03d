// Provides two colour scales as CSS colours, with text colours and pixel values. In dark mode small values are dark, so that large ones
// are conspicuous.

import { OFFSET, RAMPS, STRIDE } from './ramps.js'

/** @typedef {'sequential' | 'diverging'} Scale */
/** @typedef {{ colours: string[], inks: string[], pixels: Uint32Array }} Palette 256 colours; inks: colour of text on each; pixels: each as a pixel of image data */

const STEPS = 256

/** Returns red, green and blue, 0 to 255. @param {string} colour in the format of computed styles, rgb(r, g, b) */
const channels = colour => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)

/** Returns the relative luminance as defined by WCAG. @param {string} colour rgb(r, g, b) */
export function luminance(colour) {
  const [red, green, blue] = channels(colour).map(c =>
    c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Converts a colour to a pixel of image data. @param {string} colour rgb(r, g, b) */
export const pixel = colour => new Uint32Array(new Uint8ClampedArray([...channels(colour), 255]).buffer)[0]

/** @param {string[]} colours @returns {Palette} */
const palette = colours => ({
  colours,
  // Black and white text have equal contrast, 4.58, on a background of luminance 0.179.
  inks: colours.map(colour => (luminance(colour) > 0.179 ? '#000' : '#fff')),
  pixels: Uint32Array.from(colours, pixel),
})

/** @param {string} ramp */
function coloursOf(ramp) {
  const count = ramp.length / 3
  let value = 0
  const told = Array.from(ramp, (letter, i) => (value = (i % count ? value : 0) + letter.charCodeAt(0) - OFFSET))
  return Array.from({ length: STEPS }, (_, i) => {
    const [at, beyond] = [Math.floor(i / STRIDE), (i % STRIDE) / STRIDE]
    const rgb = [0, count, 2 * count].map(plane => {
      const from = told[plane + at]
      return beyond ? Math.round(from + (told[plane + at + 1] - from) * beyond) : from
    })
    return `rgb(${rgb.join(', ')})`
  })
}

/** @type {Map<string, Palette>} */
const palettes = new Map()

/** @param {Scale} scale @param {boolean} isDark @returns {Palette} */
export function paletteOf(scale, isDark) {
  const name = `${scale} ${isDark}`
  const made = palettes.get(name) ?? palette(coloursOf(RAMPS[scale][isDark ? 'dark' : 'light']))
  palettes.set(name, made)
  return made
}

/**
 * Returns the index of a value's colour, 0 to 255. Values outside the domain get the colour of its nearest end.
 * @param {number} value
 * @param {readonly number[]} domain
 */
export function stepOf(value, domain) {
  const from = domain[0] // destructuring would take longer than the computation
  const step = Math.floor(((value - from) / (domain[1] - from)) * STEPS)
  return step > 0 ? Math.min(step, STEPS - 1) : 0
}

/** Returns the colours of hidden cells and of NaN, which are not on the scale. @param {boolean} isDark */
export const exceptions = isDark =>
  isDark
    ? { hidden: '#1b1d1f', hatch: '#565b60', nan: 'rgb(122, 31, 61)', nanInk: '#fff' }
    : { hidden: '#f3f3f1', hatch: '#b4b4ae', nan: 'rgb(255, 194, 209)', nanInk: '#000' }

/** Returns a CSS gradient for a legend. @param {Scale} scale @param {boolean} isDark */
export function gradient(scale, isDark) {
  const { colours } = paletteOf(scale, isDark)
  return `linear-gradient(to right, ${colours.filter((_, i) => i % 15 === 0).join(', ')})`
}
