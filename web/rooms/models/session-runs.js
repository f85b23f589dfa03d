// The runs that the session keeps: the last one without the reader's changes and the last one with them.

import { isIn } from '../../head/changes.js'
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
const textOf = ({ model, input, second }) => JSON.stringify([model, input.text, input.more, second])
/** @param {RunRequest} request */
const keyOf = request => JSON.stringify([textOf(request), request.row])
/** @param {RunRequest} request */
const changedKeyOf = request => JSON.stringify([keyOf(request), request.changes, request.sourceText])

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
  /** Both stay as long as their keys do. @type {(Used & { key: string, text: string }) | undefined} */
  let last
  /** @type {(Used & { key: string, source?: SourceRead }) | undefined} */
  let lastChanged

  /** The run of a request without its changes. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used>} */
  async function plain(request, model, watch) {
    const key = keyOf(request)
    if (last?.key === key) return last
    const isSame = last?.text === textOf(request)
    const known = isSame && last ? atRow(qkv, model, last.run, request.row) : undefined
    const run = known ?? (await runOf(qkv, model, givenBy(request), {}, request.row, undefined, watch))
    last = { key, run, hooks: {}, text: textOf(request), again: isSame ? last?.again : undefined }
    return last
  }

  return {
    plain,
    /** The run of a request with its changes; without any, the plain one. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used & { source?: SourceRead }>} */
    async changed(request, model, watch) {
      if (!request.changes.length) return plain(request, model, watch)
      const key = changedKeyOf(request)
      if (lastChanged?.key === key) return lastChanged
      const before = await plain(request, model, watch)
      const { hooks, source } = await hooksFor(request, model, watch)
      if (!Object.keys(hooks).length) return { ...before, source }
      const run = await runOf(qkv, model, givenBy(request), hooks, before.run.row, before.run, watch)
      lastChanged = { key, run, hooks, source }
      return lastChanged
    },
    /** The run of a request, if it is one of the last. @param {RunRequest} request @returns {Used | undefined} */
    known(request) {
      if (request.changes.length) return lastChanged?.key === changedKeyOf(request) ? lastChanged : undefined
      return last?.key === keyOf(request) ? last : undefined
    },
    /** Another model was opened. */
    forget() {
      last = lastChanged = undefined
    },
  }
}
