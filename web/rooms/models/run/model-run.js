// Runs a model on a text: returns every attention map, the scores of the heads, the prediction, and the prediction after each layer.

import { headScores } from 'qkv/models'
import { largestOf } from '../../../elements/largest.js'
import { entriesIn, present } from '../../../shell/known.js'
import { emptyMaps, putLayer } from '../atlas/maps.js'
import { SUMMARIES, summaryOptions, takeSummary } from '../long-text/summary-run.js'
import { furtherScores } from './further-score.js'
import { attentionOf, readAt, stacksOf } from './hooks.js'
import { hasTokenizer, MASKS, positionsOf, problem, read, tokenText } from './read-text.js'

/** @import { Qkv } from 'qkv' */
/** @import { AttentionSummary, Model, ModelInput } from 'qkv/models' */
/** @import { Stack } from '../../../attention-head/head.js' */
/** @import { Hook } from './hooks.js' */
/** @import { Maps } from '../atlas/maps.js' */
/** `further` is computed for short texts only. @typedef {'previous' | 'first' | 'duplicate' | 'induction' | 'further' | 'entropy'} ScoreName */
/** @typedef {{ id: number, token: string, probability: number }} Guess */

/**
 * @typedef {object} Run
 * @property {import('../models.js').RunRequest} request the request that it answers
 * @property {number[]} ids input of the model
 * @property {string[]} tokens
 * @property {number[]} unknown indices of the tokens that the vocabulary lacks
 * @property {number[]} [targetIds] input of the decoder, for an encoder-decoder
 * @property {string[]} [targets]
 * @property {Partial<Record<Stack, Maps>>} maps
 * @property {Partial<Record<Stack, Partial<Record<ScoreName, Float32Array>>>>} scores (layers, heads)
 * @property {number} row index of the token whose prediction is shown (a decoder predicts the token after it); -1 if an encoder has no
 *   masked word to predict
 * @property {(Guess & { row: number })[]} answers the best guess at each row that has one: masked words, words of a translation,
 *   named entities
 * @property {(Guess & { before?: number })[]} top the most probable tokens of the row; `before`: probability without changes
 * @property {number} [first] with changes: the probability of the original first guess
 * @property {Guess[][]} lens the most probable tokens of the row after the embedding and after each layer; [] for classes and similarity
 * @property {{ value: number, before?: number }} [likeness] cosine between the embeddings of the text and the second one
 * @property {number} milliseconds
 */

/**
 * A run with the parts that stay in the worker:
 * - `summaries`: summaries of the stacks that read a long text; `hasWindows`: true if the summaries contain windows of weights
 * - `states`: outputs of the layers, if small enough to keep, so that another row needs no new run; `usual`: the default row
 * - `classes`: classes of the text or of each token, the most probable first; `compared`: the similarity of two texts
 * @typedef {Omit<Run, 'request'> & { probabilities: Float32Array, input: ModelInput, summaries: Partial<Record<Stack, readonly (AttentionSummary | undefined)[]>>, hasWindows: boolean, states?: import('qkv').FloatTensor[], classes?: Guess[][], compared?: import('qkv/models').Similarity, usual: number }} WholeRun
 */

/** @type {ScoreName[]} */
const SCORES = ['previous', 'first', 'duplicate', 'induction', 'further', 'entropy']
/** Scores of cross-attention. The other scores compare positions within one text. @type {ScoreName[]} */
const OF_CROSS = ['first', 'entropy']
const TOP = 8
const LENS = 3
/** Maximum number of attention weights in memory; larger runs are processed layer by layer. */
const MOST_HELD = 2 ** 24
const MOST_TRANSLATED = 60
/** Maximum bytes of hidden states to keep. */
const MOST_STATES = 2 ** 28

/**
 * Returns the most probable tokens.
 * @param {Model} model
 * @param {Float32Array} row probabilities of all tokens, by id
 * @param {number} count
 * @returns {Guess[]}
 */
export function best(model, row, count) {
  const found = largestOf(count)
  for (let id = 0; id < row.length; id++) found.add(id, row[id])
  return found.items.map(id => ({ id, token: tokenText(model, id), probability: row[id] }))
}

/**
 * Projects hidden states to probabilities of the next token.
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {{ data: Float32Array, dims: number[] }} states (1, N, d): N states of d numbers
 * @returns {Promise<Float32Array[]>} for each state, the probabilities by id
 */
async function probabilitiesOf(qkv, model, states) {
  const { data, dims } = qkv.softmax(await model.logitLens(states))
  const [, rows, V] = dims
  return Array.from({ length: rows }, (_, i) => data.slice(i * V, (i + 1) * V))
}

