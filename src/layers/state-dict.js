// The weights of layers by PyTorch's names.

import { expectDims } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {Tensor<Float32Array>} FloatTensor */

/** The valid range for the size of a layer. */
export const SIZE = { least: 0, most: 2 ** 32 - 1, whole: true }

/**
 * Returns a reader of a state dict, which throws if a tensor is missing or left over.
 * @param {unknown} given tensors by name
 */
export function readState(given) {
  const isBytes = ArrayBuffer.isView(given) || given instanceof ArrayBuffer
  if (typeof given !== 'object' || given === null || given instanceof Promise || isBytes) {
    const how = isBytes ? '; give await readSafetensors(bytes)' : given instanceof Promise ? '; await it' : ''
    throw new TypeError(`loadStateDict: expected an object of weights by name, got ${describe(given)}${how}`)
  }
  const state = /** @type {Record<string, unknown>} */ (given)
  const names = Object.keys(state)
  const rest = new Set(names)
  return {
    has: (/** @type {string} */ name) => names.includes(name),
    /** @type {(name: string, letters: string, ...dims: number[]) => FloatTensor} */
    take(name, letters, ...dims) {
      if (!rest.delete(name))
        throw new RangeError(
          `loadStateDict: ${name} ${letters} = ${shape(dims)} is missing; given: ${names.join(', ') || 'nothing'}`,
        )
      const tensor = toFloats(state[name], `loadStateDict: ${name}`)
      expectDims(tensor, dims, `loadStateDict: ${name}`, letters)
      return new Tensor(tensor.data.slice(), tensor.dims)
    },
    /** Throws if a tensor was never taken. */
    end() {
      if (rest.size) throw new RangeError(`loadStateDict: no place for ${[...rest].join(', ')}`)
    },
  }
}
