// Measures how long loadModel takes to load a model of GPT-2's size by its name, compared with the bare transfer of its weights. The hub is a local
// server that waits 50 ms before each answer and sends a given number of megabytes a second.
//   node tests/bench/hub-bench.js [megabytes a second]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { startHub } from '../models/hub.js'

const rate = 1e6 * Number(process.argv[2] ?? 25)
const [d, layers, vocab, positions] = [768, 12, 50257, 1024]
/** @type {Record<string, number[]>} */
const dims = { 'wte.weight': [vocab, d], 'wpe.weight': [positions, d], 'ln_f.weight': [d], 'ln_f.bias': [d] }
for (let n = 0; n < layers; n++) {
  const own = {
    'ln_1.weight': [d],
    'ln_1.bias': [d],
    'ln_2.weight': [d],
    'ln_2.bias': [d],
    'attn.bias': [1, 1, positions, positions],
    'attn.c_attn.weight': [d, 3 * d],
    'attn.c_attn.bias': [3 * d],
    'attn.c_proj.weight': [d, d],
    'attn.c_proj.bias': [d],
    'mlp.c_fc.weight': [d, 4 * d],
    'mlp.c_fc.bias': [4 * d],
    'mlp.c_proj.weight': [4 * d, d],
    'mlp.c_proj.bias': [d],
  }
  for (const [name, sizes] of Object.entries(own)) dims[`h.${n}.${name}`] = sizes
}
/** @type {Record<string, object>} */
const header = {}
let bytes = 0
for (const name of Object.keys(dims).sort()) {
  const size = 4 * dims[name].reduce((a, b) => a * b)
  header[name] = { dtype: 'F32', shape: dims[name], data_offsets: [bytes, bytes + size] }
  bytes += size
}
const text = Buffer.from(JSON.stringify(header))
const weights = Buffer.alloc(8 + text.length + bytes)
weights.writeUInt32LE(text.length)
text.copy(weights, 8)
const config = { model_type: 'gpt2', vocab_size: vocab, n_positions: positions, n_embd: d, n_layer: layers, n_head: 12 }
const files = { 'config.json': Buffer.from(JSON.stringify(config)), 'model.safetensors': weights }

const home = mkdtempSync(join(tmpdir(), 'qkv-hub-bench-'))
process.env.HF_HOME = home
const qkv = await load()
try {
  for (const what of ['bare transfer', 'loadModel', 'loadModel, kept']) {
    const hub = await startHub({ 'me/gpt2': { files } }, { latency: 50, rate })
    const begun = performance.now()
    if (what === 'bare transfer') {
      const response = await fetch(`${hub.url}/me/gpt2/resolve/main/model.safetensors`)
      for (const reader = response.body?.getReader(); reader && !(await reader.read()).done; );
    } else (await loadModel(qkv, 'hf:me/gpt2', { hub: hub.url, tokenizer: false })).dispose()
    const seconds = (performance.now() - begun) / 1000
    console.log(`${what}: ${seconds.toFixed(2)} s, ${hub.asked.length} requests with redirects`)
    hub.close()
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
