// Reads a checkpoint for the session: detects its kind, loads its weights, and describes it to the room.

import { inspectModel, loadModel } from 'qkv/models'
import { present } from '../../../shell/known.js'
import { attentionOf } from '../run/hooks.js'
import {
  firstTextOf,
  hasTokenizer,
  maskOf,
  positionsOf,
  predictsOf,
  problem,
  secondTextOf,
  vocabOf,
} from '../run/read-text.js'
import { idOf, isGguf, isOfHub, labelOf, nameOf, usualDtype } from './sources.js'

export { deleteKeptModel, keptModels } from 'qkv/models'

/** @import { Model } from 'qkv/models' */
/** @import { ModelsAsks as Asks, OpenSource } from '../models.js' */
/** @typedef {Awaited<ReturnType<typeof inspectModel>>} Inspected */
/** @typedef {Omit<Asks['open']['value'], 'id' | 'seconds'>} Description */
/** @typedef {import('../../../shell/room.js').Run<Asks['open']['value']>} OpenRun */

/** Name of the file with weights packed for download. */
const PACKED = 'packed.safetensors'
/** Milliseconds between progress reports. */
const PROGRESS = 50

const HUB_PROBLEMS = /** @type {const} */ ([
  'modelsHub.NOT_FOUND',
  'modelsHub.GATED',
  'modelsHub.TOKEN',
  'modelsHub.BUSY',
  'modelsHub.NETWORK',
  'modelsHub.ANSWER',
  'modelsHub.DAMAGED',
  'modelsHub.DISK_FULL',
])

/** Rethrows an error of the hub as a problem with a text of the room. @param {unknown} error @param {string} name @returns {never} */
function hubProblem(error, name) {
  const { code, message } = /** @type {{ code?: string, message: string }} */ (error)
  const key = HUB_PROBLEMS.find(each => each === `modelsHub.${code}`)
  // Strip the model name from the message, since the problem's text begins with it.
  if (key) throw problem(key, { name: idOf(name), message: message.replace(/^hf:\S+: |\.$/g, '') })
  throw error
}

/** Asks the hub about a model, before anything is downloaded. @param {import('qkv').Qkv} qkv @param {Asks['look']['request']} request @param {AbortSignal} signal */
export async function look(qkv, { name, token }, signal) {
  const found = await inspectModel(name, { signal, token: token || undefined }).catch(error => hubProblem(error, name))
  const { type, textPartOf, parameters } = found
  const bytes = memoryOf(found)
  const { id, commit, license, isGated, download, files } = present(found.hub)
  const [, , ...folder] = name.replace(/@(?:refs\/\w+\/)?[^/]+/, '').split('/')
  const gguf = files.flatMap(file => (isGguf(file.name) ? file.name : [])).slice(0, 1)
  const source = [`hf:${id}@${commit}`, ...folder.filter(part => !isGguf(part)), ...gguf].join('/')
  const { secondsOfText } = await import('../long-text/computer-rate.js')
  const vocab = Number(found.config.vocab_size)
  const seconds = secondsOfText(qkv, { stacks: found.stacks, parameters, vocab })
  const size = sizeOf(files)
  const facts = {
    name,
    source,
    license: license ?? '',
    isGated,
    download,
    size,
    type,
    textPartOf,
    parameters,
    bytes,
    seconds,
  }
  return { found, facts }
}

/** Returns the bytes of memory per dtype. `stored`: as in the file, with some GGUF block types widened. @param {Inspected} found */
const memoryOf = ({ bytes }) => ({ ...bytes, stored: bytes.loaded })

/** @param {readonly { bytes?: number }[]} files */
const sizeOf = files => files.reduce((sum, { bytes = 0 }) => sum + bytes, 0)

/**
 * Loads a checkpoint and describes it. Frees the model if the request is cancelled or its description fails.
 * @param {import('qkv').Qkv} qkv
 * @param {Asks['open']['request']} request
 * @param {Inspected | undefined} looked facts that `look` has found, if any
 * @param {OpenRun} run
 * @returns {Promise<{ model: Model, description: Description }>}
 */
