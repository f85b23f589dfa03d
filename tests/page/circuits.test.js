// The circuit of induction is found by the estimates of edges, in a model of a seed with which nothing was built.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { agreement, compareEffects, inductionModel } from '../../build/learn/circuit-effects.js'

const qkv = await load({ threads: 1 })

test('the largest edge between heads leads from the head that reads the word before to the keys of an induction head', async t => {
  const { model, questions, accuracy } = await inductionModel(qkv, 10, 4)
  assert.ok(accuracy > 0.95, `it has learned the task: ${accuracy}`)
  const [{ text }] = questions
  const { previous, induction } = model.headScores(/** @type {{ ids: number[] }} */ (text).ids)
  const [H] = [previous.dims[1]]
  const first = previous.data.indexOf(Math.max(...previous.data))
  assert.ok(first < H && previous.data[first] > 0.5)

  const { heads, edges } = await compareEffects(model, questions, 'mean', 'exact')
  const [ofHeads, ofEdges] = [heads, edges].map(agreement)
  t.diagnostic(`heads: correlation ${ofHeads.correlation.toFixed(2)}; edges: area ${ofEdges.area.toFixed(2)}`)
  assert.ok(ofHeads.correlation >= 0.9 && ofEdges.area >= 0.9)
  const byGradient = agreement((await compareEffects(model, questions, 'mean', 'gradient')).edges)
  assert.ok(byGradient.area < ofEdges.area, 'a saturated softmax has almost no gradient')
  const between = edges.names
    .map((name, n) => ({ name, size: Math.abs(edges.estimates[n]) }))
    .filter(({ name }) => !name.endsWith('logits'))
    .sort((a, b) => b.size - a.size)
  const [, from, kind, to] = /^head 0 (\d) -> ([qkv]) 1 (\d)$/.exec(between[0].name) ?? []
  assert.equal(Number(from), first, between[0].name)
  assert.equal(kind, 'k', between[0].name)
  assert.ok(induction.at(1, Number(to)) > 0.5, between[0].name)
  model.dispose()
})
