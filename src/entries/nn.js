// qkv/nn: the operations of a transformer block besides qkv.attention and qkv.linear, all gradients, layers with PyTorch's initial weights,
// packed linear layers, the KV cache, and variants of attention.
// Operations take resident tensors and `out`. The `out` of an operation may be one of its inputs if the dims are equal. The `out` of a
// gradient must not overlap an input.

export { embeddingLayer } from '../layers/embedding.js'
export { linearLayer } from '../layers/linear.js'
export { multiheadAttention } from '../layers/multihead-attention.js'
export { packLinear } from '../layers/packed-linear.js'
export { attentionBackward } from '../ops/attention/backward.js'
export { kvCache } from '../ops/attention/kv-cache.js'
export { onnxAttention } from '../ops/attention/onnx.js'
export { packedAttention, packedAttentionBackward } from '../ops/attention/packed.js'
export { relativePositionBias } from '../ops/attention/relative-position-bias.js'
export { attentionWindow } from '../ops/attention/window.js'
export { add, addBackward, mul, mulBackward, sub, subBackward } from '../ops/elementwise/arithmetic.js'
export {
  expBackward,
  geglu,
  gegluBackward,
  gelu,
  geluBackward,
  log,
  logBackward,
  relu,
  reluBackward,
  sigmoid,
  sigmoidBackward,
  silu,
  siluBackward,
  swiglu,
  swigluBackward,
  tanhBackward,
} from '../ops/elementwise/functions.js'
export { embedding, embeddingBackward } from '../ops/embedding/embedding.js'
export { linearBackward } from '../ops/linear/backward.js'
export { sumRows } from '../ops/linear/sum-rows.js'
export { crossEntropy } from '../ops/loss/cross-entropy.js'
export { layerNorm, layerNormBackward } from '../ops/norm/layer-norm.js'
export { rmsNorm, rmsNormBackward } from '../ops/norm/rms-norm.js'
export { dropout, dropoutBackward } from '../ops/random/dropout.js'
export { ropeBackward } from '../ops/rope/backward.js'
export { softmaxBackward } from '../ops/softmax/backward.js'

/** @typedef {import('../ops/operation.js').Operand} Operand */
/** @typedef {import('../ops/operation.js').IdOperand} IdOperand */
/** @typedef {import('../ops/attention/backward.js').AttentionGradients} AttentionGradients */
/** @typedef {import('../ops/elementwise/activation.js').GeluOptions} GeluOptions */
/** @typedef {import('../layers/embedding.js').Embedding} Embedding */
/** @typedef {import('../ops/attention/kv-cache.js').KVCache} KVCache */
/** @typedef {import('../ops/attention/kv-cache.js').CacheOptions} CacheOptions */
/** @typedef {import('../ops/attention/kv-cache.js').CachedAttentionOptions} CachedAttentionOptions */
/** @typedef {import('../layers/linear.js').Linear} Linear */
/** @typedef {import('../layers/multihead-attention.js').MultiheadAttention} MultiheadAttention */
/** @typedef {import('../layers/multihead-attention.js').MultiheadOptions} MultiheadOptions */
/** @typedef {import('../layers/multihead-attention.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../layers/multihead-attention.js').Step} Step */
/** @typedef {import('../ops/attention/onnx.js').OnnxInputs} OnnxInputs */
/** @typedef {import('../ops/attention/onnx.js').OnnxAttributes} OnnxAttributes */
