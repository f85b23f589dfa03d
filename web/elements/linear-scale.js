// Defines a linear scale for drawings, with round ticks.

import { nice, ticks } from 'd3-array'

/** @typedef {((value: number) => number) & { domain: readonly [number, number], ticks: (count: number) => number[] }} LinearScale */

/**
 * Creates a scale.
 * @param {readonly [number, number]} domain
 * @param {readonly [number, number]} range positions in the drawing
 * @param {{ round?: number, isCut?: boolean }} [options] round: number of ticks; if given, the domain is extended to round ends; isCut:
 * True to clamp values outside of the domain
 * @returns {LinearScale}
 */
export function linearScale(domain, [start, end], { round, isCut = false } = {}) {
  const [least, most] = round === undefined ? domain : nice(...domain, round)
  const place = (/** @type {number} */ value) => {
    const share = most === least ? 0.5 : (value - least) / (most - least)
    return start + (end - start) * (isCut ? Math.min(1, Math.max(0, share)) : share)
  }
  /** @type {readonly [number, number]} */
  const extended = [least, most]
  return Object.assign(place, {
    domain: extended,
    ticks: (/** @type {number} */ count) => ticks(least, most, count),
  })
}
