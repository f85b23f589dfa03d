// A forward pass in turns.

import { readOptions } from '../base/arguments.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./model.js').ModelOutput} ModelOutput */
/** @typedef {import('./model.js').RunOptions} RunOptions */

/**
 * @typedef {object} AsyncOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: { layer: number, layers: number }) => void} [onLayer] after each layer, of an encoder-decoder of
 *   both stacks, of how many
 */

/** @typedef {FloatTensor & { base?: Held, dispose?: () => void }} Held */

/** The tensor that owns the memory. @param {Held} tensor */
const baseOf = tensor => tensor.base ?? tensor

/** Milliseconds after which other events have their turn within a layer. */
const PATIENCE = 8

/** Lets messages and events in; a timer would wait 4 ms. */
const turn = () =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close() // Node would wait for more
      resolve(undefined)
    }
    port2.postMessage(0)
  })

/**
 * @param {import('../qkv.js').Qkv} qkv
 * @param {(options: RunOptions) => import('./network.js').RunSteps<ModelOutput>} start
 * @param {{ encoder?: { layers: number }, decoder?: { layers: number } }} stacks
 * @param {RunOptions & AsyncOptions} options
 */
export async function forwardAsync(qkv, start, { encoder, decoder }, options) {
  const { signal, onLayer, ...others } = readOptions(
    options,
    ['keep', 'hooks', 'cache', 'logits', 'signal', 'onLayer'],
    'forwardAsync',
  )
  const isEncoded = encoder && decoder && others.cache?.encoded
  const layers = (isEncoded ? 0 : (encoder?.layers ?? 0)) + (decoder?.layers ?? 0)
  const steps = start(others)
  /** What the next step needs: it outlives the scope of the step before. @type {Set<Held>} */
  let held = new Set()
  let layer = 0
  let last = performance.now()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = qkv.scope(() => steps.next())
      if (done) return value
      const live = new Set([value].flat().map(baseOf))
      for (const tensor of held) if (!live.has(tensor)) tensor.dispose?.()
      held = live
      if (!Array.isArray(value)) onLayer?.({ layer: ++layer, layers })
      else if (performance.now() - last < PATIENCE) continue
      await turn()
      last = performance.now()
    }
  } finally {
    for (const tensor of held) tensor.dispose?.()
  }
}
