#!/usr/bin/env bash
# node-llama-cpp 3.22.1 (llama.cpp's llama_decode) embeds texts by a T5 encoder as if it were causal: in the architecture t5encoder it hides later
# tokens, although a T5 encoder has no mask. Only t5encoder.attention.causal = false in the file prevents it, and converters do not write this key.
# With the pooling "first token", two texts that differ in all other tokens get the same embedding. Architectures such as bert need no such key.
# The file is valid GGUF with random weights. Exits 1 if this changes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node-llama-cpp@3.22.1 >/dev/null
cat >run.mjs <<'JS'
import { writeFileSync } from 'node:fs'
import { getLlama } from 'node-llama-cpp'

const [D, HEADS, INNER, BUCKETS, WORDS] = [64, 2, 96, 8, 300]
const bytes = (length, write) => { const b = Buffer.alloc(length); write(b); return b }
const u32 = n => bytes(4, b => b.writeUInt32LE(n))
const u64 = n => bytes(8, b => b.writeBigUInt64LE(BigInt(n)))
const text = s => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)])
const float = n => bytes(4, b => b.writeFloatLE(n))
const TYPES = { u32: [4, u32], i32: [5, u32], f32: [6, float], bool: [7, n => Buffer.from([n])], text: [8, text] }
const value = ([type, given]) => {
  const [id, write] = TYPES[type]
  return Array.isArray(given) ? Buffer.concat([u32(9), u32(id), u64(given.length), ...given.map(write)]) : Buffer.concat([u32(id), write(given)])
}
let seed = 7
const random = () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31 - 0.5) / 4
const one = () => 1 + random()

function gguf(more) {
  const tokens = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)]
  while (tokens.length < WORDS) tokens.push(`word${tokens.length}`)
  const of = keys => Object.fromEntries(Object.entries(keys).map(([key, given]) => [`t5encoder.${key}`, given]))
  const keys = {
    'general.architecture': ['text', 't5encoder'],
    ...of({
      block_count: ['u32', 1], context_length: ['u32', 64], embedding_length: ['u32', D], feed_forward_length: ['u32', INNER],
      'attention.head_count': ['u32', HEADS], 'attention.key_length': ['u32', D / HEADS], 'attention.value_length': ['u32', D / HEADS],
      'attention.layer_norm_epsilon': ['f32', 1e-6], 'attention.layer_norm_rms_epsilon': ['f32', 1e-6],
      'attention.relative_buckets_count': ['u32', BUCKETS], pooling_type: ['u32', 2], ...more,
    }),
    'tokenizer.ggml.model': ['text', 'llama'],
    'tokenizer.ggml.tokens': ['text', tokens],
    'tokenizer.ggml.scores': ['f32', tokens.map((_, n) => -n)],
    'tokenizer.ggml.token_type': ['i32', tokens.map((_, n) => (n === 0 ? 2 : n < 3 ? 3 : n < 259 ? 6 : 1))],
    'tokenizer.ggml.bos_token_id': ['u32', 1],
    'tokenizer.ggml.eos_token_id': ['u32', 2],
  }
  const block = { attn_norm: [D], attn_q: [D, D], attn_k: [D, D], attn_v: [D, D], attn_o: [D, D], attn_rel_b: [HEADS, BUCKETS], ffn_norm: [D], ffn_up: [D, INNER], ffn_down: [INNER, D] }
  const tensors = { 'token_embd.weight': [D, WORDS], 'enc.output_norm.weight': [D] }
  for (const [name, dims] of Object.entries(block)) tensors[`enc.blk.0.${name}.weight`] = dims
  const head = [Buffer.from('GGUF'), u32(3), u64(Object.keys(tensors).length), u64(Object.keys(keys).length)]
  for (const [key, given] of Object.entries(keys)) head.push(text(key), value(given))
  let offset = 0
  const data = []
  for (const [name, dims] of Object.entries(tensors)) {
    const count = dims.reduce((a, b) => a * b)
    head.push(text(name), u32(dims.length), ...dims.map(u64), u32(0), u64(offset))
    const numbers = Float32Array.from({ length: count }, dims.length === 1 ? one : random)
    data.push(Buffer.from(numbers.buffer), Buffer.alloc((32 - ((count * 4) % 32)) % 32))
    offset += Math.ceil((count * 4) / 32) * 32
  }
  const start = Buffer.concat(head)
  return Buffer.concat([start, Buffer.alloc((32 - (start.length % 32)) % 32), ...data])
}

const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' })
/** Returns the largest difference between the embeddings of two texts that share only their first token. */
async function difference(more) {
  writeFileSync('model.gguf', gguf(more))
  const model = await llama.loadModel({ modelPath: 'model.gguf', gpuLayers: 0 })
  const context = await model.createEmbeddingContext({ contextSize: 64 })
  const [a, b] = [await context.getEmbeddingFor([270, 281, 262]), await context.getEmbeddingFor([270, 295, 299])]
  await model.dispose()
  return Math.max(...a.vector.map((x, i) => Math.abs(x - b.vector[i])))
}
const [plain, told] = [await difference({}), await difference({ 'attention.causal': ['bool', false] })]
await llama.dispose()
console.log(`node-llama-cpp 3.22.1, t5encoder: other later tokens change the first token's embedding by ${plain}; with attention.causal = false by ${told.toFixed(3)}`)
process.exitCode = plain === 0 && told > 0.01 ? 0 : 1
JS
node run.mjs
