// Loads a model from a folder: validates the config, then the headers, then reads the weights.

import { others, readOptions } from '../base/arguments.js'
import { isBytes, isShared } from '../base/buffers.js'
import { describe, toAwait } from '../base/errors.js'
import { present } from '../base/present.js'
import { coreOf, expectCore } from '../runtime/core-of.js'
import { Config } from './config/config.js'
import { familyOf } from './families/index.js'
import { Model } from './model.js'
import { checkSignal } from './run/inputs.js'
import { stacksOf } from './run/stacks.js'
import { openFolder, readExactly, readJSON } from './source/source.js'
import { readCheckpoint } from './weights/checkpoint.js'
import { readHeader, readNumbers, widen } from './weights/safetensors.js'
import { ModelWeights } from './weights/weights.js'

// Loaded unless `tokenizer: false` is given.
const textTools = () => import('./tokenizers/tokenizer.js')

const types = () => import('./weights/read-types.js')

/** Loads the names that other libraries use, for error messages; continues without them if the import fails. */
const otherNames = () =>
  import('./other-names.js').then(
    found => Object.assign(others, found),
    () => {},
  )

/**
 * Reads options. If an unknown option belongs to another library, the error names its equivalent here.
 * @template {object} T
 * @param {T} options
 * @param {readonly string[]} known
 * @param {string} where
 */
async function readOrLead(options, known, where) {
  try {
    return readOptions(options, known, where)
  } catch {
    await otherNames()
    return readOptions(options, known, where)
  }
}

