// Gives typed access to values that the caller knows to exist, and to the property names of objects.

/** Returns a value without `undefined` and `null` in its type; throws if it is one of these. @template T @param {T} value @returns {T & {}} */
export function present(value) {
  if (value === undefined || value === null) throw new Error('expected a value')
  return value
}

/** True if an object has a property of this name. @template {object} T @param {T} table @param {unknown} name @returns {name is keyof T & string} */
export const isIn = (table, name) => Object.hasOwn(table, String(name))

/** Lists the property names of an object. @template {object} T @param {T} table */
export const namesIn = table => /** @type {(keyof T & string)[]} */ (Object.keys(table))

/** Lists the properties of an object as pairs of name and value. @template {object} T @param {T} table */
export const entriesIn = table =>
  /** @type {{ [N in keyof T & string]-?: [N, Exclude<T[N], undefined>] }[keyof T & string][]} */ (
    Object.entries(table)
  )
