// Reads the files next to tokenizer.json: tokenizer_config.json, and in older folders special_tokens_map.json and added_tokens.json.
// Follows transformers 5. https://github.com/huggingface/transformers: tokenization_utils_base.py, tokenization_utils_tokenizers.py

import { present } from '../../base/present.js'
import { refuse } from './refuse.js'

/** @import { AddedToken } from './added-tokens.js' */
/** @import { TokenizerConfig } from '../jinja/chat.js' */
/** @import { TokenizerJson } from './read-tokenizer.js' */

const FILE = 'tokenizer_config.json'
/** Keys of special tokens. */
const SPECIAL = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token']
/** Tokenizers that transformers implements only in Python: they split texts by other programs, or by rules that no file contains. */
const PYTHON =
  /^(BertJapanese|Bertweet|BioGpt|Blenderbot90M|BlenderbotSmall|ByT5|Canine|CLVP|Cpm|CpmAnt|CTRL|Esm|FastSpeech2\w+|Flaubert|FSMT|GPTSw3|Herbert90M|Jukebox|Luke|MLuke|Mecab|Mgpstr|Perceiver|Phobert|ProphetNet|Rag|RoCBert|RoFormer|SpeechT5|Tapas|TransfoXL|VITS|Vits|Wav2Vec2\w*|XLM|XLMProphetNet)Tokenizer$/
/**
 * Classes for which tokenizer_config.json, or else the default of the class, overrides tokenizer.json. For BERT it overrides BertNormalizer,
 * for BYTES the add_prefix_space of ByteLevel.
 */
const [BERT, BYTES] = [
  /^(Bert|DistilBert|Electra|MPNet|MobileBert|ConvBert|SqueezeBert|LayoutLM|Lxmert|Funnel|DPR\w+)Tokenizer(Fast)?$/,
  /^(GPT2|Roberta|Bart|Longformer|LED|Blenderbot|CodeGen|Deberta|Mvp|GPTNeoX)Tokenizer(Fast)?$/,
]

/** The class to assume by model_type, if no file sets one. Lists only classes that BERT or BYTES matches. @type {Record<string, string>} */
const USUAL = {
  ...Object.fromEntries(['bert', 'distilbert', 'electra', 'nomic_bert'].map(type => [type, 'BertTokenizer'])),
  mpnet: 'MPNetTokenizer',
  ...Object.fromEntries(
    ['gpt2', 'gpt_neo', 'gptj', 'codegen', 'opt', 'phi', 'starcoder2'].map(type => [type, 'GPT2Tokenizer']),
  ),
  ...Object.fromEntries(['gpt_neox', 'mpt'].map(type => [type, 'GPTNeoXTokenizer'])),
  ...Object.fromEntries(['roberta', 'bart'].map(type => [type, 'RobertaTokenizer'])),
}

/** Returns the text of a token, which may be an object with flags. @param {unknown} given @returns {string | undefined} */
export const textOf = given => (typeof given === 'string' ? given : Object(given).content)

/**
 * Reads tokenizer_config.json, and in older folders the other two files.
 * @param {import('../source/source.js').Folder} folder
 * @param {typeof import('../source/source.js').readJSON} readJSON
 * @param {{ type?: string, named?: unknown }} model type: the model_type; named: tokenizer_class of config.json, used if
 *   tokenizer_config.json sets none
 * @returns {Promise<{ config: TokenizerConfig, added: (AddedToken & { id: number })[] }>} added: tokens that tokenizer.json may lack
 */
export async function readConfig(folder, readJSON, { type = '', named }) {
  const read = async (/** @type {string} */ name) => {
    const file = await folder.open(name)
    return file && Object(await readJSON(file, name))
  }
  const own = await read(FILE)
  /** @type {Record<string, any>} */
  const config = { ...own, tokenizer_class: own?.tokenizer_class ?? named ?? USUAL[type] }
  check(config)
  const listed = config.added_tokens_decoder
  if (listed) {
    const added = Object.entries(listed).map(([id, token]) => ({ ...token, id: Number(id) }))
    return { config, added: added.sort((a, b) => a.id - b.id) }
  }
  Object.assign(config, await read('special_tokens_map.json'))
  const special = specialOf(config).map(textOf)
  const more = Object.entries((await read('added_tokens.json')) ?? {}).map(([content, id]) => ({
    id: Number(id),
    content,
    special: special.includes(content),
  }))
  return { config, added: more.sort((a, b) => a.id - b.id) }
}

