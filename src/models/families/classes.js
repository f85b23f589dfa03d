// Describes the classes of a checkpoint that was fine-tuned to classify texts or tokens. Loaded only for such checkpoints.
// https://github.com/huggingface/transformers: the classes ...ForSequenceClassification and ...ForTokenClassification

import { describe } from '../../base/errors.js'
import { ACTIVATIONS } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { ClassesSpec } from '../family-shapes/parts.js' */

const BERTS = ['bert', 'albert', 'new']
const ROBERTAS = ['roberta', 'xlm-roberta', 'camembert', 'longformer', 'mpnet', 'electra']
/** Families whose text and token classifiers name their layer `score`. */
const LLAMAS = [
  'llama',
  'mistral',
  'qwen2',
  'qwen3',
  'gemma',
  'gemma2',
  'phi3',
  'stablelm',
  'starcoder2',
  'glm',
  'glm4',
  'exaone4',
  'smollm3',
]
const DECODERS = ['gpt2', 'gpt_neo', 'gpt_neox', 'phi', 'opt', 'gemma3_text', ...LLAMAS]
const TOKENS = [
  'deberta-v2',
  ...BERTS,
  ...ROBERTAS,
  ...LLAMAS,
  'distilbert',
  'modernbert',
  'gpt2',
  'gpt_neo',
  'gpt_neox',
]

/**
 * Describes the classes.
 * @param {Config} c
 * @param {string} type the model_type
 * @param {string} what Sequence or Token
 * @param {import('../family-shapes/parts.js').Description} family
 * @returns {ClassesSpec}
 */
export function classesOf(c, type, what, { width: d, head }) {
  const labels = labelsOf(c)
  const out = labels.length
  const scores = scoresOf(c, what, out)
  const isToken = what === 'Token'
  const dense = (/** @type {string} */ name) => ({ name, out: d, in: d, bias: true })
  const last = (/** @type {string} */ name, bias = true) => ({ layer: { name, out, in: d, bias } })
  /** @type {(row: ClassesSpec['row'], ...layers: ClassesSpec['layers']) => ClassesSpec} */
  const classes = (row, ...layers) => ({ labels, scores, row: isToken ? undefined : row, layers })
  if (type === 'modernbert') {
    const pooling = c.choice('classifier_pooling', { cls: 'first', mean: 'mean' })
    const { transform, activation, norm } = head
    if (transform) return classes(pooling, { layer: transform, activation, norm }, last('classifier'))
  }
  if (isToken && TOKENS.includes(type)) return classes(undefined, last(LLAMAS.includes(type) ? 'score' : 'classifier'))
  if (!isToken && BERTS.includes(type)) return classes('pooled', last('classifier'))
  if (!isToken && type === 'deberta-v2')
    return classes(
      'first',
      { layer: dense('pooler.dense'), activation: c.choice('pooler_hidden_act', ACTIVATIONS) },
      last('classifier'),
    )
  if (!isToken && type === 'distilbert')
    return classes('first', { layer: dense('pre_classifier'), activation: 'relu' }, last('classifier'))
  if (!isToken && ROBERTAS.includes(type))
    return classes(
      'first',
      { layer: dense('classifier.dense'), activation: type === 'electra' ? 'gelu' : 'tanh' },
      last('classifier.out_proj'),
    )
  if (!isToken && DECODERS.includes(type)) return classes('last', last('score', false))
  throw new RangeError(`config.json: ${type} with classes for ${isToken ? 'each token' : 'a text'} is not covered`)
}

/**
 * Returns the function that the pipelines of transformers 5.16 apply to the logits (pipelines/text_classification.py,
 * token_classification.py).
 * @param {Config} c
 * @param {string} what Sequence or Token
 * @param {number} count number of classes
 * @returns {ClassesSpec['scores']}
 */
function scoresOf(c, what, count) {
  const type = c.get('problem_type')
  if (what === 'Token') return 'softmax'
  if (type === undefined) return count === 1 ? 'sigmoid' : 'softmax'
  const kinds = /** @type {const} */ ({
    regression: 'none',
    multi_label_classification: 'sigmoid',
    single_label_classification: 'softmax',
  })
  if (type === 'single_label_classification' && count === 1)
    throw new RangeError('config.json: problem_type single_label_classification: expected at least two labels, got 1')
  return c.choice('problem_type', kinds)
}

/**
 * Returns the names of the classes from id2label. A number becomes a string, null becomes LABEL_n. Without id2label, all are LABEL_n.
 * @param {Config} c
 * @returns {string[]}
 */
function labelsOf(c) {
  const given = c.get('id2label')
  if (given === undefined) return Array.from({ length: c.size('num_labels', 2) }, (_, n) => `LABEL_${n}`)
  const names = Object(given)
  const labels = Array.from({ length: Object.keys(names).length }, (_, n) =>
    n in names && (names[n] === null || typeof names[n] === 'number') ? String(names[n] ?? `LABEL_${n}`) : names[n],
  )
  if (
    typeof given !== 'object' ||
    Array.isArray(given) ||
    !labels.length ||
    !labels.every(label => typeof label === 'string')
  )
    throw new TypeError(`config.json: id2label: expected a name for each of the numbers from 0, got ${describe(given)}`)
  return labels
}
