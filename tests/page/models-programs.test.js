// Tests the programs of the room "Models" against their recorded texts and outputs in tests/goldens/programs, which has a README. The programs for
// Node run here. Those for PyTorch run if the package transformers is installed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { readChanges } from '../../web/attention-head/changes.js'
import { hooksOf } from '../../web/rooms/models/run/hooks.js'
import { inputOf, runOf, statesOf } from '../../web/rooms/models/run/model-run.js'
import { readGolden } from '../models/golden.js'
import { Tokenizer } from '../models/tokenizer.js'
import { CASES, digestOf, FOLDER, programsOf, READABLE, rowsIn } from './models-programs.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const goldens = `${root}tests/goldens/models/`
const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3')
const programs = CASES.map(programsOf)

/** Compares an output with the recorded one: ids in order, except for ties, and probabilities. @param {number} n @param {string} printed */
function check(n, printed) {
  const { model, changes, before, after } = CASES[n]
  const parts = rowsIn(printed)
  assert.equal(parts.length, 2, printed)
  for (const [name, got, want] of /** @type {const} */ ([
    ['before', parts[0], before],
    ['after', parts[1], after],
  ])) {
    assert.equal(got.length, 8)
    const recorded = new Map(want)
    for (const [i, [id, share]] of got.entries()) {
      const own = recorded.get(id) ?? want[i][1]
      if (!(Math.abs(share - own) <= 2e-6)) assert.fail(`${model} ${changes}, ${name}: ${id} ${share}, ${own} recorded`)
    }
  }
}

test('the recorded probabilities before the changes are those of the recorded logits of transformers', async () => {
  for (const model of new Set(CASES.map(({ model }) => model))) {
    const own = CASES.filter(each => each.model === model)
    const { tensors } = await readGolden(goldens + model)
    const logits = tensors.get('one/logits')
    assert.ok(logits)
    const V = logits.dims[2]
    for (const { task, before } of own) {
      /** @type {number[]} */
      const row = Array.from(logits.data.slice(task.row * V, (task.row + 1) * V))
      const most = Math.max(...row)
      const sum = row.reduce((total, logit) => total + Math.exp(logit - most), 0)
      for (const [id, share] of before) {
        const want = Math.exp(row[id] - most) / sum
        assert.ok(Math.abs(share - want) <= 1e-5, `${model}: ${id} ${share}, ${want}`)
      }
    }
  }
})

test('each case moves a probability by far more than it is printed exactly', () => {
  for (const { model, changes, before, after } of CASES) {
    const shares = new Map(before)
    const moved = Math.max(...after.map(([id, share]) => Math.abs(share - (shares.get(id) ?? 0))))
    assert.ok(moved > 1e-4, `${model} ${changes}: ${moved}`)
  }
})

test('the texts of the programs are the recorded ones', () => {
  for (const { model, index } of READABLE) {
    assert.equal(programs[index].pytorch, readFileSync(new URL(`${model}.py`, FOLDER), 'utf8'))
    assert.equal(programs[index].node, readFileSync(new URL(`${model}.node.txt`, FOLDER), 'utf8'))
  }
  for (const [n, { model, changes, digests }] of CASES.entries()) {
    assert.equal(digestOf(programs[n].node), digests.node, `${model} ${changes}, Node`)
    assert.equal(digestOf(programs[n].pytorch), digests.pytorch, `${model} ${changes}, PyTorch`)
  }
})

test('the program for Node prints the recorded probabilities, for every family and every kind of change', () => {
  assert.ok(existsSync(`${root}dist/models.js`), 'the package is not built: npm run dist')
  const folder = mkdtempSync(join(tmpdir(), 'qkv models '))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/qkv'))
  programs.forEach(({ node }, n) => {
    writeFileSync(join(folder, `program${n}.mjs`), node)
  })
  const all = `for (const [n, folder] of ${JSON.stringify(CASES.map(({ model }) => goldens + model))}.entries()) {
    process.argv[2] = folder
    console.log('case')
    await import('./program' + n + '.mjs')
  }`
  writeFileSync(join(folder, 'all.mjs'), all)
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'all.mjs')], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const printed = stdout.split(/^case$/m).slice(1)
  assert.equal(printed.length, CASES.length)
  printed.forEach((text, n) => {
    check(n, text)
  })
})

const { status: hasTransformers } = spawnSync(PYTHON, ['-c', 'import torch, transformers'])

test('the program for PyTorch prints them too', {
  skip: hasTransformers !== 0 && `${PYTHON} has no torch and transformers`,
}, () => {
  for (const [n, { model }] of CASES.entries()) {
    const { stdout, stderr, status } = spawnSync(PYTHON, ['-', goldens + model], {
      input: programs[n].pytorch,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    check(n, stdout)
  }
})

for (const model of ['gpt2-tiny', 'llama-tiny-sharded', 'qwen3-tiny-bf16', 'gemma2-tiny'])
  test(`patches from a second text give the recorded differences of two logits: ${model}`, async () => {
    const { clean, corrupted, terms, value, inputs } = JSON.parse(
      readFileSync(`${goldens}${model}/patching.json`, 'utf8'),
    )
    const { tolerance } = JSON.parse(readFileSync(`${goldens}${model}/expected.json`, 'utf8'))
    const qkv = await load()
    const own = await loadModel(qkv, goldens + model, { tokenizer: Tokenizer })
    const states = await statesOf(own, await inputOf(own, { text: clean.text }))
    const [best, second] = terms.map((/** @type {{ token: number }} */ { token }) => token)
    const difference = async (/** @type {string} */ changes) => {
      const { ids, probabilities } = await runOf(
        qkv,
        own,
        { text: corrupted.text },
        hooksOf(readChanges(changes), states),
      )
      assert.deepEqual(ids, corrupted.input_ids[0])
      return Math.log(probabilities[best] / probabilities[second])
    }
    const close = (/** @type {number} */ got, /** @type {number} */ want, /** @type {string} */ name) =>
      assert.ok(Math.abs(got - want) <= 4 * tolerance.logits.abs + 1e-5, `${name}: ${got}, ${want} recorded`)
    close(await difference(''), value.corrupted, 'without a patch')
    for (const [layer, row] of inputs.patched.slice(1).entries())
      for (const [position, want] of row.entries()) {
        const changes = `${layer + 1}:${position + 1}=patch` // the output of a layer is the input of the next one
        close(await difference(changes), want, changes)
      }
    own.dispose()
  })
