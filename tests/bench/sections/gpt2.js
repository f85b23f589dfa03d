// Compares a model of GPT-2 small's size with random weights, opened by loadModel, with onnxruntime-web on the same graph. Both have a KV cache and
// compute the logits of the last row. --shape picks rows by their names: load, prompt, token, threads, narrow, limit (the machine's limits),
// gradients, patching, heads, summaries.

import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/entries/index.js'
import { backwardSync, patch, positionEdges, recordRun, scoreAttribution } from '../../../src/entries/interpret.js'
import { loadModel } from '../../../src/entries/models.js'
import { coreOf } from '../../../src/runtime/core-of.js'
import { makeWeights, SIZES, writeFolder } from '../gpt2/checkpoint.js'
import { openPeer } from '../gpt2/peer.js'

/** @import { Model } from '../../../src/models/model.js' */
/** @import { Comparison } from '../only.js' */

const LENGTHS = [64, 512]
const LARGEST_ERROR = 1e-3 // for logits of size 1
const TOKEN = [5]
const NEED_MODEL = ['prompt', 'token', 'threads', 'narrow', 'limit', 'gradients', 'patching', 'heads']
/** Multiply-adds of a token in the layers, without the MLP of the last layer, which runs for the last token only. */
const PRODUCTS = (12 * SIZES.layers - 8) * SIZES.d * SIZES.d

const idsOf = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => (i * 7919) % SIZES.vocab)

/** Runs the prompt from an empty cache. @param {Model} model @param {number} n */
function prompt(model, n) {
  const cache = model.cache({ capacity: n })
  const ids = idsOf(n)
  const run = () => {
    cache.clear()
    return model.forwardSync({ ids }, { cache, logits: 'last' }).logits?.data
  }
  return { run, dispose: () => cache.dispose() }
}

/** Makes a call that runs one token after n cached tokens. Each call adds its token to the cache. @param {Model} model @param {number} n */
function token(model, n) {
  const cache = model.cache({ capacity: 2 * n })
  model.forwardSync({ ids: idsOf(n) }, { cache, logits: 'none' })
  const run = () => model.forwardSync({ ids: TOKEN }, { cache, logits: 'last' }).logits?.data
  return { run, dispose: () => cache.dispose() }
}

/** @param {ArrayLike<number> | undefined} a @param {ArrayLike<number>} b */
function distance(a, b) {
  let most = 0
  for (let i = 0; i < b.length; i++) most = Math.max(most, Math.abs(Number(a?.[i]) - b[i]))
  if (!(most <= LARGEST_ERROR)) throw new Error(`the logits differ by ${most}`)
  return `logits differ by ${most.toExponential(1)}`
}

/**
 * Compares loading the model, each time into a fresh module, with reading its file. Also measures the memory of a process that only loads.
 * @param {string} path
 * @returns {AsyncGenerator<Comparison>}
 */
async function* loading(path) {
  const other = { run: () => readFile(join(path, 'model.safetensors')) }
  for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8', 'int4'])) {
    const run = async () => {
      const model = await loadModel(await load(), path, { dtype, tokenizer: false })
      model.dispose()
    }
    const child = execFileSync(process.execPath, [
      fileURLToPath(new URL('../gpt2/memory.js', import.meta.url)),
      path,
      dtype,
    ])
    const { peak, weights } = JSON.parse(String(child))
    const name = `load as ${dtype}, ${weights} MiB of weights, ${peak - weights} MiB beside them at most`
    yield { name, ours: { run }, beside: 'reading the file', other, goal: '<= 1.5', samples: 7 }
  }
}

/**
 * Opens the model with a number of threads and a dtype.
 * @typedef {{ model: Model, qkv: import('qkv').Qkv, dispose: () => void }} Opened
 * @typedef {(threads: number, dtype: 'float32' | 'float16' | 'int8' | 'int4') => Promise<Opened>} Open
 */

/** @param {Model} model @param {ReturnType<typeof makeWeights>} weights @param {(name: string) => boolean} wants @returns {AsyncGenerator<Comparison>} */
async function* besidePeer(model, weights, wants) {
  const peer = await openPeer(weights)
  const samples = 7
  for (const [i, n] of LENGTHS.entries()) {
    const ids = idsOf(n)
    const { logits, past } = await peer.step(ids)
    const beside = 'onnxruntime-web'
    const means = { beside, isSpeedup: true, samples }
    if (wants('prompt')) {
      const ours = prompt(model, n)
      const other = { run: () => peer.step(ids) }
      yield {
        name: `prompt ${n}, ${distance(ours.run(), logits)}`,
        ours,
        other,
        goal: '>= 1.35',
        ...means,
        ...ours,
      }
    }
    if (wants('token')) {
      const ours = token(model, n)
      const other = { run: () => peer.step(TOKEN, past) }
      const apart = distance(ours.run(), (await other.run()).logits)
      yield { name: `token after ${n}, ${apart}`, ours, other, goal: ['>= 1.1', '>= 1.5'][i], ...means, ...ours }
    }
  }
  await peer.dispose()
}

