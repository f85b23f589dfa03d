// Makes random valid tokenizer.json files: all models, normalizers, pre-tokenizers, post-processors, decoders, and added tokens with their flags.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Texts in many scripts, with white space, marks, signs and half-width letters, which tokenizers treat differently. */
export const TEXTS = [
  'The quick brown fox jumps over the lazy dog.',
  " I'm sure you've said: don't, it's they're, we'll O'Neil 'tis rock 'n' roll",
  'HELLO World, HeLLo wORLD! Can\u2019t  stop\u2026',
  '  leading, trailing  and   inner   spaces \t\ttabs\n\nlines\r\nend  ',
  'naïve café Ångström résumé Zoë e\u0301 n\u0303 a\u0328\u0301',
  'ΣΊΣΥΦΟΣ Οδυσσεύς ΑΣ, Σ. Σ',
  'Привет, мир! Ёлка ещё Ї',
  'こんにちは世界。カタカナ ｶﾞ ー',
  '你好，世界！我爱北京天安门𠀀𪛕',
  '한국어 텍스트 각',
  'مرحبا بالعالم؟ السلام، ١٢٣',
  'שלום עולם — עברית',
  'नमस्ते दुनिया क्षत्रिय १२३',
  'สวัสดีชาวโลก',
  'İstanbul ISPARTA ı ß ẞ ﬁ ﬀ ǅ',
  '3.14 1,000,000 42nd ² ½ Ⅷ ① 2024-01-02T03:04:05',
  'a_b foo_bar __init__ snake_case_ x1y2 C++ C# a/b\\c',
  '👍🏽 👨‍👩‍👧 🇩🇪 😀😀 ☺️',
  '$100 €5 £3 50% #tag @user a&b <b>html</b> "quoted" (paren) [br] {x}',
  'x=1;y=2 --flag --- -- ... !!! ?! ,,; ::',
  'covid covidish precovid a covid. COVID-19 covid,covid',
  '<s>hello</s> <mask> hello <mask>, [MASK] [SEP]<unk> <pad>',
  'do not go . he said , " yes " ? no ! it \' s n\'t',
  '\u00a0nbsp\u2003em\u200bzero\u200djoin\u2028line\u3000wide\ufeffbom\u0085next',
  '\u0000null\u0001\u0007bell\u007fdel\u00adsoft\ufffdbad',
  'ﬁne ＡＢＣ１２３ ㎏ ℌ ﾊﾝｶｸ ½ ™',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbb abababab',
  '▁under▁score ▁ Ġ Ċ </w> ##x <0x41> <0xE2>',
  '',
  ' ',
]

/** Makes a generator of random numbers from a seed. @param {number} seed */
export function randomOf(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (/** @type {number} */ n) => Math.floor(next() * n)
  const pick = (/** @type {readonly any[]} */ list) => list[below(list.length)]
  return { next, below, pick, is: (p = 0.5) => next() < p }
}

/** @typedef {ReturnType<typeof randomOf>} Random */

/**
 * Makes texts from parts of TEXTS, tokens of a file and rare characters. Returns an empty list if a token of white space has lstrip, because after a
 * token with rstrip it would make the Rust library end the process (findings/added-tokens-overlap-in-tokenizers.sh).
 * @param {Random} random
 * @param {any} json tokenizer.json
 */
export function randomTexts(random, json) {
  const ends = (/** @type {{ content: string, lstrip: boolean }} */ { content, lstrip }) => lstrip && !content.trim()
  if (json.added_tokens.some(ends)) return []
  const tokens = json.added_tokens.map((/** @type {{ content: string }} */ token) => token.content)
  const part = () => {
    const characters = Array.from(random.pick(TEXTS))
    const from = random.below(characters.length + 1)
    return characters.slice(from, from + 1 + random.below(9)).join('')
  }
  const piece = () =>
    tokens.length && random.is(0.3)
      ? random.pick(tokens)
      : random.is(0.2)
        ? random.pick([' ', '  ', '\n', '\u0301', '\u3000', '\u00ad', 'İ', 'ß', '▁', '\ufe0f', '\u200d', '\u0000'])
        : part()
  return Array.from({ length: 12 }, () => Array.from({ length: 1 + random.below(7) }, piece).join(''))
}

