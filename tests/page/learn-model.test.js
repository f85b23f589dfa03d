// Tests the models of Learn: sentences agree with the numbers, and changes, gradients, files and programs are exact.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from 'qkv'
import { Trouble } from '../../web/files/trouble.js'
import { texts as en } from '../../web/i18n/en/learn.js'
import { LANGUAGES } from '../../web/i18n/languages.js'
import { texts as zh } from '../../web/i18n/zh/learn.js'
import { check } from '../../web/rooms/layer/check-settings.js'
import { fromValue } from '../../web/rooms/layer/import.js'
import { PRESETS, trainingLink } from '../../web/rooms/layer/presets.js'
import { createTracer } from '../../web/rooms/layer/trace/layer-trace.js'
import { weightsOfFirst } from '../../web/rooms/learn/attention-parts.js'
import { estimate, MOST_BYTES, MOST_SECONDS, smaller } from '../../web/rooms/learn/cost.js'
import { headLines, jumpOf, path } from '../../web/rooms/learn/curves.js'
import { hasStopped } from '../../web/rooms/learn/dock.js'
import { check as checkRun, fieldsOf, runSettings, settingsOf } from '../../web/rooms/learn/fields.js'
import { shownOf } from '../../web/rooms/learn/model-picture.js'
import { openedLayer } from '../../web/rooms/learn/opened-layer.js'
import { room } from '../../web/rooms/learn/room.js'
import { costOf } from '../../web/rooms/learn/run-state.js'
import { configOf, fromFile, toFile } from '../../web/rooms/learn/saved-model.js'
import { knownSentences, mayGoOn } from '../../web/rooms/learn/task-story.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { TARGET_WORDS } from '../../web/rooms/learn/tasks/translation.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { fromLink } from '../../web/shell/settings-link.js'
import { withGlosses } from '../../web/ui/glosses.js'
import { randomOf } from './hostile.js'
import { openLearn } from './learn-store.js'

/** @import { LearnSettings } from '../../web/rooms/learn/tasks/task.js' */
/** @import { Settings } from '../../web/rooms/learn/learn.js' */
/** @import { Change } from '../../web/attention-head/head.js' */

const text = readFileSync(new URL('../../docs/attention.md', import.meta.url), 'utf8')
const qkv = await load()
const NAMES = Object.keys(TASKS)

/** Creates a run, and trains it for `steps` steps. @param {string} task @param {Partial<LearnSettings>} [given] @param {number} [steps] */
function trained(task, given = {}, steps = 30) {
  const run = createRun(qkv, task, given, text)
  for (let n = 0; n < steps; n++) run.step()
  return run
}
const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
/** @param {number} got @param {number} want @param {number} within @param {string} what */
const near = (got, want, within, what) => assert.ok(Math.abs(got - want) <= within, `${what}: ${got}, ${want} expected`)

test('the first input of a task can be read with every vocabulary and length that it takes', () => {
  for (const name of ['induction', 'reverse', 'sort'])
    for (let V = 8; V <= 64; V++)
      for (let T = 8; T <= 64; T++) {
        const settings = { ...TASKS[name].defaults, V, T }
        if (Object.keys(TASKS[name].check?.(settings) ?? {}).length) continue
        const { first, read } = TASKS[name].tokens(/** @type {any} */ (settings))
        assert.ok(Array.isArray(read(first)), `${name}, V ${V}, T ${T}: ${first}`)
      }
  assert.ok(shownOf(qkv, createRun(qkv, 'induction', { V: 8, T: 9 }, text), '').next.length === 5)
})

