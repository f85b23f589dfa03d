// npm run learn -- stories | translator | ledger [--seed 0] [--steps N] [--out FOLDER] [--analyse FOLDER [--choice]]: trains the models
// that ship with the page and measures them. With --analyse, only measures the model in FOLDER, on the test texts. --choice takes the texts
// for choosing a seed instead.

import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from 'qkv'
import { ledgerFiles, trainLedger } from './ledger.js'
import { ledgerFigures } from './ledger-figures.js'
import { ledgerTour } from './ledger-tour.js'
import { storiesFigures } from './stories-figures.js'
import { storiesFiles, trainStories } from './stories-model.js'
import { STORY_CLASSES } from './stories-text.js'
import { FIRST_TEXT, storiesTour } from './stories-tour.js'
import { trainTranslator, translatorFiles } from './translator.js'
import { translatorFigures } from './translator-figures.js'

/** @import { Qkv } from 'qkv' */
/** @typedef {{ seed?: number, steps?: number }} Given */
/** @typedef {(step: number, loss: number) => void} OnStep */
/** @typedef {Parameters<typeof storiesFigures>[1]} Source */

const MODELS = {
  stories: {
    folder: 'stories',
    make: (/** @type {Qkv} */ qkv, /** @type {Given} */ given, /** @type {OnStep} */ onStep) => {
      const trained = trainStories(qkv, given, onStep)
      return { settings: trained.settings, files: storiesFiles(trained) }
    },
    measure: async (/** @type {Qkv} */ qkv, /** @type {Source} */ source, /** @type {'choice' | 'test'} */ set) => {
      const figures = { ...rounded(await storiesFigures(qkv, source, { set })), example: { text: FIRST_TEXT } }
      return { figures, tour: rounded(await storiesTour(qkv, source, figures)), words: STORY_CLASSES }
    },
  },
  ledger: {
    folder: 'ledger',
    make: (/** @type {Qkv} */ qkv, /** @type {Given} */ given, /** @type {OnStep} */ onStep) => {
      const trained = trainLedger(qkv, given, onStep)
      return { settings: trained.settings, files: ledgerFiles(trained) }
    },
    measure: async (/** @type {Qkv} */ qkv, /** @type {Source} */ source, /** @type {'choice' | 'test'} */ set) => {
      const figures = await ledgerFigures(qkv, source, { set })
      return { figures: rounded(figures), ...rounded(await ledgerTour(qkv, source, figures)) }
    },
  },
  translator: {
    folder: 'translation',
    make: (/** @type {Qkv} */ qkv, /** @type {Given} */ given, /** @type {OnStep} */ onStep) => {
      const trained = trainTranslator(qkv, given, onStep)
      return { settings: trained.settings, files: translatorFiles(trained) }
    },
    measure: async (/** @type {Qkv} */ qkv, /** @type {Source} */ source, /** @type {'choice' | 'test'} */ set) => ({
      figures: rounded(await translatorFigures(qkv, source, { set })),
    }),
  },
}

/** Number of losses that are recorded; a test compares them to check that the kernels train the same model. */
const RECORDED = 5

/** @param {string} name @returns {name is keyof typeof MODELS} */
export const isTrainedModel = name => Object.hasOwn(MODELS, name)

/** @param {keyof typeof MODELS} name @param {string[]} args */
export async function trainModel(name, args) {
  const string = { type: /** @type {const} */ ('string') }
  const options = {
    seed: string,
    steps: string,
    out: string,
    analyse: string,
    choice: { type: /** @type {const} */ ('boolean') },
  }
  const {
    seed,
    steps,
    out = `web/trained/${MODELS[name].folder}`,
    analyse,
    choice,
  } = parseArgs({ args, options }).values
  const { make, measure } = MODELS[name]
  const qkv = await load()
  if (analyse) return print(await measure(qkv, analyse, choice ? 'choice' : 'test'))
  const given = { ...(seed && { seed: Number(seed) }), ...(steps && { steps: Number(steps) }) }
  const start = performance.now()
  /** @type {number[]} */
  const losses = []
  const { settings, files } = make(qkv, given, (step, loss) => {
    if (step <= RECORDED) losses.push(loss)
    if (step % 100 === 0) console.error(`step ${step}: loss ${loss.toFixed(3)}, ${seconds(start)} s`)
  })
  const asked = Object.entries(given).map(([key, value]) => ` --${key} ${value}`)
  const about = {
    command: `npm run learn -- ${name}${asked.join('')}`,
    settings,
    losses,
    ...(await measure(qkv, files, 'test')),
  }
  mkdirSync(out, { recursive: true })
  for (const [file, bytes] of Object.entries(files)) writeFileSync(`${out}/${file}`, bytes)
  writeFileSync(`${out}/about.json`, json(about))
  print(about)
}

const seconds = (/** @type {number} */ start) => Math.round((performance.now() - start) / 1000)
/** Rounds all numbers in a value to three decimals. @template T @param {T} value @returns {T} a copy */
const rounded = value => JSON.parse(JSON.stringify(value, (_, x) => (typeof x === 'number' ? Number(x.toFixed(3)) : x)))
const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 1)}\n`
const print = (/** @type {unknown} */ value) => process.stdout.write(json(value))
