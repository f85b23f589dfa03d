// Tests the session of the room "Models" without a browser: runs of golden checkpoints, changes, programs, maps.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { headScores, loadModel } from 'qkv/models'
import { readChanges } from '../../web/attention-head/changes.js'
import {
  cellAt,
  emptyMaps,
  grown,
  likeness,
  mapAt,
  mapsOver,
  pairWeights,
  putLayer,
  putSummary,
  ranked,
  scaleEnd,
} from '../../web/rooms/models/atlas/maps.js'
import { looksOf, pairsOf, profileOf, tileOf } from '../../web/rooms/models/long-text/summary-details.js'
import { mattersOf } from '../../web/rooms/models/matters/task.js'
import { createModelLock } from '../../web/rooms/models/open/model-lock.js'
import { hooksOf, setRow } from '../../web/rooms/models/run/hooks.js'
import { matricesOf } from '../../web/rooms/models/run/layer-tensors.js'
import { exactMap, inputOf, runOf, statesOf } from '../../web/rooms/models/run/model-run.js'
import { breakLines, hitsOf } from '../../web/rooms/models/sentence/text-lines.js'
import { handlers } from '../../web/rooms/models/session.js'
import { serve } from '../../web/shell/port.js'
import { Tokenizer } from '../models/tokenizer.js'

/** @import { ModelsAsks as Asks, RunRequest } from '../../web/rooms/models/models.js' */
/** @import { WholeRun } from '../../web/rooms/models/run/model-run.js' */
/** @typedef {import('../../web/shell/room.js').FromSession<Asks>} Answer */

const root = fileURLToPath(new URL('../..', import.meta.url))
const goldens = `${root}tests/goldens/models/`
const qkv = await load()

/** Makes a session behind its port, and records all messages that it posts. */
function talk() {
  /** @type {Answer[]} */
  const posted = []
  /** @type {Set<() => void>} */
  const waiting = new Set()
  const answer = serve(
    () => handlers(qkv),
    message => {
      posted.push(message)
      for (const look of waiting) look()
    },
  )
  let last = 0
  /** Sends a request. Returns its id, and a promise of the last message of the answer. @template {keyof Asks} N @param {N} type @param {Asks[N]['request']} request */
  function ask(type, request) {
    const id = ++last
    answer({ type: 'ask', id, request: /** @type {any} */ ({ type, ...request }) })
    /** @type {Promise<Exclude<Answer, { type: 'progress' | 'pong' }>>} */
    const done = new Promise(resolve => {
      const look = () => {
        const found = posted.find(
          each => 'id' in each && each.id === id && each.type !== 'progress' && !('isLast' in each && !each.isLast),
        )
        if (!found) return
        waiting.delete(look)
        resolve(/** @type {any} */ (found))
      }
      waiting.add(look)
      look()
    })
    return { id, done }
  }
  /** Sends a request, and returns the value of the answer. @template {keyof Asks} N @param {N} type @param {Asks[N]['request']} request @returns {Promise<Asks[N]['value']>} */
  async function value(type, request) {
    const message = await ask(type, request).done
    if (message.type !== 'value') assert.fail(JSON.stringify(message))
    return /** @type {any} */ (message.value)
  }
  /** @param {string} name @param {File[]} [source] */
  const open = (name, source = filesOf(name)) => value('open', { id: name, name, source, known: [], most: Infinity })
  return { ask, value, open, posted, cancel: (/** @type {number} */ id) => answer({ type: 'cancel', id }) }
}

/** Makes a request for a run. @param {string} model @param {string} text @param {string} [changes] @returns {RunRequest} */
const runRequest = (model, text, changes = '') => ({
  model,
  input: { text, more: [] },
  changes: readChanges(changes),
  sourceText: '',
})

/** @param {string} name */
const filesOf = name =>
  readdirSync(goldens + name)
    .filter(file => /json$|safetensors$/.test(file) && !/^expected/.test(file))
    .map(file => new File([readFileSync(`${goldens}${name}/${file}`)], file))

/** @param {Float32Array | undefined} got @param {Float32Array | undefined} want @param {string} name */
function close(got, want, name) {
  assert.ok(got && want && got.length === want.length, name)
  got.forEach((x, i) => {
    if (!(Math.abs(x - want[i]) <= 1e-5)) assert.fail(`${name}[${i}]: ${x}, ${want[i]} expected`)
  })
}

