// Collects the operations of tests/operations. Each file exports `reference` and `cases`. It also exports `call` or `onTape` if the functions or the
// tape's method take arguments other than operands and options. Tests of gradients, strange arguments and threads run over all operations.

import { readdirSync } from 'node:fs'
import * as nn from '../src/entries/nn.js'
import { definitionOf } from '../src/ops/operation.js'
import { OPERATIONS as FUNCTIONS } from '../src/ops/operations.js'

/**
 * Dims of the operands. `large` multiplies the first operand.
 * @typedef {{ dims: Record<string, number[]>, options?: Record<string, any>, large?: number }} Case
 *
 * Runs the public functions and returns `output` and the gradients by operand; undefined if no function takes these inputs. `more` are
 * options of the gradient.
 * @typedef {(qkv: any, inputs: any, options: any, dY: any, more: any) => Record<string, any> | undefined} Call
 *
 * @typedef {(t: any, inputs: any, options: any, generator: any) => any} OnTape
 *
 * @typedef {object} Operation
 * @property {(inputs: any, options: any) => number[]} reference the values of the output in float64
 * @property {Case[]} cases the first is also an example of valid arguments
 * @property {Call} [call]
 * @property {OnTape} onTape
 * @property {(x: number) => number} [domain] moves a value away from points where the function is not differentiable
 * @property {(large: number) => any} [upstream] returns the gradient of the output; undefined for a random one
 * @property {Case} [threads] a call that is large enough for threads
 */

/** Returns the function of an operation; undefined unless all its operands are tensors. @param {string} name @returns {((...args: any[]) => any) | undefined} */
const functionOf = name => /** @type {Record<string, any>} */ (FUNCTIONS)[name]

/** @param {readonly string[]} names */
const bare = names => names.map(name => name.replace('?', ''))

/** Returns the names of the operands of a function and of its gradient. @param {string} name */
export function operandsOf(name) {
  const definition = definitionOf(/** @type {Function} */ (functionOf(name)))
  return { operands: bare(definition.operands), ofGradient: bare(definition.gradientOperands ?? definition.operands) }
}

/** Returns the name of the gradient of an operand: dX for x. @param {string} operand */
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

/** The operations by the name of the tape's method. @type {Record<string, Operation>} */
export const OPERATIONS = {}
for (const file of files.sort()) {
  const name = file.replace('.js', '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
  const given = await import(`./operations/${file}`)
  OPERATIONS[name] = { ...given, call: given.call ?? usualCall(name), onTape: given.onTape ?? usualMethod(name) }
}
