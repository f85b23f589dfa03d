// Measures how long loadModel takes from a Blob and from a File on the disk, compared with the same bytes in memory. The model has SmolLM2 135M's
// shape and random float16 weights (269 MB). Runs in Node and in Chromium, interleaved; prints the least of several times. Processor times count all
// threads of Node; in Chromium they count the page's process, but not the process that reads the file.
//   node tests/bench/loading.js [rounds]

import { mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { launch } from '../browser/chromium.js'
import { report } from './options.js'
import { print } from './report.js'
import { serve } from './serve.js'

const ROUNDS = Number(process.argv[2] ?? 7)

/** @typedef {{ what: string, source: string, time: number, cpu: number }} Timing milliseconds */

function makeFolder() {
  const [d, layers, vocab, inner, kv] = [576, 30, 49152, 1536, 192]
  const config = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_size: d,
    intermediate_size: inner,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    num_hidden_layers: layers,
    vocab_size: vocab,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 100000,
    hidden_act: 'silu',
    tie_word_embeddings: true,
  }
  /** @type {Record<string, number[]>} */
  const dims = { 'model.embed_tokens.weight': [vocab, d], 'model.norm.weight': [d] }
  for (let n = 0; n < layers; n++) {
    const own = {
      'input_layernorm.weight': [d],
      'mlp.down_proj.weight': [d, inner],
      'mlp.gate_proj.weight': [inner, d],
      'mlp.up_proj.weight': [inner, d],
      'post_attention_layernorm.weight': [d],
      'self_attn.k_proj.weight': [kv, d],
      'self_attn.o_proj.weight': [d, d],
      'self_attn.q_proj.weight': [d, d],
      'self_attn.v_proj.weight': [kv, d],
    }
    for (const [name, sizes] of Object.entries(own)) dims[`model.layers.${n}.${name}`] = sizes
  }
  /** @type {Record<string, object>} */
  const header = {}
  let size = 0
  for (const [name, shape] of Object.entries(dims)) {
    const bytes = 2 * shape.reduce((a, b) => a * b)
    header[name] = { dtype: 'F16', shape, data_offsets: [size, size + bytes] }
    size += bytes
  }
  const text = JSON.stringify(header)
  const start = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8))
  const file = Buffer.alloc(8 + start.length + size)
  file.writeUInt32LE(start.length)
  start.copy(file, 8)
  const numbers = new Uint16Array(file.buffer, file.byteOffset + 8 + start.length, size / 2)
  for (let n = 0, seed = 1; n < numbers.length; n++) {
    seed = (seed * 1664525 + 1013904223) >>> 0
    numbers[n] = ((seed >>> 31) << 15) | (0x2000 + ((seed >>> 12) & 0xfff)) // 0.0078 to 0.125, of both signs
  }
  const path = mkdtempSync(join(tmpdir(), 'qkv-loading-'))
  writeFileSync(join(path, 'config.json'), JSON.stringify(config))
  writeFileSync(join(path, 'model.safetensors'), file)
  return path
}

/** @param {string} path @returns {Promise<Timing[]>} */
async function inNode(path) {
  const qkv = await load()
  const [config, weights] = ['config.json', 'model.safetensors'].map(name => join(path, name))
  const bytes = readFileSync(weights)
  const sources = { bytes, Blob: new Blob([bytes]), 'file on the disk': await openAsBlob(weights) }
  const times = []
  for (let n = 0; n < ROUNDS; n++)
    for (const dtype of /** @type {const} */ (['float16', 'int8']))
      for (const [source, content] of Object.entries(sources)) {
        const [begun, used] = [performance.now(), process.cpuUsage()]
        const files = { 'config.json': readFileSync(config), 'model.safetensors': content }
        const model = await loadModel(qkv, files, { dtype })
        const { user, system } = process.cpuUsage(used)
        times.push({ what: `Node, ${dtype}`, source, time: performance.now() - begun, cpu: (user + system) / 1000 })
        model.dispose()
      }
  return times
}

/** @param {string} path */
async function inChromium(path) {
  const { server, url } = await serve()
  const { context, close } = await launch()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(600_000)
    await page.goto(url)
    await page.evaluate(() => {
      document.body.innerHTML = '<input type="file" multiple>'
    })
    await page.setInputFiles('input', [join(path, 'config.json'), join(path, 'model.safetensors')])
    const session = await /** @type {import('playwright-core').Browser} */ (context.browser()).newBrowserCDPSession()
    const cpuTime = async () => {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo')
      return processInfo.reduce((sum, { type, cpuTime }) => sum + (type === 'renderer' ? 1000 * cpuTime : 0), 0)
    }
    await page.exposeFunction('cpuTime', cpuTime)
    return await page.evaluate(measure, {
      rounds: ROUNDS,
      names: ['../../src/entries/index.js', '../../src/entries/models.js'],
    })
  } finally {
    await close()
    server.close()
  }
}

/** Times loadModel from each source, in the page. @param {{ rounds: number, names: string[] }} asked @returns {Promise<Timing[]>} */
async function measure({ rounds, names }) {
  const [{ load }, { loadModel }] = await Promise.all(names.map(name => import(new URL(name, location.href).href)))
  const { cpuTime } = /** @type {any} */ (globalThis)
  const qkv = await load()
  const input = /** @type {HTMLInputElement} */ (document.querySelector('input'))
  const [config, file] = /** @type {FileList} */ (input.files)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const sources = { bytes, Blob: new Blob([bytes]), 'file on the disk': file }
  const times = []
  for (let n = 0; n < rounds; n++)
    for (const dtype of ['float16', 'int8'])
      for (const [source, content] of Object.entries(sources)) {
        const used = await cpuTime()
        const begun = performance.now()
        const model = await loadModel(qkv, { 'config.json': config, 'model.safetensors': content }, { dtype })
        const time = performance.now() - begun
        times.push({ what: `Chromium, ${dtype}`, source, time, cpu: (await cpuTime()) - used })
        model.dispose()
      }
  return times
}

async function main() {
  const path = makeFolder()
  try {
    const times = [...(await inNode(path)), ...(await inChromium(path))]
    const least = (/** @type {string} */ what, /** @type {string} */ source, /** @type {'time' | 'cpu'} */ of) =>
      Math.min(...times.filter(each => each.what === what && each.source === source).map(each => each[of]))
    print(['least ms', 'from', 'time', 'beside bytes', 'CPU', 'beside bytes'])
    print(['---', '---', '---', '---', '---', '---'])
    for (const what of new Set(times.map(each => each.what)))
      for (const source of ['bytes', 'Blob', 'file on the disk']) {
        const [time, cpu] = /** @type {const} */ (['time', 'cpu']).map(of => least(what, source, of))
        const [baseTime, baseCpu] = /** @type {const} */ (['time', 'cpu']).map(of => least(what, 'bytes', of))
        const [times, cpus] = [time / baseTime, cpu / baseCpu].map(ratio => ratio.toFixed(2))
        print([what, source, time.toFixed(0), times, cpu.toFixed(0), cpus])
      }
  } finally {
    rmSync(path, { recursive: true })
  }
}

await report(main)
