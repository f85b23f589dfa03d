// onnxruntime-web on its WebAssembly backend, with each operator that can do the task.

import { encodeModel } from './onnx.js'

/** @import { Candidate, Task } from '../task.js' */
/** @import { Node } from './onnx.js' */
/** @typedef {import('./onnx.js').Value & { data: Float32Array, dims: number[] }} Given */

const PACKAGE = 'onnxruntime-web' // in a variable, so that the type checker does not look it up: it may not be installed
const LARGEST_MASK = 4096 // the largest L whose causal mask becomes a constant of the model; with larger masks a model would exceed protobuf's 2 GiB

/** @param {import('./choose.js').Place} place */
export async function open({ threads = 1 }) {
  const ort = await import(PACKAGE)
  ort.env.wasm.numThreads = threads
  ort.env.logLevel = 'fatal'
  return (/** @type {Task} */ task) => (task.weights ? multihead(ort, task, task.weights) : attention(ort, task))
}

/**
 * Makes a candidate that runs a graph with typed arrays in and out. Constants stay in onnxruntime's memory.
 * @param {any} ort
 * @param {string} op
 * @param {{ nodes: Node[], inputs: Given[], constants?: Given[], dims: number[] }} graph dims of its output, y
 * @param {(y: Float32Array) => Float32Array} [arrange] converts the output to our layout
 * @returns {Promise<Candidate>}
 */
async function session(ort, op, { nodes, inputs, constants, dims }, arrange = y => y) {
  const model = encodeModel({ nodes, inputs, constants, outputs: [{ name: 'y', dims }] })
  const session = await ort.InferenceSession.create(model)
  const run = async () => {
    const feeds = Object.fromEntries(inputs.map(x => [x.name, new ort.Tensor('float32', x.data, x.dims)]))
    return (await session.run(feeds)).y.data
  }
  return { op, run, output: async () => arrange(await run()), dispose: () => session.release() }
}

/**
 * @param {any} ort
 * @param {Task} task
 * @returns {Record<string, () => Promise<Candidate>>} by operator
 */
function attention(ort, { shape, q, k, v }) {
  const { H, L, S = L, D, causal, resident } = shape
  /** @param {string} op @param {Given[]} operands q, k, v @param {Node[]} nodes @param {Given[]} [constants] */
  const build = (op, operands, nodes, constants = []) => {
    const [query, ...keys] = operands
    const graph = resident
      ? { nodes, inputs: [query], constants: [...keys, ...constants] }
      : { nodes, inputs: operands, constants }
    const areRows = query.dims.length === 3
    return session(ort, op, { ...graph, dims: query.dims }, areRows ? y => swapAxes(y, L, H) : undefined)
  }
  const heads = [
    { name: 'q', dims: [1, H, L, D], data: q },
    { name: 'k', dims: [1, H, S, D], data: k },
    { name: 'v', dims: [1, H, S, D], data: v },
  ]
  const rows = () =>
    [L, S, S].map((n, i) => ({ name: heads[i].name, dims: [1, n, H * D], data: swapAxes(heads[i].data, H, n) }))
  return {
    Attention: () =>
      build('Attention', heads, [
        { op: 'Attention', inputs: ['q', 'k', 'v'], outputs: ['y'], attributes: causal ? { is_causal: 1 } : {} },
      ]),
    MultiHeadAttention: () =>
      // For a single query, keys and values are passed as (1, H, S, D), which the operator need not transpose.
      build('MultiHeadAttention', L === 1 ? [rows()[0], heads[1], heads[2]] : rows(), [
        {
          op: 'MultiHeadAttention',
          domain: 'com.microsoft',
          inputs: ['q', 'k', 'v'],
          outputs: ['y'],
          attributes: { num_heads: H, ...(causal && { unidirectional: 1 }) },
        },
      ]),
    MatMul: () => {
      if (causal && L > LARGEST_MASK) throw new Error(`a mask of ${(4 * L * L) / 2 ** 20} MiB`)
      const constants = resident ? [] : [{ name: 'scale', dims: [1], data: Float32Array.of(1 / Math.sqrt(D)) }]
      if (causal) constants.push({ name: 'mask', dims: [L, L], data: causalMask(L) })
      // Resident keys are constants, so they are transposed and scaled before the measured call.
      const scaledKeys = () => transposeEach(k, H, S).map(x => x / Math.sqrt(D))
      const keys = resident ? { name: 'kt', dims: [1, H, D, S], data: scaledKeys() } : heads[1]
      const scaled = resident ? 'scores' : 'scaled'
      const seen = causal ? 'masked' : scaled
      const transpose = { op: 'Transpose', inputs: ['k'], outputs: ['kt'], attributes: { perm: [0, 1, 3, 2] } }
      return build(
        'MatMul',
        [heads[0], keys, heads[2]],
        [
          ...(resident ? [] : [transpose]),
          { op: 'MatMul', inputs: ['q', 'kt'], outputs: ['scores'] },
          ...(resident ? [] : [{ op: 'Mul', inputs: ['scores', 'scale'], outputs: ['scaled'] }]),
          ...(causal ? [{ op: 'Add', inputs: [scaled, 'mask'], outputs: ['masked'] }] : []),
          { op: 'Softmax', inputs: [seen], outputs: ['weights'], attributes: { axis: 3 } },
          { op: 'MatMul', inputs: ['weights', 'v'], outputs: ['y'] },
        ],
        constants,
      )
    },
  }
}

