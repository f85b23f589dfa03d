// Measures how long Chromium takes to open a GGUF file of Q4_K_M from the disk, compared with reading the file as a stream and in slices of 1 MiB.
// The three are interleaved; prints medians. The model is a Llama of width 2560 whose layers all have the same random blocks (1.4 GB).
//   node tests/bench/gguf-loading.js [rounds] [layers]

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from '../browser/chromium.js'
import { writeGguf } from '../models/gguf/write-gguf.js'
import { report } from './options.js'
import { print } from './report.js'
import { serve } from './serve.js'

const [ROUNDS, LAYERS] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 32)]
const [D, HEADS, KV, INNER, VOCAB] = [2560, 20, 4, 6912, 49152]
const SIZE = D / HEADS

/** @typedef {{ rows: number, columns: number, type: 'F32' | 'Q4_K' | 'Q6_K' }} Matrix */

/** Lists the matrices with their types, which follow Q4_K_M: Q6_K for the token table and, in every other layer, for attn_v and ffn_down. @returns {Record<string, Matrix>} */
function matrices() {
  /** @type {Record<string, Matrix>} */
  const all = {
    token_embd: { rows: VOCAB, columns: D, type: 'Q6_K' },
    output_norm: { rows: 1, columns: D, type: 'F32' },
  }
  for (let n = 0; n < LAYERS; n++) {
    const more = n % 2 ? 'Q4_K' : 'Q6_K'
    Object.assign(all, {
      [`blk.${n}.attn_norm`]: { rows: 1, columns: D, type: 'F32' },
      [`blk.${n}.attn_q`]: { rows: D, columns: D, type: 'Q4_K' },
      [`blk.${n}.attn_k`]: { rows: KV * SIZE, columns: D, type: 'Q4_K' },
      [`blk.${n}.attn_v`]: { rows: KV * SIZE, columns: D, type: more },
      [`blk.${n}.attn_output`]: { rows: D, columns: D, type: 'Q4_K' },
      [`blk.${n}.ffn_norm`]: { rows: 1, columns: D, type: 'F32' },
      [`blk.${n}.ffn_gate`]: { rows: INNER, columns: D, type: 'Q4_K' },
      [`blk.${n}.ffn_up`]: { rows: INNER, columns: D, type: 'Q4_K' },
      [`blk.${n}.ffn_down`]: { rows: D, columns: INNER, type: more },
    })
  }
  return all
}

/** size: bytes of 256 weights of a type; scales: byte offsets of their float16 scales. */
const BLOCKS = {
  F32: { size: 1024, scales: [] },
  Q4_K: { size: 144, scales: [0, 2] },
  Q6_K: { size: 210, scales: [208] },
}

/** Returns random blocks with small scales. @param {Matrix} matrix */
function bytesOf({ rows, columns, type }) {
  if (type === 'F32') return new Uint8Array(new Float32Array(columns).fill(1).buffer)
  const { size, scales } = BLOCKS[type]
  const bytes = new Uint8Array(((rows * columns) / 256) * size)
  let seed = rows
  for (let i = 0; i < bytes.length; i++) {
    seed = (seed * 1664525 + 1013904223) >>> 0
    bytes[i] = seed >>> 24
  }
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < bytes.length; at += size) for (const scale of scales) view.setUint16(at + scale, 0x0400, true)
  return bytes
}

/** Writes the file, and returns its size. @param {string} path */
function writeModel(path) {
  const all = matrices()
  const keys = {
    context_length: 8192,
    embedding_length: D,
    block_count: LAYERS,
    feed_forward_length: INNER,
    'attention.head_count': HEADS,
    'attention.head_count_kv': KV,
    'rope.dimension_count': SIZE,
  }
  /** @type {[string, import('../models/gguf/write-gguf.js').Value][]} */
  const metadata = [
    ['general.architecture', 'llama'],
    ...Object.entries(keys).map(([key, value]) => /** @type {[string, number]} */ ([`llama.${key}`, value])),
    ['llama.attention.layer_norm_rms_epsilon', { type: 'float32', value: 1e-5 }],
  ]
  /** @type {Map<string, Uint8Array>} */
  const made = new Map()
  const bytes = (/** @type {Matrix} */ matrix) => {
    const key = Object.values(matrix).join()
    const own = made.get(key) ?? bytesOf(matrix)
    made.set(key, own)
    return own
  }
  let offset = 0
  const list = Object.entries(all).map(([name, matrix]) => {
    const own = bytes(matrix)
    const tensor = { name: `${name}.weight`, matrix, offset, own }
    offset += Math.ceil(own.length / 32) * 32
    return tensor
  })
  const header = writeGguf(
    metadata,
    list.map(({ name, matrix: { rows, columns, type }, offset }) => ({
      name,
      dims: type === 'F32' ? [columns] : [rows, columns],
      type,
      bytes: new Uint8Array(0),
      offset,
    })),
  )
  const file = openSync(path, 'w')
  writeSync(file, header)
  for (const { own, offset } of list) writeSync(file, own, 0, own.length, header.length + offset)
  closeSync(file)
  return header.length + offset
}

/** Times three ways to read the file, in the page. @param {{ rounds: number, names: string[] }} asked @returns {Promise<Record<string, number[]>>} milliseconds */
async function measure({ rounds, names }) {
  const [{ load }, { loadModel }] = await Promise.all(names.map(name => import(new URL(name, location.href).href)))
  const qkv = await load()
  const [file] = /** @type {FileList} */ (/** @type {HTMLInputElement} */ (document.querySelector('input')).files)
  const ways = {
    'read as one stream': async () => {
      const reader = file.stream().getReader()
      while (!(await reader.read()).done);
    },
    'read in slices of 1 MiB': async () => {
      for (let at = 0; at < file.size; at += 2 ** 20) await file.slice(at, at + 2 ** 20).arrayBuffer()
    },
    loadModel: async () => (await loadModel(qkv, file, { tokenizer: false })).dispose(),
  }
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
  for (let n = -1; n < rounds; n++)
    for (const [way, run] of Object.entries(ways)) {
      const begun = performance.now()
      await run()
      if (n >= 0) times[way].push(performance.now() - begun) // the first round fills the cache of the disk
    }
  return times
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-gguf-'))
  const { server, url } = await serve()
  const { context, close } = await launch()
  try {
    const path = join(folder, 'model.gguf')
    const size = writeModel(path)
    const page = await context.newPage()
    page.setDefaultTimeout(600_000)
    await page.goto(url)
    await page.evaluate(() => {
      document.body.innerHTML = '<input type="file">'
    })
    await page.setInputFiles('input', path)
    const times = await page.evaluate(measure, {
      rounds: ROUNDS,
      names: ['../../src/entries/index.js', '../../src/entries/models.js'],
    })
    const median = (/** @type {number[]} */ list) => list.sort((a, b) => a - b)[list.length >> 1]
    const stream = median(times['read as one stream'])
    print([`${(size / 1e9).toFixed(2)} GB`, `median ms of ${ROUNDS}`, 'beside the stream'])
    print(['---', '---', '---'])
    for (const [way, list] of Object.entries(times))
      print([way, median(list).toFixed(0), (median(list) / stream).toFixed(2)])
  } finally {
    await close()
    server.close()
    rmSync(folder, { recursive: true })
  }
}

await report(main)
