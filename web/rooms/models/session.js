// Opens checkpoints, runs them with the reader's changes and reports the results. No DOM:
// in a worker, or on a page without one.

import { inspectModel, loadModel } from 'qkv/models'
import { isIn } from '../../head/changes.js'
import { traceCell } from './cell-trace.js'
import { generate } from './generate.js'
import { hooksOf, placeOf } from './hooks.js'
import { matricesOf } from './layer-tensors.js'
import {
  exactMap,
  exactPairs,
  hasTokenizer,
  inputOf,
  positionsOf,
  runOf,
  stacksOf,
  statesOf,
  tokenText,
} from './model-run.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./hooks.js').Change} Change */
/** @typedef {import('./hooks.js').Stack} Stack */
/** @typedef {import('./model-run.js').Run} Run */
/** @typedef {import('./model-run.js').WholeRun} WholeRun */
/** Files, the address of a folder, or an address for each file. @typedef {File[] | string | { urls: Record<string, string> }} OpenSource */
/** @typedef {'float16' | 'int8'} Smaller */

/**
 * What is read: a text, or with `ids` the tokens themselves; `second`: what patches are taken from.
 * @typedef {{ text: string, ids?: number[], more?: readonly number[], second?: string }} Input
 */

/**
 * What the page asks for, one of these:
 * - open: another checkpoint. Above `most` bytes of memory it is not read, unless a dtype is given
 * - cancel: what is being opened, run or generated
 * - show: a run; `row` is the token whose prediction is told, default the last
 * - head: the exact map of one head
 * - cell: how a weight was computed
 * - number: the row of the weight that made a number of a query or a key
 * - generate, why, pairs
 * @typedef {object} Request
 * @property {number} id
 * @property {{ source: OpenSource, name: string, dtype?: Smaller, most?: number }} [open]
 * @property {boolean} [cancel]
 * @property {{ input: Input, changes: readonly Change[], row?: number }} [show]
 * @property {{ stack: Stack, layer: number, head: number, isChanged: boolean, text?: string }} [head] of the last run, or of another text
 * @property {{ stack: Stack, layer: number, head: number, query: number, key: number, isChanged: boolean }} [cell] of the last run
 * @property {{ stack: Stack, layer: number, letter: 'q' | 'k', row: number }} [number]
 * @property {{ temperature: number, topK: number, seed: number, count: number }} [generate] goes on from the last run
 * @property {{ stack: Stack, layer: number, head: number, isChanged: boolean }} [matrices] what a layer of the last run works with
 * @property {{ isChanged: boolean }} [why] how much each head adds to the first guess of the last run
 * @property {{ stack: Stack, query: number, key: number, isChanged: boolean }} [pairs] the weight of one pair in every head
 */

/**
 * Facts about an open model.
 * @typedef {object} Told
 * @property {string} name
 * @property {string} type
 * @property {Model['stacks']} stacks
 * @property {number} parameters
 * @property {number} bytes in memory
 * @property {boolean} hasTokenizer
 * @property {boolean} hasHead
 * @property {Smaller | ''} dtype '' as stored
 * @property {number} threads
 * @property {number} seconds that opening it took
 * @property {number} positions the number of tokens that the model can read; Infinity where it has no limit
 */

