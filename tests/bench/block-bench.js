// node tests/bench/block-bench.js [rounds]: measures the product of one row of x by weights in the blocks of GGUF files. Compares it with products of
// int8 and int4, and with a loop that reads as many bytes in the same order. First the weights fit into a cache, then they don't. Prints the least
// processor time of many short rounds, because other programs may run.

import { load } from '../../src/entries/index.js'
import { packLinear } from '../../src/entries/nn.js'
import { writeBlocks } from '../models/gguf/blocks.js'
import { randomOf } from '../models/tokenizers/random-files.js'
import { compilePeak } from './compile.js'
import { measure } from './measure.js'
import { loadPeak } from './peak.js'

const ROUNDS = Number(process.argv[2] ?? 40)
const K = 2560
/** An address after the data and the stack of emcc's modules. */
const AT = 2 ** 24
/** Bits per weight in memory, by type. */
const BITS = { int8: 8, int4: 5, Q8_0: 8.5, Q4_0: 4.5, Q4_K: 4.625, Q5_K: 5.625, Q6_K: 6.5625 }
/** Returns the processor time of this process, in milliseconds. */
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const peak = await loadPeak(compilePeak())
const qkv = await load({ integers: true })
const x = qkv.alloc([1, K])
x.data.set(qkv.generator(1).randn([1, K]).data)
for (const { where, N } of [
  { where: 'in a cache', N: 256 },
  { where: 'from memory', N: 32768 },
]) {
  console.log(`${process.version}, ${where}: 1 x ${K} by ${N}`)
  const out = qkv.alloc([1, N])
  // The loop reads a separate memory, because its floats may not fit into the module's. The floats are written first, because pages that were never
  // written all map to the same physical page.
  const memory = new WebAssembly.Memory({ initial: Math.ceil((AT + N * K * 1.1) / 65536), maximum: 65536 })
  new Float32Array(memory.buffer, AT).fill(1)
  for (const [type, bits] of Object.entries(BITS)) {
    // Each type alternates with int4 alone, so that few weights are in memory at once.
    const layers = [type, 'int4'].map(dtype => {
      if (!/^Q/.test(dtype)) {
        const weight = { data: new Float32Array(N * K), dims: [N, K] }
        for (let i = 0; i < weight.data.length; i++) weight.data[i] = ((i * 2654435761) % 1024) / 1024 - 0.5
        return packLinear(qkv, weight, undefined, { dtype: /** @type {'int4'} */ (dtype) })
      }
      const { bytes } = writeBlocks(dtype, N * K, randomOf(1))
      return packLinear(qkv, /** @type {any} */ ({ data: bytes, dims: [N, K], dtype }))
    })
    const read = (/** @type {number} */ bits) =>
      peak.reads([{ memory, at: AT, length: Math.floor((N * K * bits) / 8 / 512) * 128 }], 'streams')
    const loop = await read(bits)
    const [own, int4, reading] = (
      await measure([...layers.map(layer => ({ run: () => layer.forward(x, { out }) })), loop], {
        samples: ROUNDS,
        now,
      })
    ).map(({ min }) => min)
    const rate = (/** @type {number} */ ms) => ((N * K * bits) / 8 / ms / 1e6).toFixed(1).padStart(5)
    console.log(
      `${type.padEnd(5)} ${own.toFixed(3).padStart(8)} ms, ${(own / int4).toFixed(2)} of int4 (by bytes ${(bits / BITS.int4).toFixed(2)}),` +
        ` ${rate(own)} GB/s; the loop ${rate(reading)} GB/s, ${(own / reading).toFixed(2)} times its time`,
    )
    for (const layer of layers) layer.dispose()
  }
  out.dispose()
}
