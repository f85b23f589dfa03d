// Makes a plugin that evaluates modules of constants at build time, so that the output contains the values but not the libraries that
// computed them.

import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const MODULES = ['../web/elements/ramps.js'].map(path => fileURLToPath(new URL(path, import.meta.url)))

/**
 * Makes the plugin, for rolldown and Vite.
 * @param {(ids: string[]) => void} [onModules] receives the modules that computed the values; their licences go into the notices
 * @returns {import('rolldown').Plugin}
 */
export const constants = (onModules = () => {}) => ({
  name: 'constants',
  async load(id) {
    if (!MODULES.includes(id)) return null
    const { output } = await build({ input: id, write: false, logLevel: 'silent' })
    onModules(Object.keys(output[0].modules))
    const values = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
    return Object.keys(values)
      .map(name => `export const ${name} = ${JSON.stringify(values[name])}`)
      .join('\n')
  },
})
