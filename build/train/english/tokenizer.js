// node tokenizer.js train OUT.json SIZE TEXT... : trains the tokenizer
// node tokenizer.js encode TOKENIZER.json TEXT OUT.bin : writes 16-bit ids, each text of TEXT begins with <s>
// Needs the Rust library: npm install --no-save tokenizers@0.23.2

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { BPE, Tokenizer, byteLevelAlphabet, byteLevelPreTokenizer } = createRequire(pathToFileURL(`${process.cwd()}/`))(
  'tokenizers',
)
const START = '<s>'

/**
 * Trains a tokenizer. Every byte is a token, so no text has an unknown token. The library's trainer has no option for the size of the
 * vocabulary. But its merges are in the order of training, so keeping only the first ones gives a vocabulary of `size` tokens.
 * @param {string} out
 * @param {number} size
 * @param {string[]} texts
 */
function train(out, size, texts) {
  const tokenizer = new Tokenizer(BPE.empty())
  tokenizer.setPreTokenizer(byteLevelPreTokenizer(false))
  tokenizer.train(texts)
  tokenizer.save(out)
  const { merges } = JSON.parse(readFileSync(out, 'utf8')).model
  const alphabet = byteLevelAlphabet().sort()
  const kept = merges.slice(0, size - alphabet.length - 1)
  const tokens = [
    START,
    ...alphabet,
    ...kept.map((/** @type {string | string[]} */ merge) =>
      Array.isArray(merge) ? merge.join('') : merge.replace(' ', ''),
    ),
  ]
  const unique = [...new Set(tokens)]
  const sequence = (/** @type {string} */ id) => ({ Sequence: { id, type_id: 0 } })
  const begin = { SpecialToken: { id: START, type_id: 0 } }
  const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      { id: 0, content: START, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ],
    normalizer: null,
    pre_tokenizer: level,
    post_processor: {
      type: 'TemplateProcessing',
      single: [begin, sequence('A')],
      pair: [begin, sequence('A'), sequence('B')],
      special_tokens: { [START]: { id: START, ids: [0], tokens: [START] } },
    },
    decoder: level,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(unique.map((token, id) => [token, id])),
      merges: kept,
    },
  }
  writeFileSync(out, JSON.stringify(json))
  console.log(`${unique.length} tokens, ${kept.length} merges`)
}

/** @param {string} file @param {string} text @param {string} out */
async function encode(file, text, out) {
  const tokenizer = Tokenizer.fromString(readFileSync(file, 'utf8'))
  const texts = readFileSync(text, 'utf8').split('\n<s>\n').filter(Boolean)
  const parts = []
  for (let n = 0; n < texts.length; n += 5000)
    for (const encoding of await tokenizer.encodeBatch(texts.slice(n, n + 5000)))
      parts.push(Uint16Array.from(encoding.getIds()))
  const bytes = Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer)))
  writeFileSync(out, bytes)
  console.log(`${text}: ${texts.length} texts, ${bytes.length / 2} tokens`)
}

const [command, ...args] = process.argv.slice(2)
if (command === 'train') train(args[0], Number(args[1]), args.slice(2))
else await encode(args[0], args[1], args[2])
