// jax-js on its WebAssembly backend, which compiles a kernel for each graph. It needs Node 22 or later. It uses threads if there is a global Worker;
// onnxruntime-web defines one in Node, so withoutWorker hides it while jax-js runs.

/** @import { Candidate, Task } from '../task.js' */

const PACKAGE = '@jax-js/jax' // in a variable, so that the type checker does not look it up

export async function open() {
  if (!('withResolvers' in Promise)) throw new Error('needs Node 22')
  const jax = await withoutWorker(async () => {
    const jax = await import(PACKAGE) // jax-js looks for Worker already when it is loaded
    await jax.init('wasm')
    return jax
  })
  jax.defaultDevice('wasm')
  return (/** @type {Task} */ task) => (task.weights ? multihead(jax, task, task.weights) : attention(jax, task))
}

/**
 * Makes a candidate. A function of jax-js frees its arguments; `ref` keeps an array for the next call.
 * @param {string} op
 * @param {(...inputs: any[]) => any} compute
 * @param {() => any[]} inputs
 * @param {any[]} held arrays that stay between calls
 * @returns {Candidate}
 */
function candidate(op, compute, inputs, held) {
  const run = () => withoutWorker(async () => (await compute(...inputs(), ...held.map(array => array.ref))).data())
  const dispose = () => {
    for (const array of held) array.dispose()
  }
  return { op, run, output: run, dispose }
}

/** @template T @param {() => Promise<T>} action */
async function withoutWorker(action) {
  const { Worker } = globalThis
  Object.assign(globalThis, { Worker: undefined })
  try {
    return await action()
  } finally {
    Object.assign(globalThis, { Worker })
  }
}

/** Computes softmax(q k^T / sqrt(D)) v of (H, L, D) by two matrix products. @param {any} jax @param {any} q @param {any} k @param {any} v @param {number} D */
const byProducts = ({ numpy, nn }, q, k, v, D) =>
  numpy.matmul(nn.softmax(numpy.matmul(q, numpy.transpose(k, [0, 2, 1])).mul(1 / Math.sqrt(D)), -1), v)

/** Calls dotProductAttention, which takes (L, H, D). @param {any} jax @param {any} q @param {any} k @param {any} v @param {boolean} isCausal */
function fused({ numpy, nn }, q, k, v, isCausal) {
  const swap = (/** @type {any} */ x) => numpy.transpose(x, [1, 0, 2])
  return swap(nn.dotProductAttention(swap(q), swap(k), swap(v), { isCausal }))
}

/** @param {any} jax @param {Task} task @returns {Record<string, () => Candidate>} */
function attention(jax, { shape, q, k, v }) {
  const { H, L, S = L, D, causal = false, resident } = shape
  const array = (/** @type {Float32Array} */ x, /** @type {number} */ rows) => jax.numpy.array(x).reshape([H, rows, D])
  /** @param {string} op @param {(q: any, k: any, v: any) => any} compute */
  const make = (op, compute) => () => {
    const compiled = jax.jit(compute)
    if (resident) return candidate(op, compiled, () => [array(q, L)], [array(k, S), array(v, S)])
    return candidate(op, compiled, () => [array(q, L), array(k, S), array(v, S)], [])
  }
  return {
    dotProductAttention: make('dotProductAttention', (q, k, v) => fused(jax, q, k, v, causal)),
    ...(!causal && { matmul: make('matmul', (q, k, v) => byProducts(jax, q, k, v, D)) }),
  }
}

/** @param {any} jax @param {Task} task @param {import('../task.js').Weights} weights @returns {Record<string, () => Candidate>} */
function multihead(jax, { shape, q }, { inProj, inBias, outProj, outBias }) {
  const { numpy, nn } = jax
  const { B = 1, H, L, D } = shape
  const E = H * D
  const compute = jax.jit((/** @type {any[]} */ ...[x, wIn, bIn, wOut, bOut]) => {
    const all = numpy.matmul(x, numpy.transpose(wIn)).add(bIn)
    const [query, key, value] = [0, 1, 2].map(i => all.ref.slice([], [i * E, (i + 1) * E]).reshape([B, L, H, D]))
    const heads = nn.dotProductAttention(query, key, value).reshape([B * L, E])
    all.dispose()
    return numpy.matmul(heads, numpy.transpose(wOut)).add(bOut)
  })
  const array = (/** @type {Float32Array} */ x, /** @type {number[]} */ dims) => numpy.array(x).reshape(dims)
  return {
    dotProductAttention: () =>
      candidate('dotProductAttention', compute, () => [array(q, [B * L, E])], [
        array(inProj, [3 * E, E]),
        array(inBias, [3 * E]),
        array(outProj, [E, E]),
        array(outBias, [E]),
      ]),
  }
}
