// No state breaks a room: actions in any order, with arguments in and out of range. RUNS=20000 SEED=7 tries other sequences.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VIEW_NAMES } from '../../web/head/views/index.js'
import { STEP_OF } from '../../web/rooms/layer/explain/frame-steps.js'
import { DEFAULTS, describe, FIELD_NAMES, FIELDS, HAND_BUILT } from '../../web/rooms/layer/fields.js'
import { EDITABLE, MATRIX_IDS } from '../../web/rooms/layer/matrices.js'
import { PRESETS } from '../../web/rooms/layer/presets.js'
import { room as layer } from '../../web/rooms/layer/room.js'
import { POSITIONS } from '../../web/rooms/learn/fields.js'
import { room as learn } from '../../web/rooms/learn/room.js'
import { handlers as learnHandlers } from '../../web/rooms/learn/session.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { room as models } from '../../web/rooms/models/room.js'
import { handlers as modelsHandlers } from '../../web/rooms/models/session.js'
import { defaultsOf, toLink } from '../../web/shell/settings-link.js'
import { useEnglishModel } from './english-model.js'
import { folder } from './models-store.js'
import { holds, propertiesOf, qkv, useNoBrowser } from './states.js'

useNoBrowser()
/** The first model of the page, for One layer; Models is given files. */
useEnglishModel()

const FLOW_STEPS = /** @type {import('../../web/elements/flow-frames.js').FlowStep[]} */ (Object.keys(STEP_OF))

const WORDS = ['the', 'cat', 'the', 'sat', 'and', '五', '👩‍👩‍👧‍👦', 'שלום', '<b>', '__proto__', '.']
const word = fc.constantFrom(...WORDS)
/** Texts of all lengths, the empty one as well. */
const sentence = fc.oneof(
  { weight: 8, arbitrary: fc.array(word, { maxLength: 9 }).map(words => words.join(' ')) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 20, maxLength: 40 }).map(words => words.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n', '\u0000', '\ud800') },
)
/** A position or an index, in range and beyond. */
const index = fc.oneof({ weight: 4, arbitrary: fc.nat(7) }, fc.constantFrom(8, 99, 99_999))
const flag = fc.boolean()
/** @template T @param {fc.Arbitrary<T>} value */
const maybe = value => fc.option(value, { nil: undefined })
/** @template T @param {fc.Arbitrary<T>} value */
const orNull = value => fc.option(value, { nil: null })

const place = fc.record({ row: index, column: index })
const matrix = fc.constantFrom('weights', 'weights', 'weights', ...MATRIX_IDS)
const cell = fc.tuple(matrix, fc.nat(4), place).map(([matrix, head, place]) => ({ matrix, head, ...place }))
const wordAt = fc.record({ side: fc.constantFrom('queries', 'keys'), position: index })
const number = fc.constantFrom(0, 0.3, 1, -2.5, 1e-7, 1000, undefined)

/** A value of a field of One layer, mostly one that it can have. @param {import('../../web/rooms/layer/fields.js').FieldName} name @returns {fc.Arbitrary<any>} */
function layerValue(name) {
  const { type, choices, least = 0 } = describe(name).kind
  if (choices) return fc.constantFrom(...choices)
  if (type === 'whole' || type === 'real')
    return fc.oneof(
      { weight: 8, arbitrary: fc.nat(7).map(n => least + n) },
      fc.constantFrom('', 'x', -1, 1e9, '1,5', '3'),
    )
  if (type === 'cell') return orNull(cell)
  if (type === 'word') return orNull(wordAt)
  if (type === 'flag') return flag
  if (type === 'handBuilt') return fc.array(fc.constantFrom(...HAND_BUILT), { minLength: 1, maxLength: 4 })
  if (type === 'painted') return fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(1)), { maxLength: 3 })
  if (type === 'edits')
    return fc
      .array(fc.tuple(cell, fc.constantFrom(0, 0.3, -2)), { maxLength: 3 })
      .map(all => all.filter(([{ matrix }]) => EDITABLE.includes(matrix)).map(([cell, value]) => ({ ...cell, value })))
  if (type === 'count') return name === 'probe' || name === 'tour' ? orNull(index) : index
  const texts = {
    seed: fc.constantFrom('1', '-9', '18446744073709551616', 'x', ''),
    scale: orNull(fc.constantFrom(1, '0.5', 'x', '1e39')),
    imported: fc.constant(null),
    probeWord: sentence,
    step: fc.constantFrom('embed', 'scores', 'softmax', 'mix', 'nothing'),
    before: fc.constantFrom('', 'seed=4', 'x=1'),
    view: fc.constantFrom(...VIEW_NAMES, 'nothing'),
    baseline: fc.constantFrom('', 'heads=2', 'sentence=a+b', 'x=1'),
  }
  return /** @type {Record<string, fc.Arbitrary<any>>} */ (texts)[name] ?? sentence
}

