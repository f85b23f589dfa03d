// Writes a run as a program for qkv in Node. The program contains the sources of the task and of the model, so its losses equal the page's.

import { TASKS } from '../tasks/index.js'

/** @import { LearnSettings } from '../tasks/task.js' */
/** The sources of tasks/batch.js, of the task and of transformer.js. @typedef {readonly string[]} Sources */

/**
 * Splits a module into its top-level declarations, without `export` and types.
 * @param {string} source
 * @returns {[name: string, code: string][]}
 */
function declarationsOf(source) {
  const code = source
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/\/\*\*[\s\S]*?\*\/ ?/g, '')
    .replace(/^export /gm, '')
  // A declaration continues in lines that are indented or close a bracket.
  const found = code.matchAll(/^(?:const|let|function) (\w+|\[.*?\]).*(?:\n(?:[ \])}`].*|(?=\n)))*/gm)
  return Array.from(found, ([text, name]) => [name, text.trimEnd()])
}

/**
 * Returns declarations with everything they use, in source order.
 * @param {Sources} sources
 * @param {readonly string[]} names
 */
function withAllUsed(sources, names) {
  const all = sources.flatMap(declarationsOf).filter(([name]) => !Object.hasOwn(TASKS, name))
  const needed = new Set(names)
  for (const name of needed) {
    const [, code = ''] = all.find(([own]) => own === name) ?? []
    for (const [used] of all) if (new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${used}\\b`).test(code)) needed.add(used)
  }
  return all.filter(([name]) => needed.has(name)).map(([, code]) => code)
}

/**
 * Writes the program.
 * @param {string} task
 * @param {LearnSettings} settings
 * @param {Sources} sources
 * @param {string} [text] for a task that learns a text
 * @returns {string}
 */
export function nodeProgram(task, settings, sources, text = '') {
  const { isCausal, hasCross, hasText } = TASKS[task]
  const forward = hasCross ? 'crossForward' : 'layersForward'
  const { rate, warmup, steps, decay, seed } = settings
  const total = decay ? `, total: ${steps}, least: ${rate} / 10` : ''
  return `import { load, tensor } from 'qkv'
import { Adam, clipGradNorm, parameters, schedule, tape } from 'qkv/train'

const settings = ${JSON.stringify(settings, null, 2).replace(/"(\w+)":/g, '$1:')}
${hasText ? `const TEXT = ${JSON.stringify(text)}\n` : ''}
${withAllUsed(sources, ['shape', 'batch', 'initialWeights', 'sinusoids', forward]).join('\n\n')}

const qkv = await load()
const sizes = shape(settings${hasText ? ', TEXT' : ''})
const learned = parameters(qkv, initialWeights(qkv.generator(${seed}), settings, sizes))
const table = { source: sinusoids(sizes.T, settings.d), target: sinusoids(sizes.L, settings.d) }
const optimizer = new Adam(learned, { lr: ${rate}, betas: [0.9, 0.99] })
const rate = schedule(${rate}, { warmup: ${warmup}${total} })
const data = qkv.generator(${seed} + 1000003)
for (let step = 0; step < ${steps}; step++) {
  const given = batch(data, sizes, settings.batch, 'train')
  const targets = { data: given.targets, dims: [given.B, given.L] }
  const run = tape(qkv, learned, t => {
    const { logits } = ${forward}(t, learned.values, given, settings, ${isCausal}, table)
    return t.crossEntropy(logits, targets, { ignoreIndex: -1 })
  })
  run.backward()
  clipGradNorm(learned, 1)
  optimizer.lr = rate(step)
  optimizer.step()
  console.log(step + 1, run.loss)
}
`
}