export async function readCheckpoint(qkv, request, looked, { signal, progress }) {
  const start = performance.now()
  const { source, name: given, known, dtype, most, token } = request
  const from = await sourceOf(source, signal)
  const isHub = isOfHub(source)
  const ofHub = isHub ? { token: token || undefined } : {}
  const failed = (/** @type {unknown} */ error) => {
    if (isHub) hubProblem(error, source)
    throw error
  }
  const found = looked ?? (await inspectModel(from, { signal, ...ofHub }).catch(failed))
  const { type, textPartOf, config, stacks, parameters, hub, types } = found
  const bytes = memoryOf(found)
  const isShipped = typeof source === 'object' && 'urls' in source
  const label = isShipped ? given : labelOf(source, given, config)
  progress({ name: label })
  const isSmaller = isHub || (types && bytes.stored > most) // blocks of some GGUF types take more memory than on disk
  const chosen = dtype ?? (isSmaller ? usualDtype(bytes, most) : '')
  if (dtype === undefined && bytes[chosen || 'stored'] > most) {
    const sizes = { stored: bytes.stored, float16: bytes.float16, int8: bytes.int8 }
    throw problem('modelsLarge', { name: label, most, ...sizes })
  }
  const onProgress = reporter(label, start, progress)
  const model = await loadModel(qkv, from, {
    ...ofHub,
    dtype: chosen || undefined,
    signal,
    onProgress,
  }).catch(failed)
  try {
    signal.throwIfAborted()
    const predicts = await predictsOf(model)
    const name = isShipped ? given : await nameOf(label, config, await numbersOf(model), known)
    const about = await aboutOf(from)
    signal.throwIfAborted()
    const description = {
      name,
      type,
      textPartOf,
      types: Object.keys(types ?? {}),
      stacks,
      parameters,
      bytes: bytes[chosen || 'stored'],
      dtype: chosen,
      hasTokenizer: hasTokenizer(model),
      hasHead: model.hasHead,
      predicts,
      isNumber: model.classes?.scores === 'none',
      threads: qkv.threads,
      positions: positionsOf(model),
      vocab: vocabOf(model),
      ends: await model.endIds(),
      firstText: about?.figures?.example?.text ?? about?.tour?.[0]?.prompt ?? firstTextOf(model),
      secondText: predicts === 'likeness' ? secondTextOf(model) : '',
      mask: maskOf(model),
      about,
      size: sizeOf(hub?.files ?? []),
    }
    return { model, description }
  } catch (error) {
    model.dispose()
    throw error
  }
}

/** Returns a function that reports loading progress a few times per second. @param {string} name @param {number} start @param {OpenRun['progress']} progress */
function reporter(name, start, progress) {
  let reported = Number.NEGATIVE_INFINITY
  return (/** @type {{ loaded: number, total: number, rate?: number, secondsLeft?: number }} */ report) => {
    const { loaded, total, rate = 0, secondsLeft = 0 } = report
    if (performance.now() - reported < PROGRESS && loaded < total) return
    reported = performance.now()
    progress({ name, loaded, total, seconds: (reported - start) / 1000, rate, secondsLeft })
  }
}

/** Returns numbers that identify a model: a vector, which is the same for every dtype, and a row of weights. @param {Model} model @returns {Promise<Float32Array[]>} */
async function numbersOf(model) {
  const { encoder, decoder } = model.stacks
  const vector = model.describe().tensors.find(({ dims }) => dims.length === 1)
  const { weight } = await model.weightRow(`${attentionOf(encoder && decoder ? 'decoder' : '', 0)}q`, 0)
  return vector ? [(await model.weight(vector.name)).data, weight] : [weight]
}

/** Reads about.json of a folder, if it exists. @param {import('qkv/models').CheckpointSource} source @returns {Promise<import('../models.js').About | undefined>} */
async function aboutOf(source) {
  const files = Array.isArray(source) ? Object.fromEntries(source.map(file => [file.name, file])) : source
  const file = typeof files === 'object' ? /** @type {Record<string, BlobPart>} */ (files)['about.json'] : undefined
  return file && JSON.parse(await new Blob([file]).text())
}

/** @param {OpenSource} source @param {AbortSignal} signal @returns {Promise<import('qkv/models').CheckpointSource>} */
async function sourceOf(source, signal) {
  if (typeof source === 'string' || Array.isArray(source)) return source
  const files = Object.entries(source.urls).map(async ([name, url]) => {
    const response = await fetch(url, { signal })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
    return [name, await response.arrayBuffer()]
  })
  const { [PACKED]: packed, ...found } = Object.fromEntries(await Promise.all(files))
  if (!packed) return found
  const { unpacked } = await import('../../../files/packed-weights.js')
  return { ...found, 'model.safetensors': unpacked(packed) }
}
