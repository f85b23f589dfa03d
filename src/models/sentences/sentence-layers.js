// The modules of sentence-transformers that have weights: Dense and LayerNorm, computed in float64. Loaded with a folder that lists one.

import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { readExactly } from '../source/source.js'
import { FLOATS, readFloats, readHeader } from '../weights/safetensors.js'
import { checkInput, expectObject, refuse } from './module-settings.js'

/** @import { Folder } from '../source/source.js' */
/** @typedef {{ kind: 'Dense' | 'LayerNorm', path: string, isScore?: boolean, run: (row: Float64Array) => Float64Array }} SentenceLayer */
/** @typedef {(name: string, dims: number[]) => Promise<Float32Array>} ReadWeight */

/** Computes erf by its series, or for large numbers by the continued fraction of erfc. @param {number} x */
function erf(x) {
  const z = Math.abs(x)
  let sum = 0
  if (z < 3) {
    for (let n = 0, term = z; Math.abs(term) > 1e-17 * Math.abs(sum) || n === 0; n++) {
      sum += term / (2 * n + 1)
      term *= -(z * z) / (n + 1)
    }
    sum *= 2 / Math.sqrt(Math.PI)
  } else {
    let fraction = 0
    for (let n = 60; n > 0; n--) fraction = n / 2 / (z + fraction)
    sum = 1 - Math.exp(-z * z) / (z + fraction) / Math.sqrt(Math.PI)
  }
  return Math.sign(x) * sum
}

/** Activations of torch that take no arguments. @type {Record<string, (x: number) => number>} */
const ACTIVATIONS = {
  'torch.nn.modules.linear.Identity': x => x,
  'torch.nn.modules.activation.Tanh': Math.tanh,
  'torch.nn.modules.activation.ReLU': x => Math.max(0, x),
  'torch.nn.modules.activation.Sigmoid': x => 1 / (1 + Math.exp(-x)),
  'torch.nn.modules.activation.SiLU': x => x / (1 + Math.exp(-x)),
  'torch.nn.modules.activation.GELU': x => (x / 2) * (1 + erf(x / Math.SQRT2)),
}

/** Returns the activation that a file sets. @param {unknown} name @param {string} file @param {string} key */
export function activationOf(name, file, key) {
  if (typeof name !== 'string' || !Object.hasOwn(ACTIVATIONS, name))
    refuse(file, key, name, Object.keys(ACTIVATIONS).join(', '))
  return ACTIVATIONS[name]
}

/**
 * Reads a module in a subfolder: config.json, and model.safetensors or pytorch_model.bin.
 * @param {Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @param {string} kind
 * @param {string} path
 * @param {boolean} isLast
 * @returns {Promise<SentenceLayer>}
 */
export async function readLayer(folder, readJSON, kind, path, isLast) {
  const file = `${path}/config.json`
  const found = await folder.open(file)
  if (!found) throw new Error(`${file} is missing, which modules.json lists`)
  const config = expectObject(await readJSON(found, file), file)
  const size = (/** @type {string} */ key) => {
    const value = config[key]
    if (Number.isInteger(value) && value > 0 && value <= 2 ** 20) return value
    throw new TypeError(`${file}: ${key}: expected a whole number from 1, got ${describe(value)}`)
  }
  if (kind === 'LayerNorm') return layerNorm(path, size('dimension'), await weightsOf(folder, path))
  const isScore = checkInput(config, file, isLast)
  const {
    bias = true,
    use_residual: isResidual = false,
    activation_function: name = 'torch.nn.modules.activation.Tanh',
  } = config
  for (const [key, value] of Object.entries({ bias, use_residual: isResidual }))
    if (typeof value !== 'boolean') refuse(file, key, value, 'true, false')
  const [inputs, outputs] = [size('in_features'), size('out_features')]
  if (isScore && outputs !== 1) refuse(file, 'out_features', outputs, '1 of a module that writes scores')
  const act = activationOf(name, file, 'activation_function')
  const read = await weightsOf(folder, path)
  const linear = product(
    await read('linear.weight', [outputs, inputs]),
    bias ? await read('linear.bias', [outputs]) : undefined,
  )
  const other = isResidual && inputs !== outputs ? product(await read('residual.weight', [outputs, inputs])) : undefined
  return {
    kind: 'Dense',
    path,
    isScore,
    run(row) {
      if (row.length !== inputs)
        throw new RangeError(
          `${file}: in_features: expected ${row.length}, the output size of the module before it, got ${inputs}`,
        )
      const out = linear(row).map(act)
      const residual = other?.(row) ?? (isResidual ? row : undefined)
      return residual ? out.map((value, i) => value + residual[i]) : out
    },
  }
}

/** Returns the function x -> W x + b. @param {Float32Array} weight (out, in) @param {Float32Array} [bias] @returns {(row: Float64Array) => Float64Array} */
const product = (weight, bias) => row => {
  const d = row.length
  return Float64Array.from({ length: weight.length / d }, (_, o) => {
    let sum = bias?.[o] ?? 0
    for (let i = 0; i < d; i++) sum += weight[o * d + i] * row[i]
    return sum
  })
}

/** @param {string} path @param {number} d @param {ReadWeight} read @returns {Promise<SentenceLayer>} */
async function layerNorm(path, d, read) {
  const [weight, bias] = [await read('norm.weight', [d]), await read('norm.bias', [d])]
  return {
    kind: 'LayerNorm',
    path,
    run(row) {
      if (row.length !== d)
        throw new RangeError(
          `${path}/config.json: dimension: expected ${row.length}, the output size of the module before it, got ${d}`,
        )
      const mean = row.reduce((sum, value) => sum + value, 0) / d
      const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / d
      return row.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * weight[i] + bias[i])
    },
  }
}

/** Returns a reader of a module's weights. @param {Folder} folder @param {string} path @returns {Promise<ReadWeight>} */
async function weightsOf(folder, path) {
  const names = [`${path}/model.safetensors`, `${path}/pytorch_model.bin`]
  const safe = await folder.open(names[0])
  const torch = safe ? undefined : await folder.open(names[1])
  if (!safe && !torch) throw new Error(`neither ${names[0]} nor ${names[1]} is there, which modules.json lists`)
  const file = safe ? names[0] : names[1]
  const tensors = safe
    ? await readHeader(safe, file)
    : await (await import('../torch/torch-file.js')).readTorchFile(present(torch), file, readExactly)
  return async (name, dims) => {
    const tensor = tensors.find(each => each.name === name)
    const isRight = tensor && FLOATS.includes(tensor.dtype) && tensor.dims.join() === dims.join()
    if (!isRight)
      throw new RangeError(
        `${file}: ${name}: expected floats (${dims.join(', ')}), got ${tensor ? `${tensor.dtype} (${tensor.dims.join(', ')})` : 'nothing'}`,
      )
    return Float32Array.from(await readFloats(tensor))
  }
}
