// All layers and heads in one map of small maps, with the list of heads ranked by what is asked for.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { legend } from './atlas.js'
import { likeness, pairWeights, ranked, scaleEnd } from './atlas-maps.js'
import { counted } from './texts.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./room.js').RankBy} RankBy */
/** @typedef {import('./atlas-maps.js').HeadAt} HeadAt */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const LOOKS = /** @type {const} */ (['previous', 'first', 'duplicate', 'induction'])
const NAMES = /** @type {const} */ ([...LOOKS, 'entropy'])
const [EVEN, SHARP, MIXED] = /** @type {const} */ (['even', 'sharp', 'mixed'])
/** Scores below this say nothing about a head. */
const TELLING = 0.4

/** The score of each head by what the reader asks for. @param {Room} room @returns {Float32Array} (layers, heads) */
export function scoresOf(room) {
  const { maps, rankBy, stack, run, query, keyWord, withoutFirst } = room
  if (!maps || !run) return new Float32Array(0)
  const own = run.scores[stack] ?? {}
  if (rankBy === 'example' && query !== undefined && keyWord !== undefined) {
    if (!maps.cells) return pairWeights(maps, query, keyWord)
    return room.pairs ?? new Float32Array(maps.layers * maps.heads)
  }
  if (rankBy === 'similar' && room.reference) return likeness(maps, room.reference, withoutFirst)
  const name = rankBy === 'example' || rankBy === 'similar' ? 'previous' : rankBy
  return own[name] ?? own.entropy ?? new Float32Array(maps.layers * maps.heads)
}

/** What a head looks at, if its scores tell: a name, or how even it is. @param {Room} room @param {HeadAt} at */
function kindOf({ run, stack, maps }, { layer, head }) {
  const own = run?.scores[stack]
  if (!own || !maps) return undefined
  const n = layer * maps.heads + head
  const score = (/** @type {keyof typeof own} */ name) => own[name]?.[n] ?? 0
  const [best] = LOOKS.filter(name => score(name) >= TELLING).sort((a, b) => score(b) - score(a))
  if (best) return { name: best, score: score(best) }
  return { name: score('entropy') > 0.85 ? EVEN : score('entropy') < 0.2 ? SHARP : MIXED, score: score('entropy') }
}

/** What a head does, as a sentence. @param {Room} room @param {HeadAt} at */
export function patternOf(room, at) {
  const kind = kindOf(room, at)
  return kind ? room.t(`modelsPattern.${kind.name}`, { share: percent(kind.score) }) : ''
}

/** In one or two words. @param {Room} room @param {HeadAt} at */
function shortOf(room, at) {
  const kind = kindOf(room, at)
  if (!kind) return ''
  const { name } = kind
  return name === EVEN || name === SHARP || name === MIXED
    ? room.t(`modelsShort.${name}`)
    : room.t(`modelsRank.${name}`)
}

/** Heads below this are faded; where none reaches it, none is. @param {Room} room @param {Float32Array} scores */
const leastOf = ({ rankBy, least }, scores) =>
  rankBy === 'entropy' || !scores.some(score => score >= least) ? 0 : least

/** Where the colours of the atlas end, and what it is less. @param {Room} room */
export function painted(room) {
  const { maps, showing, runBefore: before, stack, withoutFirst } = room
  const less = showing === 'difference' && room.runAfter ? before?.maps[stack] : undefined
  const isAlike = less && maps && less.data.length === maps.data.length && !less.cells
  if (!maps) return { end: 1, minus: undefined }
  if (!isAlike) return { end: scaleEnd(maps, withoutFirst), minus: undefined }
  let most = 0
  for (let i = 0; i < maps.data.length; i++) most = Math.max(most, Math.abs(maps.data[i] - less.data[i]))
  return { end: Number(Math.max(most, 1e-4).toPrecision(2)), minus: less }
}

/** Heads that are changed, by "layer.head". @param {Room} room */
export const changedIn = ({ changes, stack }) =>
  new Set(
    changes.flatMap(change =>
      change.isOn && change.stack === stack && 'head' in change ? `${change.layer}.${change.head}` : [],
    ),
  )

