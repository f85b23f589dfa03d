// Computes copying scores of heads and composition scores of pairs of heads, from the weights alone, as in "A Mathematical Framework for
// Transformer Circuits" (Elhage et al. 2021).

import { readOptions } from '../../base/arguments.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { projectionsOf } from '../../models/run/network.js'
import { inTurns } from '../../models/run/turns.js'
import { embeddingOf, keyOf } from '../../models/weights/weights.js'
import { stackOf } from '../stack-of.js'
import { eigenvalues } from './eigenvalues.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { LinearSpec, NormSpec, StackSpec } from '../../models/family-shapes/parts.js' */
/** @typedef {ReturnType<typeof Model.parts>} Parts */

/**
 * Composition scores have dims (layers, H, layers, H): layer and head of the reader, then layer and head of the writer. A score is 0 unless
 * the writer is in an earlier layer.
 * @typedef {object} HeadCircuits
 * @property {FloatTensor} [copying] (layers, H), from -1 to 1; for decoders only. The matrix W_U W_O W_V W_E takes a token through embedding,
 *   value, output and unembedding; the score is the sum of its eigenvalues divided by the sum of their absolute values
 * @property {FloatTensor} q composition of the reader's queries with the writer's output
 * @property {FloatTensor} k composition of the reader's keys with the writer's output
 * @property {FloatTensor} v composition of the reader's values with the writer's output
 */

/**
 * Computes the copying scores of all heads and the composition scores of all pairs of heads. The weights of norms count; the division by
 * the deviation and the rotations of q and k are left out.
 * @param {Model} model
 * @param {{ place?: 'decoder' | 'encoder', signal?: AbortSignal, onLayer?: (progress: { layer: number, layers: number }) => void }} [options]
 * @returns {Promise<HeadCircuits>}
 */
export async function headCircuits(model, options = {}) {
  const where = 'headCircuits'
  const parts = Model.parts(model)
  const { place, signal, onLayer } = readOptions(options, ['place', 'signal', 'onLayer'], where)
  checkSignal(signal, where)
  const { stack, spec, isCross } = stackOf(parts, place, where)
  if (isCross) throw new RangeError(`${where}: place: expected a stack of layers, got "cross"`)
  return inTurns(parts.qkv, steps(parts, stack, spec), { signal, onLayer, layers: spec.layers.length })
}

/**
 * @param {Parts} parts
 * @param {string} stack
 * @param {StackSpec} spec
 * @returns {import('../../models/run/network.js').RunSteps<HeadCircuits>}
 */
