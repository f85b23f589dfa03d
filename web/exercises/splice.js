// What a frame says to the page around it: the SPLICE protocol for smart learning content (getState, reportScoreAndState,
// sendEvent), and lti.frameResize. Only messages of that page are read.

/** Milliseconds until the page around the frame counts as silent. */
const PATIENCE = 2000

/**
 * @typedef {object} Frame the part of a window that is used
 * @property {{ postMessage: (message: object, origin: string) => void }} parent
 * @property {(type: 'message', listener: (event: { source: unknown, data: any }) => void) => void} addEventListener
 * @property {(type: 'message', listener: (event: { source: unknown, data: any }) => void) => void} removeEventListener
 */

/**
 * @param {Frame} frame
 * @param {string} activity such as "qkv.e10"
 * @param {(message: { subject: string, [name: string]: unknown }) => void} hear what the page around asks for
 */
export function createSplice(frame, activity, hear) {
  const { parent } = frame
  /** The answers that are awaited, by the id of the message. @type {Map<string, (answer: { state?: unknown, error?: unknown }) => void>} */
  const waiting = new Map()
  let count = 0

  /** @param {{ source: unknown, data: any }} event */
  const listen = ({ source, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null || typeof data.subject !== 'string') return
    const answer = waiting.get(String(data.message_id))
    if (data.subject === 'SPLICE.getState.response') answer?.(data)
    else hear(data)
  }
  frame.addEventListener('message', listen)

  /** @param {string} subject @param {object} content @returns {string} the id of the message */
  function post(subject, content) {
    const message_id = `${activity} ${++count}`
    // What a page of any origin may know: no one but the page around this frame hears it.
    parent.postMessage({ subject, message_id, activity_id: activity, ...content }, '*')
    return message_id
  }

  return {
    /** The state that was reported last, whenever the answer comes; undefined where there is none. @param {() => void} [silent] called if no answer comes in time @returns {Promise<unknown>} */
    getState: (silent = () => {}) =>
      new Promise(resolve => {
        const id = post('SPLICE.getState', {})
        const timer = setTimeout(silent, PATIENCE)
        waiting.set(id, ({ state, error }) => {
          waiting.delete(id)
          clearTimeout(timer)
          resolve(error ? undefined : (state ?? undefined))
        })
      }),
    /** @param {number} score from 0 to 1 @param {object} state */
    report: (score, state) => post('SPLICE.reportScoreAndState', { score, state }),
    /** @param {string} name @param {object} data */
    event: (name, data) => post('SPLICE.sendEvent', { name, data }),
    /** The exercise has ended: nothing is heard any more, and there is no state. */
    close() {
      frame.removeEventListener('message', listen)
      for (const answer of [...waiting.values()]) answer({})
    },
  }
}

/** @typedef {ReturnType<typeof createSplice>} Splice */