for (const [task, given] of /** @type {[string, Partial<LearnSettings>][]} */ ([
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
    const { why } = shownOf(qkv, run, '', { why: 2 })
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

for (const [task, given, has] of /** @type {[string, Partial<LearnSettings>, string][]} */ ([
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
    const opened = openedLayer(qkv, run, '', layer)
    const { layers } = shownOf(qkv, run, '')
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
    const { why } = shownOf(qkv, run, '', { why: 0 })
    const row = task === 'sort' ? 8 : 0
    // The output of One layer, multiplied with the unembedding of the first token, is the sum of what the heads contribute to its logit.
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

test('a head times 1 changes nothing, times 0 is off, its mean is neither; suspended changes have no effect', () => {
  const run = trained('sort', {}, 120)
  const before = run.heldOutAccuracy()
  assert.ok(before > 0.9, String(before))
  const after = (/** @type {number | 'mean'} */ how, isOn = true) => {
    run.intervene([{ kind: 'head', stack: '', layer: 0, head: 0, how, isOn }])
    const { loss } = run.evaluate()
    return { accuracy: run.heldOutAccuracy(), loss }
  }
  const off = after(0)
  assert.ok(off.accuracy < 0.7, String(off.accuracy))
  assert.equal(after(1).accuracy, before)
  assert.equal(after(0, false).accuracy, before)
  const mean = after('mean')
  assert.ok(mean.accuracy < 0.7, String(mean.accuracy))
  assert.notEqual(mean.loss, off.loss)
  run.dispose()
})

test('the mean of a head is the mean of its output at the positions of answers', () => {
  const run = trained('reverse', {}, 10)
  // Replaced by its mean, the head adds the same to the logits of all positions, so two positions must report the same share.
  run.intervene([{ kind: 'head', stack: '', layer: 0, head: 0, how: 'mean', isOn: true }])
  const { why } = shownOf(qkv, run, '', { why: 0 })
  const { why: other } = shownOf(qkv, run, '', { why: 5 })
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
  const hide = (/** @type {number} */ query, /** @type {number} */ key) =>
    /** @type {Change} */ ({ kind: 'hide', stack: '', layer: 1, head: 0, query, key, isOn: true })
  run.intervene([hide(3, 1), hide(0, 0)])
  const { layers } = shownOf(qkv, run, '')
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

for (const [task, given, cells] of /** @type {[string, Partial<LearnSettings>, [string, number][]][]} */ ([
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
  const all = layers.map(layer => weightsOfFirst(qkv, layer))
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
  for (const [task, given] of /** @type {[string, Partial<LearnSettings>][]} */ ([
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
    assert.throws(() => fromFile(bare), /fileConfig|fileTask/)
    assert.equal(fromFile(bare, JSON.stringify(config)).step, 3)
    run.dispose()
    again.dispose()
  }
})

test('in a translation with two layers the last map is the one across, and its heads can be switched off', () => {
  const run = trained('translation', { layers: 2, heads: 2, positions: 'rope', mlp: 32 }, 20)
  const { layers, answers, tokens } = shownOf(qkv, run, 'she buys a car today')
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
    run.intervene([{ kind: 'head', stack: '', layer, head: 1, how: 0, isOn: true }])
    assert.notEqual(run.evaluate().loss, loss, `layer ${layer}`)
  }
  run.intervene([])
  const { attention } = run.gradients(run.parameters.stateDict(), 20)
  const [first, second, cross] = attention.map(({ dims }) => dims)
  assert.deepEqual(first, second)
  assert.deepEqual([cross[1], cross[2]], [run.shape.L, first[2]])
  run.dispose()
})

test('files that are truncated, of another kind or of other shapes are refused with the reason', () => {
  const run = trained('sort', {}, 1)
  const state = run.parameters.stateDict()
  const config = configOf('sort', run.settings, 1, '')
  const bytes = toFile(state, config)
  assert.throws(() => fromFile(bytes.subarray(0, 100)), /fileNone/)
  assert.throws(() => fromFile(bytes.subarray(0, bytes.length - 4)), /fileBytes/)
  assert.throws(() => fromFile(new Uint8Array(3)), /fileNone/)
  assert.throws(() => fromFile(new TextEncoder().encode('<!doctype html><title>x</title>')), /fileNone/)
  assert.throws(() => fromFile(bytes, '{"task":"__proto__"}'), /fileTask/)
  assert.throws(() => fromFile(toFile(state, { ...config, settings: { ...config.settings, d: 64 } })), /fileShape/)
  assert.throws(() => fromFile(toFile(state, { ...config, step: -1 })), /step/)
  assert.throws(() => fromFile(toFile(state, { ...config, settings: { ...config.settings, layers: 1e9 } })), /layers/)
  const { embed, ...rest } = state
  assert.throws(() => fromFile(toFile(rest, config)), /fileMissing .*embed/)
  embed.data[0] = Number.NaN
  assert.throws(() => fromFile(toFile({ embed, ...rest }, config)), /fileNotFinite/)
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
      const { task, settings, step, state } = fromFile(changed, n % 2 ? undefined : JSON.stringify(json))
      assert.deepEqual(runSettings(settled(task, settings)), settings)
      assert.ok(step >= 0 && Object.values(state).every(({ data }) => data.every(Number.isFinite)))
      counts.opened++
    } catch (error) {
      if (!(error instanceof Trouble)) throw error
      counts.refused++
    }
  }
  assert.ok(counts.opened > 100 && counts.refused > 1000, JSON.stringify(counts))
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
  /** @type {import('../../web/rooms/learn/watched-run.js').Point[]} */
  const points = []
  for (; run.steps <= 300; run.step()) if (run.steps % 20 === 0) points.push({ step: run.steps, ...run.evaluate() })
  const lines = headLines(points)
  assert.ok(
    lines.some(
      ({ name, kind, value }) => name.startsWith('1.') && kind === 'previous' && value(points[points.length - 1]) > 0.6,
    ),
  )
  assert.ok(lines[0].kind === 'answer' || lines[1].kind === 'answer')
  const jump = jumpOf(points)
  assert.ok(jump !== null && jump > 100 && jump <= 300, String(jump))
  const baseline = run.baselineAccuracy()
  assert.ok(baseline < 0.15, String(baseline))
  run.dispose()
})

/** Returns the settings of the room for a run. @param {Settings['task']} task @param {Partial<LearnSettings>} settings */
const settled = (task, settings) =>
  /** @type {Settings} */ ({ ...fromLink(room.fields, ''), ...settingsOf(task, settings) })

test('hostile numbers in a link give settings within their ranges, and offers that are right', () => {
  const parts = ['1e308', '-1', 'NaN', 'Infinity', '0x10', '1e-320', '', 'constructor', '9'.repeat(400)]
  for (const task of NAMES)
    for (const field of fieldsOf(task))
      for (const part of parts) {
        const link = new URLSearchParams({ task, [field]: part }).toString()
        /** @type {Settings} */
        let settings
        try {
          settings = fromLink(room.fields, link)
        } catch {
          continue // the page shows that the link is damaged
        }
        const own = runSettings(settings)
        assert.ok(own.d % (2 * own.heads) === 0 && own.layers <= 4 && own.steps <= 5000, field)
        assert.ok(own.rate > 0 && own.rate <= 1)
        assert.equal(task === 'sort' && (own.T % 2 === 1 || own.V < own.T / 2), false)
        for (const { offers = [] } of Object.values(checkRun(settings)))
          for (const offer of offers) {
            const mended = Object.keys(checkRun({ ...settings, ...offer }))
            assert.ok(
              !Object.keys(offer).some(name => mended.includes(name)),
              `${field}=${part}: ${JSON.stringify(offer)}`,
            )
          }
      }
})

test('sizes that take minutes are detected beforehand, and the offered ones take less', () => {
  for (const task of NAMES) {
    const { defaults } = TASKS[task]
    const own = estimate(defaults)
    assert.ok(own.seconds < MOST_SECONDS && own.bytes < MOST_BYTES, `${task}: ${own.seconds}`)
    assert.equal(smaller(defaults), undefined)
  }
  const { defaults } = TASKS.induction
  const large = { ...defaults, layers: 4, d: 128, heads: 8, mlp: 512, V: 64, T: 64, batch: 64, steps: 5000 }
  assert.ok(estimate(large).seconds > 600)
  const settings = settled('induction', { ...large, ...smaller(large) })
  assert.deepEqual(checkRun(settings), {})
  const own = runSettings(settings)
  assert.ok(estimate(own).seconds <= MOST_SECONDS && estimate(own).bytes <= MOST_BYTES)
})

test('a run costs what its machine takes for the usual number of steps, and nothing once it is done', () => {
  const run = { is: 'here', value: { milliseconds: { step: 375, evaluation: 1000 }, shape: { outputs: 32 } } }
  const cost = (/** @type {object} */ patch) =>
    costOf(
      /** @type {any} */ ({
        settings: settingsOf('induction'),
        view: { isEnded: false, reachedAt: null, divergedAt: null, ...patch },
        got: { run },
      }),
    )
  near(cost({}).seconds, (260 * 3) / 8 + 260 / 20, 1e-9, 'seconds')
  for (const patch of [{ isEnded: true }, { reachedAt: 280 }, { divergedAt: 3 }])
    assert.deepEqual(cost(patch), { seconds: 0, bytes: 0 })
})

for (const [task, { story, finds, defaults }] of Object.entries(TASKS))
  test(`the task ${task} has its texts in every language, and a story of five to seven stops`, async () => {
    assert.ok(story.length >= 5 && story.length <= 7)
    const stops = Array.from(story, (_, n) => [`story.${task}.${n + 1}`, `story.${task}.${n + 1}.do`]).flat()
    const found = finds(defaults).map(kind => (kind === 'answer' ? `learnFound.${task}` : 'learnFoundBefore'))
    const blanks = (/** @type {string} */ each) => (each.match(/\{\w+\}/g) ?? []).sort()
    const en = (await import('../../web/i18n/en/learn.js')).texts
    for (const language of Object.keys(LANGUAGES)) {
      const { texts } = await import(`../../web/i18n/${language}/learn.js`)
      for (const key of [`task.${task}`, `task.${task}.text`, `probeLabel.${task}`, ...found, ...stops]) {
        assert.ok(texts[key]?.trim(), `${language}: ${key}`)
        assert.deepEqual(blanks(texts[key]), blanks(/** @type {any} */ (en)[key]), `${language}: ${key}`)
      }
    }
  })

test('Next waits until the run has reached the subject of the next stop, or has ended', async () => {
  const own = openLearn('task=induction&steps=20')
  await own.picture()
  own.act.tell(0)
  assert.equal(mayGoOn(own.store.state), false, 'nothing is trained')
  own.act.step()
  await own.picture()
  assert.equal(mayGoOn(own.store.state), true)
  own.act.tell(1)
  assert.equal(mayGoOn(own.store.state), false, 'accuracy has not jumped')
  await own.train()
  assert.deepEqual([own.view.steps, mayGoOn(own.store.state)], [20, true], 'it has ended without a jump')
  own.close()
})

test('a run that has stopped at its goal shows that, as long as it can continue', () => {
  const stopped = (/** @type {object} */ patch) =>
    hasStopped(
      /** @type {any} */ ({ view: { steps: 280, reachedAt: 280, isTraining: false, isEnded: false, ...patch } }),
    )
  assert.equal(stopped({}), true)
  for (const patch of [{ isTraining: true }, { steps: 300 }, { steps: 600, isEnded: true }, { reachedAt: null }])
    assert.equal(stopped(patch), false)
})

test('words are followed by their meaning, if it is known', () => {
  const gloss = (/** @type {string} */ word) => (word === '新' ? 'new' : undefined)
  assert.deepEqual(withGlosses(['新', '</s>'], gloss), ['新 new', '</s>'])
  assert.deepEqual(withGlosses(['新'], undefined), ['新'])
})

test('from a translation in One layer the way to training leads to the translation task', () => {
  const taskOf = (/** @type {{ kind?: any }} */ { kind = 'self' }) =>
    /learn\.task=(\w+)/.exec(trainingLink({ kind }))?.[1]
  assert.equal(taskOf(PRESETS.translation.patch), 'translation')
  assert.equal(taskOf({}), undefined)
  assert.ok(TASKS.translation)
})

test('a task is described in one line, induction in two: the second explains why one layer fails', () => {
  for (const task of NAMES) {
    const key = /** @type {'task.sort.text'} */ (`task.${task}.text`)
    const lines = task === 'induction' ? 2 : 1
    assert.ok(
      en[key].length <= lines * 110 && zh[key].length <= lines * 46,
      `${task}: ${en[key].length}, ${zh[key].length}`,
    )
  }
})

test('a text of a story leaves out the sentences whose numbers are not known yet', () => {
  const text = 'Heads learn. With head {previous} off, accuracy falls to {changed}: it has lost its input. Done 1.5.'
  const known = knownSentences(text, { previous: '1.2', changed: undefined })
  assert.equal(known, 'Heads learn. Done 1.5.')
  assert.match(knownSentences(text, { previous: '1.2', changed: '5%' }), /head 1\.2 off, accuracy falls to 5%: it has/)
  assert.equal(knownSentences('头 {previous} 关掉后降到 {changed}：完。下一句。', { previous: '1.2' }), '下一句。')
})

test('a curve leaves out values that are not numbers, as of a saved model with huge weights', () => {
  assert.equal(
    path([
      [0, 1],
      [1, undefined],
      [1, NaN],
      [2, 3],
    ]),
    '0.0,1.0 2.0,3.0',
  )
})
