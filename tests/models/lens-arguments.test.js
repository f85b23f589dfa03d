// Lens calls with invalid arguments, damaged files or any number of threads return a correct result or throw a readable error, and leave the
// module unchanged.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import * as interpret from '../../src/entries/interpret.js'
import { loadModel } from '../../src/entries/models.js'
import { tryStrange } from './strange-calls.js'
import { Tokenizer } from './tokenizer.js'

const folder = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
const qkv = await load()
const model = await loadModel(qkv, folder, { tokenizer: Tokenizer })
after(() => model.dispose())

const ids = [5, 9, 130, 5, 9, 77, 200, 31]
const lens = await interpret.fitLens(model, [ids], { first: 1 })
const tuned = await interpret.fitLens(model, [ids], { kind: 'tuned' })
const { logits } = model.forwardSync({ ids })
const input = () => ({ ids: [...ids] })
const vectors = (/** @type {number} */ n) => ({ data: new Float32Array(n * 8 * 48).fill(0.1), dims: [n, 8, 48] })
/** Untyped, because arguments can be anything here. @type {any} */
const { backward, fitLens, jacobianProducts, lensAttribution, lensHooks, lensOf, mergeLenses, readLens } = interpret
/** @type {any} */
const { readout, saveLens, tokenDirections } = interpret

/** Calls with valid arguments. @type {Record<string, [() => any[], (...args: any[]) => unknown]>} */
const calls = {
  fitLens: [
    () => [
      [ids.slice(0, 4), 'The cat sat'],
      {
        layers: [0, 1],
        first: 1,
        maxLength: 6,
        kind: 'jacobian',
        onProgress() {},
        signal: new AbortController().signal,
      },
    ],
    (...a) => fitLens(model, ...a),
  ],
  'fitLens, resumed': [
    () => [[ids.slice(), [3, 4, 5, 6]], { layers: [0, 1], first: 1, resume: lens }],
    (...a) => fitLens(model, ...a),
  ],
  'fitLens, tuned': [
    () => [[[...ids]], { kind: 'tuned', layers: [1], passes: 2, rate: 0.5, maxLength: 5 }],
    (...a) => fitLens(model, ...a),
  ],
  mergeLenses: [() => [[lens, lens]], (...a) => mergeLenses(...a)],
  lensOf: [
    () => [[{ layer: 1, vector: Array(48).fill(0.5) }], { texts: [[...ids]], first: 1, maxLength: 8 }],
    (...a) => lensOf(model, ...a),
  ],
  readout: [
    () => [
      lens,
      input(),
      { layers: [0, 2], positions: [-1, 3], topK: 2, tokens: [3, 4], logits: true, hooks: { 'layers.0.output': 0.5 } },
    ],
    (...a) => readout(model, ...a),
  ],
  lensAttribution: [
    () => [tuned, input(), { layer: 1, tokens: [3, 4], position: 7, hooks: { 'layers.1.heads.2': 0 } }],
    (...a) => lensAttribution(model, ...a),
  ],
  tokenDirections: [() => [lens, 1, [3, 4]], (...a) => tokenDirections(model, ...a)],
  lensHooks: [
    () => [tuned, { layers: [0, 1], remove: [3], swap: [4, 5], steer: { token: 6, strength: 2 } }],
    (...a) => model.forward({ ids }, { hooks: lensHooks(model, ...a) }),
  ],
  saveLens: [() => [tuned, { dtype: 'float32' }], (...a) => saveLens(...a)],
  readLens: [
    () => [
      saveLens(lens),
      { signal: new AbortController().signal, hub: 'https://hub.invalid', token: 'x', keep: false },
    ],
    (...a) => readLens(...a),
  ],
  jacobianProducts: [
    () => [input(), { from: 'layers.0.output', to: 'layers.2.output', vectors: vectors(2), mode: 'reverse' }],
    (...a) => jacobianProducts(model, ...a),
  ],
  'backward of a place': [
    () => [input(), { of: { place: 'layers.1.output', gradient: vectors(1) }, at: ['layers.0.output'] }],
    (...a) => backward(model, ...a),
  ],
}

for (const [name, [args, call]] of Object.entries(calls))
  test(`${name} with strange arguments: a result or an error for people, and nothing changes`, async t => {
    const before = saveLens(lens, { dtype: 'float32' })
    const counts = await tryStrange(qkv, args, call)
    assert.deepEqual(saveLens(lens, { dtype: 'float32' }), before, 'the lens is as it was')
    assert.deepEqual(model.forwardSync({ ids }).logits?.data, logits?.data)
    t.diagnostic(`${counts.results} results, ${counts.refused} errors`)
  })
