// normalize: each row divided by its length.

import { count } from '../base/tensor.js'
import { launch } from '../ops/launch.js'
import { defineOperation, gradientOf } from './operation.js'

/** @typedef {import('../qkv.js').Qkv} Qkv */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./operation.js').Operand} Operand */
/** @typedef {import('../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('./operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('./operation.js').Gradients<Name>} Gradients */

/** With s = 1 / max(|x|, 1e-12): y = x s, dX = (dY - x s^2 (x . dY)) s. @type {import('./operation.js').Prepare} */
const prepare = (core, [{ dims }]) => {
  const C = dims.length ? dims[dims.length - 1] : 1
  const n = count(dims)
  const rows = C && n / C
  return {
    dims,
    gradients: { dX: dims },
    run: ([x], y) => launch(core, 'qkv_normalize', [x, 0, y, C, 0], rows, n),
    differentiate([x], dY, [dX]) {
      if (dX) launch(core, 'qkv_normalize', [x, dY, dX.at, C, dX.accumulate], rows, 2 * n)
    },
  }
}

/**
 * torch.nn.functional.normalize over the last axis: x / max(|x|, 1e-12).
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const normalize = defineOperation({ name: 'normalize', operands: ['x'], prepare })

/**
 * The gradient of normalize.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const normalizeBackward = gradientOf(normalize)
