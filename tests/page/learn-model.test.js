// Learn: what is said of a model is true of its numbers; changes, gradients, files and programs are exact.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { load } from 'qkv'
import { readChanges, writeChanges } from '../../web/head/cell-changes.js'
import { check } from '../../web/rooms/layer/check-settings.js'
import { fromValue } from '../../web/rooms/layer/import.js'
import { createTracer } from '../../web/rooms/layer/trace/layer-trace.js'
import {
  checkLearn,
  estimate,
  MOST_BYTES,
  MOST_SECONDS,
  smaller,
  touchIn,
  writeLearn,
} from '../../web/rooms/learn/check.js'
import { headLines, jumpOf } from '../../web/rooms/learn/curves.js'
import { probeOf } from '../../web/rooms/learn/probe.js'
import { qkvProgram } from '../../web/rooms/learn/programs/node.js'
import { RECIPES } from '../../web/rooms/learn/recipes.js'
import { configOf, fromFile, toFile } from '../../web/rooms/learn/saved-model.js'
import { STORIES } from '../../web/rooms/learn/story.js'
import { TARGET_WORDS } from '../../web/rooms/learn/tasks/translation.js'
import { TEXTS } from '../../web/rooms/learn/texts.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { randomOf } from './hostile.js'

/** @typedef {import('../../web/rooms/learn/training-run.js').Task} Task */
/** @typedef {import('../../web/rooms/learn/recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('../../web/head/cell-changes.js').Change} Change */

const text = readFileSync(new URL('../../docs/attention.md', import.meta.url), 'utf8')
const qkv = await load()
const TASKS = /** @type {Task[]} */ (Object.keys(RECIPES))

/** A run after some steps. @param {Task} task @param {Partial<LearnSettings>} [given] @param {number} [steps] */
function trained(task, given = {}, steps = 30) {
  const run = createRun(qkv, task, given, text)
  for (let n = 0; n < steps; n++) run.step()
  return run
}
const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
/** @param {number} got @param {number} want @param {number} within @param {string} what */
const near = (got, want, within, what) => assert.ok(Math.abs(got - want) <= within, `${what}: ${got}, ${want} expected`)

for (const [task, given] of /** @type {[Task, Partial<LearnSettings>][]} */ ([
  ['induction', {}],
  ['induction', { norm: true, mlp: 48, positions: 'learned' }],
  ['induction', { positions: 'distance', heads: 4 }],
  ['translation', { norm: true, heads: 2 }],
  ['translation', { layers: 2, mlp: 48, positions: 'rope' }],
  ['translation', { layers: 3, mlp: 48, norm: true, positions: 'distance' }],
  ['sort', {}],
  ['reverse', {}],
  ['text', {}],
]))
  test(`the shares of ${task} ${JSON.stringify(given)} add up to the logits, the positions of a head to its share`, () => {
    const run = trained(task, given, task === 'text' ? 3 : 30)
    const { why } = probeOf(qkv, run, '', { why: 2 })
    assert.ok(why)
    assert.equal(why.tokens.length, 8)
    for (const [i, { logit }] of why.tokens.entries())
      near(sum(why.shares.map(({ values }) => values[i])), logit, 2e-5 * (1 + Math.abs(logit)), 'logit')
    const S = why.columns.length
    for (const { kind, values, sources } of why.shares) {
      assert.equal(sources !== undefined, kind === 'head')
      if (sources)
        why.tokens.forEach((_, i) => {
          near(sum(Array.from(sources.slice(i * S, (i + 1) * S))), values[i], 1e-5 * (1 + Math.abs(values[i])), 'share')
        })
    }
    run.dispose()
  })

