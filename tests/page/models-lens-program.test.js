// Tests that the program of "What each layer says" runs unchanged in PyTorch, on a model and a lens that qkv has saved. A stand-in replaces the
// package transformers, which Debian does not have.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { load } from 'qkv'
import { fitLens, readout, saveLens } from 'qkv/interpret'
import { loadModel, saveModel } from 'qkv/models'
import { lensProgram } from '../../web/rooms/models/programs/lens.js'
import { makeWeights, writeFolder } from '../bench/gpt2/checkpoint.js'
import { missing } from './pytorch.js'

const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3')
const standIn = fileURLToPath(new URL('stand-in', import.meta.url))
const run = promisify(execFile)

const qkv = await load()
const made = writeFolder(makeWeights(qkv.generator(6), { layers: 4, heads: 2, d: 32, vocab: 300, positions: 32 }))
const folder = mkdtempSync(join(tmpdir(), 'qkv-lens-'))
after(() => {
  made.dispose()
  rmSync(folder, { recursive: true })
})

const ids = [5, 90, 130, 5, 90, 77, 200, 31, 12]
const [FIRST, COUNT] = [2, 6]

for (const kind of /** @type {const} */ (['logit', 'jacobian', 'tuned']))
  test(`PyTorch prints the ids and the probabilities of readout: ${kind} lens`, { skip: missing }, async () => {
    const model = await loadModel(qkv, made.path, { tokenizer: false })
    const files = await saveModel(model)
    for (const [name, data] of Object.entries(files)) writeFileSync(join(folder, name), data)
    const lens = kind === 'logit' ? kind : await fitLens(model, [ids, [...ids].reverse()], { kind, first: 1 })
    if (lens !== 'logit') writeFileSync(join(folder, 'lens.pt'), saveLens(lens, { dtype: 'float32' }))
    const positions = Array.from({ length: COUNT }, (_, n) => FIRST + n)
    const { layers, topIds, topProbabilities } = await readout(model, lens, { ids }, { positions, topK: 1 })
    const task = { type: 'gpt2', folder: 'made', ids, row: ids.length - 1, changes: [], second: { text: '' } }
    const program = lensProgram(/** @type {any} */ (task), { lens: kind, layers: 4, first: FIRST, count: COUNT })
    writeFileSync(join(folder, 'program.py'), program)
    const { stdout } = await run(PYTHON, [join(folder, 'program.py'), folder, join(folder, 'lens.pt')], {
      env: { ...process.env, PYTHONPATH: standIn },
    })
    model.dispose()
    const printed = stdout.split(/^layer (\d+)$/m).slice(1)
    assert.equal(printed.length, 2 * layers.length, stdout)
    for (let n = 0; n < printed.length; n += 2) {
      const row = layers.indexOf(Number(printed[n]) - 1)
      const lines = printed[n + 1]
        .trim()
        .split('\n')
        .map(line => line.split(' '))
      assert.deepEqual(
        lines.map(([id]) => Number(id)),
        Array.from(topIds.row(row).data),
      )
      for (const [i, [, share]] of lines.entries())
        assert.ok(Math.abs(Number(share) - topProbabilities.at(row, i, 0)) <= 2e-6, `layer ${printed[n]}: ${share}`)
    }
  })