/** @param {Model} model @param {Open} open @returns {AsyncGenerator<Comparison>} */
async function* threads(model, open) {
  const two = await open(2, 'float32')
  for (const n of LENGTHS)
    for (const [name, make] of /** @type {const} */ ([
      ['prompt', prompt],
      ['token after', token],
    ])) {
      const [ours, other] = [make(two.model, n), make(model, n)]
      const dispose = () => [ours, other].map(each => each.dispose())
      const means = { beside: 'one thread', isSpeedup: true, samples: 5, dispose }
      yield { name: `2 threads, ${name} ${n}`, ours, other, goal: name === 'prompt' ? '>= 1.75' : '', ...means }
    }
  two.dispose()
}

/** @param {Model} model @param {Open} open @returns {AsyncGenerator<Comparison>} */
async function* narrow(model, open) {
  for (const [dtype, goal] of /** @type {const} */ ([
    ['float16', '>= 1.8'],
    ['int8', '>= 2.8'],
    ['int4', '>= 3.9'],
  ])) {
    const narrower = await open(1, dtype)
    for (const n of LENGTHS) {
      const [ours, other] = [token(narrower.model, n), token(model, n)]
      const dispose = () => [ours, other].map(each => each.dispose())
      yield { name: `${dtype}, token after ${n}`, ours, beside: 'float32', other, isSpeedup: true, goal, dispose }
    }
    narrower.dispose()
  }
}

/** @param {Opened} one @param {Open} open @param {Pick<import('../only.js').Means, 'peak' | 'limits'>} means @returns {AsyncGenerator<Comparison>} */
async function* atLimits(one, open, { peak, limits }) {
  for (const n of LENGTHS) {
    const ours = prompt(one.model, n)
    const flops = 2 * (n * PRODUCTS + SIZES.d * SIZES.vocab)
    yield {
      name: `limit: products of prompt ${n}`,
      beside: 'peak',
      other: peak,
      flops,
      goal: '',
      samples: 7,
      ours,
      ...ours,
    }
  }
  for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8', 'int4'])) {
    const { model, qkv, dispose } = dtype === 'float32' ? one : await open(1, dtype)
    const core = /** @type {import('../../../src/runtime/memory.js').Core} */ (coreOf(qkv))
    const length = Math.floor(qkv.memory.resident / 512) * 128
    const place = { memory: core.exports.memory, at: core.base - length * 4, length } // the packed weights, up to the end of resident memory
    for (const [loop, title] of /** @type {const} */ ([
      ['streams', 'a loop that reads as many bytes, in four streams'],
      ...(dtype === 'float16' ? [/** @type {const} */ (['widened', 'one that reads and widens them'])] : []),
    ])) {
      const ours = token(model, 64)
      const other = await limits.reads([place], loop)
      yield {
        name: `limit: ${dtype}, token after 64`,
        ours,
        beside: title,
        other,
        isSpeedup: true,
        goal: '',
        dispose: ours.dispose,
      }
    }
    if (dtype !== 'float32') dispose()
  }
}

/** @param {Model} model @returns {AsyncGenerator<Comparison>} */
async function* gradients(model) {
  const ids = idsOf(64)
  const inLayers = ['input', 'middle', 'output', 'heads', 'mlp.hidden', 'mlp.output']
  const inAttention = ['input', 'q', 'k', 'v', 'scores', 'weights', 'output'].map(name => `attention.${name}`)
  const at = /** @type {import('../../../src/models/run/model-hooks.js').Place[]} */ (
    inLayers.concat(inAttention).map(name => `layers.*.${name}`)
  )
  const other = { run: () => model.forwardSync({ ids }, { keep: ['attentions'] }).logits?.data }
  for (const [name, of] of /** @type {const} */ ([
    ['a logit', { logits: [{ position: -1, token: 5 }] }],
    ['the loss', 'loss'],
  ]))
    yield {
      name: `gradients of ${name} at all places, 64 tokens`,
      ours: { run: () => backwardSync(model, { ids }, { of, at }).logits?.data },
      beside: 'forward with all attentions',
      other,
      goal: name === 'a logit' ? '<= 2.4' : '',
      samples: 5,
    }
}

