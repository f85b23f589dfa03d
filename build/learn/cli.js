// npm run learn -- TASK [--seed 0] [--json] [--text FILE] [--SETTING VALUE]: trains a task of "Learn" in Node, without the page.
// TASK may be a model that ships with the page: build/train/train-model.js.
// npm run learn -- [TASK] --all [--record]: trains TASK with ten seeds, and prints how many runs reached the goal. Without TASK, trains
// every task, and induction with one layer. --record writes the band that the page shows behind the curves into the file of each task.

import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from 'qkv'
import { shownOf } from '../../web/rooms/learn/model-picture.js'
import { EVERY } from '../../web/rooms/learn/snapshots.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { isTrainedModel, trainModel } from '../train/train-model.js'

/** A sentence for the task "translation", and its translation. */
const SENTENCE = 'an engineer wants an autonomous driving solution in Beijing today'
const TRANSLATION = '工程师 今天 在 北京 想要 一套 自动 驾驶 解决 方案'
/** The accuracy below which a model with one layer must stay on induction, which needs two layers. */
const ONE_LAYER = 0.4

/**
 * Trains a task for all steps of its settings. Returns the last measurements, the curve, and at which step the goal was reached.
 * @param {string} task
 * @param {Partial<import('../../web/rooms/learn/tasks/task.js').LearnSettings>} settings
 * @param {string} [text]
 */
export async function learn(task, settings, text) {
  const qkv = await load()
  const run = createRun(qkv, task, settings, text)
  const { hasText, goal, hasCross } = TASKS[task]
  const losses = []
  let reachedAt = null
  let evaluation = run.evaluate()
  const curve = [evaluation.heldOutAccuracy]
  const start = performance.now()
  let seconds = 0
  while (run.steps < run.settings.steps) {
    losses.push(run.step())
    if (run.steps % EVERY) continue
    evaluation = run.evaluate()
    curve.push(evaluation.heldOutAccuracy)
    if (reachedAt === null && evaluation[goal.measure] >= goal.least) {
      reachedAt = run.steps
      seconds = (performance.now() - start) / 1000
    }
  }
  seconds ||= (performance.now() - start) / 1000
  const { accuracy, heldOutAccuracy, heldOutLoss, alignment, scores } = evaluation
  const sentence = hasCross ? { sentence: shownOf(qkv, run, SENTENCE).answers.join(' ') } : {}
  const bits = hasText ? { bits: heldOutLoss / Math.LN2 } : {}
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
    ...sentence,
    losses,
    curve,
    seconds,
  }
}

/** Formats the minimum and maximum of several curves, in percent, as the property `recorded` of their task. @param {number[][]} curves */
function bandOf(curves) {
  const edge = (/** @type {(...values: number[]) => number} */ pick) =>
    curves[0].map((_, i) => Math.round(100 * pick(...curves.map(curve => curve[i])))).join(' ')
  return `recorded: {\n    least: '${edge(Math.min)}',\n    most: '${edge(Math.max)}',\n  },`
}

/** Writes the band of several curves into the file of their task. @param {string} task @param {number[][]} curves */
function record(task, curves) {
  const file = new URL(`../../web/rooms/learn/tasks/${task}.js`, import.meta.url)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/recorded: \{[^}]*\},/, bandOf(curves)))
}

const isMain = import.meta.main ?? process.argv[1]?.endsWith('cli.js')
const [name, ...args] = process.argv.slice(2)
if (isMain && name && isTrainedModel(name)) await trainModel(name, args)
else if (isMain) {
  const names = Object.keys(TASKS.induction.defaults)
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map(name => [name, { type: /** @type {const} */ ('string') }])),
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      record: { type: 'boolean' },
      text: { type: 'string' },
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
  const tasks = Object.keys(TASKS).filter(task => !TASKS[task].hasText)
  const isWhole = values.all && !positionals.length
  /** @type {[string, object?][]} */
  const runs = (isWhole ? tasks : positionals).map(task => [task])
  if (isWhole) runs.push(['induction', { layers: 1 }])
  const seeds = values.all ? Array.from({ length: 10 }, (_, seed) => seed) : [settings.seed ?? 0]
  /** @type {string[]} */
  const table = []
  for (const [task, given] of runs) {
    const results = []
    for (const seed of seeds) {
      const result = await learn(task, { ...settings, ...given, seed }, text)
      results.push(result)
      const { losses, curve, ...rest } = result
      if (values.json) console.log(JSON.stringify({ ...rest, losses }))
      else {
        console.log(JSON.stringify({ ...rest, ...given }, (_, x) => (typeof x === 'number' ? Number(x.toFixed(3)) : x)))
      }
    }
    if (!given && values.all && values.record)
      record(
        task,
        results.map(({ curve }) => curve),
      )
    const { within } = TASKS[task].goal
    const steps = results.map(({ reachedAt }) => reachedAt ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
    const right = results.filter(({ sentence }) => sentence === TRANSLATION).length
    const below = results.filter(({ heldOutAccuracy: a, accuracy: b }) => a < ONE_LAYER && b < ONE_LAYER).length
    table.push(
      given
        ? `${task}, one layer: ${below} of ${seeds.length} below ${ONE_LAYER}`
        : `${task}: ${steps.filter(step => step <= within).length} of ${seeds.length} within ${within} steps, median ${steps[steps.length >> 1]}, worst ${steps[steps.length - 1]}` +
            (results[0].sentence === undefined ? '' : `; the sentence right on ${right}`),
    )
  }
  if (values.all && !values.json) console.log(table.join('\n'))
}
