// State of the panel "What each layer says": its requests, its actions, and how answers change the state. Data and pure functions.

import { SHIPPED } from '../../../files/shipped-models.js'
import { isOfHub } from '../open/sources.js'
import { shownOf } from '../shown.js'
import { hasLens, MOST_WORDS, readLens, sizesOf, writeLens } from './setting.js'
import { LENS_STOPS } from './stops.js'

/** @import { LensAsked, ModelsTypes, State } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Step<ModelsTypes>} Step */
/** @typedef {import('../../../shell/room.js').Request<import('../models.js').ModelsAsks>} Request */

/** True if the text is the hub name of a file. @param {string} name */
export const isHubFile = name => /^hf:[\w.-]+\/[\w.-]+(?:@[^/\s]+)?\/\S+$/.test(name)

/**
 * Returns the URL of the lens of kind `kind` that ships with the open model; '' if none ships.
 * @param {import('../models.js').OpenModel | undefined} openModel
 * @param {string} kind
 */
const shippedLens = (openModel, kind) => SHIPPED.find(({ name }) => name === openModel?.name)?.lenses[kind] ?? ''

/** Returns the kind of lens that the panel opens with: the Jacobian lens if one ships with the model, else the logit lens. @param {Pick<State, 'got'>} state */
export const firstLens = state => {
  const open = state.got.open
  return open?.is === 'here' && shippedLens(open.value, 'jacobian') ? 'jacobian' : 'logit'
}

/**
 * Returns the lens file of the settings. `isAsked` is true if the file is on the hub and the reader has not agreed to contact it.
 * @param {Pick<State, 'settings' | 'view'>} state
 * @returns {{ name: string, source?: File | string, isAsked: boolean } | undefined}
 */
export function lensFileOf({ settings: { lensFile: name }, view }) {
  if (!name) return undefined
  if (isOfHub(name))
    return { name, source: view.lensAgreed === name ? name : undefined, isAsked: view.lensAgreed !== name }
  return { name, source: Object.hasOwn(view.lensFiles, name) ? view.lensFiles[name] : undefined, isAsked: false }
}

/**
 * Returns the fields of a request that name the lens to read with.
 * @param {State} state
 * @param {import('../models.js').LensKind} lens
 * @returns {LensAsked}
 */
function lensAsked(state, lens) {
  const { lensFile } = state.got
  const file = lensFile?.is === 'here' && lensFile.value.name === state.settings.lensFile ? lensFile.value.name : ''
  return { lens, file, shipped: shippedLens(shownOf(state).openModel, lens) }
}

/**
 * Returns the index of the first word that is read. A long text is read in windows of MOST_WORDS words. The window contains the selected
 * word, else word `lensFrom`, else the last word.
 * @param {State['view']} view
 * @param {number} count number of words of the text
 * @param {number | undefined} position index of the selected word
 */
export function firstWord({ lensFrom }, count, position) {
  if (count <= MOST_WORDS) return 0
  const at = Math.min(position ?? lensFrom ?? count - 1, count - 1)
  return Math.min(Math.floor(at / MOST_WORDS) * MOST_WORDS, count - MOST_WORDS)
}

/** Returns the requests for the layer readout. @param {State} state @returns {Request[]} */
export function lensNeeds(state) {
  const { settings, view, got } = state
  const room = shownOf(state)
  const { openModel, run, request, changed, active } = room
  if (!settings.lens || view.grown || !run || !openModel || !hasLens(openModel)) return []
  const sizes = sizesOf(room)
  const { lens, pins, cell, written } = readLens(settings.lens, sizes)
  /** @type {Request[]} */
  const list = []
  const file = lensFileOf(state)
  if (file?.source) {
    const { name, source } = file
    const of = source instanceof Object ? `${source.size} ${source.lastModified}` : ''
    const key = [openModel.id, name, of].join(' ')
    list.push({ type: 'lensFile', key, model: openModel.id, name, source, token: view.token })
    const own = got.lensFile
    if (!own || own.is === 'waiting') return list
  }
  const asked = lensAsked(state, lens)
  const of = { ...(active.length ? changed : request), row: undefined, ...asked }
  const first = firstWord(view, sizes.words, cell?.position)
  const grid = { pins, first }
  list.push({ type: 'lens', ...of, ...grid })
  if (active.length) list.push({ type: 'lens', part: 'before', ...request, row: undefined, ...asked, ...grid })
  // Wait for the grid, which contains the most likely word. Computing the grid also fits the lens that `lensWriters` uses.
  const shown = got.lens?.is === 'here' && !got.lens.value.isTooLarge ? got.lens.value : undefined
  if (!cell || !shown) return list
  const token = written ?? likeliest(shown, cell)
  if (token !== undefined) list.push({ type: 'lensWriters', ...of, ...cell, token })
  return list
}

