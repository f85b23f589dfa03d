// The error for settings of a tokenizer's files that are not covered.

/**
 * @param {string} where the file and the key
 * @param {string} what stands there
 */
export const refuse = (where, what) =>
  new RangeError(`${where}: ${what} is not covered. Load the model with { tokenizer: false } and give ids`)

/**
 * Picks the rule for a part of tokenizer.json by its type.
 * @template T
 * @param {Record<string, T>} rules
 * @param {any} json the part
 * @param {string} where
 */
export function ruleFor(rules, json, where) {
  const { type } = Object(json)
  if (!Object.hasOwn(rules, type)) throw refuse(`tokenizer.json: ${where}`, `the type ${JSON.stringify(type)}`)
  return rules[type]
}
