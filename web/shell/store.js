// Manages the state of one room: settings with Undo and Back, view, and the answers of its session. Does not touch the DOM.

import { createHistories } from './histories.js'
import { present } from './known.js'
import { keepNoProcess } from './port.js'
import { isSame } from './same.js'
import { fromLink, toLink } from './settings-link.js'
import { createSlots } from './slots.js'

/** @template {import('./room.js').Types} T @typedef {import('./room.js').Room<T>} Room */
/** @template {import('./room.js').Types} T @typedef {import('./room.js').State<T>} State */
/** @template {import('./room.js').Types} T @typedef {import('./room.js').Step<T>} Step */
/** @template {import('./room.js').Types} T @typedef {(before: T['settings'], after: T['settings']) => import('./room.js').Problem | undefined} Guard */

/** Milliseconds without changes or answers after which the state is at rest. */
const REST = 300

/** @type {import('./room.js').Surroundings} */
const AROUND = { isHidden: false, isStill: false, isNarrow: false, sentence: '' }

/** Creates named timers: setting a timer replaces a pending one of the same name. */
function createTimers() {
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */
  const waiting = new Map()
  return {
    /** Sets a timer. @param {string} name @param {number | undefined} after milliseconds; undefined only cancels @param {() => void} run */
    set(name, after, run) {
      clearTimeout(waiting.get(name))
      if (after === undefined) return
      const timer = setTimeout(run, after)
      keepNoProcess(timer)
      waiting.set(name, timer)
    },
    clear() {
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}

/** Returns the problems of settings by field. @param {Room<any>} room @param {any} settings */
function problemsOf(room, settings) {
  /** @type {any} */
  const problems = { ...room.check?.(settings) }
  for (const [name, { kind, applies }] of Object.entries(room.fields)) {
    const problem = applies?.(settings) === false ? undefined : kind.check?.(settings[name])
    if (problem) problems[name] ??= problem
  }
  return problems
}

/**
 * @template {import('./room.js').Types} T
 * @param {Room<T>} room
 * @param {object} host
 * @param {string} [host.link] parameters of the room's fields; throws if damaged
 * @param {import('qkv').Qkv} [host.qkv] core for `now`
 * @param {() => Promise<import('qkv').Qkv>} [host.load] loads the core, if the session runs on the page; default: returns `qkv`
 * @param {() => Worker} [host.worker] undefined if none can be started
 * @param {(effect: import('./room.js').Effect<T>) => void} [host.perform]
 * @param {() => void} [host.changed]
 * @param {boolean} [host.isLazy] True if the host calls `ask` before it draws; otherwise the store calls it after each change
 * @param {import('./room.js').Surroundings} [host.around]
 */
export function createStore(
  room,
  {
    link = '',
    qkv,
    load = async () => present(qkv),
    worker,
    perform = () => {},
    changed = () => {},
    isLazy = false,
    around = AROUND,
  },
) {
  const { fields } = room
  /** @type {T['settings']} */
  const first = fromLink(fields, link)
  /** @type {State<T>} */
  let state = {
    settings: first,
    problems: {},
    view: room.view,
    got: /** @type {State<T>['got']} */ ({}),
    isAtRest: false,
    around,
  }
  const histories = createHistories(fields)
  let origin = first
  /** Returns a problem if a change of settings is not allowed. @type {Guard<T> | undefined} */
  let guard
  const timers = createTimers()
  /** True if the host was notified of a step, but the requests that the new state needs were not sent yet. */
  let isAhead = false
  const slots = createSlots(room, {
    qkv,
    load,
    worker,
    put: got => {
      state = { ...state, got }
    },
    arriving() {
      if (isAhead) ask() // replaces requests that the last steps have outdated, so that their answers are not received
    },
    receive: (type, value) => apply(room.receive?.[type]?.(state, value)),
    arrived() {
      if (!state.isAtRest) rest() // restarts the timer, since slow requests wait until the state is at rest
      tell() // since `needs` may depend on the value that has arrived
    },
  })

  /** Drops selections that do not exist in the displayed data. Returns true if there were any. */
  function prune() {
    if (room.isStale?.(state)) return false
    const { set, view } = room.prune?.(state) ?? {}
    if (view) state = { ...state, view: { ...state.view, ...view } }
    if (set) settle({ ...state.settings, ...set })
    return set !== undefined || view !== undefined
  }

  /** Sends the requests that the state needs. Then drops selections that do not exist in the answers so far. */
  function ask() {
    isAhead = false
    const need = () => {
      const isWrong = !room.isForgiving && Object.keys(state.problems).length > 0
      if (!isWrong || slots.isEmpty()) slots.need(room.needs(state))
    }
    need()
    if (prune()) need()
  }

  function tell() {
    if (!isLazy) ask()
    changed()
  }

  /** @param {Step<T> | undefined} step */
  function apply(step) {
    if (!step) return
    const { set, view, mark = '', isReplaced = false, begins = false, effects = [] } = step
    const refused = set && guard?.(state.settings, { ...state.settings, ...set })
    if (refused) return perform({ type: 'message', problem: refused, isBad: true })
    if (view) state = { ...state, view: { ...state.view, ...view } }
    if (set) {
      histories.record(state.settings, set, mark, isReplaced)
      settle({ ...state.settings, ...set })
    }
    if (begins) {
      origin = state.settings
      if (typeof begins === 'object') histories.goOn(begins, state.settings)
      else histories.begin(begins === 'places' ? ['place'] : ['undo', 'place'])
    }
    for (const effect of effects) act(effect)
  }

  /** @param {import('./room.js').Effect<T>} effect */
  function act(effect) {
    if (effect.type === 'ask') slots.ask(effect.request)
    else if (effect.type === 'cancel') slots.cancel(effect.slot)
    else if (effect.type === 'retry') slots.retry()
    else if (effect.type === 'need') ask()
    else if (effect.type === 'later') timers.set(effect.act, effect.after, () => actions[effect.act]())
    else perform(effect)
  }

  /** @param {T['settings']} after */
  function settle(after) {
    const settings = room.settle?.(state.settings, after) ?? after
    state = { ...state, settings, problems: problemsOf(room, settings) }
  }

  /** @param {Step<T> | undefined} [step] */
  function update(step) {
    state = { ...state, isAtRest: false } // set before the effects, some of which send requests
    apply(step)
    rest()
    isAhead = true
    tell()
  }

  function rest() {
    timers.set('rest', REST, () => {
      if (slots.isWaiting()) return // the pending answer restarts the timer
      state = { ...state, isAtRest: true }
      tell()
    })
  }

  const actions = Object.fromEntries(
    Object.entries(room.actions).map(([name, action]) => [
      name,
      (/** @type {any[]} */ ...args) => {
        const step = action(state, ...args)
        if (step) update(step)
      },
    ]),
  )
  settle(first)
  if (!isLazy) ask()

  return {
    room,
    act: actions,
    update,
    ask,
    /** Goes one step back or forward in a history. @param {import('./histories.js').History} kind @param {0 | 1} to 0: backwards, 1: forwards */
    travel(kind, to) {
      const { settings } = state
      do {
        const set = histories.take(kind, to)
        if (!set) return update()
        settle({ ...settings, ...set })
        if (kind === 'place') prune()
      } while (isSame(state.settings, settings)) // skips entries equal to the current settings
      histories.went(kind, to, settings)
      update(room.travelled?.(state, settings))
    },
    /** Restores the settings from when the histories began. The reader can undo this. */
    reset: () => update({ set: room.reset?.(state, origin) ?? origin }),
    /** Restricts settings to changes for which the guard returns no problem; without a guard, allows all. @param {Guard<T>} [next] */
    restrict(next) {
      guard = next
    },
    canLink: () => room.canLink?.(state.settings) !== false,
    link: () => (room.canLink?.(state.settings) === false ? '' : toLink(fields, state.settings)),
    /** Applies the room's link parameters after the reader has changed the address. @param {string} text */
    follow(text) {
      this.show(fromLink(fields, text))
    },
    /** Applies settings as if from a new address, including those that links cannot contain. @param {T['settings']} settings */
    show(settings) {
      if (toLink(fields, settings) === toLink(fields, state.settings)) return
      origin = settings
      histories.begin(['place'])
      update({ set: settings, ...room.follow?.(state, settings) })
    },
    can: histories.can,
    /** @param {Partial<import('./room.js').Surroundings>} patch */
    surround(patch) {
      state = { ...state, around: { ...state.around, ...patch } }
      tell()
    },
    get state() {
      return state
    },
    /** Returns the state to draw. If the displayed data is outdated, selections that do not exist in that data are left out. @returns {State<T>} */
    get drawn() {
      const { set, view } = (room.isStale?.(state) && room.prune?.(state)) || {}
      if (!set && !view) return state
      return { ...state, settings: { ...state.settings, ...set }, view: { ...state.view, ...view } }
    },
    close() {
      timers.clear()
      slots.close()
    },
  }
}

/** @template {import('./room.js').Types} T @typedef {ReturnType<typeof createStore<T>>} Store */