const layerPatch = fc
  .uniqueArray(fc.constantFrom(...FIELD_NAMES), { minLength: 1, maxLength: 4 })
  .chain(names => fc.record(Object.fromEntries(names.map(name => [name, layerValue(name)]))))
const ofComputed = layerPatch.map(patch =>
  Object.fromEntries(Object.entries(patch).filter(([name]) => describe(/** @type {any} */ (name)).history === 'undo')),
)
const tensor = (/** @type {number[]} */ dims) =>
  fc.array(fc.constantFrom(0, 1, 0.5, -2, 1000), { minLength: 1, maxLength: 1 }).map(([x]) => ({
    dims,
    data: Array(dims.reduce((a, b) => a * b, 1)).fill(x),
  }))
const numbers = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), flag)
  .chain(
    ([H, L, S, isWeights]) =>
      /** @type {fc.Arbitrary<any>} */ (
        isWeights
          ? fc.record({ weights: tensor([H, L, S]) })
          : fc.record({ q: tensor([H, L, 2]), k: tensor([H, S, 2]), v: tensor([H, S, 3]) })
      ),
  )
const layerLinks = layerPatch.map(patch => toLink(FIELDS, /** @type {any} */ ({ ...DEFAULTS, ...patch })))

/** A picture of weights: what is drawn as hidden is 0, and has no number of its own. @param {any} template */
function hidesNothing(template) {
  const { matrix, mask } = propertiesOf(template)
  const { data, dims } = matrix?.tensor ?? matrix ?? {}
  if (!data || dims.length !== 2) return
  for (let i = 0; i < data.length; i++) {
    const isHidden = mask?.data?.[i] === 0 || matrix.isHidden?.(Math.floor(i / dims[1]), i % dims[1])
    assert.ok(!isHidden || data[i] === 0 || data[i] === -Infinity, `cell ${i} is drawn as hidden and is ${data[i]}`)
  }
}

