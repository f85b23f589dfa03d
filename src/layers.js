// qkv/layers: layers whose weights a generator draws as PyTorch does.

export { embeddingLayer } from './layers/embedding-layer.js'
export { linearLayer } from './layers/linear-layer.js'
export { multiheadAttention } from './layers/multihead.js'

/** @typedef {import('./layers/embedding-layer.js').Embedding} Embedding */
/** @typedef {import('./layers/linear-layer.js').Linear} Linear */
/** @typedef {import('./layers/multihead.js').MultiheadAttention} MultiheadAttention */
/** @typedef {import('./layers/multihead.js').MultiheadOptions} MultiheadOptions */
/** @typedef {import('./layers/multihead.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./layers/multihead.js').Step} Step */
