// npm run bench:learn: measures how many seconds each task of the room "Learn" takes until it is learned, with evaluations. Then measures
// the same number of steps without evaluations, in qkv and in PyTorch. All measurements use one thread. Prints medians of three seeds.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { load } from 'qkv'
import { pytorchProgram } from '../../web/rooms/learn/programs/pytorch.js'
import { EVERY } from '../../web/rooms/learn/snapshots.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { createRun } from '../../web/rooms/learn/training-run.js'

const SEEDS = [0, 1, 2]
/** The seconds to success that the page claims. @type {Record<string, number>} */
const GOALS = { sort: 2, reverse: 2, induction: 4, translation: 4 }

const qkv = await load({ threads: 1 })
const median = (/** @type {number[]} */ values) => values.sort((a, b) => a - b)[values.length >> 1]
const seconds = (/** @type {() => void} */ run) => {
  const start = performance.now()
  run()
  return (performance.now() - start) / 1000
}
const python = ['/usr/bin/python3', 'python3'].find(path => path === 'python3' || existsSync(path)) ?? 'python3'

/** Measures the seconds that PyTorch takes for a number of steps, excluding its start-up. @param {string} task @param {number} seed @param {number} steps */
function pytorch(task, seed, steps) {
  const program = pytorchProgram(task, { ...TASKS[task].defaults, seed })
  const timed = program
    .replace(
      /for step in range\(\d+\):\n {4}ids/,
      `import time\nstart = time.perf_counter()\nfor step in range(${steps}):\n    ids`,
    )
    .concat("print('seconds', time.perf_counter() - start)\n")
  const printed = execFileSync(python, ['-c', timed], { encoding: 'utf8', maxBuffer: 2 ** 24 })
  return Number(/seconds (.*)/.exec(printed)?.[1])
}

console.log('task         goal   to success  step      same steps: qkv  PyTorch  ratio   (s, median of 3 seeds)')
for (const [task, goal] of Object.entries(GOALS)) {
  const { measure, least } = TASKS[task].goal
  /** @type {Record<'success' | 'step' | 'own' | 'torch', number[]>} */
  const found = { success: [], step: [], own: [], torch: [] }
  for (const seed of SEEDS) {
    let run = createRun(qkv, task, { seed })
    found.success.push(
      seconds(() => {
        while (run.steps < run.settings.steps) {
          run.step()
          if (run.steps % EVERY === 0 && run.evaluate()[measure] >= least) break
        }
      }),
    )
    const { steps } = run
    run.dispose()
    found.step.push(steps)
    run = createRun(qkv, task, { seed })
    found.own.push(
      seconds(() => {
        while (run.steps < steps) run.step()
      }),
    )
    run.dispose()
    found.torch.push(pytorch(task, seed, steps))
  }
  const [success, step, own, torch] = [found.success, found.step, found.own, found.torch].map(median)
  const cells = [task.padEnd(12), `<= ${goal}`.padEnd(6), success.toFixed(2).padStart(10), String(step).padStart(5)]
  console.log(...cells, own.toFixed(2).padStart(20), torch.toFixed(2).padStart(8), (torch / own).toFixed(2).padStart(6))
}
