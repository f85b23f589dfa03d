// Finds out why a folder or a file cannot be read as a checkpoint. Loaded only when one is refused.

import { describe, shape } from '../../base/errors.js'
import { fileInstead, nameOnHub, OTHERS, refused } from '../source/wrong-source.js'

/** Returns how to open a file of another format, recognised by its first bytes; undefined if it is unknown. @param {Uint8Array} start @returns {string | undefined} */
export function otherFormat(start) {
  const text = String.fromCharCode(...start.subarray(0, 4))
  if (text === 'GGUF') return 'a GGUF file: give it a name that ends in .gguf'
  if (text.startsWith('PK\x03\x04') || start[0] === 0x80)
    return 'a file of torch.save or another pickle: a state_dict is read if its name is pytorch_model.bin'
  if (text.startsWith('{') || text.startsWith('<')) return 'text, perhaps the page of an error or a Git LFS pointer'
  if (text === 'vers') return 'a Git LFS pointer, not the file itself: fetch it with git lfs pull'
  return undefined
}

/**
 * Returns the error for an optional package that cannot be imported, because it is not installed or not bundled.
 * @param {unknown} cause
 * @param {string} what what the package is needed for
 * @param {string} name
 * @param {string} instead what can be done without the package
 */
export function missingPackage(cause, what, name, instead) {
  const { code = '', message } = /** @type {Error & { code?: string }} */ (cause)
  const isMissing = code.endsWith('MODULE_NOT_FOUND') || /could not resolve|cannot find/i.test(message)
  const why = isMissing
    ? `which is not installed: npm install ${name}`
    : `which cannot be loaded here (${message}): a bundler includes it where it is installed beside qkv, an import map gives its address`
  return Object.assign(new Error(`${what} needs the package ${name}, ${why}; ${instead}`, { cause }), {
    code: 'NO_PACKAGE',
  })
}

/** Returns the error for quantized weights. @param {{ quant_method?: unknown }} config quantization_config */
export const quantizedWeights = config =>
  new RangeError(
    `config.json: quantization_config: weights that were quantized (${describe(config.quant_method ?? config)}) are not covered: ` +
      'open the model with its original weights; the option dtype makes them smaller',
  )

/** Matches the strings of a JSON text, and the numbers that only Python's json.dumps writes. */
const PYTHON = /"(?:[^"\\]|\\.)*"|(-?)\b(?:(NaN)|Infinity)\b/g
/** Placeholder for NaN while parsing: a lone surrogate, which no file can contain. */
const NAN = '\ud800NaN'

/** Parses JSON with NaN, Infinity and -Infinity. @param {string} name @param {Uint8Array} bytes @param {string} text of the file */
export function pythonJSON(name, bytes, text) {
  const plain = text.replace(PYTHON, (part, sign, nan) =>
    part[0] === '"' ? part : nan ? JSON.stringify(NAN) : `${sign}1e999`,
  )
  try {
    return JSON.parse(plain, (_, value) => (value === NAN ? Number.NaN : value))
  } catch (cause) {
    throw noJSON(name, bytes, cause)
  }
}

/** Returns the error for invalid JSON. @param {string} name @param {Uint8Array} bytes of the file @param {unknown} cause */
export function noJSON(name, bytes, cause) {
  const isPage = /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 100)))
  const why = isPage
    ? 'it is a page of HTML, which a server may send where it has no such file'
    : bytes[0] === 0xef && bytes[1] === 0xbb
      ? 'it starts with a byte order mark: save it as UTF-8 without one'
      : /** @type {Error} */ (cause).message
  return new SyntaxError(`${name} is no JSON: ${why}`, { cause })
}

/** Returns advice for an object that is not a list of files; '' for a plain object. @param {unknown} source */
function instead(source) {
  const { then, arrayBuffer, [Symbol.asyncIterator]: isAsync } = Object(source)
  if (typeof then === 'function') return '; await it'
  if (typeof arrayBuffer === 'function') return '; give the bytes: await response.arrayBuffer()'
  if (isAsync) return '; give a path, bytes or a Blob'
  return ''
}

/**
 * Returns the error for a folder without weights.
 * @param {import('../source/source.js').Folder} folder
 * @param {string} single the missing file
 * @param {string} index the missing index of shards
 * @param {unknown} source as given
 * @param {typeof import('../source/source.js').readJSON} readJSON
 */
export async function noWeights(folder, single, index, source, readJSON) {
  const names = (await folder.list?.()) ?? folder.names()
  for (const { pattern, text } of OTHERS) {
    const name = names.find(each => pattern.test(each))
    if (name) {
      const origin = /\.onnx/.test(name) ? await originOf(folder, source, readJSON) : ''
      return refused('OTHER_FORMAT', `there is ${name}, but no ${single}: ${text}${origin}`)
    }
  }
  const isNamed = typeof source === 'string' || source instanceof URL
  const like = isNamed ? '' : instead(source)
  if (like)
    return refused(
      'OTHER_FORMAT',
      `expected files, their contents by name, or a GGUF file, got ${describe(source)}${like}`,
    )
  const file = isNamed && !names.length ? fileInstead(String(source)) : undefined
  if (file) return file
  const where = isNamed ? `in ${describe(String(source).replace(/[?#].*/s, ''))}` : 'there'
  const found = names.slice(0, 20).join(', ')
  return refused(
    'NO_WEIGHTS',
    `neither ${single} nor ${index} is ${where}${found ? `; found: ${found}` : nameOnHub(source)}`,
  )
}

