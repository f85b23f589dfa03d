// Values and names that are there, as their callers know.

/** Returns a value that is not missing. @template T @param {T} value @returns {T & {}} */
export function present(value) {
  if (value === undefined || value === null) throw new Error('expected a value')
  return value
}

/** True for a name in a table. @template {object} T @param {T} table @param {unknown} name @returns {name is keyof T & string} */
export const isIn = (table, name) => Object.hasOwn(table, String(name))

/** Lists the names in a table. @template {object} T @param {T} table */
export const namesIn = table => /** @type {(keyof T & string)[]} */ (Object.keys(table))

/** Lists the names and the values in a table. @template {object} T @param {T} table */
export const entriesIn = table =>
  /** @type {{ [N in keyof T & string]-?: [N, Exclude<T[N], undefined>] }[keyof T & string][]} */ (
    Object.entries(table)
  )
