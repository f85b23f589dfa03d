// The post-processors of tokenizer.json as templates, by the rules of the Rust library.
// https://github.com/huggingface/tokenizers: tokenizers/src/processors

import { refuse, ruleFor } from './refuse.js'

/**
 * A slot of a template: the first or second text, or the ids of special tokens. `type` is the token type of its ids.
 * @typedef {{ text: 0 | 1, type: number } | { ids: number[], type: number }} Slot
 * @typedef {{ single: Slot[], pair: Slot[] }} Template
 */

/** The template without special tokens. @type {Template} */
export const PLAIN = {
  single: [{ text: 0, type: 0 }],
  pair: [
    { text: 0, type: 0 },
    { text: 1, type: 1 },
  ],
}

/** @type {import('./check-json.js').Rules<'post_processor', Template, [before: Template]>} */
const RULES = {
  Sequence: ({ processors = [] }, where, before) =>
    processors.reduce(
      (/** @type {Template} */ done, one, n) => templateOf(one, `${where}.processors.${n}`, done),
      before,
    ),
  ByteLevel: (_, __, before) => before, // affects only offsets
  BertProcessing: ({ cls, sep }) => {
    const [start, end] = [cls[1], sep[1]].map(id => ({ ids: [id], type: 0 }))
    /** @type {Slot[]} */
    const single = [start, { text: 0, type: 0 }, end]
    return { single, pair: [...single, { text: 1, type: 1 }, { ...end, type: 1 }] }
  },
  RobertaProcessing: ({ cls, sep }) => {
    const [start, end] = [cls[1], sep[1]].map(id => ({ ids: [id], type: 0 }))
    /** @type {Slot[]} */
    const single = [start, { text: 0, type: 0 }, end]
    return { single, pair: [...single, end, { text: 1, type: 0 }, end] }
  },
  TemplateProcessing({ single, pair, special_tokens: tokens }, where) {
    /** @type {(list: any[]) => Slot[]} */
    const slots = list =>
      list.map(({ Sequence: sequence, SpecialToken: token }) => {
        if (sequence) return { text: sequence.id === 'A' ? 0 : 1, type: sequence.type_id }
        const { ids } = Object(tokens?.[token?.id])
        if (!Array.isArray(ids))
          throw refuse(`tokenizer.json: ${where}`, `the token ${JSON.stringify(token?.id)} without ids`)
        return { ids, type: token.type_id }
      })
    return { single: slots(single), pair: slots(pair) }
  },
}

/** @param {unknown} json @param {string} [where] @param {Template} [before] @returns {Template} */
export function templateOf(json, where = 'post_processor', before = PLAIN) {
  if (json === null || json === undefined) return before
  const rule = ruleFor(RULES, json, where)
  const { type } = Object(json)
  if (before !== PLAIN && !['ByteLevel', 'Sequence'].includes(type))
    throw refuse(`tokenizer.json: ${where}`, `${type} behind another post-processor`)
  return rule(json, where, before)
}