/**
 * Concatenates the same rows of several hidden states.
 * @param {{ data: Float32Array, dims: readonly number[] }[]} states (1, L, d): L rows of d numbers
 * @param {readonly number[]} rows
 */
function pickRows(states, rows) {
  const d = states[0].dims[2]
  const data = new Float32Array(states.length * rows.length * d)
  states.forEach((state, n) => {
    rows.forEach((row, i) => {
      data.set(state.data.subarray(row * d, (row + 1) * d), (n * rows.length + i) * d)
    })
  })
  return { data, dims: [1, states.length * rows.length, d] }
}

/**
 * Abort signal and progress callback of a run.
 * @typedef {{ signal?: AbortSignal, onProgress?: (done: { layer: number, layers: number, streamed?: Streamed }) => void }} Watch
 * @typedef {{ stack: Stack, done: number, maps: Maps, scores: Partial<Record<ScoreName, Float32Array>> }} Streamed done: number of finished
 *   layers of the stack, on a long text
 */

/**
 * Generates the output of an encoder-decoder, including its start token, without the end token.
 * @param {Model} model
 * @param {number[]} ids
 * @param {Record<string, Hook>} hooks
 * @param {Watch} watch
 */
async function translate(model, ids, hooks, { signal }) {
  const steps = model.generate(ids, {
    temperature: 0,
    numBeams: 1,
    maxNewTokens: MOST_TRANSLATED - 1,
    hooks: hooks,
    useCache: !Object.keys(hooks).length, // no cache with hooks, since they refer to positions of the whole sequence
    signal,
  })
  /** @type {number[]} */
  let sequence = []
  for await (const { ids, isDone } of steps) sequence = isDone ? ids.slice(0, -1) : ids
  return sequence
}

/**
 * Runs a model on a text and collects everything the room shows.
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {{ text: string, ids?: number[], more?: readonly number[], second?: string }} given second: the text to compare with
 * @param {Record<string, Hook>} hooks
 * @param {number} [row] default: the last; for a translation the last but one; for an encoder the first masked word or named entity, if any
 * @param {WholeRun} [before] the same run without hooks
 * @param {Watch} [watch]
 * @returns {Promise<WholeRun>}
 */
export async function runOf(qkv, model, given, hooks, row, before, watch = {}) {
  const start = performance.now()
  const { ids, tokens, raw, unknown } = read(model, given)
  const positions = positionsOf(model)
  if (ids.length > positions) throw problem('modelsTooLong', { count: ids.length, positions })
  const { encoder, decoder } = model.stacks
  const both = encoder !== undefined && decoder !== undefined
  const targetIds = both ? await translate(model, ids, hooks, watch) : undefined
  const input = targetIds ? { ids, decoderIds: targetIds } : { ids }
  const made = await collect(model, input, hooks, ids, unknown, targetIds ?? [], watch)
  const all = /** @type {import('qkv').FloatTensor[]} */ (made.output.hiddenStates)
  const masked = raw.flatMap((token, i) => (MASKS.includes(token) ? [i] : []))
  const length = targetIds?.length ?? ids.length
  const rows = both ? (targetIds?.map((_, i) => i) ?? []) : decoder ? [] : masked
  const classes = classesOf(model, made.output.classScores)
  const compared =
    given.second === undefined
      ? undefined
      : await model.similarity(given.text, given.second, { hooks: hooks, signal: watch.signal })
  const told = classes?.length === ids.length && model.classes?.of === 'token' ? toldApart(model, ids, classes) : []
  const answers =
    model.hasHead && rows.length
      ? (await probabilitiesOf(qkv, model, pickRows([all[all.length - 1]], rows))).map((each, i) => ({
          ...best(model, each, 1)[0],
          row: rows[i],
        }))
      : told
  const first = model.classes ? (told[0]?.row ?? 0) : compared ? 0 : (masked[0] ?? -1)
  const usual = both ? Math.max(0, length - 2) : decoder && !model.classes ? length - 1 : first
  const likeness = compared && { value: compared.value, before: before?.likeness?.value }
  const prediction = await predictionAt(
    qkv,
    model,
    { states: all, classes },
    Math.min(row ?? usual, length - 1),
    before,
  )
  const bytes = all.reduce((sum, state) => sum + (state?.data.byteLength ?? 0), 0)
  return {
    ids,
    tokens,
    unknown,
    targetIds,
    targets: targetIds?.map(id => tokenText(model, id)),
    maps: made.maps,
    scores: made.scores,
    answers,
    ...prediction,
    likeness,
    classes,
    compared,
    input,
    summaries: made.summaries,
    hasWindows: made.hasWindows,
    states: bytes <= MOST_STATES ? all : undefined,
    usual,
    milliseconds: performance.now() - start,
  }
}

