// The weights of layers by PyTorch's names.

import { expectDims } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {Tensor<Float32Array>} FloatTensor */

/** The valid range for the size of a layer. */
export const SIZE = { least: 0, most: 2 ** 32 - 1, whole: true }

/**
 * Returns a reader of a state dict. `take` throws if a tensor is missing, `end` if one is left over.
 * @param {Readonly<Record<string, unknown>>} state tensors by name
 */
export function readState(state) {
  const isBytes = ArrayBuffer.isView(state) || state instanceof ArrayBuffer
  if (typeof state !== 'object' || state === null || state instanceof Promise || isBytes) {
    const how = isBytes ? '; give await readSafetensors(bytes)' : state instanceof Promise ? '; await it' : ''
    throw new TypeError(`loadStateDict: expected an object of weights by name, got ${describe(state)}${how}`)
  }
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
