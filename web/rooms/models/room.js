// The room "Models": a checkpoint, all of its heads, its prediction, and the reader's changes. Data and pure functions; the session
// computes.

import { headName, readChanges, withCell, withChange, writeChanges } from '../../attention-head/changes.js'
import { SHIPPED } from '../../files/shipped-models.js'
import { flag, other, text } from '../../shell/kinds.js'
import { isSame } from '../../shell/same.js'
import { defaultsOf } from '../../shell/settings-link.js'
import { slotOf } from '../../shell/slots.js'
import { grown, MOST_EXACT } from './atlas/maps.js'
import { lensActions, lensNeeds, lensReceive } from './lens/room.js'
import { hasLens } from './lens/setting.js'
import { LONG, mostTokens, PATIENCE, secondsOf, workOf } from './long-text/limits.js'
import { sentencesOf } from './many/setting.js'
import { CLOSED } from './open/model-field.js'
import { bareName, folderOf, idOf, isOfHub, isOne, meantBy, mostMemory, usualDtype } from './open/sources.js'
import { spanOf } from './run/read-text.js'
import {
  askedOf,
  besideOf,
  failureOf,
  firstName,
  isByHand,
  isEnded,
  isGenerating,
  nameOf,
  requestFor,
  requestOf,
  shownOf,
  tileName,
} from './shown.js'
import { draw } from './view.js'

/** @import { ModelsTypes, State, View } from './models.js' */
/** @import { Place } from '../../attention-head/head.js' */
/** @typedef {import('../../shell/room.js').Step<ModelsTypes>} Step */
/** @typedef {import('../../shell/room.js').Request<import('./models.js').ModelsAsks>} Request */

const MOST_GENERATED = 4000
/** Maximum multiplications of a run (a few milliseconds) whose explanations are computed before the reader opens them. */
const QUICK = 2 ** 25
/** Maximum multiplications of a run for which words are completed, since each completion takes further runs. */
const QUICK_ENDINGS = 2 ** 28

/** @type {Record<string, import('../../attention-head/head.js').Stack>} */
const STACKS = { '': '', e: 'encoder', d: 'decoder', c: 'cross' }

/** Formats a place for a link: "c2.1", with a cell "c2.1:3>2", with a detail of the cell "c2.1:3>2/term/5". @param {Place} place */
function writePlace({ head, cell, detail = [] }) {
  if (!head) return ''
  if (!cell) return headName(head)
  return [`${headName(head)}:${cell.row + 1}>${cell.column + 1}`, ...detail].join('/')
}

/** @param {string} text @returns {Place} */
function readPlace(text) {
  const found = /^([edc]?)(\d{1,4})\.(\d{1,4})(?::(\d{1,6})>(\d{1,6})(?:\/(term|q|k)\/(\d{1,6}))?)?$/.exec(text)
  if (!found) return {}
  const [, letter, layer, head, row, column, part, index] = found
  const at = { stack: STACKS[letter], layer: Number(layer) - 1, head: Number(head) - 1 }
  if (at.layer < 0 || at.head < 0) return {}
  if (!(Number(row) > 0 && Number(column) > 0)) return { head: at }
  const cell = { matrix: 'weights', row: Number(row) - 1, column: Number(column) - 1 }
  return part ? { head: at, cell, detail: [part, Number(index)] } : { head: at, cell }
}

/** Parses generated ids. @param {string} text */
const readIds = text => (text.match(/\d{1,9}/g) ?? []).slice(0, MOST_GENERATED).map(Number)

/** @type {View} */
const view = {
  requests: 0,
  imported: {},
  leftSettings: {},
  isListOpen: false,
  picked: -1,
  token: '',
  keptChanges: 0,
  beside: '',
  isNear: false,
  ahead: '',
  hasMatters: false,
  hasAllAdders: false,
  graphPointed: '',
  graphAgreed: undefined,
  hasNextWord: false,
  cut: { temperature: 1, topK: 50, topP: 1 },
  cacheHead: 0,
  hasMany: false,
  hasBlock: false,
  hasPrograms: false,
  mostBytes: mostMemory(),
  stack: '',
  showing: 'after',
  isHeld: false,
  isPulled: false,
  least: 0,
  isOnlyHits: false,
  isWithoutFirst: false,
  mapSize: 0,
  picture: 'map',
  mode: 'read',
  chosen: [],
  tab: 'heads',
  patchLayer: 0,
  sampling: { temperature: 0, topK: 40, seed: 0, count: 40 },
  steps: [],
  generatedBefore: 0,
  lensZoom: 1,
  lensFiles: {},
  lensAgreed: '',
  hasLensExports: false,
  answers: 0,
  finding: '',
  tiles: [],
  from: '',
  copied: '',
}

/** View state to reset when the text changes, since it refers to tokens of the old text. */
const FORGOTTEN = {
  steps: [],
  row: undefined,
  query: undefined,
  keyWord: undefined,
  found: undefined,
  grown: undefined,
  draft: undefined,
}

/** Requests a model. @param {State} state @param {ReturnType<typeof requestFor>} found @returns {Step} */
const ask = ({ view: { requests } }, { requested, refused }) => ({
  view: {
    ...CLOSED,
    ...(requested ? { requests: requests + 1, requested, refused: undefined, asked: undefined } : { refused }),
  },
})