test('One layer shows every state, and draws no cell otherwise than its number', { timeout: 2 ** 31 - 1 }, () =>
  holds(layer, {
    runs: 4,
    links: layerLinks,
    look: hidesNothing,
    settled: async ({ store }) => {
      do await turn()
      while (store.state.got.trace?.is === 'waiting')
    },
    actions: {
      train: fc.tuple(flag),
      change: fc.tuple(ofComputed),
      look: fc.tuple(
        fc.record(
          { head: index, view: layerValue('view'), minus: layerValue('minus'), other: index },
          { requiredKeys: [] },
        ),
      ),
      edit: fc.tuple(cell, number),
      paint: fc.tuple(fc.nat(6), fc.nat(6), flag),
      choose: fc.tuple(fc.constantFrom(...Object.keys(PRESETS))),
      setBaseline: fc.constant([]),
      point: fc.tuple(maybe(cell)),
      hover: fc.tuple(maybe(wordAt)),
      hoverHead: fc.tuple(maybe(index)),
      select: fc.tuple(
        fc.record({ head: index, word: orNull(wordAt), cell: orNull(cell), less: orNull(cell) }, { requiredKeys: [] }),
      ),
      subtract: fc.tuple(cell),
      ask: fc.tuple(wordAt),
      clear: fc.constant([]),
      moveStep: fc.tuple(fc.constantFrom(-1, 1)),
      goTo: fc.tuple(layerValue('step')),
      frame: fc.tuple(index, fc.constantFrom(...FLOW_STEPS), maybe(index)),
      pass: fc.tuple(layerValue('step')),
      refresh: fc.constant([]),
      setDistribution: fc.tuple(fc.constantFrom(undefined, 1, 64)),
      setCost: fc.tuple(fc.record({ costLength: fc.constantFrom(1, 1000, 1e6), costCausal: flag })),
      measure: fc.tuple(fc.constant([8])),
      cancelMeasure: fc.constant([]),
      setFilter: fc.tuple(sentence),
      setRange: fc.tuple(maybe(fc.tuple(index, index).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })))),
      setScaleEnd: fc.tuple(fc.constantFrom('own', 'shared', 'one')),
      setMode: fc.tuple(fc.constantFrom('read', 'paint')),
      setTour: fc.tuple(orNull(fc.integer({ min: 1, max: 7 }))),
      copyLink: fc.constant([]),
      copy: fc.constant(['a', 'copied.link']),
      saveAll: fc.constant([]),
      import: fc.tuple(
        fc.oneof(
          numbers.map(all => JSON.stringify(all)),
          sentence,
        ),
      ),
      show: fc.constant(['cost']),
      reveal: fc.constant(['#map']),
      retry: fc.constant([]),
    },
    more: [
      sentence.map(text => ({
        name: `take ${text}`,
        run: ({ store }) => store.update(layer.take?.(store.state, { type: 'sentence', text })),
      })),
      numbers.map(tensors => ({
        name: `take a head ${JSON.stringify(tensors)}`,
        run: ({ store }) => store.update(layer.take?.(store.state, { type: 'head', tensors, head: 0, from: 'Models' })),
      })),
    ],
  }),
)

/** A room whose session runs here, as its worker would. @param {any} room @param {any} handlers */
const inNode = (room, handlers) => ({ ...room, session: { ...room.session, handlers } })
/** Waits for an answer, or for nothing. */
const turn = () => new Promise(resolve => setTimeout(resolve))
/** Waits until all is answered. @param {import('./states.js').Opened} own */
async function answered({ store }) {
  do await turn()
  while (Object.values(store.state.got).some(got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast)))
}
const wait = fc.constant({ name: 'wait', run: answered })
const headAt = fc.record({
  stack: fc.constantFrom('', 'encoder', 'decoder', 'cross'),
  layer: fc.nat(3),
  head: fc.nat(5),
})
const ofHead = headAt.map(({ stack, layer, head }) => ({ isOn: true, stack, layer, head }))
const change = fc.oneof(
  fc.tuple(ofHead, fc.constantFrom(0, 0.5, 'mean')).map(([at, how]) => ({ ...at, kind: 'head', how })),
  fc.tuple(ofHead, index, index).map(([at, query, key]) => ({ ...at, kind: 'hide', query, key })),
  fc.tuple(ofHead, index, index).map(([at, query, key]) => ({ ...at, kind: 'weight', query, key, value: 0.3 })),
  fc
    .tuple(ofHead, orNull(index))
    .map(([{ isOn, stack, layer }, position]) => ({ isOn, stack, layer, kind: 'patch', position })),
)
const changes = fc.array(change, { maxLength: 3 })
const saved = fc.tuple(fc.constant('a.csv'), fc.constant('1'), fc.constant('text/csv'))