test('the run of a golden checkpoint shows the attention and the prediction of the library', async () => {
  const { open, value } = talk()
  const text = 'The cat that chased the dog'
  for (const name of ['gpt2-tiny', 'gemma2-tiny', 'bert-tiny', 't5-tiny']) {
    await open(name)
    const model = await loadModel(qkv, goldens + name)
    const asked = { ...runRequest(name, text), row: name === 'bert-tiny' ? 3 : undefined }
    const { ids, maps, top, row, targetIds } = await value('run', asked)
    const { attentions, logits, crossAttentions } = model.forwardSync(
      { ids, ...(targetIds && { decoderIds: targetIds }) },
      { keep: ['attentions', 'crossAttentions'] },
    )
    const own = maps[targetIds ? 'decoder' : '']
    attentions.forEach((weights, layer) => {
      const size = weights?.data.length ?? 0
      close(own?.data.subarray(layer * size, (layer + 1) * size), weights?.data, `${name} layer ${layer}`)
    })
    if (targetIds) close(maps.cross?.data.subarray(0, crossAttentions[0]?.data.length), crossAttentions[0]?.data, name)
    const V = logits?.dims[2] ?? 0
    const line = logits?.data.slice(row * V, (row + 1) * V) ?? new Float32Array(0)
    const shares = qkv.softmax({ data: line, dims: [1, V] }).data
    const best = shares.indexOf(Math.max(...shares))
    assert.equal(top[0].id, best, name)
    assert.ok(Math.abs(top[0].probability - shares[best]) < 1e-5, name)
    model.dispose()
  }
})

test('an edited weight keeps its value, and the others share the rest', () => {
  const row = Float32Array.of(0.5, 0.25, 0.25, 0)
  setRow(row, [{ key: 1, value: 0.5 }])
  assert.deepEqual(
    [...row].map(x => Number(x.toFixed(6))),
    [0.333333, 0.5, 0.166667, 0],
  )
  setRow(row, [{ key: 0, value: 1 }])
  assert.deepEqual([...row], [1, 0, 0, 0])
})

test('changes have their effect in the model', async () => {
  const model = await loadModel(qkv, `${goldens}gpt2-tiny`, { tokenizer: Tokenizer })
  const input = { text: 'The cat that chased the dog' }
  const before = await runOf(qkv, model, input, {})
  const other = await statesOf(model, await inputOf(model, { text: 'A bird flew over the sea now' }))
  const run = (/** @type {string} */ text) =>
    runOf(qkv, model, input, hooksOf(readChanges(text), other), undefined, before)
  const at = (/** @type {WholeRun} */ { maps }, /** @type {number[]} */ [l, h, i, j]) => {
    const own = /** @type {NonNullable<typeof maps['']>} */ (maps[''])
    return own.data[((l * own.numHeads + h) * own.rows + i) * own.columns + j]
  }
  assert.equal(at(await run('2.1:7>3=hide'), [1, 0, 6, 2]), 0)
  assert.ok(at(before, [1, 0, 6, 2]) > 0)
  assert.equal(at(await run('2.1:8>3=0.25'), [1, 0, 7, 2]), 0.25)
  assert.deepEqual(
    (await run('1.1=1')).top,
    before.top.map(guess => ({ ...guess, before: guess.probability })),
    'a factor of 1',
  )
  for (const text of ['2.1=0', '2.1=mean', '2.1=0.5', '2.1:10>3=hide', '2.1:10>3=0.9', '2:10=patch']) {
    const { top, probabilities } = await run(text)
    assert.notEqual(top[0].probability, probabilities.length && before.probabilities[top[0].id], text)
    assert.equal(top[0].before, before.probabilities[top[0].id], text)
  }
  // With all of the last layer's output patched from the second text, the model predicts what it predicts after the second text.
  const donor = await runOf(qkv, model, { text: 'A bird flew over the sea now' }, {}, 9)
  const patched = await run('3:*=patch')
  assert.equal(patched.top[0].id, donor.top[0].id)
  model.dispose()
})

