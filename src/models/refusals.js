// Finds out why a folder or a file cannot be read as a checkpoint. Loaded only when one is refused.

import { describe, shape } from '../base/errors.js'

/** Files of other formats that may lie in the folder instead. */
const OTHERS = [
  { pattern: /\.gguf$/i, text: 'GGUF is not covered: use the safetensors files of the same model' },
  {
    pattern: /\.(bin|pt|pth|pkl|ckpt)$/i,
    text: 'a state_dict of torch.save is read if its name is pytorch_model.bin; safetensors need no such name',
  },
  { pattern: /\.(h5|msgpack|onnx|ot)$/i, text: 'this format is not covered: save the model as safetensors' },
]

/** Recognises other formats by the first bytes of a file. @param {Uint8Array} start @returns {string | undefined} */
export function otherFormat(start) {
  const text = String.fromCharCode(...start.subarray(0, 4))
  if (text === 'GGUF') return 'a GGUF file, which is not covered: use the safetensors files of the same model'
  if (text.startsWith('PK\x03\x04') || start[0] === 0x80)
    return 'a file of torch.save or another pickle: a state_dict is read if its name is pytorch_model.bin'
  if (text.startsWith('{') || text.startsWith('<')) return 'text, perhaps the page of an error or a Git LFS pointer'
  if (text === 'vers') return 'a Git LFS pointer, not the file itself: fetch it with git lfs pull'
  return undefined
}

/**
 * An optional package that cannot be imported: it is not installed, or no bundler has included it.
 * @param {unknown} cause
 * @param {string} what needs it
 * @param {string} name
 * @param {string} instead what else can be done
 */
export function missingPackage(cause, what, name, instead) {
  const { code = '', message } = /** @type {Error & { code?: string }} */ (cause)
  const isMissing = code.endsWith('MODULE_NOT_FOUND') || /could not resolve|cannot find/i.test(message)
  const why = isMissing
    ? `which is not installed: npm install ${name}`
    : `which cannot be loaded here (${message}): a bundler includes it where it is installed beside qkv, an import map gives its address`
  return new Error(`${what} needs the package ${name}, ${why}; ${instead}`, { cause })
}

/** @param {{ quant_method?: unknown }} config quantization_config */
export const quantizedWeights = config =>
  new RangeError(
    `config.json: quantization_config: weights that were quantized (${describe(config.quant_method ?? config)}) are not covered: ` +
      'open the model with its original weights; the option dtype makes them smaller',
  )

/** @param {string} name @param {Uint8Array} bytes of the file @param {Error} cause */
export function noJSON(name, bytes, cause) {
  const isPage = /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 100)))
  const why = isPage ? 'it is a page of HTML, which a server may send where it has no such file' : cause.message
  return new SyntaxError(`${name} is no JSON: ${why}`, { cause })
}

/**
 * A name on the hub that was given as a path or as the address of a page.
 * @param {unknown} source
 */
function nameOnHub(source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return ''
  const name = /^(?:https?:\/\/(?:huggingface\.co|hf\.co)\/)?(\w[\w.-]*(?:\/\w[\w.-]*)?)\/?$/.exec(String(source))?.[1]
  return name ? `. A model on the Hugging Face hub is named hf:${name}` : ''
}

/**
 * @param {import('./source.js').Folder} folder
 * @param {string} single the file that is missing
 * @param {string} index that of shards, which is missing, too
 * @param {unknown} source that was given
 */
export async function noWeights(folder, single, index, source) {
  for (const name of folder.names())
    for (const { pattern, text } of OTHERS)
      if (pattern.test(name)) return new Error(`loadModel: there is ${name}, but no ${single}: ${text}`)
  const found = folder.names().join(', ')
  const isNamed = typeof source === 'string' || source instanceof URL
  const where = isNamed ? `in ${describe(String(source))}` : 'there'
  return new Error(
    `loadModel: neither ${single} nor ${index} is ${where}${found ? `; found: ${found}` : nameOnHub(source)}`,
  )
}

/**
 * An error that lists every tensor that does not fit.
 * @param {Map<string, import('./weights.js').Need>} needs
 * @param {Map<string, import('./safetensors.js').StoredTensor>} tensors
 * @param {RegExp} ignored
 * @param {readonly string[]} floats the dtypes that are covered
 */
export function otherTensors(needs, tensors, ignored, floats) {
  const missing = [...needs.keys()].filter(name => !tensors.has(name))
  const unexpected = [...tensors.keys()].filter(name => !needs.has(name) && !ignored.test(name))
  const wrong = [...needs].flatMap(([name, { dims }]) => {
    const tensor = tensors.get(name)
    if (!tensor) return []
    if (!floats.includes(tensor.dtype)) return `${name} is ${tensor.dtype}, one of ${floats.join(', ')} expected`
    const fits = tensor.dims.length === dims.length && tensor.dims.every((size, i) => size === dims[i])
    return fits ? [] : `${name} is ${shape(tensor.dims)}, ${shape(dims)} expected`
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

/** The error for weights that do not fit. @param {{ loaded: number, int8: number }} bytes @param {Error} cause */
export const tooLarge = ({ loaded, int8 }, cause) =>
  new RangeError(`loadModel: out of memory: the weights need ${loaded} bytes, as int8 ${int8}: ${cause.message}`, {
    cause,
  })

/** The error for a folder without its config. */
export const noConfig = () => new Error('loadModel: config.json is missing: it says how the tensors are put together')
