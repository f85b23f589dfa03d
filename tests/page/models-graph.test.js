// Tests, without a browser, the graph of heads in the room "Models": its requests, its link, its drawing and its cost.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { load } from 'qkv'
import { headGraph, positionEdge } from 'qkv/interpret'
import { loadModel } from 'qkv/models'
import { graphCost } from '../../web/rooms/models/graph/cost.js'
import { drawingOf } from '../../web/rooms/models/graph/layout.js'
import { edgeName, nodeName, readEdge, readGraph, writeGraph } from '../../web/rooms/models/graph/setting.js'
import { graphOf } from '../../web/rooms/models/graph/task.js'
import { room } from '../../web/rooms/models/room.js'
import { shownOf } from '../../web/rooms/models/shown.js'
import { createStore } from '../../web/shell/store.js'
import { filesOf } from './golden-files.js'

const qkv = await load()
const TEXT = 'The cat that chased the dog'

/** Makes a store whose session runs in this process, with a model and a text. @param {string} [name] @param {string} [link] */
async function begin(name = 'gpt2-tiny', link = '') {
  const store = createStore(room, { qkv, link })
  const isOpen = () =>
    Object.values(store.state.got).some(got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast))
  async function settled() {
    do await new Promise(resolve => setTimeout(resolve))
    while (isOpen())
  }
  store.act.bring(filesOf(name).map(path => new File([readFileSync(path)], basename(path))))
  await settled()
  store.act.type(TEXT)
  await settled()
  const needs = () => room.needs(store.state).map(({ type }) => type)
  const found = () => {
    const { graph } = store.state.got
    return graph?.is === 'here' && 'edges' in graph.value ? graph.value : assert.fail(JSON.stringify(graph))
  }
  return { store, act: store.act, settled, needs, found }
}

test('the open graph requests its edges once, for any share; a tested edge has the effect that the library gives', async () => {
  const { store, act, settled, needs, found } = await begin()
  assert.ok(!needs().includes('graph'))
  act.setGraph('50')
  assert.ok(needs().includes('graph'))
  await settled()
  const first = found()
  const { run } = shownOf(store.state)
  const best = run?.top.slice(0, 2) ?? []
  assert.deepEqual(
    first.tokens,
    best.map(({ token }) => token),
  )
  assert.equal(first.row, 9)
  act.setGraph('80')
  assert.equal(found(), first, 'another share needs no computation')
  const edge = headGraph(first.edges, { share: 0.8 }).edges.find(({ reads }) => reads === 'k') ?? assert.fail()
  act.setGraph(`80 ${edgeName(edge)}`)
  await settled()
  assert.ok(!needs().includes('graphEdge'))
  act.setGraph(`80 ${edgeName(edge)}!`)
  await settled()
  const tested = store.state.got.graphEdge
  const model = await loadModel(qkv, 'tests/goldens/models/gpt2-tiny')
  const of = { logits: best.map(({ id: token }, n) => ({ position: 9, token, weight: n ? -1 : 1 })) }
  const { from, to, reads } = edge
  const want = await positionEdge(model, TEXT, { of, by: 'mean', from, to, reads })
  model.dispose()
  assert.deepEqual(tested?.is === 'here' && tested.value, want)
  // The edge belongs to this text: for another text it is removed from the settings.
  act.type('The dog that chased the cat')
  assert.equal(store.state.settings.graph, '80')
  await settled()
  assert.notEqual(found(), first)
  act.setGraph('')
  assert.ok(!needs().includes('graph') && !store.state.got.graph)
  // An edge that this model does not have is reported as missing.
  act.setGraph('80 w1>9.9@3:k!')
  await settled()
  const missing = store.state.got.graphEdge
  assert.match(JSON.stringify(missing?.is === 'failed' && missing.problem), /is no part of this model/)
  store.close()
})

