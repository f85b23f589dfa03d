// Tests that the programs which Learn exports, for qkv in Node and for PyTorch, print the losses of tests/goldens/learn-programs.json. The programs
// are made from the source of each task and model.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { load } from 'qkv'
import { nodeProgram } from '../../web/rooms/learn/programs/node.js'
import { pytorchProgram } from '../../web/rooms/learn/programs/pytorch.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { lossesIn, missing, printedInPyTorch } from './pytorch.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(`${root}${path}`, 'utf8')
/** @type {{ text: string, cases: { task: string, given: object, node: number[], pytorch: number[] }[] }} */
const { text, cases } = JSON.parse(read('tests/goldens/learn-programs.json'))
const STEPS = 8
const qkv = await load()
/** The tolerance of a loss, because other versions of PyTorch add in another order. */
const WITHIN = 1e-5

/** Returns the losses that a program prints in Node. @param {string} program */
async function losses(program) {
  const options = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root, maxBuffer: 2 ** 24 })
  return lossesIn(stdout)
}

/** @param {string} task */
const sourcesOf = task =>
  ['tasks/batch', `tasks/${task}`, 'transformer'].map(name => read(`web/rooms/learn/${name}.js`))

for (const [task, { defaults }] of Object.entries(TASKS))
  test(`the program of ${task} for Node prints the losses of the run, bit for bit`, async () => {
    const run = createRun(qkv, task, { ...defaults, seed: 7, steps: 60 }, text)
    const program = nodeProgram(task, run.settings, sourcesOf(task), text).replace('step < 60', `step < ${STEPS}`)
    const own = Array.from({ length: STEPS }, () => run.step())
    assert.deepEqual(await losses(program), own)
    run.dispose()
  })

/** @param {typeof cases[number]} each */
const settingsOf = ({ task, given }) => ({ ...TASKS[task].defaults, ...given, seed: 5, steps: 60 })
/** @type {Promise<string[]> | undefined} */
let printed

for (const [n, each] of cases.entries()) {
  const { task, given, node, pytorch } = each
  const name = `${task} ${JSON.stringify(given)}`

  test(`the program of ${name} for Node prints the recorded losses, bit for bit`, async () => {
    const program = nodeProgram(task, settingsOf(each), sourcesOf(task), text)
    assert.doesNotMatch(program, /@param|@type|export /)
    const short = program.replace('step < 60', `step < ${STEPS}`)
    assert.deepEqual(await losses(short), node)
  })

  test(`the program of ${name} for PyTorch prints the recorded losses`, async t => {
    if (missing) return t.skip(`the PyTorch program did not run: ${missing}`)
    printed ??= printedInPyTorch(
      cases.map(each =>
        pytorchProgram(each.task, settingsOf(each), text).replace(
          /in range\(60\):\n {4}ids/,
          `in range(${STEPS}):\n    ids`,
        ),
      ),
    )
    const found = lossesIn((await printed)[n])
    assert.equal(found.length, STEPS)
    for (const [step, want] of pytorch.entries())
      assert.ok(Math.abs(found[step] - want) <= WITHIN * want, `step ${step + 1}: ${found[step]}, ${want} expected`)
  })
}
