// One run of a model on a text: every attention map, the scores of the heads, the prediction and what each layer would say.

import { headScores } from 'qkv/models'
import { largestOf } from '../../elements/largest.js'
import { emptyMaps, putLayer } from './atlas-maps.js'
import { furtherScores } from './further-score.js'
import { attentionOf, readAt, stacksOf } from './hooks.js'
import { hasTokenizer, MASKS, positionsOf, problem, read, tokenText } from './read-text.js'
import { SUMMARIES, summaryOptions, takeSummary } from './summary-run.js'

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('qkv/models').ModelInput} ModelInput */
/** @typedef {import('qkv/models').AttentionSummary} AttentionSummary */
/** @typedef {import('./hooks.js').Stack} Stack */
/** @typedef {import('./hooks.js').Hook} Hook */
/** @typedef {import('./atlas-maps.js').Maps} Maps */
/** `further`: of short texts alone. @typedef {'previous' | 'first' | 'duplicate' | 'induction' | 'further' | 'entropy'} ScoreName */
/** @typedef {{ id: number, token: string, probability: number }} Guess */

/**
 * @typedef {object} Run
 * @property {import('./models.js').RunRequest} request that it answers
 * @property {number[]} ids that the model reads
 * @property {string[]} tokens
 * @property {number[]} unknown the tokens that the vocabulary does not have
 * @property {number[]} [targetIds] of an encoder-decoder: what its decoder reads
 * @property {string[]} [targets]
 * @property {Partial<Record<Stack, Maps>>} maps
 * @property {Partial<Record<Stack, Partial<Record<ScoreName, Float32Array>>>>} scores (layers, heads)
 * @property {number} row the token whose prediction is given: of a decoder, what comes after it; -1: none, as no word is masked
 * @property {(Guess & { row: number })[]} answers the best guess where one is asked for: masked words, a translation
 * @property {(Guess & { before?: number })[]} top of the row; `before`: its probability without changes
 * @property {number} [first] with changes: the probability of what was the first guess without
 * @property {Guess[][]} lens the best guesses of the row after the embedding and after each layer; [] of classes and of likeness
 * @property {{ value: number, before?: number }} [likeness] the cosine of the embeddings of the text and the second one
 * @property {number} milliseconds
 */

/**
 * A run with what is not sent. `summaries`: of stacks that read a long text; `hasWindows`: do they have the weights of windows?
 * `states`: what leaves the layers, if it is not too large, so that another row needs no run; `usual`: the row without a choice
 * @typedef {Omit<Run, 'request'> & { probabilities: Float32Array, input: ModelInput, summaries: Partial<Record<Stack, readonly (AttentionSummary | undefined)[]>>, hasWindows: boolean, states?: import('qkv').FloatTensor[], classes?: Guess[][], compared?: import('qkv/models').Similarity, usual: number }} WholeRun
 * classes: of a text or of each token, the most probable first; compared: the likeness of two texts by heads
 */

const SCORES = /** @type {const} */ (['previous', 'first', 'duplicate', 'induction', 'further', 'entropy'])
/** Positions of two texts have no common order. */
const OF_CROSS = /** @type {const} */ (['first', 'entropy'])
const TOP = 8
const LENS = 3
/** Attention weights that are held at once; of longer texts, one layer after the other. */
const MOST_HELD = 2 ** 24
const MOST_TRANSLATED = 60
/** Bytes of hidden states that are kept. */
const MOST_STATES = 2 ** 28

/** The best of a row of probabilities. @param {Model} model @param {Float32Array} row @param {number} count @returns {Guess[]} */
export function best(model, row, count) {
  const found = /** @type {typeof largestOf<number>} */ (largestOf)(count)
  for (let id = 0; id < row.length; id++) found.add(id, row[id])
  return found.items.map(id => ({ id, token: tokenText(model, id), probability: row[id] }))
}

/** @param {Qkv} qkv @param {Model} model @param {{ data: Float32Array, dims: number[] }} states (1, N, d) @returns {Promise<Float32Array[]>} probabilities of each row */
async function probabilitiesOf(qkv, model, states) {
  const { data, dims } = qkv.softmax(await model.logitLens(/** @type {any} */ (states)))
  const [, rows, V] = dims
  return Array.from({ length: rows }, (_, i) => data.slice(i * V, (i + 1) * V))
}

/** Rows of hidden states, one behind the other. @param {{ data: Float32Array, dims: readonly number[] }[]} states (1, L, d) @param {readonly number[]} rows */
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
 * What ends a run before its time, and what hears how many layers have run.
 * @typedef {{ signal?: AbortSignal, onProgress?: (done: { layer: number, layers: number, streamed?: Streamed }) => void }} Watch
 *
 * The layers of a long text that are done, of the stack that runs: `done` of them.
 * @typedef {{ stack: Stack, done: number, maps: Maps, scores: Partial<Record<ScoreName, Float32Array>> }} Streamed
 */

/**
 * What an encoder-decoder writes, its start among it, without the end.
 * @param {Model} model
 * @param {number[]} ids
 * @param {Record<string, Hook>} hooks
 * @param {Watch} watch
 */
async function translate(model, ids, hooks, { signal }) {
  const steps = model.generate(ids, {
    temperature: 0,
    maxNewTokens: MOST_TRANSLATED - 1,
    hooks: /** @type {any} */ (hooks),
    useCache: !Object.keys(hooks).length, // with hooks by position the whole sequence is read each time
    signal,
  })
  /** @type {number[]} */
  let sequence = []
  for await (const { ids, isDone } of steps) sequence = isDone ? ids.slice(0, -1) : ids
  return sequence
}