/**
 * @param {any} ort
 * @param {Task} task
 * @param {import('../task.js').Weights} weights
 * @returns {Record<string, () => Promise<Candidate>>}
 */
function multihead(ort, { shape, q: x }, { inProj, inBias, outProj, outBias }) {
  const { B = 1, H, L, D } = shape
  const E = H * D
  const inputs = [{ name: 'x', dims: [B, L, E], data: x }]
  const bias = { name: 'bias', dims: [3 * E], data: inBias }
  const out = [
    { name: 'wo', dims: [E, E], data: swapAxes(outProj, E, E) },
    { name: 'bo', dims: [E], data: outBias },
  ]
  const project = [
    { op: 'MatMul', inputs: ['heads', 'wo'], outputs: ['product'] },
    { op: 'Add', inputs: ['product', 'bo'], outputs: ['y'] },
  ]
  const domain = 'com.microsoft'
  const attributes = { num_heads: H }
  return {
    'Attention (com.microsoft)': () =>
      session(ort, 'Attention (com.microsoft)', {
        nodes: [{ op: 'Attention', domain, inputs: ['x', 'w', 'bias'], outputs: ['heads'], attributes }, ...project],
        inputs,
        constants: [{ name: 'w', dims: [E, 3 * E], data: swapAxes(inProj, 3 * E, E) }, bias, ...out],
        dims: [B, L, E],
      }),
    MultiHeadAttention: () =>
      session(ort, 'MultiHeadAttention', {
        nodes: [
          ...['q', 'k', 'v'].map(n => ({ op: 'MatMul', inputs: ['x', `w${n}`], outputs: [n] })),
          { op: 'MultiHeadAttention', domain, inputs: ['q', 'k', 'v', 'bias'], outputs: ['heads'], attributes },
          ...project,
        ],
        inputs,
        constants: [
          ...['q', 'k', 'v'].map((n, i) => {
            const data = swapAxes(inProj.subarray(i * E * E, (i + 1) * E * E), E, E)
            return { name: `w${n}`, dims: [E, E], data }
          }),
          bias,
          ...out,
        ],
        dims: [B, L, E],
      }),
  }
}

/**
 * Transposes (a, b, n) to (b, a, n).
 * @param {Float32Array} x
 * @param {number} a
 * @param {number} b
 */
function swapAxes(x, a, b) {
  const n = x.length / (a * b)
  const y = new Float32Array(x.length)
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++) for (let c = 0; c < n; c++) y[(j * a + i) * n + c] = x[(i * b + j) * n + c]
  return y
}

/** Transposes (n, a, b) to (n, b, a). @param {Float32Array} x @param {number} n @param {number} a */
function transposeEach(x, n, a) {
  const y = new Float32Array(x.length)
  const size = x.length / n
  for (let at = 0; at < x.length; at += size) y.set(swapAxes(x.subarray(at, at + size), a, size / a), at)
  return y
}

/** @param {number} L */
export function causalMask(L) {
  const mask = new Float32Array(L * L)
  for (let i = 0; i < L; i++) mask.fill(-Infinity, i * L + i + 1, (i + 1) * L)
  return mask
}