const BYTES = Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)

/** The characters of byte-level vocabularies. */
const ALPHABET = (() => {
  const shown = [...Array(256).keys()].filter(b => (b > 32 && b < 127) || (b > 160 && b !== 173))
  let n = 256
  return [...Array(256).keys()].map(b => String.fromCharCode(shown.includes(b) ? b : n++))
})()
const byteLevel = (/** @type {string} */ text) => Array.from(new TextEncoder().encode(text), b => ALPHABET[b]).join('')

const { precompiled_charsmap: CHARSMAP } = JSON.parse(
  readFileSync(fileURLToPath(new URL('charsmap.json', import.meta.url)), 'utf8'),
)

/** A pattern that can match the empty text. Normalizers do not get it, because the Rust library panics when one replaces such a match. */
const EMPTY = 'x*'
/** Patterns of published files, and similar ones. */
const PATTERNS = [
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
  '[\\u4e00-\\u9fa5\\u3040-\\u309f\\u30a0-\\u30ff]+',
  ' ?[^(\\s|[.,!?…。，、।۔،])]+',
  '\\p{N}{1,3}',
  '\\p{L}+|\\p{N}+',
  '\\s+',
  ' {2,}',
  '[\\r\\n]',
  '\\d',
  'a|b',
  '[aeiou]',
  '(?<=a)b|o(?=n)',
  '\\p{P}',
  '\\p{Han}',
  '\\S?+l+?',
  EMPTY,
  '[^a-z0-9]',
  '.',
  '(?:ab)+',
]
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']

/** @param {Random} random @param {string[]} [list] */
const pattern = (random, list = PATTERNS) =>
  random.is(0.4)
    ? { String: random.pick([' ', 'a', ', ', '.', '--', 'é', 'the', '▁', '\n', '<', 'İ']) }
    : { Regex: random.pick(list) }

/** @param {Random} random @param {number} [depth] @returns {any} */
function normalizer(random, depth = 0) {
  const kinds = [
    'Lowercase',
    'NFC',
    'NFD',
    'NFKC',
    'NFKD',
    'Nmt',
    'StripAccents',
    'Strip',
    'Prepend',
    'Replace',
    'Precompiled',
    'ByteLevel',
  ]
  const type = random.pick(
    [null, null, 'BertNormalizer', 'BertNormalizer', 'Sequence', 'Sequence', ...kinds].slice(depth ? 2 : 0),
  )
  if (type === 'Sequence') {
    if (depth > 1) return { type: 'NFC' }
    return { type, normalizers: Array.from({ length: random.below(4) }, () => normalizer(random, depth + 1)) }
  }
  if (type === 'BertNormalizer')
    return {
      type,
      clean_text: random.is(),
      handle_chinese_chars: random.is(),
      strip_accents: random.pick([null, true, false]),
      lowercase: random.is(),
    }
  if (type === 'Strip') return { type, strip_left: random.is(), strip_right: random.is() }
  if (type === 'Prepend') return { type, prepend: random.pick(['▁', ' ', 'x']) }
  if (type === 'Replace')
    return {
      type,
      pattern: pattern(
        random,
        PATTERNS.filter(one => one !== EMPTY),
      ),
      content: random.pick(['▁', ' ', '', 'y', '$1']),
    }
  if (type === 'Precompiled') return { type, precompiled_charsmap: CHARSMAP }
  return type && { type }
}

