// Computes the scores of one head over many sentences. No DOM; loaded on demand.

import { headScores } from 'qkv/models'
import { entriesIn } from '../../../shell/known.js'
import { furtherScores } from '../run/further-score.js'
import { exactMap, inputOf } from '../run/model-run.js'
import { read } from '../run/read-text.js'

/** @import { Model } from 'qkv/models' */
/** @import { Many } from '../models.js' */
/** @import { ScoreName } from '../run/model-run.js' */

/** Maximum number of sentences per request, and of tokens per sentence. */
export const MOST_SENTENCES = 100
export const MOST_TOKENS = 256

/**
 * Scores that are meaningful only if a token recurs, with the minimum distance between its occurrences.
 * @type {Partial<Record<ScoreName, number>>}
 */
const REPEATED = { duplicate: 1, induction: 1, further: 2 }

/** True if a token occurs again at least `distance` places later. @param {readonly number[]} ids @param {number} distance */
const comesAgain = (ids, distance) => ids.some((id, i) => ids.indexOf(id) <= i - distance)

/**
 * Computes the scores of a head on each text.
 * @param {Model} model
 * @param {readonly string[]} texts
 * @param {import('../../../attention-head/head.js').HeadAt} at
 * @param {Record<string, import('../run/hooks.js').Hook>} hooks the reader's changes
 * @param {{ signal: AbortSignal, rest: () => Promise<void>, progress: (share: number) => void }} watch rest: lets other requests use the
 * model, then resumes
 * @returns {Promise<Many>}
 */
export async function scoresOver(model, texts, at, hooks, { signal, rest, progress }) {
  /** @type {Many['sentences']} */
  const sentences = []
  for (const [n, text] of texts.slice(0, MOST_SENTENCES).entries()) {
    const { ids, unknown } = read(model, { text })
    if (ids.length > MOST_TOKENS) sentences.push({ text, tokens: ids.length })
    else if (ids.length) {
      const input = await inputOf(model, { text }, { signal })
      const { data, dims } = await exactMap(model, input, hooks, at, { signal })
      const weights = { data, dims: [1, 1, ...dims] }
      const isCross = at.stack === 'cross'
      const own = at.stack === 'decoder' ? /** @type {number[]} */ (input.decoderIds) : ids
      // Give unknown words distinct negative ids, so that no two of them count as equal.
      const known = own.map((id, i) => (own === ids && unknown.includes(i) ? -1 - i : id))
      const found = isCross
        ? headScores([weights])
        : { ...headScores([weights], known), further: furtherScores(weights, known) }
      /** @type {Many['sentences'][number]['scores']} */
      const scores = {}
      for (const [name, { data }] of entriesIn(found)) {
        const isOfPlaces = name !== 'first' && name !== 'entropy'
        const distance = REPEATED[name]
        if (isOfPlaces && (isCross || own.length < 2 || (distance && !comesAgain(known, distance)))) continue
        scores[name] = data[0]
      }
      sentences.push({ text, tokens: ids.length, scores })
    }
    progress((n + 1) / Math.min(texts.length, MOST_SENTENCES))
    await rest()
  }
  return { sentences }
}
