// Computes the results of one part of a corpus. A thread or process keeps its model open for the next part.

import { describe } from '../base/errors.js'
import { present } from '../base/present.js'
import { measurePart } from './measure.js'
import { encodePart } from './part-file.js'

/**
 * A part as JSON, which may be sent to another machine.
 * @typedef {object} CorpusPart
 * @property {string} id hash of the settings and the texts; equal parts have equal ids
 * @property {number} n index of the part
 * @property {number} first index of its first text
 * @property {string[]} texts
 * @property {PartSettings} settings
 *
 * @typedef {object} PartSettings
 * @property {string} model
 * @property {Record<string, any>} modelOptions
 * @property {import('./what.js').CheckedWhat} what
 * @property {string} of version of qkv, and the identifier of the model from `fingerprint`
 */

/** The open model. `key` is the JSON of its settings. @type {{ key: string, opened: Promise<import('./measure.js').Opened> } | undefined} */
let last

/**
 * Runs a part, and returns its results as bytes for corpus.
 * @param {CorpusPart} part
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Uint8Array>}
 */
export function runPart(part, { signal } = {}) {
  const made = running.then(() => run(part, signal))
  running = made.catch(() => {})
  return made
}

/** Settles when the run started last has ended. Parts run one after another, because a part with other settings closes the model. @type {Promise<unknown>} */
let running = Promise.resolve()

/** @param {CorpusPart} part @param {AbortSignal | undefined} signal */
async function run(part, signal) {
  if (typeof part?.id !== 'string' || !Array.isArray(part.texts))
    throw new TypeError(`runPart: expected a part as passed to workers by corpus, got ${describe(part)}`)
  const key = JSON.stringify(part.settings)
  if (last?.key !== key) {
    await close()
    last = { key, opened: open(part.settings) }
  }
  const opened = last.opened
  const made = await measurePart(await opened, part, signal).catch(async error => {
    await close()
    throw error
  })
  return encodePart(made)
}

/** Frees the open model when all started runs have ended. */
export function closeModel() {
  running = running.then(close)
  return running
}

async function close() {
  const opened = await last?.opened.catch(() => undefined)
  last = undefined
  opened?.model.dispose()
}

/** @param {PartSettings} settings @returns {Promise<import('./measure.js').Opened>} */
async function open({ model: source, modelOptions, what }) {
  // Imported lazily, so that entries of the package share these files.
  const [{ load }, { loadModel }] = await Promise.all([import('../load.js'), import('../models/load-model.js')])
  const functions = await Promise.all(
    what.functions.map(async ({ url }) => {
      const { default: call } = await import(url)
      if (typeof call !== 'function')
        throw new TypeError(
          `corpus: what: functions: the default export of ${url}: expected a function of a text, got ${describe(call)}`,
        )
      return { name: present(/([^/]+?)(?:\.\w+)?$/.exec(new URL(url).pathname))[1], call }
    }),
  )
  const qkv = await load()
  const model = await loadModel(qkv, await sourceOf(source), modelOptions)
  const { encoder, decoder } = model.stacks
  if (what.losses && (encoder || !decoder || !model.hasHead)) {
    model.dispose()
    throw new RangeError(
      `corpus: what: losses: ${model.type} ${encoder ? 'reads a text as a whole' : 'has no head'}, so it has no loss of next tokens: compute one of your own by a module in functions`,
    )
  }
  return { qkv, model, functions }
}

const STORIES = 'qkv/stories'

/** Returns a source that loadModel accepts. @param {string} source as in loadModel, or 'qkv/stories' */
export const sourceOf = async source => (source === STORIES ? (await import(STORIES)).stories : source)