function* steps(parts, stack, spec) {
  const { qkv, family, weights } = parts
  const { numHeads: H, numKvHeads: G, headDim: D } = spec.heads
  const N = spec.layers.length
  const d = family.width
  const hasCopies = !stack.startsWith('encoder') && family.decoder && weights.hasHead && !family.head.transform
  const tokens = hasCopies ? yield* tokensOf(parts, spec) : undefined
  const copying = tokens && new Tensor(new Float32Array(N * H), [N, H])
  const found = ['q', 'k', 'v'].map(() => new Tensor(new Float32Array((N * H) ** 2), [N, H, N, H]))
  /**
   * For each earlier layer: `rows`, the output matrices of its heads (H * D, d), and `sizes`, their Frobenius norms.
   * @type {{ rows: Float64Array, sizes: number[] }[]}
   */
  const writers = []
  for (const [layer, list] of spec.layers.entries()) {
    const at = list.findIndex(({ kind }) => kind === 'attention')
    const part = list[at]
    const { q, k, v, o, qNorm, kNorm } = projectionsOf(part)
    const [wq, wk, wv] = [q, k, v].map(own => read(parts, own))
    const wo = turned(read(parts, o), d, H * D) // (H * D, d)
    if (qNorm) scaleRows(wq, weights.norm(qNorm).weight.data, qNorm, d)
    if (kNorm) scaleRows(wk, weights.norm(kNorm).weight.data, kNorm, d)
    if (part.before) for (const rows of [wq, wk, wv]) through(rows, part.before, weights.norm(part.before).weight.data)
    if (part.after) arrive(wo, part.after, weights.norm(part.after).weight.data)
    const group = H / G
    const own = Array.from({ length: H }, (_, h) => {
      const of = (/** @type {Float64Array} */ rows, /** @type {number} */ n) =>
        rows.subarray(n * D * d, (n + 1) * D * d)
      const g = Math.floor(h / group)
      return { q: of(wq, h), k: of(wk, g), v: of(wv, g), o: of(wo, h) }
    })
    // The norms |A^T M B| and |S^T M T| are equal for the Cholesky factors S S^T = A A^T and T T^T = B B^T, so the products have size D
    // instead of d. For composition with queries, A is the reader's k, M its q times the writer's o, and B the writer's v.
    const readers = new Float32Array(3 * H * D * d)
    const sizes = own.map((head, h) =>
      [
        reduced(factorOf(head.k, D, d), head.q, D, d),
        reduced(factorOf(head.q, D, d), head.k, D, d),
        reduced(factorOf(head.o, D, d), head.v, D, d),
      ].map((rows, n) => {
        readers.set(rows, (n * H + h) * D * d)
        return sizeOf(rows)
      }),
    )
    for (const [m, writer] of writers.entries()) {
      const { data } = qkv.linear(
        { data: readers, dims: [3 * H * D, d] },
        { data: new Float32Array(writer.rows), dims: [H * D, d] },
      )
      for (let n = 0; n < 3; n++)
        for (let h = 0; h < H; h++)
          for (let w = 0; w < H; w++) {
            let sum = 0
            for (let i = 0; i < D; i++) {
              const from = ((n * H + h) * D + i) * H * D + w * D
              for (let j = from; j < from + D; j++) sum += data[j] ** 2
            }
            found[n].data[((layer * H + h) * N + m) * H + w] = over(Math.sqrt(sum), sizes[h][n] * writer.sizes[w])
          }
      yield []
    }
    if (tokens && copying)
      for (let h = 0; h < H; h++) {
        const begun = beginsOf(parts, spec, layer, at, own[h].v)
        const mid = qkv.linear({ data: new Float32Array(begun), dims: [D, d] }, { data: tokens, dims: [d, d] })
        const ends = endsOf(parts, spec, layer, at, own[h].o)
        const { data } = qkv.linear(mid, { data: new Float32Array(ends), dims: [D, d] })
        const { re, im } = eigenvalues(data, D)
        const sum = re.reduce((total, value) => total + value, 0)
        copying.data[layer * H + h] = over(
          sum,
          re.reduce((total, value, n) => total + Math.hypot(value, im[n]), 0),
        )
      }
    /** @type {{ rows: Float64Array, sizes: number[] }} */
    const made = { rows: new Float64Array(H * D * d), sizes: [] }
    for (const [h, { o: rows, v: values }] of own.entries()) {
      const columns = factorOf(values, D, d) // T of the comment above
      made.rows.set(reduced(columns, rows, D, d), h * D * d)
    }
    writers.push(made)
    // A norm after the residual sum also scales the outputs of all earlier heads.
    for (const [n, { post }] of list.entries())
      if (post)
        for (const [m, { rows }] of writers.entries())
          if (m < layer || n >= at) arrive(rows, post, weights.norm(post).weight.data)
    for (const writer of writers)
      writer.sizes = Array.from({ length: H }, (_, h) => sizeOf(writer.rows.subarray(h * D * d, (h + 1) * D * d)))
    yield new Tensor(new Float32Array(0), [0])
  }
  const [q, k, v] = found
  return { copying, q, k, v }
}

/** Returns a / b; 0 if a is 0, as for a head whose weights are 0. @param {number} a @param {number} b */
const over = (a, b) => (a === 0 ? 0 : a / b)

/** Reads a weight (out, in) as float64. @param {Parts} parts @param {LinearSpec} spec */
const read = ({ weights }, spec) => Float64Array.from(weights.read(keyOf(spec)))

/** @param {Float64Array} x (rows, columns) @param {number} rows @param {number} columns @returns {Float64Array} (columns, rows) */
function turned(x, rows, columns) {
  const out = new Float64Array(x.length)
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = x[r * columns + c]
  return out
}

/** Multiplies rows by the weight of a norm of q or k, in place. @param {Float64Array} rows @param {ArrayLike<number>} weight @param {NormSpec} spec @param {number} d */
function scaleRows(rows, weight, { plusOne }, d) {
  for (let n = 0; n < rows.length; n++) rows[n] *= weight[Math.floor(n / d) % weight.length] + Number(plusOne ?? false)
}

/**
 * Changes rows that read a norm's output, in place, so that they read its input: rows N, where N = diag(weight) (I - 1 1^T / size). For
 * RMSNorm, N = diag(weight).
 * @param {Float64Array} rows
 * @param {NormSpec} spec
 * @param {ArrayLike<number>} weight
 */
function through(rows, { kind, size, plusOne }, weight) {
  for (let from = 0; from < rows.length; from += size) {
    let sum = 0
    for (let c = 0; c < size; c++) {
      rows[from + c] *= weight[c] + Number(plusOne ?? false)
      sum += rows[from + c]
    }
    if (kind === 'layer') for (let c = 0; c < size; c++) rows[from + c] -= sum / size
  }
}

/**
 * Passes rows that a part writes through the norm that follows, in place: rows N^T, with N as in `through`.
 * @param {Float64Array} rows
 * @param {NormSpec} spec
 * @param {ArrayLike<number>} weight
 */
