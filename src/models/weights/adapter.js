// Merges a LoRA adapter that PEFT saved into the weights of its base model: W becomes W + scale B A while it is read. Loaded with an
// adapter. Follows PEFT: src/peft/tuners/lora/layer.py (get_delta_weight), config.py, utils/save_and_load.py.

import { describe, shape } from '../../base/errors.js'
import { Config } from '../config/config.js'
import { KNOWN } from './adapter-keys.js'

/** @import { StoredTensor } from './safetensors.js' */
/** @import { Family } from '../family-shapes/parts.js' */

export const ADAPTER = 'adapter_config.json'
const FILES = ['adapter_model.safetensors', 'adapter_model.bin']
/** Keys that make an adapter do more than W + scale B A. */
const REFUSED = [
  'use_dora',
  'use_qalora',
  'lora_bias',
  'layer_replication',
  'target_parameters',
  'trainable_token_indices',
  'alora_invocation_tokens',
  'use_bdlora',
  'arrow_config',
  'kasa_config',
  'monteclora_config',
]
/** Initialisations that leave the weights of the base unchanged; all others modify them before training. */
const INITS = [undefined, true, false, 'gaussian', 'eva', 'orthogonal', 'mica']
const LORA = /\.lora_(embedding_)?(A|B)(?:\.default)?(?:\.weight)?$/

/**
 * The factors A and B of the change B A to one weight of the base model.
 * @typedef {{ a?: StoredTensor, b?: StoredTensor, isEmbedding: boolean }} Pair
 */

/**
 * Merges the weights of an adapter into the tensors of its base.
 * @param {import('../source/source.js').Folder} folder of the adapter
 * @param {Family} family of the base
 * @param {Map<string, StoredTensor>} tensors of the base
 * @param {object} readers passed instead of imported, so that this module stays a separate file in the package
 * @param {typeof import('../source/source.js').readJSON} readers.readJSON
 * @param {typeof import('../source/source.js').readExactly} readers.readExactly
 * @param {typeof import('./safetensors.js').readHeader} readers.readHeader
 * @param {typeof import('./safetensors.js').readNumbers} readers.readNumbers
 * @param {typeof import('./safetensors.js').widen} readers.widen
 * @param {(family: Family) => Map<string, import('./weights.js').Need>} readers.needsOf
 */
