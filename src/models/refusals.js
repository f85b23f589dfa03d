// Finds out why a folder or a file cannot be read as a checkpoint. Loaded only when one is refused.

/** Files of other formats that may lie in the folder instead. */
const OTHERS = [
  { pattern: /\.gguf$/i, text: 'GGUF is not covered: use the safetensors files of the same model' },
  {
    pattern: /\.(bin|pt|pth|pkl|ckpt)$/i,
    text: 'a pickled file is not read because it can run code: save the model as safetensors',
  },
  { pattern: /\.(h5|msgpack|onnx|ot)$/i, text: 'this format is not covered: save the model as safetensors' },
]

/** Recognises other formats by the first bytes of a file. @param {Uint8Array} start @returns {string | undefined} */
export function otherFormat(start) {
  const text = String.fromCharCode(...start.subarray(0, 4))
  if (text === 'GGUF') return 'a GGUF file, which is not covered: use the safetensors files of the same model'
  if (text.startsWith('PK\x03\x04') || start[0] === 0x80)
    return 'a pickled PyTorch file, which is not read because it can run code: save the model as safetensors'
  if (text.startsWith('{') || text.startsWith('<')) return 'text, perhaps the page of an error or a Git LFS pointer'
  if (text === 'vers') return 'a Git LFS pointer, not the file itself: fetch it with git lfs pull'
  return undefined
}

/**
 * @param {import('./source.js').Folder} folder
 * @param {string} single the file that is missing
 * @param {string} index that of shards, which is missing, too
 */
export async function noWeights(folder, single, index) {
  for (const name of ['pytorch_model.bin', ...folder.names()])
    for (const { pattern, text } of OTHERS)
      if (pattern.test(name) && (folder.names().includes(name) || (await folder.open(name))))
        return new Error(`loadModel: there is ${name}, but no ${single}: ${text}`)
  const found = folder.names().join(', ')
  return new Error(`loadModel: neither ${single} nor ${index} is there${found ? `; found: ${found}` : ''}`)
}
