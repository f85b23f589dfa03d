// Opens a GGUF file as a folder in Hugging Face's layout: config.json from its metadata, tensors under their Hugging Face names, the files
// of the tokenizer. Loaded when a GGUF file is opened.

import { describe } from '../../base/errors.js'
import { openFolder, readExactly } from '../source/source.js'
import { pageOfHub, refused } from '../source/wrong-source.js'
import { loadKernels } from '../weights/read-types.js'
import { ARCHITECTURES, changesOf } from './architectures.js'
import { dequantize } from './dequantize.js'
import { Keys } from './keys.js'
import { readGguf } from './read-gguf.js'
import { changed } from './tensors.js'
import { endsOf } from './vocabulary.js'

/** @import { Folder } from '../source/source.js' */
/** @import { StoredTensor } from '../weights/safetensors.js' */
/** @import { GgufMetadata } from './read-gguf.js' */

/** Matrices that may have one row, which llama-quantize then writes with a single dimension. */
const ROWS = /^(token_types|cls\.output)\.weight$/
const VECTORS = /norm(_\d)?\.weight$|\.bias$/

/** Returns a tensor with as many dimensions as the network needs. llama.cpp ignores outer dimensions of size 1. @param {StoredTensor} tensor @returns {StoredTensor} */
function withRank(tensor) {
  const { name, dims } = tensor
  if (ROWS.test(name) && dims.length === 1) return { ...tensor, dims: [1, ...dims] }
  const rank = VECTORS.test(name) ? 1 : 2
  const outer = dims.slice(0, -rank)
  return outer.some(size => size !== 1) ? tensor : { ...tensor, dims: dims.slice(-rank) }
}

const SHARD = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i

/**
 * Returns the names of all shards of a model, given one of them.
 * @param {string} name
 */
function shardsOf(name) {
  const [, stem, , count] = SHARD.exec(name) ?? []
  if (stem === undefined || !Number(count)) return [name]
  const number = (/** @type {number} */ n) => String(n).padStart(5, '0')
  return Array.from({ length: Number(count) }, (_, n) => `${stem}-${number(n + 1)}-of-${count}${name.slice(-5)}`)
}

/**
 * Matches the names of files that go with a model, as in common/download.cpp of llama.cpp: image projectors, importance matrices and draft
 * models.
 */
const BESIDE = /(mmproj|imatrix|mtp-|eagle3-|dflash-|dspark-)[^/]*$/i

const IS_BESIDE = 'belongs to a model that lies beside it, and is none itself: give the file of the model'

/** Descriptions of files that are not models, by the general.type that llama.cpp writes. @type {Record<string, string>} */
const KINDS = {
  mmproj:
    'is the part of a model that reads images or sounds: give the file of its language model, which lies beside it',
  adapter:
    'is an adapter, changes to the weights of another model: give that model, and { adapter } with the folder that PEFT saved',
  imatrix: `has statistics for quantisation: ${IS_BESIDE}`,
}

/** Returns the error for a missing file. @param {readonly string[]} files of the model @param {string} file */
const noShard = (files, file) =>
  refused(
    'NOT_FOUND',
    `there is no file ${describe(file)}${files.length > 1 ? `: this model is in ${files.length} files, give all of them together` : ''}`,
  )

/** Lists the models among file names, by their first shards. @param {readonly string[]} names */
export const modelsIn = names =>
  names.filter(name => /\.gguf$/i.test(name) && !BESIDE.test(name) && (SHARD.exec(name)?.[2] ?? '00001') === '00001')

/**
 * Finds the files that a name refers to in a folder of the hub.
 * @param {readonly string[]} names
 * @param {string} wanted name of a file, or of a quantisation
 * @param {string} shown the request, for errors
 */
