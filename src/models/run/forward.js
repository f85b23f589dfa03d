// A forward pass: checks the options, reads the input, runs the stacks, and combines their results.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { embeddingOf } from '../weights/weights.js'
import { readSummary } from './attention-summaries.js'
import { INPUTS, RUN_OPTIONS, readKeep } from './inputs.js'
import { checkCache } from './model-cache.js'
import { checkHooks, keepingHooks } from './model-hooks.js'
import { embed, enter, ModelOperations, makeLogits, pool, runStack } from './network.js'
import { isSameInput, readInput, readPacked } from './read-input.js'
import { firstStack, lastStack, stackNames } from './stacks.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Family, StackSpec } from '../family-shapes/parts.js' */
/** @import { Model, ModelInput, ModelOptions, ModelOutput, OwnOptions, RunOptions } from '../model.js' */
/** @import { Call, RunSteps } from './network.js' */
/** @import { Input } from './read-input.js' */

/** The output of the encoder, with its input. @typedef {NonNullable<Call['encoded']> & { states: Partial<ModelOutput>, source: Input }} Encoded */

/**
 * The parts of a model that a run uses.
 * @typedef {object} RunParts
 * @property {import('../../qkv.js').Qkv} qkv
 * @property {Family} family
 * @property {import('../weights/weights.js').ModelWeights} weights
 * @property {unknown} padding pad_token_id of the config
 * @property {typeof import('../classes/class-logits.js').classLogits} [classLogits] for a family with classes
 * @property {typeof import('./token-calls.js').TokenCalls} [TokenCalls] for a decoder
 */

/**
 * Runs a forward pass in steps. All arguments are validated before the first layer runs.
 * @param {RunParts} parts
 * @param {Model} model the public model, to which caches belong
 * @param {ModelInput} input
 * @param {RunOptions} options
 * @param {OwnOptions} [own]
 * @returns {RunSteps<ModelOutput>}
 */
export function* forward(parts, model, input, options, own) {
  const { family } = parts
  input = readOptions(input, INPUTS, 'forward: input')
  const given = readOptions(options, RUN_OPTIONS, 'forward')
  if (!parts.weights.hasHead && (given.logits === 'all' || Object.hasOwn(Object(given.hooks), 'logits')))
    throw new Error(
      `forward: logits: this ${family.type} checkpoint has no head: it gives hidden states, but no logits; leave logits out`,
    )
  options = Object.assign(given, own)
  const { logits = 'all', until } = options
  const isBoth = family.encoder !== undefined && family.decoder !== undefined
  const stack = lastStack(family)
  oneOf(logits, ['all', 'last', 'none'], 'forward: logits')
  const cache = checkCache(options.cache, model)
  if (input.decoderIds !== undefined && !isBoth)
    throw new TypeError(`forward: decoderIds: ${family.type} is not an encoder-decoder; leave them out`)
  if (until !== undefined) {
    toNumber(until, 'forward: until', { least: 0, most: stack.layers.length - 1, whole: true })
    if (cache) throw new TypeError('forward: until: a run with a cache goes through all layers: leave one of them out')
  }
  const stacks = stackNames(family)
  options.hooks = checkHooks(options.hooks, stacks)
  options.checked = readSummary(options.summary)
  const { keeps, places } = readKeep(options.keep, stacks)
  /** @type {Record<string, FloatTensor>} */
  const kept = {}
  if (places.length) options.hooks = keepingHooks(/** @type {any} */ (options.hooks), places, kept)
  const names = /** @type {const} */ (['attentions', 'hiddenStates', 'attentionSummaries'])
  if (!isBoth) {
    const read = own?.texts ? readPacked(family, stack, own.texts) : readInput(family, stack, input, 'ids', cache)
    return resultOf(parts, yield* run(parts, { stack, place: '', read, keeps, names }, options), options, { kept })
  }
  const isKnown = cache?.encoded !== undefined && input.ids === undefined && input.embeddings === undefined
  const source = isKnown ? undefined : readInput(family, firstStack(family), input, 'ids')
  if (source && cache?.encoded && !isSameInput(source, cache.encoded.source))
    throw new RangeError(
      'forward: this cache holds the encoding of other ids, or of another attentionMask or other positions: ' +
        'clear it with cache.clear(), or make another with model.cache()',
    )
  const read = readInput(family, stack, { ids: input.decoderIds ?? [family.startId ?? 0] }, 'decoderIds', cache)
  const encoded = cache?.encoded ?? (yield* encode(parts, present(source), options, keeps))
  const ran = yield* run(parts, { stack, place: 'decoder.', read, keeps, names, encoded }, options)
  return resultOf(parts, ran, options, { ...encoded.states, kept })
}

/**
 * Runs the encoder.
 * @param {RunParts} parts
 * @param {Input} source
 * @param {RunOptions} options
 * @param {ReturnType<typeof readKeep>['keeps']} keeps
 * @returns {RunSteps<Encoded>}
 */
function* encode(parts, source, options, keeps) {
  const stack = firstStack(parts.family)
  const names = /** @type {const} */ (['encoderAttentions', 'encoderHiddenStates', 'encoderAttentionSummaries'])
  const own = { stack, place: 'encoder.', read: source, keeps, names }
  const { cache } = options
  if (cache) cache.isBroken = true // makes a hook that uses this call's cache throw
  try {
    const { attentions, hiddenStates, summaries, h, mask } = yield* run(parts, own, {
      ...options,
      cache: undefined,
      until: undefined,
    })
    const hidden = new Tensor(h.data.slice(), [...h.dims])
    const states = {
      encoderAttentions: attentions,
      encoderHiddenStates: hiddenStates,
      encoderAttentionSummaries: summaries.attention.made,
      encoderLastHiddenState: hidden,
    }
    return { hidden, mask, keys: [], states, source }
  } finally {
    if (cache) cache.isBroken = false
  }
}

