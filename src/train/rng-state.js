// What only training needs of PyTorch's random numbers: permutations, and saving and restoring the state of a generator.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { checkStream } from '../ops/random/generator.js'

/** @import { Generator } from '../ops/random/generator.js' */

const MOST = Math.floor((2 ** 32 - 1) / 20) - 1 // above this, PyTorch uses another algorithm

/**
 * Returns the integers from 0 to n - 1 in random order, like torch.randperm; used to shuffle the samples of an epoch.
 * @param {Generator} generator
 * @param {number} n
 * @returns {Tensor<Int32Array>}
 */
export function randperm(generator, n) {
  const stream = checkStream(generator, 'randperm: generator')
  const size = toNumber(n, 'randperm: n', { least: 0, most: MOST, whole: true })
  const words = stream.words([Math.max(0, size - 1)]).data
  const order = Int32Array.from({ length: size }, (_, i) => i)
  for (let i = 0; i < size - 1; i++) {
    const other = i + (words[i] % (size - i))
    const value = order[i]
    order[i] = order[other]
    order[other] = value
  }
  return new Tensor(order, [size])
}

const WORDS = 624
const BYTES = 5056
/** Byte offsets in PyTorch's state, at::CPUGeneratorImplState. */
const AT = { left: 8, seeded: 12, next: 16, words: 24, spare: 24 + 8 * WORDS + 8, hasSpare: 24 + 8 * WORDS + 24 }
/** Byte offsets in struct qkv_generator. */
const OWN = { next: 4 * WORDS, hasSpare: 4 * WORDS + 8, spare: 4 * WORDS + 16 }

/**
 * Returns the state of a generator as bytes, like torch.Generator.get_state. PyTorch can load them. They have 0 as the seed.
 * @param {Generator} generator
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function getRngState(generator) {
  const stream = checkStream(generator, 'getRngState: generator')
  const bytes = new Uint8Array(BYTES)
  const view = new DataView(bytes.buffer)
  const { core } = stream
  stream.withState(core, address => {
    const own = new DataView(core.bytes.buffer, address)
    const next = own.getUint32(OWN.next, true)
    view.setInt32(AT.left, next === WORDS ? 1 : WORDS + 1 - next, true)
    view.setInt32(AT.seeded, 1, true)
    view.setUint32(AT.next, next, true)
    for (let i = 0; i < WORDS; i++) view.setUint32(AT.words + 8 * i, own.getUint32(4 * i, true), true)
    const hasSpare = own.getUint32(OWN.hasSpare, true)
    view.setInt32(AT.hasSpare, hasSpare, true)
    view.setFloat64(AT.spare, hasSpare ? own.getFloat64(OWN.spare, true) : 0, true)
  })
  return bytes
}

/**
 * Restores a state of a generator that this library or PyTorch saved, like torch.Generator.set_state.
 * @param {Generator} generator
 * @param {Uint8Array} state bytes from getRngState, or from torch.get_rng_state()
 */
export function setRngState(generator, state) {
  const stream = checkStream(generator, 'setRngState: generator')
  if (!(state instanceof Uint8Array))
    throw new TypeError(`setRngState: state: expected the ${BYTES} bytes of getRngState, got ${describe(state)}`)
  const bytes = state.slice()
  if (bytes.length !== BYTES)
    throw new RangeError(`setRngState: state: expected the ${BYTES} bytes of getRngState, got ${bytes.length}`)
  const view = new DataView(bytes.buffer)
  const left = view.getInt32(AT.left, true)
  const next = view.getUint32(AT.next, true)
  const isFine = left === 1 ? next === 0 || next === WORDS : next > 0 && left === WORDS + 1 - next
  if (!isFine || view.getInt32(AT.seeded, true) !== 1)
    throw new RangeError('setRngState: state: these bytes are no state of a generator')
  const { core } = stream
  stream.withState(core, address => {
    const own = new DataView(core.bytes.buffer, address)
    own.setUint32(OWN.next, left === 1 ? WORDS : next, true)
    for (let i = 0; i < WORDS; i++) own.setUint32(4 * i, view.getUint32(AT.words + 8 * i, true), true)
    const hasSpare = view.getInt32(AT.hasSpare, true) ? 1 : 0
    own.setUint32(OWN.hasSpare, hasSpare, true)
    own.setFloat64(OWN.spare, view.getFloat64(AT.spare, true), true)
  })
}