export async function applyAdapter(folder, family, tensors, readers) {
  const { readJSON, readExactly, readHeader, readNumbers, widen, needsOf } = readers
  const config = await folder.open(ADAPTER)
  if (!config)
    throw new Error(`loadModel: adapter: expected the folder of an adapter saved by PEFT, but ${ADAPTER} is missing`)
  const c = new Config(await readJSON(config, ADAPTER), ADAPTER)
  checkConfig(c, family)
  const [file, source] = await openFirst(folder)
  const stored = file.endsWith('.bin')
    ? await (await import('../torch/torch-file.js')).readTorchFile(source, file, readExactly)
    : await readHeader(source, file)
  const needs = needsOf(family)
  const { prefix = '', embedding, head } = family
  /** Finds a tensor of the base model by its name with or without the family's prefix. Returns its key in `tensors`. @param {string} name */
  const nameOf = name => {
    const bare = prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name
    return [name, prefix + name, bare].find(each => tensors.has(each))
  }
  const shared = nameOf(`${embedding.tokens.name}.weight`)
  const ownHead = `${head.own}.weight`
  const set = (/** @type {string} */ key, /** @type {StoredTensor} */ tensor) =>
    tensors.set(key, { ...tensor, name: key })
  const isTied = Boolean(head.tied && head.own && shared !== undefined && !nameOf(ownHead))
  const keepsTie = c.flag('ensure_weight_tying')
  const copied = [c.get('modules_to_save') ?? []].flat().map(String)
  const isCopied = (/** @type {string} */ path) =>
    !keepsTie && copied.some(name => path.replace(/\.weight$/, '').endsWith(name))
  /** @type {Map<string, Pair>} */
  const pairs = new Map()
  for (const tensor of stored) {
    const path = tensor.name
      .replace(/^base_model\.model\./, '')
      .replace(/\.(base_layer|modules_to_save(\.default)?)(?=\.)/, '')
    const [, isEmbedding, part] = LORA.exec(path) ?? []
    if (part) {
      const module = path.replace(LORA, '')
      const pair = pairs.get(module) ?? { isEmbedding: Boolean(isEmbedding) }
      pair[part === 'A' ? 'a' : 'b'] = tensor
      pairs.set(module, pair)
      continue
    }
    // This tensor was trained in full. It is a bias, or belongs to a module of modules_to_save. PEFT trains a copy of such a module, so a head
    // that was tied to the original keeps the weight of the base model.
    const key = nameOf(path) ?? path
    const before = tensors.get(key)
    if (isTied && key === shared && before && isCopied(path) && !tensors.has(ownHead)) set(ownHead, before)
    set(key, tensor)
  }
  for (const [module, { a, b, isEmbedding }] of pairs) {
    const isHead = module === head.own
    let key = nameOf(`${module}.weight`)
    if (!key && isHead && head.tied) key = shared
    const base = key === undefined ? undefined : tensors.get(key)
    const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${module}: ${text}`)
    if (!key || !base) throw fail('the base has no such weight: open the adapter with the model that it was trained on')
    if (!a || !b) throw fail('one of lora_A and lora_B is missing')
    const [rank, inner] = a.dims
    const [outer, same] = b.dims
    const need = needs.get(key.startsWith(prefix) ? key.slice(prefix.length) : key) ?? needs.get(key)
    const isTurned = isEmbedding || need?.pieces[0].spec?.layout !== undefined
    const dims = isTurned ? [inner, outer] : [outer, inner]
    if (a.dims.length !== 2 || b.dims.length !== 2 || rank !== same || String(dims) !== String(base.dims))
      throw fail(`lora_A ${shape(a.dims)} and lora_B ${shape(b.dims)} do not fit the weight ${shape(base.dims)}`)
    const scale = scaleOf(c, module, rank)
    /** @type {Promise<Float32Array[]> | undefined} */
    let read
    const factors = () => {
      read ??= Promise.all([a, b].map(async each => widen(await readNumbers(each), each.dtype)))
      return read
    }
    const merged = mergedTensor(base, { factors, rank, scale, isTurned }, { readNumbers, widen })
    if (isTied && keepsTie && key === shared)
      throw new RangeError(
        `${ADAPTER}: ensure_weight_tying with a change of ${module} is not covered: merge the adapter in Python by merge_and_unload`,
      )
    // Table and head share a weight in the base model. The adapter changes only one of them, so the other one keeps `base`.
    if (isTied && key === shared) {
      if (isHead || !tensors.has(ownHead)) set(ownHead, isHead ? merged : base)
      if (isHead) continue
    }
    tensors.set(key, merged)
  }
}

/** True for an empty list or object. @param {unknown} value */
const isEmpty = value => typeof value === 'object' && Object.keys(Object(value)).length === 0

/** @param {Config} c @param {Family} family */
function checkConfig(c, family) {
  const type = c.get('peft_type')
  if (type !== 'LORA')
    throw new RangeError(
      `${ADAPTER}: peft_type ${describe(type)} is not covered; covered: LORA. Merge it in Python by merge_and_unload`,
    )
  for (const key of REFUSED) {
    const value = c.get(key)
    if (value !== undefined && value !== false && !isEmpty(value))
      throw new RangeError(
        `${ADAPTER}: ${key} ${describe(value)} is not covered: merge the adapter in Python by merge_and_unload`,
      )
  }
  const init = c.get('init_lora_weights')
  if (!INITS.includes(init))
    throw new RangeError(
      `${ADAPTER}: init_lora_weights ${describe(init)} has changed the weights of the base: save the adapter with path_initial_model_for_weight_conversion, or merge it in Python`,
    )
  c.end(key => !KNOWN.test(key) && !isEmpty(c.get(key)))
  const task = c.get('task_type')
  if ((task === 'SEQ_CLS' || task === 'TOKEN_CLS') && !family.classes)
    throw new RangeError(
      `${ADAPTER}: task_type ${task}: the adapter has classes, and architectures of the base names none: ` +
        "give the base a config.json whose architectures end in ForSequenceClassification or ForTokenClassification, with the adapter's id2label",
    )
}

/** @param {import('../source/source.js').Folder} folder @returns {Promise<[string, import('../source/source.js').ByteSource]>} */
async function openFirst(folder) {
  for (const name of FILES) {
    const source = await folder.open(name)
    if (source) return [name, source]
  }
  throw new Error(`loadModel: adapter: neither ${FILES.join(' nor ')} is beside ${ADAPTER}`)
}

/**
 * Returns the value of the first pattern that matches the end of a module's name.
 * @param {Config} c
 * @param {string} key rank_pattern or alpha_pattern
 * @param {string} module
 * @param {number} usual the value if no pattern matches
 */
function ofPattern(c, key, module, usual) {
  for (const [pattern, value] of Object.entries(Object(c.get(key)))) {
    let ends
    try {
      ends = new RegExp(`^(?:.*\\.)?(?:${pattern})$`).test(module)
    } catch {
      throw new RangeError(`${ADAPTER}: ${key}: ${describe(pattern)} is no pattern of names`)
    }
    if (ends) return Number(value)
  }
  return usual
}

/** Returns the factor `scale` of a module. @param {Config} c @param {string} module @param {number} rank rank of its factors */
function scaleOf(c, module, rank) {
  const r = ofPattern(c, 'rank_pattern', module, c.number('r', { least: 1, whole: true }, 8))
  if (r !== rank) throw new RangeError(`${ADAPTER}: ${module} has the rank ${r}, lora_A has ${rank} rows`)
  const alpha = ofPattern(c, 'alpha_pattern', module, c.number('lora_alpha', {}, 8))
  if (!Number.isFinite(alpha)) throw new RangeError(`${ADAPTER}: alpha_pattern: expected a number for ${module}`)
  return c.flag('use_rslora') ? alpha / Math.sqrt(rank) : alpha / rank
}

/**
 * Makes a float32 tensor whose rows are merged while they are read.
 * @param {StoredTensor} base (R, C)
 * @param {{ factors: () => Promise<Float32Array[]>, rank: number, scale: number, isTurned: boolean }} change factors: A (rank, C) and
 *   B (R, rank), or A (rank, R) and B (C, rank) if isTurned
 * @param {{ readNumbers: typeof import('./safetensors.js').readNumbers, widen: typeof import('./safetensors.js').widen }} readers
 * @returns {StoredTensor}
 */
function mergedTensor(base, { factors, rank, scale, isTurned }, { readNumbers, widen }) {
  const [R, C] = base.dims
  const perRow = (base.to - base.from) / R
  const size = R * C * 4
  const read = async (/** @type {number} */ from, /** @type {number} */ to) => {
    const [first, last] = [Math.floor(from / (4 * C)), Math.ceil(to / (4 * C))]
    const stored = await readNumbers(base, base.from + first * perRow, base.from + last * perRow)
    const rows = Float32Array.from(widen(stored, base.dtype))
    const [A, B] = await factors()
    const sum = new Float64Array(C)
    for (let n = first; n < last; n++) {
      sum.fill(0)
      for (let k = 0; k < rank; k++)
        for (let i = 0; i < C; i++) sum[i] += isTurned ? A[k * R + n] * B[i * rank + k] : B[n * rank + k] * A[k * C + i]
      for (let i = 0; i < C; i++) rows[(n - first) * C + i] += scale * sum[i]
    }
    return new Uint8Array(rows.buffer).slice(from - first * 4 * C, to - first * 4 * C)
  }
  const { bytes = base.to - base.from } = base // size in the file
  return { ...base, dtype: 'F32', source: { size, read }, from: 0, to: size, bytes, blocks: undefined }
}
