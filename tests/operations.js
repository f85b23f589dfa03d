// The operations of tests/operations, a file each: `reference`, `cases`, and where the functions or the tape's method take other
// arguments than operands and options, `call` and `onTape`. Tests of gradients, of strange arguments and of threads run over them.

import { readdirSync } from 'node:fs'
import { definitionOf } from '../src/nn/operation.js'
import { OPERATIONS as FUNCTIONS } from '../src/nn/operations.js'
import * as nn from '../src/nn.js'

/**
 * Operands of these dims. `large` multiplies the first of them.
 * @typedef {{ dims: Record<string, number[]>, options?: Record<string, any>, large?: number }} Case
 *
 * Output and gradients, by the names of the operands, of the functions for users; undefined where there are none. more: options of
 * the gradient.
 * @typedef {(qkv: any, inputs: any, options: any, dY: any, more: any) => Record<string, any> | undefined} Call
 *
 * @typedef {(t: any, inputs: any, options: any, generator: any) => any} OnTape
 *
 * @typedef {object} Operation
 * @property {(inputs: any, options: any) => number[]} reference the values of the output in float64
 * @property {Case[]} cases the first is also an example of valid arguments
 * @property {Call} [call]
 * @property {OnTape} onTape
 * @property {(x: number) => number} [domain] moves a value away from where there is no difference quotient
 * @property {(large: number) => any} [upstream] the gradient of the output, where it is not random
 * @property {Case} [threads] a call that is large enough for threads
 */

/** The function of an operation whose operands are all tensors. @param {string} name @returns {((...args: any[]) => any) | undefined} */
const functionOf = name => /** @type {Record<string, any>} */ (FUNCTIONS)[name]

/** @param {readonly string[]} names */
const bare = names => names.map(name => name.replace('?', ''))

/** Names of the operands of a function, and of those of its gradient. @param {string} name */
export function operandsOf(name) {
  const definition = definitionOf(/** @type {Function} */ (functionOf(name)))
  return { operands: bare(definition.operands), ofGradient: bare(definition.gradientOperands ?? definition.operands) }
}

/** The name of a gradient: dX of an operand x. @param {string} operand */
export const gradientName = operand => `d${operand[0].toUpperCase()}${operand.slice(1)}`

/** @param {string} name @returns {Call | undefined} */
function usualCall(name) {
  const run = functionOf(name)
  const backward = /** @type {Record<string, any>} */ (nn)[`${name}Backward`]
  if (!run || !backward) return undefined
  const { operands, ofGradient } = operandsOf(name)
  return (qkv, inputs, options, dY, more) => {
    const output = run(qkv, ...operands.map(operand => inputs[operand]), options)
    const gradients = backward(qkv, ...ofGradient.map(operand => inputs[operand]), dY, { ...options, ...more })
    return {
      output,
      ...Object.fromEntries(operands.map(operand => [operand, gradients[gradientName(operand)]])),
    }
  }
}

/** @param {string} name @returns {OnTape} */
const usualMethod = name => (t, inputs, options) =>
  t[name](...operandsOf(name).operands.map(operand => inputs[operand]), options)

const files = readdirSync(new URL('./operations/', import.meta.url)).filter(file => file.endsWith('.js'))

/** By the name of the tape's method. @type {Record<string, Operation>} */
export const OPERATIONS = {}
for (const file of files.sort()) {
  const name = file.replace('.js', '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
  const given = await import(`./operations/${file}`)
  OPERATIONS[name] = { ...given, call: given.call ?? usualCall(name), onTape: given.onTape ?? usualMethod(name) }
}
