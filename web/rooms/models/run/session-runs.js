// Caches the runs of the session: the last one without the reader's changes and the last one with them.

import { isIn } from '../../../attention-head/changes.js'
import { isSame } from '../../../shell/same.js'
import { hooksOf, stacksOf } from './hooks.js'
import { atRow, inputOf, runOf, statesOf } from './model-run.js'
import { tokenText } from './read-text.js'

/** @import { Model } from 'qkv/models' */
/** @import { RunRequest, SourceRead } from '../models.js' */
/** @import { Watch, WholeRun } from './model-run.js' */
/** @typedef {Record<string, import('./hooks.js').Hook>} Hooks */
/** A run with its hooks; `again`: for a long text, the summary of the layer that was run again last. @typedef {{ run: WholeRun, hooks: Hooks, again?: { key: string, summary: import('qkv/models').AttentionSummary } }} Used */

const NOTHING = { data: new Float32Array(0), dims: [] }

/** Returns the input of a run, without the model and the changes. @param {RunRequest} request */
export const givenBy = ({ input, second }) => ({ ...input, second })
/** Returns the key of a run's input. @param {RunRequest} request */
const textOf = ({ model, input, second }) => [model, input.text, input.more, second]
/** Returns the cache key of a run without changes. @param {RunRequest} request */
const plainOf = request => [...textOf(request), request.row]
/** Returns the cache key of a run with changes. @param {RunRequest} request */
const changedOf = request => [...plainOf(request), request.changes, request.sourceText]

/**
 * Builds the hooks of the reader's changes, and reads the text that patches are taken from.
 * @param {RunRequest} request
 * @param {Model} model
 * @param {Watch} watch
 * @returns {Promise<{ hooks: Hooks, source?: SourceRead }>}
 */
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
  /** The last run without the reader's changes, cached. @type {(Used & { request: RunRequest }) | undefined} */
  let last
  /** @type {(Used & { request: RunRequest, source?: SourceRead }) | undefined} */
  let lastChanged
  const lastOf = (/** @type {RunRequest} */ request) =>
    last && isSame(plainOf(last.request), plainOf(request)) ? last : undefined
  const lastChangedOf = (/** @type {RunRequest} */ request) =>
    lastChanged && isSame(changedOf(lastChanged.request), changedOf(request)) ? lastChanged : undefined

  /** Returns the run of a request without its changes. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used>} */
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
    /**
     * Runs a request with its changes; without changes, returns the plain run.
     * @param {RunRequest} request
     * @param {Model} model
     * @param {Watch} watch
     * @returns {Promise<Used & { source?: SourceRead }>}
     */
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
    /** Returns the run of a request if it is cached. @param {RunRequest} request @returns {Used | undefined} */
    known: request => (request.changes.length ? lastChangedOf(request) : lastOf(request)),
    /** Clears the cache after another model was opened. */
    forget() {
      last = lastChanged = undefined
    },
  }
}
