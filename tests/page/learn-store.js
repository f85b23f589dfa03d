// Opens the room "Learn" without a browser: makes its store. The session runs in Node, or in a worker that a test simulates.

import { load } from 'qkv'
import { room } from '../../web/rooms/learn/room.js'
import { handlers } from '../../web/rooms/learn/session.js'
import { createStore } from '../../web/shell/store.js'

const qkv = await load()
/** Milliseconds until a test gives up waiting, on a busy machine. */
const PATIENCE = 120_000

/**
 * @param {string} link parameters of the room
 * @param {{ worker?: () => Worker, around?: import('../../web/shell/room.js').Surroundings }} [options]
 */
export function openLearn(link, options = {}) {
  /** @type {any[]} */
  const effects = []
  const own = { ...room, session: { worker: room.session.worker, handlers } }
  const store = createStore(own, { ...options, link, qkv, perform: effect => effects.push(effect) })
  /** Waits for a state. @param {(state: import('../../web/rooms/learn/learn.js').State) => unknown} isSo */
  async function until(isSo) {
    const end = performance.now() + PATIENCE
    while (!isSo(store.state)) {
      if (performance.now() > end) throw new Error(`waited in vain for ${isSo}`)
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    return store.state
  }
  /** Waits until training has stopped and all requests are answered. Returns the picture. */
  async function picture() {
    const isHere = (/** @type {string} */ slot) => /** @type {any} */ (store.state.got)[slot]?.is === 'here'
    const { got } = await until(({ view }) => !view.isTraining && isHere('run') && isHere('train') && isHere('show'))
    return /** @type {import('../../web/rooms/learn/learn.js').Picture} */ (/** @type {any} */ (got.show).value)
  }
  return {
    store,
    act: store.act,
    effects,
    until,
    picture,
    /** Trains until the run stops. */
    async train() {
      await picture()
      store.act.train()
      return picture()
    },
    get view() {
      return store.state.view
    },
    close: store.close,
  }
}
