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
 * @param {(options: RunOptions) => import('./network.js').LayerSteps<ModelOutput>} start
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
  /** What left the last layer: it outlives the scope of its step. @type {FloatTensor & { dispose?: () => void } | undefined} */
  let held
  try {
    for (let layer = 0; ; layer++) {
      signal?.throwIfAborted()
      const { done, value } = qkv.scope(() => steps.next())
      held?.dispose?.()
      if (done) return value
      held = value
      onLayer?.({ layer: layer + 1, layers })
      await turn()
    }
  } finally {
    held?.dispose?.()
  }
}
