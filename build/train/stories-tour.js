// The guided story of the model of stories: sentences, the head that answers by its measured figures, and what the model says
// without it.

import { loadModel } from 'qkv/models'
import { STORY_WORDS } from './stories-text.js'

/** @typedef {import('./stories-text.js').Kind} Kind */
/** @typedef {import('./stories-figures.js').HeadFigures} HeadFigures */

const START = 'Lily and Tom are friends .'
/** @type {{ id: string, kind: Kind, prompt: string, answer: string, sources: string[], isBehind?: boolean, best: (head: HeadFigures) => number }[]} */
const STOPS = [
  {
    id: 'previous',
    kind: 'name',
    answer: 'mo',
    sources: ['vi'],
    prompt: `${START} The fox is called vi ta mo . Tom has a red ball . Vi ta`,
    best: ({ previous }) => previous,
  },
  {
    id: 'pronoun',
    kind: 'pronoun',
    answer: 'tom',
    sources: ['tom'],
    prompt: `${START} Is he`,
    best: ({ cost, antecedent }) => cost.pronoun * antecedent,
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
      const { ids, tokens } = model.tokenize(prompt)
      const said = (/** @type {Record<string, number>} */ hooks) => {
        const { logits, attentions } = model.forward({ ids }, { hooks, keep: ['attentions'], logits: 'last' })
        const { data } = /** @type {import('qkv').FloatTensor} */ (logits)
        const most = Math.max(...data)
        const total = data.reduce((sum, z) => sum + Math.exp(z - most), 0)
        const map = /** @type {import('qkv').FloatTensor} */ (attentions[layer])
        const n = ids.length
        const row = map.data.subarray((head * n + n - 1) * n, (head * n + n) * n)
        return {
          probability: Math.exp(data[STORY_WORDS.indexOf(answer)] - most) / total,
          weight: tokens.reduce(
            (sum, token, i) => sum + (sources.includes(isBehind ? tokens[i - 1] : token) ? row[i] : 0),
            0,
          ),
          says: STORY_WORDS[data.indexOf(most)],
          looksAt: tokens[row.indexOf(Math.max(...row))],
        }
      }
      const whole = said({})
      const without = said({ [`layers.${layer}.heads.${head}`]: 0 })
      return {
        id,
        kind: isBehind ? 'behind' : id === 'previous' ? id : kind,
        prompt,
        answer,
        layer,
        head,
        cost: cost[kind],
        weight: whole.weight,
        looksAt: whole.looksAt,
        probability: whole.probability,
        without: { probability: without.probability, says: without.says },
      }
    })
  } finally {
    model.dispose()
  }
}
