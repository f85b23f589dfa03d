// npm run learn -- stories | translator [--seed 0] [--steps N] [--out FOLDER] [--analyse FOLDER]: trains the models that
// ship with the page and measures them; with --analyse, measures a folder only.

import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from 'qkv'
import { trainTranslator, translatorFiles } from './translator.js'
import { translatorFigures } from './translator-figures.js'

const MODELS = {
  translator: { train: trainTranslator, files: translatorFiles, figures: translatorFigures, folder: 'translation' },
}

/** @param {string} name @returns {name is keyof typeof MODELS} */
export const isTrainedModel = name => Object.hasOwn(MODELS, name)

/** @param {keyof typeof MODELS} name @param {string[]} args */
export async function trainModel(name, args) {
  const string = { type: /** @type {const} */ ('string') }
  const options = { seed: string, steps: string, out: string, analyse: string }
  const { seed, steps, out = `web/trained/${MODELS[name].folder}`, analyse } = parseArgs({ args, options }).values
  const { train, files, figures } = MODELS[name]
  const qkv = await load()
  if (analyse) return print(await figures(qkv, analyse))
  const given = { ...(seed && { seed: Number(seed) }), ...(steps && { steps: Number(steps) }) }
  const start = performance.now()
  const trained = train(qkv, given, (step, loss) => {
    if (step % 100 === 0) console.error(`step ${step}: loss ${loss.toFixed(3)}, ${seconds(start)} s`)
  })
  const made = files(trained)
  const found = rounded(await figures(qkv, made))
  const asked = Object.entries(given).map(([key, value]) => ` --${key} ${value}`)
  const command = `npm run learn -- ${name}${asked.join('')}`
  const about = { command, settings: trained.settings, figures: found }
  mkdirSync(out, { recursive: true })
  for (const [file, bytes] of Object.entries(made)) writeFileSync(`${out}/${file}`, bytes)
  writeFileSync(`${out}/about.json`, `${JSON.stringify(about, null, 1)}\n`)
  print(found)
}

const seconds = (/** @type {number} */ start) => Math.round((performance.now() - start) / 1000)
/** @template T @param {T} value @returns {T} numbers with three decimals */
const rounded = value => JSON.parse(JSON.stringify(value, (_, x) => (typeof x === 'number' ? Number(x.toFixed(3)) : x)))
const print = (/** @type {unknown} */ value) => console.log(JSON.stringify(rounded(value), null, 1))
