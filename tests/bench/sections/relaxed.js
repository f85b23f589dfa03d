// Compares the build with relaxed SIMD with the peak of a tile that fuses multiply and add, and with the default build.
// On Node 20: node --experimental-wasm-relaxed-simd tests/bench/bench.js --only relaxed

import { load } from '../../../src/entries/index.js'
import { compileFusedPeak } from '../compile.js'
import { loadPeak } from '../peak.js'

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* relaxed({ peak, shape }) {
  const modules = [await load({ relaxed: true }), await load()]
  const fused = await (await loadPeak(compileFusedPeak())).arithmetic()
  const speedup = { isSpeedup: true, goal: '>= 1.2 where the fused peak is' }
  yield { name: 'a fused 4x8 tile from L1', ours: fused, beside: 'the default one', other: peak, ...speedup }
  for (const L of [512, 1024]) {
    const name = `attention H12 L${L} D64, relaxed`
    if (!name.includes(shape)) continue
    const [ours, other] = modules.map(qkv => {
      const { data } = qkv.generator(1).randn([12, L, 64])
      const [q, k, v, out] = [0, 1, 2, 3].map(() => qkv.alloc([12, L, 64]))
      for (const x of [q, k, v]) x.data.set(data)
      return { run: () => qkv.attention(q, k, v, { out }) }
    })
    yield { name, ours, beside: 'its own peak', other: fused, flops: 4 * 12 * L * L * 64, goal: '>= 0.80' }
    yield { name, ours, beside: 'default build', other, ...speedup }
  }
}
