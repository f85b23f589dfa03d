// Makes calls with strange values in place of each argument.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { QkvError } from '../../src/entries/index.js'
import { ENGINE, places, strangeThings, thrown } from '../strange.js'

/**
 * Makes calls with each strange value in place of each argument. A call must return or throw a readable error, and leave the module unchanged.
 * @param {import('../../src/entries/index.js').Qkv} qkv
 * @param {() => any[]} args makes valid arguments
 * @param {(...args: any[]) => unknown} call
 */
export async function tryStrange(qkv, args, call) {
  const counts = { results: 0, refused: 0 }
  const { resident } = qkv.memory
  /** @type {Set<string>} */
  const wrong = new Set()
  await call(...args())
  for (let place = 0; place < places(args()).length; place++)
    for (const strange of strangeThings) {
      const given = args()
      const [object, key] = places(given)[place]
      object[key] = strange()
      const title = `${key} = ${inspect(object[key], { depth: 0 })}`
      try {
        await call(...given)
        counts.results++
      } catch (error) {
        counts.refused++
        const { message } = /** @type {Error} */ (error)
        if (error === thrown) continue
        const isOurs = [Error, SyntaxError, TypeError, RangeError, QkvError].some(Kind => error?.constructor === Kind)
        if (!isOurs || message.length < 20 || ENGINE.test(message)) wrong.add(`${title}: ${message}`)
      }
      assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, resident], title)
    }
  assert.deepEqual([...wrong], [])
  return counts
}