/** True if a source is a single GGUF file, including hf:owner/name:QUANTISATION. @param {unknown} source */
const isFile = source =>
  typeof source === 'string' || source instanceof URL
    ? /\.gguf([?#]|$)|^hf:[^:]+:[^:/]+$/i.test(String(source))
    : isBytes(source) || isShared(source) || (typeof Blob !== 'undefined' && source instanceof Blob)

/** @import { CheckpointSource } from './source/source.js' */
/** @import { Progress } from './weights/weights.js' */
/** @import { HubOptions } from './hub/hub-folder.js' */

/** Options for models on the hub. */
const HUB = ['token', 'hub', 'headers', 'keep']

/**
 * @typedef {object} FolderOptions
 * @property {import('./weights/weight-types.js').WeightTypes} [dtype] type in memory of the linear layers' weights, such as 'int8' or
 *   { default: 'int4', head: 'int8' }; default: as stored, including the blocks of a GGUF file
 * @property {'int16' | 'int8' | 'float32'} [activations] precision of the inputs multiplied with int8, int4 and block weights: rounded to
 *   int16 (default); with int8 weights, rounded to int8, which is faster where the processor multiplies bytes; or unrounded
 * @property {'float32' | 'int8'} [cacheDtype] type of keys and values in the model's caches; default float32
 * @property {CheckpointSource | false} [adapter] folder of a LoRA adapter, as saved by PEFT: it is merged into the weights of linear layers and
 *   tables, which then become float32 unless dtype is given; false opens a folder without the adapter that it contains
 * @property {import('./tokenizers/tokenizer.js').TokenizerClass | import('./tokenizers/tokenizer.js').TokenizerLike | false} [tokenizer] the class
 *   Tokenizer of `@huggingface/tokenizers`, or a tokenizer; false for none. By default that package is imported for a tokenizer.json or GGUF
 *   file whose model is BPE
 * @property {(progress: Progress) => void} [onProgress] called after each tensor; during a download, as bytes arrive
 * @property {AbortSignal} [signal]
 *
 * @typedef {FolderOptions & HubOptions} LoadModelOptions
 */

/**
 * Loads a folder with config.json, model.safetensors (or its shards) and tokenizer.json.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {CheckpointSource} source URL of a folder, in Node also its path; a model on the Hugging Face hub,
 *   hf:owner/name[@revision][/sub/folder]; an array of files; an object of contents by file name: bytes, a Blob or (start, end) => Promise
 *   of bytes. A GGUF file: its URL, path or name on the hub (hf:owner/name/file.gguf, hf:owner/name:Q4_K_M), bytes or a Blob
 * @param {LoadModelOptions} [options]
 * @returns {Promise<Model>}
 */
export const loadModel = (qkv, source, options = {}) =>
  toAwait(open(qkv, source, options), Model, 'const model = await loadModel(qkv, source)')

/** @param {import('../qkv.js').Qkv} qkv @param {CheckpointSource} source @param {LoadModelOptions} options */
async function open(qkv, source, options) {
  options = await readOrLead(
    options,
    ['dtype', 'activations', 'cacheDtype', 'adapter', 'tokenizer', 'onProgress', 'signal', ...HUB],
    'loadModel',
  )
  const { tokenizer } = options
  if (typeof qkv?.linear !== 'function' || qkv instanceof Promise)
    throw new TypeError(`loadModel: expected a loaded core, got ${describe(qkv)}; call loadModel(await load(), source)`)
  const { onProgress } = options
  const { dtype, activations, cacheDtype } = options
  const isUsual = dtype === undefined && activations === undefined && cacheDtype === undefined
  const kept = isUsual ? {} : (await types()).readNumbers(dtype, activations, cacheDtype)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`loadModel: onProgress: expected a function, got ${describe(onProgress)}`)
  const use = { isLoaded: true, hasTokenizer: tokenizer !== false }
  const names = otherNames()
  return withFolder(source, options, use, async ({ folder, family, json, tensors }) => {
    const text =
      tokenizer === false
        ? undefined
        : await (await textTools()).openTokenizer(folder, readJSON, tokenizer, family.type, json.tokenizer_class)
    const { classLogits } = family.classes ? await import('./classes/class-logits.js') : { classLogits: undefined }
    const files = text || family.decoder ? await import('./config/text-files.js') : undefined
    const from = folder.tensors || folder.outside ? undefined : source
    const canRank = family.classes !== undefined || family.decoder !== undefined
    const reads = text && (await files?.readsOf(folder, from, text.config, canRank))
    const settings = family.decoder && (await files?.settingsOf(folder, from, json, family.vocab))
    const weights = new ModelWeights(qkv, kept)
    const core = expectCore(qkv, 'loadModel')
    const ofBlocks = typeof dtype === 'string' ? undefined : await folder.loadKernels?.(core)
    const TokenCalls = ofBlocks ?? (await kept.loadKernels?.(core))
    await weights.load(family, tensors, { ...options, onProgress: folder.isDownloaded ? undefined : onProgress })
    await folder.finish?.().catch(error => {
      weights.dispose()
      throw error
    })
    await names
    return new Model(qkv, family, weights, json, text, classLogits, { ...reads, settings, TokenCalls })
  })
}

/**
 * Reads the config and the headers of a folder, and computes the memory of the weights by dtype.
 * @param {CheckpointSource} source as in loadModel
 * @param {{ signal?: AbortSignal, dtype?: import('./weights/weight-types.js').WeightTypes, adapter?: CheckpointSource | false } & HubOptions} [options] dtype:
 *   in which `bytes.loaded` counts the weights; default: as stored
 */
export async function inspectModel(source, options = {}) {
  if (coreOf(source))
    throw new TypeError('inspectModel: expected a source first: inspectModel(source), without the core')
  options = await readOrLead(options, ['signal', 'dtype', 'adapter', ...HUB], 'inspectModel')
  const { dtype: given } = options
  const dtype = given === undefined ? given : (await types()).readTypes(given, 'inspectModel')
  const use = { isLoaded: false, hasTokenizer: true }
  return withFolder(source, options, use, async ({ folder, family, json, tensors }) => {
    const { bytes, parameters } = await new ModelWeights().plan(family, tensors, dtype)
    return {
      type: family.type,
      textPartOf: family.textPartOf,
      config: json,
      stacks: stacksOf(family),
      parameters,
      bytes,
      hub: folder.facts,
      types: folder.types,
    }
  })
}

const kept = () => import('./hub/kept-models.js')

/**
 * Lists the cached models of the hub: in a browser those of this site, in Node those in the cache of Python's library.
 */
export const keptModels = async () => (await kept()).listModels()

/**
 * Deletes a cached model, or one revision of it.
 * @param {string} name hf:owner/name, or hf:owner/name@revision
 * @returns {Promise<number>} the number of revisions deleted
 */
export const deleteKeptModel = async name => (await kept()).deleteModel(name)

const saving = () => import('./save-model.js')

/**
 * Returns the files of a model by name: config.json and model.safetensors.
 * @overload
 * @param {Model | { config: Record<string, unknown>, tensors: Record<string, import('../base/tensor.js').TensorLike> }} model a loaded
 *   model; or a config with all tensors of its family by name
 * @returns {Promise<Record<'config.json' | 'model.safetensors', Uint8Array<ArrayBuffer>>>}
 */
/**
 * Returns the files of a model by name: config.json and model.safetensors.
 * @param {any} model
 * @param {unknown[]} more must be empty; declared so that a caller who passes a path gets an error
 * @returns {Promise<Record<'config.json' | 'model.safetensors', Uint8Array<ArrayBuffer>>>}
 */
export async function saveModel(model, ...more) {
  return (await saving()).filesOf(model, more)
}

/**
 * Reads the tensors of a safetensors file as float32.
 * @param {Uint8Array} bytes
 * @returns {Promise<Record<string, import('../base/tensor.js').FloatTensor>>}
 */
export const readSafetensors = async bytes => (await saving()).readTensors(bytes)

/**
 * Opens an adapter's folder, replaces `tensors` of the base model by merged ones, and returns the folder. It must stay open, because a
 * merged tensor reads the adapter's weights only when it is read itself.
 * @param {CheckpointSource} source
 * @param {Parameters<typeof openFolder>[1]} options
 * @param {import('./family-shapes/parts.js').Family} family
 * @param {Awaited<ReturnType<typeof readCheckpoint>>} tensors
 */
async function mergeAdapter(source, options, family, tensors) {
  const folder = await openFolder(
    source,
    { ...options, onProgress: undefined },
    { isLoaded: true, hasTokenizer: false },
  )
  try {
    const { applyAdapter } = await import('./weights/adapter.js')
    const needsOf = (/** @type {typeof family} */ of) => new ModelWeights().needs(of)
    await applyAdapter(folder, family, tensors, { readJSON, readExactly, readHeader, readNumbers, widen, needsOf })
  } catch (error) {
    await folder.close()
    throw error
  }
  return folder
}

/**
 * Returns the family with the head that the file actually has.
 * @param {import('./family-shapes/parts.js').Family} family
 * @param {Awaited<ReturnType<typeof readCheckpoint>>} tensors
 * @param {boolean} isLoaded if false, compares only the first MiB of two tensors to decide whether they are equal
 */
async function withHead(family, tensors, isLoaded) {
  const { prefix = '', head, embedding } = family
  const has = (/** @type {string} */ name) => tensors.has(`${name}.weight`) || tensors.has(`${prefix}${name}.weight`)
  const { name, copies = [] } = embedding.tokens
  const own = head.own !== undefined && has(head.own)
  if (has(name) && !copies.some(has) && own !== Boolean(head.tied)) return family
  const { headOf } = await import('./weights/tied.js')
  return headOf(family, tensors, readExactly, isLoaded ? undefined : 2 ** 20)
}

/**
 * Opens a folder, reads its config and headers, calls `use` with them, and closes the folder.
 * @template T
 * @param {CheckpointSource} source
 * @param {Parameters<typeof openFolder>[1] & { adapter?: CheckpointSource | false }} options
 * @param {Parameters<typeof openFolder>[2]} purpose
 * @param {(opened: { folder: import('./source/source.js').Folder, family: import('./family-shapes/parts.js').Family,
 *   json: Record<string, unknown>, tensors: Awaited<ReturnType<typeof readCheckpoint>> }) => Promise<T>} use
 */
async function withFolder(source, options, purpose, use) {
  const { signal } = options
  checkSignal(signal, 'loadModel')
  signal?.throwIfAborted()
  let folder = await (isFile(source) ? (await import('./gguf/open-gguf.js')).openFile : openFolder)(
    source,
    options,
    purpose,
  )
  /** @type {import('./source/source.js').Folder | undefined} */
  let adapter
  try {
    let configFile = await folder.open('config.json')
    if (!configFile) {
      folder = await (await import('./config/without-config.js')).openOther(folder, source, options, purpose)
      configFile = await folder.open('config.json')
    }
    const names = options.adapter === undefined ? ((await folder.list?.()) ?? folder.names()) : []
    if (names.includes('adapter_config.json'))
      await (await import('./config/refusals.js')).refuseAdapter(folder, readJSON, true)
    const whole = /** @type {Record<string, unknown>} */ (await readJSON(present(configFile), 'config.json'))
    const parts = Object(whole).text_config ? await import('./config/text-part.js') : undefined
    const json = parts ? parts.textConfig(whole) : whole
    const family0 = await familyOf(new Config(json))
    const described = parts ? parts.ofWhole(family0, whole.model_type) : family0
    const stored = await readCheckpoint(folder, source)
    const tensors = parts ? parts.textTensors(stored) : stored
    if (options.adapter) adapter = await mergeAdapter(options.adapter, options, described, tensors)
    const family = await withHead(described, tensors, purpose.isLoaded)
    const finish = async () => {
      await folder.finish?.()
      await adapter?.finish?.()
    }
    return await use({ folder: { ...folder, finish }, family, json, tensors })
  } finally {
    await folder.close()
    await adapter?.close()
  }
}
