// Compares edges between parts at positions with a plain computation in float64 and with `edges`, and the smallest graph with a plain search.
// Checks that the graph finds the known circuits of induction.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { present } from '../../src/base/present.js'
import { backward, edges, headGraph, positionEdge, positionEdges } from '../../src/entries/interpret.js'
import { loadModel, writeSafetensors } from '../../src/entries/models.js'
import { Model } from '../../src/models/model.js'
import { folders, gpt2, loaded, near, open, qkv } from './checkpoints.js'
import { MADE, make } from './gguf/made.js'
import { ids, keyOf, of, plainGpt2 } from './plain-gpt2.js'
import { plainT5 } from './plain-t5.js'
import { smallChange } from './small-change.js'
import { randomOf } from './tokenizers/random-files.js'

/** @import { PositionEdges, PositionNode } from '../../src/entries/interpret.js' */

const READS = /** @type {const} */ (['q', 'k', 'v', 'input'])

/** Returns node n of the list. @param {PositionEdges} found @param {number} n @returns {PositionNode} */
function nodeAt({ writers, positions, incoming }, n) {
  if (n === incoming.length - 1) return { kind: 'logits' }
  return { ...writers[Math.floor(n / positions)], position: n % positions }
}

test('gpt2: edges at positions and their exact effects are those of a plain computation in float64', async () => {
  const run = await plainGpt2()
  const { value, written } = run()
  const found = await positionEdges(gpt2, { ids }, { of })
  near(found.value, value, 'value')
  const compared = { q: 0, k: 0, v: 0, input: 0 }
  for (let e = 0; e < found.effects.length; e++) {
    const reads = READS[found.reads[e]]
    const [from, to] = [nodeAt(found, found.from[e]), nodeAt(found, found.to[e])]
    // Checks all edges to the logits, and a sample of those that read q, k, v or an input.
    if (e % 57 && compared[reads] > 5 && to.kind !== 'logits') continue
    const { position = 0, layer, head, kind } = to
    const key = kind === 'head' ? `${reads} ${layer} ${head}` : keyOf({ kind, layer })
    const rows = written[keyOf({ ...from, position: undefined })]
    const at = from.position
    const delta = (/** @type {number} */ size) => rows.map((row, p) => row.map(x => (p === at ? -size * x : 0)))
    const query = reads === 'k' || reads === 'v' ? position : undefined
    const step = 1e-5
    const [a, b] = [step, -step].map(size => run({ key, delta: delta(size), query }).value)
    const name = `${keyOf(from)} at ${at} -> ${key} at ${position}`
    near(found.effects[e], (a - b) / (2 * step), name)
    const { effect } = await positionEdge(gpt2, { ids }, { of, from, to, reads })
    near(effect, run({ key, delta: delta(1), query }).value - value, `exactly ${name}`)
    compared[reads]++
  }
  assert.ok(Math.min(...Object.values(compared)) > 5, JSON.stringify(compared))
})

