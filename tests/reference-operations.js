// The operations of qkv/nn in plain JavaScript and float64, written like the formulas: the reference for their gradients.

/** @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Input */
/** @typedef {Record<string, Input>} Inputs by the names of the operands */

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x))

/** The lines of the last axis. @param {Input} x @returns {number[][]} */
function rows({ data, dims }) {
  const C = dims[dims.length - 1]
  return Array.from({ length: data.length / C }, (_, r) => Array.from({ length: C }, (_, c) => data[r * C + c]))
}

/** Normal distribution: erf by its series, all of whose terms are positive. @param {number} x */
function phi(x) {
  const z = Math.abs(x) / Math.SQRT2
  let [term, total] = [z, z]
  for (let n = 1; term > 1e-18 * total; n++) {
    term *= (2 * z * z) / (2 * n + 1)
    total += term
  }
  const erf = z > 8 ? 1 : (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * total
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

/** @type {Record<string, (x: number) => number>} */
const ACTIVATIONS = {
  none: x => x,
  gelu: x => x * phi(x),
  gelu_tanh: x => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  relu: x => Math.max(x, 0),
  silu: x => x * sigmoid(x),
}

/** @param {Input} x @param {Input | undefined} weight @param {Input | undefined} bias @param {{ eps: number, plusOne?: boolean }} options @param {boolean} center */
const norm = (x, weight, bias, { eps, plusOne }, center) =>
  rows(x).flatMap(row => {
    const mean = center ? sum(row) / row.length : 0
    const variance = sum(row.map(a => (a - mean) ** 2)) / row.length
    const gain = (/** @type {number} */ c) => (weight ? weight.data[c] + (plusOne ? 1 : 0) : 1)
    return row.map((a, c) => ((a - mean) / Math.sqrt(variance + eps)) * gain(c) + (bias?.data[c] ?? 0))
  })

/** @param {(x: number) => number} f @param {Input} x @param {Input | undefined} up */
function gated(f, x, up) {
  if (up) return Array.from(x.data, (a, n) => f(a) * up.data[n])
  return rows(x).flatMap(row => row.slice(0, row.length / 2).map((a, c) => f(a) * row[row.length / 2 + c]))
}

/** @param {number[]} line */
function softmaxOf(line) {
  const most = Math.max(...line)
  const exponentials = line.map(x => Math.exp(x - most))
  return exponentials.map(x => x / sum(exponentials))
}

/** (B, rows, heads * size) or without B; starts: where the heads begin in a row. @param {Input} x @param {number} b @param {number} i @param {number} h @param {number} size @param {number} start */
function headOf({ data, dims }, b, i, h, size, start = 0) {
  const [L, width] = dims.slice(-2)
  return Array.from({ length: size }, (_, d) => data[(b * L + i) * width + start + h * size + d])
}

/** Each returns the values of the output. @type {Record<string, (inputs: any, options: any) => number[]>} */
export const OPERATIONS = {
  linear({ x, weight, bias, residual }, { layout, activation = 'none' }) {
    const isTransposed = layout === 'in,out'
    const [N, K] = isTransposed ? [...weight.dims].reverse() : weight.dims
    return rows(x).flatMap((row, m) =>
      Array.from({ length: N }, (_, n) => {
        const products = row.map((a, k) => a * weight.data[isTransposed ? k * N + n : n * K + k])
        return ACTIVATIONS[activation](sum(products) + (bias?.data[n] ?? 0)) + (residual?.data[m * N + n] ?? 0)
      }),
    )
  },
  attention({ q, k, v, bias, sinks }, { numHeads: H, kvHeads: G = H, causal, softcap, window, scale }) {
    const packed = !k
    const width = q.dims.at(-1)
    const D = packed ? width / (H + 2 * G) : width / H
    const E = packed ? D : v.dims.at(-1) / G
    const B = q.dims.length > 2 ? q.dims[0] : 1
    const [L, S] = [q.dims.at(-2), (packed ? q : k).dims.at(-2)]
    const [left, right] = window ?? [Infinity, causal ? 0 : Infinity]
    /** @type {number[]} */
    const out = []
    for (let b = 0; b < B; b++)
      for (let i = 0; i < L; i++)
        for (let h = 0; h < H; h++) {
          const g = Math.floor(h / (H / G))
          const query = headOf(q, b, i, h, D)
          const keys = Array.from({ length: S }, (_, j) => headOf(packed ? q : k, b, j, g, D, packed ? H * D : 0))
          const scores = keys.map((key, j) => {
            const scaled = sum(key.map((x, d) => x * query[d])) * (scale ?? 1 / Math.sqrt(D))
            const capped = softcap ? softcap * Math.tanh(scaled / softcap) : scaled
            return j - i > right || i - j > left ? -Infinity : capped + (bias ? bias.data[(h * L + i) * S + j] : 0)
          })
          const weights = softmaxOf([...scores, ...(sinks ? [sinks.data[h]] : [])]).slice(0, S)
          const values = weights.map((_, j) => headOf(packed ? q : v, b, j, g, E, packed ? (H + G) * D : 0))
          for (let e = 0; e < E; e++) out.push(sum(weights.map((w, j) => w * values[j][e])))
        }
    return out
  },
  rope({ x }, { numHeads, interleaved, rotaryDim, base = 10000, positions, pastLength = 0 }) {
    const [L, width] = x.dims.slice(-2)
    const D = width / (numHeads ?? 1)
    const turning = rotaryDim ?? D
    return rows(x).flatMap((row, n) => {
      const position = positions ? positions[n % L] : (n % L) + pastLength
      const out = [...row]
      for (let h = 0; h < width / D; h++)
        for (let d = 0; d < turning / 2; d++) {
          const [a, b] = interleaved ? [2 * d, 2 * d + 1] : [d, d + turning / 2]
          const angle = position * base ** ((-2 * d) / turning)
          const [p, q] = [h * D + a, h * D + b]
          out[p] = row[p] * Math.cos(angle) - row[q] * Math.sin(angle)
          out[q] = row[q] * Math.cos(angle) + row[p] * Math.sin(angle)
        }
      return out
    })
  },
  softmax({ x }, { axis = -1 }) {
    const at = axis < 0 ? axis + x.dims.length : axis
    const inner = x.dims.slice(at + 1).reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1)
    const size = x.dims[at]
    return Array.from(x.data, (_, n) => {
      const c = Math.floor(n / inner) % size
      const line = Array.from({ length: size }, (_, i) => x.data[n + (i - c) * inner])
      return softmaxOf(line)[c]
    })
  },
  layerNorm: ({ x, weight, bias }, { eps = 1e-5 }) => norm(x, weight, bias, { eps }, true),
  rmsNorm: ({ x, weight }, { eps = 2 ** -23, plusOne }) => norm(x, weight, undefined, { eps, plusOne }, false),
  gelu: ({ x }, { approximate }) => Array.from(x.data, ACTIVATIONS[approximate === 'tanh' ? 'gelu_tanh' : 'gelu']),
  relu: ({ x }) => Array.from(x.data, ACTIVATIONS.relu),
  silu: ({ x }) => Array.from(x.data, ACTIVATIONS.silu),
  swiglu: ({ x, up }) => gated(ACTIVATIONS.silu, x, up),
  geglu: ({ x, up }, { approximate }) => gated(ACTIVATIONS[approximate === 'tanh' ? 'gelu_tanh' : 'gelu'], x, up),
  add: ({ a, b }) => Array.from(a.data, (x, n) => x + b.data[n % b.data.length]),
  mul: ({ a, b }) => Array.from(a.data, (x, n) => x * b.data[n % b.data.length]),
  relativeBias({ table }, { L, S }) {
    const [H, T] = table.dims
    return Array.from({ length: H * L * S }, (_, n) => {
      const [h, i, j] = [Math.floor(n / (L * S)), Math.floor(n / S) % L, n % S]
      return table.data[h * T + Math.min(T - 1, Math.max(0, i - j))]
    })
  },
  /** factors: 0, or 1 / (1 - p) */
  dropout: ({ x }, { factors }) => Array.from(x.data, (a, n) => a * factors[n]),
  embedding: ({ weight }, { ids }) => ids.flatMap((/** @type {number} */ id) => rows(weight)[id]),
  reshape: ({ x }) => [...x.data],
  crossEntropy({ logits }, { targets, ignoreIndex = -100, labelSmoothing: s = 0, reduction = 'mean', weights }) {
    const V = logits.dims.at(-1)
    let [loss, total] = [0, 0]
    rows(logits).forEach((line, r) => {
      if (targets[r] === ignoreIndex) return
      const most = Math.max(...line)
      const logSum = most + Math.log(sum(line.map(z => Math.exp(z - most))))
      const w = weights?.[r] ?? 1
      loss += w * ((1 - s) * (logSum - line[targets[r]]) + (s / V) * sum(line.map(z => logSum - z)))
      total += w
    })
    return [reduction === 'mean' ? loss / total : loss]
  },
}

/**
 * The gradients of sum(dY * f(inputs)) by central differences.
 * @param {(inputs: Inputs) => number[]} f
 * @param {Inputs} inputs
 * @param {ArrayLike<number>} dY
 * @returns {Record<string, Input>}
 */
export function differences(f, inputs, dY) {
  const total = (/** @type {Inputs} */ at) => sum(f(at).map((y, n) => y * dY[n]))
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { data, dims }]) => {
      const values = Float64Array.from(data)
      const gradient = values.map((x, n) => {
        const step = 1e-5 * Math.max(1, Math.abs(x))
        const [up, down] = [step, -step].map(h => {
          values[n] = x + h
          return total({ ...inputs, [name]: { data: values, dims } })
        })
        values[n] = x
        return (up - down) / (2 * step)
      })
      return [name, { data: gradient, dims }]
    }),
  )
}
