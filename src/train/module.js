// A model in the style of PyTorch: layers by name, and a function that runs them on a tape.

import { describe } from '../base/errors.js'
import { Embedding } from '../layers/embedding.js'
import { Linear } from '../layers/linear.js'
import { LayerNorm, RMSNorm } from '../layers/norm.js'
import { checkName, parameters } from './parameters.js'
import { isTape } from './tape.js'

/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { IdOperand, Operand } from '../ops/operation.js' */
/** @import { Parameters } from './parameters.js' */
/** @import { Tape } from './tape.js' */

/** For each class of layers, the method of the tape that runs one. */
const KINDS = /** @type {const} */ ([
  [Linear, 'linear'],
  [Embedding, 'embedding'],
  [LayerNorm, 'layerNorm'],
  [RMSNorm, 'rmsNorm'],
])

/** @typedef {Linear | Embedding | LayerNorm | RMSNorm} TrainedLayer */
/**
 * The argument `layers` of `module`: layers and tensors in nested objects and arrays.
 * @typedef {TrainedLayer | import('../base/tensor.js').TensorLike | { readonly [name: string]: LayerTree } | readonly LayerTree[]} LayerTree
 */
/**
 * The argument `layers` of `forward`. It is the LayerTree with a function for each layer and a parameter for each tensor.
 * @template L
 * @typedef {L extends Linear ? ((x: Operand, options?: import('../ops/linear/forward.js').FusedOptions) => FloatTensor) & { weight: FloatTensor, bias?: FloatTensor }
 *   : L extends Embedding ? ((ids: IdOperand, options?: { paddingIdx?: number }) => FloatTensor) & { weight: FloatTensor }
 *   : L extends LayerNorm | RMSNorm ? ((x: Operand) => FloatTensor) & { weight: FloatTensor }
 *   : L extends import('../base/tensor.js').TensorLike ? FloatTensor
 *   : { readonly [K in keyof L]: BoundLayers<L[K]> }} BoundLayers
 */

/** True if a value looks like a tensor, of any library: it has data, and dims or shape. @param {unknown} value @returns {value is Operand} */
function isTensor(value) {
  const { data, dims, shape } = Object(value)
  return data !== undefined && (dims ?? shape) !== undefined
}

/** @param {unknown} value */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/**
 * Adds the tensors of a LayerTree to `found`, by PyTorch's names such as 'blocks.0.norm.weight'.
 * @param {unknown} layers
 * @param {string} name of `layers` in the whole tree
 * @param {Record<string, Operand>} found
 * @param {Map<unknown, string>} seen
 * @returns {(t: any, values: Readonly<Record<string, FloatTensor>>) => any} makes the BoundLayers for a tape
 */
function compile(layers, name, found, seen) {
  const kind = KINDS.find(([Kind]) => layers instanceof Kind)
  if (!kind && !isTensor(layers) && !isPlain(layers))
    throw new TypeError(
      `module: ${name || 'layers'}: expected a layer, a tensor, or an object or array of them, got ${describe(layers)}`,
    )
  const other = seen.get(layers)
  if (other !== undefined)
    throw new TypeError(`module: ${name} is the same as ${other || 'what holds it'}: give it once, and use that one`)
  seen.set(layers, name)
  if (isTensor(layers)) {
    put(found, name, layers)
    return (_, values) => values[name]
  }
  if (kind) return compileLayer(layers, kind[1], name, found)
  const parts = Object.entries(/** @type {object} */ (layers)).map(([key, part]) => {
    const make = compile(part, name ? `${name}.${key}` : key, found, seen)
    return /** @type {const} */ ([key, make])
  })
  if (Array.isArray(layers)) return (t, values) => parts.map(([, make]) => make(t, values))
  return (t, values) => Object.fromEntries(parts.map(([key, make]) => [key, make(t, values)]))
}

/** @param {Record<string, Operand>} found @param {string} name @param {Operand} tensor */
function put(found, name, tensor) {
  if (Object.hasOwn(found, name)) throw new RangeError(`module: two tensors have the name ${name}: rename one`)
  found[checkName(name, 'module')] = tensor
}

/**
 * Adds the tensors of a layer to `found`.
 * @param {any} layer
 * @param {typeof KINDS[number][1]} method the method of the tape that runs it
 * @param {string} name
 * @param {Record<string, Operand>} found
 * @returns {(t: any, values: Readonly<Record<string, FloatTensor>>) => any} makes the function that runs the layer on a tape
 */
function compileLayer({ weight, bias, eps }, method, name, found) {
  const [ofWeight, ofBias] = ['weight', 'bias'].map(part => (name ? `${name}.${part}` : part))
  put(found, ofWeight, weight)
  if (bias) put(found, ofBias, bias)
  const given = eps === undefined ? {} : { eps }
  return (t, values) => {
    const { [ofWeight]: weight, [ofBias]: bias } = values
    const run = {
      linear: (/** @type {Operand} */ x, /** @type {object} */ options) => t.linear(x, weight, bias, options),
      embedding: (/** @type {IdOperand} */ ids, /** @type {object} */ options) => t.embedding(ids, weight, options),
      layerNorm: (/** @type {Operand} */ x) => t.layerNorm(x, weight, bias, given),
      rmsNorm: (/** @type {Operand} */ x) => t.rmsNorm(x, weight, given),
    }[method]
    return Object.assign(run, bias ? { weight, bias } : { weight })
  }
}

/**
 * Makes a model of layers and a function that runs them, used as `tape(qkv, model.parameters, t => model(t, ids))`. The weights of the
 * layers are copied into the module's memory.
 * @template {LayerTree} L
 * @template {any[]} I
 * @template R
 * @param {import('../qkv.js').Qkv} qkv
 * @param {L} layers layers of qkv/nn (`linearLayer`, `embeddingLayer`), LayerNorm, RMSNorm, and tensors, in nested objects and arrays
 * @param {(t: Tape, layers: BoundLayers<L>, ...inputs: I) => R} forward computes the model on a tape
 * @returns {((t: Tape, ...inputs: I) => R) & { parameters: Parameters }} the model; its parameters have PyTorch's names
 */
export function module(qkv, layers, forward) {
  /** @type {Record<string, Operand>} */
  const found = {}
  const bind = compile(layers, '', found, new Map())
  if (typeof forward !== 'function')
    throw new TypeError(`module: expected a function of the tape and the layers, got ${describe(forward)}`)
  const p = parameters(qkv, found)
  const model = (/** @type {Tape} */ t, /** @type {I} */ ...inputs) => {
    if (!isTape(t))
      throw new TypeError(
        `module: expected a tape as the first argument, got ${describe(t)}; call tape(qkv, model.parameters, t => model(t, ...inputs))`,
      )
    return forward(t, bind(t, p.values), ...inputs)
  }
  return Object.assign(model, { parameters: p })
}
