// The masks of attention that hide keys by a rule, by their options: `drawn` draws what `of` makes a value of the option from, and
// `sees` is the rule of docs/attention.md. The reference and the tests of drawn calls run over them.

import fc from 'fast-check'

/** A query, by its batch and position, and key j. @typedef {{ b: number, position: number, j: number }} Pair */
/** @typedef {{ drawn: fc.Arbitrary<any>, of?: (drawn: any, B: number, S: number) => any, sees: (value: any, pair: Pair) => boolean }} Rule */

const sides = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(40, 256, 300, Infinity))

/** @satisfies {Record<string, Rule>} */
export const RULES = {
  causal: {
    drawn: fc.boolean(),
    sees: (causal, { position, j }) => !causal || j <= position,
  },
  window: {
    drawn: fc.tuple(sides, sides),
    sees: ([left, right], { position, j }) => j >= position - left && j <= position + right,
  },
  keyLengths: {
    drawn: fc.double({ min: 0, max: 1, noNaN: true }),
    of: (share, B, S) => Array.from({ length: B }, (_, b) => Math.round(S * share ** b)),
    sees: (lengths, { b, j }) => j < lengths[b],
  },
}

/** @type {[option: string, rule: Rule][]} */
const rules = Object.entries(RULES)

/** What is drawn of each option. @type {{ [Option in keyof typeof RULES]: fc.Arbitrary<any> }} */
export const drawnMasks = /** @type {any} */ (Object.fromEntries(rules.map(([option, { drawn }]) => [option, drawn])))

/** The options among those of a drawn call. @param {Record<string, any>} options @param {number} B @param {number} S */
export const masksOf = (options, B, S) =>
  Object.fromEntries(
    rules
      .filter(([option]) => options[option] !== undefined)
      .map(([option, { of }]) => [option, of ? of(options[option], B, S) : options[option]]),
  )

/** Do all of these options let a query see key j? @param {Record<string, any>} options @param {Pair} pair */
export const ruledIn = (options, pair) =>
  rules.every(([option, { sees }]) => options[option] === undefined || sees(options[option], pair))