for (const [task, given, has] of /** @type {[Task, Partial<LearnSettings>, string][]} */ ([
  ['reverse', { heads: 2 }, 'Wq'],
  ['sort', { norm: true }, 'Wq'],
  ['induction', {}, 'Q'],
  ['translation', {}, 'Q'],
  ['translation', { layers: 2, positions: 'rope' }, 'Q'],
  ['sort', { positions: 'distance', heads: 2 }, 'V'],
  ['translation', { positions: 'distance' }, 'V'],
]))
  test(`the matrices of ${task} ${JSON.stringify(given)} give its weights in the room "One layer", and what its heads add`, () => {
    const run = trained(task, given, 20)
    const layer = run.blocks.length - 1
    const { opened, layers } = probeOf(qkv, run, '', { layer })
    assert.ok(opened)
    const plain = Object.fromEntries(
      Object.entries(opened.heads).map(([name, { dims, data }]) => [name, { dims, data: Array.from(data) }]),
    )
    const settings = fromValue({ ...plain, tokens: opened.rows, keyTokens: opened.columns })
    const { checked, problems } = check({ ...settings, mask: opened.causal ? 'causal' : 'none' })
    assert.ok(checked, JSON.stringify(problems))
    const { tensors } = createTracer(qkv)(checked)
    assert.ok(Object.hasOwn(tensors, has))
    assert.deepEqual(tensors.weights?.dims, layers[layer].dims)
    for (const [i, want] of layers[layer].data.entries())
      near(Number(tensors.weights?.data[i]), want, 1e-6, `weight ${i}`)
    const source = task === 'translation' ? 'an engineer wants an autonomous driving solution in Beijing today' : ''
    const { why } = probeOf(qkv, run, source, { why: 0 })
    const row = task === 'sort' ? 8 : 0
    // What the heads give to the logit of the first token, from the output of the room's layer.
    if (!run.settings.norm && has !== 'V') {
      const { d } = run.settings
      const id = Number(run.shape.previous ? TARGET_WORDS.indexOf(String(why?.tokens[0].token)) : why?.tokens[0].token)
      const U = run.parameters.values.unembed.data.slice(id * d, (id + 1) * d)
      const got = sum(Array.from(U, (u, c) => u * Number(tensors.final?.data[row * d + c])))
      const want = sum(
        (why?.shares ?? [])
          .filter(({ kind, layer: l }) => kind === 'head' && l === layer)
          .map(({ values }) => values[0]),
      )
      near(got, want, 1e-4 * (1 + Math.abs(want)), 'what the heads add')
    }
    run.dispose()
  })

test('a head times 1 changes nothing, times 0 is off, its mean is neither; what is suspended has no effect', () => {
  const run = trained('sort', {}, 120)
  const before = run.heldOutAccuracy()
  assert.ok(before > 0.9, String(before))
  const after = (/** @type {Partial<Change>} */ change) => {
    run.touch([{ layer: 0, head: 0, kind: 'off', isOn: true, ...change }])
    const { loss } = run.evaluate()
    return { accuracy: run.heldOutAccuracy(), loss }
  }
  const off = after({})
  assert.ok(off.accuracy < 0.7, String(off.accuracy))
  assert.deepEqual(after({ kind: 'scale', factor: 0 }), off)
  assert.equal(after({ kind: 'scale', factor: 1 }).accuracy, before)
  assert.equal(after({ isOn: false }).accuracy, before)
  const mean = after({ kind: 'mean' })
  assert.ok(mean.accuracy < 0.7, String(mean.accuracy))
  assert.notEqual(mean.loss, off.loss)
  run.dispose()
})

test('the mean of a head is the mean of what it gives where the model answers', () => {
  const run = trained('reverse', {}, 10)
  // With both replaced by their means, all positions get the same logits from heads: evaluation sees one answer a place.
  run.touch([{ layer: 0, head: 0, kind: 'mean', isOn: true }])
  const { why } = probeOf(qkv, run, '', { why: 0 })
  const { why: other } = probeOf(qkv, run, '', { why: 5 })
  const of = (/** @type {typeof why} */ each, /** @type {string} */ token) => {
    const at = each?.tokens.findIndex(known => known.token === token) ?? -1
    return at < 0 ? undefined : each?.shares.find(({ kind }) => kind === 'head')?.values[at]
  }
  const shared = why?.tokens.map(({ token }) => token).filter(token => of(other, token) !== undefined) ?? []
  assert.ok(shared.length > 0)
  for (const token of shared) near(Number(of(why, token)), Number(of(other, token)), 1e-6, token)
  run.dispose()
})