/** @param {Random} random @param {number} [depth] @returns {any} */
function preTokenizer(random, depth = 0) {
  const kinds = [
    'BertPreTokenizer',
    'ByteLevel',
    'CharDelimiterSplit',
    'Digits',
    'FixedLength',
    'Metaspace',
    'Punctuation',
    'Split',
    'Whitespace',
    'WhitespaceSplit',
  ]
  if (random.is(0.005)) return { type: 'UnicodeScripts' }
  const type = random.pick(
    [null, 'Sequence', 'Sequence', 'ByteLevel', 'Metaspace', 'Split', 'Split', ...kinds].slice(depth ? 1 : 0),
  )
  if (type === 'Sequence') {
    if (depth > 1) return { type: 'Whitespace' }
    return { type, pretokenizers: Array.from({ length: random.below(4) }, () => preTokenizer(random, depth + 1)) }
  }
  if (type === 'ByteLevel')
    return {
      type,
      add_prefix_space: random.is(),
      trim_offsets: random.is(),
      ...(random.is(0.7) && { use_regex: random.is(0.7) }),
    }
  if (type === 'CharDelimiterSplit') return { type, delimiter: random.pick([' ', ',', 'o']) }
  if (type === 'Digits') return { type, individual_digits: random.is() }
  if (type === 'FixedLength') return { type, length: 1 + random.below(6) }
  if (type === 'Metaspace') return metaspace(random)
  if (type === 'Punctuation') return { type, ...(random.is(0.8) && { behavior: random.pick(BEHAVIORS) }) }
  if (type === 'Split')
    return { type, pattern: pattern(random), behavior: random.pick(BEHAVIORS), invert: random.is(0.4) }
  return type && { type }
}

/** @param {Random} random */
const metaspace = random => ({
  type: 'Metaspace',
  replacement: random.pick(['▁', '▁', '_']),
  prepend_scheme: random.pick(['always', 'always', 'always', 'always', 'never', 'never', 'never', 'first']),
  ...(random.is(0.8) && { split: random.is() }),
})

/** @param {Random} random @param {number} [depth] @returns {any} */
function decoder(random, depth = 0) {
  const kinds = ['BPEDecoder', 'ByteFallback', 'ByteLevel', 'CTC', 'Fuse', 'Metaspace', 'Replace', 'Strip', 'WordPiece']
  const type = random.pick(
    [null, 'Sequence', 'Sequence', 'ByteLevel', 'WordPiece', 'Metaspace', ...kinds].slice(depth ? 1 : 0),
  )
  if (type === 'Sequence') {
    if (depth > 1) return { type: 'Fuse' }
    return { type, decoders: Array.from({ length: random.below(4) }, () => decoder(random, depth + 1)) }
  }
  if (type === 'BPEDecoder') return { type, suffix: random.pick(['</w>', 'o']) }
  if (type === 'CTC')
    return {
      type,
      pad_token: random.pick(['<pad>', 'o']),
      word_delimiter_token: random.pick(['|', 'e']),
      cleanup: random.is(),
    }
  if (type === 'Metaspace') return metaspace(random)
  if (type === 'ByteLevel')
    return { type, add_prefix_space: random.is(), trim_offsets: random.is(), use_regex: random.is() }
  if (type === 'Replace') return { type, pattern: pattern(random), content: random.pick([' ', '', 'y']) }
  if (type === 'Strip') return { type, content: random.pick([' ', 'o', 'e']), start: random.below(3), stop: 0 } // the Rust library panics if nothing is left at the end
  if (type === 'WordPiece') return { type, prefix: random.pick(['##', '']), cleanup: random.is() }
  return type && { type }
}

