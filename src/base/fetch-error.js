// Explains why fetch failed.

/** Removes user names, passwords and queries from the addresses in a text, because they may be secret. @param {string} text */
export const withoutSecrets = text => text.replace(/(:\/\/)(?:[^/\s@]*@)?([^\s?)]*)(?:\?[^\s)]*)?/g, '$1$2')

/** Returns why a fetch failed. In Node, only the cause of its error contains the reason. @param {any} error @returns {string} */
export function whyOf(error) {
  const { message = String(error), cause } = Object(error)
  const { code = '', message: reason = '' } = Object(cause)
  const parts = [reason, reason.includes(code) ? '' : code].filter(Boolean)
  const text = withoutSecrets(`${message}${parts.length ? ` (${parts.join(', ')})` : ''}`)
  return reason === 'bad port' ? `${text}: fetch blocks this port, use another one` : text
}
