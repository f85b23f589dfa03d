// Opens a folder of sentence-transformers whose network is in a subfolder such as 0_Transformer, next to modules.json. Loaded for a folder
// without config.json.

import { openFolder, readJSON } from '../source/source.js'

/** @import { Folder } from '../source/source.js' */

/**
 * Opens the subfolder of the network. The result has the given folder as `outside`.
 * @param {Folder} folder
 * @param {unknown} source as given
 * @param {Parameters<typeof openFolder>[1]} options
 * @param {Parameters<typeof openFolder>[2]} use
 * @returns {Promise<Folder | undefined>} undefined if modules.json is missing, or names no subfolder with a network
 */
export async function openNetwork(folder, source, options, use) {
  const file = await folder.open('modules.json')
  const list = file && (await readJSON(file, 'modules.json'))
  const { type, path } = Object(Array.isArray(list) ? list[0] : undefined)
  const isOne = /\.Transformer$/.test(String(type)) && typeof path === 'string' && /^[\w-]+$/.test(path)
  if (!isOne || !(await folder.open(`${path}/config.json`))) return undefined
  if (typeof source === 'string' && source.startsWith('hf:')) {
    const [model, revision = ''] = source.split('@') // hf:owner/name@revision/sub/folder
    const inner = await openFolder(
      revision ? `${model}@${revision.replace(/\/$/, '')}/${path}` : `${model.replace(/\/$/, '')}/${path}`,
      options,
      use,
    )
    return { ...inner, outside: folder, close: () => Promise.all([inner.close(), folder.close()]).then(() => {}) }
  }
  const names = () => folder.names().flatMap(name => (name.startsWith(`${path}/`) ? name.slice(path.length + 1) : []))
  return {
    ...folder,
    open: name => folder.open(`${path}/${name}`),
    names,
    list: folder.list && (async () => names()),
    outside: folder,
  }
}
