// The store of the page: its state, the actions that change it, and the one place that draws it and catches the errors of
// a draw. It touches no DOM: the host (browser.js; in tests a plain object) does.

import { copy, save } from '../../files/clipboard.js'
import { messageOf, Trouble } from '../../files/trouble.js'
import { loadTexts } from '../../i18n/index.js'
import { begin, record, redo, replace, undo } from '../../shell/history.js'
import { createRooms } from '../../shell/rooms.js'
import { check, headsOfGiven } from './check-settings.js'
import { framesOf } from './explain/play.js'
import { createScenes } from './explain/scene.js'
import { stepsOf } from './explain/steps.js'
import { isDone, SPREAD_SIZE, stopOf } from './explain/tour.js'
import { everything, readFiles } from './export.js'
import { DEFAULTS, isFloat32 } from './fields.js'
import { fromText, fromValue } from './import.js'
import { fromHash, isLinkable, toHash } from './layer-link.js'
import { presetOf, settingsOf } from './presets.js'
import { qkvCode } from './programs/node.js'
import { pytorchCode } from './programs/pytorch.js'
import { change, DEFAULT_VIEW, edit, isSameCell, pageOf, paint, selectionOf, signature, viewOf } from './settings.js'
import { createResults } from './trace/results.js'

/** @typedef {import('./browser.js').Host} Host */
/** @typedef {import('./views/context.js').Actions} Actions */
/** @typedef {import('./views/context.js').Said} Said */
/** @typedef {import('./fields.js').Settings} Settings */
/** @typedef {import('./settings.js').Selection} Selection */

/**
 * Everything that changes. Links hold the settings, and nothing of the rest.
 * @typedef {object} State
 * @property {import('../../shell/history.js').History<Settings>} history the settings, with undo and redo
 * @property {Settings} origin what Reset goes back to
 * @property {{ past: readonly Selection[], future: readonly Selection[] }} visits places for Back and Forward; where
 *   the reader is now stands in the settings
 * @property {import('./fields.js').Cell} [pointed] the cell under the pointer or the focus
 * @property {import('./fields.js').Word} [hovered] the word under the pointer or the focus
 * @property {number} [hoveredHead] the head under the pointer or the focus
 * @property {boolean} [wasDone] what the stop of the tour asks for
 * @property {Settings} [beforeTour] what the reader had when the tour began
 * @property {import('./explain/scale.js').ScaleEnd} scaleEnd
 * @property {string} filter of the rows of the map
 * @property {import('./views/context.js').Range} [range] rows of the map, the others are left out
 * @property {number} pace
 * @property {number} spreadSize of random queries and keys
 * @property {boolean} hasSpread is their spread shown?
 * @property {import('./explain/play.js').Playing} [playing]
 * @property {import('./views/context.js').Mode} mode
 * @property {import('../../i18n/index.js').Language} language
 * @property {import('./views/context.js').Theme} theme
 * @property {import('../../i18n/index.js').Translate} t the texts in that language
 * @property {Partial<Record<Settings['room'], import('./views/context.js').OfRoom>>} rooms what the other rooms say of themselves
 * @property {import('./views/context.js').From} [from] the room that the tensors of this layer come from
 * @property {{ room: Settings['room'], text: string }} [typed] the sentence that was typed last, until it went along
 * @property {import('../../i18n/index.js').Key} [notice] about the link
 * @property {Said} [said] what was done last, or why not
 * @property {{ settings: Settings, said: Said }} [failed] settings that could not be shown
 * @property {Said} [broken] why the core could not be loaded
 */

/** What the host draws; it adds the texts. @typedef {Omit<import('./views/context.js').Context, 'isDark'> & { scene?: import('./explain/scene.js').Scene }} Drawing */

/** @typedef {ReturnType<typeof createApp>} App */

/** Milliseconds that a step is shown, and a cell is computed, while playing. */
const [STEP_TIME, CELL_TIME] = [4000, 300]
/** Milliseconds until the address follows: browsers allow few changes a second. */
const ADDRESS_PAUSE = 200
const MOST_VISITS = 200
/** The files of texts of the shell and this room. */
export const TEXTS = ['shell', 'layer']
/** The link of the default settings, which would be empty otherwise. */
const PLAIN = '1&'

