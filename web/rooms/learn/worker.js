// A session in a worker of its own.

import { load } from 'qkv'
import { createSession } from './session.js'

const session = load().then(qkv => createSession(qkv, report => postMessage(report)))
/** @param {MessageEvent<import('./session.js').Request>} event */
self.onmessage = ({ data }) => {
  session.then(
    ({ ask }) => ask(data),
    error => postMessage({ id: data.id, failure: error.message, isLost: true }),
  )
}