/**
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {{ text: string, ids?: number[], more?: readonly number[], second?: string }} given second: the text that it is compared with
 * @param {Record<string, Hook>} hooks
 * @param {number} [row] default the last, of a translation the last but one, of an encoder the first masked word, if there is one
 * @param {WholeRun} [before] the same without hooks
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
      : await model.similarity(given.text, given.second, { hooks: /** @type {any} */ (hooks), signal: watch.signal })
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
 * The classes of a text or of each token, the most probable first; of a regression `probability` is its number.
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

/** What stands outside of all names, in the usual scheme of labels. */
const OUTSIDE = 'O'

/** The class of each token that is written in the text and lies in a class of its own. @param {Model} model @param {readonly number[]} ids @param {readonly Guess[][]} classes */
const toldApart = (model, ids, classes) =>
  classes.flatMap(([guess], row) => {
    const isOutside = guess.token === OUTSIDE || (hasTokenizer(model) && !model.decode([ids[row]]))
    return isOutside ? [] : [{ ...guess, row }]
  })

/**
 * What the model says at a row.
 * @param {Qkv} qkv
 * @param {Model} model
 * @param {Pick<WholeRun, 'classes'> & { states: import('qkv').FloatTensor[] }} made
 * @param {number} row
 * @param {WholeRun} [before] the same without hooks
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
 * The same run with the prediction of another row, without running the model again; undefined where it has to.
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

/** The keep name of each stack, and how its maps are called in the output. @type {Record<Stack, 'attentions' | 'encoderAttentions' | 'crossAttentions'>} */
const KEPT = {
  '': 'attentions',
  decoder: 'attentions',
  encoder: 'encoderAttentions',
  cross: 'crossAttentions',
}

/**
 * One forward pass. Of a long text the layers are summarised; of a shorter one with many heads, each layer's weights become a map
 * before the next layer runs.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {number[]} ids
 * @param {number[]} unknown places of words that the vocabulary does not have
 * @param {number[]} targetIds
 * @param {Watch} watch
 */
async function collect(model, input, hooks, ids, unknown, targetIds, { signal, onProgress }) {
  const [L, T] = [ids.length, targetIds.length]
  // A word that the vocabulary does not have is equal to nothing.
  const known = ids.map((id, i) => (unknown.includes(i) ? -1 - i : id))
  const stacks = /** @type {[Stack, { layers: number, heads: number }][]} */ (Object.entries(stacksOf(model)))
  const sizeOf = (/** @type {Stack} */ stack) => (stack === 'cross' ? [T, L] : stack === 'decoder' ? [T, T] : [L, L])
  /** @type {Partial<Record<Stack, Maps>>} */
  const maps = {}
  /** @type {Run['scores']} */
  const scores = {}
  /** @type {Stack[]} */
  const long = []
  let held = 0
  for (const [stack, { layers, heads }] of stacks) {
    const [rows, columns] = sizeOf(stack)
    const made = emptyMaps(layers, heads, rows, columns)
    maps[stack] = made
    if (made.cells) long.push(stack)
    else held += layers * heads * rows * columns
  }
  const isHeld = held <= MOST_HELD
  /** @type {(stack: Stack, layer: number, found: Partial<Record<ScoreName, { data: Float32Array }>>) => void} */
  const takeScores = (stack, layer, found) => {
    for (const name of stack === 'cross' ? OF_CROSS : SCORES) {
      if (!found[name]) continue
      const { layers, heads } = /** @type {Maps} */ (maps[stack])
      const own = scores[stack] ?? {}
      scores[stack] = own
      own[name] ??= new Float32Array(layers * heads)
      own[name].set(found[name].data, layer * heads)
    }
  }
  /** @type {(stack: Stack, layer: number, weights: any) => void} */
  const take = (stack, layer, weights) => {
    putLayer(/** @type {Maps} */ (maps[stack]), layer, weights)
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
    const stack = /** @type {Stack} */ (long.find(each => SUMMARIES[each] === name))
    const own = /** @type {Maps} */ (maps[stack])
    takeSummary(own, layer, made)
    takeScores(stack, layer, made.scores ?? {})
    streamed = { stack, done: layer + 1, maps: own, scores: scores[stack] ?? {} }
  }
  const output = await model.forward(input, {
    keep,
    summary: { ...summary, onSummary },
    hooks: /** @type {any} */ (all),
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
 * The exact weights of one head.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Record<string, Hook>} hooks
 * @param {{ stack: Stack, layer: number, head: number }} at
 * @param {Watch} [watch]
 */
export async function exactMap(model, input, hooks, { stack, layer, head }, { signal } = {}) {
  const { [KEPT[stack]]: attentions } = await model.forward(input, {
    keep: [`${KEPT[stack]}.${layer}`],
    hooks: /** @type {any} */ (hooks),
    logits: 'none',
    signal,
  })
  const { data, dims } = /** @type {import('qkv').FloatTensor} */ (attentions[layer])
  const [, , rows, columns] = dims
  return { data: data.slice(head * rows * columns, (head + 1) * rows * columns), dims: [rows, columns] }
}

/**
 * What a text is for the model; of an encoder-decoder with its translation.
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
 * What leaves each layer with another text, for patches.
 * @param {Model} model
 * @param {ModelInput} input
 * @param {Watch} [watch]
 * @returns {Promise<(layer: number, stack: Stack) => { data: Float32Array, dims: readonly number[] }>}
 */
export async function statesOf(model, input, { signal } = {}) {
  const keep = /** @type {const} */ (['hiddenStates', 'encoderHiddenStates'])
  const output = await model.forward(input, { keep, logits: 'none', signal })
  return (layer, stack) =>
    /** @type {any} */ ((stack === 'encoder' ? output.encoderHiddenStates : output.hiddenStates)[layer + 1])
}
