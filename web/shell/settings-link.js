// The settings of a room: their defaults, and how a link holds them.

/** @typedef {import('./room.js').Room<any>['fields']} Fields */

/** @template S @param {Fields} fields @returns {S} */
export function defaultsOf(fields) {
  /** @type {any} */
  const made = {}
  for (const [name, field] of Object.entries(fields))
    made[name] = typeof field.default === 'function' ? field.default(made) : field.default
  return made
}

/** What differs from the defaults, as parameters of a link. @template S @param {Fields} fields @param {S} settings */
export function toLink(fields, settings) {
  const parts = new URLSearchParams()
  for (const [name, { kind, default: usual }] of Object.entries(fields)) {
    const text = kind.write(/** @type {any} */ (settings)[name])
    if (text !== kind.write(typeof usual === 'function' ? usual(settings) : usual)) parts.set(name, text)
  }
  return String(parts)
}

/** Throws on a name that is no field and on a text that its kind does not have. @template S @param {Fields} fields @param {string} link @returns {S} */
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