/**
 * What the session reports about the request `id`, one of these.
 * @typedef {object} Report
 * @property {number} id
 * @property {string} [failure] a sentence; the model before stays
 * @property {boolean} [isLost] with failure: the worker has ended, and its model with it
 * @property {boolean} [wasCancelled]
 * @property {{ name: string, type: string, stacks: Model['stacks'], bytes: Record<'stored' | Smaller, number>, isTooLarge: boolean }} [plan] read from config and headers, before any weight
 * @property {{ loaded: number, total: number, seconds: number }} [progress]
 * @property {{ share: number, seconds: number }} [running] how far a run is, from 0 to 1, if it takes long
 * @property {Told} [opened]
 * @property {{ before: Run, after?: Run, donor?: Donor }} [shown] donor: what patches are taken from
 * @property {{ stack: Stack, layer: number, head: number, isChanged: boolean, text?: string, matrix: { data: Float32Array, dims: readonly number[] } }} [head]
 * @property {import('./cell-trace.js').CellTrace} [cell]
 * @property {{ weight: Float32Array, bias: number }} [number]
 * @property {import('./generate.js').Step} [step]
 * @property {boolean} [hasEnded] the last step
 * @property {Why} [why]
 * @property {Float32Array} [pairs] (layers, heads)
 * @property {import('./layer-tensors.js').Matrices} [matrices]
 *
 * Direct contributions to a logit, with all norms held as they are; they sum to it.
 * @typedef {object} Why
 * @property {string} token
 * @property {number} logit
 * @property {Stack} stack of the heads
 * @property {Float32Array} heads (layers, heads)
 * @property {readonly [number, number]} dims
 * @property {{ name: 'cross' | 'mlps' | 'embedding' | 'rest', value: number }[]} rest
 */

/** The second text as the model reads it. @typedef {{ ids: number[], tokens: string[], decoderIds?: number[], targets?: string[] }} Donor */

/** Milliseconds between two reports of progress, and until the first of a run. */
const PROGRESS = 50
const PATIENCE = 250

/**
 * @param {import('qkv').Qkv} qkv
 * @param {import('../../../src/models/tokenizer.js').TokenizerClass} Tokenizer
 * @param {(report: Report) => void} post
 */
