// Stops shared by the stories of several tasks.

/** @import { Head, Stop } from './task.js' */

export const at = (/** @type {string} */ selector) => () => selector
const PROBE = at('.learn-probe label')

/** Returns the selector of the heads in a head's layer. @param {Head} head */
export const layerOf = ({ layer }) => `[data-layer="${layer + 1}"] qkv-heads:not(.is-kept)`
/** Returns the selector of a head's switch. @param {Head} head */
export const switchOf = ({ layer, head }) => `[data-switch="${layer + 1}.${head + 1}"]`

/** @type {Stop} */
export const train = { target: at('#learn-train'), isDone: ({ steps }) => steps > 0, waits: true }
/** @type {Stop} */
export const untilGoal = {
  target: at('[data-name="accuracy"]'),
  isDone: ({ reachedAt }) => reachedAt !== null,
  waits: true,
}
/** @type {Stop} */
export const ownProbe = { target: PROBE, isDone: ({ hasProbe }) => hasProbe }
/** @type {Stop} */
export const askWhy = { target: at('#learn-answer'), isDone: ({ hasWhy }) => hasWhy }
/** @type {Stop} */
export const answerOff = { target: ({ answer }) => switchOf(answer), isDone: ({ answer, isOff }) => isOff(answer) }
