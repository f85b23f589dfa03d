// Converts vocab.txt of BERT models to the tokenizer.json that transformers would make of it. Loaded with a folder without tokenizer.json.
// https://github.com/huggingface/transformers: BertConverter in convert_slow_tokenizer.py

import { describe } from '../../base/errors.js'

/** The keys of special tokens in tokenizer_config.json, with their default tokens. */
const SPECIAL = { pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', mask_token: '[MASK]' }

/** Returns the text of a token, which a config may give as an object. @param {unknown} given @param {string} usual */
const textOf = (given, usual) => String(Object(given).content ?? given ?? usual)

/**
 * Builds tokenizer.json.
 * @param {string} text vocab.txt: one token per line
 * @param {Record<string, unknown>} config tokenizer_config.json, or {}
 */
export function fromVocabulary(text, config) {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const vocab = Object.fromEntries(lines.map((token, id) => [token, id]))
  const tokens = Object.entries(SPECIAL).map(([name, usual]) => textOf(config[name], usual))
  const [, unknown, first, last] = tokens
  for (const token of [unknown, first, last])
    if (!Object.hasOwn(vocab, token))
      throw new RangeError(`vocab.txt: ${describe(token)} is not among its ${lines.length} tokens`)
  const mark = (/** @type {string} */ id, type_id = 0) => ({ SpecialToken: { id, type_id } })
  const part = (/** @type {string} */ id, type_id = 0) => ({ Sequence: { id, type_id } })
  const single = [mark(first), part('A'), mark(last)]
  const marks = [first, last].map(id => [id, { id, ids: [vocab[id]], tokens: [id] }])
  const isLower = config.do_lower_case !== false
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens
      .filter(content => Object.hasOwn(vocab, content))
      .map(content => ({
        id: vocab[content],
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: config.tokenize_chinese_chars !== false,
      strip_accents: config.strip_accents ?? null,
      lowercase: isLower,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: [...single, part('B', 1), mark(last, 1)],
      special_tokens: Object.fromEntries(marks),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: unknown,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}
