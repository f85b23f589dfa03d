// The files of lenses, as torch.save writes them: { J: { layer: (d, d) }, n_prompts, source_layers, d_model }. Reading makes plain data only and
// runs no code of the file (src/models/torch-file.js); what is saved opens in PyTorch with weights_only=True.

import { oneOf, readOptions } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { toFloat16 } from '../base/float16.js'
import { readFloats } from '../models/safetensors.js'
import { openFolder, readExactly } from '../models/source.js'
import { Lens } from './lens.js'

/**
 * @typedef {object} OwnReadLensOptions
 * @property {AbortSignal} [signal]
 * @typedef {import('../models/hub/hub-folder.js').HubOptions & OwnReadLensOptions} ReadLensOptions
 */

/**
 * Reads a lens that torch.save wrote: by fitLens and saveLens, TransformerLens or the reference implementation.
 * @param {string | URL | ArrayBuffer | ArrayBufferView | Blob} source an address, hf:owner/name/file.pt, in Node a path; bytes, a Blob or File
 * @param {ReadLensOptions} [options] as of loadModel, for hf:
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
  const folder = await openFolder(isName ? at : { [file]: source }, given, { isLoaded: true, hasTokenizer: false })
  try {
    const bytes = await folder.open(file)
    if (!bytes) throw new Error(`${where}: there is no file ${describe(file)} in ${describe(String(at))}`)
    const { openTorchFile } = await import('../models/torch-file.js')
    const lens = await lensOf(await openTorchFile(bytes, file, readExactly), file)
    await folder.finish?.()
    return lens
  } finally {
    await folder.close()
  }
}

/**
 * @param {import('../models/torch-file.js').TorchFile} opened
 * @param {string} file
 */
