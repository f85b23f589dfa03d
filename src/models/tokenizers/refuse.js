// Errors for unsupported or invalid settings in a tokenizer's files.

import { describe } from '../../base/errors.js'

/**
 * Returns the error for an unsupported setting.
 * @param {string} where file and key
 * @param {string} what the value
 */
export const refuse = (where, what) =>
  new RangeError(`${where}: ${what} is not covered. Load the model with { tokenizer: false } and give ids`)

/** Types of a part's fields; a name with ? may be null or missing. @typedef {Record<string, Record<string, string>>} Fields */

/** Fields of parts that are both pre-tokenizers and decoders. */
export const BYTE_LEVEL = { add_prefix_space: 'boolean', 'use_regex?': 'boolean' }
export const METASPACE = {
  replacement: 'string',
  'prepend_scheme?': 'string',
  'add_prefix_space?': 'boolean',
  'split?': 'boolean',
}

/**
 * Throws unless the fields of a part have their types, like the Rust library.
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
        `tokenizer.json: ${where}.${key}: expected ${/^[ao]/.test(type) ? 'an' : 'a'} ${type}, got ${describe(value)}`,
      )
  }
}

/**
 * Returns the rule for a part of tokenizer.json by its type, after checking its fields.
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
