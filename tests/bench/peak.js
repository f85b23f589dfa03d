// The machine's limits in WebAssembly: what a 4x8 register tile computes from L1, and what a summing loop reads.

const TILE_FLOPS = 2 * 4 * 8 * 128
const TIMES = 2000
const PAGE = 65536

/**
 * Both limits as candidates for `measure`, which runs them between the others.
 * @param {BufferSource} wasm of peak.c
 */
export async function loadPeak(wasm) {
  const module = await WebAssembly.compile(wasm)
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
