// Errors for settings of a tokenizer's files that are not covered, or not valid.

import { describe } from '../../base/errors.js'

/**
 * @param {string} where the file and the key
 * @param {string} what stands there
 */
export const refuse = (where, what) =>
  new RangeError(`${where}: ${what} is not covered. Load the model with { tokenizer: false } and give ids`)

/** Types of the fields of a part, by its type; one with ? may be null or missing. @typedef {Record<string, Record<string, string>>} Fields */

/** Fields of parts that are both pre-tokenizers and decoders. */
export const BYTE_LEVEL = { add_prefix_space: 'boolean', 'use_regex?': 'boolean' }
export const METASPACE = {
  replacement: 'string',
  'prepend_scheme?': 'string',
  'add_prefix_space?': 'boolean',
  'split?': 'boolean',
}

/**
 * Throws unless the fields of a part have their types, as the Rust library does.
 * @param {any} json the part
 * @param {Record<string, string>} fields
 * @param {string} where
 */
export function expectFields(json, fields, where) {
  for (const [name, type] of Object.entries(fields)) {
    const key = name.replace('?', '')
    const value = Object(json)[key]
    if (key !== name && (value === null || value === undefined)) continue
    if ((Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value) !== type)
      throw new RangeError(
        `tokenizer.json: ${where}.${key}: ${describe(value)} given, ${/^[ao]/.test(type) ? 'an' : 'a'} ${type} expected`,
      )
  }
}

/**
 * Picks the rule for a part of tokenizer.json by its type, and checks its fields.
 * @template T
 * @param {Record<string, T>} rules
 * @param {Fields} fields
 * @param {any} json the part
 * @param {string} where
 */
export function ruleFor(rules, fields, json, where) {
  const { type } = Object(json)
  if (!Object.hasOwn(rules, type)) throw refuse(`tokenizer.json: ${where}`, `the type ${describe(type)}`)
  expectFields(json, fields[type] ?? {}, where)
  return rules[type]
}
