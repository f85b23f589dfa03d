// Computes the gradients of a model. The forward pass keeps the input of each layer and, if memory allows, the outputs of its linear
// operations. The layers then run again from last to first, each with a recorder that passes the gradients back through it (checkpointing).

import { readOptions } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { count, Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { applyHook, checkHooks, copyOf, expandPlace } from '../../models/run/model-hooks.js'
import { embed, enter, finish, headInput, lastNorm, runLayer } from '../../models/run/network.js'
import { stackNames, stacksOf } from '../../models/run/stacks.js'
import { inTurns, layersOf } from '../../models/run/turns.js'
import { forEachRun } from '../../models/weights/stored-tensors.js'
import { embeddingOf, keyOf } from '../../models/weights/weights.js'
import { relativePositionBias } from '../../ops/attention/relative-position-bias.js'
import { Parameters } from '../../train/parameters.js'
import { doublesOf, quiet } from '../patching/resume.js'
import { accumulate, GradientRecorder, KeepingOperations, recordHooks } from './gradient-recorder.js'
import { bytesBackwards, makeRoom } from './memory-room.js'
import { findStored } from './model-parameters.js'
import { isOfPlace, readGradient, readObjective } from './objective.js'
import { expectLogits, isReadout } from './readout.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Hooks, ModelInput, ModelOutput } from '../../models/model.js' */
/** @import { Place } from '../../models/run/model-hooks.js' */
/** @import { Layer } from '../../models/run/network.js' */
/** @import { Derivative, GradientObjective } from './objective.js' */
/** @import { Products } from './gradient-recorder.js' */
/** @typedef {ReturnType<typeof Model.parts>} Parts */

/**
 * @typedef {object} BackwardOptionsOfModel
 * @property {GradientObjective} [of] the objective to differentiate; default 'loss'
 * @property {import('../../models/model.js').Ids} [targets] of the loss, -100 for none; default: the next ids, for an encoder the ids
 * @property {readonly Place[]} [at] the places whose gradients are returned
 * @property {readonly string[] | Parameters} [parameters] names of stored weights whose gradients are returned, or the result of
 *   modelParameters, whose gradients are set
 * @property {Hooks} [hooks] hooks of the run; they are differentiated, too
 * @property {import('../../models/model.js').ModelOptions['keep']} [keep] as in forward
 *
 * @typedef {object} OwnGradients
 * @property {number} [value] of the objective; undefined if its function returned none
 * @property {Record<string, FloatTensor>} gradients by place
 * @property {Record<string, FloatTensor>} parameters gradients by name, with the dims of the stored tensors
 *
 * @typedef {ModelOutput & OwnGradients} ModelGradients
 */

const OPTIONS = ['of', 'targets', 'at', 'parameters', 'hooks', 'keep']

/**
 * Computes the gradients of an objective with respect to the numbers at places of a model and to its weights. Also returns what forward
 * returns.
 * @param {Model} model
 * @param {string | ModelInput} input as in forward
 * @param {BackwardOptionsOfModel} [options]
 * @returns {ModelGradients}
 */
export function backwardSync(model, input, options = {}) {
  const parts = Model.parts(model)
  const given = readOptions(options, OPTIONS, 'backward')
  return parts.qkv.scope(() => finish(gradientSteps(parts, input, given, 'backward')))
}

/**
 * Computes the same as backwardSync in steps that yield to the event loop, so that `signal` can abort it. onLayer is called for each layer
 * of the forward pass, then for each of the backward pass.
 * @param {Model} model
 * @param {string | ModelInput} input
 * @param {BackwardOptionsOfModel & import('../../models/run/turns.js').AsyncOptions} [options]
 * @returns {Promise<ModelGradients>}
 */
export async function backward(model, input, options = {}) {
  const where = 'backward'
  const parts = Model.parts(model)
  const { signal, onLayer, ...given } = readOptions(options, [...OPTIONS, 'signal', 'onLayer'], where)
  checkSignal(signal, where)
  const layers = 2 * layersOf(stacksOf(parts.family), {})
  return inTurns(parts.qkv, gradientSteps(parts, input, given, where, true), { signal, onLayer, layers })
}

/**
 * Runs a model forward and backward in steps, for `backward` and `backwardSync`.
 * @param {Parts} parts
 * @param {string | ModelInput} input
 * @param {Omit<BackwardOptionsOfModel, 'at'> & { at?: readonly string[] }} options already checked for unknown names
 * @param {string} where
 * @param {boolean} [inParts]
 * @returns {import('../../models/run/network.js').RunSteps<ModelGradients>}
 */
export function* gradientSteps(parts, input, options, where, inParts) {
  const { qkv, family, weights, steps } = parts
  const { of = 'loss', targets, at = [], parameters = [], keep } = options
  const ofReadout = isReadout(of)
  const ofPlace = isOfPlace(of) ? of : undefined
  if (!ofPlace) expectLogits(parts, of, where)
  const isLearning = parameters instanceof Parameters || parameters.length > 0
  if (ofReadout && (isLearning || at.some(place => place === 'logits')))
    throw new RangeError(
      `${where}: the gradients of ${isLearning ? 'parameters' : 'logits'} are covered of the loss, of logits of tokens, and of a function of these`,
    )
  const stacks = stackNames(family)
  const { recording, outcomes } = recordHooks(checkHooks(options.hooks, stacks) ?? {})
  if (!Array.isArray(at)) throw new TypeError(`${where}: at: expected a list of places, got ${describe(at)}`)
  const wanted = new Set(
    Array.from(at, place => {
      if (typeof place !== 'string')
        throw new TypeError(`${where}: at: expected names of places, got ${describe(place)}`)
      return expandPlace(place, stacks, `${where}: at`)
    }).flat(),
  )
  const watched = ofPlace && watchPlace(ofPlace, recording, stacks, where)
  if (watched && (targets !== undefined || wanted.has('logits')))
    throw new RangeError(`${where}: the numbers at ${describe(watched.place)} depend on neither targets nor logits`)
  const plan = planParameters(parts, parameters, where)
  /** The input of each layer, and the output of the last. @type {Kept[]} */
  const kept = []
  /** @type {import('./objective.js').CheckedObjective | undefined} */
  let objective
  const last = stacks[stacks.length - 1]
  const entered = (/** @type {Layer} */ own, /** @type {FloatTensor} */ h) => {
    const { place, read } = own.call
    if (place === last.stack && !ofPlace)
      objective ??= readObjective(of, targets, sizesOf(own, family.vocab), where, parts)
    if (own.layer === 0) makeRoom(qkv, 4 * plan.size + bytesBackwards(own.stack, read.B * read.L), where)
    /** @type {Products} */
    const products = new Map()
    const isLayer = own.layer < own.stack.layers.length
    Object.assign(own.call.ops, { products: isLayer ? products : undefined, idle: isLayer ? idleOf(own) : undefined })
    kept.push({ own, h: copyOf(h), products })
  }
  const operations = (/** @type {import('../../models/run/network.js').CheckedHooks | undefined} */ hooks) =>
    new KeepingOperations(qkv, weights, hooks)
  /** @type {'none' | 'all'} */
  const kind = ofReadout || ofPlace ? 'none' : 'all'
  const ran = yield* steps(input, { hooks: recording, keep, logits: kind }, { entered, inParts, operations })
  const logits = /** @type {FloatTensor} */ (ran.logits)
  const { terms, evaluate, readout } = objective ?? {}
  const made = readout?.(doublesOf(ran.lastHiddenState, 0))
  const seed = watched?.seed()
  /** @type {{ value?: number, dLogits?: FloatTensor }} */
  const outcome = made ? { value: made.value } : (seed ?? evaluate?.(qkv, logits) ?? {})
  if ('isValue' in outcome)
    throw new TypeError(
      `${where}: of: its function gave a number, which suffices for exact patching and ablation alone; here return { value, gradient }`,
    )
  const { value, dLogits } = outcome

  const memory = qkv.alloc([Math.max(1, plan.size)])
  /** @type {Map<string, FloatTensor>} */
  const learned = new Map(plan.pieces.map(({ key, from, size }) => [key, memory.part(from, [size])]))
  /** @type {Map<string, FloatTensor>} */
  const found = new Map()
  const shared = { outcomes, wanted, found, learned, seed }
  /** The gradient of the encoder's output. @type {FloatTensor | undefined} */
  let dEncoded
  /** Makes the recorder of one layer. */
  const record = () => new GradientRecorder(qkv, weights, shared)
  for (const { stack: place, spec } of [...stacks].reverse()) {
    const layers = kept.filter(({ own }) => own.call.place === place)
    const { own, h } = layers[spec.layers.length]
    const { call } = own
    let dH = qkv.scope(() => {
      const recorder = record()
      const x = recorder.resident(h)
      const y = lastNorm(spec, place, recorder, x)
      if (place === last.stack && made)
        recorder.give(y, recorder.resident({ data: made.pull().flatMap(row => [...row]), dims: y.dims }))
      else if (place === last.stack && seed)
        recorder.give(y, qkv.alloc(y.dims)) // zeros, because the backward pass starts at an earlier place
      else if (place === last.stack) throughHead(parts, recorder, shared, y, { logits, dLogits, terms })
      else recorder.give(y, recorder.resident(present(dEncoded)))
      recorder.backward()
      return gradientOf(recorder, x)
    })
    for (let layer = spec.layers.length - 1; layer >= 0; layer--) {
      dH = qkv.scope(() => {
        const recorder = record()
        const dX = throughLayer(recorder, layers[layer], call, dH)
        if (recorder.encoded) {
          dEncoded ??= new Tensor(new Float32Array(count(recorder.encoded.dims)), [...recorder.encoded.dims])
          accumulate(dEncoded, recorder.gradient(recorder.encoded)?.data)
        }
        return dX
      })
      yield memory
    }
    const recorder = record()
    const name = `${place}embedding`
    if (seed?.place === name) accumulate(dH, seed.gradient.data)
    recorder.keep(name, dH, dH.dims)
    const passed = outcomes.get(name)?.pass(dH)
    if (learned.size) qkv.scope(() => throughEmbedding(parts, spec, record(), learned, call.read, passed ?? dH.data))
  }
  const ofWeights = Object.fromEntries(plan.read(learned))
  if (parameters instanceof Parameters) {
    for (const [name, { data }] of Object.entries(ofWeights)) parameters.gradients[name].data.set(data)
    parameters.reached = new Set() // empty, so that the optimiser skips weights with a gradient of zeros, such as an unused pooler's
  }
  return {
    ...ran,
    value,
    gradients: Object.fromEntries([...wanted].map(name => [name, entryOf(found, name)])),
    parameters: ofWeights,
  }
}

/**
 * Adds a hook that reads the numbers at a place in the forward pass, after the user's own hook there.
 * @param {import('./objective.js').OfPlace} of
 * @param {Hooks} recording hooks of the forward pass, to which this one is added
 * @param {import('../../models/run/model-hooks.js').Stacks} stacks
 * @param {string} where
 */
function watchPlace(of, recording, stacks, where) {
  const { place, gradient } = readOptions(of, ['place', 'gradient'], `${where}: of`)
  if (typeof place !== 'string')
    throw new TypeError(`${where}: of: place: expected the name of a place, got ${describe(place)}`)
  /** @type {string} */
  const name = place
  if (name === 'logits')
    throw new RangeError(`${where}: of: place: for logits, give a function of the logits as \`of\``)
  if (expandPlace(name, stacks, `${where}: of`)[0] !== name)
    throw new RangeError(`${where}: of: place: expected one place, got ${describe(name)}`)
  if (gradient === undefined)
    throw new TypeError(`${where}: of: gradient: expected a tensor or a function, got undefined`)
  const hooks = /** @type {Record<string, import('../../models/run/model-hooks.js').Hook>} */ (recording)
  const before = hooks[name]
  /** Set in the run, before `seed` is called. @type {FloatTensor} */
  let values
  hooks[name] = x => {
    const made = before === undefined ? undefined : applyHook({ [name]: before }, name, () => x)
    values = copyOf(made ?? x)
    return made
  }
  return {
    place: name,
    seed: () => {
      const given = typeof gradient === 'function' ? gradient(copyOf(values)) : gradient
      return { place: name, ...readGradient(given, values.dims, `"${name}"`, where) }
    },
  }
}

/**
 * What the backward pass needs from a layer: its input, and the outputs of its linear operations.
 * @typedef {{ own: Layer, h: FloatTensor, products: Products }} Kept
 */

/**
 * Computes the gradient with respect to the input of a layer from that of its output.
 * @param {GradientRecorder} recorder
 * @param {Kept} kept
 * @param {Layer['call']} call
 * @param {FloatTensor} dY
 */
export function throughLayer(recorder, { own, h, products }, call, dY) {
  const { encoded } = call
  if (encoded?.hidden) recorder.encoded = recorder.resident(encoded.hidden)
  recorder.ofBias = (dBias, table) => throughBias(own, dBias, table)
  recorder.idle = idleOf(own)
  recorder.products = products
  const x = recorder.resident(h)
  const y = finish(runLayer({ ...own, call: quiet(call, recorder) }, own.stack.layers[own.layer], x))
  recorder.give(y, recorder.resident(dY))
  recorder.backward()
  return gradientOf(recorder, x)
}

/** Returns the ids, the mask and the sizes of a layer's input, against which an objective is checked. @param {Layer} own @param {number} V */
export function sizesOf({ call, stack }, V) {
  const { ids, mask, rows, B, L } = call.read
  return { ids: [...ids], mask: mask && [...mask.data], isEmbedded: Boolean(rows), isCausal: stack.causal, B, L, V }
}

/** Copies the gradient of x; zeros if it has none. @param {GradientRecorder} recorder @param {FloatTensor} x */
function gradientOf(recorder, x) {
  const found = recorder.gradient(x)
  return found ? copyOf(found) : new Tensor(new Float32Array(count(x.dims)), [...x.dims])
}

/**
 * Returns the last linear operation of a layer if only the residual sum reads its output; else undefined. No gradient needs such an output.
 * @param {Layer} own
 */
function idleOf({ stack, layer }) {
  const part = stack.layers[layer][stack.layers[layer].length - 1]
  return part.after || part.post ? undefined : part.mlp?.down
}

/**
 * Sets the gradient of y, the output of the last norm, from that of the logits.
 * @param {Parts} parts
 * @param {GradientRecorder} recorder
 * @param {import('./gradient-recorder.js').Shared} shared
 * @param {FloatTensor} y (B, L, d)
 * @param {{ logits: FloatTensor, dLogits?: FloatTensor, terms?: Derivative[] }} objective
 */
export function throughHead({ qkv, family, weights }, recorder, { outcomes, wanted, learned }, y, objective) {
  const { head } = family
  const [B, L, V] = objective.logits.dims
  const u = headInput(head, recorder, y)
  const C = u.dims[2]
  const dU = qkv.alloc([B, L, C])
  const { scale = 1, softcap: cap } = head
  const outcome = outcomes.get('logits')
  const biasKey = head.bias ?? (head.project?.bias ? `${head.project.name}.bias` : '')
  const isLearned = learned.has('head') || learned.has(biasKey)
  if (objective.terms && !outcome && !wanted.has('logits') && !isLearned) {
    // For a few logits, adding the rows of their tokens is cheaper than a product with the whole weight.
    for (const { n, token, weight } of objective.terms) {
      const slope = cap ? 1 - (objective.logits.data[n * V + token] / cap) ** 2 : 1
      const row = weights.head.row(token).weight
      const { data } = dU
      for (let c = 0; c < C; c++) data[n * C + c] += weight * slope * scale * row[c]
    }
    return recorder.give(u, dU)
  }
  let d = objective.dLogits
  if (!d) {
    d = new Tensor(new Float32Array(B * L * V), [B, L, V])
    for (const { n, token, weight } of objective.terms ?? []) d.data[n * V + token] += weight
  }
  recorder.keep('logits', d, d.dims)
  const dZ = (outcome ? outcome.pass(d) : d.data).slice()
  const rows = Array.from({ length: B * L }, (_, n) => n).filter(n =>
    dZ.subarray(n * V, (n + 1) * V).some(one => one !== 0),
  )
  if (!rows.length) return recorder.give(u, dU)
  const pick = (/** @type {Float32Array} */ from, /** @type {number} */ width) => {
    const out = new Float32Array(rows.length * width)
    rows.forEach((n, i) => {
      out.set(from.subarray(n * width, (n + 1) * width), i * width)
    })
    return recorder.resident({ data: out, dims: [rows.length, width] })
  }
  const x = pick(u.data, C)
  if (scale !== 1) {
    const { data } = x
    for (let i = 0; i < data.length; i++) data[i] *= scale
  }
  const up = pick(dZ, V)
  if (cap) {
    const z = weights.head.forward(x).data // recomputed, because a hook may have changed `objective.logits`
    const { data } = up
    for (let i = 0; i < data.length; i++) data[i] *= 1 - Math.tanh(z[i] / cap) ** 2
  }
  const dX = recorder.through(weights.head, x, up, ['head', biasKey]).data
  const { data } = dU
  rows.forEach((n, i) => {
    for (let c = 0; c < C; c++) data[n * C + c] = dX[i * C + c] * scale
  })
  recorder.give(u, dU)
}

/**
 * Adds to the gradient of the table of a relative position bias.
 * @param {Layer} own
 * @param {FloatTensor} dBias (H, L, S)
 * @param {FloatTensor} table (buckets * H)
 */
function throughBias({ stack, call }, dBias, table) {
  const { table: spec, bidirectional, maxDistance } = present(stack.relative)
  const [H, L, S] = dBias.dims
  const numbers = new Tensor(
    Float32Array.from({ length: spec.rows }, (_, n) => n),
    [spec.rows, 1],
  )
  const buckets = relativePositionBias(numbers, L, S, { bidirectional, maxDistance, pastLength: call.past }).data
  const [from, to] = [dBias.data, table.data]
  for (let h = 0; h < H; h++) for (let n = 0; n < L * S; n++) to[buckets[n] * H + h] += from[h * L * S + n]
}

/**
 * Adds to the gradients of the embedding tables.
 * @param {Parts} parts
 * @param {import('../../models/family-shapes/parts.js').StackSpec} stack
 * @param {GradientRecorder} recorder
 * @param {Map<string, FloatTensor>} learned
 * @param {import('../../models/run/read-input.js').Input} read
 * @param {Float32Array} dH gradient with respect to the input of the first layer
 */
function throughEmbedding({ family, weights }, stack, recorder, learned, read, dH) {
  const { head } = family
  const embedding = embeddingOf(family, stack)
  const rows = recorder.resident(embed(embedding, recorder, read))
  const h = enter(embedding, recorder, rows)
  recorder.give(h, recorder.resident({ data: dH, dims: h.dims }))
  recorder.backward()
  const dRows = recorder.reachedGradient(rows).data
  const { tokens, positions, types, scale = 1 } = embedding
  const C = tokens.columns
  const isTied = !head.project && weights.hasHead
  const zeros = new Int32Array(read.ids.length)
  for (const [key, at, factor, skip = 0] of /** @type {const} */ ([
    [isTied ? 'head' : `${tokens.name}.weight`, read.rows ? undefined : read.ids, scale],
    [`${positions?.name}.weight`, read.positions, 1, positions?.skip],
    [`${types?.name}.weight`, read.types ?? zeros, 1],
  ])) {
    const to = learned.get(key)?.data
    for (let n = 0; to && at && n < at.length; n++)
      for (let c = 0; c < C; c++) to[(at[n] + skip) * C + c] += dRows[n * C + c] * factor
  }
}

/**
 * Plans the memory of the requested gradients: the key, an offset and a size in floats for each Piece of the weights.
 * @param {Parts} parts
 * @param {readonly string[] | Parameters} parameters
 * @param {string} where
 */
function planParameters(parts, parameters, where) {
  const needs = findStored(parts, parameters, where)
  /** @type {Map<string, { key: string, from: number, size: number }>} */
  const pieces = new Map()
  let size = 0
  for (const { need } of needs)
    for (const piece of need.pieces) {
      if (pieces.has(piece.key)) continue
      const own = sizeOf(piece, need.dims)
      pieces.set(piece.key, { key: piece.key, from: size, size: own })
      size += Math.ceil(own / 4) * 4
    }
  return {
    size,
    pieces: [...pieces.values()],
    /** Returns the gradients in the layout of the stored tensors. @param {Map<string, FloatTensor>} learned @returns {[string, FloatTensor][]} */
    read: learned =>
      needs.map(({ name, need: { dims, pieces } }) => {
        const out = new Float32Array(count(dims))
        for (const { key, spec } of pieces) {
          const { data } = entryOf(learned, key)
          forEachRun(dims, spec, data.length, (from, to, length, step) => {
            for (let i = 0; i < length; i++) out[to + i * step] += data[from + i]
          })
        }
        return [name, new Tensor(out, [...dims])]
      }),
  }
}

/** @param {import('../../models/weights/weights.js').Piece} piece @param {readonly number[]} dims of the stored tensor */
function sizeOf({ key, spec }, dims) {
  if (!spec) return count(dims)
  return key === keyOf(spec) || key === 'head' ? spec.out * spec.in : spec.out
}
