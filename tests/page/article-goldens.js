import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

/** @typedef {{ shape: number[], data: number[] }} Out */
/** @typedef {{ name: string, params: any, inputs: Record<string, Out>, expected: Record<string, Out>, oracle: { out: Out } }} Golden */

/** The article and the page both round to four decimals, so each may be off by half a unit of the last decimal. */
const TOLERANCE = 1.01e-4

const goldens = /** @type {{ cases: Golden[] }} */ (
  JSON.parse(await readFile(new URL('../goldens/seeds.json', import.meta.url), 'utf8'))
)
/** Returns a case of the articles' goldens. @param {string} name with the article's number: `001/NAME` */
export function goldenCase(name) {
  const found = goldens.cases.find(each => each.name === name)
  assert.ok(found, `golden ${name}`)
  return found
}

/** Returns the printed numbers of a case, or the oracle's if the article prints none. @param {string} name of article 001 if it has no number */
const golden = name => {
  const { expected, oracle } = goldenCase(name.includes('/') ? name : `001/${name}`)
  return expected.out ?? oracle.out
}

/**
 * Fails if a number differs from the wanted one by more than `tolerance` * max(1, |wanted|).
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
 * @param {string} name of the case, of article 001 if it has no number
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