export function choose(names, wanted, shown) {
  const models = modelsIn(names)
  const isName = /\.gguf$/i.test(wanted)
  const ends = new RegExp(`(^|[-._/])${wanted.replaceAll(/\W/g, '\\$&')}(-\\d{5}-of-\\d{5})?\\.gguf$`, 'i')
  const found = isName ? names.filter(name => name === wanted) : models.filter(name => ends.test(name))
  const list = models.slice(0, 40).join(', ')
  if (found.length === 1) return shardsOf(found[0])
  if (!models.length) {
    const other = names.find(name => /\.safetensors$/.test(name))
    const instead =
      other && shown.includes(':', 3) ? `. Its safetensors open as ${shown.slice(0, shown.indexOf(':', 3))}` : ''
    throw refused('NOT_FOUND', `${shown}: there is no GGUF file${instead}`)
  }
  throw refused(
    'NOT_FOUND',
    `${shown}: ${found.length ? `${found.length} files fit` : 'no file fits'} ${describe(wanted)}; there are: ${list}`,
  )
}

/**
 * Splits a location into a folder and the file in it. On the hub, the name of a quantisation may replace the name of the file.
 * @param {string} text a path, an address or a name on the hub
 */
function splitOf(text) {
  const [, model, quantisation] = /^(hf:[^:]+):([^:/]+)$/i.exec(text) ?? []
  if (model) return { folder: model, wanted: quantisation }
  const isPath = !/^[a-z][a-z0-9+.-]+:/i.test(text) && !globalThis.location
  const [, before = '', name, query = ''] =
    (isPath ? /^(.*[\\/])?([^\\/]+)$/s : /^([^?#]*\/)?([^/?#]+)([?#].*)?$/s).exec(text) ?? []
  return { folder: `${text.startsWith('hf:') ? before.slice(0, -1) : before || './'}${query}`, wanted: name }
}

/**
 * Opens a model given by the location or the contents of a GGUF file.
 * @param {unknown} source a path, an address, a name on the hub, bytes or a Blob
 * @param {Parameters<typeof openFolder>[1]} options
 * @param {Parameters<typeof openFolder>[2]} use
 * @returns {Promise<Folder>}
 */
export async function openFile(source, options, use) {
  if (typeof source !== 'string' && !(source instanceof URL)) {
    const { name = 'model.gguf' } = /** @type {File} */ (source)
    return inFolder(await openFolder({ [name]: source }, options, use), [name])
  }
  const text = String(source)
  const page = pageOfHub(text)
  if (page) throw page
  const { folder, wanted } = splitOf(text)
  let files = shardsOf(wanted)
  const ofHub = (/** @type {readonly string[]} */ names) => {
    files = choose(names, wanted, text)
    return files
  }
  return inFolder(await openFolder(folder, options, { ...use, choose: ofHub }), () => files)
}

/**
 * Opens the model of a folder without config.json that contains a single GGUF model.
 * @param {Folder} folder
 * @param {unknown} source as given
 * @param {Parameters<typeof openFolder>[1]} options
 * @param {Parameters<typeof openFolder>[2]} use
 * @returns {Promise<Folder | undefined>} undefined if the folder has no GGUF file
 */
export async function openOnly(folder, source, options, use) {
  const names = (await folder.list?.()) ?? folder.names()
  const models = modelsIn(names)
  if (!models.length) {
    const only = names.find(name => /\.gguf$/i.test(name))
    if (only === undefined) return undefined
    const shards = shardsOf(only)
    throw shards.length > 1 ? noShard(shards, shards[0]) : refused('OTHER_FORMAT', `${describe(only)} ${IS_BESIDE}`)
  }
  const isOnHub = typeof source === 'string' && source.startsWith('hf:')
  if (models.length > 1) {
    const how = isOnHub ? `${source}/${models[0]}` : models[0]
    throw refused(
      'OTHER_FORMAT',
      `there are ${models.length} GGUF files, give one of them, as in ${describe(how)}: ${models.slice(0, 40).join(', ')}`,
    )
  }
  if (!isOnHub) return openGguf(folder, shardsOf(models[0]))
  await folder.close()
  return openFile(`${source.replace(/\/$/, '')}/${models[0]}`, options, use)
}

/** Opens the model in files of a folder, and closes the folder if that fails. @param {Folder} folder @param {readonly string[] | (() => readonly string[])} files */
async function inFolder(folder, files) {
  try {
    return await openGguf(folder, typeof files === 'function' ? files() : files)
  } catch (error) {
    await folder.close()
    throw error
  }
}

/**
 * Opens a GGUF model.
 * @param {Folder} folder
 * @param {readonly string[]} files shards of the model
 * @returns {Promise<Folder>}
 */
export async function openGguf(folder, files) {
  const fail = (/** @type {string} */ text) => new RangeError(`${files[0]}: ${text}`)
  /** @type {Map<string, StoredTensor>} */
  const stored = new Map()
  /** @type {GgufMetadata | undefined} */
  let metadata
  for (const [n, file] of files.entries()) {
    const source = await folder.open(file)
    if (!source) throw noShard(files, file)
    const header = await readGguf(source, file)
    if (files.length > 1) {
      const [number, count] = ['split.no', 'split.count'].map(key => header.metadata.get(key))
      if (number !== n || count !== files.length)
        throw fail(`${file}: expected part ${n} (counted from 0) of ${files.length}, got part ${number} of ${count}`)
    } else if (Number(header.metadata.get('split.count') ?? 1) > 1)
      throw fail(
        `it is a part of ${header.metadata.get('split.count')}: give the parts under their names, -00001-of-0000N.gguf`,
      )
    metadata ??= header.metadata
    for (const tensor of header.tensors) {
      if (stored.has(tensor.name)) throw fail(`tensor ${describe(tensor.name)} is in two parts`)
      stored.set(tensor.name, withRank(tensor))
    }
  }
  const all = metadata?.get('split.tensors.count')
  if (files.length > 1 && all !== undefined && all !== stored.size)
    throw fail(`expected ${all} tensors in its parts, got ${stored.size}`)
  return asFolder(folder, /** @type {GgufMetadata} */ (metadata), stored, fail)
}

/**
 * @param {Folder} folder
 * @param {GgufMetadata} metadata
 * @param {Map<string, StoredTensor>} stored
 * @param {(text: string) => Error} fail
 * @returns {Promise<Folder>}
 */
async function asFolder(folder, metadata, stored, fail) {
  const kind = metadata.get('general.type')
  const advice = KINDS[String(kind)] ?? (metadata.get('general.architecture') === 'clip' ? KINDS.mmproj : undefined)
  if (advice) throw fail(`it ${advice}`)
  const name = metadata.get('general.architecture')
  if (typeof name !== 'string' || !Object.hasOwn(ARCHITECTURES, name))
    throw fail(
      `general.architecture ${describe(name)} is not covered; covered: ${Object.keys(ARCHITECTURES).join(', ')}`,
    )
  if (!stored.size) throw fail('it has no tensors, only a vocabulary: give the file with the weights')
  if (kind !== undefined && kind !== 'model')
    throw fail(`general.type ${describe(kind)} is not covered; covered: model`)
  const architecture = ARCHITECTURES[name]
  const keys = new Keys(metadata, name, fail)
  for (const key of [`${name}.block_count`, `${name}.decoder_block_count`])
    if (Number(metadata.get(key)) > stored.size)
      throw fail(`${key} is ${metadata.get(key)}, but there are only ${stored.size} tensors`)
  const config = architecture.config(keys, stored)
  keys.end()
  const factors = await readFactors(config.rope_scaling)
  /** @type {Map<string, StoredTensor>} */
  const tensors = new Map()
  for (const tensor of stored.values()) {
    if (factors.has(tensor)) continue
    const changes = changesOf(architecture, tensor.name, config)
    const rows = changes.reduce((sum, { rows: [, count] = [0, 0] }) => sum + count, 0)
    if (rows && rows !== tensor.dims[0])
      throw fail(`tensor ${describe(tensor.name)}: expected ${rows} rows of q, k and v, got ${tensor.dims[0]}`)
    for (const change of changes) {
      const own = changed(tensor, change)
      if (tensors.has(own.name)) throw fail(`two tensors are ${describe(own.name)}`)
      tensors.set(own.name, own)
    }
  }
  const json = {
    ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    ...idsOf(metadata),
  }
  const pooling = metadata.get(`${name}.pooling_type`)
  if (pooling !== undefined && !(typeof pooling === 'number' && pooling in POOLINGS))
    throw fail(`${name}.pooling_type: expected 0 to ${POOLINGS.length - 1}, got ${describe(pooling)}`)
  /** @type {Map<string, unknown>} */
  const files = new Map(Object.entries({ 'config.json': json, ...poolingFiles(POOLINGS[pooling ?? 0]) }))
  return {
    ...folder,
    tensors,
    types: typesOf(tensors),
    ranking: config.id2label ? rankingOf(metadata, config.id2label) : undefined,
    loadKernels: [...tensors.values()].some(({ blocks }) => blocks) ? loadKernels : undefined,
    metadata: [undefined, 'none', 'no_vocab'].some(name => name === metadata.get('tokenizer.ggml.model'))
      ? undefined
      : metadata,
    open: async file => (files.has(file) ? fromJSON(files.get(file)) : undefined),
    names: () => [...files.keys()],
    list: async () => [...files.keys()],
  }
}

/** Replaces the tensors in rope_scaling by arrays of their values, and returns the tensors. @param {any} scaling */
async function readFactors(scaling) {
  /** @type {Set<StoredTensor>} */
  const tensors = new Set()
  for (const key of scaling?.rope_type === 'longrope' ? ['short_factor', 'long_factor'] : []) {
    tensors.add(scaling[key])
    const { source, file, from, to, dtype } = scaling[key]
    scaling[key] = Array.from(dequantize(dtype, await readExactly(source, file, from, to)))
  }
  return tensors
}

/** Returns the ids that begin, end and pad texts. @param {GgufMetadata} metadata */
function idsOf(metadata) {
  const id = (/** @type {string} */ name) => metadata.get(`tokenizer.ggml.${name}_token_id`)
  const ends = [...new Set([id('eos'), id('eot'), ...endsOf(metadata)].filter(one => one !== undefined))]
  return {
    ...(id('bos') !== undefined && { bos_token_id: id('bos') }),
    ...(ends.length && { eos_token_id: ends.length === 1 ? ends[0] : ends }),
    ...(id('padding') !== undefined && { pad_token_id: id('padding') }),
  }
}

/**
 * Returns how the classes of a file rank texts.
 * @param {GgufMetadata} metadata
 * @param {unknown} labels
 * @returns {Folder['ranking']}
 */
function rankingOf(metadata, labels) {
  const template = metadata.get('tokenizer.chat_template.rerank')
  return {
    isYesOrNo: Object.values(/** @type {object} */ (labels)).join() === 'yes,no',
    ...(typeof template === 'string' && { template }),
  }
}

/** Names of poolings; the index is the id in the file. '' stands for no pooling and for ranking. */
const POOLINGS = ['', 'mean_tokens', 'cls_token', 'lasttoken', '']

/** Returns the contents of the sentence-transformers files that describe a pooling, by file name. @param {string} pooling @returns {Record<string, unknown>} */
function poolingFiles(pooling) {
  if (!pooling) return {}
  const module = (/** @type {number} */ idx, /** @type {string} */ path, /** @type {string} */ kind) => ({
    idx,
    name: String(idx),
    path,
    type: `sentence_transformers.models.${kind}`,
  })
  return {
    'modules.json': [module(0, '', 'Transformer'), module(1, '1_Pooling', 'Pooling')],
    '1_Pooling/config.json': {
      pooling_mode_cls_token: pooling === 'cls_token',
      pooling_mode_mean_tokens: pooling === 'mean_tokens',
      pooling_mode_max_tokens: false,
      pooling_mode_lasttoken: pooling === 'lasttoken',
    },
  }
}

/** Counts the bytes per block type of the tensors in the file. @param {Map<string, StoredTensor>} tensors */
function typesOf(tensors) {
  /** @type {Record<string, number>} */
  const sums = {}
  for (const { dtype, type = dtype, bytes = 0 } of tensors.values()) sums[type] = (sums[type] ?? 0) + bytes
  return sums
}

/** @param {unknown} json @returns {import('../source/source.js').ByteSource} */
function fromJSON(json) {
  const bytes = new TextEncoder().encode(JSON.stringify(json))
  return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to) }
}
