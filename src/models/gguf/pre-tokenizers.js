// Rules that split a text before BPE merges its pieces, by the name in tokenizer.ggml.pre. They split as llama.cpp does, which sometimes
// differs from the published tokenizer.json: in llama.cpp, \p{Lu} and \p{Ll} match every letter beyond ASCII, \p{S} does not match ~, and
// contractions have only ASCII letters.
// https://github.com/ggml-org/llama.cpp/blob/master/src/llama-vocab.cpp, src/unicode.cpp

import { describe } from '../../base/errors.js'
import { INSTEAD } from './vocabulary.js'

/**
 * @typedef {object} Rule
 * @property {readonly string[]} patterns applied in turn, each to the pieces of the previous one; a match becomes a separate piece
 * @property {boolean} [isWhole] True if a piece that is in the vocabulary is not merged
 * @property {boolean} [hasStart] True if a text begins with the start token unless tokenizer.ggml.add_bos_token decides otherwise
 */

const [SPACE, NO_SPACE] = ['\\p{White_Space}', '\\P{White_Space}']
const CONTRACTION = "'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"
const WORD = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+'
const SIGNS = ` ?[^${SPACE}\\p{L}\\p{N}]+`
const SPACES = `${SPACE}+(?!${NO_SPACE})|${SPACE}+`
const LINES = `${SPACE}*[\\r\\n]+|${SPACES}`

const GPT2 = `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+|${SIGNS}|${SPACES}`
/** Returns GPT-4's pattern. @param {string} digits pattern that splits digits */
const gpt4 = (digits, word = WORD) => `${CONTRACTION}|${word}|${digits}|${SIGNS}[\\r\\n]*|${LINES}`

/** Patterns of an upper-case and of a lower-case letter: any letter except the ASCII letters of the other case. */
const [UPPER, LOWER] = ['[^a-z\\P{L}]', '[^A-Z\\P{L}]']
/** Returns the pattern of GPT-4o. @param {string} end what may follow a word @param {string} digits */
const gpt4o = (end, digits, upper = UPPER, lower = LOWER) =>
  `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+${end}|[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*${end}|${digits}|${SIGNS}[\\r\\n/]*|${LINES}`
const MARKED = (/** @type {string} */ letter) => `(?:${letter}|\\p{M})`

const ASCII_SIGNS = '[!-/:-@\\[-`{-~]'
/** \p{P} and \p{S} without ~. */
const MARKS = '[^~\\p{L}\\p{M}\\p{N}\\p{Z}\\p{C}]'
const DEEPSEEK3 = `${ASCII_SIGNS}[A-Za-z]+|(?:~|[^\\r\\n\\p{L}\\p{P}\\p{S}])?[\\p{L}\\p{M}]+| ?${MARKS}+[\\r\\n]*|${LINES}`
const EAST_ASIAN = `(?:(?!${SPACE})[\\u4e00-\\u9fa5\\u0800-\\u4e00\\uac00-\\ud7ff])+`
/** Pattern of a cased letter outside of newer scripts. */
const CASED =
  '(?![\\u0560-\\u0588\\u10c7-\\u10ff\\u1c80-\\u1c8a\\u2d00-\\u2d2d\\ua790-\\ua7fa\\uab30-\\uab68\\u{10570}-\\u{105bc}\\u{10d50}-\\u{10d85}\\u{16e40}-\\u{16ed3}\\u{1d400}-\\u{1d7cb}\\u{1df00}-\\u{1df2a}])[\\p{Lu}\\p{Ll}\\p{Lt}\\u0295]'
const BLOOM = ` ?[^(${SPACE}|.,!?)\\u2026\\u3002\\uff0c\\u3001\\u0964\\u06d4\\u060c]+`
const FALCON = ['[\\p{P}$+<=>^~|`]+', GPT2, '[0-9][0-9][0-9]']

