// Values derived from the state of the room: the open model, its input, the displayed run, the open head. Pure.

import { headName, isIn } from '../../attention-head/changes.js'
import { SHIPPED } from '../../files/shipped-models.js'
import { namesIn } from '../../shell/known.js'
import { isSame } from '../../shell/same.js'
import { shown } from '../../shell/slots.js'
import { mapAt, mapsOver } from './atlas/maps.js'
import { addressOf, bareName, idOf, isOfHub } from './open/sources.js'
import { stacksOf } from './run/hooks.js'

/** @import { Requested, RunRequest, Runs, State } from './models.js' */
/** @import { Run } from './run/model-run.js' */
/** @import { HeadAt } from '../../attention-head/head.js' */

/** Initial share of the answer that the graph of heads explains, in percent. It leaves few enough edges to read. */
export const FIRST_GRAPH = '50'

/** Returns the title of a model. @param {Pick<import('./models.js').Room, 't'>} room @param {string} name */
export function titleOf({ t }, name) {
  if (name === 'english' || name === 'stories' || name === 'translation' || name === 'ledger')
    return t(`modelsShipped.${name}`)
  return isOfHub(name) ? idOf(name) : name.split('~')[0]
}

/** Returns the type of a model to display; for the text part of a multimodal model, also the type of the whole model. @param {import('./models.js').Room['t']} t @param {Pick<import('./models.js').OpenModel, 'type' | 'textPartOf'>} model */
export const typeOf = (t, { type, textPartOf }) =>
  textPartOf ? t('modelsTextPart', { type, whole: textPartOf }) : type

/** Returns the title of a map, followed by the name of the model that computed it. @param {import('./models.js').Room} room @param {string} map */
export function withOrigin(room, map) {
  const { t, openModel } = room
  if (!openModel) return map
  const [, digest] = /~([0-9a-f]{12})$/.exec(openModel.name) ?? []
  const params = { name: titleOf(room, openModel.name), digest: digest ?? '' }
  return t('mapOf', { map, origin: t(digest ? 'modelsOriginHash' : 'modelsOrigin', params) })
}

/** Returns the name of the model that the room opens with. */
export function firstName() {
  const given = addressOf()?.href ?? ''
  return isOfHub(given) ? given : given ? '?model' : (SHIPPED[0]?.name ?? '')
}

/**
 * Returns the source of a model's files; undefined if the page has none.
 * @param {State} state
 * @param {string} name
 * @returns {import('./models.js').OpenSource | undefined}
 */
function sourceOf({ view: { imported } }, name) {
  if (isOfHub(name)) return undefined // the files may have to be downloaded, to which the reader must agree first
  if (Object.hasOwn(imported, name)) return imported[name]
  if (name === '?model') return addressOf()?.href
  const shipped = SHIPPED.find(each => each.name === name)
  return shipped && { urls: shipped.urls }
}

/** Returns the request for a model, or the reason for refusing it. @param {State} state @param {string} name @returns {{ requested?: Requested, refused?: State['view']['refused'] }} */
export function requestFor(state, name) {
  const address = name === '?model' ? addressOf() : undefined
  if (address && address.origin !== location.origin)
    return { refused: { key: 'modelsOtherSite', params: { address: address.href } } }
  const source = sourceOf(state, name)
  if (!source) return name && !isOfHub(name) ? { refused: { key: 'modelsAsk', params: { name: bareName(name) } } } : {}
  const id = `${name} ${state.view.requests + 1}`
  return { requested: { id, name, source, checkpoint: state.settings.checkpoint } }
}

/**
 * Returns the reader's request for a model if the setting `checkpoint` is still the same, else a request for the model that the
 * setting names.
 * @param {State} state
 * @returns {{ requested?: Requested, refused?: State['view']['refused'] }}
 */
export function requestOf(state) {
  const { settings, view } = state
  const { checkpoint } = settings
  if (view.requested?.checkpoint === checkpoint) return { requested: view.requested, refused: view.refused }
  const { requested, refused = view.refused } = requestFor(state, checkpoint || firstName())
  return requested ? { requested: { ...requested, id: requested.name } } : { requested: view.opened, refused }
}

/**
 * Returns the hub model about which to ask the reader: a typed one, or that of a link.
 * @param {State} state
 * @returns {import('./models.js').Asked | undefined}
 */
export function askedOf(state) {
  const { settings, view } = state
  const { checkpoint } = settings
  if (view.asked?.checkpoint === checkpoint) return view.asked
  const name = checkpoint || firstName()
  if (!isOfHub(name) || view.requested?.checkpoint === checkpoint) return undefined
  return { id: 0, name: bareName(name), checkpoint, isAsking: false }
}

/** Matches slots whose failures are reported by the part of the page that made the request. */
const SAYS_ITSELF = /^(tile:|lensFile$)/

