// Exchanges messages with the parent page of an iframe, by the SPLICE protocol for smart learning content (getState, reportScoreAndState,
// sendEvent). Only messages from the parent are read.

/** Milliseconds until the parent page counts as silent. */
const PATIENCE = 2000

/**
 * @typedef {object} Frame the members of a window that are used
 * @property {{ postMessage: (message: object, origin: string) => void }} parent
 * @property {(type: 'message', listener: (event: { source: unknown, data: any }) => void) => void} addEventListener
 * @property {(type: 'message', listener: (event: { source: unknown, data: any }) => void) => void} removeEventListener
 */

/**
 * @param {Frame} frame
 * @param {string} activity such as "qkv.e10"
 * @param {(message: { subject: string, [name: string]: unknown }) => void} hear handles requests of the parent page
 */
export function createSplice(frame, activity, hear) {
  const { parent } = frame
  /** Pending answers by message id. @type {Map<string, (answer: { state?: unknown, error?: unknown }) => void>} */
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

  /** Sends a message to the parent. @param {string} subject @param {object} content @returns {string} id of the message */
  function post(subject, content) {
    const message_id = `${activity} ${++count}`
    // The origin of the parent is unknown, so any origin is allowed. Only the parent receives the message.
    parent.postMessage({ subject, message_id, activity_id: activity, ...content }, '*')
    return message_id
  }

  return {
    /**
     * Requests the last reported state, and returns it or undefined if there is none. A late answer still resolves the promise.
     * @param {() => void} [silent] called if no answer arrives in time
     * @returns {Promise<unknown>}
     */
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
    /** Ends the session: stops listening, and resolves pending requests without a state. */
    close() {
      frame.removeEventListener('message', listen)
      for (const answer of [...waiting.values()]) answer({})
    },
  }
}

/** @typedef {ReturnType<typeof createSplice>} Splice */
