// Writes a GGUF file with a Llama of width 2560 whose layers all have the same random blocks.

import { closeSync, openSync, writeSync } from 'node:fs'
import { writeGguf } from '../models/gguf/write-gguf.js'

const [D, HEADS, KV, INNER, VOCAB] = [2560, 20, 4, 6912, 49152]
const SIZE = D / HEADS

/** The type of most matrices and that of the others, for each type of file. */
const TYPES = /** @type {const} */ ({ Q4_K_M: ['Q4_K', 'Q6_K'], Q8_0: ['Q8_0', 'Q8_0'] })
/** @typedef {keyof typeof TYPES} FileType */
/** @typedef {{ rows: number, columns: number, type: 'F32' | 'Q4_K' | 'Q6_K' | 'Q8_0' }} Matrix */

/**
 * Lists the matrices with their types. In Q4_K_M the embeddings are Q6_K, and so are attn_v and ffn_down in every other layer.
 * @param {FileType} fileType @param {number} layers
 */
function matrices(fileType, layers) {
  const [usual, better] = TYPES[fileType]
  /** @type {Record<string, Matrix>} */
  const all = {
    token_embd: { rows: VOCAB, columns: D, type: better },
    output_norm: { rows: 1, columns: D, type: 'F32' },
  }
  for (let n = 0; n < layers; n++) {
    const type = n % 2 ? usual : better
    Object.assign(all, {
      [`blk.${n}.attn_norm`]: { rows: 1, columns: D, type: 'F32' },
      [`blk.${n}.attn_q`]: { rows: D, columns: D, type: usual },
      [`blk.${n}.attn_k`]: { rows: KV * SIZE, columns: D, type: usual },
      [`blk.${n}.attn_v`]: { rows: KV * SIZE, columns: D, type },
      [`blk.${n}.attn_output`]: { rows: D, columns: D, type: usual },
      [`blk.${n}.ffn_norm`]: { rows: 1, columns: D, type: 'F32' },
      [`blk.${n}.ffn_gate`]: { rows: INNER, columns: D, type: usual },
      [`blk.${n}.ffn_up`]: { rows: INNER, columns: D, type: usual },
      [`blk.${n}.ffn_down`]: { rows: D, columns: INNER, type },
    })
  }
  return all
}

/** size: bytes of 256 weights of a type; scales: byte offsets of their float16 scales. */
const BLOCKS = {
  F32: { size: 1024, scales: [] },
  Q4_K: { size: 144, scales: [0, 2] },
  Q6_K: { size: 210, scales: [208] },
  Q8_0: { size: 272, scales: [0, 34, 68, 102, 136, 170, 204, 238] },
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

/** Writes the file, and returns its size in bytes. @param {string} path @param {FileType} fileType @param {number} layers */
export function writeModel(path, fileType, layers) {
  const all = matrices(fileType, layers)
  const keys = {
    context_length: 8192,
    embedding_length: D,
    block_count: layers,
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
