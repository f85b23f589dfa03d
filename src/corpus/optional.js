// Optional packages, imported when they are needed.

/**
 * Imports an optional package.
 * @param {string} name
 * @param {string} use what it is needed for
 * @returns {Promise<any>}
 */
export async function optional(name, use) {
  try {
    return await import(name)
  } catch (cause) {
    if (/** @type {{ code?: string }} */ (cause).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Error(`${use} needs the package ${name}, which is not installed: npm install ${name}`, { cause })
  }
}
