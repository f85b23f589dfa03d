// Makes random vocabularies of GGUF files, of all covered kinds, and texts for them.

import { readFileSync } from 'node:fs'
import { TEXTS } from '../tokenizers/random-files.js'

/** @typedef {ReturnType<typeof import('../tokenizers/random-files.js').randomOf>} Random */
/** @typedef {{ token: string, score: number, type: number }} Token */
/** @typedef {[string, import('./write-gguf.js').Value][]} Metadata */

const [NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE] = [1, 2, 3, 4, 5, 6]
const SPACE = '\u2581'

/** Names of tokenizer.ggml.pre, one for each rule. */
export const PRES =
  'default llama-bpe dbrx minicpm5 qwen2 qwen35 bailingmoe seed-coder ufakzeka exaone-moe tekken gpt-4o granite-embed-multi-97m gpt-2 starcoder falcon superbpe bloom viking deepseek-llm deepseek-coder deepseek-v3'.split(
    ' ',
  )

const charsmap = () => {
  const { precompiled_charsmap: map } = JSON.parse(
    readFileSync(new URL('../tokenizers/charsmap.json', import.meta.url), 'utf8'),
  )
  return new Uint8Array(Buffer.from(map, 'base64'))
}

/** The characters of byte-level vocabularies. */
const SHOWN = [...Array(256).keys()].filter(b => (b > 32 && b < 127) || (b > 160 && b !== 173))
const BYTES = (() => {
  let n = 256
  return [...Array(256).keys()].map(b => String.fromCharCode(SHOWN.includes(b) ? b : n++))
})()
const byteLevel = (/** @type {string} */ text) => Array.from(new TextEncoder().encode(text), b => BYTES[b]).join('')

/** @param {Random} random @param {readonly string[]} letters @param {number} most */
const word = (random, letters, most) =>
  Array.from({ length: 1 + random.below(most) }, () => random.pick(letters)).join('')

/** Adds special tokens that do not overlap each other. @param {Map<string, Token>} tokens @param {Random} random @param {boolean} hasUser */
function addSpecial(tokens, random, hasUser) {
  const names = [
    '<|a|>',
    '<|im_end|>',
    '<|bb|>',
    '<|channel|>',
    '<fim_prefix>',
    '{x}',
    ...(hasUser ? ['  ', '\n\n', '<|é|>'] : []),
  ]
  for (const token of names) {
    const type = random.pick([CONTROL, CONTROL, ...(hasUser ? [USER] : []), NORMAL])
    if (random.is(0.6)) tokens.set(token, { token, score: random.pick([0, -5]), type: hasUser ? type : CONTROL })
  }
}

