// npm run bench: the fused kernel, the trace and the projections beside the same loops in plain JavaScript, turn by
// turn in one run; median of several. GFLOP/s count 4 H L S D for attention (half of it when causal) and 2 M K N for
// a projection. The error is the largest difference from the float64 loop.

import { load } from 'qkv'

const SAMPLES = 7
const SHAPES = [
  { H: 1, L: 6, D: 16 },
  { H: 12, L: 128, D: 64 },
  { H: 4, L: 512, D: 64 },
  { H: 4, L: 512, D: 64, causal: true },
  { H: 2, L: 1024, D: 128 },
  { H: 3, L: 127, D: 13 },
]

/**
 * softmax(q k^T / sqrt(D)) v of H heads of (L, D), in float64.
 * @param {Float32Array} q
 * @param {Float32Array} k
 * @param {Float32Array} v
 * @param {{ H: number, L: number, D: number, causal?: boolean }} shape
 */
function plainAttention(q, k, v, { H, L, D, causal }) {
  const output = new Float64Array(H * L * D)
  const row = new Float64Array(L)
  for (let h = 0; h < H; h++)
    for (let i = 0; i < L; i++) {
      const seen = causal ? i + 1 : L
      let maximum = -Infinity
      for (let j = 0; j < seen; j++) {
        let sum = 0
        for (let d = 0; d < D; d++) sum += q[(h * L + i) * D + d] * k[(h * L + j) * D + d]
        row[j] = sum / Math.sqrt(D)
        maximum = Math.max(maximum, row[j])
      }
      let total = 0
      for (let j = 0; j < seen; j++) total += row[j] = Math.exp(row[j] - maximum)
      for (let j = 0; j < seen; j++)
        for (let d = 0; d < D; d++) output[(h * L + i) * D + d] += (row[j] / total) * v[(h * L + j) * D + d]
    }
  return output
}

/**
 * x W^T of (M, K) and (N, K), in float64.
 * @param {Float32Array} x
 * @param {Float32Array} w
 * @param {number} M
 * @param {number} K
 * @param {number} N
 */
function plainLinear(x, w, M, K, N) {
  const y = new Float64Array(M * N)
  for (let m = 0; m < M; m++)
    for (let n = 0; n < N; n++) {
      let sum = 0
      for (let k = 0; k < K; k++) sum += x[m * K + k] * w[n * K + k]
      y[m * N + n] = sum
    }
  return y
}

/**
 * Milliseconds of each candidate, in turn, so that all see the same machine.
 * @param {(() => unknown)[]} candidates
 */
function medians(candidates) {
  const times = candidates.map(() => /** @type {number[]} */ ([]))
  for (let sample = 0; sample <= SAMPLES; sample++)
    candidates.forEach((run, c) => {
      let runs = 0
      const start = performance.now()
      do {
        run()
        runs++
      } while (performance.now() - start < (sample ? 5 : 100)) // the first one warms up
      if (sample > 0) times[c].push((performance.now() - start) / runs)
    })
  return times.map(list => list.sort((a, b) => a - b)[SAMPLES >> 1])
}

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want */
const largestError = (got, want) => Array.from(want).reduce((most, x, i) => Math.max(most, Math.abs(x - got[i])), 0)

/** @param {string} name @param {number} flops @param {number[]} times [ours, plain] @param {number} error */
function print(name, flops, [ours, plain], error) {
  const speed = (/** @type {number} */ ms) => (flops / ms / 1e6).toFixed(1).padStart(6)
  console.log(
    `${name.padEnd(34)} ${ours.toFixed(4).padStart(9)} ms ${speed(ours)} GFLOP/s` +
      `   plain JavaScript ${speed(plain)} GFLOP/s   ratio ${(plain / ours).toFixed(1).padStart(5)}   error ${error.toExponential(1)}`,
  )
}

const qkv = await load()
const g = qkv.generator(123)
for (const shape of SHAPES) {
  const { H, L, D, causal = false } = shape
  const [q, k, v] = [0, 1, 2].map(() => g.randn([H, L, D]))
  const plain = () => plainAttention(q.data, k.data, v.data, shape)
  const flops = 4 * H * L * L * D * (causal ? 0.5 : 1)
  for (const [kernel, run] of /** @type {const} */ ([
    ['attention', () => qkv.attention(q, k, v, { causal }).output],
    ['trace', () => qkv.trace(q, k, v, { causal }).output],
  ])) {
    const name = `${kernel} H${H} L${L} D${D}${causal ? ' causal' : ''}`
    print(name, flops, medians([run, plain]), largestError(run().data, plain()))
  }
}
const [M, K, N] = [600, 512, 512]
const x = g.randn([M, K])
const layer = g.linear(K, N, { bias: false })
const plain = () => plainLinear(x.data, layer.weight.data, M, K, N)
print(
  `linear ${M}x${K}x${N}`,
  2 * M * K * N,
  medians([() => layer.forward(x), plain]),
  largestError(layer.forward(x).data, plain()),
)
