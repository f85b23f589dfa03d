// Decides what a head does: by the role recorded when its model was trained, or by its scores on this text.

/** @import { Room } from '../models.js' */
/** @import { HeadAt } from '../atlas/maps.js' */
/** @import { Stack } from '../../../attention-head/head.js' */

/** @type {Exclude<import('../run/model-run.js').ScoreName, 'entropy'>[]} */
export const LOOKS = ['previous', 'first', 'duplicate', 'induction', 'further']
const [EVEN, SHARP, MIXED] = /** @type {const} */ (['even', 'sharp', 'mixed'])
/** Roles that depend on the output of an earlier head, so that no first-layer head has them. @type {readonly string[]} */
export const COPYING = ['induction', 'further']
/** Minimum score that is significant. */
export const TELLING = 0.4
/** A copying head in a shipped model, as an example. */
export const EXAMPLE = /** @type {const} */ ({ model: 'stories', head: '3.1' })
/** Roles of heads that copy. The figure of such a head is averaged only over positions whose next word is a copy. @type {readonly string[]} */
const COPIERS = ['behind', 'thing']

/**
 * Picks, for each role, the figure of a head that measures the role. `id`: id of the story stop about the head.
 * @type {Record<'pronoun' | 'behind' | 'chapter' | 'thing', (figures: import('../models.js').HeadFigures, id: string) => number | undefined>}
 */
const ROLES = {
  pronoun: ({ antecedent }) => antecedent,
  behind: ({ behind }, id) => behind?.[id],
  chapter: ({ weight }, id) => (typeof weight === 'object' ? weight[id] : undefined),
  thing: ({ weight }, id) => (typeof weight === 'object' ? weight[id] : undefined),
}

/** @param {import('../models.js').About | undefined} about @param {HeadAt} at */
const figuresOf = (about, { layer, head }) =>
  about?.figures?.heads?.find(each => each.layer === layer && each.head === head)

/**
 * Returns the role of a head in a shipped model, and as `score` the figure that measures the role, a mean over the test texts.
 * @param {import('../models.js').About | undefined} about
 * @param {Stack} stack
 * @param {HeadAt} at
 */
export function roleOf(about, stack, { layer, head }) {
  const figures = figuresOf(about, { layer, head })
  if (!figures) return undefined
  if (figures.role) return { name: figures.role, score: figures[figures.role] ?? 0 }
  const { aligned = 0, weight } = figures
  if (stack === 'cross')
    return aligned < TELLING ? undefined : { name: /** @type {const} */ ('aligned'), score: Number(weight) }
  for (const { id, kind, layer: l, head: h } of stack === '' ? (about?.tour ?? []) : []) {
    const name = /** @type {keyof typeof ROLES} */ (kind)
    const score = l === layer && h === head ? (ROLES[name]?.(figures, id) ?? 0) : 0
    if (score >= TELLING) return { name, score }
  }
  return undefined
}

/**
 * Returns the story stop `at` whose head copies, if any, and as `score` the figure that measures the head's role.
 * @param {import('../models.js').About | undefined} about
 */
export function copierOf(about) {
  for (const at of about?.tour ?? []) {
    const role = roleOf(about, '', at)
    if (role && COPIERS.includes(role.name)) return { at, score: role.score }
  }
  return undefined
}

/**
 * Returns the kind of a head, with the score that determined it.
 * @param {Pick<Room, 'run' | 'stack' | 'maps' | 'openModel'>} room
 * @param {HeadAt} at
 */
export function kindOf({ run, stack, maps, openModel }, { layer, head }) {
  const own = run?.scores[stack]
  if (!own || !maps) return undefined
  const role = roleOf(openModel?.about, stack, { layer, head })
  if (role) return { ...role, isOfTexts: true }
  const n = layer * maps.numHeads + head
  const score = (/** @type {keyof typeof own} */ name) => own[name]?.[n] ?? 0
  // A first-layer head cannot copy: it would need the previous token at each position, which only an earlier layer can write there. If it
  // seems to copy, it matches by chance or by position. A head whose score on the test texts is too low does not count as copying, either.
  const measured = figuresOf(openModel?.about, { layer, head })
  const canCopy = (/** @type {typeof LOOKS[number]} */ name) => layer > 0 && (measured?.[name] ?? 1) >= TELLING
  const looks = LOOKS.filter(name => !COPYING.includes(name) || canCopy(name))
  const [best] = looks.filter(name => score(name) >= TELLING).sort((a, b) => score(b) - score(a))
  if (best) return { name: best, score: score(best) }
  return { name: score('entropy') > 0.85 ? EVEN : score('entropy') < 0.2 ? SHARP : MIXED, score: score('entropy') }
}

/** Returns how far the largest score exceeds the median. @param {Float32Array} scores */
function standing(scores) {
  const sorted = scores.slice().sort()
  return sorted[sorted.length - 1] - sorted[sorted.length >> 1]
}

/**
 * Returns the score that heads are ranked by: the reader's choice, else the score whose best head exceeds the median most.
 * @param {Pick<Room, 'run' | 'stack' | 'view'>} room
 * @returns {import('../models.js').RankBy}
 */
export function rankingOf({ run, stack, view: { rankBy } }) {
  if (rankBy) return rankBy
  const own = run?.scores[stack] ?? {}
  const heights = LOOKS.map(name => (own[name]?.length ? standing(own[name]) : 0))
  return LOOKS[heights.indexOf(Math.max(...heights))]
}
