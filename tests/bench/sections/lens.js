// Measures the Jacobian lens on a model of GPT-2 small's size with random weights: readouts, states read by lensOf without a fit, and the Jacobian
// products of a fit compared with the backward passes that they replace. Also measures fits of a model with 5 layers of width 64. --shape picks rows,
// --threads the number of threads.

import { load } from '../../../src/entries/index.js'
import { backwardSync, fitLens, jacobianProducts, lensOf, readout } from '../../../src/entries/interpret.js'
import { loadModel } from '../../../src/entries/models.js'
import { makeWeights, SIZES, writeFolder } from '../gpt2/checkpoint.js'

const VECTORS = 4
const TEXTS = 2

/** @param {number} n @param {number} [first] @param {number} [vocab] */
const idsOf = (n, first = 0, vocab = SIZES.vocab) => Array.from({ length: n }, (_, i) => ((i + first) * 7919) % vocab)

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* lens({ shape, threads }) {
  const qkv = await load({ threads })
  const open = async (/** @type {typeof SIZES} */ sizes) => {
    const folder = writeFolder(makeWeights(qkv.generator(1), sizes))
    return loadModel(qkv, folder.path, { tokenizer: false })
  }
  const wants = (/** @type {string} */ name) => name.includes(shape)
  if (wants('fit')) {
    const small = { layers: 5, heads: 8, d: 64, vocab: 512, positions: 256 }
    const model = await open(small)
    const texts = Array.from({ length: TEXTS }, (_, n) => idsOf(128, n * 31, small.vocab))
    yield {
      name: `fit, 5 layers of width 64, ${TEXTS} texts of 128 tokens`,
      ours: { run: () => fitLens(model, texts) },
      beside: 'forward of them',
      other: { run: () => texts.map(ids => model.forwardSync({ ids }).logits?.data) },
      note: ms => `100 texts in ${((ms * 100) / TEXTS / 1000).toFixed(1)} s`,
      goal: '100 texts in 60 s',
      samples: 3,
    }
    yield {
      name: `tuned fit, 5 layers of width 64, ${TEXTS} texts of 128 tokens`,
      ours: { run: () => fitLens(model, texts, { kind: 'tuned' }) },
      beside: 'forward of them',
      other: { run: () => texts.map(ids => model.forwardSync({ ids }).logits?.data) },
      note: ms => `100 texts in ${((ms * 100) / TEXTS / 1000).toFixed(1)} s`,
      goal: '100 texts in 60 s',
      samples: 3,
      dispose: () => model.dispose(),
    }
  }
  if (!['readout', 'states', 'products'].some(wants)) return
  const model = await open(SIZES)
  if (wants('readout')) {
    const input = { ids: idsOf(20) }
    yield {
      name: 'readout with its forward, 20 words x 12 layers, 10 of 50,257 words',
      ours: { run: () => readout(model, 'logit', input) },
      beside: 'forward',
      other: { run: () => model.forwardSync(input, { logits: 'none' }).lastHiddenState.data },
      goal: '150 ms more',
      samples: 5,
    }
  }
  if (wants('states')) {
    const texts = Array.from({ length: TEXTS }, (_, n) => idsOf(64, n * 31))
    const vector = Float32Array.from({ length: SIZES.d }, (_, i) => Math.sin(i))
    const states = Array.from({ length: SIZES.layers }, (_, layer) => ({ layer, vector }))
    yield {
      name: `states of 12 layers over ${TEXTS} texts of 64 tokens`,
      ours: { run: () => lensOf(model, states, { texts }) },
      beside: 'forward of them',
      other: { run: () => texts.map(ids => model.forwardSync({ ids }, { logits: 'none' }).lastHiddenState.data) },
      goal: '<= 12',
      samples: 3,
    }
  }
  if (wants('products')) {
    const input = { ids: idsOf(64) }
    const size = 64 * SIZES.d
    const data = Float32Array.from({ length: VECTORS * size }, (_, i) => Math.sin(i * 1.3))
    const ends = /** @type {const} */ ({ from: 'layers.0.output', to: 'layers.11.output' })
    const gradients = Array.from({ length: VECTORS }, (_, n) => ({
      data: data.subarray(n * size, (n + 1) * size),
      dims: [1, 64, SIZES.d],
    }))
    yield {
      name: `products of ${VECTORS} vectors backwards, 64 tokens`,
      ours: {
        run: () =>
          jacobianProducts(model, input, {
            ...ends,
            vectors: { data, dims: [VECTORS, 64, SIZES.d] },
            mode: 'reverse',
          }),
      },
      beside: `${VECTORS} backward passes`,
      other: {
        run: () =>
          gradients.map(
            gradient => backwardSync(model, input, { of: { place: ends.to, gradient }, at: [ends.from] }).value,
          ),
      },
      goal: '<= 1.15',
      samples: 3,
    }
  }
  model.dispose()
  qkv.dispose()
}