/**
 * Asks the hub about a model.
 * @param {State} state
 * @param {string} name hf:owner/name@revision
 * @param {number} [agreed] bytes that the reader agreed to download
 * @returns {Step}
 */
function lookAt({ settings: { checkpoint }, view }, name, agreed) {
  const id = view.requests + 1
  return {
    view: { ...CLOSED, requests: id, refused: undefined, asked: { id, name, checkpoint, agreed, isAsking: true } },
  }
}

/**
 * Opens the model typed into the field: a listed model, a hub name, or the address of a folder.
 * @param {State} state
 * @param {string} text
 * @returns {Step}
 */
function openTyped(state, text) {
  const { hub, address } = meantBy(bareName(text))
  if (requestFor(state, text).requested) return ask(state, requestFor(state, text))
  if (hub) return lookAt(state, hub)
  if (!address || !URL.canParse(address, document.baseURI))
    // Keep the list open to offer the nearest names.
    return {
      view: {
        refused: { key: 'modelsNoSuch', params: { text: text.trim() } },
        asked: undefined,
        typed: text,
        isListOpen: true,
        picked: -1,
      },
    }
  const { href, origin } = new URL(address, document.baseURI)
  if (origin !== location.origin) return ask(state, { refused: { key: 'modelsOtherSite', params: { address: href } } })
  const { checkpoint } = state.settings
  return ask(state, { requested: { id: `${href} ${state.view.requests + 1}`, name: '', source: href, checkpoint } })
}

/** Opens the hub model that `look` has described. @param {State} state @param {import('./models.js').Look} look @param {import('./models.js').SmallerDtype | ''} dtype @returns {Step} */
function openLooked(state, { source }, dtype) {
  const { checkpoint } = state.settings
  return ask(state, {
    requested: { id: `${source} ${state.view.requests + 1}`, name: source, source, dtype, checkpoint },
  })
}

/**
 * Continues after the reader's consent: asks the hub about a linked model, or downloads the model that `look` has described.
 * @param {State} state
 * @param {import('./models.js').SmallerDtype | ''} [dtype]
 * @returns {Step}
 */
function agree(state, dtype) {
  const { settings, view, got } = state
  const asked = askedOf(state)
  if (!asked) return {}
  const look = got.look?.is === 'here' ? got.look.value : undefined
  if (!asked.isAsking || !look) return lookAt(state, asked.name, asked.agreed ?? (settings.size || undefined))
  return openLooked(state, look, dtype ?? asked.dtype ?? usualDtype(look.bytes, view.mostBytes))
}

/** @param {State} state @param {readonly File[]} files @returns {Step} */
function bring(state, files) {
  if (!files.length) return {}
  const { settings, view } = state
  const [file] = files
  if (files.length === 1 && /\.(txt|md)$/i.test(file.name))
    return { effects: [{ type: 'ask', request: { type: 'textFile', file } }] }
  const { openModel } = shownOf(state)
  if (files.length === 1 && /\.pth?$/i.test(file.name) && openModel && hasLens(openModel))
    return lensActions.openLens(state, file)
  const name = folderOf(files)
  const id = `files ${view.requests + 1}`
  return ask(state, { requested: { id, name, source: [...files], checkpoint: settings.checkpoint } })
}

/** Cancels generation, which belongs to the previous text and model. @satisfies {import('../../shell/room.js').Effect<ModelsTypes>} */
const END_GENERATION = { type: 'cancel', slot: 'generate' }
/**
 * Cancels one-off requests about a model that is replaced, because they would go on waiting for that model.
 * @type {{ type: 'cancel', slot: string }[]}
 */
const END_ASKED = [END_GENERATION, { type: 'cancel', slot: 'lensBytes' }, { type: 'cancel', slot: 'matrices' }]

/** Sets another text, and hides the current problem. @param {State} state @param {string | null} prompt */
const read = (state, prompt) => ({
  set: { prompt, generated: [] },
  view: { ...FORGOTTEN, dismissed: failureOf(state)?.problem ?? state.view.dismissed },
  effects: [END_GENERATION],
})

/**
 * Handles typing: the tokens of a long text are counted before the model runs on it.
 * @param {State} state
 * @param {string} prompt
 * @returns {Step}
 */
function type(state, prompt) {
  if (prompt.length > LONG && shownOf(state).openModel) return { view: { draft: prompt } }
  return {
    ...read(state, prompt),
    mark: 'type',
    effects: [END_GENERATION, { type: 'offer', what: { type: 'sentence', text: prompt } }],
  }
}

/**
 * Relates an opened model to the setting `checkpoint`, by which a link names its model.
 * @param {State} state
 * @param {string} name
 * @returns {{ isSameModel: boolean, checkpoint: string }} isSameModel: true if the settings are those of this model; checkpoint: the new setting
 */
