// Calls of qkv/interpret give the same numbers if the module's memory grows in the middle of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import * as interpret from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { allocations, withFree } from '../growth.js'
import { goldens } from './checkpoints.js'
import { MADE, make } from './gguf/made.js'
import { randomOf } from './tokenizers/random-files.js'

/** @import { Model } from '../../src/models/model.js' */

const of = { logits: [{ position: 5, token: 7 }] }
const ids = [5, 9, 13, 5, 9, 17]
const other = [5, 8, 13, 5, 9, 17]
const cell = { layer: 1, head: 1, query: 5, key: 3 }
/** @type {import('../../src/entries/interpret.js').EdgeOptions} */
const edge = { of, from: { kind: 'head', layer: 0, head: 1 }, to: { kind: 'q', layer: 1, head: 0 } }
const at = /** @type {const} */ (['layers.*.attention.weights', 'embedding'])

/** @param {Model} model */
const widthOf = ({ stacks: { decoder } }) => (decoder?.numHeads ?? 0) * (decoder?.headDim ?? 0)
/** @type {Record<string, (model: Model) => unknown>} */
const calls = {
  backwardSync: model => interpret.backwardSync(model, { ids }, { of, at }),
  backward: model => interpret.backward(model, { ids }, { of, at }),
  'patch, heads': model => interpret.patch(model, { clean: { ids }, corrupted: { ids: other }, of }),
  'patch, positions': model =>
    interpret.patch(model, { clean: { ids }, corrupted: { ids: other }, of, what: 'positions', method: 'gradient' }),
  'ablate, neurons': model => interpret.ablate(model, { ids }, { of, what: 'neurons', by: 'mean', top: 3 }),
  edges: model => interpret.edges(model, { ids }, { of }),
  edge: model => interpret.edge(model, { ids }, edge),
  recordRun: async model => interpret.scoreAttribution(model, await interpret.recordRun(model, { ids }), cell),
  scoreAttribution: model => interpret.scoreAttribution(model, { ids }, cell),
  headCircuits: model => interpret.headCircuits(model),
  readout: model => interpret.readout(model, 'logit', { ids }, { topK: 3, tokens: [7], logits: true }),
  'readout, a fitted lens': async model =>
    interpret.readout(model, await interpret.fitLens(model, [ids], { first: 1 }), { ids }, { topK: 3 }),
  lensAttribution: model => interpret.lensAttribution(model, 'logit', { ids }, { layer: 1, tokens: [7] }),
  lensOf: model =>
    interpret.lensOf(model, [{ layer: 0, vector: new Float32Array(widthOf(model)).fill(0.1) }], {
      texts: [ids],
      first: 1,
    }),
  steering: model => interpret.steering(model, { positive: [{ ids }], negative: [{ ids: other }], layer: 1 }),
  attentionSummaries(model) {
    const { attentionSummaries } = model.forwardSync(
      { ids },
      { keep: ['attentionSummaries'], summary: { map: [3, 3], topK: 2, entropy: true } },
    )
    return attentionSummaries?.map(each => [each, each?.window({ head: 1, rows: [2, 5], columns: [0, 4] })])
  },
  headScores: model => model.headScores(ids),
}

/** Collects the numbers of a result, by name. @param {any} result @returns {any} */
function numbersOf(result) {
  if (ArrayBuffer.isView(result)) return Array.from(/** @type {Float32Array} */ (result))
  if (typeof result !== 'object' || result === null) return typeof result === 'function' ? undefined : result
  return Object.fromEntries(Object.entries(result).map(([name, part]) => [name, numbersOf(part)]))
}

/** An input that marks tokens of Longformer, so that its global attention runs as well as its local one. */
const marked = { ids, globalAttentionMask: [1, 0, 0, 1, 0, 0] }
/** @type {Record<string, (model: Model) => unknown>} */
const globalCalls = {
  'forward, marked': model => model.forwardSync(marked, { keep: ['attentions', 'hiddenStates'] }),
  'summaries, marked': model => model.forwardSync(marked, { keep: ['attentionSummaries'], summary: { map: [3, 3] } }),
  'backward, marked': model =>
    interpret.backward(model, marked, {
      of: { place: 'layers.2.output', gradient: x => x },
      at: ['layers.*.global.weights'],
    }),
}

/** A GGUF file whose embeddings are its head, too: a row of it is widened in the module's memory. */
const { gguf } = make(MADE.find(({ of }) => of === 'qwen2') ?? MADE[0], 'Q4_K', randomOf(1))

for (const [source, own, what] of /** @type {const} */ ([
  [`${goldens}/gpt2-tiny`, calls, 'gradients, patching, edges, scores and summaries'],
  [gguf, calls, 'the same results of a GGUF file, whose weights are in blocks,'],
  [`${goldens}/longformer-made`, globalCalls, 'global attention and its gradients'],
]))
  test(`${what} do not change when the memory grows`, async t => {
    const qkv = await load()
    const model = await loadModel(qkv, source, { tokenizer: false, dtype: source === gguf ? undefined : 'float32' })
    let [grown, trials] = [0, 0]
    for (const [name, call] of Object.entries(own)) {
      const want = numbersOf(await call(model))
      const { resident } = qkv.memory
      // The GGUF file takes longest, so fewer allocations are tried with it.
      for (const free of await allocations(qkv, () => call(model), source === gguf ? 4 : 8)) {
        const { size } = qkv.memory
        const got = await withFree(qkv, free, () => call(model))
        assert.deepEqual(numbersOf(got), want, `${name}, ${free} bytes free`)
        assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, resident], name)
        grown += Number(qkv.memory.size > size)
        trials++
      }
    }
    t.diagnostic(`the memory grew in ${grown} of ${trials} calls`)
    assert.ok(grown > Object.keys(own).length)
    model.dispose()
  })
