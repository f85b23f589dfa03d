// The session of the room "Models": opens checkpoints and runs them with the reader's changes. No DOM: it runs in a worker, or on
// a page without one. What uses the model holds its lock, so that two runs never share its memory.

import { deleteKeptModel, inspectModel, keptModels, loadModel } from 'qkv/models'
import { isIn } from '../../head/changes.js'
import { attentionOf, hooksOf, stacksOf } from './hooks.js'
import { atRow, exactMap, inputOf, runOf, statesOf } from './model-run.js'
import {
  beginningOf,
  endsOf,
  firstTextOf,
  hasTokenizer,
  maskOf,
  positionsOf,
  predictsOf,
  problem,
  read,
  secondTextOf,
  tokenText,
  vocabOf,
  withUnknown,
} from './read-text.js'
import { idOf, isOfHub, labelOf, nameOf, usualDtype } from './sources.js'
import { isWordLevel, WordLevel } from './word-level.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./models.js').ModelsAsks} Asks */
/** @typedef {import('./models.js').RunRequest} RunRequest */
/** @typedef {import('./models.js').OpenSource} OpenSource */
/** @typedef {import('./models.js').SourceRead} SourceRead */
/** @typedef {import('./model-run.js').WholeRun} WholeRun */
/** @typedef {import('./model-run.js').Watch} Watch */
/** @typedef {Record<string, import('./hooks.js').Hook>} Hooks */
/** @typedef {Awaited<ReturnType<typeof inspectModel>>} Inspected */
/** A run with the hooks that made it, and the layer of a long text that ran again. @typedef {{ run: WholeRun, hooks: Hooks, again?: { key: string, summary: import('qkv/models').AttentionSummary } }} Used */
/** @template V @typedef {import('../../shell/room.js').Run<V>} SessionRun */

/** Milliseconds between two reports of progress, and until the first one of a run. */
const [PROGRESS, PATIENCE] = [50, 250]

const HUB_PROBLEMS = /** @type {const} */ ([
  'modelsHub.NOT_FOUND',
  'modelsHub.GATED',
  'modelsHub.TOKEN',
  'modelsHub.BUSY',
  'modelsHub.NETWORK',
  'modelsHub.ANSWER',
  'modelsHub.DAMAGED',
  'modelsHub.DISK_FULL',
])

/** What is computed from the summaries of a long text; loaded with the first of them. */
const ofSummaries = () => import('./summary-details.js')

const NOTHING = { data: new Float32Array(0), dims: [] }

/** Reports how far a run is, and for how long it has taken, if it takes long. @param {SessionRun<any>} run @returns {Watch} */
function watchOf({ signal, progress }) {
  const start = performance.now()
  let reported = start + PATIENCE - PROGRESS
  return {
    signal,
    onProgress({ layer, layers, streamed }) {
      if (performance.now() - reported < PROGRESS) return
      reported = performance.now()
      const seconds = (reported - start) / 1000
      progress({ layer, layers, share: layer / layers, seconds, ...(streamed && { streamed }) })
    },
  }
}

/** A run without what stays in the session. @param {WholeRun} run @param {RunRequest} request that it answers @returns {import('./model-run.js').Run} */
const toSend = (
  {
    probabilities: _,
    input: __,
    summaries: ___,
    hasWindows: ____,
    states: _____,
    usual: ______,
    classes: _______,
    compared: ________,
    ...run
  },
  request,
) => ({
  ...run,
  request,
})

/** The part of a request that is about a run. @param {RunRequest} request @returns {RunRequest} */
const requestOf = ({ model, input, row, second, changes, sourceText }) => ({
  model,
  input,
  row,
  second,
  changes,
  sourceText,
})

/** An error of the hub as a problem with a text of the room's. @param {unknown} error @param {string} name @returns {never} */
function hubProblem(error, name) {
  const { code, message } = /** @type {{ code?: string, message: string }} */ (error)
  const key = HUB_PROBLEMS.find(each => each === `modelsHub.${code}`)
  // The message begins with the name, as the problem does.
  if (key) throw problem(key, { name: idOf(name), message: message.replace(/^hf:\S+: |\.$/g, '') })
  throw error
}

/** @param {RunRequest} request */
const givenBy = ({ input, second }) => ({ ...input, second })
/** What a run reads. @param {RunRequest} request */
const textOf = ({ model, input, second }) => JSON.stringify([model, input.text, input.more, second])
/** @param {RunRequest} request */
const keyOf = request => JSON.stringify([textOf(request), request.row])
/** @param {RunRequest} request */
const changedKeyOf = request => JSON.stringify([keyOf(request), request.changes, request.sourceText])

