// Errors of the hub, of the connection to it, and of the data it sent.

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

/** A transient error, after which the request is retried. */
export class Passing extends Error {
  /**
   * @param {'BUSY' | 'NETWORK'} code
   * @param {string} message
   * @param {{ after?: number, cause?: unknown }} [options] after: seconds to wait, if the hub requests it
   */
  constructor(code, message, { after, cause } = {}) {
    super(message, { cause })
    this.code = code
    this.after = after
  }
}
