// What the session of a room was asked and has answered. A slot holds the answer of one request at a time.

import { createPort, problemOf } from './port.js'
import { isSame } from './same.js'

/** @template {import('./room.js').Types} T @typedef {import('./room.js').Room<T>} Room */
/** @template [V=any] @typedef {import('./room.js').Got<V>} Got */
/** @typedef {{ type: string, part?: string, key?: string }} AnyRequest */

/** @template V @param {Got<V> | undefined} got @returns {V | undefined} the value, or the older one that stays drawn */
export const shown = got => (got?.is === 'here' ? got.value : got?.before)

/** The key of a request names all that its answer depends on. @param {AnyRequest} request */
const keyOf = request => request.key ?? JSON.stringify(request)
/** Have two requests one answer? They are compared whenever a frame is drawn, so long texts are not written anew. @param {AnyRequest} a @param {AnyRequest} b */
const haveOneAnswer = (a, b) => ((a.key ?? b.key) === undefined ? isSame(a, b) : a.key === b.key)

/** Answers that are needed no longer. */
function createKept() {
  /** By type and key, the oldest first. @type {Map<string, Map<string, unknown>>} */
  const kept = new Map()
  return {
    /** @param {string} type @param {string} key */
    find: (type, key) => kept.get(type)?.get(key),
    /** @param {string} type @param {string} key @param {unknown} value @param {number} most of this type that are kept */
    add(type, key, value, most) {
      const answers = kept.get(type) ?? new Map()
      answers.delete(key)
      answers.set(key, value)
      if (answers.size > most) answers.delete(answers.keys().next().value)
      kept.set(type, answers)
    },
  }
}

/** Where the answer of a request stands in `state.got`. @param {AnyRequest} request */
export const slotOf = ({ type, part }) => (part ? `${type}:${part}` : type)

/**
 * @template {import('./room.js').Types} T
 * @param {Room<T>} room
 * @param {object} host
 * @param {import('qkv').Qkv} [host.qkv] for `now`
 * @param {() => Promise<import('qkv').Qkv>} host.load loads the core, where the page does the work of a session
 * @param {() => Worker} [host.worker] undefined where none can start
 * @param {(got: any) => void} host.put the answers are others now
 * @param {(type: string, value: unknown) => void} host.receive a value has arrived
 * @param {() => void} host.arrived a message of the session was taken
 */
export function createSlots(room, { qkv, load, worker, put: give, receive, arrived }) {
  /** @type {Record<string, Got | undefined>} */
  let got = {}
  /** The request of each slot. `isNeeded`: it was asked because the state needs it, and ends with that need. @type {Map<string, { id: number, request: AnyRequest, isNeeded: boolean }>} */
  const asked = new Map()
  const kept = createKept()
  let id = 0
  const handlers = async () => room.session.handlers(qkv ?? (await load()))
  const port = createPort({ worker, handlers }, take, lose)

  /** @param {string} slot @param {Got | undefined} answer */
  function put(slot, answer) {
    const { [slot]: _, ...others } = got
    if (answer) others[slot] = answer
    got = others
    give(got)
  }

  /** The older value of a slot. @param {string} slot */
  const before = slot => shown(got[slot])

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
      receive(type, value)
    }
    arrived()
  }

  /** @param {import('./room.js').Problem} problem */
  function lose(problem) {
    for (const slot of asked.keys()) put(slot, { is: 'lost', problem, before: before(slot) })
    arrived()
  }

  /** Is there no more to come? @param {string} slot */
  function isAnswered(slot) {
    const answer = got[slot]
    return answer?.is === 'here' && answer.isLast
  }

  /** Ends a request, and keeps its answer if the room says so. @param {string} slot */
  function drop(slot) {
    const old = asked.get(slot)
    const [type] = slot.split(':')
    const value = before(slot)
    const isOpen = !isAnswered(slot)
    asked.delete(slot)
    put(slot, undefined)
    if (!old) return
    if (isOpen) port.send({ type: 'cancel', id: old.id })
    else if (room.keep?.[type]) kept.add(type, keyOf(old.request), value, room.keep[type])
  }

  /** @param {any} request @param {boolean} isNeeded */
  function ask(request, isNeeded) {
    const slot = slotOf(request)
    const old = asked.get(slot)
    const older = before(slot)
    if (old && !isAnswered(slot)) port.send({ type: 'cancel', id: old.id })
    asked.set(slot, { id: ++id, request, isNeeded })
    const found = room.keep?.[request.type] ? kept.find(request.type, keyOf(request)) : undefined
    try {
      const value = found ?? (qkv && room.now?.(request, qkv))
      if (value !== undefined) {
        put(slot, { is: 'here', value, isLast: true })
        return receive(request.type, value)
      }
    } catch (error) {
      return put(slot, { is: 'failed', problem: problemOf(error), before: older })
    }
    put(slot, { is: 'waiting', before: older })
    port.send({ type: 'ask', id, request })
  }

  return {
    /** Was anything asked? */
    isEmpty: () => asked.size === 0,
    /** Is an answer still to come? */
    isWaiting: () => Object.values(got).some(answer => answer?.is === 'waiting'),
    /** @param {AnyRequest} request */
    ask: request => ask(request, false),

    /** Asks for what is needed and was not asked; ends what is needed no longer. @param {AnyRequest[]} requests */
    need(requests) {
      const needs = new Map(requests.map(each => [slotOf(each), each]))
      for (const [slot, { isNeeded }] of asked) if (isNeeded && !needs.has(slot)) drop(slot)
      for (const [slot, each] of needs) {
        const old = asked.get(slot)
        if (!old || !haveOneAnswer(old.request, each)) ask(each, true)
      }
    },

    /** @param {string} slot */
    cancel(slot) {
      const own = asked.get(slot)
      if (!own || isAnswered(slot)) return
      port.send({ type: 'cancel', id: own.id })
      // The reader is answered at once; the session ends it when it can, and what it still says of it is not heard.
      asked.set(slot, { ...own, id: ++id })
      put(slot, { is: 'cancelled', before: before(slot) })
    },

    /** Forgets what failed, was lost or was cancelled: what is needed of it is asked again. */
    retry() {
      for (const [slot, answer] of Object.entries(got))
        if (answer && answer.is !== 'here' && answer.is !== 'waiting') asked.delete(slot)
    },
    close: () => port.close(),
  }
}
