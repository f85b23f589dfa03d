// Makes the ids of one or two texts: truncates them, and puts special tokens around them.

import { lengthsOf } from './given.js'

/**
 * Fills a template.
 * @param {Pick<import('./read-tokenizer.js').JsonReader, 'encode' | 'nameOf'>} reader
 * @param {import('./post-processors.js').Template} template
 * @param {(string | undefined)[]} texts
 * @param {{ most: number, isWhole: boolean, isLeft?: boolean, isLower?: boolean }} options most: maximum number of ids; isWhole: true to
 *   add special tokens; isLeft: true to truncate at the start; isLower: true to lowercase
 */
export function filled(reader, template, texts, { most, isWhole, isLeft, isLower }) {
  const parts = texts.flatMap(text => (text === undefined ? [] : [reader.encode(text, isLower)]))
  const slots = parts.length > 1 ? template.pair : template.single
  const marks = isWhole ? slots.reduce((sum, slot) => sum + ('ids' in slot ? slot.ids.length : 0), 0) : 0
  const lengths = lengthsOf(
    parts.map(({ ids }) => ids.length),
    most - marks,
    most,
  )
  const cut = parts.map(({ ids, tokens }, n) => {
    const from = isLeft ? ids.length - lengths[n] : 0
    return { ids: ids.slice(from, from + lengths[n]), tokens: tokens.slice(from, from + lengths[n]) }
  })
  const all = slots.flatMap(slot => {
    if ('text' in slot) return { ...cut[slot.text], type: slot.type }
    return isWhole ? { ids: slot.ids, tokens: slot.ids.map(reader.nameOf), type: slot.type } : []
  })
  return {
    ids: all.flatMap(({ ids }) => ids),
    tokens: all.flatMap(({ tokens }) => tokens),
    types: all.flatMap(({ ids, type }) => ids.map(() => type)),
  }
}