/**
 * @param {import('qkv').Qkv} qkv
 * @returns {import('../../shell/room.js').Handlers<Asks>}
 */
export function handlers(qkv) {
  /** The open model, the id of the request that opened it, and what ends its runs when another takes its place. @type {{ model: Model, id: string, end: AbortController } | undefined} */
  let open
  let lock = Promise.resolve()
  /** The model of the hub that was looked at last, by its commit. @type {{ source: string, found: Inspected } | undefined} */
  let looked
  /** What waits for a model. @type {Set<() => void>} */
  const waiting = new Set()
  /** The last run without changes and the last one with them; they stay as long as their keys do. @type {(Used & { key: string, text: string }) | undefined} */
  let last
  /** @type {(Used & { key: string, source?: SourceRead }) | undefined} */
  let lastChanged

  /** Waits for the next model. @param {AbortSignal} signal @returns {Promise<void>} */
  const nextModel = signal =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      waiting.add(resolve)
      signal.addEventListener('abort', () => {
        waiting.delete(resolve)
        reject(signal.reason)
      })
    })

  /**
   * Uses a model when it is open and nobody else uses it. A run whose model is replaced ends within a layer, and waits until its
   * request is cancelled.
   * @template T
   * @param {string} id of the model
   * @param {AbortSignal} signal
   * @param {(model: Model, signal: AbortSignal, rest: () => Promise<void>) => T | Promise<T>} act rest: others use the model, if they wait
   * @returns {Promise<T>}
   */
  async function use(id, signal, act) {
    for (;;) {
      while (open?.id !== id) await nextModel(signal)
      const before = lock
      /** @type {() => void} */
      let release = () => {}
      lock = new Promise(resolve => {
        release = resolve
      })
      await before
      const { model, end, id: own } = open
      try {
        signal.throwIfAborted()
        const either = AbortSignal.any([signal, end.signal])
        const rest = async () => {
          release()
          const before = lock
          lock = new Promise(resolve => {
            release = resolve
          })
          await before
          either.throwIfAborted()
        }
        if (own === id) return await act(model, either, rest)
      } catch (error) {
        if (signal.aborted || !end.signal.aborted) throw error
      } finally {
        release()
      }
    }
  }

  /** The run of a request without its changes. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used>} */
  async function plainRun(request, model, watch) {
    const key = keyOf(request)
    if (last?.key === key) return last
    const isSame = last?.text === textOf(request)
    const known = isSame && last ? atRow(qkv, model, last.run, request.row) : undefined
    const run = known ?? (await runOf(qkv, model, givenBy(request), {}, request.row, undefined, watch))
    last = { key, run, hooks: {}, text: textOf(request), again: isSame ? last?.again : undefined }
    return last
  }

  /** The run of a request with its changes; without any, the plain one. @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<Used & { source?: SourceRead }>} */
  async function runFor(request, model, watch) {
    if (!request.changes.length) return plainRun(request, model, watch)
    const key = changedKeyOf(request)
    if (lastChanged?.key === key) return lastChanged
    const plain = await plainRun(request, model, watch)
    const { hooks, source } = await hooksFor(request, model, watch)
    if (!Object.keys(hooks).length) return { ...plain, source }
    const run = await runOf(qkv, model, givenBy(request), hooks, plain.run.row, plain.run, watch)
    lastChanged = { key, run, hooks, source }
    return lastChanged
  }

  /** @param {RunRequest} request @param {Model} model @param {Watch} watch @returns {Promise<{ hooks: Hooks, source?: SourceRead }>} */
  async function hooksFor({ changes, sourceText }, model, { signal }) {
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

  /** Uses the model for a detail of a run. @template T @param {RunRequest} request @param {SessionRun<any>} run @param {(model: Model, used: Used, signal: AbortSignal) => Promise<T>} act */
  const detail = (request, run, act) =>
    use(request.model, run.signal, async (model, signal) =>
      act(model, await runFor(request, model, { ...watchOf(run), signal }), signal),
    )

  /** Answers from the summaries of a run that is there: they need no model, so no run has to end before. @template T @param {RunRequest} request @param {SessionRun<any>} run @param {(model: Model, used: Used, signal: AbortSignal) => Promise<T>} act */
  const fromSummaries = (request, run, act) => {
    const isPlain = !request.changes.length
    const used = isPlain ? last : lastChanged
    const isHere = used?.key === (isPlain ? keyOf(request) : changedKeyOf(request)) && used.run.hasWindows
    return isHere && open?.id === request.model ? act(open.model, used, run.signal) : detail(request, run, act)
  }

  return {
    async look({ name, token }, { signal }) {
      const found = await inspectModel(name, { signal, token: token || undefined }).catch(error =>
        hubProblem(error, name),
      )
      const { bytes, type, parameters } = found
      const { id, commit, license, isGated, download, files } = /** @type {import('qkv/models').HubFacts} */ (found.hub)
      const [, , ...folder] = name.replace(/@(?:refs\/\w+\/)?[^/]+/, '').split('/')
      const source = [`hf:${id}@${commit}`, ...folder].join('/')
      looked = { source, found }
      const size = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
      const { secondsOfText } = await import('./computer-rate.js')
      const vocab = Number(found.config.vocab_size)
      const seconds = secondsOfText(qkv, { stacks: found.stacks, parameters, vocab })
      return { name, source, license: license ?? '', isGated, download, size, type, parameters, bytes, seconds }
    },
    kept: () => keptModels(),
    drop: ({ name }) => deleteKeptModel(name),
    async open({ id, source, name: given, known, dtype, most, token }, { signal, progress }) {
      const start = performance.now()
      const seconds = () => (performance.now() - start) / 1000
      let reported = Number.NEGATIVE_INFINITY
      const from = await sourceOf(source, signal)
      const isHub = isOfHub(source)
      const ofHub = isHub ? { token: token || undefined } : {}
      const failed = (/** @type {unknown} */ error) => {
        if (isHub) hubProblem(error, source)
        throw error
      }
      const isLooked = looked !== undefined && looked.source === source
      const found = isLooked ? looked?.found : await inspectModel(from, { signal, ...ofHub }).catch(failed)
      const { type, config, stacks, parameters, bytes, hub } = /** @type {Inspected} */ (found)
      const isShipped = typeof source === 'object' && 'urls' in source
      const label = isShipped ? given : labelOf(source, given, config)
      progress({ name: label })
      const chosen = dtype ?? (isHub ? usualDtype(bytes, most) : '')
      if (dtype === undefined && bytes[chosen || 'stored'] > most) {
        const sizes = { stored: bytes.stored, float16: bytes.float16, int8: bytes.int8 }
        throw problem('modelsLarge', { name: label, most, ...sizes })
      }
      const { tokenizer, wrote } = withUnknown(await classOf(isShipped ? from : undefined))
      const next = await loadModel(qkv, from, {
        ...ofHub,
        dtype: chosen || undefined,
        tokenizer,
        signal,
        onProgress({ loaded, total, ...rest }) {
          if (performance.now() - reported < PROGRESS && loaded < total) return
          reported = performance.now()
          const { rate = 0, secondsLeft = 0 } = /** @type {{ rate?: number, secondsLeft?: number }} */ (rest)
          progress({ name: label, loaded, total, seconds: seconds(), rate, secondsLeft })
        },
      }).catch(failed)
      wrote(next)
      if (signal.aborted) next.dispose()
      signal.throwIfAborted()
      const called = async () => ({
        predicts: await predictsOf(next),
        name: isShipped ? given : await nameOf(label, config, await numbersOf(next), known),
        about: await aboutOf(from),
      })
      const { name, about, predicts } = await called().catch(error => {
        next.dispose()
        throw error
      })
      if (signal.aborted) next.dispose()
      signal.throwIfAborted()
      open?.end.abort() // its runs end within a layer
      const before = lock
      lock = before.then(() => {
        open?.model.dispose()
        open = { model: next, id, end: new AbortController() }
        last = lastChanged = undefined
        for (const resolve of waiting) resolve()
        waiting.clear()
      })
      await lock
      return {
        name,
        id,
        type,
        stacks,
        parameters,
        bytes: bytes[chosen || 'stored'],
        dtype: chosen,
        hasTokenizer: hasTokenizer(next),
        hasHead: next.hasHead,
        predicts,
        threads: qkv.threads,
        seconds: seconds(),
        positions: positionsOf(next),
        vocab: vocabOf(next),
        ends: endsOf(next),
        firstText: about?.figures?.example?.text ?? about?.tour?.[0]?.prompt ?? firstTextOf(next),
        secondText: predicts === 'likeness' ? secondTextOf(next) : '',
        mask: maskOf(next),
        about,
        size: hub?.files.reduce((sum, { bytes = 0 }) => sum + bytes, 0) ?? 0,
      }
    },
    async count({ model: id, text, most }, { signal }) {
      while (open?.id !== id) await nextModel(signal)
      const { model } = open
      const { ids } = read(model, { text })
      return { model: id, text, tokens: ids.length, fitting: ids.length > most ? beginningOf(model, text, most) : text }
    },
    textFile: ({ file }) => file.text(),
    run: (request, run) =>
      use(request.model, run.signal, async (model, signal) =>
        toSend((await plainRun(request, model, { ...watchOf(run), signal })).run, requestOf(request)),
      ),
    changed: (request, run) =>
      use(request.model, run.signal, async (model, signal) => {
        const { run: after, hooks, source } = await runFor(request, model, { ...watchOf(run), signal })
        const isChanged = Object.keys(hooks).length > 0
        return { run: isChanged ? toSend(after, requestOf(request)) : undefined, source, request: requestOf(request) }
      }),
    beside: (request, run) =>
      use(request.model, run.signal, async (model, signal) => {
        const { hooks } = await hooksFor(request, model, { signal })
        const { top } = await runOf(qkv, model, givenBy(request), hooks, request.row, undefined, { signal })
        return { top, request: requestOf(request) }
      }),
    head(request, run) {
      const { text } = request
      if (text === undefined)
        return detail(request, run, (model, used, signal) =>
          exactMap(model, used.run.input, used.hooks, request.at, { signal }),
        )
      return use(request.model, run.signal, async (model, signal) =>
        exactMap(model, await inputOf(model, { text }, { signal }), {}, request.at, { signal }),
      )
    },
    cell: (request, run) =>
      detail(request, run, async (model, used, signal) => {
        const { at, cell } = request
        const { traceCell } = await import('./cell-trace.js')
        return traceCell(qkv, model, used.run.input, used.hooks, { ...at, ...cell }, signal)
      }),
    reasons: (request, run) =>
      detail(request, run, async (model, used) => {
        const { reasonsOf } = await import('./reasons.js')
        return reasonsOf(model, used, { ...request.at, ...request.cell })
      }),
    matters: (request, run) =>
      use(request.model, run.signal, async (model, signal, rest) => {
        const { changeOf, mattersOf } = await import('./matters.js')
        const { what, stack, other } = request
        const watch = { ...watchOf(run), signal }
        const plain = await plainRun(request, model, watch)
        if (what === 'now') return changeOf(model, plain.run, (await runFor(request, model, watch)).hooks, signal)
        return mattersOf(model, plain.run, { what, stack, other }, { signal, emit: run.emit, rest })
      }),
    graph: (request, run) =>
      use(request.model, run.signal, async (model, signal) => {
        const { graphOf } = await import('./graph-task.js')
        const watch = { ...watchOf(run), signal }
        return graphOf(model, (await plainRun(request, model, watch)).run, request.isAgreed, watch)
      }),
    graphEdge: (request, run) =>
      detail(request, run, async (model, used) => {
        const { testOf } = await import('./graph-task.js')
        return testOf(model, used.run, request.edge)
      }),
    number: ({ model: id, stack, layer, letter, row }, { signal }) =>
      use(id, signal, model => model.weightRow(attentionOf(stack, layer) + letter, row)),
    why: (request, run) => detail(request, run, whyOf),
    pairs: (request, run) =>
      detail(request, run, async (model, used, signal) => {
        const { stack, cell } = request
        const { pairsOf } = await ofSummaries()
        return pairsOf(model, used, { stack, ...cell }, signal)
      }),
    tile: (request, run) =>
      fromSummaries(request, run, async (model, used, signal) => {
        const { tileOf } = await ofSummaries()
        const tile = await tileOf(model, used, request.at, request.tile, signal)
        run.transfer.push(tile.data.buffer)
        return tile
      }),
    looks: (request, run) =>
      fromSummaries(request, run, async (_, { run: { summaries } }) => {
        const { looksOf } = await ofSummaries()
        return looksOf(summaries[request.stack] ?? [], request.word, request.only)
      }),
    profile: (request, run) =>
      fromSummaries(request, run, async (_, { run: { summaries } }) => {
        const { stack, layer, head } = request.at
        const { profileOf } = await ofSummaries()
        return profileOf(summaries[stack]?.[layer], head, layer)
      }),
    matrices: (request, run) =>
      detail(request, run, async (model, used, signal) => {
        const { matricesOf } = await import('./layer-tensors.js')
        return matricesOf(model, used.run.input, used.hooks, request.at, signal)
      }),
    async generate(request, run) {
      const { temperature, topK, seed, changes } = request
      const begun = await detail(request, run, async (model, used) => ({ model, ...used }))
      const { ids } = begun.run
      const count = Math.min(request.count, positionsOf(begun.model) - ids.length)
      const isPatched = changes.some(({ kind, isOn }) => kind === 'patch' && isOn)
      const isWhole = isPatched || Object.values(begun.hooks).includes('mean')
      const { signal } = run
      const options = { temperature, topK, seed, count, isWhole, hooks: begun.hooks, signal }
      const { generate } = await import('./generate.js')
      const steps = generate(qkv, begun.model, ids, options)
      try {
        for (;;) {
          // Between two steps others may use the model.
          const { value } = await use(request.model, signal, () => steps.next())
          if (!value) return null
          run.emit(value)
        }
      } finally {
        await steps.return(undefined) // frees its cache
      }
    },
  }
}