test('a painted cell is hidden from its head only, and rows without a visible key give zeros', () => {
  const run = trained('induction', {}, 20)
  const cells = /** @type {[number, number][]} */ ([
    [3, 1],
    [0, 0],
  ])
  run.touch([{ layer: 1, head: 0, kind: 'hide', cells, isOn: true }])
  const { layers } = probeOf(qkv, run, '')
  const [H, L, S] = layers[1].dims
  assert.equal(H, 2)
  const at = (/** @type {number} */ head, /** @type {number} */ i, /** @type {number} */ j) =>
    layers[1].data[(head * L + i) * S + j]
  assert.equal(at(0, 3, 1), 0)
  assert.equal(at(0, 0, 0), 0)
  assert.ok(at(1, 3, 1) > 0 && at(1, 0, 0) === 1)
  near(at(0, 3, 0) + at(0, 3, 2) + at(0, 3, 3), 1, 1e-6, 'the rest of the row')
  run.dispose()
})

for (const [task, given, cells] of /** @type {[Task, Partial<LearnSettings>, [string, number][]][]} */ ([
  [
    'induction',
    {},
    [
      ['embed', 40],
      ['0.q', 100],
      ['1.v', 7],
      ['unembed', 33],
    ],
  ],
  [
    'translation',
    { layers: 2, mlp: 48, positions: 'learned' },
    [
      ['position', 70],
      ['positionTarget', 40],
      ['encoder1.q', 100],
      ['encoder.down', 5],
      ['cross.up', 64],
    ],
  ],
  ['translation', { positions: 'distance' }, [['cross.bias', 3]]],
]))
  test(`gradients of the weights of ${task} ${JSON.stringify(given)} are those of finite differences`, () => {
    const run = trained(task, { ...given, batch: 4 }, 10)
    const state = run.parameters.stateDict()
    const { weights } = run.gradients(state, 10)
    for (const [name, index] of cells) {
      const eps = 1e-2
      const at = (/** @type {number} */ delta) => {
        const moved = state[name].data.slice()
        moved[index] += delta
        return run.gradients({ ...state, [name]: { data: moved, dims: state[name].dims } }, 10).loss
      }
      const difference = (at(eps) - at(-eps)) / (2 * eps)
      near(weights[name].data[index], difference, 2e-4 + 0.02 * Math.abs(difference), name)
    }
    run.dispose()
  })

test('gradients of attention weights, through softmax, are those of a bias by distance', () => {
  const run = trained('induction', { positions: 'distance', batch: 1, V: 16, T: 12 }, 15)
  const state = run.parameters.stateDict()
  const { attention, weights, ids } = run.gradients(state, 15)
  const T = 12
  const { layers } = run.forward({
    B: 1,
    T,
    L: T,
    ids,
    sources: ids,
    targets: Int32Array.from({ length: T }, () => 0),
  })
  const all = run.weightsOfFirst(layers, T, T)
  for (const l of [0, 1])
    for (let h = 0; h < 2; h++) {
      const bias = new Float64Array(T)
      for (let i = 0; i < T; i++) {
        const row = (h * T + i) * T
        let mean = 0
        for (let j = 0; j <= i; j++) mean += all[l].data[row + j] * attention[l].data[row + j]
        for (let j = 0; j <= i; j++) bias[i - j] += all[l].data[row + j] * (attention[l].data[row + j] - mean)
      }
      const want = weights[`${l}.bias`].data.slice(h * T, (h + 1) * T)
      const scale = Math.max(...Array.from(want, Math.abs))
      assert.ok(scale > 0)
      bias.forEach((value, distance) => {
        near(value, want[distance], 1e-5 * scale + 1e-8, `layer ${l}, head ${h}, distance ${distance}`)
      })
    }
  run.dispose()
})

