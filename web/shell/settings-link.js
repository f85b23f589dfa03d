// Returns the default settings of a room, and converts settings to and from link parameters.

/** @typedef {import('./room.js').Room<any>['fields']} Fields */

/** @template S @param {Fields} fields @returns {S} */
export function defaultsOf(fields) {
  /** @type {any} */
  const made = {}
  for (const [name, field] of Object.entries(fields))
    made[name] = typeof field.default === 'function' ? field.default(made) : field.default
  return made
}

/** Writes settings that differ from their defaults as link parameters. @template S @param {Fields} fields @param {S} settings */
export function toLink(fields, settings) {
  const parts = new URLSearchParams()
  for (const [name, { kind, default: usual }] of Object.entries(fields)) {
    const text = kind.write(/** @type {any} */ (settings)[name])
    if (text !== kind.write(typeof usual === 'function' ? usual(settings) : usual)) parts.set(name, text)
  }
  return String(parts)
}

/**
 * Parses link parameters. Throws on unknown names and on values that are invalid for their type.
 * @template S
 * @param {Fields} fields
 * @param {string} link
 * @returns {S}
 */
export function fromLink(fields, link) {
  const given = new URLSearchParams(link)
  for (const name of given.keys()) if (!Object.hasOwn(fields, name)) throw new Error(name)
  /** @type {any} */
  const made = {}
  for (const [name, { kind, default: usual }] of Object.entries(fields)) {
    const text = given.get(name)
    made[name] = text !== null ? kind.read(text) : typeof usual === 'function' ? usual(made) : usual
  }
  return made
}
