// Opens the text part of a multimodal checkpoint: its config is text_config, and its tensor names have a prefix. Loaded for configs with a
// text_config.

import { describe } from '../../base/errors.js'
import { FAMILIES } from '../families/index.js'

/** @import { StoredTensor } from '../weights/safetensors.js' */

/** model_types of multimodal models whose text part, without images, computes what the family of its model_type computes. */
const COVERED = [
  'gemma3',
  'mistral3',
  'llava',
  'llava_next',
  'llava_onevision',
  'idefics3',
  'smolvlm',
  'internvl',
  'aya_vision',
]

/** Prefixes of the text part's tensor names in published files, and their replacements. @type {[RegExp, string][]} */
const PREFIXES = [
  [/^(model\.)?(language_model|text_model)\.lm_head\./, 'lm_head.'],
  [/^language_model\.model\./, 'model.'],
  [/^model\.(language_model|text_model)\./, 'model.'],
]
const OTHER_PARTS = '^(model\\.)?(vision\\w*|visual|multi_modal_projector|connector|image_newline|patch_merger)\\b'

/**
 * Returns the config of the text part. The ids that begin and end a text are taken first from the outer config, as in transformers'
 * GenerationConfig.from_model_config. The outer pad_token_id, tie_word_embeddings and quantization_config are used if text_config has none.
 * @param {Record<string, unknown>} whole
 * @returns {Record<string, unknown>}
 */
export function textConfig(whole) {
  const { model_type: type, text_config: text } = whole
  const part = Object(text)
  if (!COVERED.includes(String(type)) || !Object.hasOwn(FAMILIES, String(part.model_type)))
    throw new RangeError(
      `config.json: model_type ${describe(type)} with text_config.model_type ${describe(part.model_type)} is not covered; text parts are covered of ${COVERED.join(', ')}`,
    )
  const outer = (/** @type {RegExp} */ names) =>
    Object.fromEntries(Object.entries(whole).filter(([key, value]) => names.test(key) && value !== null))
  return {
    ...outer(/^(pad_token_id|tie_word_embeddings|quantization_config)$/),
    ...part,
    ...outer(/^(eos|bos)_token_id$/),
  }
}

/**
 * Renames the tensors of the text part to their names in a text-only model; other tensors keep their names.
 * @param {Map<string, StoredTensor>} tensors
 * @returns {Map<string, StoredTensor>}
 */
export function textTensors(tensors) {
  return new Map(
    Array.from(tensors, ([given, tensor]) => {
      const [pattern, start] = PREFIXES.find(([pattern]) => pattern.test(given)) ?? [/^/, '']
      const name = given.replace(pattern, start)
      return [name, { ...tensor, name }]
    }),
  )
}

/**
 * Returns the family for the whole checkpoint, in which tensors outside of the text part are ignored.
 * @param {import('../family-shapes/parts.js').Family} family of the text part
 * @param {unknown} type of the whole checkpoint
 * @returns {import('../family-shapes/parts.js').Family}
 */
export const ofWhole = (family, type) => ({
  ...family,
  textPartOf: String(type),
  ignored: new RegExp(`${family.ignored.source}|${OTHER_PARTS}`),
})
