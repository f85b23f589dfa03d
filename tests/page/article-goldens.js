import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

/** @typedef {{ shape: number[], data: number[] }} Out */
/** @typedef {{ name: string, params: any, inputs: Record<string, Out>, expected: Record<string, Out>, oracle: { out: Out } }} Golden */

/** The article and the page both round to four decimals, each by at most half a unit of the last one. */
const TOLERANCE = 1.01e-4

const goldens = /** @type {{ cases: Golden[] }} */ (
  JSON.parse(await readFile(new URL('../goldens/seeds.json', import.meta.url), 'utf8'))
)
/** @param {string} name with the number of the document */
export function goldenCase(name) {
  const found = goldens.cases.find(each => each.name === name)
  assert.ok(found, `golden ${name}`)
  return found
}

/** @param {string} name of the golden; of document 001 if it contains no number of a document */
const golden = name => {
  const { expected, oracle } = goldenCase(name.includes('/') ? name : `001/${name}`)
  return expected.out ?? oracle.out
}

/**
 * Fails if two numbers differ by more than `tolerance`, absolute and relative.
 * @param {ArrayLike<number | string>} got
 * @param {ArrayLike<number>} want
 * @param {number} tolerance
 * @param {string} what
 */
export function near(got, want, tolerance, what) {
  assert.equal(got.length, want.length, `${what}: as many numbers`)
  for (const [i, x] of Array.from(want).entries())
    if (!(Math.abs(Number(got[i]) - x) <= tolerance * Math.max(1, Math.abs(x))))
      assert.fail(`${what}[${i}]: ${got[i]} for ${x}`)
}

/**
 * Fails if a printed number differs from the article's.
 * @param {string[]} got
 * @param {string} name of the golden; of document 001 if it contains no number of a document
 */
export function expectNumbers(got, name) {
  const { shape, data } = golden(name)
  assert.equal(
    got.length,
    shape.reduce((a, b) => a * b),
    `${name}: as many numbers as the article prints`,
  )
  data.forEach((want, i) => {
    assert.match(got[i], /^-?\d+\.\d{4}$/, `${name}[${i}] is printed with four decimals`)
    if (!(Math.abs(Number(got[i]) - want) <= TOLERANCE))
      assert.fail(`${name}[${i}]: ${got[i]} printed, ${want} expected`)
  })
}
