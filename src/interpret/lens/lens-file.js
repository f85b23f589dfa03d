// Reads and writes lens files in the format of torch.save. Reading runs no code of the file (src/models/torch/torch-file.js).
// - Jacobian lens: { J: { layer: (d, d) }, n_prompts, source_layers, d_model }
// - tuned lens from saveLens, the map h + weight h + bias: { weight: { layer: (d, d) }, bias: { layer: (d) }, n_prompts, source_layers,
//   d_model }
// - params.pt of the tuned-lens package: "n.weight" and "n.bias" for the input of layer n

import { oneOf, readOptions } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { openFolder, readExactly } from '../../models/source/source.js'
import { readFloats } from '../../models/weights/safetensors.js'
import { Lens } from './lens.js'
import { TorchFileWriter } from './torch-save.js'

/**
 * @typedef {object} OwnReadLensOptions
 * @property {AbortSignal} [signal]
 * @typedef {import('../../models/hub/hub-folder.js').HubOptions & OwnReadLensOptions} ReadLensOptions
 */

/**
 * Reads a lens saved by torch.save: from fitLens and saveLens, TransformerLens or the reference implementation.
 * @param {string | URL | ArrayBuffer | ArrayBufferView | Blob} source a URL, hf:owner/name/file.pt, in Node also a path; or bytes, a Blob or
 *   a File
 * @param {ReadLensOptions} [options] as in loadModel, for hf:
 * @returns {Promise<Lens>}
 */
export async function readLens(source, options = {}) {
  const where = 'readLens'
  const given = readOptions(options, ['signal', 'token', 'hub', 'headers', 'keep'], where)
  const isName = typeof source === 'string' || source instanceof URL
  const [, before = '', file = 'lens'] = isName ? (/^(.*?)([^/\\]+)$/.exec(String(source)) ?? []) : []
  if (isName && file === 'lens' && !before)
    throw new RangeError(`${where}: expected the path of a file, got ${describe(source)}`)
  const at = source instanceof URL ? new URL('.', source) : before.replace(/(?<=.)[/\\]$/, '') || '.'
  const refused = (/** @type {string} */ code, /** @type {string} */ text, /** @type {unknown} */ cause) =>
    Object.assign(new Error(`${where}: ${text}`, { cause }), { code })
  const missing = (/** @type {unknown} */ cause) => {
    const [name] = /^\w[\w.-]*\/\w[\w.-]*(?=$|\/)/.exec(String(source)) ?? []
    const hub = name ? `. A file on the Hugging Face hub is named hf:${name}/path/of/file.pt` : ''
    return refused('NOT_FOUND', `there is no file ${describe(String(source))}${hub}`, cause)
  }
  /** @type {Awaited<ReturnType<typeof openFolder>>} */
  let folder
  try {
    folder = await openFolder(isName ? at : { [file]: source }, given, { isLoaded: true, hasTokenizer: false })
  } catch (cause) {
    if (Object(cause).code === 'NOT_FOUND' && !/^hf:/.test(String(source))) throw missing(cause)
    throw cause
  }
  try {
    const bytes = await folder.open(file)
    if (!bytes) throw missing(undefined)
    const { openTorchFile } = await import('../../models/torch/torch-file.js')
    const lens = await lensIn(await openTorchFile(bytes, file, readExactly), file)
    await folder.finish?.()
    return lens
  } catch (cause) {
    if (Object(cause).code !== 'EISDIR') throw cause
    throw refused('IS_A_FOLDER', `${describe(String(source))} is a folder: expected the path of a file`, cause)
  } finally {
    await folder.close()
  }
}

/**
 * @param {import('../../models/torch/torch-file.js').TorchFile} opened
 * @param {string} file
 */
