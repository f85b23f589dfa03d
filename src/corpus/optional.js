// Packages that only some calls need: they are imported when they are asked for.

/**
 * Imports an optional package.
 * @param {string} name
 * @param {string} use what needs it
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
