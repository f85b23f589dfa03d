// The state of one room: settings with Undo and Back, view, and what its session has answered. It touches no DOM.

import { createPort, keepNoProcess, problemOf } from './port.js'

/** @template {import('./room.js').Types} T @typedef {import('./room.js').Room<T>} Room */
/** @template {import('./room.js').Types} T @typedef {import('./room.js').State<T>} State */
/** @template {import('./room.js').Types} T @typedef {import('./room.js').Step<T>} Step */
/** @template [V=any] @typedef {import('./room.js').Got<V>} Got */
/** @typedef {'undo' | 'place'} History */
/** @template {import('./room.js').Types} T @typedef {(before: T['settings'], after: T['settings']) => import('./room.js').Problem | undefined} Guard */

/** Milliseconds within which steps of one mark are undone together. */
const PAUSE = 1000
/** Milliseconds without a change until the state is at rest. */
const REST = 300
const MOST_STEPS = 200

/** @template S @param {Room<any>['fields']} fields @returns {S} */
export function defaultsOf(fields) {
  /** @type {any} */
  const made = {}
  for (const [name, field] of Object.entries(fields))
    made[name] = typeof field.default === 'function' ? field.default(made) : field.default
  return made
}

/** What differs from the defaults, as parameters of a link. @template S @param {Room<any>['fields']} fields @param {S} settings */
export function toLink(fields, settings) {
  const parts = new URLSearchParams()
  for (const [name, { kind, default: usual }] of Object.entries(fields)) {
    const text = kind.write(/** @type {any} */ (settings)[name])
    if (text !== kind.write(typeof usual === 'function' ? usual(settings) : usual)) parts.set(name, text)
  }
  return String(parts)
}

/** Throws on a name that is no field and on a text that its kind does not have. @template S @param {Room<any>['fields']} fields @param {string} link @returns {S} */
export function fromLink(fields, link) {
  const given = new URLSearchParams(link)
  for (const name of given.keys()) if (!Object.hasOwn(fields, name)) throw new Error(name)
  /** @type {any} */
  const made = {}
  for (const [name, { kind, default: usual }] of Object.entries(fields)) {
    const text = given.get(name)
    made[name] = text !== null ? kind.read(text) : typeof usual === 'function' ? usual(made) : usual
  }
  return made
}

/** @returns {never} */
const notGiven = () => {
  throw new Error('the store was given no core')
}

/** @type {import('./room.js').Surroundings} */
const AROUND = { isHidden: false, isStill: false, isNarrow: false, sentence: '' }

/** @template V @param {Got<V> | undefined} got @returns {V | undefined} the value, or the older one that stays drawn */
export const shown = got => (got?.is === 'here' ? got.value : got?.before)

/** Where the answer of a request stands in `state.got`. @param {{ type: string, part?: string }} request */
export const slotOf = ({ type, part }) => (part ? `${type}:${part}` : type)

/**
 * @template {import('./room.js').Types} T
 * @param {Room<T>} room
 * @param {object} host
 * @param {string} [host.link] parameters of the room's fields; throws on a damaged one
 * @param {import('qkv').Qkv} [host.qkv] for `now`
 * @param {() => Promise<import('qkv').Qkv>} [host.load] loads the core, where the page does the work of a session
 * @param {() => Worker} [host.worker] undefined where none can start
 * @param {(effect: import('./room.js').Effect<T>) => void} [host.perform]
 * @param {() => void} [host.changed]
 * @param {boolean} [host.isLazy] Does the host call `ask` before it draws? Else the store asks after each action.
 * @param {import('./room.js').Surroundings} [host.around]
 */
