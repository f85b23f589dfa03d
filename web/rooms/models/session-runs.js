// The runs that the session keeps: the last one without the reader's changes and the last one with them.

import { isIn } from '../../head/changes.js'
import { isSame } from '../../shell/same.js'
import { hooksOf, stacksOf } from './hooks.js'
import { atRow, inputOf, runOf, statesOf } from './model-run.js'
import { tokenText } from './read-text.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./models.js').RunRequest} RunRequest */
/** @typedef {import('./models.js').SourceRead} SourceRead */
/** @typedef {import('./model-run.js').WholeRun} WholeRun */
/** @typedef {import('./model-run.js').Watch} Watch */
/** @typedef {Record<string, import('./hooks.js').Hook>} Hooks */
/** A run with the hooks that made it, and the layer of a long text that ran again. @typedef {{ run: WholeRun, hooks: Hooks, again?: { key: string, summary: import('qkv/models').AttentionSummary } }} Used */

const NOTHING = { data: new Float32Array(0), dims: [] }

/** What a run is given beside the model and its changes. @param {RunRequest} request */
export const givenBy = ({ input, second }) => ({ ...input, second })
/** What a run reads. @param {RunRequest} request */
const textOf = ({ model, input, second }) => [model, input.text, input.more, second]
/** What a run without changes depends on. @param {RunRequest} request */
const plainOf = request => [...textOf(request), request.row]
/** What a run with changes depends on. @param {RunRequest} request */
const changedOf = request => [...plainOf(request), request.changes, request.sourceText]

/** The reader's changes as hooks, and the text that patches are read from. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<{ hooks: Hooks, source?: SourceRead }>} */
export async function hooksFor({ changes, sourceText }, model, { signal }) {
  const stacks = stacksOf(model)
  const known = changes.filter(change => change.isOn && isIn(change, stacks))
  if (!known.some(({ kind }) => kind === 'patch')) return { hooks: hooksOf(known, () => NOTHING) }
  const input = await inputOf(model, { text: sourceText }, { signal })
  const { ids, decoderIds } = input
  const named = (/** @type {number[]} */ ids) => ids.map(id => tokenText(model, id))
  return {
    hooks: hooksOf(known, await statesOf(model, input, { signal })),
    source: { ids, tokens: named(ids), decoderIds, targets: decoderIds && named(decoderIds) },
  }
}

/** @param {import('qkv').Qkv} qkv */
export function createRuns(qkv) {
  /** Both stay as long as what they depend on. @type {(Used & { request: RunRequest }) | undefined} */
  let last
  /** @type {(Used & { request: RunRequest, source?: SourceRead }) | undefined} */
  let lastChanged
  const lastOf = (/** @type {RunRequest} */ request) =>
    last && isSame(plainOf(last.request), plainOf(request)) ? last : undefined
  const lastChangedOf = (/** @type {RunRequest} */ request) =>
    lastChanged && isSame(changedOf(lastChanged.request), changedOf(request)) ? lastChanged : undefined

  /** The run of a request without its changes. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used>} */
  async function plain(request, model, watch) {
    const found = lastOf(request)
    if (found) return found
    const ofText = last && isSame(textOf(last.request), textOf(request)) ? last : undefined
    const known = ofText && (await atRow(qkv, model, ofText.run, request.row))
    const run = known ?? (await runOf(qkv, model, givenBy(request), {}, request.row, undefined, watch))
    last = { request, run, hooks: {}, again: ofText?.again }
    return last
  }

  return {
    plain,
    /** The run of a request with its changes; without any, the plain one. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used & { source?: SourceRead }>} */
    async changed(request, model, watch) {
      if (!request.changes.length) return plain(request, model, watch)
      const found = lastChangedOf(request)
      if (found) return found
      const before = await plain(request, model, watch)
      const { hooks, source } = await hooksFor(request, model, watch)
      if (!Object.keys(hooks).length) return { ...before, source }
      const run = await runOf(qkv, model, givenBy(request), hooks, before.run.row, before.run, watch)
      lastChanged = { request, run, hooks, source }
      return lastChanged
    },
    /** The run of a request, if it is one of the last. @param {RunRequest} request @returns {Used | undefined} */
    known: request => (request.changes.length ? lastChangedOf(request) : lastOf(request)),
    /** Another model was opened. */
    forget() {
      last = lastChanged = undefined
    },
  }
}