/** @param {Random} random @param {Record<string, number>} ids of special tokens @returns {any} */
function postProcessor(random, ids, depth = 0) {
  const tokens = Object.keys(ids)
  const type = random.pick([
    null,
    'BertProcessing',
    'RobertaProcessing',
    'ByteLevel',
    'TemplateProcessing',
    'TemplateProcessing',
    depth ? 'ByteLevel' : 'Sequence',
  ])
  const [cls, sep] = [random.pick(tokens), random.pick(tokens)]
  if (type === 'ByteLevel')
    return { type, add_prefix_space: random.is(), trim_offsets: random.is(), use_regex: random.is() }
  if (type === 'BertProcessing') return { type, sep: [sep, ids[sep]], cls: [cls, ids[cls]] }
  if (type === 'RobertaProcessing')
    return {
      type,
      sep: [sep, ids[sep]],
      cls: [cls, ids[cls]],
      trim_offsets: random.is(),
      add_prefix_space: random.is(),
    }
  if (type === 'Sequence')
    return {
      type,
      processors: random.pick([[], ['ByteLevel'], ['ByteLevel', 0], [0, 'ByteLevel']]).map((/** @type {any} */ kind) =>
        kind
          ? { type: kind, add_prefix_space: true, trim_offsets: false, use_regex: true }
          : (postProcessor(random, ids, 1) ?? {
              type: 'ByteLevel',
              add_prefix_space: true,
              trim_offsets: true,
              use_regex: true,
            }),
      ),
    }
  if (type === null) return null
  const mark = () => ({ SpecialToken: { id: random.pick(tokens), type_id: random.below(3) } })
  const part = (/** @type {string} */ id) => ({ Sequence: { id, type_id: random.below(3) } })
  const marks = () => Array.from({ length: random.below(3) }, mark)
  const special = Object.fromEntries(
    tokens.map(id => [id, { id, ids: [ids[id], ...(random.is(0.1) ? [0] : [])], tokens: [id, ...[]] }]),
  )
  for (const one of Object.values(special)) if (one.ids.length > 1) one.tokens.push(tokens[0])
  return {
    type,
    single: [...marks(), part('A'), ...marks()],
    pair: [...marks(), part('A'), ...marks(), part('B'), ...marks()],
    special_tokens: special,
  }
}

const SPECIAL = ['<unk>', '<s>', '</s>', '<pad>', '<mask>', '[MASK]', '[SEP]']
const ADDED = [
  'covid',
  'hello',
  ' ',
  '--',
  'é',
  'Σ',
  'the',
  'world',
  '你好',
  'COVID',
  '<b>',
  'l',
  '19',
  "n't",
  '  ',
  'ΣΊ',
  'a b',
  '▁x',
]

/** Returns substrings of TEXTS, cut as most pre-tokenizers would cut them. @param {Random} random @param {number} count @param {(text: string) => string} as */
function substrings(random, count, as) {
  /** @type {Set<string>} */
  const found = new Set()
  for (let n = 0; n < count; n++) {
    const text = random.pick(TEXTS)
    if (!text) continue
    const word = random.pick(text.split(/\s+/)) || 'a'
    const characters = Array.from(random.is(0.3) ? word.toLowerCase() : word)
    const from = random.below(characters.length)
    const piece = characters.slice(from, from + 1 + random.below(5)).join('')
    found.add(as(random.is(0.2) ? ` ${piece}` : piece))
  }
  return [...found]
}

