// Measures the machine's limits in WebAssembly: a 4x8 register tile in L1, a summing loop and a copying loop.

const TILE_FLOPS = 2 * 4 * 8 * 128
const TIMES = 2000
const PAGE = 65536
const OWN = 2 ** 24 // an address after the data and the stack of peak.wasm

/** `length` floats at address `at` in the memory of a module. @typedef {{ memory: WebAssembly.Memory, at: number, length: number }} Place */

/**
 * Returns functions that turn the loops of peak.c into candidates for `measure`.
 * @param {BufferSource} wasm of peak.c
 */
export async function loadPeak(wasm) {
  const module = await WebAssembly.compile(wasm)
  const start = async (/** @type {WebAssembly.Memory} */ memory) =>
    /** @type {any} */ (await WebAssembly.instantiate(module, { env: { memory } })).exports
  return {
    async arithmetic() {
      const memory = new WebAssembly.Memory({ initial: (OWN + PAGE) / PAGE, maximum: 65536 })
      new Float32Array(memory.buffer, OWN).fill(1e-3)
      const { tiles } = await start(memory)
      return { flops: TILE_FLOPS * TIMES, run: () => tiles(OWN, TIMES) }
    },

    /**
     * Makes a candidate that reads the floats at `places`, in place.
     * @param {readonly Place[]} places multiples of 32 floats
     * @param {'sum' | 'streams' | 'widened'} [loop] sum: one stream; streams: four streams, each place a multiple of 128 floats; widened:
     *   four streams of float16
     */
    async reads(places, loop = 'sum') {
      const sums = await Promise.all(
        places.map(async ({ memory, at, length }) => {
          const loops = await start(memory)
          return () => loops[loop](at, length)
        }),
      )
      const bytes = 4 * places.reduce((all, { length }) => all + length, 0)
      return { bytes, run: () => sums.map(sum => sum()) }
    },

    /** Makes a candidate that copies bytes / 2, so it reads and writes `bytes` in total. @param {number} bytes */
    async copies(bytes) {
      const n = Math.ceil(bytes / 2 / 128) * 32
      const memory = new WebAssembly.Memory({ initial: Math.ceil((OWN + 8 * n) / PAGE), maximum: 65536 })
      new Float32Array(memory.buffer, OWN).fill(1) // pages that were never written all map to the same physical page
      const { copy } = await start(memory)
      return { run: () => copy(OWN, OWN + 4 * n, n) }
    },
  }
}
