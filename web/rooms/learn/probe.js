// The reader's own input to a model that learns: checked, answered, with the weights of every head.

import { tensor } from 'qkv'
import { sharesOf } from './logit-shares.js'
import { argmax } from './tasks/batch.js'
import { SOURCE_WORDS, TARGET_WORDS, toBatch } from './tasks/translation.js'

/** @typedef {ReturnType<typeof import('./training-run.js').createRun>} Run */

/**
 * A model's answer to a probe.
 * @typedef {object} Shown
 * @property {string} probe as it was understood
 * @property {string[]} tokens of the input
 * @property {string[]} answers a token for each position that answers
 * @property {{ token: string, share: number }[]} next the likeliest tokens for the last of them, with their shares
 * @property {{ dims: number[], data: Float32Array, rows: string[], columns: string[] }[]} layers weights (H, L, S)
 * @property {string} [continued] what the model of a text writes after the probe
 * @property {import('./logit-shares.js').Why} [why] of one answer, when it was asked for
 * @property {{ layer: number, heads: Record<string, { dims: number[], data: Float32Array }>, causal: boolean, rows: string[], columns: string[] }} [opened] the
 *   matrices of a layer, when they were asked for
 * @property {string} [trouble] why the probe was not taken; the default is shown
 */

/**
 * What is asked beside the answer.
 * @typedef {object} Asked
 * @property {number | null} [why] which answer to explain; null: none
 * @property {number | null} [layer] whose matrices are wanted
 * @property {number} [write] characters to go on with, of the task 'text'
 */

/** A model's answers to a probe, and where they are. @typedef {{ shown: Shown, forward: import('./transformer.js').Forward, first: number, name: (id: number) => string }} Answered first: the row of the first answer */

/** Sequences that each task shows at first. @type {Record<import('./training-run.js').Task, string>} */
const FIRST = {
  induction: '4 9 2 7 18 25 11 30 4 9 2 7 18',
  sort: '9 3 14 6 0 11 8 2',
  reverse: '5 1 12 7 0 3 9 15',
  translation: 'an engineer wants an autonomous driving solution in Beijing today',
  text: '',
}
/** How many of the likeliest tokens are shown. */
const MOST = 5

/**
 * The tokens of a probe.
 * @param {Run} run
 * @param {string} probe
 * @returns {{ ids: number[], count: number }} count: how many of the ids the reader gave
 * @throws {RangeError} what cannot be used, and what can
 */
function idsOf({ task, shape, settings }, probe) {
  const words = task === 'text' ? Array.from(probe) : probe.trim().split(/[\s,]+/)
  if (task === 'text') {
    const known = shape.corpus?.characters ?? []
    const strange = words.find(word => !known.includes(word))
    if (strange !== undefined) throw new RangeError(`"${strange}" does not occur in the text`)
    const ids = words.slice(-shape.T).map(word => known.indexOf(word))
    return { ids, count: ids.length }
  }
  const most = task === 'sort' ? shape.T / 2 : shape.T
  if (words.length > most) throw new RangeError(`${words.length} numbers given, at most ${most} expected`)
  if (task === 'reverse' && (most - words.length) % 2)
    throw new RangeError(`${words.length} numbers given, ${most % 2 ? 'an odd' : 'an even'} number of them expected`)
  const ids = words.map(Number)
  const strange = words.findIndex((_, i) => !(Number.isInteger(ids[i]) && ids[i] >= 0 && ids[i] < settings.V))
  if (strange >= 0) throw new RangeError(`"${words[strange]}" given, numbers from 0 to ${settings.V - 1} expected`)
  if (task === 'sort' && new Set(ids).size < ids.length)
    throw new RangeError('a number stands there twice: this model sorts different numbers')
  return { ids, count: ids.length }
}

/** All tokens, the likeliest first. @param {Float32Array} data @param {number} from @param {number} n */
function likeliest(data, from, n) {
  const values = data.subarray(from, from + n)
  const most = values.reduce((a, b) => Math.max(a, b))
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0)
  return Array.from(values, (value, id) => ({ id, share: Math.exp(value - most) / sum })).sort(
    (a, b) => b.share - a.share,
  )
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Run} run
 * @param {string} given
 * @param {Asked} [asked]
 * @returns {Shown}
 */
