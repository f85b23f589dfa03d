// The open model of the session. A request locks the model before running it, so that no two runs use its memory at once.

import { present } from '../../../shell/known.js'

/** @import { Model } from 'qkv/models' */
/** @typedef {ReturnType<typeof createModelLock>} ModelLock */

/** @param {() => void} replaced called when another model replaces the open one */
export function createModelLock(replaced) {
  /**
   * The open model, the id of the request that opened it, and the controller that aborts its runs when it is replaced.
   * @type {{ model: Model, id: string, end: AbortController } | undefined}
   */
  let open
  let lock = Promise.resolve()
  /** Callbacks of requests that wait for another model. @type {Set<() => void>} */
  const waiting = new Set()

  /** Waits until another model is opened. @param {AbortSignal} signal @returns {Promise<void>} */
  const nextModel = signal =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      waiting.add(resolve)
      signal.addEventListener('abort', () => {
        waiting.delete(resolve)
        reject(signal.reason)
      })
    })

  /** Waits until the lock is free, then takes it. @returns {Promise<() => void>} a function that releases it */
  async function acquire() {
    const before = lock
    /** @type {() => void} */
    let release = () => {}
    lock = new Promise(resolve => {
      release = resolve
    })
    await before
    return release
  }

  /** Returns the model with an id, once it is open. @param {string} id @param {AbortSignal} signal */
  async function opened(id, signal) {
    while (open?.id !== id) await nextModel(signal)
    return open.model
  }

  return {
    opened,
    /** Returns the open model if it has the id. @param {string} id */
    now: id => (open?.id === id ? open.model : undefined),

    /**
     * Runs a callback once the model is open and the lock is free. If the model is replaced, the callback is aborted after the current
     * layer. If the model is then opened again before `signal` aborts, the callback runs again.
     * @template T
     * @param {string} id of the model
     * @param {AbortSignal} signal
     * @param {(model: Model, signal: AbortSignal, rest: () => Promise<void>) => T | Promise<T>} act rest: lets waiting requests use
     * the model, then resumes
     * @returns {Promise<T>}
     */
    async use(id, signal, act) {
      for (;;) {
        await opened(id, signal)
        let release = await acquire()
        const own = present(open)
        const either = AbortSignal.any([signal, own.end.signal])
        const rest = async () => {
          release()
          release = await acquire()
          either.throwIfAborted()
        }
        try {
          signal.throwIfAborted()
          if (own.id === id) return await act(own.model, either, rest)
        } catch (error) {
          if (signal.aborted || !own.end.signal.aborted) throw error
        } finally {
          release()
        }
      }
    },

    /**
     * Aborts the runs of the open model and replaces it. The runs end after the current layer; if `signal` aborts before that, the old
     * model stays and its runs start again.
     * @param {Model} model the new one; disposed if the old one stays
     * @param {string} id
     * @param {AbortSignal} signal
     */
    async replace(model, id, signal) {
      open?.end.abort()
      const release = await acquire()
      const before = open
      try {
        if (signal.aborted) {
          if (open) open.end = new AbortController()
          model.dispose()
          signal.throwIfAborted()
        }
        open = { model, id, end: new AbortController() }
        replaced()
        for (const resolve of waiting) resolve()
        waiting.clear()
      } finally {
        release()
      }
      before?.model.dispose()
    },
  }
}