/** Returns the failure to report, if any. `isLost`: the worker has died; `isRefused`: a model could not be opened. @param {State} state */
export function failureOf(state) {
  const { got, view } = state
  const { refused } = requestOf(state)
  const lost = Object.values(got).find(each => each?.is === 'lost')
  if (lost?.is === 'lost') return { problem: lost.problem, isLost: true, isRefused: false }
  if (refused) return { problem: refused, isLost: false, isRefused: true }
  for (const [slot, own] of Object.entries(got))
    if (own?.is === 'failed' && own.problem !== view.dismissed && !SAYS_ITSELF.test(slot))
      return { problem: own.problem, isLost: false, isRefused: slot === 'open' || slot === 'look' }
  return undefined
}

/** True if the last generated token ends the text. @param {Pick<import('./models.js').Room, 'openModel' | 'generated'>} room */
export const isEnded = ({ openModel, generated }) => openModel?.ends.includes(generated.at(-1) ?? -1) ?? false

/** True if the model predicts the next word of a text, so that a reader can choose it. @param {import('./models.js').OpenModel} model */
export const isByHand = ({ predicts, stacks }) =>
  predicts === 'token' && stacks.decoder !== undefined && stacks.encoder === undefined

/**
 * Returns the letters that complete the word that a predicted token begins; '' for a whole word.
 * @param {Pick<State & Shown, 'got' | 'run'>} room
 * @param {number} id
 */
export function endingOf({ got, run }, id) {
  const endings = shown(got.endings)
  return (run && endings && isSame(endings.request, run.request) && endings.of[id]) || ''
}

/** True while text is being generated. @param {State} state */
export const isGenerating = ({ got: { generate } }) =>
  generate?.is === 'waiting' || (generate?.is === 'here' && !generate.isLast)

/** Returns the model, its input, the active changes, and the requests to run it without and with them. @param {State} state */
function readOf(state) {
  const { settings, view, got } = state
  const openModel = shown(got.open)
  const { encoder, decoder } = openModel?.stacks ?? {}
  const isDecoder = decoder !== undefined && encoder === undefined
  const text = settings.prompt ?? openModel?.firstText ?? ''
  const generated = isDecoder ? settings.generated : []
  const more = isGenerating(state) ? generated.slice(0, view.generatedBefore) : generated
  const stacks = openModel ? stacksOf(openModel) : {}
  const active = settings.changes.filter(change => change.isOn && isIn(change, stacks))
  const second = openModel?.predicts === 'likeness' ? settings.sourceText || openModel.secondText : undefined
  const sourceText = active.some(({ kind }) => kind === 'patch') ? (second ?? settings.sourceText) : ''
  const isOfRow = openModel?.predicts === 'token' || openModel?.predicts === 'classes'
  const request = {
    model: openModel?.id ?? '',
    input: { text, more },
    row: isOfRow ? view.row : undefined,
    second,
    changes: /** @type {typeof active} */ ([]),
    sourceText: '',
  }
  return { openModel, text, second, active, request, changed: { ...request, changes: active, sourceText } }
}

/** Returns the request to predict for another text with the same changes. @param {State} state @returns {RunRequest} */
export function besideOf(state) {
  const { request, active } = readOf(state)
  return { ...request, input: { text: state.view.beside, more: [] }, row: undefined, changes: active }
}

/** True if both runs have the same model, text and row. @param {RunRequest | undefined} a @param {RunRequest | undefined} b */
const isOneText = (a, b) =>
  a !== undefined && b !== undefined && isSame([a.model, a.input, a.row, a.second], [b.model, b.input, b.row, b.second])

/**
 * Returns the runs to draw. With changes, the runs of a newer text are drawn only once both have arrived.
 * @param {State} state
 * @param {string | undefined} id id of the model
 * @param {boolean} isChanged
 * @returns {Runs}
 */
function runsOf({ view, got }, id, isChanged) {
  const own = (/** @type {Run | undefined} */ run) => (run?.request.model === id ? run : undefined)
  const before = own(shown(got.run))
  const changed = shown(got.changed)
  const pair = own(view.pair?.before) && view.pair
  /** @type {Runs} */
  let runs = { before }
  if (isChanged) {
    if (changed && isOneText(changed.request, before?.request))
      runs = { before, after: changed.run, source: changed.source }
    else if (pair && !isOneText(pair.before?.request, before?.request)) runs = pair
  }
  const grown = own(view.grown)
  if (!grown) return runs
  return runs.after ? { ...runs, after: grown } : { before: grown }
}

/**
 * Caches the maps of each progress report, in which unfinished layers show the maps `old`.
 * @type {WeakMap<object, { old: object | undefined, maps: import('./atlas/maps.js').Maps }>}
 */
const streams = new WeakMap()

