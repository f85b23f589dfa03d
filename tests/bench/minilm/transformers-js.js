// The model of sentence-model.js for transformers.js, whose pipeline runs a folder: texts in, embeddings out. In Node it calls onnxruntime-node,
// which is native code.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SIZES } from './sentence-model.js'
import { encode, waysOf } from './sentence-peer.js'

const PACKAGE = '@huggingface/transformers' // in a variable, so that the type checker does not look it up

/** A tokenizer.json for texts that are lists of ids, as the class Ids reads them. */
const tokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordLevel',
    unk_token: '1',
    vocab: Object.fromEntries(Array.from({ length: SIZES.vocab }, (_, id) => [id, id])),
  },
}

/** @param {import('../gpt2/checkpoint.js').Weights} weights @param {boolean} isInt8 */
export async function openTransformers(weights, isInt8) {
  const { pipeline, env } = await import(PACKAGE)
  const path = mkdtempSync(join(tmpdir(), 'qkv-bench-'))
  try {
    const write = (/** @type {string} */ name, /** @type {object} */ value) =>
      writeFileSync(join(path, name), JSON.stringify(value))
    write('config.json', { ...weights.config, architectures: ['BertModel'] })
    write('tokenizer.json', tokenizer)
    write('tokenizer_config.json', {
      tokenizer_class: 'PreTrainedTokenizer',
      pad_token: '0',
      unk_token: '1',
      model_max_length: 512,
    })
    mkdirSync(join(path, 'onnx'))
    writeFileSync(join(path, 'onnx', isInt8 ? 'model_quantized.onnx' : 'model.onnx'), encode(weights, isInt8, true))
    Object.assign(env, { allowRemoteModels: false, localModelPath: '/' })
    const extract = await pipeline('feature-extraction', path.slice(1), {
      dtype: isInt8 ? 'q8' : 'fp32',
      device: 'cpu',
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
    })
    /** @param {number[][]} texts @returns {Promise<Float32Array>} */
    const batch = async texts =>
      (
        await extract(
          texts.map(ids => ids.join(' ')),
          { pooling: 'mean' },
        )
      ).data
    return { ways: waysOf(batch), dispose: () => extract.dispose() }
  } finally {
    rmSync(path, { recursive: true })
  }
}
