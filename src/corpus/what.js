// Validates the option `what`: the results to compute.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/** @import { Place } from '../models/run/model-hooks.js' */
/**
 * @typedef {object} CorpusWhat
 * @property {boolean | Pick<import('../models/sentences/embed.js').EmbedOptions, 'pooling' | 'normalize' | 'prompt' | 'truncateDim'>} [embeddings] true,
 *   or options of model.embed
 * @property {boolean} [losses] the mean cross-entropy of each text's tokens, as transformers computes it with `labels`
 * @property {boolean} [headScores] as in model.headScores
 * @property {readonly Place[]} [means] places whose means and variances are computed, over all positions of all texts. A star stands for
 *   every layer
 * @property {readonly Place[]} [top] places whose largest activations are listed, with texts and positions. `mlp.hidden` has a list for each
 *   neuron; `heads` has one for each head, whose activation is the norm of its output
 * @property {number} [topCount] texts per neuron or head; default 10
 * @property {readonly (string | URL)[]} [functions] paths of modules whose default export, a TextFunction, is called with each text
 */
/**
 * The option `what` after validation, as JSON.
 * @typedef {object} CheckedWhat
 * @property {false | Record<string, any>} embeddings
 * @property {boolean} losses
 * @property {boolean} headScores
 * @property {Place[]} means
 * @property {Place[]} top
 * @property {number} topCount
 * @property {{ url: string, sha256: string }[]} functions
 */

const NAMES = ['embeddings', 'losses', 'headScores', 'means', 'top', 'topCount', 'functions']

/** @param {CorpusWhat} given @returns {Promise<CheckedWhat>} */
export async function readWhat(given) {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(
      `corpus: what: expected an object such as { losses: true, headScores: true }, got ${describe(given)}; known names: ${NAMES.join(', ')}`,
    )
  const what = readOptions(given, NAMES, 'corpus: what')
  const {
    embeddings = false,
    losses = false,
    headScores = false,
    means = [],
    top = [],
    topCount = 10,
    functions = [],
  } = what
  toBoolean(losses, 'corpus: what: losses')
  toBoolean(headScores, 'corpus: what: headScores')
  const pooling = ['pooling', 'normalize', 'prompt', 'truncateDim']
  const embed =
    typeof embeddings === 'boolean'
      ? embeddings && {}
      : { ...readOptions(embeddings, pooling, 'corpus: what: embeddings') }
  for (const [name, list] of Object.entries({ means, top, functions }))
    if (!Array.isArray(list)) throw new TypeError(`corpus: what: ${name}: expected a list, got ${describe(list)}`)
  toNumber(topCount, 'corpus: what: topCount', { least: 1, most: 1000, whole: true })
  for (const name of [...means, ...top]) {
    if (typeof name !== 'string')
      throw new TypeError(`corpus: what: places: expected a name such as 'layers.*.mlp.hidden', got ${describe(name)}`)
    if (/(?:scores|weights)(?:\.\d+)?$/.test(name))
      throw new RangeError(
        `corpus: what: ${describe(name)} has a number for each pair of positions, so that texts of several lengths have no mean: headScores, or a module in functions, sums them up`,
      )
  }
  if (!embed && !losses && !headScores && !means.length && !top.length && !functions.length)
    throw new RangeError(`corpus: what: nothing is to be computed: say losses: true, or another of ${NAMES.join(', ')}`)
  const modules = await Promise.all(functions.map(readModule))
  return { embeddings: embed, losses, headScores, means: [...means], top: [...top], topCount, functions: modules }
}

/** Finds a module of `functions` and hashes its code. The hash is a setting, so results of another version are not resumed. @param {string | URL} path */
async function readModule(path) {
  if (typeof path === 'function')
    throw new TypeError(
      'corpus: what: functions: expected the path of a module, got a function: workers import it, so export it as the default of a file',
    )
  const url = path instanceof URL || /^file:/.test(String(path)) ? new URL(path) : pathToFileURL(resolve(String(path)))
  const code = await readFile(url).catch(cause => {
    throw new RangeError(
      `corpus: what: functions: expected the path of a module, but ${describe(String(path))} cannot be read (${cause.code})`,
      { cause },
    )
  })
  return { url: url.href, sha256: createHash('sha256').update(code).digest('hex') }
}