test('long texts have maps of blocks, which name the strongest known link of each', () => {
  const maps = emptyMaps(1, 2, 300, 300)
  assert.deepEqual([maps.height, maps.width], [64, 64])
  const map = { data: new Float32Array(2 * 64 * 64), dims: [1, 2, 64, 64] }
  const keys = new Int32Array(2 * 300 * 2).fill(-1)
  const weights = new Float32Array(2 * 300 * 2)
  const at = (300 + 123) * 2
  keys.set([45, 46], at)
  weights.set([0.75, 0.5], at)
  const [y, x] = [Math.floor((123 * 64) / 300), Math.floor((45 * 64) / 300)]
  map.data[64 * 64 + y * 64 + x] = 0.25
  putSummary(maps, 0, map, { data: keys, dims: [1, 2, 300, 2] }, weights)
  assert.equal(mapAt(maps, { layer: 0, head: 1 })[y * 64 + x], 0.25)
  assert.deepEqual(cellAt(maps, { layer: 0, head: 1 }, y, x), { query: 123, key: 45, weight: 0.75 })
  assert.deepEqual(cellAt(maps, { layer: 0, head: 0 }, y, x), {})
  // A cell of the map is a block of weights: the mean over its queries of the sum over its keys.
  for (const [L, side] of [
    [300, 256],
    [200, 200],
  ]) {
    const cellOf = (/** @type {number} */ i, /** @type {number} */ cells) => Math.floor((i * cells) / L)
    const weight = (/** @type {number} */ i, /** @type {number} */ j) => ((i * 7 + j * 3) % 11) / L
    const pooled = (/** @type {number} */ cells) => {
      const data = new Float32Array(cells * cells)
      const many = new Float32Array(cells)
      for (let i = 0; i < L; i++) many[cellOf(i, cells)]++
      for (let i = 0; i < L; i++)
        for (let j = 0; j < L; j++)
          data[cellOf(i, cells) * cells + cellOf(j, cells)] += weight(i, j) / many[cellOf(i, cells)]
      return data
    }
    const blocks = emptyMaps(1, 1, L, L)
    const none = { data: new Int32Array(0), dims: [1, 1, L, 0] }
    putSummary(blocks, 0, { data: pooled(side), dims: [1, 1, side, side] }, none, new Float32Array(0))
    close(blocks.data, pooled(64), `${side} cells a side of ${L} tokens`)
  }
})

/** Makes a small model that reads 2,048 tokens. */
function openLong() {
  const read = (/** @type {string} */ name) => readFileSync(`${goldens}qwen3-tiny-bf16/${name}`)
  const config = { ...JSON.parse(read('config.json').toString()), max_position_embeddings: 2048 }
  const source = { 'config.json': Buffer.from(JSON.stringify(config)), 'model.safetensors': read('model.safetensors') }
  return loadModel(qkv, source, { tokenizer: false })
}