/** Numbers that tell a model from others: a vector, which no dtype changes, and a row of weights. @param {Model} model @returns {Promise<Float32Array[]>} */
async function numbersOf(model) {
  const { encoder, decoder } = model.stacks
  const vector = model.describe().tensors.find(({ dims }) => dims.length === 1)
  const { weight } = await model.weightRow(`${attentionOf(encoder && decoder ? 'decoder' : '', 0)}q`, 0)
  return vector ? [(await model.weight(vector.name)).data, weight] : [weight]
}

/**
 * The class that reads tokenizer.json: of a model of the page a small one, of any other that of the package.
 * @param {import('qkv/models').CheckpointSource} [files] of a model of the page
 * @returns {Promise<import('../../../src/models/tokenizer.js').TokenizerClass>}
 */
async function classOf(files) {
  const file = /** @type {Record<string, BlobPart> | undefined} */ (files)?.['tokenizer.json']
  if (file && isWordLevel(JSON.parse(await new Blob([file]).text()))) return WordLevel
  return (await import('@huggingface/tokenizers')).Tokenizer
}

/** What a folder says of its model, where it has such a file. @param {import('qkv/models').CheckpointSource} source @returns {Promise<import('./models.js').About | undefined>} */
async function aboutOf(source) {
  const files = Array.isArray(source) ? Object.fromEntries(source.map(file => [file.name, file])) : source
  const file = typeof files === 'object' ? /** @type {Record<string, BlobPart>} */ (files)['about.json'] : undefined
  return file && JSON.parse(await new Blob([file]).text())
}

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

