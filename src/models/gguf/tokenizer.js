// Opens the tokenizer of a GGUF file. Converts its metadata to the parts of a tokenizer.json, by the rules of llama.cpp; the readers in
// ../tokenizers run them. What tokenizer.json cannot express becomes a function or a regular expression among the parts.
// https://github.com/ggml-org/llama.cpp/blob/master/src/llama-vocab.cpp

import { describe } from '../../base/errors.js'
import { nameOf } from '../tokenizers/bytes.js'
import { decoderOf } from '../tokenizers/decoders.js'
import { openParts } from '../tokenizers/open-files.js'
import { sectionsOf } from './sections.js'
import { INSTEAD, Vocabulary } from './vocabulary.js'

/** @import { GgufMetadata } from './read-gguf.js' */

const SPACE = '\u2581'

/**
 * What differs between kinds of vocabularies.
 * @typedef {object} Kind
 * @property {Partial<Record<import('./vocabulary.js').Role, number>>} ids default ids of special tokens
 * @property {boolean} hasStart True if a text begins with the start token by default
 * @property {boolean} hasEnd True if a text ends with the end token by default
 * @property {(vocabulary: Vocabulary) => Promise<object & { isStarted?: boolean }>} parts makes the parts of tokenizer.json; isStarted
 *   overrides hasStart for this file
 */

/** Kinds of vocabularies by tokenizer.ggml.model. @type {Record<string, Kind>} */
const KINDS = {
  llama: { ids: { bos: 1, eos: 2, unknown: 0 }, hasStart: true, hasEnd: false, parts: pairsByScore },
  gpt2: { ids: { bos: 11, eos: 11 }, hasStart: false, hasEnd: false, parts: pairsByRank },
  bert: {
    ids: { bos: 101, unknown: 100, seperator: 102, padding: 0, mask: 103 },
    hasStart: true,
    hasEnd: false,
    parts: async vocabulary => (await import('./wordpiece.js')).wordPiece(vocabulary),
  },
  t5: {
    ids: { eos: 1, unknown: 2, padding: 0 },
    hasStart: false,
    hasEnd: true,
    parts: async vocabulary => (await import('./unigram.js')).unigram(vocabulary, decoder),
  },
}

/**
 * Opens the tokenizer.
 * @param {GgufMetadata} metadata
 * @param {import('../tokenizers/tokenizer.js').TokenizerClass} [Class] class Tokenizer of `@huggingface/tokenizers`; default: imported
 * @returns {Promise<import('../tokenizers/tokenizer.js').TextReader>}
 */
export async function openMetadata(metadata, Class) {
  const { json, config } = await tokenizerOf(metadata)
  return openParts(json, config, Class)
}

/**
 * Converts the metadata to the contents of tokenizer.json and tokenizer_config.json.
 * @param {GgufMetadata} metadata
 */
export async function tokenizerOf(metadata) {
  const model = metadata.get('tokenizer.ggml.model')
  if (typeof model !== 'string' || !Object.hasOwn(KINDS, model))
    throw new RangeError(
      `tokenizer.ggml.model: ${describe(model)} is not covered; covered: ${Object.keys(KINDS).join(', ')}. ${INSTEAD}`,
    )
  const kind = KINDS[model]
  const vocabulary = new Vocabulary(metadata, kind.ids)
  const parts = await kind.parts(vocabulary)
  const { isStarted = kind.hasStart, ...json } = parts
  const added = vocabulary.added()
  return {
    json: {
      added_tokens: added,
      sections: sectionsOf(added),
      post_processor: around(vocabulary, isStarted, kind.hasEnd, model === 'bert'),
      ...json,
    },
    config: vocabulary.config(),
  }
}

/**
 * Returns a template that adds special tokens at the start and the end of texts.
 * @param {Vocabulary} vocabulary
 * @param {boolean} hasStart
 * @param {boolean} hasEnd
 * @param {boolean} isAlways True to add start and end regardless of the file
 */
