// The families of models, by model_type of config.json. A family is a file that exports `describe`, which derives the names and shapes of
// the weights and the order of the layers from a config; network.js runs all families. A file is loaded when a model of its family is
// opened. https://github.com/huggingface/transformers, src/transformers/models

import { describe } from '../../base/errors.js'

/** @import { Config } from '../config/config.js' */
/** @import { Description } from '../family-shapes/parts.js' */

/**
 * Imports of the families. DEFAULTS are those of the config class in transformers 5.16, for the keys that are read
 * (src/transformers/models/NAME/configuration_NAME.py). ALIASES are the class's attribute_map. docs/models.md lists what is read where.
 * @type {Record<string, () => Promise<{ describe: (config: Config) => Description, DEFAULTS: Record<string, unknown>, ALIASES?: Record<string, string> }>>}
 */
export const FAMILIES = {
  gpt2: () => import('./gpt2.js'),
  gpt_neo: () => import('./gpt-neo.js'),
  gpt_neox: () => import('./gpt-neox.js'),
  gptj: () => import('./gptj.js'),
  codegen: () => import('./codegen.js'),
  gpt_bigcode: () => import('./gpt-bigcode.js'),
  bloom: () => import('./bloom.js'),
  mpt: () => import('./mpt.js'),
  falcon: () => import('./falcon.js'),
  phi: () => import('./phi.js'),
  phi3: () => import('./phi3.js'),
  llama: () => import('./llama.js'),
  mistral: () => import('./mistral.js'),
  qwen2: () => import('./qwen2.js'),
  qwen3: () => import('./qwen3.js'),
  gemma: () => import('./gemma.js'),
  gemma2: () => import('./gemma2.js'),
  gemma3_text: () => import('./gemma3.js'),
  olmo: () => import('./olmo.js'),
  olmo2: () => import('./olmo2.js'),
  olmo3: () => import('./olmo3.js'),
  granite: () => import('./granite.js'),
  stablelm: () => import('./stablelm.js'),
  starcoder2: () => import('./starcoder2.js'),
  cohere: () => import('./cohere.js'),
  cohere2: () => import('./cohere2.js'),
  glm: () => import('./glm.js'),
  glm4: () => import('./glm4.js'),
  exaone: () => import('./exaone.js'),
  exaone4: () => import('./exaone4.js'),
  smollm3: () => import('./smollm3.js'),
  opt: () => import('./opt.js'),
  bert: () => import('./bert.js'),
  roberta: () => import('./roberta.js'),
  'xlm-roberta': () => import('./xlm-roberta.js'),
  longformer: () => import('./longformer.js'),
  camembert: () => import('./xlm-roberta.js'),
  distilbert: () => import('./distilbert.js'),
  'deberta-v2': () => import('./deberta-v2.js'),
  albert: () => import('./albert.js'),
  electra: () => import('./electra.js'),
  mpnet: () => import('./mpnet.js'),
  nomic_bert: () => import('./nomic-bert.js'),
  new: () => import('./new.js'),
  modernbert: () => import('./modernbert.js'),
  t5: () => import('./t5.js'),
  mt5: () => import('./mt5.js'),
  marian: () => import('./marian.js'),
  bart: () => import('./bart.js'),
  mbart: () => import('./mbart.js'),
  pegasus: () => import('./pegasus.js'),
  m2m_100: () => import('./m2m-100.js'),
}

/**
 * Returns the description of a model.
 * @param {Config} config
 * @returns {Promise<import('../family-shapes/parts.js').Family>}
 * @throws {RangeError} if the config requires something unsupported
 */
export async function familyOf(config) {
  const type = config.get('model_type')
  if (typeof type !== 'string' || !Object.hasOwn(FAMILIES, type))
    throw new RangeError(
      `config.json: ${type === undefined ? 'it has no model_type; expected the config.json of a checkpoint, with' : `model_type ${describe(type)} is not covered; covered:`} ${Object.keys(FAMILIES).join(', ')}`,
    )
  const quantized = config.get('quantization_config')
  if (quantized) throw (await import('../config/refusals.js')).quantizedWeights(quantized)
  const [{ describe: describeFamily, DEFAULTS, ALIASES }, { mayMatter }] = await Promise.all([
    FAMILIES[type](),
    import('../config/unread-keys.js'),
  ])
  config.assume(DEFAULTS, ALIASES)
  const family = describeFamily(config)
  if (family.decoder) config.only({ is_causal: true }) // transformers makes any decoder bidirectional if is_causal is false or null
  // Marks the older flag as read, so that it is not refused: it has no effect beside forced_bos_token_id.
  if (config.get('forced_bos_token_id') !== undefined) config.get('force_bos_token_to_be_generated')
  const [given] = [config.get('architectures')].flat()
  const architecture = typeof given === 'string' ? given : ''
  const [, task, what] = /For((Sequence|Token)Classification|QuestionAnswering)$/.exec(architecture) ?? []
  const classes = what ? (await import('./classes.js')).classesOf(config, type, what, family) : undefined
  // Checkpoints of bare models contain no head. A head that is tied to the table of tokens exists anyway.
  const isBare = /^(?!.*(LMHead|DoubleHeads|MT)).*Model$/.test(architecture)
  const isHeadless = Boolean(
    task || /EncoderModel$/.test(architecture) || (family.decoder && isBare && !family.head.tied),
  )
  config.end(mayMatter)
  return { ...family, type, classes, isHeadless }
}