function relate(state, name) {
  const { settings, view } = state
  const { checkpoint } = settings
  const { requested } = requestOf(state)
  // A link may name a branch of a hub model. The name that was opened has the digest of its files.
  const isBranch = isOfHub(checkpoint) && !checkpoint.includes('~') && idOf(checkpoint) === idOf(name)
  if (isOne(checkpoint, name) || isBranch) return { isSameModel: true, checkpoint: name }
  const isFirst = requested?.name !== '' && requested?.name === firstName() // '' means the first model
  if (isOne(view.opened?.name ?? '', name) || (isFirst && !checkpoint)) return { isSameModel: true, checkpoint }
  return { isSameModel: false, checkpoint: isFirst ? '' : name }
}

/** Keeps the typed text when another text is shown instead. @param {string | null | undefined} typed @param {string | null} shown @returns {Partial<View>} */
const aside = (typed, shown) => (typed && typed !== shown ? { setAside: typed } : {})

/** Returns the text with a token replaced by a word, capitalised like the token. @param {State} state @param {number} index @param {string} word */
function exchanged(state, index, word) {
  const { run, text } = shownOf(state)
  const span = run && spanOf(text, run.tokens, index)
  if (!span) return undefined
  const isCapital = /^\p{Lu}/u.test(text.slice(...span))
  const written = isCapital ? word[0].toUpperCase() + word.slice(1) : word
  return `${text.slice(0, span[0])} ${written} ${text.slice(span[1])}`.replace(/\s+/g, ' ').trim()
}

/** Replaces the selected token by another word and keeps it selected. @param {State} state @param {number} index @param {string} word @returns {Step} */
function exchange(state, index, word) {
  const text = exchanged(state, index, word)
  if (text === undefined) return {}
  const step = read(state, text)
  return { ...step, view: { ...step.view, query: index } }
}

/** Replaces a token by the mask token. @param {State} state @param {number} index @returns {Step} */
function mask(state, index) {
  const { mask: word } = shownOf(state).openModel ?? {}
  const text = word && exchanged(state, index, word)
  return text ? read(state, text) : {}
}

/** Opens a head with no cell selected. @param {import('../../attention-head/head.js').HeadAt} head @returns {Step} */
const openHead = head => ({ set: { at: { head } }, view: { stack: head.stack }, effects: [refocus('#models-back')] })

/** Returns to the atlas of all heads, and focuses the head whose page was open. @param {State} state @returns {Step} */
function leaveHead(state) {
  const { head } = shownOf(state)
  const own = head && `#models-ranked [data-head="${nameOf(head)}"]`
  return { set: { at: {} }, effects: [refocus(`${own ?? '#models-ranked button'}, .models-atlas .atlas-maps`)] }
}

/**
 * Returns an effect that moves the focus if the focused element no longer exists.
 * @param {string} selector
 * @returns {import('../../shell/room.js').Effect<ModelsTypes>}
 */
const refocus = selector => ({ type: 'focus', selector, isLost: true })

/**
 * Opens a head. With `isSecond`, opens the difference between the open or marked head and this one; if neither exists, marks this head.
 * @param {State} state
 * @param {import('../../attention-head/head.js').HeadAt} at
 * @param {boolean} isSecond true to subtract this head from the open or marked one
 * @returns {Step}
 */
function chooseHead(state, at, isSecond) {
  const { head } = shownOf(state)
  const { marked } = state.view
  const first = head ?? (marked && { ...marked, stack: at.stack })
  const own = { layer: at.layer, head: at.head }
  if (!isSecond) return { ...openHead(at), view: { stack: at.stack, marked: undefined } }
  if (!first || (first.layer === at.layer && first.head === at.head))
    return { view: { marked: head ? undefined : own } }
  return { set: head ? {} : { at: { head: first } }, view: { marked: undefined, against: own, picture: 'difference' } }
}

/**
 * Selects a token, or deselects it if it is selected. With `isSecond`, selects or deselects a key instead, and ranks the heads by the
 * weight from the selected token to this key.
 * @param {State} state
 * @param {number} index
 * @param {boolean} isSecond
 * @param {'queries' | 'keys'} side
 * @returns {Step}
 */
function selectWord(state, index, isSecond, side) {
  const { query, keyWord, rankBy, row } = state.view
  const { stack } = shownOf(state)
  if (isSecond && query !== undefined)
    return { view: keyWord === index ? { keyWord: undefined } : { keyWord: index, rankBy: 'example' } }
  if (side === 'keys' && stack === 'cross') return { view: { keyWord: keyWord === index ? undefined : index } }
  const next = query === index ? undefined : index
  const nextKey = next === undefined ? undefined : keyWord
  return {
    view: {
      query: next,
      keyWord: nextKey,
      rankBy: rankBy === 'example' && nextKey === undefined ? undefined : rankBy,
      row: stack === 'encoder' ? row : next,
    },
  }
}

/** Goes to a stop of the guided story: a head with a prompt. @param {State} state @param {number} [storyStep] @returns {Step} */
function goTo(state, storyStep) {
  const stop = storyStep === undefined ? undefined : shownOf(state).openModel?.about?.tour?.[storyStep]
  if (!stop) return { view: { storyStep: undefined } }
  const { prompt, layer, head } = stop
  const isFirst = state.view.storyStep === undefined
  return {
    set: { prompt, generated: [], changes: [], at: { head: { stack: '', layer, head } } },
    view: {
      ...FORGOTTEN,
      ...(isFirst && aside(state.settings.prompt, prompt)),
      storyStep,
      showing: 'after',
      stack: '',
    },
    begins: true,
    effects: [END_GENERATION],
  }
}