function around(vocabulary, hasStart, hasEnd, isAlways) {
  const starts = isAlways || vocabulary.flag('add_bos_token', hasStart)
  const ends = isAlways || vocabulary.flag('add_eos_token', hasEnd)
  const mark = (/** @type {boolean} */ is, /** @type {import('./vocabulary.js').Role} */ role, type_id = 0) =>
    is ? [{ SpecialToken: { id: vocabulary.needed(role), type_id } }] : []
  const part = (/** @type {string} */ id, type_id = 0) => ({ Sequence: { id, type_id } })
  const last = isAlways ? 'seperator' : 'eos'
  const single = [...mark(starts, 'bos'), part('A'), ...mark(ends, last)]
  const isEncoder = !isAlways && vocabulary.id('seperator') !== undefined && starts && ends
  const pair = isAlways
    ? [...single, part('B', 1), ...mark(true, last, 1)]
    : [...single, ...(isEncoder ? mark(true, 'seperator') : mark(starts, 'bos')), part('B'), ...mark(ends, last)]
  const ids = [...single, ...pair].flatMap(slot => ('SpecialToken' in slot ? slot.SpecialToken.id : []))
  return {
    type: 'TemplateProcessing',
    single,
    pair,
    special_tokens: Object.fromEntries(ids.map(id => [id, { ids: [vocabulary.ids.get(id)] }])),
  }
}

/**
 * Returns a decoder that does not change the tokens of `vocabulary.added()`.
 * @param {Vocabulary} vocabulary
 * @param {object[]} decoders of tokenizer.json
 * @param {boolean} [isTrimmed] True to drop the space at the start
 */
export function decoder(vocabulary, decoders, isTrimmed = false) {
  const json = { type: 'Sequence', decoders }
  const decode = decoderOf(json)
  const own = new Set(vocabulary.added().map(({ content }) => content))
  return Object.assign(
    (/** @type {string[]} */ tokens) => {
      let out = ''
      for (let from = 0; from < tokens.length; ) {
        let to = from
        while (to < tokens.length && !own.has(tokens[to])) to++
        out += decode(tokens.slice(from, to)).join('')
        if (to < tokens.length) out += tokens[to]
        from = to + 1
      }
      return [isTrimmed && out.startsWith(' ') ? out.slice(1) : out]
    },
    { toJSON: () => json },
  )
}

/**
 * Returns a SentencePiece BPE model: of all adjacent pieces that form a token together, those with the best score are merged first.
 * @param {Vocabulary} vocabulary
 */
async function pairsByScore(vocabulary) {
  const { tokens } = vocabulary
  const scores = vocabulary.scores()
  const order = [...new Set(scores)].sort((a, b) => b - a)
  const rankOfScore = new Map(order.map((score, rank) => [score, rank]))
  const ranks = new Map(tokens.map((token, id) => [token, rankOfScore.get(scores[id])]))
  for (let byte = 0; byte < 256; byte++)
    if (!ranks.has(nameOf(byte))) throw vocabulary.refuse('tokens', `a vocabulary without the byte ${nameOf(byte)}`)
  const hasPrefix = vocabulary.flag('add_space_prefix', true)
  const space = { type: 'Replace', pattern: { String: ' ' }, content: SPACE }
  return {
    normalizer: { type: 'Sequence', normalizers: [...(hasPrefix ? [{ type: 'Prepend', prepend: ' ' }] : []), space] },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(vocabulary.ids),
      merges: [],
      byte_fallback: true,
      rankOf: (/** @type {string} */ left, /** @type {string} */ right) => ranks.get(left + right),
    },
    decoder: decoder(
      vocabulary,
      [{ type: 'Replace', pattern: { String: SPACE }, content: ' ' }, { type: 'ByteFallback' }],
      hasPrefix,
    ),
  }
}

/**
 * Returns a BPE model that merges the pair of lowest rank first, as in GPT-2.
 * @param {Vocabulary} vocabulary
 */
async function pairsByRank(vocabulary) {
  const { preTokenizerOf, ruleOf } = await import('./pre-tokenizers.js')
  const rule = ruleOf(vocabulary.get('pre'))
  const { ids } = vocabulary
  /** @type {Map<string, [string, string]>} */
  const merges = new Map()
  for (const merge of vocabulary.texts('merges')) {
    const at = merge.indexOf(' ', 1)
    /** @type {[string, string]} */
    const pair = [merge.slice(0, at), merge.slice(at + 1)]
    if (at < 0 || !ids.has(pair.join('')))
      throw vocabulary.refuse('merges', `${describe(merge)}, whose result is no token,`)
    if (!merges.has(merge)) merges.set(merge, pair)
  }
  return {
    isStarted: rule.hasStart,
    pre_tokenizer: preTokenizerOf(rule),
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(vocabulary.ids),
      merges: [...merges.values()],
      ignore_merges: rule.isWhole === true,
      drops_late: true,
    },
    decoder: decoder(vocabulary, [{ type: 'ByteLevel', add_prefix_space: true }]),
  }
}