export function createStore(
  room,
  { link = '', qkv, load = notGiven, worker, perform = () => {}, changed = () => {}, isLazy = false, around = AROUND },
) {
  const { fields } = room
  /** @type {T['settings']} */
  const first = fromLink(fields, link)
  /** @type {State<T>} */
  let state = { settings: first, problems: {}, view: room.view, got: /** @type {any} */ ({}), isAtRest: false, around }
  /** Settings that each history goes back and forward to. @type {Record<History, [T['settings'][], T['settings'][]]>} */
  const history = { undo: [[], []], place: [[], []] }
  let last = { mark: '', time: 0 }
  let origin = first
  /** Says why settings must not change so. @type {Guard<T> | undefined} */
  let guard
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let rest
  /** The request of each slot. `isNeeded`: it was asked because the state needs it, and ends with that need. @type {Map<string, { id: number, key: string, isNeeded: boolean }>} */
  const asked = new Map()
  /** Answers that are needed no longer, by type and key, the oldest first. @type {Map<string, Map<string, unknown>>} */
  const kept = new Map()
  /** Actions that are called later, by name. @type {Map<string, ReturnType<typeof setTimeout>>} */
  const waiting = new Map()
  let id = 0
  const handlers = async () => room.session.handlers(qkv ?? (await load()))
  const port = createPort({ worker, handlers }, take, lose)

  /** @param {string} slot @param {Got | undefined} got */
  function put(slot, got) {
    const { [slot]: _, ...others } = /** @type {Record<string, Got | undefined>} */ (state.got)
    state = { ...state, got: /** @type {any} */ (got ? { ...others, [slot]: got } : others) }
  }

  /** The older value of a slot. @param {string} slot */
  const before = slot => shown(/** @type {Got | undefined} */ (state.got[slot]))

  /** @param {import('./room.js').FromSession<T['asks']>} message */
  function take(message) {
    if (message.type === 'pong') return
    const slot = [...asked].find(([, request]) => request.id === message.id)?.[0]
    if (slot === undefined) return // it answers a request that was replaced
    const { isNeeded } = /** @type {{ isNeeded: boolean }} */ (asked.get(slot))
    if (message.type === 'progress') put(slot, { is: 'waiting', progress: message.progress, before: before(slot) })
    else if (message.type === 'failed') put(slot, { is: 'failed', problem: message.problem, before: before(slot) })
    else if (message.type === 'cancelled') put(slot, { is: 'cancelled', before: before(slot) })
    else {
      const [type] = slot.split(':')
      const value = room.revive?.[type]?.(message.value) ?? message.value
      if (isNeeded || !message.isLast) put(slot, { is: 'here', value, isLast: message.isLast })
      else {
        asked.delete(slot)
        put(slot, undefined)
      }
      apply(room.receive?.[type]?.(state, value))
    }
    if (!isLazy) ask() // what is needed may depend on what has arrived
    changed()
  }

  /** @param {import('./room.js').Problem} problem */
  function lose(problem) {
    for (const slot of asked.keys()) put(slot, { is: 'lost', problem, before: before(slot) })
    changed()
  }

  /** Is there no more to come? @param {string} slot */
  function isAnswered(slot) {
    const got = /** @type {Got | undefined} */ (state.got[slot])
    return got?.is === 'here' && got.isLast
  }

  /** Ends a request, and keeps its answer if the room says so. @param {string} slot */
  function drop(slot) {
    const request = asked.get(slot)
    const [type] = slot.split(':')
    const value = before(slot)
    const isOpen = !isAnswered(slot)
    const most = room.keep?.[type] ?? 0
    asked.delete(slot)
    put(slot, undefined)
    if (!request) return
    if (isOpen) port.send({ type: 'cancel', id: request.id })
    else if (most > 0) {
      const answers = kept.get(type) ?? new Map()
      answers.delete(request.key)
      answers.set(request.key, value)
      if (answers.size > most) answers.delete(answers.keys().next().value)
      kept.set(type, answers)
    }
  }

  /** @param {string} slot @param {string} key @param {any} request @param {boolean} isNeeded */
  function request(slot, key, request, isNeeded) {
    const old = asked.get(slot)
    const older = before(slot)
    if (old && !isAnswered(slot)) port.send({ type: 'cancel', id: old.id })
    asked.set(slot, { id: ++id, key, isNeeded })
    const found = kept.get(request.type)?.get(key)
    try {
      const value = found ?? (qkv && room.now?.(request, qkv))
      if (value !== undefined) {
        put(slot, { is: 'here', value, isLast: true })
        apply(room.receive?.[request.type]?.(state, value))
        return
      }
    } catch (error) {
      return put(slot, { is: 'failed', problem: problemOf(error), before: older })
    }
    put(slot, { is: 'waiting', before: older })
    port.send({ type: 'ask', id, request })
  }

  /** Asks for what is needed and was not asked; ends what is needed no longer. */
  function ask() {
    if (Object.keys(state.problems).length && asked.size) return
    const needs = new Map(room.needs(state).map(each => [slotOf(each), each]))
    for (const [slot, { isNeeded }] of asked) if (isNeeded && !needs.has(slot)) drop(slot)
    for (const [slot, each] of needs) {
      const key = each.key ?? JSON.stringify(each)
      if (asked.get(slot)?.key !== key) request(slot, key, each, true)
    }
  }

  /** @param {Step<T> | undefined} step */
  function apply(step) {
    if (!step) return
    const { set, view, mark = '', isReplaced = false, begins = false, effects = [] } = step
    const refused = set && guard?.(state.settings, { ...state.settings, ...set })
    if (refused) return perform({ type: 'message', problem: refused, isBad: true })
    if (view) state = { ...state, view: { ...state.view, ...view } }
    if (set) record(set, mark, isReplaced)
    if (begins) {
      origin = state.settings
      if (begins !== 'places') history.undo = [[], []]
      history.place = [[], []]
    }
    for (const effect of effects) act(effect)
  }

  /** @param {Partial<T['settings']>} set @param {string} mark @param {boolean} isReplaced */
  function record(set, mark, isReplaced) {
    const names = /** @type {(keyof T['settings'])[]} */ (Object.keys(set)).filter(
      name => set[name] !== state.settings[name],
    )
    const kinds = new Set(names.map(name => fields[name].history))
    const time = performance.now()
    const isSame = mark !== '' && mark === last.mark && (mark.startsWith('drag') || time - last.time < PAUSE)
    for (const kind of /** @type {const} */ (['undo', 'place']))
      if (kinds.has(kind) && !isSame && !isReplaced)
        history[kind] = [[...history[kind][0], state.settings].slice(-MOST_STEPS), []]
    last = { mark, time }
    settle({ ...state.settings, ...set })
  }

  /** @param {import('./room.js').Effect<T>} effect */
  function act(effect) {
    if (effect.type === 'ask') {
      const { request: each } = effect
      request(slotOf(each), each.key ?? JSON.stringify(each), each, false)
    } else if (effect.type === 'cancel') {
      const { slot } = effect
      const own = asked.get(slot)
      if (!own || isAnswered(slot)) return
      port.send({ type: 'cancel', id: own.id })
      // The reader is answered at once; the session ends it when it can, and what it still says of it is not heard.
      asked.set(slot, { ...own, id: ++id })
      put(slot, { is: 'cancelled', before: before(slot) })
    } else if (effect.type === 'retry') {
      for (const [slot, got] of Object.entries(state.got))
        if (got && got.is !== 'here' && got.is !== 'waiting') asked.delete(slot)
    } else if (effect.type === 'later') wait(effect.act, effect.after)
    else perform(effect)
  }

  /** @param {string} name of an action @param {number} [after] */
  function wait(name, after) {
    clearTimeout(waiting.get(name))
    if (after === undefined) return
    const timer = setTimeout(() => /** @type {any} */ (actions)[name](), after)
    keepNoProcess(timer)
    waiting.set(name, timer)
  }

  /** @param {T['settings']} after */
  function settle(after) {
    const settings = room.settle?.(state.settings, after) ?? after
    /** @type {any} */
    const problems = { ...room.check?.(settings) }
    for (const [name, { kind, applies }] of /** @type {[string, import('./room.js').Field<any, any>][]} */ (
      Object.entries(fields)
    )) {
      const problem = applies?.(settings) === false ? undefined : kind.check?.(/** @type {any} */ (settings)[name])
      if (problem) problems[name] ??= problem
    }
    state = { ...state, settings, problems }
  }

  /** @param {Step<T> | undefined} [step] */
  function update(step) {
    apply(step)
    state = { ...state, isAtRest: false }
    clearTimeout(rest)
    rest = setTimeout(() => {
      state = { ...state, isAtRest: true }
      if (!isLazy) ask()
      changed()
    }, REST)
    keepNoProcess(rest)
    if (!isLazy) ask()
    changed()
  }

  /** Undo and Redo, Back and Forward: only the fields of that history change. @param {History} kind @param {0 | 1} to 0: back */
  function travel(kind, to) {
    const stacks = /** @type {[T['settings'][], T['settings'][]]} */ (history[kind].map(each => [...each]))
    const found = stacks[to].pop()
    if (!found) return
    stacks[to ? 0 : 1].push(state.settings)
    history[kind] = stacks
    last = { mark: '', time: 0 }
    const own = /** @type {(keyof T['settings'])[]} */ (Object.keys(fields)).filter(
      name => fields[name].history === kind,
    )
    settle({ ...state.settings, ...Object.fromEntries(own.map(name => [name, found[name]])) })
    update()
  }

  const actions = /** @type {import('./room.js').Context<T>['act']} */ (
    Object.fromEntries(
      Object.entries(room.actions).map(([name, action]) => [
        name,
        (/** @type {any[]} */ ...args) => {
          const step = /** @type {any} */ (action)(state, ...args)
          if (step) update(step)
        },
      ]),
    )
  )
  settle(first)
  if (!isLazy) ask()

  return {
    room,
    act: actions,
    update,
    travel,
    ask,
    /** Back to where the histories began; a step of Undo. */
    reset: () => update({ set: room.reset?.(state, origin) ?? origin }),
    /** From now on settings change only where the guard names no problem; without one, all may. @param {Guard<T>} [next] */
    restrict(next) {
      guard = next
    },
    canLink: () => room.canLink?.(state.settings) !== false,
    link: () => (room.canLink?.(state.settings) === false ? '' : toLink(fields, state.settings)),
    /** The reader changed the address. @param {string} text */
    follow(text) {
      this.show(/** @type {T['settings']} */ (fromLink(fields, text)))
    },
    /** Other settings, as from another address: also those that no link holds. @param {T['settings']} settings */
    show(settings) {
      if (toLink(fields, settings) === toLink(fields, state.settings)) return
      origin = settings
      history.place = [[], []]
      update({ ...room.follow?.(state, settings), set: settings })
    },
    can: () => ({
      undo: history.undo[0].length > 0,
      redo: history.undo[1].length > 0,
      back: history.place[0].length > 0,
      forward: history.place[1].length > 0,
    }),
    /** @param {Partial<import('./room.js').Surroundings>} patch */
    surround(patch) {
      state = { ...state, around: { ...state.around, ...patch } }
      if (!isLazy) ask()
      changed()
    },
    get state() {
      return state
    },
    close() {
      clearTimeout(rest)
      for (const timer of waiting.values()) clearTimeout(timer)
      port.close()
    },
  }
}

/** @template {import('./room.js').Types} T @typedef {ReturnType<typeof createStore<T>>} Store */
