// qkv: attention you can look inside. The table of contents.

export { QkvError } from './errors.js'
export { load } from './load.js'
export { alibiSlopes, relativePositionBias } from './positions.js'
export { joinHeads, splitHeads, Tensor, tensor } from './tensor.js'
export { tokenize } from './tokenize.js'

/** @typedef {import('./qkv.js').Qkv} Qkv */
/** @typedef {import('./random.js').Generator} Generator */
/** @typedef {import('./resident.js').ResidentTensor} ResidentTensor */
/** @typedef {import('./backward.js').AttentionGradients} AttentionGradients */
/** @typedef {import('./cache.js').Cache} Cache */
/** @typedef {import('./cache.js').CacheOptions} CacheOptions */
/** @typedef {import('./cache.js').CachedAttentionOptions} CachedAttentionOptions */
/** @typedef {import('./modules.js').Embedding} Embedding */
/** @typedef {import('./modules.js').Linear} Linear */
/** @typedef {import('./modules.js').PackedLinear} PackedLinear */
/** @typedef {import('./multihead.js').MultiheadAttention} MultiheadAttention */
/** @typedef {import('./multihead.js').MultiheadOptions} MultiheadOptions */
/** @typedef {import('./multihead.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./multihead.js').Step} Step */
/** @typedef {import('./attention.js').Trace} Trace */
/** @typedef {import('./options.js').AttentionOptions} AttentionOptions */
/** @typedef {import('./options.js').TraceOptions} TraceOptions */
/** @typedef {import('./options.js').Score} Score */
/** @typedef {import('./rope.js').RopeOptions} RopeOptions */
/** @typedef {import('./tensor.js').TensorLike} TensorLike */
/** @typedef {import('./tokenize.js').Tokens} Tokens */
/** @typedef {import('./tokenize.js').TokenizeOptions} TokenizeOptions */
