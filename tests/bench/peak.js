// The machine's limits in WebAssembly: what a 4x8 register tile computes from L1, and what a summing loop reads.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FLAGS = ['-std=c11', '-O3', '-msimd128', '-fno-unroll-loops', '--no-entry', '-sALLOW_MEMORY_GROWTH=1']
const TILE_FLOPS = 2 * 4 * 8 * 128
const TIMES = 2000
const PAGE = 65536

/** Compiles peak.c with emcc, which build.sh has installed. */
function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-peak-'))
  try {
    const wasm = join(folder, 'peak.wasm')
    execFileSync('emcc', [...FLAGS, fileURLToPath(new URL('./peak.c', import.meta.url)), '-o', wasm])
    return readFileSync(wasm)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Both limits as candidates for `measure`, which runs them between the others. */
export async function loadPeak() {
  const module = await WebAssembly.compile(compile())
  /** @param {number} bytes filled with small numbers */
  const start = async bytes => {
    const { exports } = await WebAssembly.instantiate(module)
    const { memory, tiles, sum } = /** @type {any} */ (exports)
    const at = memory.buffer.byteLength
    memory.grow(Math.ceil(bytes / PAGE))
    new Float32Array(memory.buffer, at).fill(1e-3)
    return { at, tiles, sum }
  }
  return {
    async arithmetic() {
      const { tiles, at } = await start(PAGE)
      return { flops: TILE_FLOPS * TIMES, run: () => tiles(at, TIMES) }
    },

    /** @param {number} bytes as many as the call beside it must read, a multiple of 128 */
    async reads(bytes) {
      const { sum, at } = await start(bytes)
      return { bytes, run: () => sum(at, bytes / 4) }
    },
  }
}
