// BERT.

import { BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'

/** @typedef {import('../config.js').Config} Config */

export { DEFAULTS } from '../family-shapes/bert-like.js'

/** @param {Config} c */
export const describe = c =>
  bertLike(c, {
    ...BERT_LAYER,
    prefix: 'bert.',
    at: inEncoder,
    head: {
      dense: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.LayerNorm',
      bias: 'cls.predictions.bias',
      own: 'cls.predictions.decoder',
      optional: /^cls\.predictions\./,
    },
    ignored: ['^cls\\.predictions\\.decoder\\.(weight|bias)$'],
  })