test('a saved model opens with the same bits, also from a file without its header’s configuration', () => {
  for (const [task, given] of /** @type {[Task, Partial<LearnSettings>][]} */ ([
    ['induction', { norm: true, seed: 4 }],
    ['translation', {}],
    ['translation', { layers: 3, mlp: 32, positions: 'none' }],
    ['text', { d: 32, batch: 4 }],
  ])) {
    const run = trained(task, given, 3)
    const state = run.parameters.stateDict()
    const config = configOf(task, run.settings, 3, task === 'text' ? text : '')
    const bytes = toFile(state, config)
    const read = fromFile(bytes)
    assert.deepEqual([read.task, read.step, read.settings], [task, 3, { ...run.settings }])
    for (const [name, { data }] of Object.entries(state)) assert.deepEqual(read.state[name].data, data, name)
    const again = createRun(qkv, task, read.settings, read.text)
    again.resume(read.state, read.step)
    assert.deepEqual(again.evaluate(), run.evaluate())
    const bare = toFile(state, /** @type {any} */ ('x'))
    assert.throws(() => fromFile(bare), /configuration|not known/)
    assert.equal(fromFile(bare, JSON.stringify(config)).step, 3)
    run.dispose()
    again.dispose()
  }
})

test('a translation saved before it had a choice of positions opens with its sinusoids', () => {
  const run = trained('translation', {}, 3)
  const state = run.parameters.stateDict()
  const config = configOf('translation', run.settings, 3, '')
  const old = { ...config, version: 1, settings: { ...config.settings, positions: /** @type {const} */ ('none') } }
  const read = fromFile(toFile(state, old))
  assert.equal(read.learn, '')
  const again = createRun(qkv, 'translation', read.settings)
  again.resume(read.state, read.step)
  assert.deepEqual(again.evaluate(), run.evaluate())
  assert.equal(fromFile(toFile(state, { ...old, version: 2 })).settings.positions, 'none')
  run.dispose()
  again.dispose()
})

test('in a translation with two layers the last map is the one across, and its heads can be touched', () => {
  const run = trained('translation', { layers: 2, heads: 2, positions: 'rope', mlp: 32 }, 20)
  const { layers, answers, tokens } = probeOf(qkv, run, 'she buys a car today')
  assert.deepEqual(
    layers.map(({ rows }) => rows),
    [tokens, tokens, answers],
  )
  assert.deepEqual(run.blocks, ['encoder', 'encoder1', 'cross'])
  const { heads, loss } = run.evaluate()
  assert.deepEqual(
    heads.map(layer => layer.some(({ answer }) => answer > 0)),
    [false, false, true],
  )
  for (const layer of [0, 1, 2]) {
    run.touch([{ layer, head: 1, kind: 'off', isOn: true }])
    assert.notEqual(run.evaluate().loss, loss, `layer ${layer}`)
  }
  run.touch([])
  const { attention } = run.gradients(run.parameters.stateDict(), 20)
  const [first, second, cross] = attention.map(({ dims }) => dims)
  assert.deepEqual(first, second)
  assert.deepEqual([cross[1], cross[2]], [run.shape.L, first[2]])
  run.dispose()
})

test('files that are cut off, of another kind or of other shapes are refused with what is wrong', () => {
  const run = trained('sort', {}, 1)
  const state = run.parameters.stateDict()
  const config = configOf('sort', run.settings, 1, '')
  const bytes = toFile(state, config)
  assert.throws(() => fromFile(bytes.subarray(0, 100)), /cut off|JSON/)
  assert.throws(() => fromFile(bytes.subarray(0, bytes.length - 4)), /do not fit/)
  assert.throws(() => fromFile(new Uint8Array(3)), /no safetensors/)
  assert.throws(() => fromFile(new TextEncoder().encode('<!doctype html><title>x</title>')), /no safetensors/)
  assert.throws(() => fromFile(bytes, '{"task":"__proto__"}'), /not known/)
  assert.throws(() => fromFile(toFile(state, { ...config, settings: { ...config.settings, d: 64 } })), /expected/)
  assert.throws(() => fromFile(toFile(state, { ...config, step: -1 })), /step/)
  assert.throws(() => fromFile(toFile(state, { ...config, settings: { ...config.settings, layers: 1e9 } })), /layers/)
  const { embed, ...rest } = state
  assert.throws(() => fromFile(toFile(rest, config)), /embed is missing/)
  embed.data[0] = Number.NaN
  assert.throws(() => fromFile(toFile({ embed, ...rest }, config)), /not finite/)
  run.dispose()
})