test('share, edge and test are in the link; names lead back to their parts; damaged ones are left out', async () => {
  for (const text of ['50', '80 w3>1.2@5:k', '95 m2@4>a:input!']) assert.equal(writeGraph(readGraph(text)), text)
  for (const text of [
    '',
    'x',
    '5',
    '80 w3',
    'NaN',
    '80 w3>w4:k',
    '80 a>1.1@2:q',
    '80 1.1@2>2.1@3:o',
    '80 w3>1.2@5:k!!',
  ]) {
    const { edge, share, isTested } = readGraph(text)
    assert.ok(edge === '' && !isTested && share >= 50 && share <= 95, text)
  }
  assert.deepEqual([readGraph('10').share, readGraph('999').share], [50, 95])
  const nodes = /** @type {const} */ ([
    { kind: 'embedding', position: 2 },
    { kind: 'head', layer: 1, head: 2, position: 3 },
    { kind: 'mlp', layer: 0, position: 4 },
  ])
  assert.deepEqual(nodes.map(nodeName), ['w3', '2.3@4', 'm1@5'])
  const places = /** @type {const} */ (['encoder', 'decoder', 'cross'])
  for (const place of places) {
    const from = nodes.filter(({ kind }) => place !== 'cross' || kind === 'head').map(node => ({ ...node, place }))
    const [to] = places.map(place => ({ kind: /** @type {const} */ ('head'), place, layer: 1, head: 0, position: 4 }))
    for (const node of from)
      assert.deepEqual(readEdge(edgeName({ from: node, to, reads: 'k' })), { from: node, to, reads: 'k' })
  }
  assert.equal(nodeName({ kind: 'head', place: 'cross', layer: 1, head: 2, position: 3 }), 'c2.3@4')
  for (const node of nodes)
    assert.deepEqual(readEdge(`${nodeName(node)}>a:input`), { from: node, to: { kind: 'logits' }, reads: 'input' })
  const { store, settled } = await begin()
  store.act.setGraph('65 w3>1.2@5:k!')
  await settled()
  const link = store.link()
  assert.match(link, /graph=65\+w3%3E1\.2%405%3Ak%21/)
  store.close()
  const again = createStore(room, { qkv, link })
  assert.equal(again.state.settings.graph, '65 w3>1.2@5:k!')
  again.close()
})

test('a graph is requested when the reader agrees to its time, for this text only; it can be cancelled and computed again', async () => {
  const { store, act, settled } = await begin()
  const asked = () => room.needs(store.state).find(({ type }) => type === 'graph')
  const isAgreed = () => /** @type {any} */ (asked()).isAgreed
  act.setGraph('50')
  assert.equal(isAgreed(), false)
  act.cancel('graph')
  assert.equal(store.state.got.graph?.is, 'cancelled')
  await settled()
  assert.equal(store.state.got.graph?.is, 'cancelled', 'it is not asked for again')
  act.agreeToGraph()
  assert.equal(isAgreed(), true)
  await settled()
  assert.equal(store.state.got.graph?.is, 'here')
  act.type('The dog that chased the cat')
  await settled()
  assert.equal(isAgreed(), false)
  store.close()
})

test('a long time is shown before the computation; two stacks take longer than one, and too long a text has no graph', async () => {
  const model = await loadModel(qkv, 'tests/goldens/models/gpt2-tiny')
  const { ids } = model.tokenize(TEXT)
  const top = [7, 9].map(id => ({ id, token: String(id), probability: 0.5 }))
  const run = /** @type {any} */ ({ row: 9, top, input: { ids }, ids, milliseconds: 10_000 })
  const many = Object.assign({}, run, { ids: Array(20_000).fill(1) })
  const takes = await graphOf(qkv, model, many, false, {})
  assert.ok('takes' in takes && takes.takes.seconds > 100)
  assert.equal(takes.takes.bytes, 4 * (1 + 3 * 5) * 20_000 * 48)
  assert.ok('edges' in (await graphOf(qkv, model, many, true, {})), 'it was agreed to')
  assert.ok(
    'edges' in (await graphOf(qkv, model, run, false, {})),
    'a small model is not asked about, however slow the computer is',
  )
  const noRate = () => assert.fail('measured for a short graph')
  const sizes = { stacks: model.stacks, parameters: 100_000, vocab: 384 }
  const [short, long] = [10, 1000].map(tokens => graphCost(sizes, tokens, tokens, noRate))
  assert.ok('takes' in short && 'takes' in long && long.takes.seconds > 120 * short.takes.seconds)
  assert.deepEqual(graphCost(sizes, 300_000, 1, noRate), { isTooLong: true })
  const { decoder } = model.stacks
  const both = graphCost({ ...sizes, stacks: { encoder: decoder, decoder } }, 10, 10, noRate, 20)
  // In a layer of the decoder, four heads read the decoder and four read the encoder.
  assert.equal('takes' in both && both.takes.bytes, 4 * 48 * (10 * (1 + 3 * 5) + 20 * (1 + 3 * 9)))
  assert.ok('takes' in both && both.takes.seconds > short.takes.seconds)
  model.dispose()
})

