// Helps the tests of the five articles: opens the cases of an article, and checks that none is missing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tensor } from '../../src/entries/index.js'
import { cases, close } from '../helpers.js'

/** @import { Comparable } from '../helpers.js' */
/** @import { Qkv, TensorLike, Trace } from 'qkv' */
/**
 * @typedef {Record<string, Comparable>} Comparables
 */

export const EXACT = { abs: 0, rel: 0 }

/** The tolerance for a float32 matrix product, because PyTorch adds in another order. */
export const ROUNDING = { abs: 2e-6, rel: 2e-6 }

/** Opens the cases of one article. */
export class Article {
  #cases
  /** @type {Set<string>} */
  #checked = new Set()

  /** @param {string} number of the article: '000' */
  constructor(number) {
    const all = cases('seeds').map(given => /** @type {const} */ ([given.name, given]))
    this.#cases = new Map(
      all
        .filter(([name]) => name.startsWith(`${number}/`))
        .map(([name, given]) => [name.slice(number.length + 1), given]),
    )
  }

  /** @param {string} name without the article's number */
  case(name) {
    const found = this.#cases.get(name)
    assert.ok(found, `a case named ${name}`)
    return found
  }

  /**
   * Compares the results with what the case expects, the printed numbers and the oracle's. Marks the case as checked.
   * @param {string} name
   * @param {Comparables} results
   * @param {unknown} [json] the result that is no tensor, if the case expects one
   */
  check(name, results, json) {
    const { expected, tolerance, oracle, oracle_tolerance, expected_json } = this.case(name)
    const wanted = new Set([...Object.keys(expected), ...Object.keys(oracle)])
    assert.deepEqual(Object.keys(results).sort(), [...wanted].sort(), `${name}: the names of the results`)
    assert.ok(wanted.size > 0 || expected_json, `${name}: something is expected`)
    for (const [part, want] of Object.entries(expected)) close(results[part], want, tolerance, `${name} ${part}`)
    for (const [part, want] of Object.entries(oracle)) {
      assert.ok(oracle_tolerance, `${name}: the tolerance of its oracle`)
      close(results[part], want, oracle_tolerance, `${name} ${part}, oracle`)
    }
    assert.deepEqual(json, expected_json, `${name}: json`)
    this.#checked.add(name)
  }

  /**
   * Compares `inputs`, which the test made from the seed, with all inputs of the case.
   * @param {string} name
   * @param {Comparables} inputs
   * @param {import('../helpers.js').Tolerance} [tolerance]
   */
  checkInputs(name, inputs, tolerance = EXACT) {
    const wanted = this.case(name).inputs
    assert.deepEqual(Object.keys(inputs).sort(), Object.keys(wanted).sort(), `${name}: the names of the inputs`)
    for (const [part, want] of Object.entries(wanted)) close(inputs[part], want, tolerance, `${name} input ${part}`)
  }

  /**
   * Formats the results as the article does, and compares their digits with the printed ones.
   * @param {Record<string, TensorLike>} results by the name of the case, for every case with printed numbers
   * @returns {{ same: number, of: number, others: string[] }} of: how many numbers; same: how many have the printed digits; others: those that
   *   differ
   */
  reprint(results) {
    const printed = [...this.#cases].filter(([, { reproduced }]) => reproduced)
    assert.deepEqual(Object.keys(results).sort(), printed.map(([name]) => name).sort())
    let of = 0
    /** @type {string[]} */
    const others = []
    for (const [name, { expected, raw }] of printed) {
      const [[part, want]] = Object.entries(expected)
      const Data = raw.expected[part].dtype === 'int64' ? Int32Array : Float32Array
      const theirs = numbersIn(String(tensor(Data.from(want.data), want.dims)))
      const ours = numbersIn(String(results[name]))
      assert.equal(ours.length, want.data.length, `${name}: how many numbers are printed`)
      of += ours.length
      ours.forEach((number, i) => {
        if (number !== theirs[i]) others.push(`${name}: ${number} for ${theirs[i]}`)
      })
    }
    return { same: of - others.length, of, others }
  }

  /** Adds the test that every case was checked. Call it last. */
  close() {
    test('every case of the article was checked', () => {
      assert.deepEqual([...this.#checked].sort(), [...this.#cases.keys()].sort())
    })
  }
}

/** @param {string} text @returns {string[]} */
const numbersIn = text => text.match(/-?(\d+(\.\d*)?(e[+-]\d+)?|inf)/g) ?? []

/**
 * Formats a matrix as PyTorch prints it.
 * @param {Comparable} matrix
 * @param {{ perLine?: number, write?: (x: number) => string }} [options] perLine: numbers in a line, by default a row
 */
export function printout({ data, dims: [, columns] }, { perLine = columns, write = x => x.toFixed(4) } = {}) {
  const words = Array.from(data, x => (x === -Infinity ? '-inf' : write(x)))
  const width = Math.max(...words.map(word => word.length))
  let text = 'tensor([['
  words.forEach((word, i) => {
    const column = i % columns
    if (i > 0 && column === 0) text += '],\n        ['
    else if (i > 0) text += column % perLine === 0 ? ',\n         ' : ', '
    text += word.padStart(width)
  })
  return `${text}]])`
}

/**
 * Runs an attention by the traced and the tiled kernel. Returns the trace, then a copy of it with the output of the tiled kernel.
 * @param {Qkv} qkv
 * @param {Parameters<Qkv['attention']>[0]} q
 * @param {Parameters<Qkv['attention']>[0]} k
 * @param {Parameters<Qkv['attention']>[0]} v
 * @param {import('qkv').AttentionOptions} [options]
 * @returns {Trace[]}
 */
export function bothKernels(qkv, q, k, v, options) {
  const traced = qkv.trace(q, k, v, options)
  return [traced, { ...traced, ...qkv.attention(q, k, v, options) }]
}

/**
 * Returns queries and keys whose products are the given scores: the scores themselves as queries, identity matrices as keys.
 * @param {Comparable} scores (..., L, S)
 */
export function queryAndKey(scores) {
  const dims = [...scores.dims.slice(0, -2), scores.dims[scores.dims.length - 1]]
  const S = dims[dims.length - 1]
  const n = dims.reduce((product, size) => product * size, 1)
  const identities = Float32Array.from({ length: n * S }, (_, i) => (Math.floor(i / S) % S === i % S ? 1 : 0))
  return /** @type {const} */ ([scores, { data: identities, dims: [...dims, S] }])
}
