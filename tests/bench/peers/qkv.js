// qkv, by its public API.

import { load } from '../../../src/entries/index.js'
import { multiheadAttention } from '../../../src/entries/nn.js'
import { coreOf } from '../../../src/runtime/core-of.js'

/** @import { Candidate, Task } from '../task.js' */
/** @import { Qkv } from '../../../src/qkv.js' */

/**
 * Makes a candidate with a fresh module, so that the memory of the module is that of the task.
 * @param {Task} task
 * @param {number} [threads]
 * @returns {Promise<Candidate>}
 */
export async function prepare(task, threads = 1) {
  const { shape, weights } = task
  const qkv = await load({ threads })
  const start = qkv.memory.size
  const memory = () => qkv.memory.size - start
  const dispose = () => qkv.dispose()
  if (weights) return { op: 'MultiheadAttention.forward', ...multihead(qkv, task, weights), memory, dispose }
  return { op: 'attention', ...(shape.resident ? residentAttention : attention)(qkv, task), memory, dispose }
}

/**
 * Makes calls with typed arrays in and out.
 * @param {Qkv} qkv
 * @param {Task} task
 */
function attention(qkv, { shape, q, k, v }) {
  const { H, L, S = L, D, causal } = shape
  const query = { data: q, dims: [H, L, D] }
  const [key, value] = [k, v].map(data => ({ data, dims: [H, S, D] }))
  const options = causal ? { causal } : {}
  const run = () => qkv.attention(query, key, value, options).output.data
  return { run, output: run }
}

/**
 * Makes calls with all tensors in the module's memory.
 * @param {Qkv} qkv
 * @param {Task} task
 */
function residentAttention(qkv, { shape, q, k, v }) {
  const { H, L, S = L, D, causal } = shape
  const put = (/** @type {Float32Array} */ data, /** @type {number} */ rows) => {
    const tensor = qkv.alloc([H, rows, D])
    tensor.data.set(data)
    return tensor
  }
  const [query, key, value, out] = [put(q, L), put(k, S), put(v, S), qkv.alloc([H, L, D])]
  const options = { out, ...(causal && { causal }) }
  const run = () => qkv.attention(query, key, value, options)
  const { memory } = /** @type {import('../../../src/runtime/memory.js').Core} */ (coreOf(qkv)).exports
  const keyValues = [key, value].map(({ data }) => ({ memory, at: data.byteOffset, length: data.length }))
  return { run, output: () => run().output.data.slice(), keyValues }
}

/**
 * @param {Qkv} qkv
 * @param {Task} task
 * @param {import('../task.js').Weights} weights
 */
function multihead(qkv, { shape, q }, { inProj, inBias, outProj, outBias }) {
  const { B = 1, H, L, D } = shape
  const E = H * D
  const mha = multiheadAttention(qkv.generator(0), E, H)
  mha.loadStateDict({
    in_proj_weight: { data: inProj, dims: [3 * E, E] },
    in_proj_bias: { data: inBias, dims: [3 * E] },
    'out_proj.weight': { data: outProj, dims: [E, E] },
    'out_proj.bias': { data: outBias, dims: [E] },
  })
  const x = { data: q, dims: [B, L, E] }
  const run = () => mha.forward(x, x, x, { needWeights: false }).output.data
  return { run, output: run }
}
