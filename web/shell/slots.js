// Sends requests to the session of a room, and holds the answers. A slot holds the answer to one type of request, or to one `part` of a
// type.

import { createPort, problemOf } from './port.js'
import { isSame } from './same.js'

/** @template {import('./room.js').Types} T @typedef {import('./room.js').Room<T>} Room */
/** @template [V=any] @typedef {import('./room.js').Got<V>} Got */
/** @typedef {{ type: string, part?: string, key?: string }} AnyRequest */

/** Returns the value to draw. @template V @param {Got<V> | undefined} got @returns {V | undefined} the current value; if there is none, the previous one */
export const shown = got => (got?.is === 'here' ? got.value : got?.before)

/** Returns the cache key of a request, which identifies everything its answer depends on. @param {AnyRequest} request */
const keyOf = request => request.key ?? JSON.stringify(request)
/**
 * True if two requests have the same answer. Compares their keys if one of them has a key, else the requests themselves. Called on every
 * frame, so it stringifies nothing.
 * @param {AnyRequest} a
 * @param {AnyRequest} b
 */
const haveOneAnswer = (a, b) => ((a.key ?? b.key) === undefined ? isSame(a, b) : a.key === b.key)

/** Creates a cache of answers that are no longer needed. */
function createKept() {
  /** Answers by type and key, oldest first. @type {Map<string, Map<string, unknown>>} */
  const kept = new Map()
  return {
    /** @param {string} type @param {string} key */
    find: (type, key) => kept.get(type)?.get(key),
    /** Adds an answer. @param {string} type @param {string} key @param {unknown} value @param {number} most maximum number of answers of this type */
    add(type, key, value, most) {
      const answers = kept.get(type) ?? new Map()
      answers.delete(key)
      answers.set(key, value)
      if (answers.size > most) answers.delete(answers.keys().next().value)
      kept.set(type, answers)
    },
  }
}

/** Returns the slot of a request in `state.got`. @param {AnyRequest} request */
export const slotOf = ({ type, part }) => (part ? `${type}:${part}` : type)

/**
 * @template {import('./room.js').Types} T
 * @param {Room<T>} room
 * @param {object} host
 * @param {import('qkv').Qkv} [host.qkv] core for `now`
 * @param {() => Promise<import('qkv').Qkv>} host.load loads the core, if the session runs on the page
 * @param {() => Worker} [host.worker] undefined if none can be started
 * @param {() => void} host.arriving called before each message of the session is taken
 * @param {(got: any) => void} host.put called when answers change
 * @param {(type: string, value: unknown) => void} host.receive called with each value that arrives
 * @param {() => void} host.arrived called after each message of the session
 */
export function createSlots(room, { qkv, load, worker, arriving, put: give, receive, arrived }) {
  /** @type {Record<string, Got | undefined>} */
  let got = {}
  /**
   * The request of each slot. `isNeeded`: true if requested by `needs`, so that it is cancelled when no longer needed.
   * @type {Map<string, { id: number, request: AnyRequest, isNeeded: boolean, isCancelled?: boolean }>}
   */
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

  /** Returns the last value of a slot, to draw until the next one arrives. @param {string} slot */
  const before = slot => shown(got[slot])

  /** @param {import('./room.js').FromSession<T['asks']>} message */
  function take(message) {
    if (message.type === 'pong') return
    arriving()
    const found = [...asked].find(([, request]) => request.id === message.id)
    if (!found) return // answers a request that was replaced
    const [slot, { isNeeded, isCancelled }] = found
    // Accept the last value of a cancelled request. The session had finished before the cancellation arrived, and may have opened another
    // model.
    if (isCancelled && !(message.type === 'value' && message.isLast)) return
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

  /** True if the final value has arrived. @param {string} slot */
  function isAnswered(slot) {
    const answer = got[slot]
    return answer?.is === 'here' && answer.isLast
  }

  /** Removes a request, and caches its answer if the room keeps answers of this type. @param {string} slot */
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
    /** True if nothing was requested. */
    isEmpty: () => asked.size === 0,
    /** True while an answer is pending. */
    isWaiting: () => Object.values(got).some(answer => answer?.is === 'waiting'),
    /** @param {AnyRequest} request */
    ask: request => ask(request, false),

    /** Sends those of the needed requests that are new, and cancels requests that are no longer needed. @param {AnyRequest[]} requests */
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
      // Treat the request as cancelled at once; the session stops when it can.
      asked.set(slot, { ...own, isCancelled: true })
      put(slot, { is: 'cancelled', before: before(slot) })
    },

    /** Removes requests that failed, were lost or were cancelled, so that they are sent again if needed. */
    retry() {
      for (const [slot, answer] of Object.entries(got))
        if (answer && answer.is !== 'here' && answer.is !== 'waiting') asked.delete(slot)
    },
    close: () => port.close(),
  }
}