export function probeOf(qkv, run, given, asked = {}) {
  const { task } = run
  const fallback = task === 'text' ? (run.shape.corpus?.start ?? '') : FIRST[task]
  const probe = given || fallback
  try {
    const continued = task === 'text' && asked.write ? { continued: written(run, probe, asked.write) } : {}
    const answer = task === 'translation' ? translated(run, probe) : answered(run, probe)
    return {
      ...continued,
      ...answer.shown,
      ...explained(qkv, run, answer, asked),
      ...opened(run, answer, asked),
    }
  } catch (error) {
    if (!(error instanceof RangeError) || probe === fallback) throw error
    return { ...probeOf(qkv, run, fallback, asked), trouble: error.message }
  }
}

/** @param {import('qkv').Qkv} qkv @param {Run} run @param {Answered} answered @param {Asked} asked */
function explained(qkv, run, { shown, forward, first, name }, { why = null }) {
  if (why === null) return {}
  const answer = Math.min(Math.max(0, why), shown.answers.length - 1)
  const row = first + answer
  const V = run.shape.outputs
  const all = likeliest(forward.logits.data, row * V, V)
  const columns = shown.layers[shown.layers.length - 1].columns
  const { logits, shares } = sharesOf(qkv, run, forward, row, columns.length, all)
  const tokens = logits.map((logit, i) => ({ token: name(all[i].id), share: all[i].share, logit }))
  return { why: { answer, tokens, shares, columns } }
}

/**
 * What the attention of a layer was computed from, head by head: X and the matrices, or Q, K and V; with a learned bias
 * the attention weights themselves and V.
 * @param {Run} run
 * @param {Answered} answered
 * @param {Asked} asked
 */
function opened(run, { shown, forward }, { layer = null }) {
  if (layer === null || !shown.layers[layer]) return {}
  const { settings, blocks, parameters, recipe } = run
  const { rows, columns } = shown.layers[layer]
  const { d, heads } = settings
  const size = d / heads
  /** (rows, d) -> (heads, rows, size) @param {Float32Array} data @param {number} n */
  const parted = (data, n) => ({
    data: Float32Array.from({ length: n * d }, (_, i) => {
      const [h, r, c] = [Math.floor(i / (n * size)), Math.floor(i / size) % n, i % size]
      return data[r * d + h * size + c]
    }),
    dims: [heads, n, size],
  })
  const { q, k, v } = forward.layers[layer]
  const weight = (/** @type {string} */ part) =>
    tensor(parameters.values[`${blocks[layer]}.${part}`].data.slice(), [d, d])
  const wo = { data: weight('o').T.data, dims: [d, d] }
  // With RoPE, and across two sentences, Q, K and V are no products of one X.
  const isProduct = settings.positions !== 'rope' && blocks[layer] !== 'cross'
  /** W of each head, (heads, d, size), so that X W is Q. @param {string} part */
  const perHead = part => ({
    data: weight(part).reshape([heads, size, d]).permute([0, 2, 1]).data,
    dims: [heads, d, size],
  })
  const n = rows.length
  const values = parted(v.data, columns.length)
  // That room has no learned bias of the scores.
  const hasBias = settings.positions === 'distance'
  const product = () => ({
    x: { data: forward.inputs[layer].data.slice(0, n * d), dims: [n, d] },
    ...{ wq: perHead('q'), wk: perHead('k'), wv: perHead('v'), wo },
  })
  /** @type {Record<string, { dims: number[], data: Float32Array }>} */
  const matrices = hasBias
    ? { weights: shown.layers[layer], v: values }
    : isProduct
      ? product()
      : { q: parted(q.data, n), k: parted(k.data, columns.length), v: values, wo }
  return { opened: { layer, heads: matrices, causal: recipe.causal && !hasBias, rows, columns } }
}