test('a text of 1,200 tokens is summarised; maps, scores, tiles, links and profiles agree with the weights', async () => {
  const model = await openLong()
  const L = 1200
  const ids = Array.from({ length: L }, (_, i) => 3 + ((i * i) % 97))
  const run = await runOf(qkv, model, { text: '', ids }, {})
  const maps = run.maps[''] ?? assert.fail()
  assert.ok(maps.cells && maps.height === 64)
  const { attentions } = model.forwardSync({ ids }, { keep: ['attentions.1'], logits: 'none' })
  const exact = /** @type {NonNullable<(typeof attentions)[number]>} */ (attentions[1])
  const at = /** @type {const} */ ({ stack: '', layer: 1, head: 2 })
  const own = exact.data.subarray(2 * L * L, 3 * L * L)
  close((await exactMap(model, run.input, {}, at)).data, own, 'the exact map')
  /** Pools the weights into R x R cells. A cell is the mean over its queries of the sum over its keys. @param {number} size tokens on a side of a cell @param {number} R */
  const pooled = (size, R) => {
    const sums = new Float64Array(R * R)
    for (let i = 0; i < L; i++)
      for (let j = 0; j < L; j++) sums[Math.floor(i / size) * R + Math.floor(j / size)] += own[i * L + j] / size
    return sums
  }
  const { signal } = new AbortController()
  for (const used of [
    { run, hooks: {} },
    { run: { ...run, hasWindows: false }, hooks: {} },
  ]) {
    const tile = (/** @type {number} */ to, /** @type {number} */ cells) =>
      tileOf(model, used, at, { rows: [0, to], columns: [0, to], resolution: [cells, cells] }, signal)
    close((await tile(L, 300)).data, Float32Array.from(pooled(4, 300)), 'a tile of 4 x 4 words a cell')
    const near = await tileOf(model, used, at, { rows: [900, 903], columns: [700, 702], resolution: [3, 2] }, signal)
    const want = [900, 901, 902].flatMap(i => [own[i * L + 700], own[i * L + 701]])
    close(near.data, Float32Array.from(want), 'a tile of weights')
    const pairs = await pairsOf(model, used, { stack: '', query: 1100, key: 700 }, signal)
    assert.ok(Math.abs(pairs[maps.numHeads + 2] - own[1100 * L + 700]) <= 1e-6)
  }
  const ended = AbortSignal.abort()
  await assert.rejects(
    tileOf(model, { run, hooks: {} }, at, { rows: [0, L], columns: [0, L], resolution: [2, 2] }, ended),
  )

  const summaries = run.summaries[''] ?? assert.fail()
  const { from, to } = looksOf(summaries, 1000, { layer: 1, head: 2 })
  const row = [...own.subarray(1000 * L, 1001 * L)].sort((a, b) => b - a)
  close(
    Float32Array.from(from.map(({ weight }) => weight)),
    Float32Array.from(row.slice(0, from.length)),
    'strongest keys',
  )
  for (const { query, key, weight } of [...from, ...to])
    assert.ok(Math.abs(own[query * L + key] - weight) <= 1e-5 && (key === 1000 || query === 1000))
  const all = looksOf(summaries, 1000)
  assert.equal(new Set(all.from.map(({ layer, head }) => `${layer}.${head}`)).size, all.from.length)
  const { map, distance, longest } = profileOf(summaries[1], 2, 1)
  assert.deepEqual(map.dims, [512, 512])
  assert.ok(
    [0, 1, 511].every(r => Math.abs(map.data.subarray(r * 512, (r + 1) * 512).reduce((a, b) => a + b) - 1) <= 1e-4),
  )
  assert.ok(Math.abs(distance.reduce((a, b) => a + b) - 1) <= 1e-4)
  for (const { query, key, weight } of longest) assert.ok(weight >= 0.2 && own[query * L + key] >= 0.1999)
  assert.ok(longest.length <= 10)
  const sink = /** @type {any} */ ({
    distance: { data: [0, 1, 0], dims: [1, 1, 3] },
    map: { data: new Float32Array(1), dims: [1, 1, 1, 1] },
    topKeys: { data: [0, 0, 1, 0], dims: [1, 1, 4, 1] },
    topWeights: { data: [1, 0.9, 0.6, 0.8] },
  })
  assert.deepEqual(profileOf(sink, 0, 1).longest, [{ layer: 1, head: 0, query: 2, key: 1, weight: 0.6 }])

  const want = headScores([exact], ids).previous.data
  close(run.scores['']?.previous?.slice(maps.numHeads, 2 * maps.numHeads), want, 'previous')
  model.dispose()
})

test('lines of words fill their width; searches find every word that contains the text', () => {
  const words = ['a', 'bb', 'ccc', 'dddd', 'e']
  assert.deepEqual(
    breakLines(words, 4, word => word.length),
    [0, 2, 3, 4],
  )
  assert.deepEqual(
    breakLines(['long', 'long'], 2, word => word.length),
    [0, 1],
  )
  assert.deepEqual(
    breakLines([], 2, () => 1),
    [0],
  )
  assert.deepEqual(hitsOf(['The', 'other', 'cat'], 'THE '), [0, 1])
  assert.deepEqual(hitsOf(['The'], ' '), [])
})

test('heads are ranked by a pair of words and by similarity; maps grow by a row', () => {
  const maps = emptyMaps(1, 3, 2, 2)
  putLayer(maps, 0, { data: Float32Array.of(1, 0, 0.5, 0.5, 1, 0, 0.9, 0.1, 1, 0, 0.5, 0.5), dims: [1, 3, 2, 2] })
  assert.deepEqual(
    [...pairWeights(maps, 1, 1)].map(x => Number(x.toFixed(3))),
    [0.5, 0.1, 0.5],
  )
  const like = likeness(maps, { layer: 0, head: 0 }, false)
  assert.ok(like[0] > 0.999999 && like[2] > 0.999999 && like[1] < 0.98)
  assert.deepEqual(ranked(like, 3).map(({ head }) => head)[2], 1)
  assert.equal(scaleEnd(maps, true), 0.5)
  const more = grown(maps, Float32Array.of(0.2, 0.3, 0.5, 0, 0, 1, 1, 0, 0))
  assert.deepEqual([more.rows, more.columns], [3, 3])
  assert.deepEqual(
    [...more.data.subarray(0, 9)].map(x => Number(x.toFixed(3))),
    [1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5],
  )
})

