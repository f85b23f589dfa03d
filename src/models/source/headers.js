// Checks headers before fetch does, because the errors of fetch would show secret values.

import { describe } from '../../base/errors.js'

/** Headers that the request itself sets, or that fetch forbids. */
const OWN = /^(range|if-range|connection|content-length|host|transfer-encoding|keep-alive|upgrade|expect|te|trailer)$/i

/**
 * True if fetch would accept a header. Checked here, because the error of fetch would show the value.
 * @param {string} name
 * @param {unknown} value
 */
function isHeader(name, value) {
  try {
    return typeof value === 'string' && new Headers([[name, value]]) !== undefined
  } catch {
    return false
  }
}

/** Checks the option `headers`. No error shows a value, because it may be secret. @param {unknown} headers @param {string} [token] */
export function checkHeaders(headers, token) {
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers)
  if (!isObject || Object.values(headers).some(value => typeof value !== 'string'))
    throw new TypeError(`loadModel: headers: expected an object of texts by name, got ${describe(headers)}`)
  for (const [name, value] of Object.entries(headers)) {
    const isSet = OWN.test(name) || (token !== undefined && /^authorization$/i.test(name))
    if (isSet) throw new TypeError(`loadModel: headers: ${name} is set by the request itself: leave it out`)
    if (isHeader(name, value)) continue
    const isName = isHeader(name, '')
    throw new TypeError(
      isName
        ? `loadModel: headers: the value of ${name} has characters that no header can have, such as a line break`
        : 'loadModel: headers: a name has characters that no header can have, such as a space',
    )
  }
}
