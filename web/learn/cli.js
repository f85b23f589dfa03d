// npm run learn -- TASK [--seed 0] [--json] [--all] [--text FILE] [--SETTING VALUE]: trains in Node, without the page.
// TASK may be a model that ships with the page: trained/cli.js.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from 'qkv'
import { RECIPES } from './recipes.js'
import { createRun } from './run.js'
import { isTrainedModel, trainModel } from './trained/cli.js'

/** @typedef {import('./run.js').Task} Task */

/** Steps between evaluations. */
const EVERY = 20

/**
 * Trains until success and prints what came of it.
 * @param {Task} task
 * @param {Partial<import('./recipes.js').LearnSettings>} settings
 * @param {string} [text]
 */
export async function learn(task, settings, text) {
  const qkv = await load()
  const run = createRun(qkv, task, settings, text)
  const { measure, goal } = RECIPES[task]
  const losses = []
  let reachedAt = null
  let evaluation = run.evaluate()
  const start = performance.now()
  let seconds = 0
  while (run.steps < run.settings.steps) {
    losses.push(run.step())
    if (run.steps % EVERY) continue
    evaluation = run.evaluate()
    if (reachedAt === null && evaluation[measure] >= goal) {
      reachedAt = run.steps
      seconds = (performance.now() - start) / 1000
    }
  }
  seconds ||= (performance.now() - start) / 1000
  const { accuracy, heldOutAccuracy, heldOutLoss, alignment, scores } = evaluation
  const bits = task === 'text' ? { bits: heldOutLoss / Math.LN2 } : {}
  run.dispose()
  const { seed } = run.settings
  return {
    task,
    seed,
    steps: run.steps,
    reachedAt,
    accuracy,
    heldOutAccuracy,
    alignment,
    scores,
    ...bits,
    losses,
    seconds,
  }
}

const isMain = import.meta.main ?? process.argv[1]?.endsWith('cli.js')
const [name, ...args] = process.argv.slice(2)
if (isMain && name && isTrainedModel(name)) await trainModel(name, args)
else if (isMain) {
  const names = Object.keys(RECIPES.induction.defaults)
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map(name => [name, { type: /** @type {const} */ ('string') }])),
      ...{ json: { type: 'boolean' }, all: { type: 'boolean' }, text: { type: 'string' } },
    },
  })
  const numbers = names.flatMap(name => {
    const value = /** @type {any} */ (values)[name]
    if (value === undefined) return []
    return [
      [name, /^(true|false)$/.test(value) ? value === 'true' : Number.isNaN(Number(value)) ? value : Number(value)],
    ]
  })
  const settings = Object.fromEntries(numbers)
  const text = values.text && readFileSync(values.text, 'utf8')
  const tasks = values.all ? ['sort', 'reverse', 'induction', 'translation'] : positionals
  const seeds = values.all ? Array.from({ length: 10 }, (_, seed) => seed) : [settings.seed ?? 0]
  for (const task of /** @type {Task[]} */ (tasks))
    for (const seed of seeds) {
      const result = await learn(task, { ...settings, seed }, text)
      if (values.json) console.log(JSON.stringify(result))
      else {
        const { losses, ...rest } = result
        console.log(JSON.stringify(rest, (_, x) => (typeof x === 'number' ? Number(x.toFixed(3)) : x)))
      }
    }
}