/**
 * Returns the most likely word of a state; undefined if the grid does not contain it.
 * @param {Extract<import('../models.js').LensGrid, { isTooLarge: false }>} grid
 * @param {{ layer: number, position: number }} cell
 */
export function likeliest({ ids, layers, words, first, top }, { layer, position }) {
  const [row, column] = [layers.indexOf(layer), position - first]
  return row < 0 || column < 0 || column >= words.length ? undefined : ids[(row * words.length + column) * top]
}

/** @satisfies {Partial<import('../../../shell/room.js').Room<ModelsTypes>['actions']>} */
export const lensActions = {
  /** @returns {Step} */
  setLens: (/** @type {State} */ _, /** @type {string} */ lens, /** @type {boolean | undefined} */ isRevealed) => ({
    set: { lens },
    effects: isRevealed ? [{ type: 'reveal', selector: '#models-lens' }] : [],
  }),
  /** @returns {Step} */
  openLens(/** @type {State} */ { settings, view }, /** @type {File | string} */ source) {
    const lens = settings.lens || 'jacobian'
    if (source instanceof Object)
      return {
        set: { lens, lensFile: source.name },
        view: { lensFiles: { ...view.lensFiles, [source.name]: source } },
        effects: [{ type: 'reveal', selector: '#models-lens' }],
      }
    const name = source.trim()
    if (!name) return { set: { lensFile: '' } }
    const full = isOfHub(name) ? name : `hf:${name}`
    if (!isHubFile(full)) return { view: { lensAgreed: '' }, set: { lensFile: full } }
    return { set: { lens, lensFile: full }, view: { lensAgreed: full } }
  },
  /** @returns {Step} */
  saveLens(/** @type {State} */ state) {
    const room = shownOf(state)
    const { lens } = readLens(state.settings.lens, sizesOf(room))
    const request = { model: room.request.model, ...lensAsked(state, lens) }
    return { effects: [{ type: 'ask', request: { type: 'lensBytes', ...request } }] }
  },
  /** @returns {Step} */
  goToLens(/** @type {State} */ _, /** @type {number | undefined} */ lensStop) {
    const stop = lensStop === undefined ? undefined : LENS_STOPS[lensStop]
    if (!stop) return { view: { lensStop: undefined } }
    const { prompt, lens } = stop
    return {
      set: { prompt, lens, generated: [], changes: [], at: {} },
      view: { lensStop, storyStep: undefined, grown: undefined, query: undefined, keyWord: undefined, row: undefined },
      begins: true,
      effects: [
        { type: 'cancel', slot: 'generate' },
        { type: 'reveal', selector: '#models-lens' },
      ],
    }
  },
}

/** @satisfies {Partial<import('../../../shell/room.js').Room<ModelsTypes>['receive']>} */
export const lensReceive = {
  /** Switches to the lens kind of the opened file. @returns {Step | undefined} */
  lensFile(/** @type {State} */ state, /** @type {import('../models.js').ModelsAsks['lensFile']['value']} */ { lens }) {
    const setting = readLens(state.settings.lens, sizesOf(shownOf(state)))
    return { set: { lens: writeLens({ ...setting, lens }) } }
  },
  /** @returns {Step} */
  lensBytes: (
    /** @type {State} */ _,
    /** @type {import('../models.js').ModelsAsks['lensBytes']['value']} */ { name, data },
  ) => ({
    effects: [{ type: 'save', name, data, mime: 'application/octet-stream' }],
  }),
}
