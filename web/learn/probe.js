// The reader's own input to a model that learns: checked, answered, with the weights of every head.

import { SOURCE_WORDS, TARGET_WORDS, toBatch, translationLength } from './tasks/translation.js'

/** @typedef {ReturnType<typeof import('./run.js').createRun>} Run */

/**
 * What a model makes of a probe.
 * @typedef {object} Shown
 * @property {string} probe as it was understood
 * @property {string[]} tokens of the input
 * @property {string[]} answers a token for each position that answers
 * @property {{ token: string, share: number }[]} next the likeliest tokens for the last of them, with their shares
 * @property {{ dims: number[], data: Float32Array, rows: string[], columns: string[] }[]} layers weights (H, L, S)
 * @property {string} [trouble] why the probe was not taken; the default is shown
 */

/** Sequences that each task shows at first. @type {Record<import('./run.js').Task, string>} */
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
  const isFixed = task !== 'induction'
  if (isFixed ? words.length !== most : words.length > most)
    throw new RangeError(`${words.length} numbers given, ${isFixed ? most : `at most ${most}`} expected`)
  const ids = words.map(Number)
  const strange = words.findIndex((_, i) => !(Number.isInteger(ids[i]) && ids[i] >= 0 && ids[i] < settings.V))
  if (strange >= 0) throw new RangeError(`"${words[strange]}" given, numbers from 0 to ${settings.V - 1} expected`)
  if (task === 'sort' && new Set(ids).size < ids.length)
    throw new RangeError('a number stands there twice: this model sorts different numbers')
  return { ids, count: ids.length }
}

/** @param {Float32Array} data @param {number} from @param {number} n */
function likeliest(data, from, n) {
  const values = data.subarray(from, from + n)
  const most = values.reduce((a, b) => Math.max(a, b))
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0)
  return Array.from(values, (value, id) => ({ id, share: Math.exp(value - most) / sum }))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST)
}

/**
 * @param {Run} run
 * @param {string} given
 * @returns {Shown}
 */
export function probeOf(run, given) {
  const { task } = run
  const fallback = task === 'text' ? (run.shape.corpus?.start ?? '') : FIRST[task]
  const probe = given || fallback
  try {
    return task === 'translation' ? translated(run, probe) : answered(run, probe)
  } catch (error) {
    if (!(error instanceof RangeError) || probe === fallback) throw error
    return { ...probeOf(run, fallback), trouble: error.message }
  }
}

/** @param {Run} run @param {string} probe @returns {Shown} */
function answered(run, probe) {
  const { task, shape, settings } = run
  const { T } = shape
  const V = shape.outputs
  const { ids, count } = idsOf(run, probe)
  const name = (/** @type {number} */ id) =>
    task === 'text' ? (shape.corpus?.characters[id] ?? '') : id === settings.V ? '|' : String(id)
  const input = new Int32Array(settings.batch * T)
  const row = input.subarray(0, T)
  row.set(ids)
  let { logits, layers } = forwardOf(run, input)
  const answers = []
  let [from, to] = [0, count]
  if (task === 'sort') {
    // What was answered is the next input.
    row[count] = settings.V
    ;[from, to] = [count, T]
    for (let i = count; i < T; i++) {
      ;({ logits, layers } = forwardOf(run, input))
      const [best] = likeliest(logits.data, i * V, V)
      if (i + 1 < T) row[i + 1] = best.id
    }
  }
  for (let i = from; i < to; i++) answers.push(name(likeliest(logits.data, i * V, V)[0].id))
  const n = task === 'sort' ? T : count
  const tokens = Array.from(row.subarray(0, n), name)
  const next = likeliest(logits.data, (to - 1) * V, V).map(({ id, share }) => ({ token: name(id), share }))
  return {
    probe,
    tokens,
    answers,
    next,
    layers: run.weightsOfFirst(layers, n, n).map(weights => ({ ...weights, rows: tokens, columns: tokens })),
  }
}

/** @param {Run} run @param {Int32Array} ids */
function forwardOf({ forward, shape, settings }, ids) {
  const nothing = new Int32Array(ids.length).fill(-1)
  const targets = nothing.slice()
  targets[0] = 0 // a loss needs one
  return forward({ B: settings.batch, T: shape.T, L: shape.T, ids, targets, sources: nothing })
}

/** @param {Run} run @param {string} probe @returns {Shown} */
function translated(run, probe) {
  const source = probe.trim().split(/\s+/)
  const strange = source.find(word => !SOURCE_WORDS.includes(word))
  if (strange !== undefined) throw new RangeError(`"${strange}" is not a word of this grammar`)
  if (source.length > run.shape.T) throw new RangeError(`${source.length} words given, at most ${run.shape.T} expected`)
  const answers = run.translate(source)
  const { logits, layers } = run.forward(
    toBatch(
      Array.from({ length: run.settings.batch }, () => ({
        source,
        target: answers.map(word => ({ word, sources: [0] })),
      })),
    ),
  )
  const V = run.shape.outputs
  const last = Math.max(0, translationLength(source) - 1)
  const next = likeliest(logits.data, last * V, V).map(({ id, share }) => ({ token: TARGET_WORDS[id], share }))
  const [encoder] = run.weightsOfFirst(layers.slice(0, 1), source.length, source.length)
  const [cross] = run.weightsOfFirst(layers.slice(1), answers.length, source.length)
  return {
    ...{ probe: source.join(' '), tokens: source, answers, next },
    layers: [
      { ...encoder, rows: source, columns: source },
      { ...cross, rows: answers, columns: source },
    ],
  }
}