for (const name of folders)
  test(`${name}: the effects on keys and values, over all queries, are those of edges, and so is the sum of what a part reads`, async () => {
    const model = await open(name, 'float32')
    const { family } = Model.parts(model)
    if (!model.hasHead) return model.dispose()
    const isBoth = family.encoder !== undefined && family.decoder !== undefined
    const input = isBoth ? { ids, decoderIds: [1, 6, 2, 9] } : { ids }
    const { numHeads: H, numKvHeads: G } = /** @type {any} */ (family.decoder ?? family.encoder).heads
    const given = { of, by: /** @type {const} */ ('mean') }
    const { effects, writers, readers } = await edges(model, input, { ...given, byPosition: true })
    const found = await positionEdges(model, input, given)
    assert.deepEqual(found.writers, writers)
    const sums = new Float64Array(effects.data.length)
    const incoming = new Float64Array(found.incoming.length)
    const [R, L] = [readers.length, ids.length]
    for (let e = 0; e < found.effects.length; e++) {
      const { kind, layer, head = 0, place } = nodeAt(found, found.to[e])
      const reads = READS[found.reads[e]]
      const own = reads === 'input' ? kind : reads
      const reader = reads === 'k' || reads === 'v' ? Math.floor(head / (H / G)) : kind === 'head' ? head : undefined
      const r = readers.findIndex(one => keyOf(one) === keyOf({ kind: own, layer, head: reader, place }))
      sums[(Math.floor(found.from[e] / L) * R + r) * L + (found.from[e] % L)] += found.effects[e]
      incoming[found.to[e]] += Math.abs(found.effects[e])
    }
    const largest = effects.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    effects.data.forEach((want, n) => {
      near(sums[n], want, `${name}: ${n}`, 1e-5 * largest + 1e-7)
    })
    found.incoming.forEach((want, n) => {
      near(incoming[n], want, `${name}: into ${n}`, 1e-6 + 1e-6 * want)
    })
    // If fewer edges are kept, `incoming` is still complete.
    const few = await positionEdges(model, input, { ...given, most: 50 })
    assert.deepEqual(few.effects, found.effects.slice(0, 50))
    assert.deepEqual(few.from, found.from.slice(0, 50))
    assert.deepEqual(few.incoming, found.incoming)
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('gpt2: through the softmax, edges are the weights that a plain computation would have instead, times their slopes', async () => {
  const run = await plainGpt2()
  const { written, weights } = run()
  const [found, byGradient] = [
    await positionEdges(gpt2, { ids }, { of, weights: 'exact' }),
    await positionEdges(gpt2, { ids }, { of }),
  ]
  const compared = { q: 0, k: 0 }
  let most = 0
  for (let e = 0; e < found.effects.length; e++) {
    const reads = READS[found.reads[e]]
    const [from, to] = [nodeAt(found, found.from[e]), nodeAt(found, found.to[e])]
    const { position: query = 0, layer, head } = to
    if (reads === 'v' || reads === 'input') {
      const same = byGradient.from.findIndex(
        (n, i) => n === found.from[e] && byGradient.to[i] === found.to[e] && byGradient.reads[i] === found.reads[e],
      )
      assert.equal(found.effects[e], byGradient.effects[same], 'what is no weight is as before')
      continue
    }
    if (e % 29) continue
    const rows = written[keyOf({ ...from, position: undefined })]
    const delta = rows.map((row, p) => row.map(x => (p === from.position ? -x : 0)))
    const name = `${layer} ${head}`
    const other = run({ key: `${reads} ${name}`, delta, query: reads === 'k' ? query : undefined }).weights[name][query]
    const more = other.map((weight, j) => weight - weights[name][query][j])
    const step = 1e-5
    const [a, b] = [step, -step].map(size => run(undefined, { head: name, query, more, size }).value)
    near(found.effects[e], (a - b) / (2 * step), `${keyOf(from)} at ${from.position} -> ${reads} ${name} at ${query}`)
    most = Math.max(most, Math.abs(found.effects[e]))
    compared[reads]++
  }
  assert.ok(Math.min(...Object.values(compared)) > 5 && most > 0.01, `${JSON.stringify(compared)} ${most}`)
})

test('of weights that round to 1, an edge through the softmax is what the other keys would get', async () => {
  // The queries of the first layer are 30 times as large, so that some of its weights round to 1.
  const { config, weights } = make(MADE[0], 'F32', randomOf(1))
  for (const [name, { values }] of weights) if (/layers\.0.*q_proj/.test(name)) values.set(values.map(w => 30 * w))
  const stored = Array.from(weights, ([name, { values, dims }]) => [name, { data: values, dims }])
  const bytes = writeSafetensors(Object.fromEntries(stored))
  const folder = { 'config.json': new TextEncoder().encode(JSON.stringify(config)), 'model.safetensors': bytes }
  const model = await loadModel(qkv, folder, { tokenizer: false })
  const place = 'layers.0.attention.weights'
  const { gradients } = await backward(model, { ids }, { of, at: [place] })
  const mapsOf = (/** @type {import('../../src/entries/models.js').Hooks} */ hooks) =>
    present(model.forwardSync({ ids }, { keep: ['attentions'], hooks }).attentions[0])
  const [maps, slopes] = [mapsOf({}), present(gradients[place])]
  const found = await positionEdges(model, { ids }, { of, weights: 'exact' })
  assert.ok(found.incoming.every(Number.isFinite))
  const { numHeads: H = 0, numKvHeads: G = 1, headDim: D = 0 } = model.stacks.decoder ?? {}
  const effects = new Map(
    Array.from(found.effects, (effect, e) => [`${found.from[e]} ${found.to[e]} ${found.reads[e]}`, effect]),
  )
  const largest = Math.abs(found.effects[0])
  let [saturated, moved] = [0, 0]
  for (let p = 0; p < ids.length; p++)
    for (let h = 0; h < H; h++) {
      // Layer 0 reads the embedding through an RMS norm, so its key is zero without the embedding.
      const from = Math.floor(h / (H / G)) * D
      const changed = mapsOf({
        'layers.0.attention.k': k => void k.data.fill(0, p * G * D + from, p * G * D + from + D),
      })
      for (let r = p; r < ids.length; r++) {
        const [before, after, slope] = [maps, changed, slopes].map(x => x.slice(1, h, h + 1).slice(2, r, r + 1).data)
        const want = after.reduce((sum, weight, j) => sum + (weight - before[j]) * slope[j], 0)
        const head = found.writers.findIndex(one => one.kind === 'head' && one.layer === 0 && one.head === h)
        const got = effects.get(`${p} ${head * found.positions + r} 1`) ?? 0
        near(got, want, `head ${h} at ${r} reads key ${p}`, 1e-5 * largest)
        const isOne = r > 0 && before[p] === 1
        saturated += Number(isOne)
        moved += Number(isOne && Math.abs(want) > 1e-2 * largest)
      }
    }
  assert.ok(saturated > 5 && moved > 2, `${saturated} ${moved}`)
  model.dispose()
})

test('a query at padding, which sees no key, has no edge through the softmax', async () => {
  const input = { ids, attentionMask: [0, 0, 1, 1, 1, 1] }
  const atPadding = { logits: [{ position: 0, token: 7 }, ...of.logits] }
  const { incoming, writers, positions } = await positionEdges(gpt2, input, { of: atPadding, weights: 'exact' })
  incoming.forEach((sum, n) => {
    const isHeadAtPadding = writers[Math.floor(n / positions)]?.kind === 'head' && n % positions < 2
    assert.ok(isHeadAtPadding ? sum === 0 : Number.isFinite(sum), `${n}: ${sum}`)
  })
})

test('t5: edges at positions of both stacks and between them, and their exact effects, are those of a plain computation in float64', async () => {
  const model = await open('t5-tiny', 'float32')
  const input = { ids, decoderIds: [1, 6, 2, 9] }
  const run = await plainT5(model, input, [{ position: 3, token: 7 }, of.logits[1]])
  const { value, written } = run()
  const found = await positionEdges(model, input, { of })
  near(found.value, value, 'value')
  /** @type {Record<string, number>} */
  const compared = {}
  for (let e = 0; e < found.effects.length; e++) {
    const reads = READS[found.reads[e]]
    const [from, to] = [nodeAt(found, found.from[e]), nodeAt(found, found.to[e])]
    const kind = `${to.place ?? ''} ${reads}`
    // Check a sample of each kind.
    if (e % 997 && (compared[kind] ?? 0) > 2) continue
    const { position = 0, layer, head, place } = to
    const key = to.kind === 'head' ? `${reads} ${place} ${layer} ${head}` : keyOf({ ...to, position: undefined })
    const rows = written[keyOf({ ...from, position: undefined })]
    const delta = (/** @type {number} */ size) =>
      rows.map((row, p) => row.map(x => (p === from.position ? -size * x : 0)))
    const query = reads === 'k' || reads === 'v' ? position : undefined
    const step = 1e-5
    const [a, b] = [step, -step].map(size => run({ key, delta: delta(size), query }).value)
    const name = `${keyOf(from)} at ${from.position} -> ${key} at ${position}`
    near(found.effects[e], (a - b) / (2 * step), name)
    const { effect } = await positionEdge(model, input, { of, from, to, reads })
    near(effect, run({ key, delta: delta(1), query }).value - value, `exactly ${name}`)
    compared[kind] = (compared[kind] ?? 0) + 1
  }
  const kinds = ['encoder', 'decoder', 'cross'].flatMap(place => ['q', 'k', 'v'].map(reads => `${place} ${reads}`))
  for (const kind of [...kinds, 'encoder input', 'decoder input', ' input'])
    assert.ok(compared[kind] > 2, `${kind}: ${JSON.stringify(compared)}`)
  model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

for (const name of folders)
  test(`${name}: a small change of the embeddings changes each edge at a position as it is estimated, also through the softmax`, async () => {
    const model = await open(name, 'float32')
    const { family, weights } = Model.parts(model)
    if (!model.hasHead) return model.dispose()
    const { input, clean } = smallChange(name, { family, weights })
    const [found, exactly] = await Promise.all(
      /** @type {const} */ (['gradient', 'exact']).map(weights => positionEdges(model, input, { of, clean, weights })),
    )
    const largest = Math.abs(found.effects[0])
    const nameAt = (/** @type {PositionEdges} */ { from, to, reads }, /** @type {number} */ e) =>
      `${from[e]} ${to[e]} ${reads[e]}`
    const others = new Map(Array.from(exactly.effects, (effect, e) => [nameAt(exactly, e), effect]))
    for (let e = 0; e < found.effects.length; e++)
      near(others.get(nameAt(found, e)) ?? 0, found.effects[e], `edge ${nameAt(found, e)}`, 0.03 * largest + 4e-6)
    const compared = new Set()
    for (let e = 0; e < found.effects.length; e += Math.ceil(found.effects.length / 30)) {
      const [from, to] = [nodeAt(found, found.from[e]), nodeAt(found, found.to[e])]
      const reads = READS[found.reads[e]]
      const { effect } = await positionEdge(model, input, { of, clean, from, to, reads })
      near(effect, found.effects[e], `${keyOf(from)} -> ${reads} ${keyOf(to)}`, 0.03 * largest + 4e-6)
      compared.add(`${to.place ?? ''} ${reads}`)
    }
    assert.ok(compared.size >= (family.encoder && family.decoder ? 7 : 3) && largest > 2e-5, [...compared].join())
    model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

/** Returns the fraction of node n's input that comes from the words through kept edges only. @param {PositionEdges} found @param {Set<number>} kept @param {number} n @returns {number} */
function arrives(found, kept, n) {
  if (n < found.positions) return 1
  let sum = 0
  for (const e of kept)
    if (found.to[e] === n) sum += (Math.abs(found.effects[e]) / found.incoming[n]) * arrives(found, kept, found.from[e])
  return sum
}

/** Returns the fraction of the answer that comes through a node. @param {PositionEdges} found @param {number} n @returns {number} */
function through(found, n) {
  if (n === found.incoming.length - 1) return 1
  let sum = 0
  for (let e = 0; e < found.from.length; e++)
    if (found.from[e] === n)
      sum += (Math.abs(found.effects[e]) / found.incoming[found.to[e]]) * through(found, found.to[e])
  return sum
}

test('the graph of a share is the one that a plain computation finds, and larger shares contain smaller ones', async () => {
  // One layer with two heads and an MLP, at two positions.
  const writers = /** @type {const} */ ([
    { kind: 'embedding' },
    { kind: 'head', layer: 0, head: 0 },
    { kind: 'head', layer: 0, head: 1 },
    { kind: 'mlp', layer: 0 },
  ])
  const random = qkv.generator(3)
  for (let trial = 0; trial < 20; trial++) {
    /** @type {{ from: number, to: number, reads: number, effect: number }[]} */
    const list = []
    const pairs = [2, 3, 4, 5].flatMap(to => [0, 1].map(from => [from, to]))
    for (const [from, to] of [
      ...pairs,
      [2, 6],
      [3, 7],
      [4, 6],
      [5, 7],
      [0, 6],
      [1, 7],
      ...[1, 3, 5, 7].map(n => [n, 8]),
    ])
      list.push({ from, to, reads: to > 5 ? 3 : 1, effect: random.randn([1]).data[0] })
    list.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
    const incoming = new Float64Array(9)
    for (const { to, effect } of list) incoming[to] += Math.abs(Math.fround(effect))
    /** @type {PositionEdges} */
    const found = {
      writers: [...writers],
      positions: 2,
      value: 1,
      from: Uint32Array.from(list, ({ from }) => from),
      to: Uint32Array.from(list, ({ to }) => to),
      reads: Uint8Array.from(list, ({ reads }) => reads),
      effects: Float32Array.from(list, ({ effect }) => effect),
      incoming,
    }
    const flow = list.map((_, e) => (Math.abs(found.effects[e]) / incoming[found.to[e]]) * through(found, found.to[e]))
    const order = list.map((_, e) => e).sort((a, b) => flow[b] - flow[a])
    let before = new Set()
    for (const share of [0.2, 0.5, 0.8, 0.95, 1]) {
      let count = 0
      while (arrives(found, new Set(order.slice(0, count)), 8) < share - 1e-12) count++
      const kept = new Set(order.slice(0, count))
      const isFromWord = (/** @type {number} */ n) => arrives(found, kept, n) > 0
      /** @param {number} n @returns {boolean} */
      const isToAnswer = n => n === 8 || list.some(({ from, to }, e) => kept.has(e) && from === n && isToAnswer(to))
      const want = [...kept].filter(e => isFromWord(list[e].from) && isToAnswer(list[e].to))
      const graph = headGraph(found, { share })
      near(graph.share, arrives(found, kept, 8), `share ${share}`, 1e-12)
      const made = graph.edges.map(({ effect }) => effect)
      assert.deepEqual(
        made,
        want.map(e => found.effects[e]),
        `share ${share}`,
      )
      for (const [n, edge] of graph.edges.entries()) near(edge.share, flow[want[n]], 'edge', 1e-12)
      for (const node of graph.nodes) {
        const n =
          node.kind === 'logits'
            ? 8
            : writers.findIndex(one => keyOf(one) === keyOf({ ...node, position: undefined, share: undefined })) * 2 +
              (node.position ?? 0)
        near(node.share, through(found, n), keyOf(node), 1e-12)
      }
      assert.ok([...before].every(effect => made.includes(/** @type {number} */ (effect))))
      before = new Set(made)
    }
    const all = headGraph(found, { share: 1, most: 4 })
    assert.ok(all.share < 1 && all.edges.length <= 4)
  }
  const damaged = { ...(await positionEdges(gpt2, { ids }, { of })), incoming: new Float64Array(3) }
  assert.throws(() => headGraph(damaged), /what positionEdges returned/)
})

/** Makes a GPT-2 of two layers with hand-set weights: head 0 of layer 0 is a previous-token head, head 0 of layer 1 an induction head. */
async function inductionModel() {
  const [V, P] = [8, 12]
  const d = V + P + V + V + 2 // token, position, previous token, next token, and two large numbers that keep the norms almost constant
  /** @type {Record<string, { data: Float32Array, dims: number[] }>} */
  const tensors = {}
  const zeros = (/** @type {string} */ name, /** @type {number[]} */ ...dims) => {
    tensors[name] = { data: new Float32Array(dims.reduce((a, b) => a * b)), dims }
    return (/** @type {number} */ row, /** @type {number} */ column, /** @type {number} */ value) => {
      tensors[name].data[row * dims[1] + column] = value
    }
  }
  const wte = zeros('wte.weight', V, d)
  const wpe = zeros('wpe.weight', P, d)
  for (let n = 0; n < V; n++) wte(n, n, 1)
  for (let n = 0; n < P; n++) {
    wpe(n, V + n, 1)
    wpe(n, d - 2, 20)
    wpe(n, d - 1, -20)
  }
  const ones = (/** @type {string} */ name) => {
    zeros(`${name}.weight`, d)
    tensors[`${name}.weight`].data.fill(1)
    zeros(`${name}.bias`, d)
  }
  ones('ln_f')
  const [before, said] = [V + P, V + P + V]
  for (const l of [0, 1]) {
    ones(`h.${l}.ln_1`)
    ones(`h.${l}.ln_2`)
    const qkvWeight = zeros(`h.${l}.attn.c_attn.weight`, d, 3 * d)
    const o = zeros(`h.${l}.attn.c_proj.weight`, d, d)
    zeros(`h.${l}.attn.c_attn.bias`, 3 * d)
    zeros(`h.${l}.attn.c_proj.bias`, d)
    zeros(`h.${l}.mlp.c_fc.weight`, d, 8)
    zeros(`h.${l}.mlp.c_fc.bias`, 8)
    zeros(`h.${l}.mlp.c_proj.weight`, 8, d)
    zeros(`h.${l}.mlp.c_proj.bias`, d)
    // Keeps the scores so small that softmax does not saturate. A saturated softmax has no gradient, so the graph would have no edge to a key.
    const sharp = l === 0 ? 20 : 14
    if (l === 0)
      for (let n = 0; n < P; n++) {
        qkvWeight(V + n, n, sharp)
        if (n + 1 < P) qkvWeight(V + n, d + n + 1, sharp)
      }
    else
      for (let n = 0; n < V; n++) {
        qkvWeight(n, n, sharp)
        qkvWeight(before + n, d + n, sharp)
      }
    for (let n = 0; n < V; n++) {
      qkvWeight(n, 2 * d + n, 5)
      o(n, (l === 0 ? before : said) + n, 1)
    }
  }
  // The unembedding reads the answer from the columns to which the induction head writes it.
  const lmHead = zeros('lm_head.weight', V, d)
  for (let n = 0; n < V; n++) lmHead(n, said + n, 10)
  const config = {
    model_type: 'gpt2',
    vocab_size: V,
    n_positions: P,
    n_embd: d,
    n_layer: 2,
    n_head: 2,
    n_inner: 8,
    tie_word_embeddings: false,
  }
  return loadModel(
    qkv,
    {
      'config.json': new TextEncoder().encode(JSON.stringify(config)),
      'model.safetensors': new Blob([writeSafetensors(tensors)]),
    },
    { tokenizer: false },
  )
}

test('in a model that is induction by construction, the graph has its circuit, and no other edge between heads', async () => {
  const model = await inductionModel()
  const text = [4, 1, 6, 3, 2, 0, 5, 1]
  const { logits } = model.forwardSync({ ids: text }, { logits: 'last' })
  const data = logits?.data ?? assert.fail()
  assert.equal(data.indexOf(Math.max(...data)), 6, 'after 1 it says what stood after 1')
  const given = {
    of: {
      logits: [
        { position: -1, token: 6 },
        { position: -1, token: 3, weight: -1 },
      ],
    },
    by: /** @type {const} */ ('mean'),
  }
  const graph = headGraph(await positionEdges(model, { ids: text }, given), { share: 0.8 })
  const between = graph.edges.filter(({ from, to }) => from.kind === 'head' && to.kind === 'head')
  assert.equal(between.length, 1)
  const [first] = between
  const { from, to } = first
  assert.deepEqual(
    [from.layer, from.head, from.position],
    [0, 0, 2],
    'the head that reads the token before, behind the 1',
  )
  assert.deepEqual([to.layer, to.head, to.position, first.reads], [1, 0, 7, 'k'])
  const { effect, value } = await positionEdge(model, { ids: text }, { ...given, from, to, reads: 'k' })
  assert.ok(first.effect < 0 && effect < -0.5 * value, `without it ${value} changes by ${effect}`)
  model.dispose()
  assert.equal(qkv.memory.resident, loaded)
})

test('in the model of stories, the edge between heads that supports a name most leads from the head that reads the word before to the head that copies', async t => {
  const model = await loadModel(qkv, fileURLToPath(new URL('../../web/trained/stories', import.meta.url)))
  for (const text of [
    'Lily and Tom are friends . The fox is called vi ta mo . Tom has a red ball . Vi ta',
    'Lily and Tom are friends . The fox is called vi ta mo . The owl is called ka su ni . Vi ta',
  ]) {
    const own = model.tokenize(text).ids
    const { logits, attentions } = model.forwardSync({ ids: own }, { logits: 'last', keep: ['attentions'] })
    const data = logits?.data ?? assert.fail()
    const L = own.length
    const [answer, second] = Array.from(data.keys()).sort((a, b) => data[b] - data[a])
    assert.equal(model.decode([answer]).trim(), 'mo')
    const heads = attentions.flatMap((map, layer) => [0, 1].map(head => ({ layer, head, map: map ?? assert.fail() })))
    /** @param {(one: typeof heads[number]) => number} score */
    const best = score => heads.reduce((a, b) => (score(b) > score(a) ? b : a))
    const previous = best(({ map, head }) => own.reduce((sum, _, r) => sum + (r ? map.at(0, head, r, r - 1) : 0), 0))
    // The copying head attends most to the two positions after the earlier occurrence of the last two tokens, `vi ta`.
    const match = own.findIndex((id, n) => n < L - 2 && id === own[L - 2] && own[n + 1] === own[L - 1]) + 2
    const copies = best(({ map, head, layer }) =>
      layer ? map.at(0, head, L - 1, match) + map.at(0, head, L - 1, match + 1) : 0,
    )
    const given = {
      of: {
        logits: [
          { position: -1, token: answer },
          { position: -1, token: second, weight: -1 },
        ],
      },
      by: /** @type {const} */ ('mean'),
    }
    const graph = headGraph(await positionEdges(model, text, given), { share: 0.5 })
    const [edge] = graph.edges
      .filter(({ from, to }) => from.kind === 'head' && to.kind === 'head')
      .sort((a, b) => a.effect - b.effect)
    const { from, to } = edge
    t.diagnostic(
      `${from.layer}.${from.head}@${from.position} -> ${to.layer}.${to.head}@${to.position} ${edge.reads} ${edge.effect}`,
    )
    assert.deepEqual([from.layer, from.head], [previous.layer, previous.head])
    assert.deepEqual([to.layer, to.head, to.position], [copies.layer, copies.head, L - 1])
    assert.ok(from.position === match || from.position === match + 1)
    const cut = await positionEdge(model, text, { ...given, from, to, reads: edge.reads })
    assert.ok(cut.effect < 0, `cut, the lead changes by ${cut.effect}`)
  }
  model.dispose()
})

test('wrong arguments of edges at positions are named', async () => {
  const from = /** @type {const} */ ({ kind: 'head', layer: 0, head: 1, position: 2 })
  const to = /** @type {const} */ ({ kind: 'head', layer: 1, head: 0, position: 4 })
  const test = (/** @type {any} */ given) => () => positionEdge(gpt2, { ids }, { of, from, to, reads: 'k', ...given })
  await test({})()
  await assert.rejects(test({ reads: 'o' }), /reads/)
  await assert.rejects(test({ reads: 'input' }), /expected 'q', 'k' or 'v' for a head/)
  await assert.rejects(test({ reads: 'q' }), /reads at its own position, 4, not at 2/)
  await assert.rejects(test({ from: { ...from, head: 9 } }), /head 0\.9 is no part of this model/)
  await assert.rejects(test({ to: { ...to, layer: 7 } }), /head 7\.0 is no part of this model/)
  await assert.rejects(test({ to: { ...to, layer: 0 } }), /does not write before/)
  await assert.rejects(test({ from: { ...from, position: 6 } }), /from: position: .*got 6/)
  await assert.rejects(test({ from: undefined }), /undefined is no part of this model/)
  await assert.rejects(test({ to: undefined }), /no part of this model|expected 'q', 'k' or 'v' for a head/)
  await assert.rejects(positionEdges(gpt2, { ids }, { of, most: 0 }), /most: .*got 0/)
  await assert.rejects(positionEdges(gpt2, { ids }, { of, signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  const unfit = {
    undefined: undefined,
    'an empty object': {},
    'an object with effects, writers, readers': await edges(gpt2, { ids }, { of }),
  }
  for (const [name, found] of Object.entries(unfit))
    assert.throws(() => headGraph(/** @type {any} */ (found)), {
      name: 'TypeError',
      message: new RegExp(`^headGraph: expected the result of positionEdges, got ${name}.*$`),
    })
  await assert.rejects(
    positionEdges(gpt2, { ids }, { of, weights: /** @type {any} */ ('all') }),
    /weights: expected .*got "all"/,
  )
  const sentences = await open('sentence-bert-tiny', 'float32')
  await assert.rejects(
    positionEdges(sentences, { ids }, { of }),
    /this bert checkpoint has no head, so it has no answer to explain/,
  )
  sentences.dispose()
  const both = await open('t5-tiny', 'float32')
  const input = { ids, decoderIds: [1, 2] }
  const one = { logits: [{ position: -1, token: 7 }] }
  const cut = (/** @type {any} */ given) => () => positionEdge(both, input, { of: one, reads: 'k', ...given })
  const cross = { kind: 'head', place: 'cross', layer: 1, head: 0, position: 1 }
  const written = { kind: 'head', place: 'encoder', layer: 0, head: 1, position: 5 }
  await cut({ from: written, to: cross })()
  await assert.rejects(cut({ from, to: cross }), /from: position: expected a whole number from 0 to 1, got 2/)
  await assert.rejects(cut({ from: { ...from, position: 1 }, to: cross }), /decoder head 0\.1 does not write before/)
  await assert.rejects(
    cut({ from: written, to: { ...cross, place: 'decoder' } }),
    /encoder head 0\.1 does not write before/,
  )
  await assert.rejects(cut({ from: { ...written, position: 6 }, to: cross }), /from: position: .*got 6/)
  both.dispose()
  assert.equal(qkv.memory.resident, loaded)
})
