// Runs a model over texts, part by part, on threads of this machine or elsewhere, and merges the results.

import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oneOf, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { merge, pathOfPart } from './merge.js'
import { optional } from './optional.js'
import { decodePart, readPart, writeWhole } from './part-file.js'
import { closeModel, runPart } from './run-part.js'
import { openTexts } from './texts.js'
import { readWhat } from './what.js'

/** @import { CorpusPart } from './run-part.js' */
/** @import { CorpusResult } from './merge.js' */
/**
 * @typedef {object} CorpusProgress
 * @property {number} texts number of texts done
 * @property {number} parts number of parts done
 * @property {number} resumed parts that an earlier run had finished
 * @property {number} [fraction] fraction of the text file that has been read
 * @property {number} seconds
 *
 * @typedef {object} CorpusOptions
 * @property {string | URL} model as in loadModel, such as a folder or hf:owner/name; 'qkv/stories': the model that ships with qkv
 * @property {import('./what.js').CorpusWhat} what
 * @property {string} out path of the folder for the results, created if missing
 * @property {'npz' | 'csv' | 'parquet'} [format] file format of the results; default npz
 * @property {number | 'auto' | { run: (part: CorpusPart) => Uint8Array | Promise<Uint8Array>, count?: number }} [workers] number of threads
 *   that run parts, each with a separate model; 'auto': the number of cores; default 1: this thread. An object runs parts elsewhere, up to
 *   `count` (default 4) at once: its `run` calls runPart(part) there and returns the bytes
 * @property {boolean} [resume] true (default) reuses the results of an earlier call in this folder
 * @property {number} [partSize] texts per part; default 256. After a crash, unfinished parts are repeated
 * @property {Pick<import('../models/load-model.js').LoadModelOptions, 'dtype' | 'activations' | 'adapter'>} [modelOptions]
 * @property {AbortSignal} [signal] aborts the run; finished parts stay in the folder
 * @property {(progress: CorpusProgress) => void} [onProgress]
 */

const OPTIONS = [
  'model',
  'what',
  'out',
  'format',
  'workers',
  'resume',
  'partSize',
  'modelOptions',
  'signal',
  'onProgress',
]

/**
 * Computes losses, embeddings, head scores, means, largest activations and custom functions over texts, and writes them to a folder. The
 * numbers have the same bits for any number of workers.
 * @param {import('./texts.js').Texts} texts
 * @param {CorpusOptions} options
 * @returns {Promise<CorpusResult>}
 */
export async function corpus(texts, options) {
  const { settings, out, format, workers, resume, partSize, signal, onProgress } = await readAll(options)
  signal?.throwIfAborted()
  const source = await openTexts(texts)
  await mkdir(join(out, 'parts'), { recursive: true })
  await checkFolder(out, settings, partSize, resume)
  const begun = performance.now()
  const progress = { texts: 0, parts: 0, resumed: 0 }
  const runner = await startRunner(workers, signal)
  /** @type {Set<Promise<void>>} */
  const running = new Set()
  /** @type {{ error: unknown } | undefined} */
  let failed
  let parts = 0
  try {
    for await (const part of partsOf(source.texts, settings, partSize)) {
      parts++
      const task = runOne(part, out, runner.run)
        .then(isResumed => {
          progress.texts += part.texts.length
          progress.parts++
          progress.resumed += Number(isResumed)
          const fraction = source.fraction()
          onProgress?.({
            ...progress,
            ...(fraction !== undefined && { fraction }),
            seconds: (performance.now() - begun) / 1000,
          })
        })
        .catch(error => {
          failed ??= { error }
        })
      running.add(task)
      task.finally(() => running.delete(task))
      if (running.size >= runner.most) await Promise.race(running)
      if (failed) break
      signal?.throwIfAborted()
    }
    await Promise.all(running)
  } finally {
    await runner.close()
  }
  if (failed) throw signal?.aborted ? signal.reason : failed.error
  if (!parts) throw new RangeError('corpus: texts: there is none')
  return merge(out, parts, format)
}

