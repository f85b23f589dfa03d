// TensorFlow.js on its WebAssembly backend, which has one thread in Node. It multiplies two plain matrices fast. A product of (H, L, D), or of a
// transposed operand, is a scalar loop, which is ten times slower unless there is a single query.

import { causalMask } from './onnxruntime.js'

/** @import { Candidate, Task } from '../task.js' */

const PACKAGES = ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'] // in a variable, so that the type checker does not look it up

/** @param {import('./choose.js').Place} place */
export async function open({ threads = 1, from }) {
  const [tf, backend] = await Promise.all(PACKAGES.map(name => import(name)))
  if (from) backend.setWasmPaths(`${from}${PACKAGES[1]}/dist/`)
  if (threads === 1) tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false)
  else backend.setThreadsCount(threads)
  await tf.setBackend('wasm')
  await tf.ready()
  return (/** @type {Task} */ task) => (task.weights ? multihead(tf, task, task.weights) : attention(tf, task))
}

/**
 * @param {any} tf
 * @param {string} op
 * @param {() => Float32Array} compute
 * @param {any[]} held tensors that stay between calls
 * @returns {Candidate}
 */
function candidate(tf, op, compute, held) {
  const run = () => {
    tf.engine().startScope()
    try {
      return compute()
    } finally {
      tf.engine().endScope()
    }
  }
  return { op, run, output: run, dispose: () => tf.dispose(held) }
}

/**
 * Computes softmax(q k^T / sqrt(D)) v.
 * @param {any} tf
 * @param {any} q
 * @param {any} kT
 * @param {any} v
 * @param {any} [mask]
 */
function attend(tf, q, kT, v, mask) {
  const scaled = tf.matMul(tf.mul(q, 1 / Math.sqrt(q.shape.at(-1))), kT)
  return tf.matMul(tf.softmax(mask ? tf.add(scaled, mask) : scaled), v)
}

/**
 * @param {any} tf
 * @param {Task} task
 * @returns {Record<string, () => Candidate>}
 */
function attention(tf, { shape, q, k, v }) {
  const { H, L, S = L, D, causal, resident } = shape
  const variants = {
    'matMul by head': () => {
      const mask = causal ? [tf.tensor(causalMask(L), [L, L])] : []
      const take = (/** @type {Float32Array} */ x, /** @type {number} */ h, /** @type {number} */ rows) =>
        tf.tensor(x.subarray(h * rows * D, (h + 1) * rows * D), [rows, D])
      const keysOf = (/** @type {number} */ h) => [tf.transpose(take(k, h, S)), take(v, h, S)]
      const held = resident ? Array.from({ length: H }, (_, h) => keysOf(h)) : []
      const compute = () => {
        const output = new Float32Array(H * L * D)
        for (let h = 0; h < H; h++) {
          const [kT, value] = held[h] ?? keysOf(h)
          output.set(attend(tf, take(q, h, L), kT, value, mask[0]).dataSync(), h * L * D)
        }
        return output
      }
      return candidate(tf, 'matMul by head', compute, [...held, ...mask])
    },
    matMul: () => {
      const [key, value] = [k, v].map(x => tf.tensor(x, [H, S, D]))
      const compute = () => {
        const scaled = tf.matMul(tf.mul(tf.tensor(q, [H, L, D]), 1 / Math.sqrt(D)), key, false, true)
        return tf.matMul(tf.softmax(scaled), value).dataSync()
      }
      return candidate(tf, 'matMul', compute, [key, value])
    },
  }
  if (L > 1) return { 'matMul by head': variants['matMul by head'] }
  return variants
}

/**
 * @param {any} tf
 * @param {Task} task
 * @param {import('../task.js').Weights} weights
 * @returns {Record<string, () => Candidate>}
 */
function multihead(tf, { shape, q }, { inProj, inBias, outProj, outBias }) {
  const { B = 1, H, L, D } = shape
  const E = H * D
  return {
    'matMul by head': () => {
      const matrix = (/** @type {Float32Array} */ w) => tf.transpose(tf.tensor(w, [E, E]))
      const thirds = (/** @type {Float32Array} */ x) =>
        [0, 1, 2].map(i => x.subarray((i * x.length) / 3, ((i + 1) * x.length) / 3))
      const wIn = thirds(inProj).map(matrix)
      const bIn = thirds(inBias).map(b => tf.tensor(b))
      const [wOut, bOut] = [matrix(outProj), tf.tensor(outBias)]
      const compute = () => {
        const x = tf.tensor(q, [B * L, E])
        const [queries, keys, values] = wIn.map((w, i) => {
          const projected = tf.reshape(tf.add(tf.matMul(x, w), bIn[i]), [B, L, H, D])
          return tf.unstack(tf.reshape(tf.transpose(projected, [0, 2, 1, 3]), [B * H, L, D]))
        })
        const heads = queries.map((/** @type {any} */ query, /** @type {number} */ h) =>
          attend(tf, query, tf.transpose(keys[h]), values[h]),
        )
        const joined = tf.transpose(tf.reshape(tf.concat(heads), [B, H, L, D]), [0, 2, 1, 3])
        return tf.add(tf.matMul(tf.reshape(joined, [B * L, E]), wOut), bOut).dataSync()
      }
      return candidate(tf, 'matMul by head', compute, [wIn, bIn, wOut, bOut])
    },
  }
}