test('generation shows at each step where the heads looked: the rows of a run over the whole text', async () => {
  const { ask, value, open, posted } = talk()
  const name = 'llama-tiny-sharded'
  await open(name)
  const request = runRequest(name, 'The cat that', '2.1=0.5')
  const { run } = await value('changed', request)
  const { id, done } = ask('generate', { ...request, temperature: 0.8, topK: 20, seed: 3, count: 4 })
  assert.equal((await done).type, 'value')
  const steps = posted.flatMap(each =>
    each.type === 'value' && each.id === id && each.value
      ? /** @type {import('../../web/rooms/models/prediction/generate.js').Step} */ (each.value)
      : [],
  )
  assert.equal(steps.length, 4)
  const more = steps.map(({ id }) => id)
  const whole = await value('changed', { ...request, input: { text: 'The cat that', more } })
  const ids = [...(run?.ids ?? []), ...more]
  assert.deepEqual(whole.run?.ids, ids)
  const maps = whole.run?.maps['']
  const last = steps[3].rows
  const [n, columns] = [ids.length - 2, ids.length - 1]
  for (let head = 0; head < (maps?.layers ?? 0) * (maps?.numHeads ?? 0); head++)
    for (let key = 0; key < columns; key++) {
      const want = maps?.data[(head * ids.length + n) * ids.length + key] ?? Number.NaN
      assert.ok(Math.abs(last[head * columns + key] - want) < 1e-5, `${head} ${key}`)
    }
})

test('while text is generated, a detail of the run is answered between two steps, and both are right', async () => {
  const { ask, value, open } = talk()
  await open('gpt2-tiny')
  const request = runRequest('gpt2-tiny', 'The cat that')
  const why = await value('why', request)
  const { done } = ask('generate', { ...request, temperature: 0, topK: 40, seed: 0, count: 8 })
  assert.deepEqual(await value('why', request), why)
  assert.equal((await done).type, 'value')
})

test('opening another model while one is being opened leaves the model before when it is cancelled', async () => {
  const { ask, value, open, cancel } = talk()
  await open('gpt2-tiny')
  const opening = ask('open', {
    id: 'second',
    source: filesOf('bert-tiny'),
    name: 'bert-tiny',
    known: [],
    most: Infinity,
  })
  cancel(opening.id)
  assert.equal((await opening.done).type, 'cancelled')
  assert.ok((await value('run', runRequest('gpt2-tiny', 'The cat'))).top.length)
  const before = qkv.memory.resident
  const broken = await ask('open', {
    id: 'broken',
    known: [],
    source: filesOf('bert-tiny').slice(0, 1),
    name: 'broken',
    most: Infinity,
  }).done
  assert.match(broken.type === 'failed' ? String(broken.problem.params?.message) : '', /safetensors/)
  assert.ok(qkv.memory.resident <= before, 'nothing is left behind; models of other tests may have been collected')
  assert.ok((await value('run', runRequest('gpt2-tiny', 'The dog'))).top.length)
})

test('a model whose opening is cancelled while another runs is not taken, and the run is answered', async () => {
  const lock = createModelLock(() => {})
  const model = () =>
    /** @type {any} */ ({ isDisposed: false, dispose() { this.isDisposed = true } }) // biome-ignore format: one line
  const [first, second] = [model(), model()]
  const { signal } = new AbortController()
  await lock.replace(first, 'first', signal)
  /** Lets the first run go on. @type {(value?: unknown) => void} */
  let goOn = () => {}
  const firstRun = new Promise(resolve => {
    goOn = resolve
  })
  let runs = 0
  const answer = lock.use('first', signal, async (used, own) => {
    runs++
    if (runs === 1) await firstRun
    own.throwIfAborted()
    return used
  })
  await new Promise(resolve => setTimeout(resolve))
  const opening = new AbortController()
  const taken = lock.replace(second, 'second', opening.signal)
  opening.abort()
  goOn()
  await assert.rejects(taken, { name: 'AbortError' })
  assert.deepEqual([second.isDisposed, first.isDisposed, lock.now('first')], [true, false, first])
  assert.deepEqual([await answer, runs], [first, 2])
})

