// What follows from the state of the room: the open model, what it reads, the run that is shown, the open head. Pure.

import { SHIPPED } from '../../files/shipped-models.js'
import { headName, isIn } from '../../head/changes.js'
import { isSame } from '../../shell/same.js'
import { shown } from '../../shell/slots.js'
import { mapAt, mapsOver } from './atlas-maps.js'
import { stacksOf } from './hooks.js'
import { addressOf, bareName, idOf, isOfHub } from './sources.js'

/** @typedef {import('./models.js').State} State */
/** @typedef {import('./models.js').Runs} Runs */
/** @typedef {import('./models.js').Requested} Requested */
/** @typedef {import('./models.js').RunRequest} RunRequest */
/** @typedef {import('./model-run.js').Run} Run */
/** @typedef {import('../../shell/room.js').Problem} Problem */
/** @typedef {import('../../head/head.js').HeadAt} HeadAt */

/** What a model is called on the page. @param {Pick<import('./models.js').Room, 't'>} room @param {string} name */
export function titleOf({ t }, name) {
  if (name === 'english' || name === 'stories' || name === 'translation' || name === 'ledger')
    return t(`modelsShipped.${name}`)
  return isOfHub(name) ? idOf(name) : name.split('~')[0]
}

/** The title of a map with the model whose weights made it. @param {import('./models.js').Room} room @param {string} map */
export function withOrigin(room, map) {
  const { t, openModel } = room
  if (!openModel) return map
  const [, digest] = /~([0-9a-f]{12})$/.exec(openModel.name) ?? []
  const params = { name: titleOf(room, openModel.name), digest: digest ?? '' }
  return t('mapOf', { map, origin: t(digest ? 'modelsOriginHash' : 'modelsOrigin', params) })
}

/** The model that the room opens with. */
export function firstName() {
  const given = addressOf()?.href ?? ''
  return isOfHub(given) ? given : given ? '?model' : (SHIPPED[0]?.name ?? '')
}

/** Where the files of a model are; undefined: not on this page. @param {State} state @param {string} name @returns {import('./models.js').OpenSource | undefined} */
function sourceOf({ view: { imported } }, name) {
  if (isOfHub(name)) return undefined // it may have been deleted: what is missing is asked about
  if (Object.hasOwn(imported, name)) return imported[name]
  if (name === '?model') return addressOf()?.href
  const shipped = SHIPPED.find(each => each.name === name)
  return shipped && { urls: shipped.urls }
}

/** The request for a model, or why there is none. @param {State} state @param {string} name @returns {{ requested?: Requested, refused?: Problem }} */
export function requestFor(state, name) {
  const address = name === '?model' ? addressOf() : undefined
  if (address && address.origin !== location.origin)
    return { refused: { key: 'modelsOtherSite', params: { address: address.href } } }
  const source = sourceOf(state, name)
  if (!source) return name && !isOfHub(name) ? { refused: { key: 'modelsAsk', params: { name: bareName(name) } } } : {}
  const id = `${name} ${state.view.requests + 1}`
  return { requested: { id, name, source, checkpoint: state.settings.checkpoint } }
}

/** The request for the model that the settings name, unless the reader has asked for another one. @param {State} state @returns {{ requested?: Requested, refused?: Problem }} */
export function requestOf(state) {
  const { settings, view } = state
  const { checkpoint } = settings
  if (view.requested?.checkpoint === checkpoint) return { requested: view.requested, refused: view.refused }
  const { requested, refused = view.refused } = requestFor(state, checkpoint || firstName())
  return requested ? { requested: { ...requested, id: requested.name } } : { requested: view.opened, refused }
}

/** The model of the hub that the reader is to be asked about: one that was typed, or that of the link. @param {State} state @returns {import('./models.js').Asked | undefined} */
export function askedOf(state) {
  const { settings, view } = state
  const { checkpoint } = settings
  if (view.asked?.checkpoint === checkpoint) return view.asked
  const name = checkpoint || firstName()
  if (!isOfHub(name) || view.requested?.checkpoint === checkpoint) return undefined
  return { id: 0, name: bareName(name), checkpoint, isAsking: false }
}

/** Parts of the page that say themselves what could not be done. */
const SAYS_ITSELF = /^(tile:|lensFile$)/

/** What could not be done. isLost: the worker has ended; isRefused: it is about a model that was to be opened. @param {State} state @returns {{ problem: Problem, isLost: boolean, isRefused: boolean } | undefined} */
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

/** Was the end of the text generated? @param {Pick<import('./models.js').Room, 'openModel' | 'generated'>} room */
export const isEnded = ({ openModel, generated }) => openModel?.ends.includes(generated.at(-1) ?? -1) ?? false

/** Does it say the next word of a text, so that a reader can choose it? @param {import('./models.js').OpenModel} model */
export const isByHand = ({ predicts, stacks }) =>
  predicts === 'token' && stacks.decoder !== undefined && stacks.encoder === undefined

