// Compares attention with a summary with attention without one, resident. Also measures windows of attention weights.

import { load } from '../../../src/entries/index.js'
import { attentionWindow } from '../../../src/entries/nn.js'

/** @type {[name: string, H: number, L: number, options: object, summary: object, goal: string, samples?: number][]} */
const ROWS = [
  ['map 512 x 512, top 8: H1 L16384 causal', 1, 16384, { causal: true }, { map: [512, 512], topK: 8 }, '<= 1.3', 5],
  ['map 512 x 512, top 8: H12 L1024', 12, 1024, {}, { map: [512, 512], topK: 8 }, '<= 1.25'],
  ['map 512 x 512, top 8: H12 L1024 causal', 12, 1024, { causal: true }, { map: [512, 512], topK: 8 }, '<= 1.25'],
  ['map 64 x 64, top 8: H12 L1024 causal', 12, 1024, { causal: true }, { map: [64, 64], topK: 8 }, '<= 1.25'],
  ['logSumExp, entropy: H12 L1024', 12, 1024, {}, { logSumExp: true, entropy: true }, '<= 1.08'],
  ['logSumExp, entropy: H12 L1024 causal', 12, 1024, { causal: true }, { logSumExp: true, entropy: true }, '<= 1.08'],
]

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* summary({ shape, threads }) {
  const g = (await load()).generator(1)
  for (const [name, H, L, options, asked, goal, samples] of ROWS) {
    if (!name.includes(shape)) continue
    const qkv = await load({ threads })
    const values = [0, 1, 2].map(() => g.randn([H, L, 64]).data)
    const [q, k, v, out] = [0, 1, 2, 3].map(() => qkv.alloc([H, L, 64]))
    for (const [n, x] of [q, k, v].entries()) x.data.set(values[n])
    const run = (/** @type {object} */ more) => qkv.attention(q, k, v, { out, ...options, ...more })
    const plain = () => run({})
    plain()
    const before = qkv.memory.size
    const made = run({ summary: asked }).summary
    const tensors = Object.values(/** @type {object} */ (made)).reduce((sum, { data }) => sum + data.byteLength, 0)
    const beyond = Math.max(0, qkv.memory.size - before - tensors) / 2 ** 20
    yield {
      name,
      ours: { run: () => run({ summary: asked }) },
      beside: 'attention',
      other: { run: plain },
      goal,
      samples,
      note: () => `${beyond.toFixed(2)} MiB beyond q, k, v, output and summary (goal 8)`,
      dispose: () => qkv.dispose(),
    }
  }
  const qkv = await load({ threads })
  const L = 16384
  const [q, k, v] = [0, 1, 2].map(() => g.randn([L, 64]))
  const seen = qkv.attention(q, k, v, { causal: true, summary: { logSumExp: true } }).summary
  const part = (/** @type {number} */ side, /** @type {object} */ more) => () =>
    attentionWindow(qkv, q, k, {
      causal: true,
      logSumExp: seen?.logSumExp,
      rows: [L - side, L],
      columns: [Math.max(0, L - 2 * side), Math.max(side, L - side)],
      ...more,
    })
  const one = 'window of 64 x 64 with logSumExp: H1 L16384 D64'
  if (one.includes(shape)) yield { name: one, ours: { run: part(64, {}) }, beside: '-', goal: '< 2 ms' }
  for (const side of [256, 1024, 2048, 4096, L]) {
    const name = `window of ${side} x ${side} in 128 x 128 cells: H1 L16384 D64`
    const run = part(side, { resolution: [128, 128] })
    if (name.includes(shape))
      yield { name, ours: { run }, beside: '-', goal: side <= 2048 ? '< 50 ms' : '', samples: 7 }
  }
  qkv.dispose()
}
