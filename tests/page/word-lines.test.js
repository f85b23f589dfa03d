// Tests, without a browser, the arcs over the sentence of Models.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arcsOf, lookOf, meanRow, strongest } from '../../web/rooms/models/sentence/word-lines.js'

/** Maps of one layer with two heads over three tokens. The last token looks at the first one in head 0, at the second one and itself in head 1. */
const maps = {
  layers: 1,
  numHeads: 2,
  rows: 3,
  columns: 3,
  height: 3,
  width: 3,
  data: Float32Array.from([1, 0, 0, 0.5, 0.5, 0, 1, 0, 0, 1, 0, 0, 0.25, 0.75, 0, 0, 0.5, 0.5]),
}

/** Makes a fake room of Models, with the fields that the arcs read. @param {object} [more] @returns {any} */
const roomWith = (more = {}) => {
  const run = { row: 2, tokens: ['a', 'b', 'c'], maps: { '': maps } }
  return { run, runBefore: run, maps, stack: '', head: undefined, view: {}, isChanged: false, got: {}, ...more }
}

test('without a head the arcs are the mean over all heads, from the word whose answer is shown', () => {
  assert.deepEqual([...meanRow(maps, 2)], [0.5, 0.25, 0.25])
  assert.deepEqual(arcsOf(roomWith()), [
    { from: 'both:2', to: 'both:0', weight: 0.5 },
    { from: 'both:2', to: 'both:1', weight: 0.25 },
    { from: 'both:2', to: 'both:2', weight: 0.25 },
  ])
  assert.deepEqual([...(lookOf(roomWith({ view: { query: 1 } }))?.weights ?? [])], [0.375, 0.625, 0])
})

test('the open head, or the one under the pointer, has its own arcs; tiny weights have none', () => {
  const one = [{ from: 'both:2', to: 'both:0', weight: 1 }]
  assert.deepEqual(arcsOf(roomWith({ head: { stack: '', layer: 0, head: 0 } })), one)
  assert.deepEqual(arcsOf(roomWith({ view: { pointed: { layer: 0, head: 0 } } })), one)
  assert.deepEqual(
    arcsOf(roomWith({ view: { pointed: { layer: 4, head: 0 } } })),
    arcsOf(roomWith()),
    'a head of the model before',
  )
  assert.deepEqual(
    strongest(Float32Array.of(0.005, 0.4)).map(({ key }) => key),
    [1],
  )
})

test('of a translation arcs lead from its words to those it reads; a long text and a text without an answer have none', () => {
  const run = { row: 0, tokens: ['x', 'y', 'z'], targets: ['a', 'b', 'c'], maps: { cross: maps } }
  assert.equal(arcsOf(roomWith({ run, runBefore: run, stack: 'cross' }))[0].from, 'queries:0')
  assert.equal(arcsOf(roomWith({ run, runBefore: run, stack: 'cross' }))[0].to, 'keys:0')
  assert.deepEqual(arcsOf(roomWith({ run, runBefore: run, stack: 'encoder' })), [], 'no word of it is asked about')
  assert.deepEqual(arcsOf(roomWith({ run: { ...run, targets: undefined, row: -1 } })), [])
  assert.deepEqual(arcsOf(roomWith({ maps: { ...maps, columns: 61 } })), [])
})
