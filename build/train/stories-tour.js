// Makes the guided story of the stories model. Each stop has a prompt, the head that answers according to the measured figures, and the
// prediction without this head.

import { loadModel } from 'qkv/models'
import { STORY_WORDS } from './stories-text.js'
import { measureStop } from './tour-stop.js'

/** @import { Kind } from './stories-text.js' */
/** @import { HeadFigures } from './stories-figures.js' */

const START = 'Lily and Tom are friends .'
/** The initial text of "Models". Its last words have occurred before, so that heads that copy are active. */
export const FIRST_TEXT = `${START} The fox is called vi ta mo . He has a red ball . Vi ta`
/**
 * The stops of the story; the front page shows the first.
 * @type {{ id: string, kind: Kind, prompt: string, answer: string, sources: string[], isBehind?: boolean, best: (head: HeadFigures) => number }[]}
 */
const STOPS = [
  {
    id: 'pronoun',
    kind: 'pronoun',
    answer: 'tom',
    sources: ['tom'],
    prompt: `${START} Is he`,
    best: ({ cost, antecedent }) => cost.pronoun * antecedent,
  },
  {
    id: 'previous',
    kind: 'name',
    answer: 'mo',
    sources: ['vi'],
    prompt: FIRST_TEXT,
    best: ({ previous }) => previous,
  },
  {
    id: 'gender',
    kind: 'gender',
    answer: 'his',
    sources: ['tom'],
    prompt: `${START} Lily has a blue hat . Tom has a red ball . Tom takes`,
    best: ({ cost }) => cost.gender,
  },
  {
    id: 'name',
    kind: 'name',
    answer: 'mo',
    sources: ['mo'],
    isBehind: true,
    prompt: `${START} The fox is called vi ta mo . The owl is called ka su ni . Vi ta`,
    best: ({ cost, behind }) => cost.name * behind.name,
  },
]

/**
 * @param {import('qkv').Qkv} qkv
 * @param {Parameters<typeof loadModel>[1]} source
 * @param {{ heads: HeadFigures[] }} figures
 */
export async function storiesTour(qkv, source, { heads }) {
  const model = await loadModel(qkv, source)
  try {
    return STOPS.map(({ id, kind, prompt, answer, sources, isBehind = false, best }) => {
      const { layer, head, cost } = heads.reduce((a, b) => (best(b) > best(a) ? b : a))
      const isSource = (/** @type {readonly string[]} */ tokens, /** @type {number} */ i) =>
        sources.includes(isBehind ? tokens[i - 1] : tokens[i])
      const found = measureStop(model, STORY_WORDS, { prompt, answer, layer, head, isSource })
      const name = isBehind ? 'behind' : id === 'previous' ? id : kind
      return { id, kind: name, prompt, answer, layer, head, cost: cost[kind], ...found }
    })
  } finally {
    model.dispose()
  }
}
