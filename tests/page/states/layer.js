// Generates random actions of One layer, and checks the map that is drawn after each.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { VIEW_NAMES } from '../../../web/attention-head/views/index.js'
import { STEP_OF } from '../../../web/rooms/layer/explain/frame-steps.js'
import { DEFAULTS, describe, FIELD_NAMES, FIELDS, HAND_BUILT } from '../../../web/rooms/layer/fields.js'
import { EDITABLE } from '../../../web/rooms/layer/matrices.js'
import { PRESETS } from '../../../web/rooms/layer/presets.js'
import { room as layer } from '../../../web/rooms/layer/room.js'
import { toLink } from '../../../web/shell/settings-link.js'
import { shown } from '../../../web/shell/slots.js'
import { ofRoom } from './harness.js'
import { cell, flag, hidesNothing, index, maybe, number, orNull, sentence, turn, wordAt } from './values.js'

const FLOW_STEPS = /** @type {import('../../../web/elements/flow-frames.js').FlowStep[]} */ (Object.keys(STEP_OF))

/** Returns a value of a field of One layer, usually a valid one. @param {import('../../../web/rooms/layer/fields.js').FieldName} name @returns {fc.Arbitrary<any>} */
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

/** Checks that the map of a head has the numbers of the trace, and hides none of them. @param {import('./harness.js').Opened} own @param {Record<string, any>} properties of an element */
function isAsComputed({ store }, properties) {
  hidesNothing(properties)
  const { matrix, rowTokens } = properties
  const { settings, got } = store.drawn
  const result = /** @type {any} */ (shown(got.trace))
  if (!('pinned' in properties && 'previous' in properties) || settings.view === 'difference' || result.smalls) return
  const [, L, S] = result.tensors.weights.dims
  if (rowTokens.length !== L || matrix.dims[0] !== L) return // the map shows only some of the rows
  const from = Math.min(settings.head, result.heads - 1) * L * S
  assert.deepEqual(matrix.data, result.tensors.weights.data.subarray(from, from + L * S))
}

export const layerSubject = () =>
  ofRoom(layer, {
    links: layerLinks,
    look: isAsComputed,
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
  })