/** Throws for unsupported settings. @param {TokenizerConfig} config */
function check(config) {
  const { tokenizer_class: name, auto_map: map, split_special_tokens: isSplit, word_tokenizer_type: words } = config
  const own = String(name ?? '')
  if (PYTHON.test(own) || words === 'mecab')
    throw refuse(`${FILE}: tokenizer_class`, `${own}, which transformers has in Python alone,`)
  const code = Array.isArray(map) ? map : Object(map).AutoTokenizer
  if (code && !(Array.isArray(code) && code[1]))
    throw refuse(`${FILE}: auto_map`, `a tokenizer of the folder's own Python code`)
  if (isSplit) throw refuse(`${FILE}: split_special_tokens`, 'true')
  for (const key of ['additional_special_tokens', 'extra_special_tokens'])
    if (typeof config[key] === 'string') throw refuse(`${FILE}: ${key}`, 'a text in place of a list')
}

/** True if the tokenizer class reads vocab.txt. @param {TokenizerConfig} config */
export const isOfWords = ({ tokenizer_class: name }) => name === undefined || name === null || BERT.test(String(name))

/**
 * Returns a copy of a config. Settings that it lacks are taken from tokenizer.json or from an older key, as in transformers.
 * @param {TokenizerConfig} config
 * @param {TokenizerJson} json
 * @returns {TokenizerConfig}
 */
export function withDefaults(config, { truncation, padding, model, added_tokens: added }) {
  const { fix_mistral_regex: isFixed, max_len: most } = config
  const size = [Object(model).vocab, added].reduce((sum, list) => sum + Object.keys(Object(list)).length, 0)
  if (isFixed === true && size > 100000) throw refuse(`${FILE}: fix_mistral_regex`, 'true')
  const sideOf = (/** @type {unknown} */ part) => {
    const { direction } = Object(part)
    return typeof direction === 'string' ? direction.toLowerCase() : undefined
  }
  return {
    ...config,
    truncation_side: config.truncation_side ?? sideOf(truncation),
    padding_side: config.padding_side ?? sideOf(padding),
    model_max_length: 'model_max_length' in config ? config.model_max_length : most,
  }
}

/** Returns the special tokens that a config names. @param {TokenizerConfig} config @returns {unknown[]} */
function specialOf(config) {
  const keys = Object.keys(config).filter(
    key => SPECIAL.includes(key) || (key.endsWith('_token') && textOf(config[key])),
  )
  const { additional_special_tokens: more, extra_special_tokens: extra } = config
  const lists = [more, extra].flatMap(list => (Array.isArray(list) ? list : Object.values(Object(list))))
  return [...keys.map(key => config[key]), ...lists].filter(token => textOf(token))
}

/**
 * Returns a copy of tokenizer.json in which the settings of a config replace those that its class overrides.
 * @param {TokenizerJson} json
 * @param {TokenizerConfig} config
 */
export function configured(json, config) {
  const name = String(config.tokenizer_class ?? '')
  const changed = { ...json }
  const [normalizer, split] = [Object(json.normalizer), Object(json.pre_tokenizer)]
  if (normalizer.type === 'BertNormalizer' && BERT.test(name))
    changed.normalizer = {
      ...normalizer,
      lowercase: config.do_lower_case ?? true,
      strip_accents: config.strip_accents ?? null,
      handle_chinese_chars: config.tokenize_chinese_chars ?? true,
    }
  if (split.type === 'ByteLevel' && BYTES.test(name)) {
    const add_prefix_space = config.add_prefix_space ?? name.startsWith('Blenderbot')
    changed.pre_tokenizer = { ...split, add_prefix_space }
  }
  return changed
}

/**
 * Adds the tokens of a config to the reader. Returns the template of the reader, or a new one if the config has add_bos_token or
 * add_eos_token.
 * @param {Awaited<ReturnType<typeof import('./read-tokenizer.js').readTokenizer>>} reader
 * @param {TokenizerConfig} config
 * @param {AddedToken[]} added
 */
export function extend(reader, config, added) {
  const named = specialOf(config).map(token => {
    const content = present(textOf(token))
    const own = added.find(one => one.content === content) ?? reader.added.byId.get(reader.added.ids.get(content) ?? -1)
    return { normalized: false, ...(typeof token === 'object' && token), ...own, content, special: true }
  })
  reader.added.add([...added, ...named])
  // add_bos_token and add_eos_token work as in transformers 4. Version 5 ignores them if there is a tokenizer.json.
  if (!('add_bos_token' in config || 'add_eos_token' in config)) return reader.template
  const mark = (/** @type {'bos' | 'eos'} */ key) => {
    const token = textOf(config[`${key}_token`])
    return config[`add_${key}_token`] && token !== undefined ? [/** @type {number} */ (reader.idOf(token))] : []
  }
  const [bos, eos] = [mark('bos'), mark('eos')]
  /** @type {(text: 0 | 1) => import('./post-processors.js').Slot[]} */
  const around = text => [
    { ids: bos, type: text },
    { text, type: text },
    { ids: eos, type: text },
  ]
  return { single: around(0), pair: [...around(0), ...around(1)] }
}