export function createSession(qkv, Tokenizer, post) {
  /** @type {Model | undefined} */
  let model
  /** What is being opened or generated. @type {AbortController | undefined} */
  let busy
  /** The run that is made. @type {AbortController | undefined} */
  let running
  /** Ends what is asked about the last run: a new run does. */
  let details = new AbortController()
  /** The newest run that is asked for. @type {{ id: number, show: NonNullable<Request['show']> } | undefined} */
  let wanted
  /** The last run; it stays as long as its text does. @type {{ key: string, given: NonNullable<Request['show']>, before: WholeRun, after?: WholeRun, hooks: Record<string, import('./hooks.js').Hook> } | undefined} */
  let last
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /** Ends the run and what is asked about it. */
  function end() {
    running?.abort()
    details.abort()
    details = new AbortController()
  }

  /** @param {number} id @param {NonNullable<Request['open']>} given */
  async function open(id, { source, name, dtype, most = Number.POSITIVE_INFINITY }) {
    busy?.abort()
    const own = new AbortController()
    busy = own
    const { signal } = own
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    let told = Number.NEGATIVE_INFINITY
    try {
      const from = await sourceOf(source, signal)
      const { type, stacks, parameters, bytes } = await inspectModel(from, { signal })
      const isTooLarge = dtype === undefined && bytes.stored > most
      post({ id, plan: { name, type, stacks, bytes, isTooLarge } })
      if (isTooLarge) return
      const next = await loadModel(qkv, from, {
        ...{ dtype, tokenizer: Tokenizer, signal },
        onProgress({ loaded, total }) {
          if (performance.now() - told < PROGRESS && loaded < total) return
          told = performance.now()
          post({ id, progress: { loaded, total, seconds: seconds() } })
        },
      })
      if (signal.aborted) return next.dispose()
      end()
      model?.dispose()
      model = next
      last = undefined
      post({
        id,
        opened: {
          ...{ name, type, stacks, parameters, bytes: bytes[dtype ?? 'stored'], dtype: dtype ?? '' },
          ...{ hasTokenizer: hasTokenizer(next), hasHead: next.hasHead, seconds: seconds(), threads: qkv.threads },
          positions: positionsOf(next),
        },
      })
    } catch (error) {
      if (signal.aborted) post({ id, wasCancelled: true })
      else throw error
    } finally {
      if (busy === own) busy = undefined
    }
  }

  /** The newest of the runs that were asked for meanwhile; it ends the one before. */
  function show() {
    timer = undefined
    if (!wanted || !model) return
    const { id, show: given } = wanted
    wanted = undefined
    const own = model
    end()
    running = new AbortController()
    const { signal } = running
    const start = performance.now()
    let told = start + PATIENCE - PROGRESS
    /** @type {(from: number, to: number) => import('./model-run.js').Watch} */
    const watch = (from, to) => ({
      signal,
      onProgress(share) {
        if (performance.now() - told < PROGRESS) return
        told = performance.now()
        post({ id, running: { share: from + share * (to - from), seconds: (told - start) / 1000 } })
      },
    })
    answer(id, signal, async () => {
      const { input, row, changes } = given
      const key = JSON.stringify([input.text, input.ids, input.more, row])
      const hasChanges = changes.some(({ isOn }) => isOn)
      const known = last?.key === key ? last.before : undefined
      const half = known ? 0 : hasChanges ? 0.5 : 1
      const before = known ?? (await runOf(qkv, own, input, {}, row, undefined, watch(0, half)))
      if (!known) last = { key, given, before, hooks: {} }
      const { hooks, donor } = await hooksFor(own, given, signal)
      const isChanged = Object.keys(hooks).length > 0
      const after = isChanged ? await runOf(qkv, own, input, hooks, before.row, before, watch(half, 1)) : undefined
      last = { key, given, before, after, hooks }
      post({ id, shown: { before: sent(before), after: after && sent(after), donor } })
    })
  }

  /** @param {Model} own @param {NonNullable<Request['show']>} given @param {AbortSignal} signal */
  async function hooksFor(own, { input, changes }, signal) {
    const stacks = stacksOf(own)
    const known = changes.filter(change => change.isOn && isIn(change, stacks))
    const isPatched = known.some(({ kind }) => kind === 'patch')
    const second = isPatched ? await inputOf(own, { text: input.second ?? '' }, { signal }) : undefined
    const nothing = () => ({ data: new Float32Array(0), dims: [] })
    const states = second ? await statesOf(own, second, { signal }) : nothing
    const named = (/** @type {number[]} */ ids) => ids.map(id => tokenText(own, id))
    const { ids = [], decoderIds } = second ?? {}
    /** @type {Donor | undefined} */
    const donor = second && { ids, tokens: named(ids), decoderIds, targets: decoderIds && named(decoderIds) }
    return { hooks: hooksOf(known, states), donor }
  }

  /** @param {number} id @param {AbortSignal | undefined} signal that ends it @param {() => void | Promise<void>} act */
  async function answer(id, signal, act) {
    try {
      await act()
    } catch (error) {
      if (signal?.aborted) post({ id, wasCancelled: true })
      else post({ id, failure: /** @type {Error} */ (error).message })
    }
  }

  /** @param {number} id @param {NonNullable<Request['generate']>} options */
  async function goOn(id, options) {
    busy?.abort()
    const own = new AbortController()
    busy = own
    const { given, before, after, hooks } = /** @type {NonNullable<typeof last>} */ (last)
    try {
      const { ids } = after ?? before
      const isWhole = Object.values(hooks).some(hook => hook === 'mean') || isPatched(given)
      const count = Math.min(options.count, positionsOf(/** @type {Model} */ (model)) - ids.length)
      const whole = { ...options, count, isWhole, hooks, signal: own.signal }
      await generate(qkv, /** @type {Model} */ (model), ids, whole, step => post({ id, step }))
      post({ id, hasEnded: true })
    } catch (error) {
      if (!own.signal.aborted) throw error
      post({ id, hasEnded: true })
    } finally {
      if (busy === own) busy = undefined
    }
  }

  return {
    /** @param {Request} request */
    async ask(request) {
      const { id, open: opening, show: showing, head, cell, generate: going } = request
      if (request.cancel) {
        busy?.abort()
        running?.abort()
      }
      if (opening) return answer(id, undefined, () => open(id, opening))
      if (showing) {
        wanted = { id, show: showing }
        timer ??= setTimeout(show) // what was asked for meanwhile comes first
      }
      const own = model
      if (!own || !last) return
      const { before, after, hooks } = last
      const used = (/** @type {boolean} */ isChanged) =>
        isChanged && after ? { run: after, hooks } : { run: before, hooks: {} }
      const { signal } = details
      if (head)
        await answer(id, signal, async () => {
          const { run, hooks } = used(head.isChanged)
          const input = head.text === undefined ? run.input : await inputOf(own, { text: head.text }, { signal })
          post({ id, head: { ...head, matrix: await exactMap(own, input, hooks, head, { signal }) } })
        })
      if (cell)
        await answer(id, signal, async () => {
          const { run, hooks } = used(cell.isChanged)
          post({ id, cell: await traceCell(qkv, own, run.input, hooks, cell, signal) })
        })
      const { number } = request
      if (number)
        await answer(id, signal, async () => {
          const { at, attention } = placeOf({ isOn: true, ...number })
          post({ id, number: await own.weightRow(`${at}${attention}.${number.letter}`, number.row) })
        })
      if (request.why) {
        const { isChanged } = request.why
        await answer(id, signal, async () => post({ id, why: await whyOf(own, used(isChanged), signal) }))
      }
      const { matrices } = request
      if (matrices)
        await answer(id, signal, async () => {
          const { run, hooks } = used(matrices.isChanged)
          post({ id, matrices: await matricesOf(own, run.input, hooks, matrices, signal) })
        })
      if (request.pairs) {
        const { isChanged, ...at } = request.pairs
        await answer(id, signal, async () => {
          const { run, hooks } = used(isChanged)
          post({ id, pairs: await exactPairs(own, run.input, hooks, at, { signal }) })
        })
      }
      if (going) await answer(id, undefined, () => goOn(id, going))
    },
    close() {
      busy?.abort()
      end()
      clearTimeout(timer)
      model?.dispose()
      model = undefined
    },
  }
}