test('2,000 mutations of a saved model: a sentence, or a model that a run can take', () => {
  const run = trained('sort', {}, 1)
  const config = configOf('sort', run.settings, 1, '')
  const bytes = toFile(run.parameters.stateDict(), config)
  const header = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  const random = randomOf(9)
  const below = (/** @type {number} */ n) => Math.floor(random() * n)
  const strange = [null, -1, 0, 1.5, 1e300, 2 ** 53, '', 'x', 'text', '__proto__', true, [], ['sort'], {}, { sort: 1 }]
  const counts = { opened: 0, refused: 0 }
  for (let n = 0; n < 2000; n++) {
    const changed = bytes.slice(0, below(8) ? bytes.length : below(bytes.length))
    const json = structuredClone(/** @type {Record<string, any>} */ (config))
    if (n % 2) for (let edits = below(3); edits >= 0; edits--) changed[below(header)] = below(256)
    else {
      const target = below(3) ? json.settings : json
      const keys = [...Object.keys(target), 'text', 'x']
      target[keys[below(keys.length)]] = strange[below(strange.length)]
    }
    try {
      const { task, settings, learn, step, state } = fromFile(changed, n % 2 ? undefined : JSON.stringify(json))
      assert.deepEqual([typeof task, checkLearn(task, learn).settings], ['string', settings])
      assert.ok(step >= 0 && Object.values(state).every(({ data }) => data.every(Number.isFinite)))
      counts.opened++
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      counts.refused++
    }
  }
  assert.ok(counts.opened > 100 && counts.refused > 1000, JSON.stringify(counts))
  run.dispose()
})

const root = fileURLToPath(new URL('../../', import.meta.url))
for (const [task, given] of /** @type {[Task, Partial<LearnSettings>][]} */ ([
  ['induction', {}],
  ['induction', { positions: 'distance', norm: true, mlp: 48 }],
  ['translation', { norm: true }],
  ['translation', { layers: 2, mlp: 48, positions: 'learned', norm: true }],
  ['translation', { layers: 2, positions: 'rope', heads: 2 }],
  ['translation', { positions: 'distance', mlp: 48 }],
  ['translation', { positions: 'none' }],
  ['sort', {}],
  ['sort', { positions: 'sinusoids' }],
  ['reverse', { positions: 'none' }],
  ['text', {}],
]))
  test(`the qkv program of ${task} ${JSON.stringify(given)} prints the losses of the run, bit for bit`, async () => {
    const run = createRun(qkv, task, { ...given, seed: 5, steps: 60 }, text)
    const program = qkvProgram(task, run.settings, text).replace('step < 60', 'step < 8')
    const options = { cwd: root, maxBuffer: 2 ** 24 }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options)
    const lines = stdout.trim().split('\n')
    assert.equal(lines.length, 8)
    for (const [i, line] of lines.entries()) assert.equal(line, `${i + 1} ${run.step()}`)
    run.dispose()
  })

test('the phase change is marked where accuracy rises most; a slow rise is none', () => {
  const point = (/** @type {number} */ step, /** @type {number} */ value) =>
    /** @type {any} */ ({ step, heldOutAccuracy: value })
  assert.equal(jumpOf([0.1, 0.1, 0.2, 0.6, 0.9, 0.95].map((value, i) => point(20 * i, value))), 60)
  assert.equal(jumpOf(Array.from({ length: 30 }, (_, i) => point(20 * i, i / 30))), null)
  assert.equal(jumpOf([]), null)
})

test('a trained induction model shows its two kinds of heads among the scores, and its jump', () => {
  const run = createRun(qkv, 'induction', { seed: 1 })
  const points = []
  for (; run.steps <= 300; run.step()) if (run.steps % 20 === 0) points.push({ step: run.steps, ...run.evaluate() })
  const lines = headLines(points)
  assert.ok(
    lines.some(
      ({ name, kind, values }) => name.startsWith('1.') && kind === 'previous' && values[values.length - 1] > 0.6,
    ),
  )
  assert.ok(lines[0].kind === 'answer' || lines[1].kind === 'answer')
  const jump = jumpOf(points)
  assert.ok(jump !== null && jump > 100 && jump <= 300, String(jump))
  const nowhere = run.looksNowhere()
  assert.ok(nowhere < 0.15, String(nowhere))
  run.dispose()
})

