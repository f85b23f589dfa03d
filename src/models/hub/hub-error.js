// Errors of the hub, of the way to it, and of what came from it.

export class HubError extends Error {
  /**
   * @param {'NOT_FOUND' | 'GATED' | 'TOKEN' | 'BUSY' | 'NETWORK' | 'ANSWER' | 'DAMAGED' | 'OFFLINE' | 'DISK_FULL' | 'CACHE'} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options)
    this.name = 'HubError'
    this.code = code
  }
}

/** An error that may pass: the request is made again. */
export class Passing extends Error {
  /**
   * @param {'BUSY' | 'NETWORK'} code
   * @param {string} message
   * @param {{ after?: number, cause?: unknown }} [options] after: seconds that the hub asks to wait
   */
  constructor(code, message, { after, cause } = {}) {
    super(message, { cause })
    this.code = code
    this.after = after
  }
}

/** Why a request failed: Node says only in the cause. @param {any} error @returns {string} */
export const whyOf = ({ message, cause }) => (cause ? `${message} (${cause.code ?? cause.message})` : message)