const probe = fc.oneof(
  fc.array(fc.nat(70), { maxLength: 20 }).map(all => all.join(' ')),
  fc.array(fc.constantFrom('der', 'alte', 'Hund', 'the', 'x'), { maxLength: 9 }).map(all => all.join(' ')),
  sentence,
)
/** Sizes that train in no time. */
const small = fc.record(
  {
    layers: fc.constantFrom(1, 2, 5, 'x'),
    heads: fc.constantFrom(1, 2, 3, 0),
    d: fc.constantFrom(8, 12, 16, 7),
    positions: fc.constantFrom(...POSITIONS),
    mlp: fc.constantFrom(0, 8, ''),
    norm: flag,
    steps: fc.constantFrom(20, 40, -1),
    batch: fc.constantFrom(4, 8, 1e9),
    rate: fc.constantFrom(0.01, '0,01', 0, 1),
    seed: fc.nat(3),
  },
  { requiredKeys: [] },
)
const tiny = { layers: 1, heads: 2, d: 8, batch: 4, steps: 20 }
const task = fc.constantFrom(...Object.keys(TASKS))

test('Learn shows every state', { timeout: 2 ** 31 - 1 }, () =>
  holds(inNode(learn, learnHandlers), {
    runs: 2,
    links: fc.tuple(task, small, probe, change, index, index).map(([task, patch, probe, own, why, head]) => {
      const settings = {
        ...defaultsOf({ ...learn.fields, task: { ...learn.fields.task, default: task } }),
        ...tiny,
        ...patch,
      }
      return toLink(learn.fields, { ...settings, probe, changes: [own], why, head: `${head}.${why}`, trained: why })
    }),
    begin: ({ act }) => act.set(tiny),
    settled: turn,
    actions: {
      choose: fc.tuple(task),
      set: fc.tuple(small),
      type: fc.tuple(fc.constantFrom('', 'a short text', 'the cat sat on the mat and slept. '.repeat(90))),
      train: fc.constant([]),
      step: fc.constant([]),
      restart: fc.constant([]),
      goTo: fc.tuple(orNull(fc.constantFrom(0, 20, 999))),
      ask: fc.tuple(probe),
      explain: fc.tuple(orNull(index)),
      select: fc.tuple(fc.nat(3), fc.nat(4)),
      change: fc.tuple(changes),
      factor: fc.tuple(fc.nat(3), fc.nat(4)),
      keep: fc.tuple(fc.constantFrom('run', 'step')),
      against: fc.tuple(small),
      openLayer: fc.tuple(fc.nat(0), fc.nat(1), fc.constant('back')),
      open: fc.tuple(fc.constantFrom([], [new File(['x'], 'a.safetensors')])),
      saveModel: fc.tuple(flag),
      save: saved,
      copy: fc.constant(['a']),
      copyLink: fc.constant([]),
      tell: fc.tuple(orNull(fc.nat(2))),
      show: fc.tuple(
        fc.record(
          {
            pace: fc.constantFrom('full', 'ten'),
            picture: fc.constantFrom(...VIEW_NAMES),
            mode: fc.constantFrom('read', 'paint'),
            word: maybe(wordAt),
            whyToken: index,
            whyHead: fc.constantFrom('', '1.1', '9.9'),
            gradientAt: orNull(fc.constantFrom(0, 20, 999)),
            isTable: flag,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    more: [wait, wait, wait],
  }),
)

const MODELS = ['gpt2-tiny', 't5-tiny', 'marian-tiny', 'bert-tiny', 'distilbert-sst-tiny']
const files = fc.constantFrom(...MODELS).map(name => folder(name))
const at = fc.record({ head: headAt, cell: maybe(place.map(place => ({ matrix: 'weights', ...place }))) })
const heads = fc.record({ layer: fc.nat(3), head: fc.nat(5) })

test('Models shows every state', { timeout: 2 ** 31 - 1 }, () =>
  holds(
    inNode(models, () => modelsHandlers(qkv)),
    {
      runs: 2,
      links: fc
        .record({
          prompt: sentence,
          changes,
          at,
          graph: fc.constantFrom('', '80', '50 w1>a:input!', '80 9.9@9>a:input!'),
        })
        .map(patch => toLink(models.fields, { ...defaultsOf(models.fields), ...patch })),
      begin: async own => {
        own.act.bring(folder('gpt2-tiny'))
        await answered(own)
      },
      settled: turn,
      actions: {
        bring: fc.tuple(files),
        openSmaller: fc.tuple(fc.constantFrom('float16', 'int8')),
        openTyped: fc.tuple(fc.constantFrom('', 'nothing', 'http://elsewhere.org/x', 'gpt2')),
        pick: fc.tuple(fc.constantFrom(-1, 1), fc.nat(3)),
        enter: fc.tuple(fc.constantFrom('', 'nothing'), fc.constantFrom([], ['nothing'])),
        agree: fc.constant([]),
        refuse: fc.constant([]),
        drop: fc.constant(['hf:a/b']),
        cancel: fc.tuple(fc.constantFrom('open', 'run', 'graph', 'matters:heads', 'matters:positions')),
        runAgain: fc.constant([]),
        startAgain: fc.constant([]),
        dismiss: fc.constant([]),
        show: fc.tuple(
          fc.record(
            {
              picture: fc.constantFrom(...VIEW_NAMES),
              showing: fc.constantFrom('before', 'after', 'difference'),
              rankBy: fc.constantFrom(undefined, 'previous', 'first', 'entropy', 'example', 'similar'),
              hasMatters: flag,
              hasAllAdders: flag,
              hasBlock: flag,
              hasMany: flag,
              many: maybe(fc.array(sentence, { maxLength: 4 }).map(all => all.join('\n'))),
              manyBy: fc.constantFrom(undefined, 'previous', 'induction', 'entropy'),
              query: maybe(index),
              hasPrograms: flag,
              isOnlyHits: flag,
              isWithoutFirst: flag,
              least: fc.constantFrom(0, 0.5),
              against: fc.constantFrom(undefined, 'text', { layer: 1, head: 9 }, { layer: 0, head: 1 }),
              tab: fc.constantFrom('heads', 'prediction', 'changes'),
              row: maybe(index),
              patchLayer: fc.nat(3),
              beside: sentence,
            },
            { requiredKeys: [] },
          ),
        ),
        wait: fc.constant([[], undefined]),
        type: fc.tuple(sentence),
        readDraft: fc.tuple(sentence),
        dropDraft: fc.constant([]),
        typeSource: fc.tuple(sentence),
        forget: fc.constant([]),
        mask: fc.tuple(index),
        exchange: fc.tuple(index, word),
        openHead: fc.tuple(maybe(headAt)),
        chooseHead: fc.tuple(headAt, flag),
        chooseStack: fc.tuple(fc.constantFrom('', 'encoder', 'decoder', 'cross')),
        rankSimilar: fc.tuple(heads),
        selectCell: fc.tuple(maybe(fc.record({ query: index, key: index }))),
        goToPlace: fc.tuple(
          fc
            .tuple(at, fc.constantFrom([], ['term', 1], ['q', 1], ['k', 99_999]))
            .map(([at, detail]) => ({ ...at, detail })),
        ),
        selectWord: fc.tuple(index, flag, fc.constantFrom('queries', 'keys')),
        change: fc.tuple(changes),
        hide: fc.tuple(headAt, index, index, flag),
        patch: fc.constant([]),
        sample: fc.constantFrom(['count', 3, 1, 200], ['temperature', 9, 0, 2], ['topK', 2, 1, 50]),
        generate: fc.tuple(fc.constantFrom(1, 3)),
        openInLayer: fc.constant(['back']),
        setGraph: fc.tuple(fc.constantFrom('', '80', '50 w1>a:input!', '80 9.9@9>a:input!', 'x')),
        agreeToGraph: fc.constant([]),
        setLens: fc.tuple(fc.constantFrom('', 'logit', 'logit 2.3 p7.300', 'logit 2.3 w5', 'logit 9.99', 'x', '2.3')),
        reveal: fc.constant(['#models-text']),
        takeWord: fc.tuple(fc.nat(500)),
        takeBack: fc.constant([]),
        openFromGraph: fc.tuple(at, index, fc.constantFrom('', 'encoder')),
        save: saved,
        copy: fc.constant(['pytorch', 'a']),
        goTo: fc.tuple(maybe(fc.nat(2))),
      },
      more: [wait, wait, wait, wait],
    },
  ),
)