/**
 * Returns the classes of a text or of each token, the most probable first; for a regression, `probability` is the predicted value.
 * @param {Model} model
 * @param {import('qkv').FloatTensor} [scores] (1, classes) or (1, L, classes)
 * @returns {Guess[][] | undefined}
 */
function classesOf(model, scores) {
  if (!scores || !model.classes) return undefined
  const { labels } = model.classes
  const { data } = scores
  return Array.from({ length: data.length / labels.length }, (_, row) =>
    labels
      .map((token, id) => ({ id, token, probability: data[row * labels.length + id] }))
      .sort((a, b) => b.probability - a.probability),
  )
}

/** Label of tokens outside of all entities, in the IOB scheme. */
const OUTSIDE = 'O'

/**
 * Returns the most probable class of each token of a named entity, without special tokens.
 * @param {Model} model
 * @param {readonly number[]} ids
 * @param {readonly Guess[][]} classes
 */
const toldApart = (model, ids, classes) =>
  classes.flatMap(([guess], row) => {
    const isOutside = guess.token === OUTSIDE || (hasTokenizer(model) && !model.decode([ids[row]]))
    return isOutside ? [] : [{ ...guess, row }]
  })

/**
 * Returns the prediction at a row.
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {Pick<WholeRun, 'classes'> & { states: import('qkv').FloatTensor[] }} made
 * @param {number} row
 * @param {WholeRun} [before] the same run without hooks
 */
async function predictionAt(qkv, model, { states, classes }, row, before) {
  if (classes) {
    const all = classes[row] ?? classes[0]
    const old = before && (before.classes?.[row] ?? before.classes?.[0])
    const shareOf = (/** @type {readonly Guess[] | undefined} */ list, /** @type {number} */ id) =>
      list?.find(each => each.id === id)?.probability
    const top = all.slice(0, TOP).map(guess => ({ ...guess, before: shareOf(old, guess.id) }))
    return { row, top, first: old && shareOf(all, old[0].id), lens: [], probabilities: new Float32Array(0) }
  }
  const layers = model.hasHead && row >= 0 ? await probabilitiesOf(qkv, model, pickRows(states, [row])) : []
  const probabilities = layers.at(-1) ?? new Float32Array(0)
  return {
    row,
    top: best(model, probabilities, TOP).map(guess => ({ ...guess, before: before?.probabilities[guess.id] })),
    first: before?.top[0] && probabilities[before.top[0].id],
    lens: layers.map(each => best(model, each, LENS)),
    probabilities,
  }
}

/**
 * Returns the run with the prediction of another row, computed from the states that the run kept; undefined if the model must run again.
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {WholeRun} run
 * @param {number} [row]
 * @param {WholeRun} [before]
 * @returns {Promise<WholeRun | undefined>}
 */
export async function atRow(qkv, model, run, row, before) {
  const { states, classes, usual, ids, targetIds } = run
  if (!states) return undefined
  const last = (targetIds ?? ids).length - 1
  return { ...run, ...(await predictionAt(qkv, model, { states, classes }, Math.min(row ?? usual, last), before)) }
}

/** For each stack, the name of its maps in the option `keep` and in the output. @type {Record<Stack, 'attentions' | 'encoderAttentions' | 'crossAttentions'>} */
const KEPT = {
  '': 'attentions',
  decoder: 'attentions',
  encoder: 'encoderAttentions',
  cross: 'crossAttentions',
}

/**
 * Runs one forward pass. A long text gets summaries of its layers; for a shorter text with many heads, the weights of each layer are
 * converted to maps before the next layer runs.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {number[]} ids
 * @param {number[]} unknown indices of words that the vocabulary lacks
 * @param {number[]} targetIds
 * @param {Watch} watch
 */
