// Tests how numbers are formatted, on the page and in its elements.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { write } from '../../web/elements/number-text.js'
import { format, percent, share } from '../../web/files/number-format.js'

test('a number that four decimals would write as zero is a power of ten, and only zero is 0.0000', () => {
  const texts = { 0: '0.0000', 4.1e-7: '4.1e−7', 4.9e-5: '4.9e−5', 5e-5: '0.0001', 1e-45: '1e−45', 3.2e-10: '3e−10' }
  for (const [x, text] of Object.entries(texts)) assert.equal(format(Number(x)), text)
  assert.equal(format(-1e-6), '−1.0e−6')
  assert.equal(format(-0), '0.0000')
  assert.equal(format(-Infinity), '−∞')
  fc.assert(
    fc.property(fc.float({ noNaN: true }), x => {
      const read = Number(format(x).replaceAll('−', '-').replace('∞', 'Infinity'))
      assert.equal(read === 0, x === 0, `${x}: ${format(x)}`)
      assert.ok(Math.sign(read) === Math.sign(x))
      assert.ok(!(Math.abs(read - x) > Math.max(5.1e-5, 0.01 * Math.abs(x)) * (1 + 1e-9)), `${x}: ${format(x)}`)
    }),
  )
})

test('a small number is no longer than zero with as many decimals; two decimals round it', () => {
  for (let power = 1e-4; power > 1e-37; power /= 10)
    for (const decimals of [3, 4, 5, 6])
      if (power < 0.4 / 10 ** decimals)
        assert.ok(write(3.3 * power, decimals).length <= Math.max(decimals + 2, 5), write(3.3 * power, decimals))
  assert.equal(write(4e-4, 2), '0.00')
})

test('a share below one is never shown as 100%, and one above zero never as 0%, by one rule', () => {
  for (const [x, text] of /** @type {const} */ ([
    [1, '100.0%'],
    [0.9998, '>99.9%'],
    [0.9994, '99.9%'],
    [0.0004, '<0.1%'],
    [0, '0.0%'],
  ]))
    assert.equal(percent(x), text)
  for (const x of [0.9998, 0.9994, 0.5]) assert.equal(share(x, 'en'), percent(x))
})
