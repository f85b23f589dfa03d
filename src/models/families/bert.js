// BERT, and Jina's BERT with ALiBi and gated MLPs, which has the same model_type.

import { alibiSlopes } from '../../ops/attention/alibi.js'
import { BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'
import { ACTIVATIONS } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export { DEFAULTS } from '../family-shapes/bert-like.js'

/** @param {Config} c */
export const describe = c =>
  bertLike(c, {
    ...BERT_LAYER,
    ...(c.get('position_embedding_type') === 'alibi' && jina(c)),
    prefix: 'bert.',
    at: inEncoder,
    head: {
      dense: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.LayerNorm',
      bias: 'cls.predictions.bias',
      own: 'cls.predictions.decoder',
      optional: /^cls\.predictions\./,
      activation: c.choice('hidden_act', ACTIVATIONS),
    },
    ignored: ['^cls\\.predictions\\.decoder\\.(weight|bias)$'],
  })

/** Returns how Jina's embedding models v2 differ from BERT. @param {Config} c */
function jina(c) {
  for (const key of ['attn_implementation', 'emb_pooler']) c.get(key) // marked as read: they change only the speed and the method `encode`
  if (/qk-post-norm/.test(JSON.stringify(c.get('auto_map') ?? '')))
    throw new RangeError('config.json: auto_map: jina-bert-v2-qk-post-norm, with norms of q and k, is not covered')
  // Jina's rerankers reportedly halve the ALiBi slopes. Their code was not available, so they are refused.
  if (/Classification/.test(String(c.get('architectures'))))
    throw new RangeError(
      'config.json: architectures: classes of a model with ALiBi (a reranker of Jina) are not covered; its embedding models are',
    )
  return {
    act: c.choice('feed_forward_type', { geglu: 'gelu', reglu: 'relu' }),
    mlp: ['mlp.gated_layers', 'mlp.wo'],
    fusedMlp: /** @type {const} */ ('gate'),
    mlpBias: [false, true],
    norms: /** @type {const} */ (['attention.output.LayerNorm', 'mlp.layernorm']),
    learned: false,
    positionType: 'alibi',
    stack: { alibi: alibiSlopes(c.size('num_attention_heads')) },
  }
}
