// A checkpoint that is large enough to be read in several blocks.

import { fromBfloat16, fromFloat16, toFloat16 } from '../../src/base/float16.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const SIZES = { d: 64, vocab: 9001, inner: 5003, positions: 16 } // as F32 the head has 2.3 MB, each weight of the MLP 1.3 MB

/** Rounds to bfloat16, towards zero. @param {Float32Array} data */
const upperHalves = data =>
  Uint16Array.from(new Uint32Array(data.buffer, data.byteOffset, data.length), word => word >>> 16)

/**
 * Makes a folder in memory with a GPT-2 of one layer, 5 MB as F32.
 * @param {import('../../src/qkv.js').Qkv} qkv whose generator fills the tensors
 * @param {'F32' | 'F16' | 'BF16'} dtype
 * @param {Partial<typeof SIZES>} [sizes]
 */
export function makeFolder(qkv, dtype, sizes) {
  const { d, vocab, inner, positions } = { ...SIZES, ...sizes }
  const g = qkv.generator(7)
  /** @type {Map<string, FloatTensor>} */
  const tensors = new Map()
  const norm = (/** @type {string} */ name) => {
    for (const part of ['weight', 'bias']) tensors.set(`${name}.${part}`, g.randn([d]))
  }
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) => {
    tensors.set(`${name}.weight`, g.randn([from, to]))
    tensors.set(`${name}.bias`, g.randn([to]))
  }
  tensors.set('wte.weight', g.randn([vocab, d]))
  tensors.set('wpe.weight', g.randn([positions, d]))
  for (const name of ['h.0.ln_1', 'h.0.ln_2', 'ln_f']) norm(name)
  linear('h.0.attn.c_attn', d, 3 * d)
  linear('h.0.attn.c_proj', d, d)
  linear('h.0.mlp.c_fc', d, inner)
  linear('h.0.mlp.c_proj', inner, d)
  /** @type {Record<string, object>} */
  const header = {}
  const parts = []
  let at = 0
  for (const [name, { data, dims }] of tensors) {
    const numbers = dtype === 'F32' ? data : dtype === 'F16' ? toFloat16(data) : upperHalves(data)
    if (numbers instanceof Uint16Array) data.set(dtype === 'F16' ? fromFloat16(numbers) : fromBfloat16(numbers))
    header[name] = { dtype, shape: dims, data_offsets: [at, at + numbers.byteLength] }
    parts.push(/** @type {BlobPart} */ (numbers))
    at += numbers.byteLength
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const size = new Uint8Array(8)
  new DataView(size.buffer).setUint32(0, text.length, true)
  const config = {
    model_type: 'gpt2',
    vocab_size: vocab,
    n_positions: positions,
    n_embd: d,
    n_layer: 1,
    n_head: 4,
    n_inner: inner,
  }
  const json = new TextEncoder().encode(JSON.stringify(config))
  return { tensors, folder: { 'config.json': json, 'model.safetensors': new Blob([size, text, ...parts]) } }
}