/** @param {State} state @returns {Step} */
function patch(state) {
  const { query, patchLayer } = state.view
  const { encoder, decoder } = shownOf(state).openModel?.stacks ?? {}
  const stack = encoder && decoder ? 'decoder' : ''
  /** @type {import('../../attention-head/head.js').PatchChange} */
  const change = { kind: 'patch', isOn: true, stack, layer: patchLayer, position: query ?? null }
  return { set: { changes: withChange(state.settings.changes, change) } }
}

/** @param {State} state @param {number} [count] @returns {Step} */
function generate(state, count = state.view.sampling.count) {
  if (isGenerating(state)) return { effects: [END_GENERATION] }
  const shown = shownOf(state)
  if (isEnded(shown)) return {}
  const { active, changed, request } = shown
  const { settings, view } = state
  const about = active.length ? changed : request
  return {
    view: { generatedBefore: settings.generated.length, row: undefined, grown: undefined },
    effects: [
      { type: 'ask', request: { type: 'generate', ...about, row: undefined, ...view.sampling, count } },
      { type: 'reveal', selector: '.models-token-rows' },
    ],
  }
}

/**
 * Replaces the ids after the prompt; does nothing while tokens are generated.
 * @param {State} state
 * @param {readonly number[]} generated
 * @returns {Step}
 */
const continued = (state, generated) =>
  isGenerating(state) ? {} : { set: { generated }, view: { ...FORGOTTEN, generatedBefore: generated.length } }

/** @type {import('../../shell/room.js').Room<ModelsTypes>['actions']} */
const actions = {
  bring,
  openSmaller(state, dtype) {
    const { requested } = requestOf(state)
    const id = `${requested?.name} ${dtype} ${state.view.requests + 1}`
    return requested ? ask(state, { requested: { ...requested, id, dtype } }) : {}
  },
  openTyped,
  pick({ view: { isListOpen, picked } }, step, count) {
    if (!isListOpen || !count) return { view: { isListOpen: true } }
    return { view: { picked: picked < 0 && step < 0 ? count - 1 : (picked + step + count) % count } }
  },
  enter(state, text, names, named) {
    const { isListOpen, picked } = state.view
    const { hub, address } = meantBy(text)
    const name = (isListOpen && names[picked]) || (!hub && !address && text.trim() && named) || text
    return name.trim() ? openTyped(state, name) : {}
  },
  agree,
  refuse: () => ({ view: { asked: undefined } }),
  drop: (_, name) => ({ effects: [{ type: 'ask', request: { type: 'drop', name } }] }),
  cancel: (_, slot) => ({
    effects: slot !== 'run' ? [{ type: 'cancel', slot }] : ['run', 'changed'].map(slot => ({ type: 'cancel', slot })),
  }),
  runAgain: () => ({ effects: [{ type: 'retry' }] }),
  startAgain: ({ view }) => ({
    view: { requested: view.opened ?? view.requested, refused: undefined },
    effects: [{ type: 'retry' }],
  }),
  dismiss: ({ got }) => ({ view: { dismissed: got.open?.is === 'failed' ? got.open.problem : undefined } }),
  show: (_, view) => ({ view }),
  wait: (_, tiles, handOut) => ({ view: { tiles, handOut }, effects: [{ type: 'need' }] }),
  type,
  readDraft(state, text) {
    const step = read(state, text)
    return { ...step, view: { ...step.view, ...aside(state.view.draft, text) } }
  },
  dropDraft: ({ view }) => ({ view: { draft: undefined, ...aside(view.draft, '') } }),
  bringBack(state) {
    const step = type(state, state.view.setAside ?? '')
    return { ...step, view: { ...step.view, setAside: undefined } }
  },
  typeSource: (_, sourceText) => ({ set: { sourceText } }),
  forget: state => read(state, state.settings.prompt),
  mask,
  exchange,
  openHead: (state, head) => (head ? openHead(head) : leaveHead(state)),
  chooseHead,
  chooseStack: (_, stack) => ({ set: { at: {} }, view: { stack, query: undefined, keyWord: undefined } }),
  rankSimilar: (state, { layer, head }) => ({
    ...leaveHead(state),
    view: { reference: { layer, head }, rankBy: 'similar' },
  }),
  selectCell: ({ settings: { at } }, cell) => ({
    set: {
      at: cell ? { head: at.head, cell: { matrix: 'weights', row: cell.query, column: cell.key } } : { head: at.head },
    },
  }),
  goToPlace: (_, at) => ({ set: { at } }),
  selectWord,
  change: (state, changes, mark = '', lastSet) => ({
    set: { changes },
    mark,
    view: { lastSet, showing: shownOf(state).active.length ? state.view.showing : 'after' },
  }),
  hide: ({ settings: { changes } }, head, query, key, isHidden) => ({
    set: { changes: withCell(changes, head, query, key, isHidden) },
    mark: 'paint',
    view: { lastSet: undefined },
  }),
  patch,
  sample({ view: { sampling } }, name, value, least, most) {
    const own = Math.min(most, Math.max(least, value))
    const sampleLimit = own === value ? undefined : { name, least, most }
    return { view: { sampling: { ...sampling, [name]: own }, sampleLimit } }
  },
  generate,
  takeWord: (state, id) => (isEnded(shownOf(state)) ? {} : continued(state, [...state.settings.generated, id])),
  takeBack: state => continued(state, state.settings.generated.slice(0, -1)),
  openInLayer(state, from) {
    const { run, head } = shownOf(state)
    if (!run || !head) return {}
    return { view: { from }, effects: [{ type: 'ask', request: { type: 'matrices', ...run.request, at: head } }] }
  },
  setGraph: (_, graph, isRevealed) => ({
    set: { graph },
    effects: isRevealed ? [{ type: 'reveal', selector: '#models-graph' }] : [],
  }),
  ...lensActions,
  reveal: (_, selector) => ({ effects: [{ type: 'reveal', selector }] }),
  agreeToGraph: state => ({
    view: { graphAgreed: shownOf(state).request },
    effects: [{ type: 'retry' }],
  }),
  openFromGraph: (_, at, position, stack) => ({
    set: { at },
    view: { query: position, keyWord: undefined, stack },
    effects: [{ type: 'reveal', selector: '.models-stage' }],
  }),
  save: (_, name, data, mime) => ({ effects: [{ type: 'save', name, data, mime }] }),
  copy: (_, copied, code) => ({ view: { copied }, effects: [{ type: 'copy', text: code }] }),
  goTo,
}

