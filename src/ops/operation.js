// The interface of an operation of qkv/nn and of a tape. `prepare` checks operands and options once and returns functions that compute the
// output and the gradients on addresses in the module's memory. `defineOperation` makes the public function of an operation, `gradientOf`
// that of its gradient.

import { expectDims, readOptions } from '../base/arguments.js'
import { toFloats } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { expectCore } from '../runtime/core-of.js'
import { allocate, OUT_OPTIONS, produce, toTarget } from '../runtime/outputs.js'
import { toTargetInPlace } from './launch.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { Target } from '../runtime/outputs.js' */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/** @typedef {import('../base/tensor.js').FloatLike | import('../base/tensor.js').Nested} Operand on a tape, also a parameter or a result of the tape */
/** @typedef {import('../base/tensor.js').TensorLike | import('../base/tensor.js').Nested | ArrayLike<number>} IdOperand integers of any dims */

/**
 * Where gradients are written: `out` may have a tensor for each, by name. Gradients without a tensor are new arrays, or new resident
 * tensors with `resident`. The tensors must not overlap each other or an input.
 * @template {string} Name
 * @typedef {{ out?: Partial<Record<Name, FloatTensor>>, resident?: boolean }} Outs
 */
/**
 * @template {string} Name
 * @typedef {Record<Name, FloatTensor>} Gradients
 */

/**
 * The address of a gradient; if `accumulate` is 1, the gradient is added to the values at `at`.
 * @typedef {{ at: number, accumulate: number }} Slot
 */

/**
 * What `prepare` returns: an operation on operands of known dims. Its functions run within a scope, on addresses. An operand that was not
 * given has the address 0; a gradient that is not needed has no slot.
 * @typedef {object} Prepared
 * @property {readonly number[]} dims of the output
 * @property {Record<string, readonly number[] | undefined>} [gradients] dims of the gradients by name, in the order of the operands;
 *   undefined for an operand that was not given
 * @property {number} [saved] number of floats that `run` writes for `differentiate`
 * @property {(at: number[], y: number, saved: number, given?: any) => void} run computes the output; at: addresses of the operands; given:
 *   arguments that may change at each step
 * @property {(at: number[], saved: number, given?: any) => void} [save] writes `saved` without computing the output
 * @property {(at: number[], dY: number, to: (Slot | undefined)[], saved: number, y: number) => void} [differentiate] computes the gradients
 * @property {boolean} [overwrites] true if `differentiate` cannot accumulate
 * @property {boolean} [isView] true if the output is the first operand with other dims
 * @property {readonly number[]} [passes] indices of operands whose gradient is dY itself; `differentiate` does not compute them
 * @property {number} [ready] offset in `saved`, in floats, of the gradient of the first operand for dY = 1, if `run` computes it
 */

/**
 * Checks operands (tensors, or undefined if not given) and options.
 * @typedef {(core: Core, operands: any[], options: any, where: string) => Prepared} Prepare
 */

/**
 * @typedef {object} Operation
 * @property {readonly string[]} operands names in order
 * @property {number} required number of operands that are required
 * @property {readonly string[]} options
 * @property {Prepare} prepare
 *
 * An operation whose operands are all tensors. The name of an operand that may be left out ends in `?`.
 * @typedef {object} Definition
 * @property {string} name of the function, and of the tape's method
 * @property {readonly string[]} operands
 * @property {readonly string[]} [gradientOperands] operands that its gradient takes before dY; default: all. If it takes none, dY has the
 *   dims of the first operand
 * @property {readonly string[]} [options]
 * @property {Prepare} prepare
 */

/** The definition behind each function made by `defineOperation`. @type {WeakMap<Function, Definition>} */
const definitions = new WeakMap()

/** @param {Function} operation made by defineOperation @returns {Definition} */
export const definitionOf = operation => /** @type {Definition} */ (definitions.get(operation))

/**
 * @param {readonly string[]} names of operands
 * @param {Pick<Definition, 'options' | 'prepare'>} definition
 * @returns {Operation}
 */
export const toOperation = (names, { options = [], prepare }) => ({
  operands: names.map(name => name.replace('?', '')),
  required: names.filter(name => !name.endsWith('?')).length,
  options,
  prepare,
})

/**
 * Makes the function of an operation: it takes qkv, the operands, and the options with `out` and `resident`.
 * @param {Definition} definition
 * @returns {(...args: any[]) => FloatTensor}
 */
export function defineOperation(definition) {
  const { name, operands } = definition
  const operation = toOperation(operands, definition)
  const known = [...operation.options, ...OUT_OPTIONS]
  const run = (/** @type {unknown} */ qkv, /** @type {any[]} */ ...args) => {
    const { [operands.length]: options = {} } = args
    const values = Array.from(operands, (_, i) => args[i])
    return runOperation(qkv, name, operation, values, readOptions(options, known, name))
  }
  definitions.set(run, definition)
  return run
}

/**
 * Makes the gradient function of an operation: it takes qkv, `gradientOperands`, dY, and the options with `out` and `resident`.
 * @param {Function} operation made by defineOperation
 * @returns {(...args: any[]) => any} tensors by name: dX for an operand x
 */
