// The progress of a download: bytes so far, rate and remaining time.

/** @import { HubProgress } from './hub-folder.js' */

/** Seconds over which the rate is measured. */
const WINDOW = 5

/**
 * Returns a counter of bytes that reports the rate and the remaining time.
 * @param {number} total
 * @param {((progress: HubProgress) => void) | undefined} onProgress
 */
export function meter(total, onProgress) {
  let loaded = 0
  /** @type {{ time: number, loaded: number }[]} */
  const seen = [{ time: performance.now() / 1000, loaded }]
  return (/** @type {number} */ count, /** @type {string} */ name) => {
    loaded += count
    const time = performance.now() / 1000
    while (seen.length > 1 && time - seen[1].time > WINDOW) seen.shift()
    const rate = (loaded - seen[0].loaded) / Math.max(1e-3, time - seen[0].time)
    if (time - seen[seen.length - 1].time > WINDOW / 50) seen.push({ time, loaded })
    const most = Math.max(total, loaded)
    onProgress?.({ loaded, total: most, name, rate, secondsLeft: rate ? (most - loaded) / rate : Infinity })
  }
}
