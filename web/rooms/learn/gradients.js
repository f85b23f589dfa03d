// Computes the gradients of the loss at a training step: for the model's weights, and for the attention weights of the first sequence in
// the batch of that step.

import { parameters } from 'qkv/train'
import { headColumns, rowsOfFirst } from './attention-parts.js'

/** @import { Weights } from './training-run.js' */
/** @import { Hooks } from './transformer.js' */
/** @import { Batch } from './tasks/batch.js' */

/**
 * Computes the gradients. Adds zeros to the outputs of the heads, as parameters: the gradient of these zeros is dOut, the gradient of the
 * outputs. The gradient of the attention weights A is then dA = dOut V^T.
 * @param {import('qkv').Qkv} qkv
 * @param {object} of
 * @param {import('./tasks/task.js').LearnSettings} of.settings
 * @param {readonly string[]} of.blocks
 * @param {readonly { L: number }[]} of.sizes
 * @param {Weights} of.state weights before the step
 * @param {Batch} of.batch
 * @param {(batch: Batch, hooks: Hooks, weights: import('qkv/train').Parameters) => { step: ReturnType<typeof import('qkv/train').tape>, layers: import('./transformer.js').Attended[] }} of.forward
 */
export function gradientsOf(qkv, { settings: { heads, d }, blocks, sizes, state, batch, forward }) {
  const { B, T, L } = batch
  const outputOf = (/** @type {number} */ layer) => `out.${blocks[layer]}`
  const zeros = Object.fromEntries(
    sizes.map(({ L }, layer) => [outputOf(layer), { data: new Float32Array(B * L * d), dims: [B, L, d] }]),
  )
  const all = parameters(qkv, { ...state, ...zeros })
  try {
    /** @type {Hooks} */
    const hooks = { output: (t, layer, out) => t.add(out, all.values[outputOf(layer)]) }
    const { step, layers } = forward(batch, hooks, all)
    step.backward()
    const weights = Object.fromEntries(
      Object.keys(state).map(name => {
        const { data, dims } = all.gradients[name]
        return [name, { data: data.slice(), dims: [...dims] }]
      }),
    )
    const length = batch.lengths?.[0] ?? T
    const attention = blocks.map((block, layer) => {
      const rows = block === 'cross' ? L : length
      const dOut = rowsOfFirst(all.gradients[outputOf(layer)], rows)
      const v = rowsOfFirst(layers[layer].v, length)
      const data = new Float32Array(heads * rows * length)
      for (let h = 0; h < heads; h++) {
        const dA = qkv.linear(headColumns(dOut, h, d / heads), headColumns(v, h, d / heads))
        data.set(dA.data, h * rows * length)
      }
      return { data, dims: [heads, rows, length] }
    })
    return { loss: step.loss, weights, attention, ids: batch.ids.slice(0, T) }
  } finally {
    all.dispose()
  }
}