/**
 * Runs a stack on validated input.
 * @param {RunParts} parts
 * @param {object} own
 * @param {StackSpec} own.stack
 * @param {string} own.place
 * @param {Input} own.read
 * @param {ReturnType<typeof readKeep>['keeps']} own.keeps
 * @param {readonly [attentions: string, hiddenStates: string, summaries: import('./attention-summaries.js').SummaryName]} own.names names
 *   under which results are kept
 * @param {Encoded} [own.encoded]
 * @param {RunOptions} options
 */
function* run(
  { qkv, family, weights, classLogits, TokenCalls },
  { stack, place, read, keeps, names, encoded },
  { hooks, keep, cache, logits, until, record, inParts, within, entered, checked, operations },
) {
  const [attentionsName, hiddenName, summariesName] = names
  const { positions, past, mask, masks, L } = read
  const given = /** @type {import('./network.js').CheckedHooks | undefined} */ (hooks)
  const isWatched = record || entered || Object.keys(hooks ?? {}).length > 0
  const needsAllRows = isWatched || stack.parallel || keeps(hiddenName, stack.layers.length)
  const layers = stack.layers.map(() => undefined)
  const summaries = (
    /** @type {import('./attention-summaries.js').SummaryName} */ name,
    /** @type {boolean} */ has,
  ) => ({
    name,
    keeps: (/** @type {number} */ layer) => keeps(name, layer),
    made: has ? [...layers] : [],
  })
  /** @type {Call} */
  const call = {
    qkv,
    weights,
    ops: operations?.(given) ?? new ModelOperations(qkv, weights, given),
    record,
    inParts,
    within,
    entered,
    until,
    place,
    read,
    positions,
    past,
    mask,
    encoded,
    caches: cache?.layers,
    lastOnly: logits === 'last' && stack.causal && !needsAllRows && !classLogits,
    attentions: [...layers],
    hiddenStates: [...layers, undefined],
    crossAttentions: encoded ? [...layers] : [],
    keepWeights: layer => keeps(attentionsName, layer),
    keepHidden: layer => keeps(hiddenName, layer),
    keepCross: layer => keeps('crossAttentions', layer),
    summary: checked ?? readSummary(undefined),
    summaries: {
      attention: summaries(summariesName, true),
      cross: summaries('crossAttentionSummaries', encoded !== undefined),
    },
  }
  const embedding = embeddingOf(family, stack)
  const embedded = within ? yield* within.embed(embedding, call.ops, read) : embed(embedding, call.ops, read)
  const first = call.ops.hook(`${place}embedding`, enter(embedding, call.ops, embedded))
  if (cache) Object.assign(cache, { encoded, isBroken: true }) // isBroken is reset once all layers have appended their keys
  // TokenCalls replays recorded kernel calls for a single token after a cache. Calls with other needs (isGeneral) run the stack.
  const isGeneral =
    isWatched || inParts || operations || keep?.length || mask || encoded || stack.relative || positions.length > 1
  const tokenCache = isGeneral ? undefined : cache
  if (tokenCache && TokenCalls) tokenCache.calls ??= new TokenCalls(call, stack)
  const h = tokenCache?.calls?.run(first, call) ?? (yield* runStack(stack, first, call))
  if (cache?.isBroken === false) {
    // A hook has called cache.clear(), which resets isBroken.
    cache.isBroken = true
    throw new Error('forward: a hook has cleared the cache of this call: clear it again and begin again')
  }
  if (cache) Object.assign(cache, { length: past + L, tokens: masks, isBroken: false })
  return { ...call, h, mask }
}

/**
 * Computes what follows the layers: logits, pooled rows, classes.
 * @param {RunParts} parts
 * @param {{ h: FloatTensor } & Call} ran
 * @param {ModelOptions} options
 * @param {Partial<ModelOutput>} more
 * @returns {ModelOutput}
 */
function resultOf({ family, weights, padding, classLogits }, ran, { logits: rows = 'all', until }, more) {
  const { ops, h, attentions, hiddenStates, crossAttentions, summaries } = ran
  const lastHiddenState = rows === 'last' ? h.slice(1, -1) : new Tensor(h.data.slice(), [...h.dims])
  const { pooler, classes } = family
  const isCut = until !== undefined
  const logits = rows === 'none' || isCut || !weights.hasHead ? undefined : makeLogits(family, ops, lastHiddenState)
  const { read } = ran
  const starts = read.texts ?? Uint32Array.from({ length: h.dims[0] + 1 }, (_, b) => b * h.dims[1])
  const pooled = pooler && weights.hasPooler && !isCut ? pool(pooler, ops, h, starts) : undefined
  const told = classes && !isCut ? classLogits?.(classes, ops, h, pooled, read, starts, padding) : undefined
  return {
    logits,
    lastHiddenState,
    pooled,
    classLogits: told?.classLogits,
    classScores: told?.classScores,
    attentions,
    hiddenStates,
    crossAttentions,
    encoderAttentions: [],
    encoderHiddenStates: [],
    attentionSummaries: summaries.attention.made,
    crossAttentionSummaries: summaries.cross.made,
    encoderAttentionSummaries: [],
    kept: {},
    ...more,
  }
}
