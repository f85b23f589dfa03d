// The open model of the session. What uses it holds its lock, so that two runs never share its memory.

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {ReturnType<typeof createModelLock>} ModelLock */

/** @param {() => void} replaced called when another model takes the place of the open one */
export function createModelLock(replaced) {
  /** The open model, the id of the request that opened it, and what ends its runs when another takes its place. @type {{ model: Model, id: string, end: AbortController } | undefined} */
  let open
  let lock = Promise.resolve()
  /** What waits for a model. @type {Set<() => void>} */
  const waiting = new Set()

  /** Waits for the next model. @param {AbortSignal} signal @returns {Promise<void>} */
  const nextModel = signal =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      waiting.add(resolve)
      signal.addEventListener('abort', () => {
        waiting.delete(resolve)
        reject(signal.reason)
      })
    })

  /** Waits until nobody holds the lock, and holds it. @returns {Promise<() => void>} what releases it */
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

  /** The model of an id, once it is open. @param {string} id @param {AbortSignal} signal */
  async function opened(id, signal) {
    while (open?.id !== id) await nextModel(signal)
    return open.model
  }

  return {
    opened,
    /** The model, if it is that of the id. @param {string} id */
    now: id => (open?.id === id ? open.model : undefined),

    /**
     * Uses a model when it is open and nobody else uses it. A run whose model is replaced ends within a layer, and waits until its
     * request is cancelled.
     * @template T
     * @param {string} id of the model
     * @param {AbortSignal} signal
     * @param {(model: Model, signal: AbortSignal, rest: () => Promise<void>) => T | Promise<T>} act rest: others use the model, if they wait
     * @returns {Promise<T>}
     */
    async use(id, signal, act) {
      for (;;) {
        await opened(id, signal)
        let release = await acquire()
        const own = /** @type {NonNullable<typeof open>} */ (open)
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

    /** Another model takes the place of the open one, whose runs end within a layer. @param {Model} model @param {string} id */
    async replace(model, id) {
      open?.end.abort()
      const release = await acquire()
      const before = open
      open = { model, id, end: new AbortController() }
      replaced()
      for (const resolve of waiting) resolve()
      waiting.clear()
      release()
      before?.model.dispose()
    },
  }
}