async function lensOf({ top, isView, tensorOf }, file) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${text}`)
  const of = (/** @type {string} */ key) => (top instanceof Map ? top.get(key) : undefined)
  const [matrices, count, width, metadata] = ['J', 'n_prompts', 'd_model', 'metadata'].map(of)
  if (!(matrices instanceof Map) || !matrices.size)
    throw fail(
      `expected a lens, { J, n_prompts, source_layers, d_model }, with a matrix for each layer in J; got ${describe(top)}`,
    )
  if (!Number.isSafeInteger(count) || count < 1)
    throw fail(`n_prompts: expected how many texts it is the mean of, got ${describe(count)}`)
  if (!Number.isSafeInteger(width) || width < 1)
    throw fail(`d_model: expected the width of the model, got ${describe(width)}`)
  const kind = metadata instanceof Map ? metadata.get('estimator') : undefined
  if (kind !== undefined && kind !== 'jacobian_lens')
    throw fail(`expected a Jacobian lens, got one of the estimator ${describe(kind)}`)
  const list = of('source_layers')
  if (list !== undefined && String([...Object(list)].sort(by)) !== String([...matrices.keys()].sort(by)))
    throw fail(`source_layers: expected the layers of J, ${[...matrices.keys()].sort(by)}; got ${describe(list)}`)
  /** @type {Map<number, Float64Array>} */
  const sums = new Map()
  for (const [layer, view] of matrices) {
    if (!Number.isSafeInteger(layer) || layer < 0)
      throw fail(`J: expected numbers of layers as keys, got ${describe(layer)}`)
    if (!isView(view)) throw fail(`J[${layer}]: expected a tensor, got ${describe(view)}`)
    const tensor = tensorOf(`J[${layer}]`, view)
    if (!['F16', 'BF16', 'F32', 'F64'].includes(tensor.dtype))
      throw fail(`J[${layer}]: expected floats, got ${tensor.dtype}`)
    if (String(tensor.dims) !== String([width, width]))
      throw fail(`J[${layer}]: expected ${shape([width, width])}, got ${shape(tensor.dims)}`)
    const floats = await readFloats(tensor)
    if (!floats.every(Number.isFinite)) throw fail(`J[${layer}] holds NaN or infinity`)
    sums.set(
      layer,
      Float64Array.from(floats, value => value * count),
    )
  }
  const {
    layers = 0,
    squares,
    marks,
  } = ownFacts(metadata instanceof Map ? metadata.get('qkv') : undefined, count, fail)
  return new Lens({ width, layers, sums, squares, count, marks })
}

/**
 * What saveLens adds to the keys that others write too: JSON, as PyTorch 1.13 reads no floats with weights_only.
 * @param {unknown} text
 * @param {number} count
 * @param {(text: string) => Error} fail
 * @returns {{ layers?: number, squares?: Map<number, number>, marks?: number[] }}
 */
function ownFacts(text, count, fail) {
  if (typeof text !== 'string') return {}
  let given
  try {
    given = JSON.parse(text)
  } catch {
    throw fail(`metadata.qkv: expected JSON, got ${describe(text)}`)
  }
  const { layers, squares, marks } = Object(given)
  return {
    layers: Number.isSafeInteger(layers) ? layers : 0,
    squares: Array.isArray(squares) ? new Map(squares) : undefined,
    marks: Array.isArray(marks) && marks.length === count ? marks : undefined,
  }
}

/** @param {number} a @param {number} b */
const by = (a, b) => a - b

/**
 * The bytes of a file that PyTorch, TransformerLens and readLens open.
 * @param {Lens} lens
 * @param {{ dtype?: 'float16' | 'float32' }} [options] default float16, as published lenses have
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function saveLens(lens, options = {}) {
  const { dtype = 'float16' } = readOptions(options, ['dtype'], 'saveLens')
  oneOf(dtype, ['float16', 'float32'], 'saveLens: dtype')
  const { width, layers, squares, count, marks } = Lens.sumsOf(lens)
  const storage = dtype === 'float16' ? 'HalfStorage' : 'FloatStorage'
  const tensors = lens.sourceLayers.map(layer => {
    const { data } = lens.matrix(layer)
    const numbers = dtype === 'float16' ? toFloat16(data) : data
    return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  })
  const pickle = new PickleWriter()
  pickle.dict([
    ['J', () => pickle.dict(lens.sourceLayers.map((layer, n) => [layer, () => pickle.tensor(n, storage, width)]))],
    ['n_prompts', () => pickle.number(count)],
    ['source_layers', () => pickle.list(lens.sourceLayers)],
    ['d_model', () => pickle.number(width)],
    [
      'metadata',
      () =>
        pickle.dict([
          ['estimator', () => pickle.text('jacobian_lens')],
          ['qkv', () => pickle.text(JSON.stringify({ layers, squares: squares && [...squares], marks }))],
        ]),
    ],
  ])
  const text = (/** @type {string} */ value) => new TextEncoder().encode(value)
  return storedZip([
    ['lens/data.pkl', pickle.bytes()],
    ['lens/byteorder', text('little')],
    ...tensors.map((bytes, n) => /** @type {[string, Uint8Array]} */ ([`lens/data/${n}`, bytes])),
    ['lens/version', text('3\n')],
  ])
}

/** @typedef {[key: string | number, write: () => void]} Entry */

/** Writes a pickle of protocol 2. https://docs.python.org/3/library/pickletools.html */
class PickleWriter {
  /** @type {number[]} */
  #out = [0x80, 2]

  /** @param {...(number | string)} parts bytes, or characters */
  #put(...parts) {
    for (const part of parts)
      if (typeof part === 'number') this.#out.push(part)
      else for (const byte of new TextEncoder().encode(part)) this.#out.push(byte)
  }

  /** @param {number} value */
  #u32(value) {
    this.#put(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24)
  }

  /** @param {string} value */
  text(value) {
    this.#put('X')
    this.#u32(new TextEncoder().encode(value).length)
    this.#put(value)
  }

  /** @param {number} value a whole number of 31 bits */
  number(value) {
    this.#put('J')
    this.#u32(value)
  }

  /** @param {readonly number[]} values */
  list(values) {
    this.#put(']', '(')
    for (const value of values) this.number(value)
    this.#put('e')
  }

  /** @param {readonly Entry[]} entries */
  dict(entries) {
    this.#put('}', '(')
    for (const [key, write] of entries) {
      if (typeof key === 'number') this.number(key)
      else this.text(key)
      write()
    }
    this.#put('u')
  }

  /** A contiguous tensor (width, width) of a storage of its own. @param {number} key @param {string} storage @param {number} width */
  tensor(key, storage, width) {
    this.#put('ctorch._utils\n_rebuild_tensor_v2\n', '(', '(')
    this.text('storage')
    this.#put(`ctorch\n${storage}\n`)
    this.text(String(key))
    this.text('cpu')
    this.number(width * width)
    this.#put('tQ')
    this.number(0)
    for (const pair of [
      [width, width],
      [width, 1],
    ]) {
      for (const value of pair) this.number(value)
      this.#put(0x86)
    }
    this.#put(0x89, 'ccollections\nOrderedDict\n', ')R', 'tR')
  }

  bytes() {
    this.#put('.')
    return Uint8Array.from(this.#out)
  }
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/**
 * A zip file of files that are stored as they are, each at a multiple of 64 bytes as torch.save aligns them.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 * @param {readonly [string, Uint8Array][]} files
 */
function storedZip(files) {
  /** @type {{ name: Uint8Array, bytes: Uint8Array, crc: number, header: number, padding: number }[]} */
  const placed = []
  let at = 0
  for (const [path, bytes] of files) {
    const name = new TextEncoder().encode(path)
    const padding = 4 + ((60 - ((at + 30 + name.length) % 64) + 64) % 64) // an extra field: 4 bytes and what it holds
    placed.push({ name, bytes, crc: crc32(bytes), header: at, padding })
    at += 30 + name.length + padding + bytes.length
  }
  const start = at
  const size = placed.reduce((sum, { name }) => sum + 46 + name.length, 0)
  if (start + size + 22 > 0xffffffff) throw new RangeError('saveLens: expected a file below 4 GB: use float16')
  const out = new Uint8Array(start + size + 22)
  const view = new DataView(out.buffer)
  /** The fields that both headers share. @param {number} from @param {typeof placed[0]} file */
  const common = (from, { name, bytes, crc }) => {
    view.setUint32(from + 10, crc, true)
    view.setUint32(from + 14, bytes.length, true)
    view.setUint32(from + 18, bytes.length, true)
    view.setUint16(from + 22, name.length, true)
  }
  for (const file of placed) {
    const { name, bytes, header, padding } = file
    view.setUint32(header, 0x04034b50, true)
    common(header + 4, file)
    view.setUint16(header + 28, padding, true)
    out.set(name, header + 30)
    view.setUint16(header + 30 + name.length, 0x4246, true)
    view.setUint16(header + 32 + name.length, padding - 4, true)
    out.set(bytes, header + 30 + name.length + padding)
    view.setUint32(at, 0x02014b50, true)
    common(at + 6, file)
    view.setUint32(at + 42, header, true)
    out.set(name, at + 46)
    at += 46 + name.length
  }
  view.setUint32(at, 0x06054b50, true)
  view.setUint16(at + 8, placed.length, true)
  view.setUint16(at + 10, placed.length, true)
  view.setUint32(at + 12, size, true)
  view.setUint32(at + 16, start, true)
  return out
}