/**
 * True if the words that likely tokens begin are to be completed. A new request waits until the state is at rest; a pending or answered
 * request stays.
 * @param {State} state
 * @param {import('./models.js').OpenModel} openModel
 * @param {import('./run/model-run.js').Run} run
 */
function hasEndings({ settings, got, isAtRest }, openModel, run) {
  if (settings.lens || !isByHand(openModel) || run.row < 0 || workOf(openModel, run.ids.length) > QUICK_ENDINGS)
    return false
  const { endings } = got
  return isAtRest || endings?.is === 'waiting' || (endings?.is === 'here' && isSame(endings.value.request, run.request))
}

/** Returns the requests for the prediction, the open head and the selected cell. @param {State} state @returns {Request[]} */
function detailNeeds(state) {
  const { settings, view, got } = state
  const { openModel, run, runAfter, head, maps, stack, cell, isChanged } = shownOf(state)
  if (!run || !openModel || view.grown) return []
  const { request } = run
  /** @type {Request[]} */
  const list = []
  if (openModel.predicts && run.row >= 0) list.push({ type: 'why', ...request })
  if (hasEndings(state, openModel, run)) list.push({ type: 'endings', ...request })
  const { query, keyWord } = view
  if (maps?.cells && query !== undefined && keyWord !== undefined)
    list.push({ type: 'pairs', ...request, stack, cell: { query, key: keyWord } })
  if (maps?.cells && query !== undefined) {
    const only = head && { layer: head.layer, head: head.head }
    list.push({ type: 'looks', ...request, stack, word: query, only })
  }
  if (!head) return list
  if (maps?.cells) {
    list.push({ type: 'profile', ...request, at: head })
    for (const tile of view.tiles) {
      const part = tileName(head, tile)
      list.push({ type: 'tile', part, key: `${view.answers} ${isChanged} ${part}`, ...request, at: head, tile })
    }
    if (view.picture !== 'map') list.push({ type: 'head', part: isChanged ? 'after' : 'before', ...request, at: head })
    if (isChanged && runAfter && view.picture === 'difference')
      list.push({ type: 'head', part: 'before', ...request, changes: [], sourceText: '', at: head })
  }
  if (view.picture === 'difference' && view.against === 'text' && settings.sourceText)
    list.push({
      type: 'head',
      part: 'text',
      ...request,
      changes: [],
      sourceText: '',
      at: head,
      text: settings.sourceText,
    })
  if (view.hasMany) list.push(manyNeed(state, head))
  if (!cell) return list
  list.push({ type: 'cell', ...request, at: head, cell })
  const [letter, index] = settings.at.detail ?? []
  if (!letter) list.push({ type: 'reasons', ...request, at: head, cell })
  if ((letter !== 'q' && letter !== 'k') || got.cell?.is !== 'here') return list
  const { head: queryHead, kvHead, q } = got.cell.value
  if (!(Number(index) < q.length)) return list
  const row = (letter === 'q' ? queryHead : kvHead) * q.length + Number(index)
  list.push({ type: 'number', model: request.model, stack: head.stack, layer: head.layer, letter, row })
  return list
}

/** Returns the request for the scores of the open head over many sentences. @param {State} state @param {import('../../attention-head/head.js').HeadAt} at @returns {Request} */
function manyNeed(state, at) {
  const room = { ...state, ...shownOf(state) }
  const input = { text: '', more: [] }
  const about = room.active.length ? room.changed : room.request
  return { type: 'many', ...about, input, row: undefined, texts: sentencesOf(room), at }
}

/** True if a part is to be computed before it is opened: the pointer or focus is on it, and the computation is quick. @param {State} state @param {'matters' | 'graph'} name */
function isAhead(state, name) {
  const { openModel, run } = shownOf(state)
  return state.view.ahead === name && openModel && run ? workOf(openModel, run.ids.length) <= QUICK : false
}