/** @param {Random} random @param {boolean} isBytes */
function model(random, isBytes) {
  const type = random.pick(['WordLevel', 'WordPiece', 'BPE', 'BPE', 'BPE', 'Unigram', 'Unigram'])
  const as = isBytes ? byteLevel : (/** @type {string} */ text) => text.replaceAll(' ', '▁')
  const special = SPECIAL.slice(0, 3 + random.below(5))
  const characters = isBytes
    ? ALPHABET.filter(() => random.is(0.97))
    : [...new Set(TEXTS.flatMap(text => Array.from(as(text))))].filter(() => random.is(0.85))
  const words = [
    ...new Set(
      TEXTS.flatMap(text => text.split(/\s+/))
        .filter(Boolean)
        .map(as),
    ),
  ]
  const unknown = '<unk>'
  const numbered = (/** @type {string[]} */ tokens) =>
    Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]))
  if (type === 'WordLevel') {
    const vocab = numbered([
      ...special,
      ...characters,
      ...words.filter(() => random.is(0.6)),
      ...words.map(w => w.toLowerCase()).filter(() => random.is(0.5)),
    ])
    return { special, model: { type, vocab, unk_token: unknown } }
  }
  const pieces = substrings(random, 250, as)
  if (type === 'WordPiece') {
    const prefix = random.pick(['##', '##', ''])
    const vocab = numbered([
      ...special,
      ...characters,
      ...pieces,
      ...[...characters, ...pieces].map(piece => prefix + piece),
    ])
    return {
      special,
      model: {
        ...(random.is(0.9) && { type }),
        unk_token: unknown,
        continuing_subword_prefix: prefix,
        max_input_chars_per_word: random.pick([100, 8]),
        vocab,
      },
    }
  }
  if (type === 'Unigram') {
    const isByte = random.is(0.3)
    const all = [
      ...new Set([...special, ...(isByte ? BYTES.filter(() => random.is(0.9999)) : []), ...characters, ...pieces]),
    ]
    const vocab = all.map(piece => [piece, special.includes(piece) ? 0 : -Math.round(random.next() * 120) / 10])
    return {
      special,
      model: { ...(random.is(0.9) && { type }), unk_id: 0, vocab, ...(random.is(0.8) && { byte_fallback: isByte }) },
    }
  }
  const suffix = random.is(0.15) ? '</w>' : null
  const prefix = random.is(0.02) ? '##' : random.pick([null, ''])
  const isByte = random.is(0.25)
  const base = [
    ...characters,
    ...(suffix ? characters.map(c => c + suffix) : []),
    ...(prefix ? characters.map(c => prefix + c) : []),
  ]
  const known = new Set(base)
  /** @type {[string, string][]} */
  const merges = []
  const tokens = [...base]
  // Pairs of tokens that are adjacent in the texts.
  for (let n = 0; n < 300; n++) {
    const parts = Array.from(random.pick(words), (c, i) => (i && prefix ? prefix + c : c)).filter(c => known.has(c))
    for (let i = 0; i < merges.length && parts.length > 1; i++) {
      const at = parts.findIndex((a, k) => a === merges[i][0] && parts[k + 1] === merges[i][1])
      if (at >= 0) parts.splice(at, 2, parts[at] + parts[at + 1].slice(prefix?.length ?? 0))
    }
    if (parts.length < 2) continue
    const at = random.below(parts.length - 1)
    const pair = /** @type {[string, string]} */ ([parts[at], parts[at + 1]])
    const joined = pair[0] + pair[1].slice(prefix?.length ?? 0)
    if (SPECIAL.includes(joined) || merges.some(([a, b]) => a === pair[0] && b === pair[1])) continue
    merges.push(pair)
    if (!known.has(joined)) tokens.push(joined)
    known.add(joined)
  }
  const vocab = numbered([
    ...special,
    ...(isByte ? BYTES : []),
    ...tokens,
    ...(random.is(0.3) ? words.slice(0, 30) : []),
  ])
  const isPair = random.is() || merges.some(pair => pair.some(part => part.includes(' ')))
  return {
    special,
    model: {
      ...(random.is(0.9) && { type }),
      dropout: random.pick([null, null, 0]),
      unk_token: random.is(0.6) ? unknown : null,
      continuing_subword_prefix: prefix,
      end_of_word_suffix: suffix,
      fuse_unk: random.is(),
      byte_fallback: isByte,
      ...(random.is(0.7) && { ignore_merges: random.is(0.3) }),
      vocab,
      merges: isPair ? merges : merges.map(pair => pair.join(' ')),
    },
  }
}