test('a checkpoint that needs too much memory is not read, and its sizes are reported; in a smaller dtype it opens', async () => {
  const { ask, value } = talk()
  const request = { id: 'a', source: filesOf('gpt2-tiny'), name: 'gpt2-tiny', known: [], most: 300_000 }
  const large = await ask('open', request).done
  assert.equal(large.type === 'failed' && large.problem.key, 'modelsLarge')
  const { params } = large.type === 'failed' ? large.problem : {}
  assert.ok(params && Number(params.stored) > 300_000 && Number(params.int8) < 300_000)
  const opened = await value('open', { ...request, id: 'b', dtype: 'int8' })
  assert.deepEqual([opened.dtype, opened.bytes, opened.positions], ['int8', params.int8, 64])
})

test('a request for a model that is not open waits until it is, and a run of a model that is replaced is not answered', async () => {
  const { ask, open, cancel, posted } = talk()
  const early = ask('run', runRequest('bert-tiny', 'The cat'))
  await open('gpt2-tiny')
  const replaced = ask('run', runRequest('gpt2-tiny', 'The cat that '.repeat(12)))
  await open('bert-tiny')
  assert.equal((await early.done).type, 'value')
  const answers = posted.filter(each => 'id' in each && each.id === replaced.id && each.type === 'failed')
  assert.deepEqual(answers, [])
  cancel(replaced.id)
  assert.ok(['cancelled', 'value'].includes((await replaced.done).type))
})

test('a run is cancelled between two layers; the next request is answered, and the model still works', async () => {
  const { ask, value, open, cancel } = talk()
  const config = JSON.parse(readFileSync(`${goldens}qwen3-tiny-bf16/config.json`, 'utf8'))
  const longer = new File([JSON.stringify({ ...config, max_position_embeddings: 2048 })], 'config.json')
  const source = [longer, ...filesOf('qwen3-tiny-bf16').filter(({ name }) => name !== 'config.json')]
  await open('qwen3', source)
  const first = await value('run', runRequest('qwen3', 'The cat'))
  const before = qkv.memory.resident
  // After 2 ms the run has begun and has not ended, because each of its layers takes many milliseconds.
  const begun = () => new Promise(resolve => setTimeout(resolve, 2))
  const text = Array(300).fill('The cat').join(' ')
  const attention = qkv.attention
  let layers = 0
  qkv.attention = (q, ...given) => {
    if (/** @type {any} */ (q).dims[1] > 300) layers++
    return attention.call(qkv, q, ...given)
  }
  const long = ask('run', runRequest('qwen3', text))
  await begun()
  const newest = ask('run', runRequest('qwen3', 'The cat that'))
  cancel(long.id)
  assert.equal((await long.done).type, 'cancelled')
  const cancelled = layers
  const answer = await newest.done
  assert.equal(answer.type === 'value' && /** @type {any} */ (answer.value).ids.length, first.ids.length + 1)
  assert.ok(qkv.memory.resident <= before, 'nothing is left behind')
  await value('run', runRequest('qwen3', text))
  Reflect.deleteProperty(qkv, 'attention')
  const whole = layers - cancelled
  assert.ok(whole > 2 && cancelled < whole / 2, `${cancelled} of ${whole} layers`)
})

