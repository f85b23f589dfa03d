import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

/** @typedef {{ shape: number[], data: number[] }} Out */
/** @typedef {{ name: string, expected: { out?: Out }, oracle: { out: Out } }} Golden */

/** The article prints four decimals; the golden tolerance is half a unit of the last, and the page rounds as well. */
const TOLERANCE = 1.01e-4

const goldens = /** @type {{ cases: Golden[] }} */ (
  JSON.parse(await readFile(new URL('../goldens/seeds.json', import.meta.url), 'utf8'))
)
const golden = (/** @type {string} */ name) => {
  const found = goldens.cases.find(each => each.name === (name.includes('/') ? name : `001/${name}`))
  assert.ok(found, `golden ${name}`)
  return found.expected.out ?? found.oracle.out
}

/**
 * Fails if a printed number is not the article's.
 * @param {string[]} got
 * @param {string} name of the golden, of document 001 if it says no other
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