/** Opens a head; with Shift the second one is subtracted from the first. @param {Room} room @param {HeadAt & { stack: import('./hooks.js').Stack }} at @param {boolean} isSecond */
function choose(room, at, isSecond) {
  const first = room.head ?? room.first
  room.first = undefined
  if (!isSecond) return room.openHead(at)
  if (!first || (first.layer === at.layer && first.head === at.head)) {
    if (!room.head) room.first = at
    return
  }
  room.against = { layer: at.layer, head: at.head }
  room.view = 'difference'
  if (!room.head) room.openHead({ ...first, stack: at.stack })
}

/** @param {Room} room @param {boolean} [isSmall] */
export function atlas(room, isSmall = false) {
  const { t, maps, stack, run, withoutFirst } = room
  if (!maps) return nothing
  const scores = scoresOf(room)
  const { end, minus } = painted(room)
  const isDecoder = stack !== 'encoder'
  const lens =
    isDecoder && run && run.lens.length > 1
      ? run.lens
          .slice(1)
          .map(
            guesses =>
              html`${guesses.slice(0, maps.layers > 16 ? 1 : maps.layers > 6 ? 2 : 3).map(({ token, probability }) => html`<span class="lens-guess"><b>${token}</b> ${percent(probability)}</span>`)}`,
          )
      : undefined
  return html`<models-atlas
    .maps=${maps} .minus=${minus} .scores=${scores} .least=${leastOf(room, scores)} .end=${end} .withoutFirst=${withoutFirst}
    .selected=${room.head ?? room.first} .changed=${changedIn(room)} .size=${isSmall ? 0 : room.mapSize} .label=${t('modelsAtlas', { layers: maps.layers, heads: maps.heads })} .lens=${lens} .lensTitle=${t('modelsLens')} .isSmall=${isSmall}
    @atlas-point=${(/** @type {CustomEvent} */ { detail }) => {
      room.pointed = detail ?? undefined
    }}
    @atlas-focus=${(/** @type {CustomEvent} */ { detail }) => {
      room.pointed = detail
    }}
    @atlas-select=${(/** @type {CustomEvent} */ { detail: { isSecond, ...at } }) => choose(room, { stack, ...at }, isSecond)}
    @atlas-size=${(/** @type {CustomEvent} */ { detail }) => {
      room.mapSize = detail
    }}
    @atlas-marquee=${(/** @type {CustomEvent} */ { detail }) => {
      room.chosen = detail
    }}></models-atlas>`
}