test('a long run reports its progress', async () => {
  const model = await loadModel(qkv, `${goldens}gpt2-tiny`, { tokenizer: Tokenizer })
  /** @type {{ layer: number, layers: number }[]} */
  const done = []
  await runOf(qkv, model, { text: 'The cat' }, {}, undefined, undefined, { onProgress: each => done.push(each) })
  assert.deepEqual(
    done.map(({ layer, layers }) => [layer, layers]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  )
  model.dispose()
})

test('during the run of a long text, finished layers replace those of the run before', async () => {
  const model = await openLong()
  /** @type {NonNullable<Parameters<NonNullable<import('../../web/rooms/models/run/model-run.js').Watch['onProgress']>>[0]['streamed']>[]} */
  const streamed = []
  const ids = Array.from({ length: 200 }, (_, i) => 3 + ((i * i) % 97))
  const old = await runOf(qkv, model, { text: '', ids: [5, ...ids] }, {})
  const run = await runOf(qkv, model, { text: '', ids }, {}, undefined, undefined, {
    onProgress: ({ streamed: each }) => each && streamed.push(structuredClone(each)),
  })
  const { layers } = model.stacks.decoder ?? { layers: 0 }
  assert.deepEqual(
    streamed.map(({ stack, done }) => [stack, done]),
    Array.from({ length: layers }, (_, n) => ['', n + 1]),
  )
  const whole = /** @type {import('../../web/rooms/models/atlas/maps.js').Maps} */ (run.maps[''])
  const before = /** @type {typeof whole} */ (old.maps[''])
  assert.ok(whole.cells && whole.data.length === before.data.length)
  const size = whole.data.length / layers
  for (const { done, maps, scores } of streamed) {
    assert.deepEqual(maps.data.slice(0, done * size), whole.data.slice(0, done * size))
    assert.ok(maps.data.slice(done * size).every(value => value === 0))
    const own = scores.induction?.slice(0, done * whole.numHeads)
    assert.deepEqual(own, run.scores['']?.induction?.slice(0, done * whole.numHeads))
    const both = mapsOver(maps, done, before)
    assert.deepEqual(both.data.slice(0, done * size), whole.data.slice(0, done * size))
    assert.deepEqual(both.data.slice(done * size), before.data.slice(done * size))
    assert.equal(mapsOver(maps, done, { ...before, height: 1 }), maps, 'maps of another shape')
  }
  model.dispose()
})

test('the data that a head passes to One layer gives its weights: queries, keys, scale and mask, or the weights themselves', async () => {
  for (const [name, stack, isPlain] of /** @type {const} */ ([
    ['gpt2-tiny', '', true],
    ['qwen3-tiny-bf16', '', true],
    ['mistral-made', '', true],
    ['bert-tiny', '', true],
    ['gemma2-tiny', '', false],
    ['marian-tiny', 'cross', true],
    ['t5-tiny', 'encoder', false],
    ['t5-tiny', 'cross', true],
  ])) {
    const isText = existsSync(`${goldens}${name}/tokenizer.json`)
    const model = await loadModel(qkv, goldens + name, { tokenizer: isText ? Tokenizer : false })
    const run = await runOf(qkv, model, { text: isText ? 'The cat that chased the dog' : '5 9 13 5 9 17 20 31' }, {})
    const maps = /** @type {import('../../web/rooms/models/atlas/maps.js').Maps} */ (run.maps[stack])
    const found = await matricesOf(model, run.input, {}, { stack, layer: 1, head: 2 })
    const { tensors, mask, settings } = found
    assert.deepEqual(Object.keys(tensors), isPlain ? ['q', 'k', 'v'] : ['weights', 'v'], name)
    const size = maps.numHeads * maps.rows * maps.columns
    const want = maps.data.subarray(size, 2 * size)
    const given = (/** @type {{ dims: number[], data: number[] }} */ { dims, data }) => ({
      dims: [1, ...dims],
      data: Float32Array.from(data),
    })
    const options = {
      ...(settings.scale === undefined ? {} : { scale: settings.scale }),
      causal: mask === 'causal',
      ...(mask === 'window'
        ? { window: /** @type {[number, number]} */ ([settings.left ?? 0, settings.right ?? 0]) }
        : {}),
    }
    const { q, k, v } = tensors
    const got = isPlain
      ? qkv.trace(given(q), given(k), given(v), { ...options, keep: ['weights'] }).weights.data
      : Float32Array.from(tensors.weights.data)
    close(got, want, name)
    assert.equal(found.head, 2)
    model.dispose()
  }
})

test('a weight is split into its largest terms, their sum with all others, and a small map; with changes too, in every kind of stack', async () => {
  const { open, value } = talk()
  const text = 'The cat that chased the dog'
  for (const [name, stack, changes] of /** @type {const} */ ([
    ['gpt2-tiny', '', ''],
    ['gpt2-tiny', '', '1.2=0'],
    ['bert-tiny', '', ''],
    ['t5-tiny', 'cross', ''],
    ['t5-tiny', 'encoder', ''],
  ])) {
    await open(name)
    const at = { stack, layer: 1, head: 2 }
    const asked = { ...runRequest(name, text, changes), at, cell: { query: 3, key: 1 } }
    await value('run', runRequest(name, text))
    const trace = await value('cell', asked)
    const found = await value('reasons', asked)
    assert.ok(!found.isTooLong && found.query === 3 && found.key === 1)
    const { score, pairs, count, table } = found
    assert.ok(Math.abs(score - trace.score) <= 1e-5, `${name} ${stack}: ${score}, ${trace.score}`)
    assert.ok(pairs.length === 8 && count > 8)
    assert.ok(pairs.every(({ value }, n) => n === 0 || Math.abs(value) <= Math.abs(pairs[n - 1].value)))
    assert.equal(table.data.length, (table.queries.length + 1) * (table.keys.length + 1))
    const sum = table.data.reduce((a, b) => a + b, 0)
    assert.ok(Math.abs(sum - score) <= 1e-5, `${sum}, ${score}`)
    const isOff = pairs.every(pair => [pair.query, pair.key].every(({ layer, head }) => layer !== 0 || head !== 1))
    assert.ok(changes === '' || isOff, 'a head that is switched off wrote nothing')
  }
})

test('what matters for an answer: estimates first, then exact rows, which are those of hooks; another text needs the same number of tokens', async () => {
  const { open, value, ask, posted } = talk()
  const text = 'The cat that chased the dog'
  await open('gpt2-tiny')
  const plain = runRequest('gpt2-tiny', text)
  const { top, ids, row } = await value('run', plain)
  const model = await loadModel(qkv, `${goldens}gpt2-tiny`)
  const lead = (/** @type {any} */ hooks) => {
    const { logits } = model.forwardSync({ ids }, { hooks })
    return (logits?.at(0, row, top[0].id) ?? NaN) - (logits?.at(0, row, top[1].id) ?? NaN)
  }
  const near = (/** @type {number} */ got, /** @type {number} */ want) =>
    assert.ok(Math.abs(got - want) <= 1e-5, `${got} for ${want}`)
  const asked = { ...plain, what: /** @type {const} */ ('heads'), stack: /** @type {const} */ (''), other: '' }
  const { id, done } = ask('matters', asked)
  const number = ask('number', { model: plain.model, stack: '', layer: 1, letter: 'q', row: 3 })
  await done
  const order = posted.flatMap(each => (each.type === 'value' ? [each.id] : []))
  const [first, last] = [order.indexOf(id), order.lastIndexOf(id)]
  const between = order.indexOf(number.id)
  assert.ok(first < between && between < last, `the model answers between two rows: ${order}`)
  const sent = posted.flatMap(each =>
    each.type === 'value' && each.id === id ? /** @type {any[]} */ ([each.value]) : [],
  )
  assert.deepEqual(
    sent.map(({ exact }) => exact),
    [0, 1, 2, 3],
  )
  const heads = sent[3]
  assert.deepEqual(heads.dims, [3, 4])
  near(heads.value, lead({}))
  near(heads.effects[4 + 2], lead({ 'layers.1.heads.2': 'mean' }) - lead({}))
  const changed = { ...asked, changes: readChanges('2.3=mean'), what: /** @type {const} */ ('now') }
  near(Number(await value('matters', changed)), heads.effects[4 + 2])
  const other = 'The dog that chased the cat'
  const states = await value('matters', { ...asked, what: 'positions', other })
  assert.ok(typeof states === 'object' && states.exact === 3)
  assert.deepEqual(states.dims, [3, model.tokenize(other).ids.length])
  assert.ok(states.effects.some(effect => effect !== 0))
  const longer = await value('matters', { ...asked, what: 'positions', other: `${text} again` })
  assert.ok(typeof longer === 'object' && longer.lengths?.[0].length === 10 && longer.lengths[1].length > 10)
  const run = { row: 5, top, ids: Array(1700).fill(ids[0]) }
  const watch = { signal: new AbortController().signal, emit: () => assert.fail(), rest: async () => {} }
  const { isTooLong } = await mattersOf(model, /** @type {any} */ (run), { what: 'heads', stack: '', other: '' }, watch)
  assert.equal(isTooLong, true, '12 heads with 1,700 by 1,700 weights')
  model.dispose()
})
