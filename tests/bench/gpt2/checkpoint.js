// Writes a checkpoint with random weights, by default of GPT-2 small's size, as Hugging Face stores it: F32, Conv1D weights (in, out).

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const SIZES = { layers: 12, heads: 12, d: 768, vocab: 50257, positions: 1024 }

/** @param {typeof SIZES} sizes */
const configOf = ({ vocab, positions, d, layers, heads }) => ({
  model_type: 'gpt2',
  vocab_size: vocab,
  n_positions: positions,
  n_embd: d,
  n_layer: layers,
  n_head: heads,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
})

/** @typedef {{ dims: number[], from: number, length: number }} Place from and length count floats of Weights.data */
/** @typedef {{ data: Float32Array, places: Map<string, Place>, config: object }} Weights */

/** Lists the names and dims of all tensors. @param {typeof SIZES} sizes @returns {[string, number[]][]} */
function tensors({ layers, d, vocab, positions }) {
  const norm = (/** @type {string} */ name) =>
    /** @type {[string, number[]][]} */ ([
      [`${name}.weight`, [d]],
      [`${name}.bias`, [d]],
    ])
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
    /** @type {[string, number[]][]} */ ([
      [`${name}.weight`, [from, to]],
      [`${name}.bias`, [to]],
    ])
  const blocks = Array.from({ length: layers }, (_, i) => [
    ...norm(`h.${i}.ln_1`),
    ...linear(`h.${i}.attn.c_attn`, d, 3 * d),
    ...linear(`h.${i}.attn.c_proj`, d, d),
    ...norm(`h.${i}.ln_2`),
    ...linear(`h.${i}.mlp.c_fc`, d, 4 * d),
    ...linear(`h.${i}.mlp.c_proj`, 4 * d, d),
  ])
  return [['wte.weight', [vocab, d]], ['wpe.weight', [positions, d]], ...blocks.flat(), ...norm('ln_f')]
}

/** @param {typeof SIZES} sizes */
const gpt2 = sizes => ({ config: configOf(sizes), names: tensors(sizes) })

/**
 * Makes weights by GPT-2's initialisation, with a standard deviation of 0.02. Norms are near 1 and biases near 0, but not equal, so that a missing
 * term is noticed.
 * @param {import('../../../src/ops/random/generator.js').Generator} generator
 * @param {typeof SIZES} [sizes] of GPT-2
 * @param {{ config: object, names: [string, number[]][] }} [model] instead of GPT-2: its config, and its tensors with their dims
 * @returns {Weights}
 */
export function makeWeights(generator, sizes = SIZES, { config, names } = gpt2(sizes)) {
  /** @type {Map<string, Place>} */
  const places = new Map()
  let at = 0
  for (const [name, dims] of names) {
    const length = dims.reduce((a, b) => a * b)
    places.set(name, { dims, from: at, length })
    at += length
  }
  const data = new Float32Array(at)
  const step = 2 ** 22
  for (let from = 0; from < at; from += step) data.set(generator.randn([Math.min(step, at - from)]).data, from)
  for (const [name, { from, length }] of places) {
    const shift = /(ln_\w+|norm)\.weight$/.test(name) ? 1 : 0
    for (let i = from; i < from + length; i++) data[i] = data[i] * 0.02 + shift
  }
  return { data, places, config }
}

/**
 * Writes config.json and model.safetensors.
 * @param {Weights} weights
 * @returns {{ path: string, bytes: number, dispose: () => void }} a folder below the system's temporary folder
 */
export function writeFolder({ data, places, config }) {
  const entries = [...places].map(([name, { dims, from, length }]) => [
    name,
    { dtype: 'F32', shape: dims, data_offsets: [from * 4, (from + length) * 4] },
  ])
  const text = JSON.stringify(Object.fromEntries(entries))
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(header.length))
  const path = mkdtempSync(join(tmpdir(), 'qkv-bench-'))
  const file = join(path, 'model.safetensors')
  writeFileSync(file, Buffer.concat([size, header]))
  writeFileSync(file, new Uint8Array(data.buffer), { flag: 'a' })
  writeFileSync(join(path, 'config.json'), JSON.stringify(config))
  return { path, bytes: 8 + header.length + data.byteLength, dispose: () => rmSync(path, { recursive: true }) }
}
