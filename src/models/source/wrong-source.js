// Explains why a path or a URL opens no checkpoint, and what to give instead. Loaded only when one is refused.

import { describe } from '../../base/errors.js'

/**
 * @typedef {'EMPTY' | 'TILDE' | 'NOT_FOUND' | 'NOT_A_FOLDER' | 'UNREADABLE' | 'ADDRESS' | 'NO_WEIGHTS' | 'NO_CONFIG' | 'OTHER_FORMAT'} SourceCode
 */

/** Returns an error with a code. @param {SourceCode} code @param {string} text */
export function refused(code, text) {
  const error = new Error(`loadModel: ${text}`)
  Error.captureStackTrace?.(error, refused) // starts the stack trace at the caller
  return Object.assign(error, { code })
}

/** Advice for files of formats other than safetensors, by file extension. */
export const OTHERS = [
  { pattern: /\.gguf$/i, text: 'a GGUF file is opened by its own name: give it in place of the folder' },
  {
    pattern: /\.(bin|pt|pth|pkl|ckpt)$/i,
    text: 'a state_dict of torch.save is read if its name is pytorch_model.bin; safetensors need no such name',
  },
  {
    pattern: /\.onnx(_data)?$/i,
    text: 'ONNX files are run by onnxruntime, not here: use the safetensors files of the same model',
  },
  { pattern: /\.(h5|msgpack|ot)$/i, text: 'this format is not covered: save the model as safetensors' },
]

/** Returns the error for an empty source. */
export const nothing = () => refused('EMPTY', "expected a folder's path or URL, or hf:owner/name, got an empty text")

/** Returns advice for a path that looks like the name of a hub model or of its file; '' for others. @param {unknown} source */
export function nameOnHub(source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return ''
  const [, name] = /^(?:hf:)?(\w[\w.-]*(?:\/\w[\w.-]*(?::\w[\w.-]*)?)?)\/?$/i.exec(String(source)) ?? []
  return name ? `. A model on the Hugging Face hub is named hf:${name}` : ''
}

const PAGE =
  /^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/([\w.-]+\/[\w.-]+)(:[\w.-]+)?(?:\/(?:tree|blob|resolve)\/([^/?#]+)(\/[^?#]*\.gguf)?[^?#]*)?\/?(?:\?show_file_info=([^&#]+))?(?:[?#].*)?$/is

/**
 * Returns the error for the address of a page of the hub, with or without https://. Returns undefined for other addresses, and for the URL
 * of a file of the hub, which can be fetched.
 * @param {string} text
 */
export function pageOfHub(text) {
  if (/^https?:.*\/resolve\//is.test(text)) return undefined
  const [, id, quantisation, revision = 'main', file, shown] = PAGE.exec(text) ?? []
  if (!id) return undefined
  const name = `hf:${id}${revision === 'main' ? '' : `@${revision}`}${quantisation ?? file ?? (shown ? `/${decodeURIComponent(shown)}` : '')}`
  return refused(
    'ADDRESS',
    `${describe(text.replace(/[?#].*/s, ''))} is a page of the Hugging Face hub; its model is named ${name}`,
  )
}

/** Returns the folder of a file, as text. @param {string} path */
const folderOf = path => path.replace(/[\\/]?[^\\/]*[\\/]?$/, '') || '.'

/** Returns the format of a file, by its path. @param {string} path */
const formatOf = path => OTHERS.find(({ pattern }) => pattern.test(path) && !/pytorch_model\.bin$/.test(path))

/**
 * Returns the error for a path that is not a folder.
 * @param {string} path as given
 * @param {NodeJS.ErrnoException | undefined} found the error of looking for it; undefined if it is a file
 * @param {boolean} isGguf true if its content is that of a GGUF file
 */
export function noFolder(path, found, isGguf) {
  const given = JSON.stringify(path)
  if (isGguf)
    return refused(
      'OTHER_FORMAT',
      `${given} is a GGUF file whose name does not end in .gguf: give its content, await openAsBlob(path) of node:fs, or a link to it with that ending`,
    )
  const format = formatOf(path)
  if (!found || found.code === 'ENOTDIR') {
    if (format) return refused('OTHER_FORMAT', `${given} is a file: ${format.text}`)
    if (/\.gguf[\\/]$/i.test(path))
      return refused('NOT_A_FOLDER', `${given} is a file: leave out the last ${path.slice(-1)}`)
    return refused(
      'NOT_A_FOLDER',
      `${given} is a file; give the folder that contains it and its config.json: ${JSON.stringify(folderOf(path))}`,
    )
  }
  if (found.code !== 'ENOENT') return refused('UNREADABLE', `${given} cannot be read (${found.code})`)
  if (path === '~' || /^~[\\/]/.test(path)) {
    const home = globalThis.process?.getBuiltinModule?.('node:os')?.homedir() ?? '/home/me'
    return refused(
      'TILDE',
      `${given}: only shells expand ~; give the path from the root: ${JSON.stringify(path.replace('~', home))}`,
    )
  }
  if (format) return refused('NOT_FOUND', `there is no file ${given}, and ${format.text}`)
  return refused(
    'NOT_FOUND',
    `there is no folder ${given}${/^[./\\]/.test(path) ? '' : ' in the current directory'}${nameOnHub(path)}${/^[\w.-]+:\d+\//.test(path) ? '. An address begins with http:// or https://' : ''}`,
  )
}

/**
 * Returns the error for an invalid URL, or for one that fetch rejects. A password in it is not shown.
 * @param {string} text
 * @param {URL} [url]
 */
export function wrongAddress(text, url) {
  const given = /[@?#]/.test(text) ? 'the address' : describe(text)
  if (!url) return refused('ADDRESS', `expected an address such as https://host/folder, got ${given}`)
  if (url.username || url.password)
    return refused(
      'ADDRESS',
      "the address has a name or a password in it, which fetch does not take: give them as { headers: { authorization: 'Basic ...' } }",
    )
  return refused(
    'ADDRESS',
    `expected https://host/folder, a path or hf:owner/name, got ${given}; ${url.protocol}// cannot be fetched`,
  )
}

/** Returns the error for a URL of a file, where its folder was expected; undefined if it is no file. @param {string} source */
export function fileInstead(source) {
  const [address] = source.split(/[?#]/)
  const [, folder, name] = /^(.*)\/([^/]+\.(?:safetensors|gguf|onnx|bin|json|txt))\/?$/i.exec(address) ?? []
  const format = name && formatOf(name)
  if (!name) return undefined
  return format
    ? refused('OTHER_FORMAT', `${describe(name)}: ${format.text}`)
    : refused('NOT_A_FOLDER', `expected the address of a folder, got that of the file ${name}; give ${folder}`)
}