/** Matches the path of a model converted for transformers.js; the group is the original model's name. */
const CONVERSION = /(?:Xenova|onnx-community)(?:[/\\]|--)([\w.-]+)/i

/**
 * Names the model that a folder was converted from. Folders of transformers.js record it in config.json or in README.md.
 * @param {import('../source/source.js').Folder} folder
 * @param {unknown} source as given
 * @param {typeof import('../source/source.js').readJSON} readJSON
 */
async function originOf(folder, source, readJSON) {
  const config = await folder.open('config.json')
  const { _name_or_path: own } = Object(config && (await readJSON(config, 'config.json').catch(() => ({}))))
  const readme = await folder.open('README.md')
  const text = readme ? new TextDecoder().decode(await readme.read(0, readme.size ?? 65536)) : ''
  const [, base] = /^---\r?\n(?:(?!---).*\n)*?base_model:\s*(?:-\s*)?["']?([\w.-]+\/[\w.-]+)/.exec(text) ?? []
  for (const [name, file] of [
    [own, 'config.json'],
    [base, 'README.md'],
  ])
    if (typeof name === 'string' && /^\w[\w.-]*(\/[\w.-]+)?$/.test(name) && !CONVERSION.test(name))
      return `, which its ${file} names: hf:${name}`
  const [, name] = CONVERSION.exec(String(source)) ?? []
  return name ? `: ${name.replace(/-onnx(-.*)?$/i, '')}, by its first owner` : ''
}

/**
 * Returns an error that lists every tensor that does not fit.
 * @param {Map<string, import('../weights/weights.js').Need>} needs
 * @param {Map<string, import('../weights/safetensors.js').StoredTensor>} tensors
 * @param {RegExp} ignored
 * @param {readonly string[]} floats supported dtypes
 */
export function otherTensors(needs, tensors, ignored, floats) {
  const missing = [...needs.keys()].filter(name => !tensors.has(name))
  const unexpected = [...tensors.keys()].filter(name => !needs.has(name) && !ignored.test(name))
  const wrong = [...needs].flatMap(([name, { dims }]) => {
    const tensor = tensors.get(name)
    if (!tensor) return []
    if (!floats.includes(tensor.dtype)) return `${name}: expected one of ${floats.join(', ')}, got ${tensor.dtype}`
    const fits = tensor.dims.length === dims.length && tensor.dims.every((size, i) => size === dims[i])
    return fits ? [] : `${name}: expected ${shape(dims)}, got ${shape(tensor.dims)}`
  })
  const list = (/** @type {string} */ title, /** @type {string[]} */ names) =>
    names.length
      ? [`${title}: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}`]
      : []
  const problems = [
    ...list('missing', missing),
    ...list('unexpected', unexpected),
    ...list('of another shape or dtype', wrong),
  ]
  return new RangeError(`loadModel: the tensors do not fit config.json; ${problems.join('; ')}`)
}

/** Returns the error for weights that do not fit into memory. @param {{ loaded: number, int8: number }} bytes @param {Error} cause */
export const tooLarge = ({ loaded, int8 }, cause) =>
  new RangeError(`loadModel: out of memory: the weights need ${loaded} bytes, as int8 ${int8}: ${cause.message}`, {
    cause,
  })

/**
 * Throws for the folder of an adapter.
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @param {boolean} [isModel] True if the folder has a config.json, too. transformers with PEFT would then open the base model with the adapter
 */
export async function refuseAdapter(folder, readJSON, isModel) {
  const name = 'adapter_config.json'
  const file = await folder.open(name)
  if (!file) return
  const { base_model_name_or_path: base, peft_type: type } = Object(await readJSON(file, name))
  if (isModel)
    throw refused(
      'NO_CONFIG',
      `${name}: beside config.json is an adapter (${describe(type)}) of ${describe(base)}, which transformers opens in place of this model if PEFT is installed. Open that model with it: loadModel(qkv, base, { adapter }); { adapter: false } opens this folder without it`,
    )
  throw refused(
    'NO_CONFIG',
    `this is an adapter (${describe(type)}): it holds changes to the weights of another model, ${describe(base)}. Open that model with it: loadModel(qkv, base, { adapter })`,
  )
}

/**
 * Throws for a sentence-transformers folder whose first module is not a network.
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 */
export async function refuseModules(folder, readJSON) {
  const name = 'modules.json'
  const file = await folder.open(name)
  const list = file && (await readJSON(file, name))
  const { type } = Object(Array.isArray(list) ? list[0] : undefined)
  if (typeof type === 'string' && !type.endsWith('.Transformer'))
    throw refused(
      'NO_CONFIG',
      `${name}: the first module ${JSON.stringify(type.slice(0, 200))} is not covered: expected a Transformer of sentence_transformers, beside its config.json`,
    )
}

/** Returns the error for a folder without a config. */
export const noConfig = () => refused('NO_CONFIG', 'config.json is missing: it says how the tensors are put together')