/**
 * @param {Host} host
 * @param {Pick<State, 'language' | 'theme'> & { t: import('../../i18n/index.js').Translate }} taste
 * @param {{ list?: Record<string, () => Promise<{ room: any }>>, load?: () => Promise<import('qkv').Qkv> }} [rooms] the other rooms, which are loaded on demand
 */
export function createApp(host, taste, { list = {}, load = () => new Promise(() => {}) } = {}) {
  const start = fromHash(host.address())
  /** @type {State} */
  const state = {
    ...taste,
    history: begin(start.settings),
    origin: start.settings,
    visits: { past: [], future: [] },
    mode: 'read',
    scaleEnd: 'shared',
    filter: '',
    spreadSize: SPREAD_SIZE,
    hasSpread: false,
    pace: 1,
    rooms: {},
    notice: start.trouble,
  }
  const sceneOf = createScenes()
  /** @type {import('./trace/results.js').Results | undefined} */
  let results
  /** The last scene that could be drawn. @type {import('./explain/scene.js').Scene | undefined} */
  let good
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let player
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let writing
  let isScheduled = false

  const rooms = createRooms({
    rooms: list,
    load,
    links: start.links,
    around: host.around(),
    changed: schedule,
    perform,
  })

  /** What a room asks of the page. @param {string} room @param {import('../../shell/room.js').Effect<any>} effect */
  function perform(room, effect) {
    if (effect.type === 'reveal') host.reveal(effect.selector)
    else if (effect.type === 'focus') host.focus(effect.selector)
    else if (effect.type === 'save')
      save(effect.name, /** @type {any} */ (effect.data), effect.mime ?? 'application/octet-stream')
    else if (effect.type === 'link') actions.copy('link')
    else if (effect.type === 'copy')
      copy(effect.text).then(isDone =>
        rooms.say(room, isDone ? (effect.said ? { key: effect.said } : undefined) : { key: 'copyFailed' }, !isDone),
      )
    else if (effect.type === 'offer' && effect.what.type === 'sentence')
      state.typed = { room: /** @type {Settings['room']} */ (room), text: effect.what.text }
    else if (effect.type === 'handOver') handOver(effect.to, effect.what)
  }

  /** Gives another room something, and opens it. @param {string} to @param {import('../../shell/room.js').HandOver} what */
  function handOver(to, what) {
    if (to !== 'layer') {
      rooms.give(to, what)
      return look({ room: /** @type {Settings['room']} */ (to) })
    }
    if (what.type === 'sentence') return actions.look({ room: 'layer' })
    if (what.type !== 'head') return
    const { tensors, tokens, keyTokens, head, mask, settings, from } = what
    const plain = Object.entries(tensors).map(([name, { dims, data }]) => [
      name,
      { dims: [...dims], data: Array.from(data) },
    ])
    const given = { ...Object.fromEntries(plain), tokens, keyTokens }
    actions.openGiven(given, /** @type {any} */ ({ head, ...(mask === undefined ? {} : { mask }), ...settings }), from)
  }

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    host.frame(() => {
      isScheduled = false
      draw()
    })
  }

  /** @param {Partial<State>} patch */
  function update(patch) {
    Object.assign(state, patch)
    schedule()
  }

  /** @param {Said['key']} key @param {Said['params']} [params] @param {boolean} [isBad] */
  const say = (key, params = {}, isBad = false) => update({ said: { key, params, isBad } })

  /** New settings, one entry of the history. @param {Settings} settings @param {string} [mark] */
  function set(settings, mark = '') {
    results?.baseline.forget()
    const time = mark ? performance.now() : Number.NEGATIVE_INFINITY
    update({ notice: undefined, said: undefined, history: record(state.history, settings, mark, time) })
  }

  /** What is shown, not what is computed. @param {Partial<Settings>} patch */
  const look = patch => update({ history: replace(state.history, { ...state.history.present, ...patch }) })

  const isLayer = () => state.history.present.room === 'layer'
  /** What the open room says of itself. @returns {import('./views/context.js').OfRoom} */
  const ofRoom = () => ofStore() ?? state.rooms[state.history.present.room] ?? {}

  /** Undo, Redo and note of the open room's store. @param {Settings['room']} [room] @returns {import('./views/context.js').OfRoom | undefined} */
  function ofStore(room = state.history.present.room) {
    const store = rooms.store(room)
    if (!store) return undefined
    const { undo: canUndo, redo: canRedo } = store.can()
    return {
      undo: canUndo ? () => store.travel('undo', 0) : undefined,
      redo: canRedo ? () => store.travel('undo', 1) : undefined,
      note: rooms.note(room, state.language),
    }
  }

  /** Undo or redo: what is shown stays. @param {State['history']} next */
  const travel = next => update({ history: replace(next, { ...next.present, ...viewOf(state.history.present) }) })

  /** Opens other numbers and clears the selection and the visited places. @param {Settings} settings */
  function open(settings) {
    update({ origin: settings, pointed: undefined, range: undefined, visits: { past: [], future: [] } })
    set({ ...settings, ...pageOf(state.history.present) })
  }

  /** Another room: a sentence that was typed goes along between One layer and Models. @param {Settings['room']} room @param {Partial<Settings>} patch */
  function enter(room, patch) {
    const { typed, history } = state
    rooms.leave(history.present.room)
    rooms.surround({ sentence: history.present.sentence })
    rooms.enter(room)
    if (typed && room !== 'learn' && room !== typed.room && rooms.has(room)) {
      look(patch)
      state.typed = undefined
      return rooms.give(room, { type: 'sentence', text: typed.text }).then(() => {})
    }
    const isTaken = typed !== undefined && room !== 'learn' && room !== typed.room
    if (isTaken) state.typed = undefined
    look(isTaken && room === 'models' ? { ...patch, prompt: typed.text, generated: '', at: '' } : patch)
    if (isTaken && room === 'layer' && !history.present.given) actions.change({ sentence: typed.text })
    state.typed = isTaken ? undefined : typed
  }

  /** What a stop of the tour shows. @param {number} stop */
  function arrive(stop) {
    const { room, baseline } = state.history.present
    const { settings, id } = stopOf(stop)
    if (state.history.present.tour === null) state.beforeTour = state.history.present
    update({ origin: settings, pointed: undefined, hovered: undefined, range: undefined })
    update({ wasDone: false, spreadSize: SPREAD_SIZE, hasSpread: id === 'root', visits: { past: [], future: [] } })
    set({ ...settings, room, baseline, tour: stop })
  }

  /** The settings from before the tour come back, unless the reader has typed another sentence in it. */
  function leaveTour() {
    const { present } = state.history
    const { beforeTour } = state
    state.beforeTour = undefined
    look({ tour: null })
    if (!beforeTour || present.tour === null || present.sentence !== stopOf(present.tour).settings.sentence) return
    update({ origin: beforeTour, pointed: undefined, range: undefined, visits: { past: [], future: [] } })
    const { view, minus, other } = beforeTour
    set({ ...beforeTour, ...pageOf(present), tour: null, view, minus, other })
  }

  /** @param {typeof undo} move in the places that were visited */
  function visit(move) {
    const { past, present, future } = move({ ...state.visits, present: selectionOf(state.history.present) })
    update({ visits: { past, future }, pointed: undefined })
    look(present)
  }

  function stop() {
    clearTimeout(player)
    player = undefined
    update({ playing: undefined })
  }

  /** The next cell of the step that plays, or the next step. */
  function tick() {
    const { playing, pace } = state
    player = setTimeout(tick, (playing?.frames.length ? CELL_TIME : STEP_TIME) / pace)
    if (playing && playing.at + 1 < playing.frames.length) {
      state.playing = { ...playing, at: playing.at + 1 }
      actions.select({ cell: state.playing.frames[playing.at + 1] }, { replace: true })
    } else if (!step(1)) stop()
    else begins()
  }

  /** The current step begins to play. Without motion, steps follow one another as they are. */
  function begins() {
    const { step: current, head } = state.history.present
    const frames = results?.result && !host.isStill() ? framesOf(results.result, head, current) : []
    update({ playing: { step: current, frames, at: -1 } })
  }

  /** Goes on or back in the walk. @param {number} by @returns {boolean} was there a step to go to? */
  function step(by) {
    if (!results?.result) return false
    const steps = stepsOf(results.result)
    const at = Math.max(
      0,
      steps.findIndex(({ id }) => id === state.history.present.step),
    )
    const next = steps[Math.max(0, at + by)]
    if (!next) return false
    look({ step: next.id })
    host.reveal(`#step-${next.id}`)
    return true
  }

  /** @type {Actions} */
  const actions = {
    change: (patch, mark) => {
      if ('sentence' in patch) {
        state.range = undefined
        state.typed = { room: 'layer', text: String(patch.sentence) }
      }
      set(change(state.history.present, patch), mark)
    },
    look: (patch, isTyped = false) => {
      if (patch.room && patch.room !== state.history.present.room) return enter(patch.room, patch)
      if (isTyped && patch.prompt) state.typed = { room: 'models', text: patch.prompt }
      look(patch)
      if (!patch.step) return
      stop()
      host.reveal(`#step-${patch.step}`)
    },
    edit: (cell, value, mark) => {
      if (value !== undefined && !isFloat32(value)) return say('problemNumber', {}, true)
      set(edit(state.history.present, cell, value), mark)
    },
    paint: (row, column, isVisible) => set(paint(state.history.present, row, column, isVisible), 'paint'),
    choose: preset => open(settingsOf(preset)),
    undo: () => (isLayer() ? travel(undo(state.history)) : ofRoom().undo?.()),
    redo: () => (isLayer() ? travel(redo(state.history)) : ofRoom().redo?.()),
    tell: (room, news) => {
      const said = JSON.stringify([news.note, !news.undo, !news.redo])
      const { note, undo, redo } = state.rooms[room] ?? {}
      state.rooms = { ...state.rooms, [room]: news }
      if (said !== JSON.stringify([note, !undo, !redo])) schedule()
    },
    reset: () => {
      const { present } = state.history
      set({ ...state.origin, ...pageOf(present), step: present.step })
    },
    setBaseline: () => {
      const link = toHash({ ...state.history.present, ...DEFAULT_VIEW })
      look({ baseline: link.slice(1) || PLAIN, minus: 'settings' })
    },
    point: cell => {
      if (state.pointed && cell ? isSameCell(state.pointed, cell) : state.pointed === cell) return
      update({ pointed: cell })
    },
    select: (patch, { replace: isReplaced = false, from } = {}) => {
      const selected = selectionOf(state.history.present)
      const now = from && !selected.word && !selected.cell ? { ...selected, cell: from } : selected
      const { cell, word } = patch
      const isPerHead = cell && results?.result?.tensors[cell.matrix]?.dims.length === 3
      const isOther = cell !== undefined || word !== undefined
      const next = { ...now, ...(isPerHead && { head: cell.head }), ...(isOther && { less: null }), ...patch }
      if (JSON.stringify(next) === JSON.stringify(now)) return
      if (cell) state.pointed = undefined // the selected cell is shown, wherever the pointer is
      if (word) state.hovered = undefined
      const hasPlace = now.word !== null || now.cell !== null
      if (hasPlace && !isReplaced) state.visits = { past: [...state.visits.past, now].slice(-MOST_VISITS), future: [] }
      look(next)
    },
    back: () => visit(undo),
    forward: () => visit(redo),
    subtract: less => {
      const { cell } = state.history.present
      if (cell && cell.matrix === less.matrix && !isSameCell(cell, less)) actions.select({ cell, less })
      else actions.select({ cell: less })
    },
    ask: other => {
      const { word } = state.history.present
      const isOne = !results?.result?.settings.isCross
      if (!word || (word.side === other.side && (!isOne || word.position === other.position)))
        return actions.select({ word: other, cell: null })
      const [asks, asked] = word.side === 'keys' && !isOne ? [other, word] : [word, other]
      actions.select({ word: { side: 'queries', position: asks.position }, cell: null })
      actions.change({ probe: asked.position })
    },
    clear: () => {
      const { less, cell } = state.history.present
      actions.select(less ? { less: null } : cell ? { cell: null } : { word: null })
    },
    walk: by => {
      stop()
      step(by)
    },
    play: () => {
      if (player !== undefined) return stop()
      const steps = results?.result ? stepsOf(results.result) : []
      if (!steps.some(({ id }) => id === state.history.present.step)) look({ step: steps[0]?.id ?? 'embed' })
      host.reveal(`#step-${state.history.present.step}`)
      begins()
      player = setTimeout(tick, CELL_TIME / state.pace)
    },
    pass: id => {
      if (player === undefined && id !== state.history.present.step) look({ step: id })
    },
    hover: word => {
      const { hovered } = state
      if (hovered?.side !== word?.side || hovered?.position !== word?.position) update({ hovered: word })
    },
    hoverHead: hoveredHead => update({ hoveredHead }),
    refresh: schedule,
    setSpread: spreadSize =>
      update({ spreadSize: spreadSize ?? state.spreadSize, hasSpread: spreadSize !== undefined }),
    setFilter: filter => update({ filter }),
    setRange: range => update({ range }),
    setScaleEnd: scaleEnd => update({ scaleEnd }),
    setPace: pace => update({ pace }),
    setTour: stop => {
      if (stop === null) return leaveTour()
      arrive(stop)
      host.reveal(stopOf(stop).target)
    },
    setMode: mode => update({ mode }),
    copy: async what => {
      if (what === 'link') return copyLink()
      if (!results?.result) return
      const codes = { pytorch: pytorchCode, qkv: qkvCode }
      say((await copy(codes[what](results.result))) ? `copied.${what}` : 'copyFailed')
    },
    saveAll: () => {
      if (results?.result) save('qkv.json', everything(results.result, state.history.present), 'application/json')
    },
    bring: async source => {
      const { room } = state.history.present
      if (rooms.has(room)) {
        const isText = typeof source === 'string'
        rooms.give(room, isText ? { type: 'text', text: source } : { type: 'files', files: source })
        return
      }
      try {
        const settings = typeof source === 'string' ? fromText(source) : await readFiles(source)
        update({ origin: settings, pointed: undefined, visits: { past: [], future: [] } })
        set(settings)
        say('brought', { count: settings.given ? headsOfGiven(settings.given) : settings.heads })
        host.toTop()
      } catch (error) {
        if (error instanceof Trouble) say(error.key, error.params, true)
        else say('bringFailed', { message: messageOf(error) }, true)
      }
    },
    openGiven: (value, patch, from) => {
      const { room } = state.history.present
      try {
        const settings = {
          ...fromValue(value),
          ...pageOf(state.history.present),
          room: /** @type {const} */ ('layer'),
          ...patch,
        }
        update({ origin: settings, pointed: undefined, visits: { past: [], future: [] } })
        set(settings)
        update({ from: { room, text: from, given: settings.given } })
        host.frame(host.toTop) // when it is drawn
      } catch (error) {
        if (!(error instanceof Trouble)) throw error
        say(error.key, error.params, true)
      }
    },
    show: host.show,
    reveal: host.reveal,
    retry: () => {
      results?.forget()
      results?.baseline.forget()
      update({ failed: undefined })
    },
    dismiss: () => update({ said: undefined }),
    setLanguage: async language => {
      update({ language, t: await loadTexts(language, TEXTS) })
      host.remember(state)
    },
    setTheme: theme => {
      update({ theme })
      host.remember(state)
    },
  }

  /** Copies the address; what was done is said in the room that is open. */
  async function copyLink() {
    const { room } = state.history.present
    const tell = (/** @type {Said['key']} */ key, /** @type {boolean} */ isBad) =>
      rooms.has(room) ? rooms.say(room, { key }, isBad) : say(key, {}, isBad)
    if (!isLinkable(state.history.present)) return tell('linkLarge', true)
    writeAddress()
    const isDone = await copy(host.href())
    tell(isDone ? 'copied.link' : 'copyFailed', !isDone)
  }

  /** Writes the settings into the address, now. */
  function writeAddress() {
    clearTimeout(writing)
    const hash = isLinkable(state.history.present) ? toHash(state.history.present, rooms.links()) : ''
    if (hash !== host.address()) host.setAddress(hash)
  }

  /** Says that these settings cannot be shown, until they change. @param {unknown} error */
  function fail(error) {
    const isMemory = /memory|allocat|length|size/i.test(messageOf(error)) && !/stack/.test(messageOf(error))
    const said = /** @type {Said} */ ({
      key: isMemory ? 'tooLarge' : 'cannotShow',
      params: { message: messageOf(error) },
    })
    results?.forget()
    update({ failed: { settings: state.history.present, said }, pointed: undefined })
  }

  /** @param {import('./check-settings.js').Problems} problems @param {Drawing['scene']} scene @returns {Drawing} */
  function drawingOf(problems, scene) {
    const { history, visits, broken, failed, mode, language, theme, t, notice, said, hovered, hoveredHead } = state
    const { scaleEnd, filter, range, pace, playing, spreadSize, hasSpread } = state
    const settings = history.present
    return {
      t,
      language,
      theme,
      mode,
      history,
      settings,
      problems,
      actions,
      notice,
      said,
      scene,
      pointed: pointed(),
      hovered,
      hoveredHead,
      scaleEnd,
      filter,
      range,
      pace,
      playing,
      spreadSize,
      tour: settings.tour,
      wasDone: state.wasDone,
      ...(state.from?.given === settings.given && { from: state.from }),
      ...(hasSpread && { spread: results?.spread(spreadSize) }),
      selection: selectionOf(settings),
      visits: { hasBack: visits.past.length > 0, hasForward: visits.future.length > 0 },
      rooms: {
        ...state.rooms,
        learn: ofStore('learn') ?? state.rooms.learn,
        models: ofStore('models') ?? state.rooms.models,
      },
      stores: rooms,
      canUndo: isLayer() ? history.past.length > 0 : ofRoom().undo !== undefined,
      canRedo: isLayer() ? history.future.length > 0 : ofRoom().redo !== undefined,
      preset: presetOf(settings),
      isPlaying: player !== undefined,
      progress: results?.progress,
      failure: broken ?? failed?.said,
    }
  }

  /** The cell under the pointer; none while a step plays, because that shows its own cell. */
  const pointed = () => (state.playing?.frames.length ? undefined : state.pointed)

  /** Settings -> numbers -> scene -> page. Catches every error on the way. */
  function draw() {
    const settings = state.history.present
    if (settings.tour !== null) state.wasDone ||= isDone(settings.tour, settings, state)
    if (state.failed && state.failed.settings !== settings) state.failed = undefined
    /** @type {import('./check-settings.js').Problems} */
    let problems = {}
    if (!state.failed)
      try {
        problems = results ? results.update(settings) : check(settings).problems
        const { result } = results ?? {}
        const scene = results &&
          result && {
            ...sceneOf({ ...results, result }, settings, pointed()),
            difference: results.difference,
            batch: results.batch,
          }
        host.draw(drawingOf(problems, scene))
        good = scene
        clearTimeout(writing)
        if ((scene || settings.room !== 'layer') && !state.notice) writing = setTimeout(writeAddress, ADDRESS_PAUSE)
        return
      } catch (error) {
        fail(error)
      }
    // The last good numbers stay beside the sentence; if they cannot be drawn either, the controls do.
    try {
      host.draw(drawingOf(problems, good))
    } catch {
      good = undefined
      try {
        host.draw(drawingOf(problems, undefined))
      } catch (error) {
        host.drawPlainly(messageOf(error))
      }
    }
  }

  // A link to a stop of the tour, and to nothing else, opens that stop.
  if (start.settings.tour !== null && signature(start.settings) === signature(DEFAULTS)) arrive(start.settings.tour)

  return {
    state,
    actions,
    rooms,
    schedule,
    draw,
    fail,
    /** The numbers can be computed from now on. @param {import('qkv').Qkv} qkv */
    connect(qkv) {
      results = createResults(qkv, schedule, draw, fail)
      draw()
      const { tour } = state.history.present
      if (tour !== null) host.reveal(stopOf(tour).target)
    },
    /** Without the core there is nothing to show. @param {unknown} error */
    refuse(error) {
      state.broken = { key: 'failed', params: { message: messageOf(error) } }
      draw()
    },
    /** The reader changed the address. */
    follow() {
      const { settings, links, trouble } = fromHash(host.address())
      rooms.follow(links)
      if (toHash(settings) === toHash(state.history.present) && !trouble) return
      if (settings.tour !== null && signature(settings) === signature(DEFAULTS)) return arrive(settings.tour)
      update({ origin: settings, visits: { past: [], future: [] } })
      set(settings)
      update({ notice: trouble })
    },
  }
}