/** Validates the options. @param {CorpusOptions} options */
async function readAll(options) {
  const given = readOptions(options, OPTIONS, 'corpus')
  const {
    model,
    what,
    out,
    format = 'npz',
    workers = 1,
    resume = true,
    partSize = 256,
    modelOptions = {},
    signal,
    onProgress,
  } = given
  if (!(typeof model === 'string' || model instanceof URL))
    throw new TypeError(
      `corpus: model: expected a folder, a name such as 'hf:owner/name', or 'qkv/stories', which each worker can open, got ${describe(model)}`,
    )
  if (typeof out !== 'string' || !out)
    throw new TypeError(`corpus: out: expected the path of a folder for results, got ${describe(out)}`)
  oneOf(format, ['npz', 'csv', 'parquet'], 'corpus: format')
  toBoolean(resume, 'corpus: resume')
  toNumber(partSize, 'corpus: partSize', { least: 1, most: 65_536, whole: true })
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new TypeError(`corpus: signal: expected the signal of an AbortController, got ${describe(signal)}`)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`corpus: onProgress: expected a function, got ${describe(onProgress)}`)
  if (typeof workers === 'number') toNumber(workers, 'corpus: workers', { least: 1, most: 256, whole: true })
  else if (workers !== 'auto' && typeof workers?.run !== 'function')
    throw new TypeError(`corpus: workers: expected a number, 'auto' or { run, count }, got ${describe(workers)}`)
  const own = readOptions(modelOptions, ['dtype', 'activations', 'adapter'], 'corpus: modelOptions')
  if (format === 'parquet') await optional('hyparquet-writer', "corpus: format 'parquet'")
  const { version } = createRequire(import.meta.url)('qkv/package.json')
  const settings = {
    model: String(model),
    modelOptions: { ...own },
    what: await readWhat(what),
    of: `qkv ${version}, ${await fingerprint(String(model))}`,
  }
  return { settings, out, format, workers, resume, partSize, signal, onProgress }
}

const MIB = 2 ** 20

/**
 * Returns an identifier of a model. For a hub model it is the name and commit. For a folder or a GGUF file it is a hash of each file's name
 * and size and its first and last MiB. For an http address or 'qkv/stories' it is the string itself.
 * @param {string} model
 */
async function fingerprint(model) {
  if (model === 'qkv/stories' || /^https?:/.test(model)) return model
  if (model.startsWith('hf:')) {
    const { inspectModel } = await import('../models/load-model.js')
    const { hub } = await inspectModel(model)
    return `${hub?.id} ${hub?.commit}`
  }
  const path = /^file:/.test(model) ? fileURLToPath(model) : model
  const hash = createHash('sha256')
  // An invalid path is not reported here, but by loadModel.
  const names = await readdir(path).catch(() => [])
  const files = names
    .filter(each => /\.(json|txt|safetensors|bin|model|gguf)$/.test(each))
    .map(name => join(path, name))
  for (const each of files.length ? files.sort() : [path]) {
    const file = await open(each).catch(() => undefined)
    try {
      const { size = 0 } = (await file?.stat()) ?? {}
      hash.update(`${basename(each)} ${size}\n`)
      for (const from of new Set([0, Math.max(0, size - MIB)])) {
        const length = Math.min(size, MIB)
        const read = await file?.read(Buffer.alloc(length), 0, length, from)
        hash.update(read?.buffer.subarray(0, read.bytesRead) ?? '')
      }
    } finally {
      await file?.close()
    }
  }
  return hash.digest('hex')
}

/**
 * Stores the settings in the folder of results. If the folder has results of other settings, throws. With `resume` false, deletes the
 * folder's parts instead.
 * @param {string} out
 * @param {CorpusPart['settings']} settings
 * @param {number} partSize
 * @param {boolean} resume
 */