/** Returns the requests for "What matters", which take long and so come after most others. @param {State} state @returns {Request[]} */
function mattersNeeds(state) {
  const { settings, view } = state
  const { openModel, run, stack, active, request, changed, second } = shownOf(state)
  const isAsked = view.hasMatters || isAhead(state, 'matters')
  if (!run || !openModel?.predicts || view.grown || !isAsked) return []
  const other = second ?? settings.sourceText
  /** @type {Request[]} */
  const list = [{ type: 'matters', part: 'heads', ...request, what: 'heads', stack, other: '' }]
  if (other) list.push({ type: 'matters', part: 'positions', ...request, what: 'positions', stack, other })
  if (active.length) list.push({ type: 'matters', part: 'now', ...changed, what: 'now', stack, other: '' })
  return list
}

/** Returns the request for the picture of the whole model. @param {State} state @returns {Request} */
function blockNeed(state) {
  const { stack, active, request, changed } = shownOf(state)
  const prefix = stack === '' ? '' : stack === 'encoder' ? 'encoder.' : 'decoder.'
  return { type: 'block', ...(active.length ? changed : request), row: undefined, stack: prefix }
}

/** Returns the requests for the graph of heads, which take long and so come last. @param {State} state @returns {Request[]} */
function graphNeeds(state) {
  const { settings, view, got } = state
  const { openModel, run, request } = shownOf(state)
  const isAsked = settings.graph !== '' || isAhead(state, 'graph')
  if (!isAsked || view.grown || !openModel?.hasHead || !run || run.row < 0) return []
  /** @type {Request[]} */
  const list = [{ type: 'graph', ...request, isAgreed: isSame(view.graphAgreed, request) }]
  const [, edge] = / (.+)!$/.exec(settings.graph) ?? []
  if (edge && got.graph?.is === 'here' && 'edges' in got.graph.value) list.push({ type: 'graphEdge', ...request, edge })
  return list
}

/** True if the answer to this request has arrived. @param {import('../../shell/room.js').Got<{ request: object }> | undefined} got @param {object} request */
const isAnswered = (got, request) => got?.is === 'here' && isSame(got.value.request, request)

/**
 * Returns the run extended by a generated token. The maps gain the attention row of the token that predicted the new one, unless they have
 * that row already or are too large to grow.
 * @param {import('./run/model-run.js').Run} run
 * @param {import('./prediction/generate.js').Step} step
 * @returns {import('./run/model-run.js').Run}
 */
function grow(run, { id, token, rows }) {
  const maps = run.maps['']
  const isLong = maps !== undefined && (maps.cells !== undefined || maps.rows >= MOST_EXACT)
  const isKnown = !maps || isLong || rows.length === maps.layers * maps.numHeads * maps.columns
  const next = isKnown ? maps : grown(maps, rows)
  const { request, ids, tokens } = run
  const { text, more } = request.input
  return {
    ...run,
    request: { ...request, input: { text, more: [...more, id] } },
    maps: { '': next },
    ids: [...ids, id],
    tokens: [...tokens, token],
  }
}

/**
 * Drops selections that do not exist in the displayed run, such as a head of another model or a word of a longer text.
 * @type {NonNullable<import('../../shell/room.js').Room<ModelsTypes>['prune']>}
 */
function prune(state) {
  const { settings, view } = state
  const { run, head, cell, words, maps } = shownOf(state)
  if (!run || !maps) return undefined
  const { at } = settings
  const set = at.head && !head ? { at: {} } : at.cell && !cell ? { at: { head } } : undefined
  const said = run.targets ?? run.tokens
  const isWord = (/** @type {number | undefined} */ index, /** @type {readonly string[]} */ all) =>
    index === undefined || index < all.length
  const isHead = (/** @type {{ layer: number, head: number } | 'text' | undefined} */ of) =>
    typeof of !== 'object' || (of.layer < maps.layers && of.head < maps.numHeads)
  /** @type {Partial<View>} */
  const gone = {
    ...(!isWord(view.query, words.queries) && { query: undefined }),
    ...(!isWord(view.keyWord, words.keys) && { keyWord: undefined }),
    ...(!isWord(view.row, said) && { row: undefined }),
    ...(!isWord(view.found, run.tokens) && { found: undefined }),
    ...(!isHead(view.against) && { against: undefined }),
    ...(!isHead(view.reference) && { reference: undefined }),
    ...(!isHead(view.marked) && { marked: undefined }),
  }
  return set || Object.keys(gone).length ? { set, view: gone } : undefined
}