/** Lists the merges that byte-pair encoding learns from texts. @param {readonly string[][]} texts @param {number} count */
function pairsOf(texts, count) {
  const words = texts.map(text => [...text])
  /** @type {[string, string][]} */
  const merges = []
  for (let n = 0; n < count; n++) {
    /** @type {Map<string, number>} */
    const counts = new Map()
    for (const symbols of words)
      for (let i = 0; i + 1 < symbols.length; i++) {
        const key = `${symbols[i]} ${symbols[i + 1]}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]
    const pair = /** @type {[string, string]} */ (best.split(' '))
    merges.push(pair)
    for (const symbols of words)
      for (let i = 0; i + 1 < symbols.length; i++)
        if (symbols[i] === pair[0] && symbols[i + 1] === pair[1]) symbols.splice(i, 2, pair.join(''))
  }
  return merges
}

/** @type {[string, string][] | undefined} */
let trained

/** @param {Map<string, Token>} tokens @returns {Metadata} */
const listOf = tokens => [
  ['tokenizer.ggml.tokens', [...tokens.keys()]],
  ['tokenizer.ggml.scores', { type: 'float32', value: [...tokens.values()].map(t => t.score) }],
  ['tokenizer.ggml.token_type', { type: 'int32', value: [...tokens.values()].map(t => t.type) }],
]

/** @param {Random} random @returns {{ metadata: Metadata, texts: string[] }} */
function spm(random) {
  /** @type {Map<string, Token>} */
  const tokens = new Map()
  const add = (/** @type {string} */ token, score = 0, type = NORMAL) =>
    tokens.has(token) || tokens.set(token, { token, score, type })
  add('<unk>', 0, UNKNOWN)
  add('<s>', 0, CONTROL)
  add('</s>', 0, CONTROL)
  for (let b = 0; b < 256; b++) add(`<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`, 0, BYTE)
  addSpecial(tokens, random, true)
  const isPhi = random.is(0.2)
  if (isPhi) add('<|endoftext|>', 0, CONTROL)
  const letters = ['a', 'b', 'a', 'c', SPACE, 'é', '你', '<', '0', 'x', '>', '😀'].slice(0, 2 + random.below(11))
  const isTied = random.is()
  const score = (/** @type {number} */ n) => (isTied ? -random.below(6) : -n)
  letters.forEach((letter, n) => {
    if (random.is(0.9)) add(letter, score(n), random.is(0.95) ? NORMAL : UNUSED)
  })
  for (let n = 0; n < 4 + random.below(60); n++)
    add(word(random, letters, 5), score(n), random.is(0.95) ? NORMAL : UNUSED)
  const texts = Array.from({ length: 30 }, () =>
    word(
      random,
      [
        ...letters.map(letter => (letter === SPACE ? ' ' : letter)),
        ' ',
        'q',
        random.pick(['<|a|>', '</s>', '<unk>', '{x}', '  ', 'й', '<0x41>']),
      ],
      40,
    ),
  )
  return {
    metadata: [
      ['general.architecture', 'llama'],
      ...(isPhi ? /** @type {Metadata} */ ([['general.name', 'my Phi-3']]) : []),
      ['tokenizer.ggml.model', 'llama'],
      ...listOf(tokens),
      ...(random.is() ? /** @type {Metadata} */ ([['tokenizer.ggml.add_space_prefix', random.is()]]) : []),
    ],
    texts,
  }
}

/** @param {Random} random @param {number} seed @returns {{ metadata: Metadata, texts: string[] }} */
function bpe(random, seed) {
  /** @type {Map<string, Token>} */
  const tokens = new Map()
  const add = (/** @type {string} */ token, type = NORMAL) =>
    tokens.has(token) || tokens.set(token, { token, score: 0, type })
  for (const byte of BYTES) if (random.is(0.999)) add(byte)
  trained ??= pairsOf(
    TEXTS.map(text => Array.from(byteLevel(text))),
    500,
  )
  const merges = trained.filter(() => random.is(0.97))
  for (const pair of merges) add(pair.join(''))
  addSpecial(tokens, random, true)
  return {
    metadata: [
      ['general.architecture', 'llama'],
      ['tokenizer.ggml.model', 'gpt2'],
      ['tokenizer.ggml.pre', PRES[seed % PRES.length]],
      ...listOf(tokens),
      ['tokenizer.ggml.merges', merges.map(pair => pair.join(' '))],
      ['tokenizer.ggml.bos_token_id', 0],
      ['tokenizer.ggml.eos_token_id', 1],
    ],
    texts: [...TEXTS, ...spm(random).texts.slice(0, 5), ...mixed(random)],
  }
}

/** Makes texts of characters of all kinds. @param {Random} random */
const mixed = random =>
  Array.from({ length: 12 }, () =>
    word(
      random,
      [
        ..." \t\n\r  aZbsSdM''’0129½Ⅷ.,!~~$+^_/-é\u0301\u093eǅÀΣяДकक你好日本ーガ한글ͅ😀🇩\u00a0\u3000\u2003\u0085\u200b、。！～‘…（।؟\u0378",
      ],
      30,
    ),
  )

/** @param {Random} random @returns {{ metadata: Metadata, texts: string[] }} */
function wpm(random) {
  /** @type {Map<string, Token>} */
  const tokens = new Map()
  const add = (/** @type {string} */ token, type = NORMAL) =>
    tokens.has(token) || tokens.set(token, { token, score: 0, type })
  for (const token of ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']) add(token, CONTROL)
  add('[unused1]')
  const texts = [...TEXTS, ...mixed(random), ...spm(random).texts.slice(0, 5), '\u200b[MASK]\u200b']
  const parts = TEXTS.join(' ')
    .toLowerCase()
    .normalize(random.is() ? 'NFD' : 'NFC')
  const characters = [...new Set(parts.replace(/[\p{C}\p{M}\s\u2581]/gu, ''))]
  for (const letter of characters) {
    if (random.is(0.9)) add(SPACE + letter)
    if (random.is(0.9)) add(letter)
  }
  for (let n = 0; n < 200; n++) {
    const from = random.below(parts.length)
    const part = parts.slice(from, from + 2 + random.below(6)).replace(/[\p{C}\s\u2581#]/gu, '')
    if (part && !/\p{Surrogate}/u.test(part)) add(random.is() ? SPACE + part : part)
  }
  const ids = [...tokens.keys()]
  /** @type {Metadata} */
  const flags = []
  if (random.is(0.4)) flags.push(['tokenizer.ggml.normalizer.lowercase', random.is()])
  if (random.is(0.4)) flags.push(['tokenizer.ggml.normalizer.strip_accents', random.is()])
  return {
    metadata: [
      ['general.architecture', 'bert'],
      ['tokenizer.ggml.model', 'bert'],
      ...listOf(tokens),
      ['tokenizer.ggml.bos_token_id', ids.indexOf('[CLS]')],
      ['tokenizer.ggml.unknown_token_id', ids.indexOf('[UNK]')],
      ['tokenizer.ggml.seperator_token_id', ids.indexOf('[SEP]')],
      ['tokenizer.ggml.padding_token_id', 0],
      ...flags,
    ],
    texts,
  }
}

/** @param {Random} random @returns {{ metadata: Metadata, texts: string[] }} */
function ugm(random) {
  /** @type {Map<string, Token>} */
  const tokens = new Map()
  const add = (/** @type {string} */ token, score = 0, type = NORMAL) =>
    tokens.has(token) || tokens.set(token, { token, score, type })
  add('<pad>', 0, CONTROL)
  add('</s>', 0, CONTROL)
  add('<unk>', 0, UNKNOWN)
  const score = () => -random.below(100) / 8
  if (random.is()) add('<sep>', 0, USER)
  if (random.is()) add('<extra_1>', 0, random.pick([CONTROL, UNUSED]))
  const parts = TEXTS.join(' ').replaceAll(' ', SPACE)
  for (const letter of new Set(parts)) if (random.is(0.8) && !/\p{Surrogate}/u.test(letter)) add(letter, score() - 4)
  for (let n = 0; n < 300; n++) {
    const from = random.below(parts.length)
    const part = parts.slice(from, from + 2 + random.below(5))
    if (!/[\p{Surrogate}\0]/u.test(part)) add(part, score(), random.is(0.97) ? NORMAL : UNUSED)
  }
  /** @type {Metadata} */
  const flags = []
  if (random.is()) flags.push(['tokenizer.ggml.add_space_prefix', random.is()])
  if (random.is()) flags.push(['tokenizer.ggml.remove_extra_whitespaces', random.is()])
  if (random.is()) flags.push(['tokenizer.ggml.precompiled_charsmap', { type: 'uint8', value: charsmap() }])
  return {
    metadata: [['general.architecture', 't5'], ['tokenizer.ggml.model', 't5'], ...listOf(tokens), ...flags],
    texts: [...TEXTS, ...mixed(random), ...spm(random).texts.slice(0, 5), 'a<sep> b<extra_1>c <se'],
  }
}

export const KINDS = { spm, bpe, wpm, ugm }