function arrive(rows, { kind, size, plusOne }, weight) {
  for (let from = 0; from < rows.length; from += size) {
    let sum = 0
    if (kind === 'layer') for (let c = 0; c < size; c++) sum += rows[from + c]
    for (let c = 0; c < size; c++)
      rows[from + c] = (rows[from + c] - sum / size) * (weight[c] + Number(plusOne ?? false))
  }
}

/** Returns the Frobenius norm of rows. @param {ArrayLike<number>} rows */
function sizeOf(rows) {
  let sum = 0
  for (let n = 0; n < rows.length; n++) sum += rows[n] ** 2
  return Math.sqrt(sum)
}

/**
 * Returns the Cholesky factor S (D, D), lower triangular, with S S^T = rows rows^T. Columns are 0 for linearly dependent rows.
 * @param {Float64Array} rows (D, d)
 * @param {number} D
 * @param {number} d
 */
function factorOf(rows, D, d) {
  const s = new Float64Array(D * D)
  for (let i = 0; i < D; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let c = 0; c < d; c++) sum += rows[i * d + c] * rows[j * d + c]
      s[i * D + j] = sum
    }
  const least = 1e-13 * Math.max(...Array.from({ length: D }, (_, i) => s[i * D + i]))
  for (let j = 0; j < D; j++) {
    for (let k = 0; k < j; k++) {
      const factor = s[j * D + k]
      for (let i = j; i < D; i++) s[i * D + j] -= s[i * D + k] * factor
    }
    const pivot = s[j * D + j]
    for (let i = j; i < D; i++) s[i * D + j] = pivot > least ? s[i * D + j] / Math.sqrt(pivot) : 0
  }
  return s
}

/** Computes S^T rows. @param {Float64Array} s (D, D), lower triangular @param {Float64Array} rows (D, d) @param {number} D @param {number} d */
function reduced(s, rows, D, d) {
  const out = new Float64Array(D * d)
  for (let i = 0; i < D; i++)
    for (let j = 0; j <= i; j++) {
      const factor = s[i * D + j]
      if (factor !== 0) for (let c = 0; c < d; c++) out[j * d + c] += factor * rows[i * d + c]
    }
  return out
}

/**
 * Sums u e^T over all tokens, (d, d): e is the token's embedding after the norm of the embeddings, u its row of the unembedding before the
 * last norm.
 * @param {Parts} parts
 * @param {StackSpec} spec
 * @returns {import('../../models/run/network.js').RunSteps<Float32Array>}
 */
function* tokensOf({ qkv, family, weights }, spec) {
  const { width: d, vocab } = family
  const { tokens, norm } = embeddingOf(family, spec)
  const sum = new Float64Array(d * d)
  const step = 512
  for (let from = 0; from < vocab; from += step) {
    const n = Math.min(step, vocab - from)
    const [e, u] = [new Float64Array(n * d), new Float64Array(n * d)]
    for (let t = 0; t < n; t++) {
      e.set(weights.row(tokens, from + t), t * d)
      u.set(weights.head.row(from + t).weight, t * d)
    }
    if (norm) arrive(e, norm, weights.norm(norm).weight.data)
    if (spec.norm) through(u, spec.norm, weights.norm(spec.norm).weight.data)
    const [left, right] = [u, e].map(x => ({ data: new Float32Array(turned(x, n, d)), dims: [d, n] }))
    const { data } = qkv.linear(left, right) // (d, d): unembedding by embedding
    for (let i = 0; i < data.length; i++) sum[i] += data[i]
    yield []
  }
  return new Float32Array(sum)
}

/**
 * Pulls rows that read the input of a part back to the embedding, through the norms after all earlier parts.
 * @param {Parts} parts
 * @param {StackSpec} spec
 * @param {number} layer
 * @param {number} at index of the part
 * @param {Float64Array} rows (D, d)
 */
function beginsOf({ weights }, spec, layer, at, rows) {
  const out = rows.slice()
  const before = [...spec.layers.slice(0, layer).flat(), ...spec.layers[layer].slice(0, at)]
  for (const { post } of before.reverse()) if (post) through(out, post, weights.norm(post).weight.data)
  return out
}

/**
 * Pushes rows that a part writes to the end of the stack, through the norms after this part and all later ones.
 * @param {Parts} parts
 * @param {StackSpec} spec
 * @param {number} layer
 * @param {number} at index of the part
 * @param {Float64Array} rows (D, d)
 */
function endsOf({ weights }, spec, layer, at, rows) {
  const out = rows.slice()
  for (const list of [spec.layers[layer].slice(at), ...spec.layers.slice(layer + 1)])
    for (const { post } of list) if (post) arrive(out, post, weights.norm(post).weight.data)
  return out
}