async function lensIn({ top, isView, tensorOf }, file) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${text}`)
  const entries = top instanceof Map ? top : new Map()
  /** @param {string} name @param {unknown} view @param {readonly number[]} dims */
  const read = async (name, view, dims) => {
    if (!isView(view)) throw fail(`${name}: expected a tensor, got ${describe(view)}`)
    const tensor = tensorOf(name, view)
    if (!['F16', 'BF16', 'F32', 'F64'].includes(tensor.dtype))
      throw fail(`${name}: expected floats, got ${tensor.dtype}`)
    if (String(tensor.dims) !== String(dims)) throw fail(`${name}: expected ${shape(dims)}, got ${shape(tensor.dims)}`)
    const floats = await readFloats(tensor)
    if (!floats.every(Number.isFinite)) throw fail(`${name} holds NaN or infinity`)
    return floats
  }
  if (entries.has('0.weight')) return ofPackage(entries, isView, tensorOf, read, fail)
  const kind = entries.has('weight') && !entries.has('J') ? 'tuned' : 'jacobian'
  const [main, biases] = kind === 'tuned' ? ['weight', entries.get('bias')] : ['J', undefined]
  const [views, count, width, metadata] = [main, 'n_prompts', 'd_model', 'metadata'].map(key => entries.get(key))
  if (!(views instanceof Map) || !views.size || (kind === 'tuned' && !(biases instanceof Map)))
    throw fail(
      `expected a lens, { J, n_prompts, source_layers, d_model }, with a matrix for each layer in J; got ${inPython(top, isView)}`,
    )
  if (!isCount(count)) throw fail(`n_prompts: expected how many texts it was fitted on, got ${inPython(count, isView)}`)
  if (!isCount(width)) throw fail(`d_model: expected the width of the model, got ${inPython(width, isView)}`)
  const estimator = metadata instanceof Map ? metadata.get('estimator') : undefined
  if (estimator !== undefined && estimator !== ESTIMATORS[kind])
    throw fail(`expected a lens of the estimator ${describe(ESTIMATORS[kind])}, got one of ${describe(estimator)}`)
  const list = entries.get('source_layers')
  const layers = [...views.keys()].sort(by)
  if (list !== undefined && !(Array.isArray(list) && String([...list].sort(by)) === String(layers)))
    throw fail(
      `source_layers: expected the layers of ${main}, ${layers}; got ${Array.isArray(list) ? list : inPython(list, isView)}`,
    )
  /** @type {Map<number, Float32Array>} */
  const matrices = new Map()
  /** @type {Map<number, Float32Array>} */
  const offsets = new Map()
  for (const [layer, view] of views) {
    if (!Number.isSafeInteger(layer) || layer < 0)
      throw fail(`${main}: expected numbers of layers as keys, got ${describe(layer)}`)
    const floats = await read(`${main}[${layer}]`, view, [width, width])
    matrices.set(layer, kind === 'tuned' ? floats : floats.map(value => value * count))
    if (biases) offsets.set(layer, await read(`bias[${layer}]`, biases.get(layer), [width]))
  }
  const own = ownFacts(metadata instanceof Map ? metadata.get('qkv') : undefined, count, fail)
  return new Lens({ kind, width, count, matrices, ...(biases && { offsets }), ...own })
}

/**
 * Describes a value of a file in Python's terms, for errors.
 * @param {unknown} value
 * @param {(value: unknown) => boolean} isView
 * @returns {string}
 */
function inPython(value, isView) {
  if (isView(value)) return 'a tensor'
  if (!(value instanceof Map)) return describe(value)
  const J = value.get('J')
  const inside = J === undefined ? '' : `, J is ${J instanceof Map ? 'an empty dict' : inPython(J, isView)}`
  return `a dict with ${[...value.keys()].slice(0, 6).map(String).join(', ') || 'no keys'}${inside}`
}

/** @type {Record<import('./lens.js').LensKind, string>} */
const ESTIMATORS = { jacobian: 'jacobian_lens', tuned: 'tuned_lens' }

/** @param {unknown} n @returns {n is number} */
const isCount = n => Number.isSafeInteger(n) && Number(n) >= 1

/**
 * Reads params.pt of the tuned-lens package, where index n belongs to the input of layer n, which is the output of layer n - 1. The entry
 * for the embedding, the input of layer 0, has no place in a Lens.
 * @param {Map<unknown, unknown>} entries
 * @param {import('../../models/torch/torch-file.js').TorchFile['isView']} isView
 * @param {import('../../models/torch/torch-file.js').TorchFile['tensorOf']} tensorOf
 * @param {(name: string, view: unknown, dims: readonly number[]) => Promise<Float32Array>} read
 * @param {(text: string) => Error} fail
 */
async function ofPackage(entries, isView, tensorOf, read, fail) {
  const first = entries.get('0.weight')
  const [width] = isView(first) ? tensorOf('0.weight', first).dims : []
  const layers = [...entries.keys()].filter(key => /^\d+\.weight$/.test(String(key))).length
  if (layers < 2 || entries.size !== 2 * layers)
    throw fail(
      `expected "n.weight" and "n.bias" for each layer n of a tuned lens, got ${[...entries.keys()].map(String).sort().join(', ')}`,
    )
  /** @type {Map<number, Float32Array>} */
  const matrices = new Map()
  /** @type {Map<number, Float32Array>} */
  const offsets = new Map()
  for (let n = 1; n < layers; n++) {
    matrices.set(n - 1, await read(`${n}.weight`, entries.get(`${n}.weight`), [width, width]))
    offsets.set(n - 1, await read(`${n}.bias`, entries.get(`${n}.bias`), [width]))
  }
  return new Lens({ kind: 'tuned', width, layers, count: 0, matrices, offsets })
}

/**
 * Parses the additional properties that saveLens stores. They are JSON, because PyTorch 1.13 reads no floats with weights_only.
 * @param {unknown} text
 * @param {number} count
 * @param {(text: string) => Error} fail
 * @returns {Pick<import('./lens.js').LensContent, 'layers' | 'squares' | 'losses' | 'marks' | 'first'>}
 */
function ownFacts(text, count, fail) {
  if (typeof text !== 'string') return { layers: 0 }
  let given
  try {
    given = JSON.parse(text)
  } catch {
    throw fail(`metadata.qkv: expected JSON, got ${describe(text)}`)
  }
  const { layers, squares, losses, marks, first } = Object(given)
  const isSum = (/** @type {unknown} */ value) => Number.isFinite(value) && Number(value) >= 0
  /** @param {unknown} list @param {(value: unknown) => boolean} isValue */
  const byLayer = (list, isValue) =>
    Array.isArray(list) && list.every(pair => Array.isArray(pair) && isCount(pair[0] + 1) && isValue(pair[1]))
  const isLosses = (/** @type {unknown} */ value) => {
    const { texts, sum, squares } = Object(value)
    return isCount(texts) && isSum(sum) && isSum(squares)
  }
  if ((squares !== undefined && !byLayer(squares, isSum)) || (losses !== undefined && !byLayer(losses, isLosses)))
    throw fail('metadata.qkv: expected sums over texts for each layer, got others: the file is damaged')
  return {
    layers: Number.isSafeInteger(layers) ? layers : 0,
    squares: squares && new Map(squares),
    losses: losses && new Map(losses),
    marks: Array.isArray(marks) && marks.length === count && marks.every(Number.isSafeInteger) ? marks : undefined,
    first: Number.isSafeInteger(first) ? first : undefined,
  }
}

/** @param {number} a @param {number} b */
const by = (a, b) => a - b

/**
 * Returns the bytes of a file that PyTorch and readLens can open, and for a Jacobian lens also TransformerLens.
 * @param {Lens} lens
 * @param {{ dtype?: 'float16' | 'float32' }} [options] dtype: default float16, as in published lenses
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function saveLens(lens, options = {}) {
  const where = 'saveLens'
  if (typeof options === 'string')
    throw new TypeError(
      `${where}: expected options, got ${describe(options)}; it returns the bytes of a file, which node:fs writes`,
    )
  const { dtype = 'float16' } = readOptions(options, ['dtype'], where)
  oneOf(dtype, ['float16', 'float32'], `${where}: dtype`, { fp16: 'float16', fp32: 'float32', half: 'float16' })
  const { kind, width, matrices, offsets, layers, squares, losses, count, marks, first } = Lens.contentOf(lens)
  if (!count) throw new RangeError(`${where}: expected a lens with the number of texts on which it was fitted`)
  const chosen = lens.sourceLayers
  const file = new TorchFileWriter('lens', dtype)
  const tensors = (/** @type {(layer: number) => Float32Array} */ of, /** @type {number[]} */ dims) => () =>
    file.dict(chosen.map(layer => [layer, () => file.tensor(of(layer), dims)]))
  const facts = { layers, squares: squares && [...squares], losses: losses && [...losses], marks, first }
  const get = (/** @type {Map<number, Float32Array> | undefined} */ map) => (/** @type {number} */ layer) =>
    /** @type {Float32Array} */ (map?.get(layer))
  /** @type {import('./torch-save.js').Entry[]} */
  const weights =
    kind === 'tuned'
      ? [
          ['weight', tensors(get(matrices), [width, width])],
          ['bias', tensors(get(offsets), [width])],
        ]
      : [['J', tensors(layer => lens.matrix(layer).data, [width, width])]]
  file.dict([
    ...weights,
    ['n_prompts', () => file.number(count)],
    ['source_layers', () => file.list(chosen)],
    ['d_model', () => file.number(width)],
    [
      'metadata',
      () =>
        file.dict([
          ['estimator', () => file.text(ESTIMATORS[kind])],
          ['qkv', () => file.text(JSON.stringify(facts))],
        ]),
    ],
  ])
  return file.bytes()
}
