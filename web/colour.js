// Two colour scales, safe for colour-blind eyes: lightness alone orders the shares, orange and blue part the signs.
// On dark ground small values are dark, so that colour always stands out against the page.

/** @typedef {'signed' | 'share'} Scale */
/** @typedef {{ ground: string, ink: string }} Colour */

/** @type {Record<'light' | 'dark', Record<Scale, string[]>>} */
const STOPS = {
  light: {
    share: ['#f6faf9', '#cde7e3', '#8fcbc3', '#49a39b', '#167a74', '#004f4c'],
    signed: ['#a84b00', '#e08a3c', '#f6cfa4', '#fafafa', '#b5d3ec', '#4c93cb', '#0b579b'],
  },
  dark: {
    share: ['#1b1f21', '#123f3d', '#15615d', '#2b8c85', '#67bdb4', '#c3f0e9'],
    signed: ['#ffb061', '#b9651b', '#5f3a1a', '#1e2022', '#1d3f5e', '#2c74b3', '#7fc0f5'],
  },
}
const STEPS = 128

/** @param {string} hex */
const channels = hex => [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16))

/** The relative luminance of WCAG. @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/**
 * @param {string[]} stops
 * @returns {Colour[]}
 */
function ramp(stops) {
  const colours = stops.map(channels)
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const at = (step / STEPS) * (stops.length - 1)
    const from = Math.min(Math.floor(at), stops.length - 2)
    const rgb = colours[from].map((c, i) => Math.round(c + (at - from) * (colours[from + 1][i] - c)))
    // 0.179: where black and white have the same contrast
    return { ground: `rgb(${rgb.join(' ')})`, ink: luminance(rgb) > 0.179 ? '#000' : '#fff' }
  })
}

const RAMPS = {
  light: { share: ramp(STOPS.light.share), signed: ramp(STOPS.light.signed) },
  dark: { share: ramp(STOPS.dark.share), signed: ramp(STOPS.dark.signed) },
}

/**
 * @param {Scale} scale
 * @param {number} reach the value at the end of the scale
 * @param {number} value
 * @param {boolean} isDark
 * @returns {Colour}
 */
export function colourOf(scale, reach, value, isDark) {
  const share = scale === 'share' ? value / reach : (value / reach + 1) / 2
  const step = Math.round(Math.min(Math.max(share, 0), 1) * STEPS) || 0 // NaN: the scale's start
  return RAMPS[isDark ? 'dark' : 'light'][scale][step]
}

/** The colour of hidden cells' hatching. @param {boolean} isDark */
export const hatch = isDark =>
  isDark ? { ground: '#1b1d1f', line: '#4a4e52' } : { ground: '#f3f3f1', line: '#c3c3be' }

/**
 * A CSS gradient for a legend.
 * @param {Scale} scale
 * @param {boolean} isDark
 */
export const gradient = (scale, isDark) =>
  `linear-gradient(to right, ${STOPS[isDark ? 'dark' : 'light'][scale].join(', ')})`