async function collect(model, input, hooks, ids, unknown, targetIds, { signal, onProgress }) {
  const [L, T] = [ids.length, targetIds.length]
  // Give unknown words distinct negative ids, so that no two of them count as equal.
  const known = ids.map((id, i) => (unknown.includes(i) ? -1 - i : id))
  const stacks = entriesIn(stacksOf(model))
  const sizeOf = (/** @type {Stack} */ stack) => (stack === 'cross' ? [T, L] : stack === 'decoder' ? [T, T] : [L, L])
  /** @type {Record<string, Maps>} */
  const maps = {}
  /** @type {Run['scores']} */
  const scores = {}
  /** @type {Stack[]} */
  const long = []
  let held = 0
  for (const [stack, { layers, numHeads }] of stacks) {
    const [rows, columns] = sizeOf(stack)
    const made = emptyMaps(layers, numHeads, rows, columns)
    maps[stack] = made
    if (made.cells) long.push(stack)
    else held += layers * numHeads * rows * columns
  }
  const isHeld = held <= MOST_HELD
  /** @type {(stack: Stack, layer: number, found: Partial<Record<ScoreName, { data: Float32Array }>>) => void} */
  const takeScores = (stack, layer, found) => {
    for (const name of stack === 'cross' ? OF_CROSS : SCORES) {
      if (!found[name]) continue
      const { layers, numHeads: heads } = maps[stack]
      const own = scores[stack] ?? {}
      scores[stack] = own
      own[name] ??= new Float32Array(layers * heads)
      own[name].set(found[name].data, layer * heads)
    }
  }
  /** @type {(stack: Stack, layer: number, weights: any) => void} */
  const take = (stack, layer, weights) => {
    putLayer(maps[stack], layer, weights)
    const own = stack === 'decoder' ? targetIds : known
    if (stack === 'cross') takeScores(stack, layer, headScores([weights]))
    else takeScores(stack, layer, { ...headScores([weights], own), further: furtherScores(weights, own) })
  }
  const all = { ...hooks }
  const short = stacks.filter(([stack]) => !long.includes(stack))
  if (!isHeld)
    for (const [stack, { layers }] of short)
      for (let layer = 0; layer < layers; layer++)
        readAt(all, `${attentionOf(stack, layer)}weights`, weights => take(stack, layer, weights))
  /** @type {import('qkv/models').Keep[]} */
  const keep = ['hiddenStates', ...long.map(stack => SUMMARIES[stack])]
  if (isHeld) keep.push(...short.map(([stack]) => KEPT[stack]))
  const summary = summaryOptions(model, L)
  /** @type {Streamed | undefined} */
  let streamed
  /** @param {{ name: string, layer: number, summary: AttentionSummary }} made */
  const onSummary = ({ name, layer, summary: made }) => {
    const stack = present(long.find(each => SUMMARIES[each] === name))
    const own = maps[stack]
    takeSummary(own, layer, made)
    takeScores(stack, layer, made.scores ?? {})
    streamed = { stack, done: layer + 1, maps: own, scores: scores[stack] ?? {} }
  }
  const output = await model.forward(input, {
    keep,
    summary: { ...summary, onSummary },
    hooks: all,
    logits: 'none',
    signal,
    onLayer: done => onProgress?.({ ...done, streamed }),
  })
  if (isHeld)
    for (const [stack] of short)
      output[KEPT[stack]].forEach((weights, layer) => {
        if (weights) take(stack, layer, weights)
      })
  /** @type {WholeRun['summaries']} */
  const summaries = {}
  for (const stack of long) summaries[stack] = output[SUMMARIES[stack]]
  return { output, maps, scores, summaries, hasWindows: summary.windows }
}

/**
 * Returns the exact weights of one head.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {{ stack: Stack, layer: number, head: number }} at
 * @param {Watch} [watch]
 */
export async function exactMap(model, input, hooks, { stack, layer, head }, { signal } = {}) {
  const { [KEPT[stack]]: attentions } = await model.forward(input, {
    keep: [`${KEPT[stack]}.${layer}`],
    hooks: hooks,
    logits: 'none',
    signal,
  })
  const { data, dims } = present(attentions[layer])
  const [, , rows, columns] = dims
  return { data: data.slice(head * rows * columns, (head + 1) * rows * columns), dims: [rows, columns] }
}

/**
 * Returns the model's input for a text; for an encoder-decoder with its translation.
 * @param {Model} model
 * @param {{ text: string, ids?: number[] }} given
 * @param {Watch} [watch]
 */
export async function inputOf(model, given, watch = {}) {
  const { ids } = read(model, given)
  const { encoder, decoder } = model.stacks
  return encoder && decoder ? { ids, decoderIds: await translate(model, ids, {}, watch) } : { ids }
}

/**
 * Runs a model on another text, and returns a function that gives the output of a layer, for patches.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Watch} [watch]
 * @returns {Promise<(layer: number, stack: Stack) => { data: Float32Array, dims: readonly number[] }>}
 */
export async function statesOf(model, input, { signal } = {}) {
  const output = await model.forward(input, { keep: ['hiddenStates', 'encoderHiddenStates'], logits: 'none', signal })
  return (layer, stack) => present((stack === 'encoder' ? output.encoderHiddenStates : output.hiddenStates)[layer + 1])
}
