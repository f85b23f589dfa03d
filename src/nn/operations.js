// The operations whose operands are all tensors. A tape has a method for each of them.

import { add } from './add.js'
import { exp } from './exp.js'
import { geglu } from './geglu.js'
import { gelu } from './gelu.js'
import { layerNorm } from './layer-norm.js'
import { log } from './log.js'
import { mul } from './mul.js'
import { relu } from './relu.js'
import { rmsNorm } from './rms-norm.js'
import { rope } from './rope-gradient.js'
import { sigmoid } from './sigmoid.js'
import { silu } from './silu.js'
import { softmax } from './softmax-gradient.js'
import { sub } from './sub.js'
import { swiglu } from './swiglu.js'
import { tanh } from './tanh.js'

export const OPERATIONS = {
  add,
  exp,
  geglu,
  gelu,
  layerNorm,
  log,
  mul,
  relu,
  rmsNorm,
  rope,
  sigmoid,
  silu,
  softmax,
  sub,
  swiglu,
  tanh,
}

/**
 * The type of a parameter of a tape's method: options lack `out` and `resident`.
 * @template T
 * @typedef {'out' extends keyof NonNullable<T> ? Omit<NonNullable<T>, 'out' | 'resident'> : T} OnTape
 */
/**
 * The method of a tape for a function of qkv/nn. Its result is resident, and valid until the next tape.
 * @template F
 * @typedef {F extends (qkv: never, ...args: infer A) => infer R ? (...args: { [I in keyof A]: OnTape<A[I]> }) => R : never} Method
 */
/** @typedef {{ [Name in keyof typeof OPERATIONS]: Method<typeof OPERATIONS[Name]> }} Operations */
