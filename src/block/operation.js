// What an operation of a block is to qkv/nn and to a tape: its operands and options are prepared once, then it runs
// forwards and backwards on addresses in the module's memory.

import { expectDims, readOptions } from '../base/arguments.js'
import { toFloats } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { toTargetInPlace } from '../ops/launch.js'
import { expectCore } from '../qkv.js'
import { allocate, OUT_OPTIONS, produce, toTarget } from '../runtime/outputs.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/outputs.js').Target} Target */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/** @typedef {import('../base/tensor.js').TensorLike | import('../base/tensor.js').Nested} Operand on a tape also a parameter, or a result of it */
/** @typedef {Operand | ArrayLike<number>} IdOperand whole numbers of any dims */

/**
 * Where gradients go: each that `out` names to that tensor, the others to new arrays, or with `resident` to new resident
 * tensors. They lie apart from each other and from what is read.
 * @template {string} Name
 * @typedef {{ out?: Partial<Record<Name, FloatTensor>>, resident?: boolean }} Outs
 */
/**
 * @template {string} Name
 * @typedef {Record<Name, FloatTensor>} Gradients
 */

/**
 * Where a gradient goes; with accumulate 1 it is added to what is there.
 * @typedef {{ at: number, accumulate: number }} Slot
 */

/**
 * An operation on operands of known dims. Its functions run within a scope, on addresses: 0 of an operand that is not
 * there; the slot of a gradient that nobody wants is undefined.
 * @typedef {object} Prepared
 * @property {readonly number[]} dims of the output
 * @property {Record<string, readonly number[]>} [gradients] names and dims of the gradients, in the order of the operands
 * @property {number} [saved] floats that `run` writes for `differentiate`
 * @property {(at: number[], y: number, saved: number, given?: any) => void} run given: what may change from step to step
 * @property {(at: number[], saved: number, given?: any) => void} [save] writes `saved` alone
 * @property {(at: number[], dY: number, to: (Slot | undefined)[], saved: number, y: number) => void} [differentiate]
 * @property {boolean} [overwrites] `differentiate` cannot accumulate
 * @property {readonly number[]} [passes] operands whose gradient is dY itself, which `differentiate` leaves out
 * @property {number} [ready] the gradient of the first operand for dY = 1 lies there in `saved`, in floats
 */

/**
 * @typedef {object} Operation
 * @property {readonly string[]} operands their names, in order
 * @property {number} required how many of them must be given
 * @property {readonly string[]} options
 * @property {(core: Core, operands: any[], options: any, where: string) => Prepared} prepare operands: tensors or undefined
 */

/** @param {Operation} operation @param {readonly unknown[]} values @param {string} where */
const toOperands = ({ operands, required }, values, where) =>
  values.map((value, i) =>
    value === undefined && i >= required ? undefined : toFloats(value, `${where}: ${operands[i]}`),
  )

/** @param {Core} core @param {readonly (FloatTensor | undefined)[]} tensors */
const addressesOf = (core, tensors) => tensors.map(tensor => (tensor ? core.toMemory(tensor) : 0))

/**
 * The operation as a function of qkv/nn.
 * @param {unknown} qkv
 * @param {string} where
 * @param {Operation} operation
 * @param {readonly unknown[]} values
 * @param {object} options those of the operation, out and resident
 */
export function runOperation(qkv, where, operation, values, options) {
  const core = expectCore(qkv, where)
  const given = readOptions(options, [...operation.options, ...OUT_OPTIONS], where)
  const operands = toOperands(operation, values, where)
  const { dims, run } = operation.prepare(core, operands, given, where)
  const target = toTargetInPlace(given, dims, where, operands)
  return produce(core, target, y => run(addressesOf(core, operands), y, 0, given))
}

/**
 * Its gradients as a function of qkv/nn: each is a new array, a resident tensor, or what `out` has under its name.
 * @param {unknown} qkv
 * @param {string} where
 * @param {Operation} operation
 * @param {readonly unknown[]} values
 * @param {unknown} dY
 * @param {object} options those of the operation, out and resident
 * @param {unknown} [saved] what `save` is given; default the options
 * @returns {any} tensors by name
 */
export function runGradients(qkv, where, operation, values, dY, options, saved) {
  const core = expectCore(qkv, where)
  const given = readOptions(options, [...operation.options, ...OUT_OPTIONS], where)
  const operands = toOperands(operation, values, where)
  const prepared = operation.prepare(core, operands, given, where)
  const upstream = toFloats(dY, `${where}: dY`)
  expectDims(upstream, prepared.dims, `${where}: dY`, 'the dims of the output')
  const { gradients = {}, passes = [] } = prepared
  return produceAll(core, gradients, given, where, [...operands, upstream], addresses => {
    const at = addressesOf(core, operands)
    const from = core.toMemory(upstream)
    const kept = core.allocFloats(prepared.saved ?? 0)
    prepared.save?.(at, kept, saved ?? given)
    const to = addresses.map((at, i) => (passes.includes(i) ? undefined : { at, accumulate: 0 }))
    for (const i of passes) core.bytes.copyWithin(addresses[i], from, from + 4 * count(prepared.dims))
    if (to.some(slot => slot)) prepared.differentiate?.(at, from, to, kept, at[0])
  })
}

/**
 * Runs `write` with the addresses of several outputs.
 * @param {Core} core
 * @param {Record<string, readonly number[]>} dims by name
 * @param {{ out?: object, resident?: boolean }} options out: tensors by name
 * @param {string} where
 * @param {readonly (FloatTensor | undefined)[]} inputs from which the outputs lie apart
 * @param {(addresses: number[]) => void} write
 * @returns {any} tensors by name
 */
export function produceAll(core, dims, { out = {}, resident }, where, inputs, write) {
  const names = Object.keys(dims)
  if (out instanceof Tensor)
    throw new TypeError(`${where}: out: a tensor given, an object of tensors by name expected: { ${names.join(', ')} }`)
  /** @type {Record<string, any>} */
  const given = readOptions(out, names, `${where}: out`)
  const before = [...inputs]
  /** @type {Target[]} */
  const targets = []
  /** @type {import('../runtime/resident.js').ResidentTensor[]} */
  const residents = [] // made before the memory of the call is taken, which lies behind them
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
