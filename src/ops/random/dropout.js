// Dropout, with the draws of PyTorch's generator.

import { readOptions, toNumber } from '../../base/arguments.js'
import { count } from '../../base/tensor.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { multiplyAll } from '../kernels.js'
import { runGradients, runOperation, toOperation } from '../operation.js'
import { checkStream } from './generator.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @typedef {{ p: number, generator: import('./generator.js').Generator }} DropoutOptions */

/** At each step, draws a factor 0 or 1 / (1 - p) for each value and saves the factors for the gradient. @type {import('../operation.js').Prepare} */
const prepare = (core, operands, options, where) => {
  const [{ dims }] = operands
  const p = toNumber(options.p, `${where}: p`, { least: 0, most: 1 })
  const n = count(dims)
  /** Draws factors and writes y = x * factors, or y = factors if the address x is 0. @type {(x: number, y: number, generator: import('./generator.js').Generator) => void} */
  const draw = (x, y, generator) => generator.withState(core, state => core.call('qkv_dropout', state, x, y, n, p))
  return {
    dims,
    gradients: { dX: dims },
    saved: n,
    run([x], y, factors, generator) {
      if (!factors) return draw(x, y, generator)
      draw(0, factors, generator)
      multiplyAll(core, x, factors, y, n)
    },
    save: (_, factors, generator) => draw(0, factors, generator),
    differentiate: (_, dY, [dX], factors) => dX && multiplyAll(core, dY, factors, dX.at, n, dX.accumulate),
  }
}

/** @param {string} name of the operand */
const operation = name => toOperation([name], { options: ['p'], prepare })
/** Dropout as an operation of a tape; the generator is passed at each step. */
export const DROPOUT = operation('x')

/** @template {DropoutOptions} T @param {T} options @param {string} where */
function readDropout(options, where) {
  const given = readOptions(options, ['p', 'generator', ...OUT_OPTIONS], where)
  return { given, stream: checkStream(given.generator, `${where}: generator`) }
}

/**
 * Zeroes each value with probability p and divides the others by 1 - p, as generator.dropout(x, p).
 * @type {(qkv: Qkv, x: Operand, options: DropoutOptions & import('../../runtime/outputs.js').OutOptions) => FloatTensor}
 */
export function dropout(qkv, x, options) {
  const { given, stream } = readDropout(options, 'dropout')
  return runOperation(qkv, 'dropout', DROPOUT, [x], given, stream)
}

/**
 * Returns the gradient of dropout: dY times the factors of dropout. Pass the generator in the state that it had before dropout.
 * @type {(qkv: Qkv, dY: Operand, options: DropoutOptions & import('../operation.js').Outs<'dX'>) => import('../operation.js').Gradients<'dX'>}
 */
export function dropoutBackward(qkv, dY, options) {
  const { given, stream } = readDropout(options, 'dropoutBackward')
  return runGradients(qkv, 'dropoutBackward', operation('dY'), [dY], dY, given, stream)
}
