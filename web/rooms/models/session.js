// The session of the room "Models": opens checkpoints and runs them with the reader's changes. No DOM: runs in a worker, or on the main
// thread if none can be started.

import { once } from '../../shell/once.js'
import { MOST_WORDS } from './lens/setting.js'
import { createModelLock } from './open/model-lock.js'
import { attentionOf, specOf } from './run/hooks.js'
import { exactMap, inputOf, runOf } from './run/model-run.js'
import { beginningOf, positionsOf, read } from './run/read-text.js'
import { createRuns, givenBy, hooksFor } from './run/session-runs.js'

/** @import { Model } from 'qkv/models' */
/** @import { ModelsAsks as Asks, RunRequest } from './models.js' */
/** @import { Watch, WholeRun } from './run/model-run.js' */
/** @import { Used } from './run/session-runs.js' */
/** @template V @typedef {import('../../shell/room.js').Run<V>} SessionRun */
/** @typedef {import('../../shell/room.js').Handlers<Asks>} Handlers */
/** @typedef {ReturnType<typeof createSession>} Session */

/** Milliseconds between progress reports, and before the first one of a run. */
const [PROGRESS, PATIENCE] = [50, 250]

/** Loads the modules that open and run models. They are loaded with the first model, after the room was first drawn. */
const ofCheckpoints = once(() => import('./open/read-checkpoint.js'))
/** Loads the module for summaries of long texts. It waits for the first long text, since each dynamic import takes Chromium 40 ms. */
const ofSummaries = once(() => import('./long-text/summary-details.js'))
/** Load the modules of single computations, each on demand; `prepare` preloads some of them. */
const ofCell = once(() => import('./cell/trace.js'))
const ofReasons = once(() => import('./cell/reasons.js'))
const ofMatters = once(() => import('./matters/task.js'))
const ofMany = once(() => import('./many/task.js'))
const ofBlock = once(() => import('./block/task.js'))
const ofEndings = once(() => import('./prediction/endings.js'))
const ofNextWord = once(() => import('./prediction/next-word.js'))
const ofGraph = once(() => import('./graph/task.js'))
const ofLens = once(() => import('./lens/task.js'))
const ofLensFiles = once(() => import('./lens/files.js'))

/**
 * Returns the signal of a run, and a callback that reports layer and time once the run takes longer than PATIENCE.
 * @param {SessionRun<any>} run
 * @returns {Watch}
 */
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

/**
 * Strips the parts of a run that stay in the session.
 * @param {WholeRun} run
 * @param {RunRequest} request the request that it answers
 * @returns {import('./run/model-run.js').Run}
 */
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

/** Picks the fields of a request that identify a run. @param {RunRequest} request @returns {RunRequest} */
const requestOf = ({ model, input, row, second, changes, sourceText }) => ({
  model,
  input,
  row,
  second,
  changes,
  sourceText,
})

/** Creates the state that the handlers share: the open model, its last runs, and access to both. @param {import('qkv').Qkv} qkv */
function createSession(qkv) {
  const runs = createRuns(qkv)
  const lock = createModelLock(runs.forget)

  /**
   * Locks the model of a request and runs a callback with it.
   * @template T
   * @param {{ model: string }} request
   * @param {SessionRun<any>} run
   * @param {(model: Model, watch: Watch & { signal: AbortSignal }, rest: () => Promise<void>) => T | Promise<T>} act
   */
  const withModel = (request, run, act) =>
    lock.use(request.model, run.signal, (model, signal, rest) => act(model, { ...watchOf(run), signal }, rest))

  /**
   * Computes a detail of a run with the reader's changes.
   * @template T
   * @param {RunRequest} request
   * @param {SessionRun<any>} run
   * @param {(model: Model, used: Used, signal: AbortSignal) => Promise<T>} act
   */
  const detail = (request, run, act) =>
    withModel(request, run, async (model, watch) => act(model, await runs.changed(request, model, watch), watch.signal))

  return { qkv, runs, lock, withModel, detail }
}

/** @param {import('qkv').Qkv} qkv @returns {import('../../shell/room.js').Handlers<Asks>} */
export function handlers(qkv) {
  const session = createSession(qkv)
  return {
    ...ofModels(session),
    ...ofRuns(session),
    ...ofDetails(session),
    ...ofLongTexts(session),
    ...ofCircuits(session),
    ...ofLenses(session),
    textFile: ({ file }) => file.text(),
    generate: (request, run) => generate(session, request, run),
  }
}