/**
 * Returns the stack that a pending run is computing, the number of its finished layers, and their scores and maps. In the maps, unfinished
 * layers still show the drawn run.
 * @param {State} state
 * @param {Run | undefined} run the run that is drawn
 */
function streamedOf({ got }, run) {
  for (const own of [got.changed, got.run]) {
    const progress = own?.is === 'waiting' ? own.progress : undefined
    if (!progress?.streamed) continue
    const { stack, done, scores } = progress.streamed
    const old = run?.maps[stack]
    const known = streams.get(progress)
    const maps = known?.old === old && known ? known.maps : mapsOver(progress.streamed.maps, done, old)
    streams.set(progress, { old, maps })
    return { stack, done, scores, maps }
  }
  return undefined
}

/** End token of a translation. */
const END = '</s>'
/**
 * Caches the words that the rows of a translation write, by the input tokens of the decoder. So a run always has the same array.
 * @type {WeakMap<readonly string[], readonly string[]>}
 */
const written = new WeakMap()

/** Returns the words that the rows of a translation write. @param {readonly string[]} targets input tokens of the decoder, including the start token */
function writtenBy(targets) {
  const found = written.get(targets) ?? [...targets.slice(1), END]
  written.set(targets, found)
  return found
}

/** Returns everything that is drawn besides the state. @param {State} state */
export function shownOf(state) {
  const { settings, view } = state
  const read = readOf(state)
  const { before: runBefore, after: runAfter, source } = runsOf(state, read.openModel?.id, read.active.length > 0)
  const showing = view.isHeld ? 'before' : runAfter ? view.showing : 'after'
  const run = showing === 'before' ? runBefore : (runAfter ?? runBefore)
  const stacks = namesIn(run?.maps ?? {})
  const requestedStack = settings.at.head?.stack ?? view.stack
  const streamed = streamedOf(state, run)
  const stack = stacks.includes(requestedStack) ? requestedStack : (stacks[0] ?? streamed?.stack ?? '')
  const head = headOf(settings.at.head, run)
  const isChanged = runAfter !== undefined && showing !== 'before'
  const { tokens = [], targets = [] } = run ?? {}
  const { cell } = settings.at
  const maps = run?.maps[stack]
  return {
    ...read,
    /** Ids of generated tokens at the end of the run's input. */
    generated: run?.request.input.more ?? [],
    runBefore,
    runAfter,
    source,
    showing,
    run,
    stack,
    head,
    maps,
    streamed: streamed?.stack === stack ? streamed : undefined,
    isChanged,
    cell:
      head && maps && cell && cell.row < maps.rows && cell.column < maps.columns
        ? { query: cell.row, key: cell.column }
        : undefined,
    /** Labels of queries and keys of the displayed stack. A row of the cross-attention is labelled with the word it writes. */
    words: {
      queries: stack === 'cross' ? writtenBy(targets) : stack === 'decoder' ? targets : tokens,
      keys: stack === 'decoder' ? targets : tokens,
    },
  }
}
/** @typedef {ReturnType<typeof shownOf>} Shown */

/** Returns the head if it exists in the run. @param {HeadAt | undefined} at @param {Run | undefined} run */
function headOf(at, run) {
  const maps = at && run?.maps[at.stack]
  return maps && at.layer < maps.layers && at.head < maps.numHeads ? at : undefined
}

/** Returns the name of a head, such as "2.1". @param {{ layer: number, head: number }} at */
export const nameOf = at => headName({ layer: at.layer, head: at.head })

/** Returns the slot name of a tile request. @param {HeadAt} head @param {import('./models.js').TilePart} tile */
export const tileName = (head, { rows, columns, resolution }) =>
  [head.stack, nameOf(head), ...rows, ...columns, ...resolution].join(' ')

/** Caches the last matrix of each maps object. Returning the same matrix avoids a redraw of the picture. @type {WeakMap<object, { layer: number, head: number, matrix: import('./models.js').Matrix }>} */
const matrices = new WeakMap()

/**
 * Returns the matrix of the open head, before or after the changes.
 * @param {State & Shown} room
 * @param {boolean} isChanged
 * @returns {import('./models.js').Matrix | undefined}
 */
export function matrixOf({ head, runBefore, runAfter, got }, isChanged) {
  const maps = (isChanged ? (runAfter ?? runBefore) : runBefore)?.maps[head?.stack ?? '']
  if (!head || !maps) return undefined
  if (maps.cells) return shown(got[isChanged && runAfter ? 'head:after' : 'head:before'])
  const known = matrices.get(maps)
  if (known?.layer === head.layer && known.head === head.head) return known.matrix
  const matrix = { data: mapAt(maps, head), dims: [maps.rows, maps.columns] }
  matrices.set(maps, { layer: head.layer, head: head.head, matrix })
  return matrix
}
