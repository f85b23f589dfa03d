// All operations of a tape. Their gradients are also functions of qkv/nn (gradients.js).

import { prepareAttention } from './attention.js'
import { prepareDropout } from './dropout.js'
import { prepareRelativeBias } from './embedding.js'
import { prepareLinear } from './linear.js'
import { prepareRope, prepareSoftmax } from './lines.js'
import { OPERATIONS, operation } from './operations.js'

const ROPE = 'positions pastLength interleaved rotaryDim base cos sin numHeads'

export const TAPE_OPERATIONS = {
  ...OPERATIONS,
  linear: operation('x weight bias? residual?', 'layout', prepareLinear),
  attention: operation('q bias? k? v?', 'numHeads kvHeads', prepareAttention),
  rope: operation('x', ROPE, prepareRope),
  softmax: operation('x', 'axis', prepareSoftmax),
  relativeBias: operation('table', 'L S', prepareRelativeBias),
  dropout: operation('x', 'p', prepareDropout),
}
