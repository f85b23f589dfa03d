// Beam search: continues the most likely sequences in parallel. As in transformers 5.16 (generation/utils.py, _beam_search), scores are
// float32, and a score of -1e9 marks what must not be chosen.

import { present } from '../../base/present.js'
import { cannotChoose } from './generation-settings.js'

/** A run of the model on rows of ids, one for each beam. @typedef {Pick<ReturnType<typeof import('./generation.js').openRun>, 'step' | 'select' | 'rest'>} Run */
/** @typedef {{ numBeams: number, lengthPenalty: number, earlyStopping: boolean | 'never' }} BeamOptions */
/**
 * A sequence: its new ids with their probabilities, the sum of their log probabilities, and the index of the beam that it continues.
 * @typedef {{ ids: readonly number[], probabilities: readonly number[], score: number, from: number }} Beam
 */
/** @typedef {Beam & { isDone: boolean }} Finished score: divided by length ** lengthPenalty; isDone: false for a placeholder */

const NEVER = -1e9

/** Replaces logits by the logarithms of their probabilities. @param {Float32Array} logits */
function logSoftmax(logits) {
  let most = Number.NEGATIVE_INFINITY
  for (const logit of logits) most = Math.max(most, logit)
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - most)
  if (Number.isNaN(sum) || most === Number.NEGATIVE_INFINITY) throw cannotChoose(most !== Number.NEGATIVE_INFINITY)
  const whole = most + Math.log(sum)
  for (let id = 0; id < logits.length; id++) logits[id] -= whole
}

/** Orders by descending score; scores may be -Infinity. @param {{ score: number }} a @param {{ score: number }} b */
const byScore = (a, b) => Number(b.score > a.score) - Number(b.score < a.score)

/**
 * @typedef {BeamOptions & { numEnds: number, most: number, isEnd: (ids: readonly number[]) => boolean }} SearchOptions numEnds: number of ids that
 *   end a sequence; most: maximum number of new ids; isEnd: True if a sequence ends with these new ids
 */

/** @param {SearchOptions} options */
function createBeams({ numBeams, lengthPenalty, earlyStopping, numEnds, most, isEnd }) {
  /** Number of candidates per step: enough that `numBeams` of them continue even if the likeliest ones end. */
  const kept = Math.max(2, 1 + numEnds) * numBeams
  /** @type {Beam[]} */
  let running = Array.from({ length: numBeams }, (_, from) => ({
    ids: [],
    probabilities: [],
    score: from ? NEVER : 0, // at first all beams are equal, so only one is continued
    from,
  }))
  /** @type {Finished[]} */
  let finished = running.map(beam => ({ ...beam, score: NEVER, isDone: false }))
  let canImprove = true

  /** Returns the likeliest continuations of all beams, in descending order. @param {readonly Float32Array[]} rows @returns {Beam[]} */
  function continuations(rows) {
    /** @type {{ score: number, id: number, from: number }[]} */
    const best = []
    for (const [from, row] of rows.entries())
      for (let id = 0; id < row.length; id++) {
        const score = Math.fround(row[id] + running[from].score)
        if (best.length === kept && !(score > best[kept - 1].score)) continue
        const at = best.findIndex(other => score > other.score)
        best.splice(at < 0 ? best.length : at, 0, { score, id, from })
        if (best.length > kept) best.pop()
      }
    return best.map(({ score, id, from }) => ({
      ids: [...running[from].ids, id],
      probabilities: [...running[from].probabilities, Math.exp(rows[from][id])],
      score,
      from,
    }))
  }

  return {
    /** Returns the beams that the next step continues. */
    get running() {
      return running
    },
    /** Returns the best sequence so far. */
    get best() {
      return finished[0]
    },
    /**
     * Replaces the beams by their likeliest continuations by one id.
     * @param {readonly Float32Array[]} rows logarithms of the probabilities of the next id, for each beam
     * @returns {boolean} true if there is a further step
     */
    step(rows) {
      const length = running[0].ids.length + 1
      const found = continuations(rows)
      const ends = found.map(({ ids }) => length === most || isEnd(ids))
      const add = (/** @type {number} */ score, /** @type {boolean} */ isOut) =>
        Math.fround(score + (isOut ? NEVER : 0))
      running = found
        .map((beam, n) => ({ ...beam, score: add(beam.score, ends[n]) }))
        .sort(byScore)
        .slice(0, numBeams)
      const isFull = earlyStopping === true && finished.every(({ isDone }) => isDone)
      const scored = found.map((beam, n) => {
        const isDone = ends[n] && n < numBeams
        const score = add(add(Math.fround(beam.score / length ** lengthPenalty), isFull), !canImprove)
        return { ...beam, isDone, score: add(score, !isDone) }
      })
      finished = [...finished, ...scored].sort(byScore).slice(0, numBeams)
      // `reachable`: the best score of a running beam, if it ended now or, with earlyStopping 'never', at the maximum length.
      const longest = earlyStopping === 'never' && lengthPenalty > 0 ? most : length
      const reachable = Math.fround(running[0].score / longest ** lengthPenalty)
      const worst = finished[numBeams - 1].score
      canImprove &&= finished.some(({ isDone }) => reachable > (isDone ? worst : NEVER))
      const areAllDone = earlyStopping === true && finished.every(({ isDone }) => isDone)
      return canImprove && !areAllDone && !ends.every(Boolean)
    },
  }
}

/**
 * Returns the best sequence that beam search finds.
 * @param {Run} run has one row for each beam, all with the same prompt
 * @param {SearchOptions & { renormalizes: boolean }} options renormalizes: True to scale the probabilities to sum 1 after the rules
 * @param {readonly number[]} prefix ids before the new ones
 * @param {(logits: Float32Array, sequence: number[], made: number, row: number) => void} change applies the rules in place
 */
export async function searchBeams(run, { renormalizes, ...options }, prefix, change) {
  const beams = createBeams(options)
  for (;;) {
    const output = await run.step(beams.running.map(({ ids }) => ids))
    const logits = beams.running.map(({ ids }, b) => {
      const { data } = present(output.logits).row(b)
      logSoftmax(data) // before the rules, as in transformers
      change(data, [...prefix, ...ids], ids.length, b)
      if (renormalizes && data.some(Number.isFinite)) logSoftmax(data)
      if (data.some(Number.isNaN)) throw cannotChoose(true)
      return data
    })
    if (logits.every(data => data.every(x => x === Number.NEGATIVE_INFINITY))) throw cannotChoose(false)
    if (!beams.step(logits)) return beams.best
    run.select(beams.running.map(({ from }) => from))
    await run.rest()
  }
}
