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
 * Imports on demand the code of threads, relaxed SIMD, kernels of integer weights and trim. All share one import(), because with two,
 * bundlers would keep all exports of both modules.
 */
export const later = () => import('./threads/load-with.js')

/**
 * A loaded core. Every method except trim is synchronous. A call copies its inputs in and its output out, unless they are resident, and
 * frees the memory that it used. Letters: B batch, H query heads, G key/value heads, L queries, S keys, D size of q and k, E size of v.
 * G divides H; query head h uses key/value head floor(h / (H / G)).
 */
export class Qkv {
  /** @internal @param {Core} core */
  constructor(core) {
    setCore(this, core)
  }

  /** Returns bytes of the module's memory: `used` by running calls (0 between calls), `resident` tensors, total `size`. */
  get memory() {
    const { used, blocks, bytes, unshared } = expectCore(this)
    return { used, resident: blocks.used, size: bytes.length + (unshared?.bytes.length ?? 0) }
  }

  /** Returns the number of threads that share a large call, including the calling one; 1 without shared memory. */
  get threads() {
    return expectCore(this).threads?.count ?? 1
  }

  /** Returns why large calls run on one thread, if `load` was called with more; else ''. */
  get threadsReason() {
    return expectCore(this).threadsReason
  }

  /** Ends the threads that `load` started; later calls run on the calling thread alone. A no-op with one thread. */
  dispose() {
    const core = expectCore(this)
    core.threads?.end()
    core.threads = undefined
  }

  /**
   * Frees the memory that large calls and disposed tensors took: everything above the last resident tensor. Calls may run meanwhile.
   * Afterwards, `data` of each resident tensor is a new array.
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
   * Calls a function, then disposes of the resident tensors that it allocated but neither returned nor passed to `keep`, like tf.tidy. It
   * may return or keep a tensor alone, in an array or in a plain object.
   * @template T
   * @param {(keep: <K>(value: K) => K) => T} run a synchronous function
   * @returns {T} what `run` returns
   */
  scope(run) {
    return scope(expectCore(this), run)
  }

  /**
   * Computes fused attention: output = softmax(mask(softcap(scale * score(q, k)))) v, tile by tile, without any L x S matrix. A query that
   * sees no key gives zeros. Three axes are (heads, rows, size), so a mask may be (H, L, S). A batch needs four axes.
   * @param {FloatLike | Nested} q (L, D), (H, L, D) or (B, H, L, D)
   * @param {FloatLike | Nested} k (S, D), (G, S, D) or (B, G, S, D)
   * @param {FloatLike | Nested} v (S, E), (G, S, E) or (B, G, S, E)
   * @param {import('./ops/attention/arguments.js').AttentionOptions & import('./ops/attention/arguments.js').OutOption & import('./ops/attention/arguments.js').SummaryOption} [options]
   * @returns {import('./ops/attention/forward.js').Attended} output: (L, E), (H, L, E) or (B, H, L, E). With the same resident `out` and
   *   no summary, every call returns the same frozen object
   * @throws {TypeError | RangeError} with the name of the argument, what was expected and what came
   */
  attention(q, k, v, options = {}) {
    return attention(expectCore(this), q, k, v, options)
  }

  /**
   * Computes attention step by step and returns the result of every step, or with `keep` of the named steps.
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
   * Computes softmax over one axis, subtracting the maximum first; zeros if all values along the axis are -Infinity.
   * @param {FloatLike | Nested} x
   * @param {{ dim?: number } & OutOptions} [options] dim: index of the axis; negative: from the end; default -1
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
   * Computes exp of each value, with a relative error of at most 1.3e-7 (3e-7 above 88). Values below -87.33 give 0.
   * @param {FloatLike | Nested} x
   * @param {OutOptions} [options]
   * @returns {FloatTensor}
   */
  exp(x, options = {}) {
    return elementwise(expectCore(this), x, options, 'exp')
  }

  /**
   * Computes tanh of each value, with a relative error of at most 1.5e-7.
   * @param {FloatLike | Nested} x
   * @param {OutOptions} [options]
   * @returns {FloatTensor}
   */
  tanh(x, options = {}) {
    return elementwise(expectCore(this), x, options, 'tanh')
  }

  /**
   * Computes y = activation(x W^T + bias) + residual: torch.nn.functional.linear with fused activation and residual.
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
   * @param {{ stream?: 'vector' | 'scalar' }} [options] stream: the build of PyTorch to equal; default 'vector'
   */
  generator(seed, options = {}) {
    return new Generator(expectCore(this), seed, options)
  }
}