/** @param {Room} room */
export function overview(room) {
  const sideOf = () =>
    /** @type {import('./atlas.js').ModelsAtlas | null} */ (room.querySelector('models-atlas'))?.side ?? 48
  const { t, maps, least, onlyHits, withoutFirst, rankBy } = room
  if (!maps) return nothing
  const { end, minus } = painted(room)
  const scores = scoresOf(room)
  const all = ranked(scores, maps.heads)
  const faded = leastOf(room, scores)
  const hits = all.filter(({ score }) => score >= least)
  const own = room.run?.scores[room.stack] ?? {}
  const names = /** @type {RankBy[]} */ ([
    ...NAMES.filter(name => own[name]),
    ...(room.query !== undefined && room.keyWord !== undefined ? ['example'] : []),
    ...(room.reference ? ['similar'] : []),
  ])
  return html`<section class="models-list" aria-label=${t('modelsRanked')}>
      <label>${t('modelsRank')} <select id="models-rank" @change=${(/** @type {InputEvent} */ { target }) => {
        room.rankBy = /** @type {RankBy} */ (target.value)
      }}>${names.map(name => html`<option value=${name} ?selected=${name === rankBy}>${t(`modelsRank.${name}`)}</option>`)}</select></label>
      <p class="note">${t(`modelsRankText.${names.includes(rankBy) ? rankBy : (names[0] ?? 'previous')}`)}</p>
      <label class="models-least">${t('modelsLeast', { least: least.toFixed(2) })} <input id="models-least" type="range" min="0" max="1" step="0.05" .value=${String(least)} @input=${(
        /** @type {InputEvent} */ { target },
      ) => {
        room.least = Number(target.value)
      }} /></label>
      <label><input type="checkbox" id="models-hits" .checked=${onlyHits} @change=${(
        /** @type {InputEvent} */ { target },
      ) => {
        room.onlyHits = target.checked
      }} /> ${t('modelsOnlyHits', { count: hits.length })}</label>
      <label><input type="checkbox" id="models-first" .checked=${withoutFirst} @change=${(
        /** @type {InputEvent} */ { target },
      ) => {
        room.withoutFirst = target.checked
      }} /> ${t('modelsWithoutFirst')}</label>
      <ol class="models-ranked" id="models-ranked">${(onlyHits ? hits : all)
        .slice(0, 200)
        .map(
          ({ layer, head, score }) =>
            html`<li><button type="button" class="plain ${score < faded ? 'is-faded' : ''}" @click=${() => room.openHead({ stack: room.stack, layer, head })}><b>${room.nameOf({ layer, head })}</b> <span>${score.toFixed(3)}</span> <small>${shortOf(room, { layer, head })}</small></button></li>`,
        )}</ol>
    </section>
    <section class="models-atlas" aria-label=${t('modelsAtlas', { layers: maps.layers, heads: maps.heads })}>
      <div class="models-tools">
        <button type="button" class="tool" aria-label=${t('modelsSmaller')} @click=${() => {
          room.mapSize = Math.round(sideOf() / 1.3)
        }}>−</button>
        <button type="button" class="tool" aria-label=${t('modelsLarger')} @click=${() => {
          room.mapSize = Math.round(sideOf() * 1.3)
        }}>+</button>
        <button type="button" class="tool" ?disabled=${room.mapSize === 0} @click=${() => {
          room.mapSize = 0
        }}>${t('modelsAll')}</button>
        ${legend(end, minus !== undefined, room.isDark)}
        <span class="note" id="models-pointed" role="status">${pointedText(room)}</span>
      </div>
      ${atlas(room)}
      ${room.chosen.length ? marquee(room) : nothing}
    </section>`
}

/** What stands under the pointer, exactly. @param {Room} room */
function pointedText(room) {
  const { t, pointed, words } = room
  if (room.first) return t('modelsMarked', { name: room.nameOf(room.first) })
  if (!pointed) return t('modelsPoint')
  const { query, key, weight } = pointed
  const name = room.nameOf(pointed)
  if (query === undefined || key === undefined || weight === undefined)
    return `${t('modelsHead', { name })}: ${patternOf(room, pointed)}`
  const less = room.showing === 'difference' && room.runAfter ? ` (${t('modelsTab.after')})` : ''
  return (
    t('modelsCell', {
      name,
      query: words.queries[query] ?? '',
      key: words.keys[key] ?? '',
      weight: weight.toFixed(4),
    }) + less
  )
}

/** Heads inside the marquee. @param {Room} room */
function marquee(room) {
  const { t, chosen, stack } = room
  const set = (/** @type {number | 'mean'} */ how) => {
    room.addChanges(chosen.map(at => ({ kind: 'head', isOn: true, stack, ...at, how })))
    room.chosen = []
  }
  return html`<div class="models-chosen" role="group" aria-label=${counted(t, 'modelsChosen', chosen.length)}>
    <span>${counted(t, 'modelsChosen', chosen.length)}</span>
    <button type="button" class="tool" data-how="off" @click=${() => set(0)}>${t('headState.off')}</button>
    <button type="button" class="tool" @click=${() => set('mean')}>${t('headState.mean')}</button>
    <button type="button" class="tool" @click=${() => set(0.5)}>× 0.5</button>
    <button type="button" class="tool" @click=${() => {
      room.chosen = []
    }}>${t('modelsCancel')}</button></div>`
}
