// Runs the steps of a model, yielding to other tasks in between.

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { RunOptions } from '../model.js' */

/**
 * @typedef {object} AsyncOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: { layer: number, layers: number }) => void} [onLayer] called after each layer with the number done and the total,
 *   over both stacks
 */

/** @typedef {FloatTensor & { base?: Held, dispose?: () => void }} Held */

/** Returns the tensor that owns the memory of a tensor, which may be a view. @param {Held} tensor */
const baseOf = tensor => tensor.base ?? tensor

/** Milliseconds after which a layer yields to other events. */
const PATIENCE = 8

/** Time of the last yield, by performance.now(). Short texts that run one after another share it. */
let lastTurn = 0

/** Yields to messages and events. A timer would wait 4 ms; in Node, a channel takes 0.1 ms longer than setImmediate. */
const turn = () =>
  new Promise(resolve => {
    if (typeof setImmediate === 'function') return setImmediate(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close() // otherwise Node would not exit
      resolve(undefined)
    }
    port2.postMessage(0)
  })

/** Returns how many layers a forward pass runs. @param {{ encoder?: { layers: number }, decoder?: { layers: number } }} stacks @param {RunOptions} options */
export function layersOf({ encoder, decoder }, { cache, until }) {
  const isEncoded = encoder && decoder && cache?.encoded
  const ran = (until ?? Infinity) + 1
  if (!decoder) return Math.min(ran, encoder?.layers ?? 0)
  return (isEncoded ? 0 : (encoder?.layers ?? 0)) + Math.min(ran, decoder.layers)
}

/**
 * Runs steps, yielding to other tasks in between.
 * @template T
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {import('./network.js').RunSteps<T>} steps
 * @param {AsyncOptions & { layers: number, pause?: () => Promise<void> | undefined, isBrief?: boolean }} options pause: a promise that the
 *   next step waits for; isBrief: True if layers end within PATIENCE, so that yielding after each would take longer than running them
 * @returns {Promise<T>}
 */
export async function inTurns(qkv, steps, { signal, onLayer, layers, pause, isBrief }) {
  /** Tensors that the next step needs, so they must outlive the scope of the previous step. @type {Set<Held>} */
  let held = new Set()
  let layer = 0
  if (!isBrief) lastTurn = performance.now()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = qkv.scope(() => steps.next())
      if (done) return value
      const live = new Set([value].flat().map(baseOf))
      for (const tensor of held) if (!live.has(tensor)) tensor.dispose?.()
      held = live
      const waits = pause?.()
      if (waits) await waits
      const isWithin = Array.isArray(value)
      if (!isWithin) onLayer?.({ layer: ++layer, layers })
      if ((isWithin || isBrief) && performance.now() - lastTurn < PATIENCE) continue
      await turn()
      lastTurn = performance.now()
    }
  } finally {
    steps.return(/** @type {any} */ (undefined)) // ends steps that were aborted, so that their `finally` blocks run
    for (const tensor of held) tensor.dispose?.()
  }
}