/** @param {Model} model @returns {AsyncGenerator<Comparison>} */
async function* patching(model) {
  const [clean, corrupted] = [idsOf(15), [1, ...idsOf(15).slice(1)]].map(ids => ({ ids }))
  const of = { logits: [{ position: -1, token: 5 }] }
  const other = { run: () => model.forwardSync(corrupted).logits?.data }
  for (const [method, goal] of /** @type {const} */ ([
    ['exact', '<= 50'],
    ['gradient', ''],
  ]))
    yield {
      name: `patching of 144 heads, 15 tokens, ${method}`,
      ours: { run: async () => (await patch(model, { clean, corrupted, of, method })).effects.data },
      beside: 'forward',
      other,
      goal,
      samples: 5,
    }
  yield {
    name: 'edges at positions, 15 tokens',
    goal: '',
    ours: { run: async () => (await positionEdges(model, corrupted, { of, by: 'mean' })).effects },
    beside: 'forward',
    other,
    samples: 3,
  }
  const run = await recordRun(model, corrupted)
  const at = { layer: 11, head: 3, query: -1, key: 7 }
  yield {
    name: 'a score taken apart by token, 15 tokens: 30 ms are about 0.2 of a forward',
    ours: { run: async () => (await scoreAttribution(model, run, at)).terms.data },
    beside: 'forward',
    other,
    goal: '<= 0.2',
    samples: 5,
  }
}

/** @param {Model} model @returns {AsyncGenerator<Comparison>} */
async function* allHeads(model) {
  const ids = idsOf(64)
  const run = (/** @type {import('../../../src/models/run/inputs.js').Keep[]} */ keep) => ({
    run: () => model.forwardSync({ ids }, { keep, logits: 'last' }),
  })
  const [ours, other] = [run(['attentions']), run([])]
  yield { name: '64 tokens, all 144 heads kept', ours, beside: 'none kept', other, samples: 7, goal: '<= 1.12' }
}

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<Comparison>} */
export async function* gpt2({ shape, peak, limits }) {
  const wants = (/** @type {string} */ name) => name.includes(shape)
  if (wants('summaries')) for (const tokens of [1000, 4096]) yield* summaries(tokens) // a separate model for each
  if (!['load', ...NEED_MODEL].some(wants)) return
  const weights = makeWeights((await load()).generator(1))
  const folder = writeFolder(weights)
  /** @type {Open} */
  const open = async (count, dtype) => {
    const qkv = await load({ threads: count })
    const model = await loadModel(qkv, folder.path, { dtype, tokenizer: false })
    return { model, qkv, dispose: () => qkv.dispose() }
  }
  try {
    if (wants('load')) yield* loading(folder.path)
    if (!NEED_MODEL.some(wants)) return
    const one = await open(1, 'float32')
    const { model } = one
    if (['prompt', 'token'].some(wants)) yield* besidePeer(model, weights, wants)
    if (wants('threads')) yield* threads(model, open)
    if (wants('narrow')) yield* narrow(model, open)
    if (wants('limit')) yield* atLimits(one, open, { peak, limits })
    if (wants('gradients')) yield* gradients(model)
    if (wants('patching')) yield* patching(model)
    if (wants('heads')) yield* allHeads(model)
    one.dispose()
  } finally {
    folder.dispose()
  }
}

/**
 * Compares a forward pass that summarises the attention of all layers with one that keeps nothing. The model has two layers of GPT-2 small's size up
 * to 1,024 tokens, else one, because a layer takes seconds and all cost the same. It has a vocabulary of 512 and `tokens` positions.
 * @param {number} tokens
 * @returns {AsyncGenerator<Comparison>}
 */
async function* summaries(tokens) {
  const layers = tokens > 1024 ? 1 : 2
  const sizes = { ...SIZES, layers, vocab: 512, positions: tokens }
  const folder = writeFolder(makeWeights((await load()).generator(1), sizes))
  try {
    const qkv = await load()
    const model = await loadModel(qkv, folder.path, { tokenizer: false })
    const ids = Array.from({ length: tokens }, (_, i) => (i * 7919) % sizes.vocab)
    const run = (/** @type {object} */ options) => ({
      run: () => model.forwardSync({ ids }, { logits: 'none', ...options }),
    })
    const summary = { map: [64, 64], topK: 8 }
    const other = run({})
    const more = { beside: 'nothing kept', other, samples: 3 }
    const ours = run({ keep: ['attentionSummaries'], summary })
    yield {
      name: `summaries of ${tokens} tokens, ${layers} ${layers > 1 ? 'layers' : 'layer'}, map 64 x 64, top 8`,
      ours,
      goal: tokens > 1024 ? '<= 1.2' : '<= 1.15',
      ...more,
    }
    if (tokens <= 1024)
      yield {
        name: `summaries: attentions of ${tokens} tokens`,
        ours: run({ keep: ['attentions'] }),
        goal: '',
        ...more,
      }
    qkv.dispose()
  } finally {
    folder.dispose()
  }
}