test('changes are read as they are written; what makes no sense is left out', () => {
  const sizes = { layers: 2, heads: 2 }
  const all = '1.1:off;-1.1:hide3-1_4-1;1.2:x0.5;2.1:mean;2.2:hide1-1'
  assert.equal(writeChanges(readChanges(all, sizes)), all)
  for (const bad of [
    '3.1:off',
    '1.9:off',
    '0.1:off',
    '1.1:x99',
    '1.1:xNaN',
    '1.1:hide',
    '1.1:boom',
    ':',
    '1.1:x-1',
    '1.1:hide0-0',
  ])
    assert.deepEqual(readChanges(bad, sizes), [], bad)
  assert.equal(readChanges(Array.from({ length: 5000 }, () => '1.1:off').join(';'), sizes).length, 1)
  const learn = writeLearn('induction', { seed: 3 }, all)
  assert.equal(touchIn(learn), all)
  assert.equal(checkLearn('induction', learn).settings.seed, 3)
})

test('hostile numbers in a link give settings within their ranges, and what is near', () => {
  const parts = ['1e308', '-1', 'NaN', 'Infinity', '0x10', '1e-320', '', 'constructor', '9'.repeat(400)]
  for (const task of TASKS)
    for (const field of [
      'layers',
      'heads',
      'd',
      'mlp',
      'V',
      'T',
      'rate',
      'batch',
      'steps',
      'seed',
      'positions',
      'norm',
      '__proto__',
    ])
      for (const part of parts) {
        const { settings, problems } = checkLearn(task, `${field}=${part}`)
        assert.ok(settings.d % (2 * settings.heads) === 0 && settings.layers <= 4 && settings.steps <= 5000, field)
        assert.ok(settings.rate > 0 && settings.rate <= 1)
        for (const { nearest } of problems)
          if (nearest) assert.deepEqual(checkLearn(task, writeLearn(task, { ...settings, ...nearest })).problems, [])
      }
})

test('sizes that take minutes are known beforehand, and what is offered instead does not', () => {
  for (const task of TASKS) {
    const { defaults } = RECIPES[task]
    const own = estimate(defaults)
    assert.ok(own.seconds < MOST_SECONDS && own.bytes < MOST_BYTES, `${task}: ${own.seconds}`)
    assert.equal(smaller(defaults), undefined)
  }
  const large = {
    ...RECIPES.induction.defaults,
    layers: 4,
    d: 128,
    heads: 8,
    mlp: 512,
    V: 64,
    T: 64,
    batch: 64,
    steps: 5000,
  }
  assert.ok(estimate(large).seconds > 600)
  const patch = smaller(large)
  const { settings, problems } = checkLearn('induction', writeLearn('induction', { ...large, ...patch }))
  assert.deepEqual(problems, [])
  assert.ok(estimate(settings).seconds <= MOST_SECONDS && estimate(settings).bytes <= MOST_BYTES)
})

test('each task has a story of five to seven stops, told in every language with the same blanks', () => {
  const blanks = (/** @type {string} */ each) => (each.match(/\{\w+\}/g) ?? []).sort()
  const { en, ...others } = TEXTS
  for (const task of TASKS) {
    assert.ok(STORIES[task].length >= 5 && STORIES[task].length <= 7)
    for (const at of STORIES[task].keys())
      for (const part of ['', '.do'])
        assert.ok(Object.hasOwn(en, `story.${task}.${at + 1}${part}`), `${task} ${at + 1}`)
  }
  for (const other of Object.values(others)) {
    assert.deepEqual(Object.keys(other).sort(), Object.keys(en).sort())
    for (const [key, value] of Object.entries(en)) {
      assert.ok(/** @type {any} */ (other)[key].trim(), key)
      assert.deepEqual(blanks(/** @type {any} */ (other)[key]), blanks(value), key)
    }
  }
})
