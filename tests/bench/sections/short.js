// Measures the calls of a sentence model on short texts: attention over 32 texts of 20 or 64 tokens with 12 heads of size 32, and int8 products of
// 16 to 640 rows compared with float32.

import { load } from '../../../src/entries/index.js'
import { packLinear } from '../../../src/entries/nn.js'
import { reference } from '../attention-float64.js'
import { choose, openPeers } from '../peers/choose.js'
import { prepare } from '../peers/qkv.js'
import { flops } from '../shapes.js'
import { makeTask } from '../task.js'

const SHAPES = [20, 64].map(L => ({ name: `attention, B32 H12 L${L} D32`, H: 384, L, D: 32, causal: false }))

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* short({ peak, shape }) {
  const generator = (await load()).generator(1)
  const peers = await openPeers()
  for (const own of SHAPES.filter(({ name }) => name.includes(shape))) {
    const task = makeTask(own, generator)
    const { errorOf } = reference(task)
    const ours = await prepare(task)
    for (const [name, peer] of peers) {
      const choice = await choose(peer, task, errorOf, 1000)
      if ('failure' in choice) {
        yield { name: own.name, ours, beside: `${name}: ${choice.failure}`, goal: '>= 3' }
        continue
      }
      const { candidate } = choice
      const beside = `${name}, ${candidate.op}`
      yield {
        name: own.name,
        ours,
        beside,
        other: candidate,
        isSpeedup: true,
        goal: '>= 3',
        dispose: candidate.dispose,
      }
    }
    yield { name: own.name, ours, beside: 'peak', other: peak, flops: flops(own), goal: '', dispose: ours.dispose }
  }
  const qkv = await load({ integers: true })
  const [K, N] = [384, 1536]
  const weight = generator.randn([N, K])
  for (const M of [16, 128, 640]) {
    const name = `int8 product, ${M} rows, (${N}, ${K})`
    if (!name.includes(shape)) continue
    const [x, out] = [qkv.alloc([M, K]), qkv.alloc([M, N])]
    const rows = generator.randn([M, K])
    x.data.set(rows.data)
    const [ours, other] = /** @type {const} */ (['int8', 'float32']).map(dtype => {
      const layer = packLinear(qkv, weight, undefined, { dtype })
      return { run: () => layer.forward(x, { out }) }
    })
    yield { name, ours, beside: 'float32', other, isSpeedup: true, goal: '>= 1.6' }
  }
  qkv.dispose()
}
