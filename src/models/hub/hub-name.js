// The name of a model on the hub: hf:owner/name[@revision][/sub/folder].

import { describe } from '../../base/errors.js'

/**
 * @typedef {object} HubName
 * @property {string} text as it was given
 * @property {string} id owner/name, of some old models only a name
 * @property {string} revision a branch, a tag or a commit
 * @property {string} folder in the repository, '' or 'sub/folder/'
 */

const NAME = /^hf:([\w.-]+(?:\/[\w.-]+)?)(?:@((?:refs\/(?:pr|convert)\/)?[^/]+))?((?:\/[^/]+)*)\/?$/

/** Names that the hub refuses too, and that could leave the folder of a cache. */
const REFUSED = /--|\.\.|\\|(^|\/)[.-]|[.-](\/|$)/

/** @param {string} text @returns {HubName} */
export function parseName(text) {
  const [, id, revision = 'main', folder] = NAME.exec(text) ?? []
  if (!id || (folder && !id.includes('/')) || REFUSED.test(id) || /\\|\/\.\.?(\/|$)/.test(`/${revision}${folder}`))
    throw new RangeError(
      `loadModel: ${describe(text)} is no name of a model on the hub; expected: hf:owner/name, hf:owner/name@revision ` +
        'or hf:owner/name/sub/folder',
    )
  return { text, id, revision: decodeURIComponent(revision), folder: folder && `${folder.slice(1)}/` }
}

/** Is a revision a commit, which never changes? @param {string} revision */
export const isCommit = revision => /^[0-9a-f]{40}$/.test(revision)
