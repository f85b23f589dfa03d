import { checkDims } from './base/tensor.js'
import { attention, trace } from './ops/attention/forward.js'
import { elementwise } from './ops/elementwise/forward.js'
import { linear, matmul } from './ops/linear/forward.js'
import { Generator } from './ops/random/generator.js'
import { rope } from './ops/rope/forward.js'
import { softmax } from './ops/softmax/forward.js'
import { expectCore, setCore } from './runtime/core-of.js'
import { allocate, scope } from './runtime/outputs.js'

/** @import { Core } from './runtime/memory.js' */
/** @import { FloatLike, Nested } from './base/tensor.js' */
/** @import { OutOptions } from './runtime/outputs.js' */
/** @typedef {import('./base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * Imports the code of threads, relaxed SIMD, kernels of integer weights and trim on demand. They share one import, because bundlers would
 * keep both modules of two imports entirely.
 */
export const later = () => import('./threads/load-with.js')

/**
 * A loaded core. Every method except trim is synchronous. A call copies its inputs in and its output out, unless they are resident, and
 * frees the memory that it used. Letters: B batch, H query heads, G key/value heads (dividing H; query head h uses kv head floor(h / (H /
 * G))), L queries, S keys, D size of q and k, E size of v.
 */
export class Qkv {
  /** @internal @param {Core} core */
  constructor(core) {
    setCore(this, core)
  }

  /** Returns the bytes of the module's memory: in use by running calls (0 between calls), by resident tensors, and in total. */
  get memory() {
    const { used, blocks, bytes, unshared } = expectCore(this)
    return { used, resident: blocks.used, size: bytes.length + (unshared?.bytes.length ?? 0) }
  }

  /** Returns the number of threads for a large call, including the calling one; 1 without shared memory. */
  get threads() {
    return expectCore(this).threads?.count ?? 1
  }

  /** Returns the reason why large calls run on one thread although `load` was called with more; else ''. */
  get threadsReason() {
    return expectCore(this).threadsReason
  }

  /** Ends the threads that `load` has started; later calls run on the calling thread alone. A no-op with one thread. */
  dispose() {
    const core = expectCore(this)
    core.threads?.end()
    core.threads = undefined
  }

  /**
   * Frees the memory of large calls and of disposed tensors: everything above the last resident tensor. Calls may run meanwhile; afterwards
   * `data` of resident tensors is a new array.
   * @returns {Promise<number>} the number of bytes freed
   */
  async trim() {
    const core = expectCore(this)
    const { trim } = await later()
    return trim(core)
  }

  /**
   * Makes a tensor of zeros inside the module's memory, which calls use in place. Fill its `data`, pass it as q, k, v, a weight or `out`,
   * and `dispose()` it.
   * @param {readonly number[]} dims
   * @returns {import('./runtime/resident.js').ResidentTensor}
   * @throws {RangeError} if it does not fit into the 4 GiB of a module
   */
  alloc(dims) {
    return allocate(expectCore(this), checkDims(dims, 'alloc'))
  }

  /**
   * Calls a function, then disposes of the resident tensors that were allocated in it, except those that it returns or passes to `keep`,
   * alone, in an array or in a plain object (like tf.tidy).
   * @template T
   * @param {(keep: <K>(value: K) => K) => T} run synchronous
   * @returns {T} what it returns
   */
  scope(run) {
    return scope(expectCore(this), run)
  }

  /**
   * Computes fused attention: output = softmax(mask(softcap(scale * score(q, k)))) v, tile by tile, without any L x S matrix. A query that
   * sees no key gives zeros. Three axes are read as (heads, rows, size), so that a mask of (H, L, S) fits; for batches use four.
   * @param {FloatLike | Nested} q (L, D), (H, L, D) or (B, H, L, D)
   * @param {FloatLike | Nested} k (S, D), (G, S, D) or (B, G, S, D)
   * @param {FloatLike | Nested} v (S, E), (G, S, E) or (B, G, S, E)
   * @param {import('./ops/attention/arguments.js').AttentionOptions & import('./ops/attention/arguments.js').OutOption & import('./ops/attention/arguments.js').SummaryOption} [options]
   * @returns {import('./ops/attention/forward.js').Attended} output: (L, E), (H, L, E) or (B, H, L, E). If `out` is a tensor of qkv.alloc
   *   and there is no summary, the same frozen object is returned each time
   * @throws {TypeError | RangeError} with the name of the argument, what was expected and what came
   */
  attention(q, k, v, options = {}) {
    return attention(expectCore(this), q, k, v, options)
  }

