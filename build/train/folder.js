// Makes the files of a trained model, which Hugging Face's tools, @huggingface/tokenizers and qkv/models can read.

import { toSafetensors } from '../../web/files/safetensors-file.js'

/** @typedef {{ start?: string, end?: string, padding?: string, unknown: string }} Specials start: token that begins each text */

/**
 * Returns tokenizer.json: each word is a token; case is ignored.
 * @param {readonly string[]} words their indices are their ids
 * @param {Specials} specials
 */
function wordTokenizer(words, { start, end, padding, unknown }) {
  const idOf = (/** @type {string} */ word) => words.indexOf(word)
  const special = (/** @type {string} */ content) => ({
    id: idOf(content),
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })
  const sequence = (/** @type {string} */ id) => ({ Sequence: { id, type_id: 0 } })
  const begin = start && { SpecialToken: { id: start, type_id: 0 } }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [start, padding, end, unknown].flatMap(word => (word ? special(word) : [])),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: begin
      ? {
          type: 'TemplateProcessing',
          single: [begin, sequence('A')],
          pair: [begin, sequence('A'), sequence('B')],
          special_tokens: { [start]: { id: start, ids: [idOf(start)], tokens: [start] } },
        }
      : null,
    decoder: null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: unknown },
  }
}

/**
 * Returns the files of a model's folder.
 * @param {object} config
 * @param {Record<string, import('qkv').FloatTensor>} weights
 * @param {readonly string[]} words
 * @param {Specials} specials
 * @returns {Record<string, Uint8Array>} by name
 */
export function filesOf(config, weights, words, specials) {
  const json = (/** @type {unknown} */ value) => new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`)
  const { start, end, padding, unknown } = specials
  const tokens = { bos_token: start, eos_token: end, pad_token: padding, unk_token: unknown }
  return {
    'config.json': json(config),
    'tokenizer.json': json(wordTokenizer(words, specials)),
    'tokenizer_config.json': json({
      tokenizer_class: 'PreTrainedTokenizerFast',
      ...tokens,
      clean_up_tokenization_spaces: true,
    }),
    'model.safetensors': toSafetensors(weights, { format: 'pt' }, 'F16'),
  }
}
