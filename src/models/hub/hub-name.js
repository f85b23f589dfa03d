// The name of a model on the hub: hf:owner/name[@revision][/sub/folder].

import { describe } from '../../base/errors.js'

/**
 * @typedef {object} HubName
 * @property {string} text the name as given
 * @property {string} id owner/name; some old models have only a name
 * @property {string} revision a branch, a tag or a commit
 * @property {string} folder in the repository, '' or 'sub/folder/'
 */

const NAME = /^hf:([\w.-]+(?:\/[\w.-]+)?)(?:@((?:refs\/(?:pr|convert)\/)?[^/]+))?((?:\/[^/]+)*)\/?$/

/** Names that could escape the cache folder. The hub rejects them, too. */
const REFUSED = /--|\.\.|\\|(^|\/)[.-]|[.-](\/|$)/

/** Parts of a path that could escape its folder, and characters that are invalid in file names and in git. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /\\|(^|\/)\.{0,2}(\/|$)|[\0-\x1f\x7f]/

/** Maximum bytes of one part of a name, and of a whole name. File systems refuse longer ones. */
const [MOST_PART, MOST_NAME] = [240, 1000]

/** Decodes a revision, so that 'feature%2Fx' is the branch feature/x. @param {string} written */
function decoded(written) {
  try {
    return decodeURIComponent(written)
  } catch {
    return '' // refused as unsafe
  }
}

/** Parses and checks the name of a model. @param {string} text @param {string} [where] @returns {HubName} */
export function parseName(text, where = 'loadModel') {
  const [, id, written = 'main', folder] = NAME.exec(text) ?? []
  const revision = decoded(written)
  const isRefused =
    !id || REFUSED.test(id) || UNSAFE.test(revision) || (folder && (!id.includes('/') || UNSAFE.test(folder.slice(1))))
  if (isRefused)
    throw new RangeError(
      `${where}: expected the name of a model on the hub, hf:owner/name, hf:owner/name@revision ` +
        `or hf:owner/name/sub/folder, got ${describe(text)}`,
    )
  const parts = [id, ...revision.split('/'), ...folder.split('/')]
  const longest = Math.max(...parts.map(part => new TextEncoder().encode(part).length))
  if (longest > MOST_PART || text.length > MOST_NAME)
    throw new RangeError(
      `${where}: expected a name of at most ${MOST_NAME} characters, with parts of at most ${MOST_PART} bytes, ` +
        `got ${text.length} characters, the longest part of ${longest} bytes: ${describe(text)}`,
    )
  return { text, id, revision, folder: folder && `${folder.slice(1)}/` }
}

/** True if a revision is a commit, which never changes. @param {string} revision */
export const isCommit = revision => /^[0-9a-f]{40}$/.test(revision)