async function checkFolder(out, settings, partSize, resume) {
  const path = join(out, 'corpus.json')
  const text = `${JSON.stringify({ ...settings, partSize }, null, 2)}\n`
  const found = await readFile(path, 'utf8').catch(() => undefined)
  // If a folder has only settings, the call that wrote them failed before its first part.
  const isUsed = (await readdir(out, { recursive: true })).some(name => name !== 'corpus.json' && name !== 'parts')
  if (isUsed && found !== undefined && found !== text && resume) {
    const old = JSON.parse(found)
    const other = Object.keys({ ...settings, partSize }).filter(
      name => JSON.stringify(old[name]) !== JSON.stringify({ ...settings, partSize }[name]),
    )
    throw new RangeError(
      `corpus: out: ${describe(out)} has results with another ${other.join(', ').replace(/\bof$/, 'model or version of qkv')}: choose another folder, or say resume: false (--no-resume), which begins again`,
    )
  }
  if (found !== undefined && !resume) await rm(join(out, 'parts'), { recursive: true })
  await writeWhole(path, file => file.writeFile(text))
}

/**
 * Splits the texts into parts.
 * @param {Iterable<string> | AsyncIterable<string>} texts
 * @param {CorpusPart['settings']} settings
 * @param {number} size
 * @returns {AsyncGenerator<CorpusPart, void, void>}
 */
async function* partsOf(texts, settings, size) {
  const own = JSON.stringify(settings)
  let [n, first] = [0, 0]
  /** @type {string[]} */
  let list = []
  const make = () => {
    const id = createHash('sha256')
      .update(JSON.stringify([own, first, list]))
      .digest('hex')
      .slice(0, 32)
    return { id, n: n++, first, texts: list, settings }
  }
  for await (const text of texts) {
    if (typeof text !== 'string')
      throw new TypeError(`corpus: texts: text ${first + list.length}: expected a text, got ${describe(text)}`)
    list.push(text)
    if (list.length < size) continue
    yield make()
    first += list.length
    list = []
  }
  if (list.length) yield make()
}

/**
 * Runs a part and writes its results, unless the folder already has them.
 * @param {CorpusPart} part
 * @param {string} out
 * @param {(part: CorpusPart) => Uint8Array | Promise<Uint8Array>} run
 * @returns {Promise<boolean>} true if the folder had them
 */
async function runOne(part, out, run) {
  const path = pathOfPart(out, part.n)
  if ((await readPart(path))?.id === part.id) return true
  const bytes = await run(part)
  const made = bytes instanceof Uint8Array ? decodePart(bytes) : undefined
  if (made?.id !== part.id)
    throw new TypeError(
      `corpus: workers: run: expected the bytes returned by runPart(part), got ${made ? 'the results of another part' : describe(bytes)}`,
    )
  await writeWhole(path, file => file.writeFile(bytes))
  return false
}

/**
 * Starts the workers. Returns `run`, which runs a part, the maximum number of concurrent parts, and `close`, which ends the workers.
 * @param {NonNullable<CorpusOptions['workers']>} workers
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ run: (part: CorpusPart) => Uint8Array | Promise<Uint8Array>, most: number, close: () => Promise<unknown> }>}
 */
async function startRunner(workers, signal) {
  if (typeof workers === 'object') return { run: workers.run, most: workers.count ?? 4, close: async () => {} }
  const count = workers === 'auto' ? availableParallelism() : workers
  if (count === 1) return { run: part => runPart(part, { signal }), most: 1, close: closeModel }
  const { Piscina } = await optional('piscina', `corpus: workers: ${count}`)
  const filename = fileURLToPath(new URL('./corpus-worker.js', import.meta.url))
  const pool = new Piscina({ filename, minThreads: count, maxThreads: count, atomics: 'disabled' })
  return { run: part => pool.run(part, { signal }), most: count + 1, close: () => pool.destroy() }
}