/** What the heads add to the first guess, or to the likeness of two texts. @param {Model} model @param {Used} used @param {AbortSignal} signal @returns {Promise<import('./models.js').Why | null>} */
async function whyOf(model, { run, hooks }, signal) {
  const { decoder, encoder } = model.stacks
  const { layers, heads: H } = /** @type {NonNullable<typeof decoder>} */ (decoder ?? encoder)
  const dims = /** @type {const} */ ([layers, H])
  const sum = (/** @type {{ data: Float32Array } | undefined} */ tensor) => tensor?.data.reduce((a, b) => a + b, 0) ?? 0
  if (run.compared) {
    const { value: logit, heads, mlps, embedding, rest: other } = run.compared
    const rest = restOf(sum(mlps), embedding, other)
    return { token: '', logit, stack: '', heads: heads.data, dims, rest }
  }
  const [guess] = run.top
  if (!guess) return null
  const chosen = model.classes ? { classes: [guess.id] } : { tokens: [guess.id] }
  const found = await model.logitAttribution(run.input, { ...chosen, position: run.row, hooks, signal })
  const { heads, crossHeads, mlps, embedding, rest: other, logits } = found
  const rest = restOf(sum(mlps), sum(embedding), sum(other))
  if (crossHeads) rest.unshift({ name: 'cross', value: sum(heads) })
  const stack = encoder && decoder ? 'cross' : ''
  return { token: guess.token, logit: logits[0], stack, heads: (crossHeads ?? heads).data, dims, rest }
}

/** @param {number} mlps @param {number} embedding @param {number} rest @returns {import('./models.js').Why['rest']} */
const restOf = (mlps, embedding, rest) => [
  { name: 'mlps', value: mlps },
  { name: 'embedding', value: embedding },
  { name: 'rest', value: rest },
]
