// What a head does in a word: the role that was recorded when its model was trained, or what its scores on this text tell.

/** @typedef {import('./models.js').Room} Room */
/** @typedef {import('./atlas-maps.js').HeadAt} HeadAt */
/** @typedef {import('../../head/head.js').Stack} Stack */

export const LOOKS = /** @type {const} */ (['previous', 'first', 'duplicate', 'induction', 'further'])
const [EVEN, SHARP, MIXED] = /** @type {const} */ (['even', 'sharp', 'mixed'])
/** What only a head behind another one can do. @type {readonly string[]} */
export const COPYING = ['induction', 'further']
/** Scores below this say nothing about a head. */
export const TELLING = 0.4
/** A head that copies, of a model that ships with the page, and its score "further" on the first text of that model. */
export const EXAMPLE = /** @type {const} */ ({ model: 'stories', head: '3.1', score: 0.5 })

/** The figure that each role is recorded with, of a head and a stop of the model's story about it. @type {Record<'pronoun' | 'behind' | 'chapter' | 'thing', (figures: import('./models.js').HeadFigures, id: string) => number | undefined>} */
const ROLES = {
  pronoun: ({ antecedent }) => antecedent,
  behind: ({ behind }, id) => behind?.[id],
  chapter: ({ weight }, id) => (typeof weight === 'object' ? weight[id] : undefined),
  thing: ({ weight }, id) => (typeof weight === 'object' ? weight[id] : undefined),
}

/** The role of a head in a model that ships with the page, with its figure of all test texts. @param {import('./models.js').About | undefined} about @param {Stack} stack @param {HeadAt} at */
export function roleOf(about, stack, { layer, head }) {
  const figures = about?.figures?.heads?.find(each => each.layer === layer && each.head === head)
  if (!figures) return undefined
  if (figures.role) return { name: figures.role, score: figures[figures.role] ?? 0 }
  const { aligned = 0 } = figures
  if (stack === 'cross')
    return aligned < TELLING ? undefined : { name: /** @type {const} */ ('aligned'), score: aligned }
  for (const { id, kind, layer: l, head: h } of stack === '' ? (about?.tour ?? []) : []) {
    const name = /** @type {keyof typeof ROLES} */ (kind)
    const score = l === layer && h === head ? (ROLES[name]?.(figures, id) ?? 0) : 0
    if (score >= TELLING) return { name, score }
  }
  return undefined
}

/** What a head does, with the score that tells it. @param {Pick<Room, 'run' | 'stack' | 'maps' | 'openModel'>} room @param {HeadAt} at */
export function kindOf({ run, stack, maps, openModel }, { layer, head }) {
  const own = run?.scores[stack]
  if (!own || !maps) return undefined
  const role = roleOf(openModel?.about, stack, { layer, head })
  if (role) return { ...role, isOfTexts: true }
  const n = layer * maps.heads + head
  const score = (/** @type {keyof typeof own} */ name) => own[name]?.[n] ?? 0
  // What stood before a token is known from the second layer on: a first layer's head looks at what it looks at by chance, or by position.
  const looks = LOOKS.filter(name => layer > 0 || !COPYING.includes(name))
  const [best] = looks.filter(name => score(name) >= TELLING).sort((a, b) => score(b) - score(a))
  if (best) return { name: best, score: score(best) }
  return { name: score('entropy') > 0.85 ? EVEN : score('entropy') < 0.2 ? SHARP : MIXED, score: score('entropy') }
}

/** How far the largest number stands above the median. @param {Float32Array} scores */
function standing(scores) {
  const sorted = scores.slice().sort()
  return sorted[sorted.length - 1] - sorted[sorted.length >> 1]
}

/** What heads are ranked by until the reader chooses: the score whose best head stands out most. @param {Pick<Room, 'run' | 'stack' | 'view'>} room @returns {import('./models.js').RankBy} */
export function rankingOf({ run, stack, view: { rankBy } }) {
  if (rankBy) return rankBy
  const own = run?.scores[stack] ?? {}
  const heights = LOOKS.map(name => (own[name]?.length ? standing(own[name]) : 0))
  return LOOKS[heights.indexOf(Math.max(...heights))]
}
