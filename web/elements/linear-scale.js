// A linear scale of a drawing: where a value stands, and round values in its domain.

import { nice, ticks } from 'd3-array'

/** @typedef {((value: number) => number) & { domain: readonly [number, number], ticks: (count: number) => number[] }} LinearScale */

/**
 * @param {readonly [number, number]} domain
 * @param {readonly [number, number]} range places in the drawing
 * @param {{ round?: number, isCut?: boolean }} [options] round: the domain grows to round values, about so many apart; isCut: what
 *   lies beyond the domain stands at its end
 * @returns {LinearScale}
 */
export function linearScale(domain, [start, end], { round, isCut = false } = {}) {
  const [least, most] = round === undefined ? domain : nice(...domain, round)
  const place = (/** @type {number} */ value) => {
    const share = most === least ? 0.5 : (value - least) / (most - least)
    return start + (end - start) * (isCut ? Math.min(1, Math.max(0, share)) : share)
  }
  return Object.assign(place, {
    domain: /** @type {const} */ ([least, most]),
    ticks: (/** @type {number} */ count) => ticks(least, most, count),
  })
}