/** Handlers that inspect and open models. @param {Session} session @returns {Pick<Handlers, 'look' | 'kept' | 'drop' | 'open' | 'count'>} */
function ofModels({ qkv, lock }) {
  /** The last inspected hub model, so that opening it needs no second inspection. @type {Awaited<ReturnType<typeof import('./open/read-checkpoint.js').look>> | undefined} */
  let looked
  return {
    async look(request, { signal }) {
      const { look } = await ofCheckpoints()
      looked = await look(qkv, request, signal)
      return looked.facts
    },
    kept: async () => (await ofCheckpoints()).keptModels(),
    drop: async ({ name }) => (await ofCheckpoints()).deleteKeptModel(name),
    async open(request, run) {
      const start = performance.now()
      const known = looked?.facts.source === request.source ? looked.found : undefined
      const { readCheckpoint } = await ofCheckpoints()
      const { model, description } = await readCheckpoint(qkv, request, known, run)
      await lock.replace(model, request.id, run.signal)
      return { ...description, id: request.id, seconds: (performance.now() - start) / 1000 }
    },
    async count({ model: id, text, most }, { signal }) {
      const model = await lock.opened(id, signal)
      const { ids } = read(model, { text })
      const fitting = ids.length > most ? beginningOf(model, text, most) : text
      const { rateOf } = await import('./long-text/computer-rate.js')
      return { model: id, text, tokens: ids.length, fitting, rate: rateOf(qkv) }
    },
  }
}

/** Handlers that run the model on a text. @param {Session} session @returns {Pick<Handlers, 'run' | 'changed' | 'beside'>} */
const ofRuns = ({ qkv, runs, withModel }) => ({
  run: (request, run) =>
    withModel(request, run, async (model, watch) =>
      toSend((await runs.plain(request, model, watch)).run, requestOf(request)),
    ),
  changed: (request, run) =>
    withModel(request, run, async (model, watch) => {
      const { run: after, hooks, source } = await runs.changed(request, model, watch)
      const isChanged = Object.keys(hooks).length > 0
      return { run: isChanged ? toSend(after, requestOf(request)) : undefined, source, request: requestOf(request) }
    }),
  beside: (request, run) =>
    withModel(request, run, async (model, { signal }) => {
      const { hooks } = await hooksFor(request, model, { signal })
      const { top } = await runOf(qkv, model, givenBy(request), hooks, request.row, undefined, { signal })
      return { top, request: requestOf(request) }
    }),
})

/**
 * Handlers for the values of one head, cell or layer.
 * @param {Session} session
 * @returns {Pick<Handlers, 'head' | 'cell' | 'number' | 'why' | 'nextWord' | 'endings' | 'many' | 'block' | 'reasons' | 'matrices'>}
 */
const ofDetails = ({ qkv, withModel, detail }) => ({
  head(request, run) {
    const { text } = request
    if (text === undefined)
      return detail(request, run, (model, used, signal) =>
        exactMap(model, used.run.input, used.hooks, request.at, { signal }),
      )
    return withModel(request, run, async (model, { signal }) =>
      exactMap(model, await inputOf(model, { text }, { signal }), {}, request.at, { signal }),
    )
  },
  cell: (request, run) =>
    detail(request, run, async (model, used, signal) => {
      const { at, cell } = request
      const { traceCell } = await ofCell()
      return traceCell(qkv, model, used.run.input, used.hooks, { ...at, ...cell }, signal)
    }),
  number: (request, run) =>
    withModel(request, run, model =>
      model.weightRow(attentionOf(request.stack, request.layer) + request.letter, request.row),
    ),
  why: (request, run) => detail(request, run, whyOf),
  nextWord: (request, run) =>
    detail(request, run, async (model, used, signal) => (await ofNextWord()).nextWordOf(model, used, signal)),
  endings: (request, run) =>
    detail(request, run, async (model, used, signal) => {
      const { endingsOf } = await ofEndings()
      return { of: await endingsOf(model, used, request.changes, signal), request: requestOf(request) }
    }),
  many: (request, run) =>
    withModel(request, run, async (model, { signal }, rest) => {
      const { hooks } = await hooksFor(request, model, { signal })
      const { scoresOver } = await ofMany()
      return scoresOver(model, request.texts, request.at, hooks, { signal, rest, progress: run.progress })
    }),
  block: (request, run) =>
    detail(request, run, async (model, used, signal) => (await ofBlock()).blockOf(model, used, request.stack, signal)),
  reasons: (request, run) =>
    detail(request, run, async (model, used) => {
      const { reasonsOf } = await ofReasons()
      return reasonsOf(model, used, { ...request.at, ...request.cell })
    }),
  matrices: (request, run) =>
    detail(request, run, async (model, used, signal) => {
      const { matricesOf } = await import('./run/layer-tensors.js')
      return matricesOf(model, used.run.input, used.hooks, request.at, signal)
    }),
})

/**
 * Handlers for "What matters for this answer?" and for the graph of heads.
 * @param {Session} session
 * @returns {Pick<Handlers, 'prepare' | 'matters' | 'graph' | 'graphEdge'>}
 */