/** Is text being generated? @param {State} state */
export const isGenerating = ({ got: { generate } }) =>
  generate?.is === 'waiting' || (generate?.is === 'here' && !generate.isLast)

/** The model, what it reads and the changes in it. @param {State} state */
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

/** The request for what the model says of another text with the same changes. @param {State} state @returns {RunRequest} */
export function besideOf(state) {
  const { request, active } = readOf(state)
  return { ...request, input: { text: state.view.beside, more: [] }, row: undefined, changes: active }
}

/** Are both of one model, text and row? @param {RunRequest | undefined} a @param {RunRequest | undefined} b */
const isOneText = (a, b) =>
  a !== undefined && b !== undefined && isSame([a.model, a.input, a.row, a.second], [b.model, b.input, b.row, b.second])

/** The runs that are drawn. With changes they are those of a newer text only when both are here. @param {State} state @param {string | undefined} id of the model @param {boolean} isChanged @returns {Runs} */
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

/** Maps of a run that goes on, by what it has reported. @type {WeakMap<object, { old: object | undefined, maps: import('./atlas-maps.js').Maps }>} */
const streams = new WeakMap()

/** The layers that are done of a run that goes on, in the maps of its stack. @param {State} state @param {Run | undefined} run that is drawn */
function streamedOf({ got }, run) {
  for (const own of [got.changed, got.run]) {
    const progress = /** @type {{ streamed?: import('./model-run.js').Streamed } | undefined} */ (
      own?.is === 'waiting' ? own.progress : undefined
    )
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

/** What ends a translation. */
const END = '</s>'
/** The words that the rows of a translation write, the same array for the same run. @type {WeakMap<readonly string[], readonly string[]>} */
const written = new WeakMap()

/** @param {readonly string[]} targets as they are read, with what stands before the first word */
function writtenBy(targets) {
  const found = written.get(targets) ?? [...targets.slice(1), END]
  written.set(targets, found)
  return found
}

/** Everything that is drawn beside the state. @param {State} state */
export function shownOf(state) {
  const { settings, view } = state
  const read = readOf(state)
  const { before: runBefore, after: runAfter, source } = runsOf(state, read.openModel?.id, read.active.length > 0)
  const showing = view.isHeld ? 'before' : runAfter ? view.showing : 'after'
  const run = showing === 'before' ? runBefore : (runAfter ?? runBefore)
  const stacks = Object.keys(run?.maps ?? {})
  const requestedStack = settings.at.head?.stack ?? view.stack
  const streamed = streamedOf(state, run)
  const stack = /** @type {import('../../head/head.js').Stack} */ (
    stacks.includes(requestedStack) ? requestedStack : (stacks[0] ?? streamed?.stack ?? '')
  )
  const head = headOf(settings.at.head, run)
  const isChanged = runAfter !== undefined && showing !== 'before'
  const { tokens = [], targets = [] } = run ?? {}
  const { cell } = settings.at
  const maps = run?.maps[stack]
  return {
    ...read,
    /** The ids at the end of the run that were generated. */
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
    /** The names of queries and keys of the stack that is shown. A row of the cross-attention carries the word that it writes. */
    words: {
      queries: stack === 'cross' ? writtenBy(targets) : stack === 'decoder' ? targets : tokens,
      keys: stack === 'decoder' ? targets : tokens,
    },
  }
}
/** @typedef {ReturnType<typeof shownOf>} Shown */

/** The head, if the run has it. @param {HeadAt | undefined} at @param {Run | undefined} run */
function headOf(at, run) {
  const maps = at && run?.maps[at.stack]
  return maps && at.layer < maps.layers && at.head < maps.heads ? at : undefined
}

/** "2.1". @param {{ layer: number, head: number }} at */
export const nameOf = at => headName({ layer: at.layer, head: at.head })

/** The part of a request for a tile. @param {HeadAt} head @param {import('./models.js').TilePart} tile */
export const tileName = (head, { rows, columns, resolution }) =>
  [head.stack, nameOf(head), ...rows, ...columns, ...resolution].join(' ')

/** The last matrix of the maps of a run: as long as it is the same object, its picture is not drawn again. @type {WeakMap<object, { layer: number, head: number, matrix: import('./models.js').Matrix }>} */
const matrices = new WeakMap()

/** The matrix of the open head, before or after the changes. @param {State & Shown} room @param {boolean} isChanged @returns {import('./models.js').Matrix | undefined} */
export function matrixOf({ head, runBefore, runAfter, got }, isChanged) {
  const maps = (isChanged ? (runAfter ?? runBefore) : runBefore)?.maps[head?.stack ?? '']
  if (!head || !maps) return undefined
  if (maps.cells) return /** @type {any} */ (shown(got[isChanged && runAfter ? 'head:after' : 'head:before']))
  const known = matrices.get(maps)
  if (known?.layer === head.layer && known.head === head.head) return known.matrix
  const matrix = { data: mapAt(maps, head), dims: [maps.rows, maps.columns] }
  matrices.set(maps, { layer: head.layer, head: head.head, matrix })
  return matrix
}