/** Makes a random tokenizer.json. @param {Random} random @returns {any} */
export function randomFile(random) {
  const normal = normalizer(random)
  const drawn = JSON.stringify(preTokenizer(random))
  // With a normalizer, prepend_scheme "first" mostly becomes "never", because published files with "first" have no normalizer.
  const pre = JSON.parse(normal && random.is(0.8) ? drawn.replaceAll('"first"', '"never"') : drawn)
  const isBytes = JSON.stringify([pre, normal]).includes('ByteLevel')
  const { special, model: own } = model(random, isBytes)
  const size = Array.isArray(own.vocab) ? own.vocab.length : Object.keys(own.vocab).length
  const flags = (/** @type {boolean} */ isSpecial) => ({
    single_word: random.is(0.2),
    lstrip: random.is(0.2),
    rstrip: random.is(0.2),
    normalized: random.is(isSpecial ? 0.1 : 0.6),
    special: isSpecial,
  })
  const listed = special
    .filter(() => random.is(0.8))
    .map(content => ({ id: special.indexOf(content), content, ...flags(true) }))
  const others = ADDED.filter(() => random.is(0.15))
  let next = size
  const more = others.map(content => {
    const old = Array.isArray(own.vocab)
      ? own.vocab.findIndex(([piece]) => piece === content)
      : (own.vocab[content] ?? -1)
    return { id: old >= 0 ? old : next++, content, ...flags(random.is(0.2)) }
  })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [...listed, ...more],
    normalizer: normal,
    pre_tokenizer: pre,
    post_processor: postProcessor(random, Object.fromEntries(special.map((token, id) => [token, id]))),
    decoder: decoder(random),
    model: own,
  }
}

/**
 * Gives a random file rare settings: no unknown token of Unigram, an unknown token of BPE that a text may contain, decoders that replace empty texts.
 * Draws from a separate random stream, so that each seed still makes the same file.
 * @param {any} json
 * @param {Random} random
 */
export function withRareSettings(json, random) {
  const { model } = json
  if ('unk_id' in model && random.is(0.2)) model.unk_id = null
  if (model.merges && model.unk_token && random.is(0.3)) {
    const parts = new Set(
      model.merges.flatMap((/** @type {any} */ merge) => (Array.isArray(merge) ? merge : merge.split(' '))),
    )
    model.unk_token = random.pick(Object.keys(model.vocab).filter(token => !parts.has(token)))
  }
  for (const one of json.decoder?.decoders ?? [json.decoder ?? {}]) {
    if (one.type === 'BPEDecoder' && random.is(0.3)) one.suffix = ''
    if (one.type === 'CTC' && random.is(0.3)) one.word_delimiter_token = ''
  }
  return json
}

/** @param {Random} random @param {string[]} letters */
function smallModel(random, letters) {
  const some = () => several(random, 4, () => random.pick(letters)).join('')
  const type = random.pick(['BPE', 'BPE', 'BPE', 'Unigram', 'WordPiece'])
  if (type === 'Unigram') {
    const vocab = several(random, 17, () => [random.is(0.3) ? random.pick(letters) : some(), -random.below(40) / 4])
    return { type, vocab, unk_id: random.pick([null, 0, random.below(vocab.length)]) }
  }
  if (type === 'WordPiece') {
    const prefix = random.pick(['##', '', 'a'])
    const inner = letters.map(letter => prefix + letter).filter(() => random.is(0.7))
    const tokens = [...new Set(['<u>', ...letters, ...inner, some(), some(), prefix + some()])]
    return {
      type,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      unk_token: random.pick(['<u>', random.pick(tokens)]),
      continuing_subword_prefix: prefix,
      max_input_chars_per_word: 1 + random.below(12),
    }
  }
  const suffix = random.is(0.3) ? '</w>' : null
  const ends = suffix ? letters.map(letter => letter + suffix).filter(() => random.is(0.7)) : []
  const pieces = new Set([...letters, ...ends])
  const merges = several(random, 25, () => {
    const pair = [random.pick([...pieces]), random.pick([...pieces])]
    pieces.add(pair.join(''))
    return pair
  })
  const isByte = random.is(0.2)
  const rest = [...(isByte ? BYTES : []), ...(random.is() ? ['<u>'] : []), ...(random.is(0.3) ? [some()] : [])]
  const tokens = [...new Set([...pieces, ...rest])]
  const hole = random.below(tokens.length) // leaves out the ids hole ... hole + 2
  return {
    type,
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id < hole ? id : id + 3])),
    merges: random.is() ? merges : merges.map(pair => pair.join(' ')),
    unk_token: random.pick([null, '<u>', random.pick(tokens)]),
    fuse_unk: random.is(),
    byte_fallback: isByte,
    end_of_word_suffix: suffix,
    ignore_merges: random.is(0.3),
  }
}