const ofCircuits = ({ qkv, runs, withModel, detail }) => ({
  async prepare() {
    await Promise.all([ofCell(), ofEndings(), ofReasons(), ofMatters(), ofGraph()])
    return true
  },
  matters: (request, run) =>
    withModel(request, run, async (model, watch, rest) => {
      const { changeOf, mattersOf } = await ofMatters()
      const { what, stack, other } = request
      const { signal } = watch
      const plain = await runs.plain(request, model, watch)
      if (what === 'now') return changeOf(model, plain.run, await runs.changed(request, model, watch), signal)
      return mattersOf(model, plain.run, { what, stack, other }, { signal, emit: run.emit, rest })
    }),
  graph: (request, run) =>
    withModel(request, run, async (model, watch) => {
      const { graphOf } = await ofGraph()
      return graphOf(qkv, model, (await runs.plain(request, model, watch)).run, request.isAgreed, watch)
    }),
  graphEdge: (request, run) =>
    detail(request, run, async (model, used) => {
      const { testOf } = await ofGraph()
      return testOf(model, used.run, request.edge)
    }),
})

/** Handlers for the layer readout. @param {Session} session @returns {Pick<Handlers, 'lens' | 'lensWriters' | 'lensFile' | 'lensBytes'>} */
function ofLenses({ runs, withModel }) {
  /** @template T @param {RunRequest} request @param {SessionRun<T>} run @param {(task: Awaited<ReturnType<typeof ofLens>>, model: Model, used: Used, watch: import('./lens/sources.js').Watch) => Promise<T>} act */
  const read = (request, run, act) =>
    withModel(request, run, async (model, watch, rest) => {
      const used = await runs.changed(request, model, watch)
      const { signal } = watch
      return act(await ofLens(), model, used, { signal, rest, onProgress: run.progress })
    })
  return {
    lens: (request, run) =>
      read(request, run, async ({ lensGrid }, model, { run: { input }, hooks }, watch) => {
        const grid = await lensGrid(model, input, hooks, request, MOST_WORDS, watch)
        return { ...grid, request: requestOf(request) }
      }),
    lensWriters: (request, run) =>
      read(request, run, ({ lensWriters }, model, { run: { input }, hooks }, watch) =>
        lensWriters(model, input, hooks, request, watch),
      ),
    // Read the file before taking the lock, so that other requests can use the model during a download.
    async lensFile(request, run) {
      const { readFile, keep } = await ofLensFiles()
      const lens = await readFile(request, run.signal)
      return withModel(request, run, model => keep(model, request.name, lens))
    },
    lensBytes: (request, run) =>
      withModel(request, run, async (model, { signal }, rest) =>
        (await ofLensFiles()).lensBytes(model, request, { signal, rest, onProgress: run.progress }),
      ),
  }
}

/** Handlers that read summaries of a long text. @param {Session} session @returns {Pick<Handlers, 'pairs' | 'tile' | 'looks' | 'profile'>} */
function ofLongTexts({ runs, lock, detail }) {
  /** Answers from the summaries of a cached run, without the lock, so that the answer need not wait for a run in progress. @type {Session['detail']} */
  const fromSummaries = (request, run, act) => {
    const used = runs.known(request)
    const model = used?.run.hasWindows ? lock.now(request.model) : undefined
    return used && model ? act(model, used, run.signal) : detail(request, run, act)
  }
  return {
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
        const profile = profileOf(summaries[stack]?.[layer], head, layer)
        run.transfer.push(profile.map.data.buffer)
        return profile
      }),
  }
}

/**
 * Generates tokens one after another; other requests may use the model between two tokens.
 * @param {Session} session
 * @param {Asks['generate']['request']} request
 * @param {SessionRun<Asks['generate']['value']>} run
 */
async function generate({ qkv, lock, detail }, request, run) {
  const { temperature, topK, seed, changes } = request
  const { model, ...begun } = await detail(request, run, async (model, used) => ({ model, ...used }))
  const { ids } = begun.run
  const count = Math.min(request.count, positionsOf(model) - ids.length)
  const isPatched = changes.some(({ kind, isOn }) => kind === 'patch' && isOn)
  const isWhole = isPatched || Object.values(begun.hooks).includes('mean')
  const { signal } = run
  const { generate } = await import('./prediction/generate.js')
  const steps = generate(qkv, model, ids, { temperature, topK, seed, count, isWhole, hooks: begun.hooks, signal })
  try {
    for (;;) {
      const { value } = await lock.use(request.model, signal, () => steps.next())
      if (!value) return null
      run.emit(value)
    }
  } finally {
    await steps.return(undefined) // frees its KV cache
  }
}

/**
 * Returns the contribution of each head to the logit of the first guess, or to the similarity of two texts; null without a guess.
 * @param {Model} model
 * @param {Used} used
 * @param {AbortSignal} signal
 * @returns {Promise<import('./models.js').Why | null>}
 */
async function whyOf(model, { run, hooks }, signal) {
  const { layers, numHeads: H } = specOf(model, '')
  /** @type {readonly [number, number]} */
  const dims = [layers, H]
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
  const stack = model.stacks.encoder && model.stacks.decoder ? 'cross' : ''
  return { token: guess.token, logit: logits[0], stack, heads: (crossHeads ?? heads).data, dims, rest }
}

/** @param {number} mlps @param {number} embedding @param {number} rest @returns {import('./models.js').Why['rest']} */
const restOf = (mlps, embedding, rest) => [
  { name: 'mlps', value: mlps },
  { name: 'embedding', value: embedding },
  { name: 'rest', value: rest },
]