test('the time of a long graph is that of a measured product, where the run of its text was the first and slow', () => {
  const decoder = /** @type {any} */ ({ layers: 12, numHeads: 12, headDim: 32 })
  const sizes = { stacks: { encoder: undefined, decoder }, parameters: 22_839_552, vocab: 3000 }
  /** Returns the stated seconds of a long graph. @param {number} milliseconds of the run on its text @param {number} rate multiplications per second */
  const seconds = (milliseconds, rate) => {
    const { isLong, takes } = /** @type {any} */ (graphCost(sizes, 64, milliseconds, () => rate))
    assert.ok(isLong)
    return takes.seconds
  }
  const warm = seconds(146, 1e9)
  assert.ok(warm > 3 && warm < 6, `4.1 s were measured, ${warm} are said`)
  assert.ok(Math.abs(seconds(10 * 146, 1e9) - 10 * warm) < 1e-9, 'a slow computer is slow')
  const cold = seconds(10 * 146, 1.1e10)
  assert.ok(cold > 2.05 && cold < 8.2, `${cold} s`)
})

for (const name of ['gpt2-tiny', 'marian-tiny'])
  test(`${name}: in the drawing words lie below in their order, each edge leads upwards, and the widest is the one with the largest effect`, async () => {
    const { store, act, settled, found } = await begin(name)
    act.setGraph('50')
    await settled()
    const made = found()
    const { run } = shownOf(store.state)
    const isBoth = name === 'marian-tiny'
    assert.deepEqual([made.words, made.encoded], isBoth ? [run?.targets, run?.tokens] : [run?.tokens, undefined])
    const edge = headGraph(made.edges, { share: 0.95 }).edges.find(({ to }) => to.kind === 'head') ?? assert.fail()
    act.setGraph(`95 ${edgeName(edge)}!`)
    await settled()
    assert.equal(store.state.got.graphEdge?.is, 'here', edgeName(edge))
    store.close()
    for (const share of [0.5, 0.8]) {
      const graph = headGraph(made.edges, { share, most: 250 })
      const drawing = drawingOf(graph, made)
      const { nodes, columns, rows, width, height } = drawing
      assert.equal(nodes.length, graph.nodes.length)
      for (const [n, a] of nodes.entries()) {
        assert.ok(a.x - a.width / 2 > 60 && a.x + a.width / 2 < width && a.y > 12 && a.y < height - 12, a.name)
        for (const b of nodes.slice(n + 1))
          assert.ok(
            Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) > 24,
            `${a.name} and ${b.name} overlap`,
          )
      }
      const below = nodes.filter(({ node }) => node.kind === 'embedding')
      assert.ok(below.every(({ y }) => y === rows[0].y))
      const order = below.map(({ node: { place, position = 0 } }) => position + (place === 'decoder' ? 100 : 0))
      assert.deepEqual(
        order,
        Array.from(order).sort((a, b) => a - b),
      )
      const places = new Set(graph.nodes.map(({ place }) => place))
      assert.deepEqual(
        ['encoder', 'decoder', 'cross'].map(place => places.has(/** @type {any} */ (place))),
        Array(3).fill(isBoth),
      )
      for (const { name, node, word } of nodes)
        if (node.kind === 'embedding')
          assert.equal(word, (node.place === 'encoder' ? made.encoded : made.words)?.[node.position ?? -1], name)
      assert.ok(columns.every(({ x }, n) => n === 0 || x > columns[n - 1].x))
      for (const { from, to, path } of drawing.edges) {
        assert.ok(to.y < from.y, `${from.name} ${to.name}`)
        assert.match(path, /^M[-\d. ]+ C[-\d. ]+$/)
      }
      const largest = Math.max(...graph.edges.map(({ effect }) => Math.abs(effect)))
      assert.equal(Math.abs(drawing.edges[drawing.edges.length - 1].edge.effect), largest)
    }
  })
