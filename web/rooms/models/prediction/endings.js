// Completes a word whose first token the model predicts, such as “p” to “pasta”. No DOM.

import { largestOf } from '../../../elements/largest.js'
import { hasTokenizer, positionsOf } from '../run/read-text.js'

/** @import { Model } from 'qkv/models' */

/** Number of likely tokens whose words are completed, and maximum number of tokens generated for each. */
const [NAMED, MOST] = [12, 6]
/** Matches leading letters of scripts that write spaces between words. */
const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+/u

/**
 * Returns the letters with which greedy decoding completes the word that a likely token begins, by token id. A token that is a whole word
 * has no entry.
 * @param {Model} model
 * @param {import('../run/session-runs.js').Used} used
 * @param {readonly import('../../../attention-head/head.js').Change[]} changes
 * @param {AbortSignal} signal
 * @returns {Promise<Record<number, string>>}
 */
export async function endingsOf(model, { run, hooks }, changes, signal) {
  const ids = run.ids.slice(0, run.row + 1)
  const count = Math.min(MOST, positionsOf(model) - ids.length - 1)
  // A change may refer to a word after `row`, which the shortened text lacks.
  if (!hasTokenizer(model) || count < 1 || (changes.length && ids.length < run.ids.length)) return {}
  const isPatched = changes.some(({ kind, isOn }) => kind === 'patch' && isOn)
  const useCache = !isPatched && !Object.values(hooks).includes('mean')
  const found = largestOf(NAMED)
  for (let id = 0; id < run.probabilities.length; id++) found.add(id, run.probabilities[id])
  /** @type {Record<number, string>} */
  const endings = {}
  for (const id of found.items) {
    if (!LETTERS.test(model.decode([id]).trim().at(-1) ?? '')) continue
    const steps = model.generate([...ids, id], {
      temperature: 0,
      numBeams: 1,
      maxNewTokens: count,
      hooks: hooks,
      useCache,
      signal,
    })
    const isUpper = /^\p{Lu}{2,}$/u.test(model.decode([id]).trim())
    let ending = ''
    for await (const { text } of steps) {
      const [letters = ''] = LETTERS.exec(text) ?? []
      if (!letters || (/^\p{Lu}/u.test(letters) && !isUpper)) break // a capital letter begins another word
      ending += letters
      if (letters !== text) break
    }
    if (ending) endings[id] = ending
  }
  return endings
}
