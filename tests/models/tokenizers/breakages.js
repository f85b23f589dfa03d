// Makes small changes to valid tokenizer.json files: in every part, it leaves out a key, renames it, adds one, or replaces a value. Many of the
// results are invalid.

const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
const bytes = { add_prefix_space: true, trim_offsets: true, use_regex: true }
const space = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }
const replace = { type: 'Replace', pattern: { String: 'a' }, content: 'b' }
const [start, end] = [{ SpecialToken: { id: '<s>', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 1 } }]
const [a, b] = ['A', 'B'].map((id, type_id) => ({ Sequence: { id, type_id } }))
const around = { sep: ['</s>', 2], cls: ['<s>', 1] }
const TOKENS = ['<unk>', '<s>', '</s>', 'a', 'b', 'ab', '▁', '##b', '▁a', 'é', '😀']
const vocab = Object.fromEntries(TOKENS.map((token, id) => [token, id]))

/** Valid parts of every type, by the key of tokenizer.json. @type {Record<string, any[]>} */
const PARTS = {
  normalizer: [
    { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Nmt', 'Lowercase', 'StripAccents', 'ByteLevel'].map(type => ({ type })),
    { type: 'Strip', strip_left: true, strip_right: true },
    { type: 'Prepend', prepend: '▁' },
    replace,
    { ...replace, pattern: { Regex: ' +' } },
    { type: 'Sequence', normalizers: [{ type: 'NFC' }, replace] },
  ],
  pre_tokenizer: [
    ...['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit'].map(type => ({ type })),
    { type: 'ByteLevel', ...bytes },
    { type: 'CharDelimiterSplit', delimiter: ' ' },
    { type: 'Digits', individual_digits: true },
    { type: 'FixedLength', length: 2 },
    space,
    { type: 'Metaspace', replacement: '▁', add_prefix_space: true },
    { type: 'Punctuation', behavior: 'Isolated' },
    { type: 'Split', pattern: { String: ' ' }, behavior: 'Removed', invert: false },
    { type: 'Split', pattern: { Regex: ' ' }, behavior: 'MergedWithNext', invert: true },
    { type: 'Sequence', pretokenizers: [{ type: 'Whitespace' }, { type: 'Punctuation', behavior: 'Removed' }] },
  ],
  post_processor: [
    { type: 'BertProcessing', ...around },
    { type: 'RobertaProcessing', ...around, trim_offsets: true, add_prefix_space: true },
    { type: 'ByteLevel', ...bytes },
    {
      type: 'TemplateProcessing',
      single: [start, a, end],
      pair: [start, a, end, b, end],
      special_tokens: {
        '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] },
        '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
      },
    },
    {
      type: 'Sequence',
      processors: [
        { type: 'ByteLevel', ...bytes },
        { type: 'BertProcessing', ...around },
      ],
    },
  ],
  decoder: [
    { type: 'BPEDecoder', suffix: '</w>' },
    ...['ByteFallback', 'Fuse'].map(type => ({ type })),
    { type: 'ByteLevel', ...bytes },
    { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true },
    space,
    replace,
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
    { type: 'WordPiece', prefix: '##', cleanup: true },
    { type: 'Sequence', decoders: [replace, { type: 'Fuse' }] },
  ],
  model: [
    { type: 'WordLevel', vocab, unk_token: '<unk>' },
    { type: 'WordPiece', vocab, unk_token: '<unk>', continuing_subword_prefix: '##', max_input_chars_per_word: 9 },
    {
      type: 'BPE',
      dropout: null,
      unk_token: '<unk>',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges: [
        ['a', 'b'],
        ['▁', 'a'],
      ],
    },
    { type: 'BPE', unk_token: '<unk>', vocab, merges: ['a b'] },
    { type: 'Unigram', unk_id: 0, vocab: TOKENS.map((token, n) => [token, -n]), byte_fallback: false },
  ],
  truncation: [{ direction: 'Right', max_length: 50, strategy: 'LongestFirst', stride: 0 }],
  padding: [
    {
      strategy: 'BatchLongest',
      direction: 'Right',
      pad_to_multiple_of: null,
      pad_id: 0,
      pad_type_id: 0,
      pad_token: 'a',
    },
    { strategy: { Fixed: 5 }, direction: 'Left', pad_to_multiple_of: 8, pad_id: 0, pad_type_id: 0, pad_token: 'a' },
  ],
  added_tokens: [[1, 2].map(id => ({ id, content: TOKENS[id], ...flags })), [{ id: 11, content: 'new', ...flags }]],
}

/** A valid file, in which normalizer, pre-tokenizer and the other optional parts are null. */
const PLAIN = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: PARTS.model[0],
}

const VALUES = [null, true, 0, 1, -1, 1.5, 2 ** 33, '', 'x', 'xy', '😀', [], ['x'], [null], {}, { x: 1 }]

/** Yields changed copies of a value. @param {any} value @returns {Generator<[name: string, changed: any]>} */
function* changes(value) {
  if (typeof value !== 'object' || value === null) return
  const [copy, keys] = [() => structuredClone(value), Object.keys(value)]
  const set = (/** @type {string} */ key, /** @type {any} */ to) => Object.assign(copy(), { [key]: to })
  for (const key of keys) {
    const without = Array.isArray(value)
      ? value.filter((_, n) => n !== Number(key))
      : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    yield [`${key} left out`, without]
    if (!Array.isArray(value)) yield [`${key} renamed`, { ...without, [`${key}s`]: value[key] }]
    for (const to of VALUES) yield [`${key} = ${JSON.stringify(to)}`, set(key, to)]
    for (const [name, changed] of changes(value[key])) yield [`${key}.${name}`, set(key, changed)]
  }
  for (const to of [1, 'x', {}])
    yield [`and ${JSON.stringify(to)}`, Array.isArray(value) ? [...value, to] : { ...value, extra: to }]
}

/** Yields changed files, and what was changed. @returns {Generator<[name: string, json: any]>} */
export function* breakages() {
  // Leaves out files with merges and a prefix, because the Rust library panics if the prefix is longer than a token of the merges.
  for (const [name, json] of allBreakages())
    if (!(json.model?.merges && json.model.continuing_subword_prefix)) yield [name, json]
}

/** @returns {Generator<[name: string, json: any]>} */
function* allBreakages() {
  for (const [key, parts] of Object.entries(PARTS))
    for (const part of parts) {
      const name = `${key} ${part.type ?? ''}`.trim()
      yield [name, { ...PLAIN, [key]: part }]
      for (const [what, changed] of changes(part)) yield [`${name}: ${what}`, { ...PLAIN, [key]: changed }]
      for (const other of Array.isArray(part) ? [] : parts) {
        const both = { ...other, ...part }
        yield [`${name}: with the keys of ${other.type}`, { ...PLAIN, [key]: both }]
        const { type: _, ...bare } = both
        yield [`${name}: with the keys of ${other.type} and without type`, { ...PLAIN, [key]: bare }]
      }
    }
  for (const [what, changed] of changes({ ...PLAIN, model: null })) yield [what, { model: PLAIN.model, ...changed }]
}