export function gradientOf(operation) {
  const definition = definitionOf(operation)
  const { name, operands, gradientOperands = operands } = definition
  const n = gradientOperands.length
  const names = n ? gradientOperands : ['dY']
  const gradient = toOperation(names, definition)
  const where = `${name}Backward`
  const known = [...gradient.options, ...OUT_OPTIONS]
  return (/** @type {unknown} */ qkv, /** @type {any[]} */ ...args) => {
    const { [n + 1]: options = {} } = args
    const values = Array.from(names, (_, i) => args[i])
    return runGradients(qkv, where, gradient, values, args[n], readOptions(options, known, where))
  }
}

/** @param {Operation} operation @param {readonly unknown[]} values @param {string} where */
const toOperands = ({ operands, required }, values, where) =>
  values.map((value, i) =>
    value === undefined && i >= required ? undefined : toFloats(value, `${where}: ${operands[i]}`),
  )

/** @param {Core} core @param {readonly (FloatTensor | undefined)[]} tensors */
const addressesOf = (core, tensors) => tensors.map(tensor => (tensor ? core.toMemory(tensor) : 0))

/**
 * Runs an operation as a function of qkv/nn.
 * @param {unknown} qkv
 * @param {string} where
 * @param {Operation} operation
 * @param {readonly unknown[]} values
 * @param {import('../runtime/outputs.js').OutOptions} given the options of the operation, out and resident, already read by readOptions
 * @param {unknown} [more] the last argument of `run`; default `given`
 */
export function runOperation(qkv, where, operation, values, given, more) {
  const core = expectCore(qkv, where)
  const operands = toOperands(operation, values, where)
  const { dims, run } = operation.prepare(core, operands, given, where)
  const target = toTargetInPlace(given, dims, where, operands)
  return produce(core, target, y => run(addressesOf(core, operands), y, 0, more ?? given))
}

/**
 * Computes the gradients of an operation as a function of qkv/nn.
 * @param {unknown} qkv
 * @param {string} where
 * @param {Operation} operation
 * @param {readonly unknown[]} values
 * @param {unknown} dY
 * @param {{ out?: object, resident?: boolean }} given the options of the operation, out and resident, already read by readOptions
 * @param {unknown} [more] the last argument of `save`; default `given`
 * @returns {any} tensors by name
 */
export function runGradients(qkv, where, operation, values, dY, given, more) {
  const core = expectCore(qkv, where)
  const operands = toOperands(operation, values, where)
  const prepared = operation.prepare(core, operands, given, where)
  const upstream = toFloats(dY, `${where}: dY`)
  expectDims(upstream, prepared.dims, `${where}: dY`, 'the dims of the output')
  const { gradients = {}, passes = [] } = prepared
  const known = Object.entries(gradients).flatMap(([name, dims]) => (dims ? [[name, dims]] : []))
  return produceAll(core, Object.fromEntries(known), given, where, [...operands, upstream], addresses => {
    const places = Object.keys(gradients).map(name => addresses[known.findIndex(([other]) => other === name)] ?? 0)
    const at = addressesOf(core, operands)
    const from = core.toMemory(upstream)
    const savedAt = core.allocFloats(prepared.saved ?? 0)
    prepared.save?.(at, savedAt, more ?? given)
    const to = places.map((at, i) => (passes.includes(i) || !at ? undefined : { at, accumulate: 0 }))
    for (const i of passes) core.bytes.copyWithin(places[i], from, from + 4 * count(prepared.dims))
    if (to.some(slot => slot)) prepared.differentiate?.(at, from, to, savedAt, at[0])
  })
}

/**
 * Allocates several outputs and calls `write` with their addresses.
 * @param {Core} core
 * @param {Record<string, readonly number[]>} dims by name
 * @param {{ out?: object, resident?: boolean }} options out: tensors by name
 * @param {string} where
 * @param {readonly (FloatTensor | undefined)[]} inputs which the outputs must not overlap
 * @param {(addresses: number[]) => void} write
 * @returns {any} tensors by name
 */
export function produceAll(core, dims, { out = {}, resident }, where, inputs, write) {
  const names = Object.keys(dims)
  if (out instanceof Tensor)
    throw new TypeError(`${where}: out: expected an object of tensors by name, got a tensor; { ${names.join(', ')} }`)
  /** @type {Record<string, any>} */
  const given = readOptions(out, names, `${where}: out`)
  const before = [...inputs]
  /** @type {Target[]} */
  const targets = []
  /** @type {import('../runtime/resident.js').ResidentTensor[]} */
  const residents = [] // allocated before the temporary memory of the call
  try {
    for (const name of names) {
      const target = toTarget(
        { out: given[name], resident: resident && !given[name] },
        dims[name],
        `${where}: ${name}`,
        before,
      )
      before.push(target.to)
      targets.push(target)
    }
    for (const target of targets)
      if (target.resident) {
        const tensor = allocate(core, target.dims)
        residents.push(tensor)
        Object.assign(target, { out: tensor, to: tensor, resident: false })
      }
    /** @type {FloatTensor[]} */
    const made = []
    const next = (/** @type {number[]} */ addresses) => {
      const i = addresses.length
      if (i === targets.length) write(addresses)
      else made[i] = produce(core, targets[i], at => next([...addresses, at]))
    }
    next([])
    return Object.fromEntries(names.map((name, i) => [name, made[i]]))
  } catch (error) {
    for (const tensor of residents) tensor.dispose()
    throw error
  }
}