/** Rules with their names in llama.cpp, separated by spaces. @type {readonly (readonly [names: string, rule: Rule])[]} */
const RULES = [
  ['default', { patterns: ['[\\p{P}$+<=>^~|]+', GPT2, '\\p{N}+', '[0-9][0-9][0-9]'] }],
  [
    'llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano',
    { patterns: [gpt4('\\p{N}{1,3}')], isWhole: true, hasStart: true },
  ],
  ['dbrx smaug-bpe glm4 chatglm-bpe', { patterns: [gpt4('\\p{N}{1,3}')] }],
  ['minicpm5', { patterns: ['\\p{N}{1,3}', gpt4('\\p{N}+')], isWhole: true }],
  ['qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 megrez hunyuan solar-open grok-2', { patterns: [gpt4('\\p{N}')] }],
  [
    'qwen35',
    {
      patterns: [
        `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^${SPACE}\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${LINES}`,
      ],
    },
  ],
  [
    'bailingmoe bailingmoe2 llada-moe',
    { patterns: [gpt4('\\p{N}').replace(`${SPACE}*[\\r\\n]+`, `${SPACE}*[\\r\\n]`)] },
  ],
  ['seed-coder', { patterns: [`${CONTRACTION}|${WORD}|\\p{N}| ?[^${SPACE}\\p{L}\\p{N}\\r\\n]+|${LINES}`] }],
  ['ufakzeka', { patterns: [`${WORD}|\\p{N}|${SIGNS}[\\r\\n]*|${LINES}`] }],
  [
    'exaone-moe',
    {
      patterns: [
        `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}|${SIGNS}[\\r\\n/]?|${SPACE}*[\\r\\n]|${SPACES}`,
      ],
    },
  ],
  ['tekken', { patterns: [gpt4o('', '\\p{N}')], isWhole: true, hasStart: true }],
  ['gpt-4o llama4 kanana2 talkie minimax-m2', { patterns: [gpt4o(`(?:${CONTRACTION})?`, '\\p{N}{1,3}')] }],
  [
    'granite-embed-multi-97m',
    { patterns: [gpt4o(`(?:${CONTRACTION})?`, '\\p{N}{1,3}', MARKED(UPPER), MARKED(LOWER))], isWhole: true },
  ],
  [
    'gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe gigachat a.x-4.0 mellum modern-bert exaone4 mpt olmo jais trillion granite-docling',
    { patterns: [GPT2] },
  ],
  ['starcoder refact command-r smollm codeshell exaone minerva-7b mellum2', { patterns: ['\\p{N}', GPT2] }],
  ['falcon', { patterns: FALCON }],
  ['superbpe', { patterns: ['\\p{N}+', '(?=(?:[0-9]{3})+(?![0-9]))'] }],
  ['bloom poro-chat gpt3-finnish', { patterns: [BLOOM] }],
  ['viking', { patterns: [BLOOM, '\\p{N}'] }],
  [
    'deepseek-llm',
    {
      patterns: [
        '[\\r\\n]',
        `${SPACE}?(?:${CASED})+`,
        `${SPACE}?[!-/:-~\\uff01-\\uff0f\\uff1a-\\uff5e\\u2018-\\u201f\\u3001\\u3002]+`,
        `${SPACE}+$`,
        EAST_ASIAN,
        '\\p{N}+',
      ],
    },
  ],
  ['deepseek-coder', { patterns: ['[\\r\\n]', `${SPACE}?\\p{L}+`, `${SPACE}?\\p{P}+`, EAST_ASIAN, '\\p{N}'] }],
  [
    'deepseek-v3 hunyuan-dense joyai-llm hy_v4',
    { patterns: ['\\p{N}{1,3}', '[\\u4e00-\\u9fa5\\u3040-\\u30ff]+', DEEPSEEK3] },
  ],
]

/**
 * Returns the rule of a pre-tokenizer.
 * @param {unknown} name tokenizer.ggml.pre; undefined in old files
 * @returns {Rule}
 */
export function ruleOf(name) {
  const found = RULES.find(([names]) => names.split(' ').includes(String(name ?? 'default')))
  if (found && !/\s/.test(String(name))) return found[1]
  throw new RangeError(
    `tokenizer.ggml.pre: ${describe(name)} is not covered; covered: ${RULES.map(([names]) => names.replaceAll(' ', ', ')).join(', ')}. ${INSTEAD}`,
  )
}

/** Returns the pre-tokenizer of a rule, in the format of tokenizer.json. @param {Rule} rule */
export const preTokenizerOf = ({ patterns }) => ({
  type: 'Sequence',
  pretokenizers: [
    ...patterns.map(pattern => ({
      type: 'Split',
      pattern: new RegExp(pattern, 'gu'),
      behavior: 'Isolated',
      invert: false,
    })),
    { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
  ],
})
