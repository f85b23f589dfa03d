// qkv/nn: the operations of a transformer block beside attention and linear layers, all gradients, windows of weights, packed linear layers, T5's
// relative position bias; layers with PyTorch's initial weights, multi-head attention, the KV cache, ONNX's Attention.
// Operations take resident tensors and `out`. `out` of an operation may be one of its inputs if the dims
// are the same; `out` of a gradient must not overlap an input.

export { embeddingLayer } from './layers/embedding-layer.js'
export { kvCache } from './layers/kv-cache.js'
export { linearLayer } from './layers/linear-layer.js'
export { multiheadAttention } from './layers/multihead.js'
export { add, addBackward } from './nn/add.js'
export { attentionBackward } from './nn/attention-backward.js'
export { attentionWindow } from './nn/attention-window.js'
export { crossEntropy } from './nn/cross-entropy.js'
export { dropout, dropoutBackward } from './nn/dropout.js'
export { embedding, embeddingBackward } from './nn/embedding.js'
export { expBackward } from './nn/exp.js'
export { geglu, gegluBackward } from './nn/geglu.js'
export { gelu, geluBackward } from './nn/gelu.js'
export { layerNorm, layerNormBackward } from './nn/layer-norm.js'
export { linearBackward } from './nn/linear-gradient.js'
export { log, logBackward } from './nn/log.js'
export { mul, mulBackward } from './nn/mul.js'
export { onnxAttention } from './nn/onnx-attention.js'
export { packedAttention, packedAttentionBackward } from './nn/packed-attention.js'
export { packLinear } from './nn/packed-linear.js'
export { relativePositionBias } from './nn/relative-position-bias.js'
export { relu, reluBackward } from './nn/relu.js'
export { rmsNorm, rmsNormBackward } from './nn/rms-norm.js'
export { ropeBackward } from './nn/rope-gradient.js'
export { sigmoid, sigmoidBackward } from './nn/sigmoid.js'
export { silu, siluBackward } from './nn/silu.js'
export { softmaxBackward } from './nn/softmax-gradient.js'
export { sub, subBackward } from './nn/sub.js'
export { sumRows } from './nn/sum-rows.js'
export { swiglu, swigluBackward } from './nn/swiglu.js'
export { tanhBackward } from './nn/tanh.js'

/** @typedef {import('./nn/operation.js').Operand} Operand */
/** @typedef {import('./nn/operation.js').IdOperand} IdOperand */
/** @typedef {import('./nn/attention-backward.js').AttentionGradients} AttentionGradients */
/** @typedef {import('./nn/activation.js').GeluOptions} GeluOptions */
/** @typedef {import('./layers/embedding-layer.js').Embedding} Embedding */
/** @typedef {import('./layers/kv-cache.js').KVCache} KVCache */
/** @typedef {import('./layers/kv-cache.js').CacheOptions} CacheOptions */
/** @typedef {import('./layers/kv-cache.js').CachedAttentionOptions} CachedAttentionOptions */
/** @typedef {import('./layers/linear-layer.js').Linear} Linear */
/** @typedef {import('./layers/multihead.js').MultiheadAttention} MultiheadAttention */
/** @typedef {import('./layers/multihead.js').MultiheadOptions} MultiheadOptions */
/** @typedef {import('./layers/multihead.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./layers/multihead.js').Step} Step */
/** @typedef {import('./nn/onnx-attention.js').OnnxInputs} OnnxInputs */
/** @typedef {import('./nn/onnx-attention.js').OnnxAttributes} OnnxAttributes */
