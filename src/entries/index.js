// qkv: attention whose every step can be inspected. The exports of the main entry.

export { QkvError } from '../base/errors.js'
export { joinHeads, splitHeads, tensor } from '../base/operand.js'
export { Tensor } from '../base/tensor.js'
export { load } from '../load.js'
export { alibiSlopes } from '../ops/attention/alibi.js'

/** @typedef {import('../qkv.js').Qkv} Qkv */
/** @typedef {import('../ops/random/generator.js').Generator} Generator */
/** @typedef {import('../runtime/resident.js').ResidentTensor} ResidentTensor */
/** @typedef {import('../layers/packed-linear.js').PackedLinear} PackedLinear */
/** @typedef {import('../ops/attention/forward.js').Trace} Trace */
/** @typedef {import('../ops/attention/arguments.js').AttentionOptions} AttentionOptions */
/** @typedef {import('../ops/attention/arguments.js').TraceOptions} TraceOptions */
/** @typedef {import('../ops/attention/arguments.js').Score} Score */
/** @typedef {import('../ops/rope/forward.js').RopeOptions} RopeOptions */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../load.js').LoadOptions} LoadOptions */
/**
 * @template {number | boolean} [T=number | boolean]
 * @typedef {import('../base/tensor.js').Nested<T>} Nested
 */
