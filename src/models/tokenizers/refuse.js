// Errors for unsupported or invalid settings in a tokenizer's files.

import { describe } from '../../base/errors.js'

/**
 * Returns the error for an unsupported setting.
 * @param {string} where file and key
 * @param {string} what the value
 */
export const refuse = (where, what) =>
  new RangeError(`${where}: ${what} is not covered. Load the model with { tokenizer: false } and give ids`)

/**
 * Returns the rule for a part of tokenizer.json by its type.
 * @template R
 * @template {unknown[]} A
 * @param {Record<string, (part: any, where: string, ...more: A) => R>} rules
 * @param {unknown} json the part
 * @param {string} where
 */
export function ruleFor(rules, json, where) {
  const { type } = Object(json)
  if (!Object.hasOwn(rules, type)) throw refuse(`tokenizer.json: ${where}`, `the type ${describe(type)}`)
  return rules[type]
}
