// The recipes of web/README.md, followed in a copy of the page: a new setting and a new matrix touch four files and a test.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { load } from 'qkv'
import { elements, texts as english } from '../../web/i18n/en.js'
import { texts as chinese } from '../../web/i18n/zh.js'
import { describe, FIELD_NAMES } from '../../web/settings/fields.js'
import { MATRICES, MATRIX_IDS } from '../../web/settings/matrices.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** @type {string[]} */
const copies = []
after(() => {
  for (const copy of copies) rmSync(copy, { recursive: true })
})

/**
 * A copy of the page with some lines added.
 * @param {Record<string, [before: string, added: string][]>} edits by file: each is added before a line that is there
 */
function copyWith(edits) {
  const copy = mkdtempSync(join(tmpdir(), 'qkv-recipe-'))
  copies.push(copy)
  cpSync(join(ROOT, 'web'), join(copy, 'web'), { recursive: true })
  for (const name of ['package.json', 'node_modules', 'dist', 'src']) symlinkSync(join(ROOT, name), join(copy, name))
  for (const [file, pairs] of Object.entries(edits)) {
    const path = join(copy, 'web', file)
    let text = readFileSync(path, 'utf8')
    for (const [before, added] of pairs) {
      assert.ok(text.includes(before), `${file} has ${before}`)
      text = text.replace(before, () => added + before)
    }
    writeFileSync(path, text)
  }
  assert.ok(Object.keys(edits).length < 5, 'at most five files with the test')
  return (/** @type {string} */ file) => import(pathToFileURL(join(copy, 'web', file)).href)
}

/** Everything in a template that a reader may find. @param {any} template @returns {string} */
const flat = template =>
  Array.isArray(template)
    ? template.map(flat).join(' ')
    : template?.strings
      ? [...template.strings, ...template.values.map(flat)].join(' ')
      : typeof template === 'string'
        ? template
        : ''

test('a new setting is checked, linked, undone, shown and computed by its description, its use and its texts', async () => {
  const at = copyWith({
    'settings/fields.js': [['  softmaxAxis: choice(', "  temperature: real(1, 0.1, 10, { group: 'scores' }),\n"]],
    'compute/options.js': [['...whoSees(', 'scale: scaleOf(settings, size) / settings.temperature, ']],
    'i18n/en.js': [['  sigma:', "  temperature: 'Temperature',\n"]],
    'i18n/zh.js': [['  sigma:', "  temperature: '温度',\n"]],
  })
  const { DEFAULTS } = await at('settings/fields.js')
  const { check } = await at('settings/check.js')
  const { toHash, fromHash } = await at('settings/link.js')
  const { change, drawnKey, signature } = await at('settings/state.js')
  const { createTracer } = await at('compute/trace.js')
  const { controls } = await at('views/controls.js')
  const warm = change(DEFAULTS, { temperature: 2 })
  assert.equal(check({ ...DEFAULTS, temperature: 1e9 }).problems.temperature.key, 'problemPositive')
  assert.deepEqual(fromHash(toHash(warm)).settings, warm)
  assert.notEqual(signature(warm), signature(DEFAULTS))
  assert.equal(drawnKey(check(warm).checked), drawnKey(check(DEFAULTS).checked), 'the drawn numbers stay')
  const trace = createTracer(await load())
  const weights = (/** @type {any} */ settings) => [...trace(check(settings).checked).tensors.weights.data]
  assert.deepEqual(weights(warm), weights({ ...DEFAULTS, scale: 0.5 / Math.sqrt(2) }))
  const t = Object.assign((/** @type {string} */ key) => key, { elements })
  const form = flat(controls({ t, settings: DEFAULTS, problems: {}, actions: {}, preset: undefined }))
  assert.match(form, /temperature/)
})

test('a new matrix is in the walk, with its sources, its targets and its explanation', async () => {
  const at = copyWith({
    'settings/matrices.js': [
      [
        '  joined: matrix(',
        "  twice: matrix('Z_2', ['queries', 'value'], { step: 'mix', ways: [product('weights', 'output')] }),\n",
      ],
    ],
    'compute/attend.js': [['  tensors.joined = joinHeads(', '  tensors.twice = mix(qkv, weights, tensors.output)\n']],
    'i18n/en.js': [["  'matrix.output':", "  'matrix.twice': 'Outputs of outputs',\n"]],
    'i18n/zh.js': [["  'matrix.output':", "  'matrix.twice': '输出的输出',\n"]],
  })
  const { DEFAULTS } = await at('settings/fields.js')
  const { check } = await at('settings/check.js')
  const { createTracer } = await at('compute/trace.js')
  const { stepsOf } = await at('explain/steps.js')
  const { matricesOf } = await at('explain/matrices.js')
  const { explain } = await at('explain/cell.js')
  const { sourcesOf, targetsOf } = await at('explain/dependencies.js')
  const result = createTracer(await load())(check(DEFAULTS).checked)
  const step = stepsOf(result).find((/** @type {any} */ each) => each.id === 'mix')
  assert.ok(step.formulas.includes('Z_2 = A Z'), step.formulas.join())
  assert.ok(step.shapes.includes('6×6 · 6×1 = 6×1'))
  assert.ok(step.blocks.some((/** @type {any} */ block) => block.results.includes('twice')))
  const matrices = matricesOf(result, 1)
  const value = (/** @type {any} */ { matrix, row, column }) => matrices.get(matrix).tensor.at(row, column)
  const cell = { matrix: 'twice', head: 1, row: 2, column: 0 }
  const { terms } = explain(result, cell)
  const sum = terms.reduce((/** @type {number} */ s, /** @type {any} */ [a, b]) => s + value(a) * value(b), 0)
  assert.ok(Math.abs(sum - value(cell)) < 1e-6, `${sum} for ${value(cell)}`)
  assert.deepEqual(sourcesOf(result, cell), [
    { matrix: 'weights', head: 1, row: 2 },
    { matrix: 'output', head: 1, column: 0 },
  ])
  const targets = targetsOf(result, { matrix: 'output', head: 1, row: 2, column: 0 })
  assert.deepEqual(targets[0], { matrix: 'twice', head: 1, column: 0 })
})

test('every setting and every matrix has its texts in every language, and every source of a matrix exists', () => {
  for (const texts of /** @type {Record<string, string>[]} */ ([english, chinese])) {
    for (const name of FIELD_NAMES) {
      const { group, kind, choices = [] } = describe(name)
      if (group && kind !== 'zoo') assert.ok(texts[name], `${name} has a text`)
      for (const choice of group ? choices : []) assert.ok(texts[`${name}.${choice}`], `${name}.${choice} has a text`)
    }
    for (const id of MATRIX_IDS) {
      assert.ok(texts[`matrix.${id}`], `matrix.${id} has a text`)
      const { step } = MATRICES[id]
      if (step) assert.ok(texts[`step.${step}`] && texts[`step.${step}.text`], `step.${step} has its texts`)
    }
  }
  for (const id of MATRIX_IDS)
    for (const { sources, bias } of MATRICES[id].ways ?? [])
      for (const source of [...sources.map(([name]) => name), ...(bias ? [bias] : [])])
        assert.ok(Object.hasOwn(MATRICES, source), `${id} comes from ${source}, which exists`)
})
