#!/usr/bin/env bash
# A reranker with a template gets its end token at the beginning: if a GGUF file has tokenizer.chat_template.rerank (or the option `template` is
# given) and add_eos_token, node-llama-cpp 3.22.1 puts the end token before the filled-in template, not after it. Rerankers in the style of Qwen3
# read their score from the last row. Without the end token there, the score is wrong, but looks right, between 0 and 1. The program compares the
# scores of such a file with those of the same file without add_eos_token, to which it adds the end token by hand: once before the query, once after
# the document. The file is valid GGUF with random weights. Exits 1 if this changes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node-llama-cpp@3.22.1 >/dev/null
cat >run.mjs <<'JS'
import { writeFileSync } from 'node:fs'
import { getLlama } from 'node-llama-cpp'

const [D, HEADS, INNER, WORDS, END] = [64, 2, 96, 300, 2]
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

/** Returns the bytes of a GGUF file. @param {boolean} hasEnd value of add_eos_token */
function gguf(hasEnd) {
  let seed = 7
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31 - 0.5) * 0.4
  const one = () => 1 + random()
  const tokens = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)]
  while (tokens.length < WORDS) tokens.push(`word${tokens.length}`)
  const of = keys => Object.fromEntries(Object.entries(keys).map(([key, given]) => [`qwen3.${key}`, given]))
  const keys = {
    'general.architecture': ['text', 'qwen3'],
    ...of({
      block_count: ['u32', 1], context_length: ['u32', 64], embedding_length: ['u32', D], feed_forward_length: ['u32', INNER],
      'attention.head_count': ['u32', HEADS], 'attention.layer_norm_rms_epsilon': ['f32', 1e-6], 'rope.freq_base': ['f32', 10000],
      pooling_type: ['u32', 4], 'classifier.output_labels': ['text', ['yes', 'no']],
    }),
    'tokenizer.ggml.model': ['text', 'llama'],
    'tokenizer.ggml.tokens': ['text', tokens],
    'tokenizer.ggml.scores': ['f32', tokens.map((_, n) => -n)],
    'tokenizer.ggml.token_type': ['i32', tokens.map((_, n) => (n === 0 ? 2 : n < 3 ? 3 : n < 259 ? 6 : 1))],
    'tokenizer.ggml.bos_token_id': ['u32', 1],
    'tokenizer.ggml.eos_token_id': ['u32', END],
    'tokenizer.ggml.add_bos_token': ['bool', false],
    'tokenizer.ggml.add_eos_token': ['bool', hasEnd],
    'tokenizer.chat_template.rerank': ['text', '{query}{document}'],
  }
  const size = D / HEADS
  const block = {
    attn_norm: [D], attn_q: [D, D], attn_k: [D, D], attn_v: [D, D], attn_output: [D, D], attn_q_norm: [size], attn_k_norm: [size],
    ffn_norm: [D], ffn_gate: [D, INNER], ffn_up: [D, INNER], ffn_down: [INNER, D],
  }
  const tensors = { 'token_embd.weight': [D, WORDS], 'output_norm.weight': [D], 'cls.output.weight': [D, 2] }
  for (const [name, dims] of Object.entries(block)) tensors[`blk.0.${name}.weight`] = dims
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

const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 1 })
/** Returns the scores of pairs of token lists. */
async function scores(hasEnd, pairs) {
  writeFileSync('model.gguf', gguf(hasEnd))
  const model = await llama.loadModel({ modelPath: 'model.gguf', gpuLayers: 0, useMmap: false })
  const context = await model.createRankingContext({ contextSize: 64 })
  const all = []
  for (const [query, document] of pairs) all.push(await context.rank(query, document))
  await model.dispose()
  return all
}
const [query, document] = [[270, 281, 262], [290, 275]]
const [given] = await scores(true, [[query, document]])
const [before, after] = await scores(false, [[[END, ...query], document], [query, [...document, END]]])
await llama.dispose()
console.log(`node-llama-cpp 3.22.1, template and add_eos_token: score ${given.toFixed(6)}; end token before the query by hand ${before.toFixed(6)}, after the document ${after.toFixed(6)}`)
process.exitCode = given === before && Math.abs(given - after) > 1e-3 ? 0 : 1
JS
node run.mjs
