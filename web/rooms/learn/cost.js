// Estimates the time and memory of a run, and finds smaller settings.

import { EVERY } from './snapshots.js'

/** @import { LearnSettings } from './tasks/task.js' */

/** Assumed operations per second, until the speed is measured. */
const SPEED = 1e10
/** Seconds and bytes above which a run is reported as large. */
export const MOST_SECONDS = 60
export const MOST_BYTES = 2 ** 29

/**
 * Estimates the time and memory of a run.
 * @param {LearnSettings} settings layers: number of attentions, cross-attention included
 * @param {number} [outputs] logits per position, if the task fixes their number
 * @returns {{ seconds: number, bytes: number }}
 */
export function estimate({ layers, heads, d, mlp, V, T, batch, steps }, outputs = V || 96) {
  const tokens = batch * T
  const forward = tokens * (layers * (8 * d * d + 4 * d * mlp + 4 * T * d) + 2 * d * outputs)
  const weights = layers * (4 * d * d + 2 * d * mlp) + (2 * outputs + T) * d
  const floats = tokens * (layers * (16 * d + 4 * mlp) + 4 * d + 2 * outputs) + batch * layers * heads * T * T
  const snapshots = Math.min(2 ** 24, (weights * steps) / 20)
  return { seconds: (steps * 3.5 * forward) / SPEED, bytes: 4 * (2 * floats + 8 * weights + snapshots) }
}

/** Returns the seconds that a number of steps take, with an evaluation every EVERY steps. @param {number} steps @param {import('./learn.js').RunInfo['milliseconds']} milliseconds */
export const secondsOf = (steps, { step, evaluation }) => (steps * (step + evaluation / EVERY)) / 1000

/**
 * Finds similar settings within MOST_SECONDS and MOST_BYTES. Reduces batch first, then steps, mlp and d.
 * @param {LearnSettings} settings layers: number of attentions, cross-attention included
 * @returns {Partial<LearnSettings> | undefined} the reduced fields; undefined if none was reduced
 */
export function smaller(settings) {
  /** @type {Partial<LearnSettings>} */
  const patch = {}
  const isLarge = () => {
    const { seconds, bytes } = estimate({ ...settings, ...patch })
    return seconds > MOST_SECONDS || bytes > MOST_BYTES
  }
  const now = (/** @type {'steps' | 'batch' | 'mlp' | 'd'} */ field) => patch[field] ?? settings[field]
  while (isLarge()) {
    if (now('batch') > 16) patch.batch = Math.ceil(now('batch') / 2)
    else if (now('steps') > 1000) patch.steps = 20 * Math.ceil(now('steps') / 40)
    else if (now('mlp') > 2 * now('d')) patch.mlp = Math.ceil(now('mlp') / 2)
    else if (now('d') > 32) patch.d = 2 * settings.heads * Math.max(1, Math.round(now('d') / 4 / settings.heads))
    else break
  }
  return Object.keys(patch).length ? patch : undefined
}