/** A run without what stays here. @param {WholeRun} run @returns {Run} */
function sent({ probabilities: _, input: __, ...run }) {
  return run
}

/** @param {NonNullable<Request['show']>} given */
const isPatched = ({ changes }) => changes.some(({ kind, isOn }) => kind === 'patch' && isOn)

/** @param {OpenSource} source @param {AbortSignal} signal @returns {Promise<import('qkv/models').CheckpointSource>} */
async function sourceOf(source, signal) {
  if (typeof source === 'string' || Array.isArray(source)) return source
  const files = Object.entries(source.urls).map(async ([name, url]) => {
    const response = await fetch(url, { signal })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
    return [name, await response.arrayBuffer()]
  })
  return Object.fromEntries(await Promise.all(files))
}

/** @param {Model} model @param {{ run: WholeRun, hooks: Record<string, any> }} used @param {AbortSignal} signal @returns {Promise<Why | undefined>} */
async function whyOf(model, { run, hooks }, signal) {
  const [guess] = run.top
  const { decoder, encoder } = model.stacks
  if (!guess || !decoder) return undefined
  const about = { tokens: [guess.id], position: run.row, hooks, signal }
  const found = await model.logitAttribution(run.input, about)
  const sum = (/** @type {{ data: Float32Array } | undefined} */ tensor) => tensor?.data.reduce((a, b) => a + b, 0) ?? 0
  const { heads, crossHeads, mlps, embedding, rest, logits } = found
  return {
    ...{ token: guess.token, logit: logits[0], stack: encoder ? 'cross' : '' },
    heads: (crossHeads ?? heads).data,
    dims: [decoder.layers, decoder.heads],
    rest: [
      ...(crossHeads ? [{ name: /** @type {const} */ ('cross'), value: sum(heads) }] : []),
      ...[
        { name: /** @type {const} */ ('mlps'), value: sum(mlps) },
        { name: /** @type {const} */ ('embedding'), value: sum(embedding) },
        { name: /** @type {const} */ ('rest'), value: sum(rest) },
      ],
    ],
  }
}