/** @param {Run} run @param {string} probe @returns {Answered} */
function answered(run, probe) {
  const { task, shape, settings } = run
  const { T } = shape
  const V = shape.outputs
  const { ids, count } = idsOf(run, probe)
  const name = (/** @type {number} */ id) =>
    task === 'text'
      ? (shape.corpus?.characters[id] ?? '')
      : id === settings.V
        ? task === 'sort'
          ? '|'
          : '·'
        : String(id)
  const start = task === 'reverse' ? (T - count) / 2 : 0
  const row = new Int32Array(T).fill(task === 'reverse' ? settings.V : 0)
  row.set(ids, start)
  let forward = forwardOf(run, row)
  const answers = []
  let [from, to] = [start, start + count]
  if (task === 'sort') {
    // What was answered is the next input.
    row[count] = settings.V
    ;[from, to] = [count, 2 * count]
    for (let i = from; i < to; i++) {
      forward = forwardOf(run, row)
      if (i + 1 < to) row[i + 1] = argmax(forward.logits.data, i * V, V)
    }
  }
  const { logits, layers } = forward
  for (let i = from; i < to; i++) answers.push(name(argmax(logits.data, i * V, V)))
  const n = task === 'reverse' ? T : to
  const tokens = Array.from(row.subarray(0, n), name)
  const next = likeliest(logits.data, (to - 1) * V, V)
  const shown = {
    ...{ probe, tokens, answers },
    next: next.slice(0, MOST).map(({ id, share }) => ({ token: name(id), share })),
    layers: run.weightsOfFirst(layers, n, n).map(weights => ({ ...weights, rows: tokens, columns: tokens })),
  }
  return { shown, forward, first: from, name }
}

/** What the model of a text writes next, the likeliest character each time. @param {Run} run @param {string} probe @param {number} count */
function written(run, probe, count) {
  const { T, outputs: V } = run.shape
  const { ids } = idsOf(run, probe)
  const start = ids.length
  const row = new Int32Array(T)
  for (let n = 0; n < count; n++) {
    const given = ids.slice(-T)
    row.set(given)
    const { logits } = forwardOf(run, row)
    ids.push(argmax(logits.data, (given.length - 1) * V, V))
  }
  return ids
    .slice(start)
    .map(id => run.shape.corpus?.characters[id])
    .join('')
}

/** @param {Run} run @param {Int32Array} ids */
function forwardOf({ forward, shape }, ids) {
  const nothing = new Int32Array(ids.length).fill(-1)
  const targets = nothing.slice()
  targets[0] = 0 // a loss needs one
  return forward({ B: 1, T: shape.T, L: shape.T, ids, targets, sources: nothing })
}

/** @param {Run} run @param {string} probe @returns {Answered} */
function translated(run, probe) {
  const source = probe.trim().split(/\s+/)
  const strange = source.find(word => !SOURCE_WORDS.includes(word))
  if (strange !== undefined) throw new RangeError(`"${strange}" is not a word of this grammar`)
  if (source.length > run.shape.T) throw new RangeError(`${source.length} words given, at most ${run.shape.T} expected`)
  const answers = run.translate(source)
  const target = answers.map(word => ({ word, sources: [0] }))
  const forward = run.forward(toBatch([{ source, target }]))
  const { logits, layers } = forward
  const V = run.shape.outputs
  const name = (/** @type {number} */ id) => TARGET_WORDS[id]
  const next = likeliest(logits.data, Math.max(0, answers.length - 1) * V, V)
  const encoder = run.weightsOfFirst(layers.slice(0, -1), source.length, source.length)
  const [cross] = run.weightsOfFirst(layers.slice(-1), answers.length, source.length)
  const shown = {
    ...{ probe: source.join(' '), tokens: source, answers },
    next: next.slice(0, MOST).map(({ id, share }) => ({ token: name(id), share })),
    layers: [
      ...encoder.map(weights => ({ ...weights, rows: source, columns: source })),
      { ...cross, rows: answers, columns: source },
    ],
  }
  return { shown, forward, first: 0, name }
}
