// Generates arguments of actions, in range and beyond.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withChange } from '../../../web/attention-head/changes.js'
import { MATRIX_IDS } from '../../../web/rooms/layer/matrices.js'

export const WORDS = ['the', 'cat', 'the', 'sat', 'and', '五', '👩‍👩‍👧‍👦', 'שלום', '<b>', '__proto__', '.']
export const word = fc.constantFrom(...WORDS)
/** Texts of all lengths, including the empty one. */
export const sentence = fc.oneof(
  { weight: 8, arbitrary: fc.array(word, { maxLength: 9 }).map(words => words.join(' ')) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 20, maxLength: 40 }).map(words => words.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n', '\u0000', '\ud800') },
)
/** A position or an index, usually in range. */
export const index = fc.oneof({ weight: 4, arbitrary: fc.nat(7) }, fc.constantFrom(8, 99, 99_999))
export const flag = fc.boolean()
/** @template T @param {fc.Arbitrary<T>} value */
export const maybe = value => fc.option(value, { nil: undefined })
/** @template T @param {fc.Arbitrary<T>} value */
export const orNull = value => fc.option(value, { nil: null })

export const place = fc.record({ row: index, column: index })
export const matrix = fc.constantFrom('weights', 'weights', 'weights', ...MATRIX_IDS)
export const cell = fc.tuple(matrix, fc.nat(4), place).map(([matrix, head, place]) => ({ matrix, head, ...place }))
export const wordAt = fc.record({ side: fc.constantFrom('queries', 'keys'), position: index })
export const number = fc.constantFrom(0, 0.3, 1, -2.5, 1e-7, 1000, undefined)

export const headAt = fc.record({
  stack: fc.constantFrom('', 'encoder', 'decoder', 'cross'),
  layer: fc.nat(3),
  head: fc.nat(5),
})
export const ofHead = headAt.map(({ stack, layer, head }) => ({ isOn: true, stack, layer, head }))
export const change = fc.oneof(
  fc.tuple(ofHead, fc.constantFrom(0, 0.5, 'mean')).map(([at, how]) => ({ ...at, kind: 'head', how })),
  fc.tuple(ofHead, index, index).map(([at, query, key]) => ({ ...at, kind: 'hide', query, key })),
  fc.tuple(ofHead, index, index).map(([at, query, key]) => ({ ...at, kind: 'weight', query, key, value: 0.3 })),
  fc
    .tuple(ofHead, orNull(index))
    .map(([{ isOn, stack, layer }, position]) => ({ isOn, stack, layer, kind: 'patch', position })),
)
/** Generates lists of changes with at most one for each place, as the page's controls make them. */
export const changes = fc
  .array(/** @type {fc.Arbitrary<import('../../../web/attention-head/head.js').Change>} */ (change), { maxLength: 3 })
  .map(all => all.reduce(withChange, []))
export const saved = fc.tuple(fc.constant('a.csv'), fc.constant('1'), fc.constant('text/csv'))

/** Returns a room whose session runs in this process, not in a worker. @param {any} room @param {any} handlers */
export const inNode = (room, handlers) => ({ ...room, session: { ...room.session, handlers } })
/** Waits for one turn of the event loop, in which answers may arrive. */
export const turn = () => new Promise(resolve => setTimeout(resolve))
/** True if an answer is still to come. @param {import('./harness.js').AnyStore} store */
const isOpen = ({ state }) =>
  Object.values(/** @type {Record<string, any>} */ (state.got)).some(
    got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast),
  )
/** Milliseconds after which an answer counts as lost, on a busy computer. */
const PATIENCE = 120_000

/** Waits until all requests are answered. @param {import('./harness.js').Opened} own @param {(turns: number) => void} [each] called before each check, with the number of turns so far */
export async function answered({ store }, each = () => {}) {
  const end = performance.now() + PATIENCE
  for (let turns = 0; turns === 0 || isOpen(store); turns++) {
    await turn()
    each(turns)
    if (performance.now() > end)
      assert.fail(`an answer does not come: ${JSON.stringify(store.state.got).slice(0, 2000)}`)
  }
}
export const wait = fc.constant({
  name: 'wait',
  run: (/** @type {import('./harness.js').Opened} */ own) => answered(own),
})

/** Fails unless every value that is drawn as hidden is 0 or -Infinity. @param {Record<string, any>} properties of an element */
export function hidesNothing({ matrix, mask }) {
  const { data, dims } = matrix?.tensor ?? matrix ?? {}
  if (!data || dims.length !== 2) return
  for (let i = 0; i < data.length; i++) {
    const isHidden = mask?.data?.[i] === 0 || matrix.isHidden?.(Math.floor(i / dims[1]), i % dims[1])
    if (isHidden && data[i] !== 0 && data[i] !== -Infinity)
      assert.fail(`cell ${i} is drawn as hidden and is ${data[i]}`)
  }
}