/** @type {import('../../shell/room.js').Room<ModelsTypes>} */
export const room = {
  id: 'models',
  fields: {
    checkpoint: { kind: text(), default: '', history: 'none' },
    size: {
      kind: other('bytes', { write: String, read: text => Number(/^\d{1,15}$/.exec(text) ?? 0) }),
      default: 0,
      history: 'none',
    },
    prompt: {
      kind: other('prompt', { write: prompt => prompt ?? '', read: text => text || null }),
      default: null,
      history: 'undo',
    },
    generated: { kind: other('ids', { write: ids => ids.join('.'), read: readIds }), default: [], history: 'none' },
    sourceText: { kind: text(), default: '', history: 'none' },
    changes: { kind: other('changes', { write: writeChanges, read: readChanges }), default: [], history: 'undo' },
    at: { kind: other('place', { write: writePlace, read: readPlace }), default: {}, history: 'place' },
    graph: { kind: text(), default: '', history: 'none' },
    lens: { kind: text(), default: '', history: 'none' },
    lensFile: { kind: text(), default: '', history: 'none' },
    list: { kind: flag(), default: false, history: 'none' },
  },
  view,
  // A link with `list` opens the list of models; clearing the setting removes it from the address. A link with a lens scrolls to the layer
  // readout.
  enter({ settings: { list, lens } }) {
    if (list)
      return {
        set: { list: false },
        view: { isListOpen: true },
        effects: [{ type: 'focus', selector: '#models-model' }],
      }
    return lens ? { effects: [{ type: 'reveal', selector: '#models-lens' }] } : undefined
  },
  // Drop generated tokens, the selected edge of the graph and the lens state when the text changes, since they belong to one text.
  settle(before, after) {
    const isOther = before.prompt !== after.prompt || String(before.generated) !== String(after.generated)
    if (!isOther) return after
    const graph = after.graph === before.graph ? after.graph.split(' ')[0] : after.graph
    const isCut = before.prompt !== after.prompt && before.generated === after.generated
    return {
      ...after,
      generated: isCut ? [] : after.generated,
      graph,
      lens: after.lens === before.lens ? after.lens.replaceAll(/ (\d+\.\d+|w\d+)/g, '') : after.lens,
    }
  },
  prune,
  isStale(state) {
    const { got, view } = state
    const { request, active, changed } = shownOf(state)
    return (
      got.open?.is === 'waiting' || // the run belongs to the previous model
      view.grown !== undefined ||
      !isAnswered(got.run, request) ||
      (active.length > 0 && !isAnswered(got.changed, changed))
    )
  },
  actions,
  needs(state) {
    const { requested } = requestOf(state)
    const { imported, mostBytes: most, token, isListOpen, keptChanges: changes } = state.view
    const asked = askedOf(state)
    /** @type {Request[]} */
    const list = []
    if (isListOpen || (asked && !asked.isAsking)) list.push({ type: 'kept', changes })
    if (asked?.isAsking) list.push({ type: 'look', key: String(asked.id), id: asked.id, name: asked.name, token })
    if (!requested) return list
    const { id, name, source, dtype } = requested
    const known = [state.settings.checkpoint, ...Object.keys(imported)]
    list.push({ type: 'open', key: id, id, name, source, known, dtype, most, token })
    const { openModel, active, request, changed } = shownOf(state)
    if (!openModel) return list
    const { draft, beside } = state.view
    if (draft !== undefined)
      list.push({ type: 'count', model: openModel.id, text: draft, most: mostTokens(openModel, most) })
    list.push({ type: 'run', ...request })
    if (active.length) list.push({ type: 'changed', ...changed })
    if (beside) list.push({ type: 'beside', ...besideOf(state) })
    if (state.view.isNear) list.push({ type: 'prepare' })
    const { got } = state
    const isNew = isAnswered(got.run, request) && (!active.length || isAnswered(got.changed, changed))
    const { hasBlock, hasNextWord, grown } = state.view
    const hasNext = hasNextWord && isByHand(openModel) && !grown
    const next = /** @type {const} */ ({ type: 'nextWord', ...(active.length ? changed : request), row: undefined })
    const details = [
      ...(hasBlock && !grown ? [blockNeed(state)] : []),
      ...(hasNext ? [next] : []),
      ...detailNeeds(state),
      ...lensNeeds(state),
      ...mattersNeeds(state),
      ...graphNeeds(state),
    ]
    // While a newer run is pending, keep the details of the older run that have arrived. Requesting missing ones would delay the newer run.
    return [
      ...list,
      ...(isNew ? details : details.filter(each => got[/** @type {'why'} */ (slotOf(each))]?.is === 'here')),
    ]
  },
  receive: {
    tile: ({ got, view }) => void view.handOut?.(got),
    kept(state, kept) {
      const asked = askedOf(state)
      const { size } = state.settings
      const isKept = kept.some(
        ({ id, commit, bytes }) => asked?.name === `hf:${id}@${commit}` && size > 0 && bytes >= size,
      )
      return asked && !asked.isAsking && isKept ? lookAt(state, asked.name) : undefined
    },
    look(state, look) {
      const { asked, mostBytes } = state.view
      const dtype = usualDtype(look.bytes, mostBytes)
      const isAgreed = look.download <= 1.01 * (asked?.agreed ?? 0)
      return isAgreed && look.bytes[dtype || 'stored'] <= mostBytes ? openLooked(state, look, dtype) : undefined
    },
    drop: ({ view }) => ({ view: { keptChanges: view.keptChanges + 1 } }),
    open(state, { name, stacks, size, hasTokenizer }) {
      const { settings, view } = state
      const { requested } = requestOf(state)
      const { isSameModel, checkpoint } = relate(state, name)
      const { checkpoint: _, ...ofLast } = settings
      const own = requested && { ...requested, name, checkpoint }
      const isShipped = SHIPPED.some(each => each.name === name)
      const source = own && !isShipped ? { [name]: own.source } : {}
      const firstStack = stacks.encoder && stacks.decoder ? 'cross' : ''
      const known = Object.keys(view.leftSettings).find(each => isOne(each, name)) ?? ''
      const others = Object.entries(view.imported).filter(([each]) => !isOne(each, name))
      // Keep the reader's text for a model that is opened for the first time, unless a story stop brings another text.
      const isTyped = hasTokenizer && view.opened !== undefined && view.storyStep === undefined
      const fresh = { ...defaultsOf(room.fields), ...(isTyped && { prompt: settings.prompt }) }
      const found = isSameModel ? settings : (view.leftSettings[known] ?? fresh)
      return {
        set: isSameModel ? { checkpoint, size } : { ...found, checkpoint, size },
        view: {
          ...FORGOTTEN,
          draft: view.draft,
          ...(view.opened && view.storyStep === undefined ? aside(settings.prompt, found.prompt) : {}),
          requested: own,
          opened: own,
          refused: undefined,
          imported: { ...Object.fromEntries(others), ...source },
          leftSettings:
            isSameModel || !view.opened ? view.leftSettings : { ...view.leftSettings, [view.opened.name]: ofLast },
          stack: found.at.head?.stack ?? firstStack,
          pair: undefined,
          storyStep: undefined,
          lensStop: undefined,
          lensFrom: undefined,
          marked: undefined,
          chosen: [],
        },
        begins: isSameModel ? [] : ['changes'], // Undo keeps the model's settings and does not restore earlier `changes`
        effects: END_ASKED,
      }
    },
    textFile: (state, text) => type(state, text),
    ...lensReceive,
    count(state, { model, text, tokens, rate }) {
      const { openModel } = shownOf(state)
      const { draft, timed, mostBytes } = state.view
      if (text !== draft || openModel?.id !== model || tokens > mostTokens(openModel, mostBytes)) return undefined
      const seconds = secondsOf(openModel, timed, tokens, rate)
      return seconds !== undefined && seconds <= PATIENCE ? read(state, text) : undefined
    },
    run(state, { request: { model }, ids: { length: tokens }, milliseconds }) {
      const { view } = state
      const { active } = shownOf(state)
      const before = view.timed?.model === model ? view.timed : undefined
      const least = Math.min(before?.least ?? Infinity, milliseconds)
      const longest = before && tokens < before.tokens ? before : { model, tokens, milliseconds }
      const step = { answers: view.answers + 1, timed: { ...longest, least } }
      if (active.length) return { view: step }
      return { view: isGenerating(state) ? step : { ...step, grown: undefined, pair: undefined } }
    },
    changed(state) {
      const { view } = state
      const step = { answers: view.answers + 1, grown: isGenerating(state) ? view.grown : undefined }
      const { runBefore: before, runAfter: after, source } = shownOf({ ...state, view: { ...view, grown: undefined } })
      return { view: { ...step, pair: { before, after, source } } }
    },
    generate(state, step) {
      const { run } = shownOf(state)
      const { settings, view } = state
      if (!step || !run) return undefined
      return {
        set: { generated: [...settings.generated, step.id] },
        view: { steps: [...view.steps, step], grown: grow(run, step) },
      }
    },
    matrices(state, { tensors, head, mask, settings }) {
      const { queries: tokens, keys: keyTokens } = shownOf(state).words
      const { from } = state.view
      /** @type {import('../../shell/room.js').HandOver} */
      const what = { type: 'head', tensors, tokens, keyTokens, head, mask, settings, from }
      return { effects: [{ type: 'handOver', to: 'layer', what }] }
    },
  },
  take(state, what) {
    if (what.type === 'files') return bring(state, what.files)
    if (what.type === 'sentence')
      return { ...read(state, what.text), set: { prompt: what.text, generated: [], at: {} } }
    if (what.type !== 'checkpoint') return undefined
    const files = Object.entries(what.files).map(([name, data]) => new File([/** @type {BlobPart} */ (data)], name))
    const { settings, view } = state
    const id = `${what.name} ${view.requests + 1}`
    return ask(state, { requested: { id, name: what.name, source: files, checkpoint: settings.checkpoint } })
  },
  follow: () => ({ effects: [END_GENERATION] }),
  travelled: ({ settings, view }, before) =>
    settings.prompt === before.prompt
      ? undefined
      : { view: { ...FORGOTTEN, ...aside(view.draft, settings.prompt) }, effects: [END_GENERATION] },
  keys: {
    Escape(state) {
      const { head, cell } = shownOf(state)
      if (state.view.chosen.length) return { view: { chosen: [] } }
      if (cell) return { set: { at: { head } } }
      if (head) return leaveHead(state)
      return { view: { query: undefined, keyWord: undefined, marked: undefined } }
    },
    b: state => (shownOf(state).runAfter ? { view: { isHeld: true } } : undefined),
  },
  session: {
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    async handlers(qkv) {
      const { handlers } = await import('./session.js')
      return handlers(qkv)
    },
  },
  draw,
  texts: ['head', 'models'],
}