  /**
   * Computes attention step by step and returns the result of every step; with `keep`, only the named steps are computed.
   * @template {keyof import('./ops/attention/forward.js').Trace} [K=keyof import('./ops/attention/forward.js').Trace]
   * @param {FloatLike | Nested} q as in attention
   * @param {FloatLike | Nested} k
   * @param {FloatLike | Nested} v
   * @param {import('./ops/attention/arguments.js').TraceOptions & { keep?: readonly K[] }} [options]
   * @returns {Pick<import('./ops/attention/forward.js').Trace, K>}
   * @throws {TypeError | RangeError}
   */
  trace(q, k, v, options = {}) {
    return trace(expectCore(this), q, k, v, options)
  }

  /**
   * Computes softmax over one axis, subtracting the maximum first; a line of -Infinity gives zeros.
   * @param {FloatLike | Nested} x
   * @param {{ dim?: number } & OutOptions} [options] dim: the last one by default; negative ones count from the end
   * @returns {FloatTensor}
   */
  softmax(x, options = {}) {
    return softmax(expectCore(this), x, options)
  }

  /**
   * Computes the rotary position embedding: rotates pairs of values of each head by an angle proportional to the position.
   * @param {FloatLike | Nested} x (L, D), (H, L, D) or (B, H, L, D); with numHeads (B, L, H * D)
   * @param {import('./ops/rope/forward.js').RopeOptions & OutOptions} [options]
   * @returns {FloatTensor} the dims of x
   * @throws {TypeError | RangeError}
   */
  rope(x, options = {}) {
    return rope(expectCore(this), x, options)
  }

  /**
   * Computes exp of each value; relative error at most 1.3e-7, above 88 at most 3e-7; 0 below -87.33.
   * @param {FloatLike | Nested} x
   * @param {OutOptions} [options]
   * @returns {FloatTensor}
   */
  exp(x, options = {}) {
    return elementwise(expectCore(this), x, options, 'exp')
  }

  /**
   * Computes tanh of each value; relative error at most 1.5e-7.
   * @param {FloatLike | Nested} x
   * @param {OutOptions} [options]
   * @returns {FloatTensor}
   */
  tanh(x, options = {}) {
    return elementwise(expectCore(this), x, options, 'tanh')
  }

  /**
   * Computes y = activation(x W^T + bias) + residual: torch.nn.functional.linear, with activation and residual fused.
   * @param {FloatLike | Nested} x (..., in)
   * @param {FloatLike | Nested} weight (out, in); (in, out) with layout 'in,out'
   * @param {FloatLike | Nested} [bias] (out)
   * @param {import('./ops/linear/forward.js').FusedOptions & import('./ops/linear/forward.js').LayoutOption & OutOptions} [options]
   * @returns {FloatTensor} (..., out)
   */
  linear(x, weight, bias, options = {}) {
    return linear(expectCore(this), x, weight, bias, options)
  }

  /**
   * Computes the matrix product a b, `a @ b` in PyTorch.
   * @param {FloatLike | Nested} a (..., n)
   * @param {FloatLike | Nested} b (n, m)
   * @param {OutOptions} [options]
   * @returns {FloatTensor} (..., m)
   */
  matmul(a, b, options = {}) {
    return matmul(expectCore(this), a, b, options)
  }

  /**
   * Makes PyTorch's random stream of torch.manual_seed(seed).
   * @param {number | bigint} seed
   * @param {{ stream?: 'vector' | 'scalar' }} [options] which build of PyTorch; default 'vector'
   */
  generator(seed, options = {}) {
    return new Generator(expectCore(this), seed, options)
  }
}