/**
 * Makes a file with a model of few letters, in which rare cases are frequent, and texts of these letters.
 * @param {Random} random
 * @returns {{ json: any, texts: string[] }}
 */
export function smallFile(random) {
  const letters = ['a', 'b', ...['c', '<', 'u', '>', 'é', '😀', '▁', '0', '</w>'].filter(() => random.is(0.7))]
  const cleanup = random.is()
  const decoder = random.pick([
    null,
    { type: 'BPEDecoder', suffix: random.pick(['</w>', '', 'a', '😀']) },
    { type: 'CTC', pad_token: random.pick(['a', '']), word_delimiter_token: random.pick(['', 'b', '😀']), cleanup },
    { type: 'WordPiece', prefix: random.pick(['##', '', 'a']), cleanup },
    { type: 'Fuse' },
    { type: 'ByteFallback' },
  ])
  const json = {
    version: '1.0',
    added_tokens: [],
    normalizer: random.pick([null, null, { type: 'Lowercase' }]),
    pre_tokenizer: random.pick([null, null, { type: 'WhitespaceSplit' }]),
    post_processor: null,
    decoder,
    model: smallModel(random, letters),
  }
  const part = () => (random.is(0.85) ? random.pick(letters) : random.pick([' ', 'z', '?', '<u>', '漢', '\u0000']))
  return { json, texts: Array.from({ length: 14 }, () => several(random, 9, part).join('')) }
}

/** Joins random parts of TEXTS. @param {Random} random */
export const randomText = random =>
  Array.from({ length: 1 + random.below(8) }, () => {
    const characters = Array.from(random.pick(TEXTS))
    const from = random.below(characters.length)
    return characters.slice(from, from + random.below(25)).join('')
  }).join(random.pick(['', ' ', '\n']))

const ATOMS =
  "a b s k 1 \u0020 é - ' 你 \\. \\- \\n \\r \\t \\u00e9 \\x41 . \\s \\S \\d \\D \\p{L} \\p{N} \\P{L} \\p{Lu} \\p{M} \\p{P} \\p{Han} \\p{Zs}"
    .split(' ')
    .map(atom => atom || ' ')
const MEMBERS = 'a b-k 1 \\s \\p{L} ^ - \\- . | $ ( \\n [ab] é a-z \\d \\]'.split(' ')
const GROUPS = ['(', '(?:', '(?i:', '(?=', '(?!', '(?<=', '(?<!']
const QUANTIFIERS = '? * + {2} {1,2} {1,} {,2} ?? *? +? {1,2}? ?+ *+ ++ {2}? {2}+'.split(' ')

/** Calls a function a random number of times, at most `most`. @template T @param {Random} random @param {number} most @param {() => T} make */
const several = (random, most, make) => Array.from({ length: 1 + random.below(most) }, make)

/** Makes a random pattern; many are not valid. @param {Random} random @param {number} [depth] @returns {string} */
export function randomPattern(random, depth = 0) {
  const atom = () => {
    const kind = random.below(depth < 2 ? 3 : 2)
    if (kind === 0) return random.pick(ATOMS)
    if (kind === 1) return `[${random.pick(['', '^'])}${several(random, 3, () => random.pick(MEMBERS)).join('')}]`
    return `${random.pick(GROUPS)}${randomPattern(random, depth + 1)})`
  }
  const quantified = () => atom() + (random.is(0.6) ? '' : random.pick(QUANTIFIERS))
  return several(random, 2, () => several(random, 3 - depth, quantified).join('')).join('|')
}

const CHARACTERS = Array.from("abskSK\u017f\u212a1² \n\r\t\u0085\ufeff\u00a0.-^$é\u0301你ß'🍣_|İÅǆ")

/** Makes a short text of characters that patterns handle differently. @param {Random} random */
export const randomCharacters = random => several(random, 9, () => random.pick(CHARACTERS)).join('')
