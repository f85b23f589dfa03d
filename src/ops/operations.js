// The operations whose operands are all tensors. A tape has a method for each.

import { add, mul, sub } from './elementwise/arithmetic.js'
import { exp, geglu, gelu, log, relu, sigmoid, silu, swiglu, tanh } from './elementwise/functions.js'
import { layerNorm } from './norm/layer-norm.js'
import { rmsNorm } from './norm/rms-norm.js'
import { rope } from './rope/backward.js'
import { softmax } from './softmax/backward.js'

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
 * The type of a parameter of a tape's method: options without `out` and `resident`.
 * @template T
 * @typedef {'out' extends keyof NonNullable<T> ? Omit<NonNullable<T>, 'out' | 'resident'> : T} OnTape
 */
/**
 * The tape's method for a function of qkv/nn. Its result is resident and stays valid until the next tape.
 * @template F
 * @typedef {F extends (qkv: never, ...args: infer A) => infer R ? (...args: { [I in keyof A]: OnTape<A[I]> }) => R : never} Method
 */
/** @typedef {{ [Name in keyof typeof OPERATIONS]: Method<typeof OPERATIONS[Name]> }} Operations */
