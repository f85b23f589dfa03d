// Draws the atlas of all layers and heads, and a ranked list of heads.

import { html, nothing } from 'lit'
import { withChange } from '../../../attention-head/changes.js'
import { percent } from '../../../files/number-format.js'
import { counted } from '../../../i18n/counted.js'
import { shown } from '../../../shell/slots.js'
import { firstLens } from '../lens/room.js'
import { hasLens } from '../lens/setting.js'
import { COPYING, copierOf, EXAMPLE, kindOf, LOOKS, rankingOf, TELLING } from '../open-head/kind.js'
import { nameOf } from '../shown.js'
import { legend } from './atlas.js'
import { likeness, pairWeights, ranked, scaleEnd } from './maps.js'

/** @import { RankBy, Room } from '../models.js' */
/** @import { HeadAt } from './maps.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @type {import('../run/model-run.js').ScoreName[]} */
const NAMES = [...LOOKS, 'entropy']
const MOST_LISTED = 200

/** Returns the scores that heads are ranked by. @param {Room} room @returns {Float32Array} (layers, heads) */
function scoresOf(room) {
  const { maps, stack, run, got } = room
  const { query, keyWord, reference, isWithoutFirst } = room.view
  const rankBy = rankingOf(room)
  if (!maps || !run) return new Float32Array(0)
  const own = run.scores[stack] ?? {}
  if (rankBy === 'example' && query !== undefined && keyWord !== undefined) {
    if (!maps.cells) return pairWeights(maps, query, keyWord)
    return shown(got.pairs) ?? new Float32Array(maps.layers * maps.numHeads)
  }
  if (rankBy === 'similar' && reference) return likeness(maps, reference, isWithoutFirst)
  const name = rankBy === 'example' || rankBy === 'similar' ? 'previous' : rankBy
  return own[name] ?? own.entropy ?? new Float32Array(maps.layers * maps.numHeads)
}

/** Returns a sentence about what a head does. @param {Room} room @param {HeadAt} at */
export function patternOf(room, at) {
  const kind = kindOf(room, at)
  if (!kind) return ''
  const where = whereOf(room, kind)
  const what = room.t(`modelsPattern.${kind.name}`)
  return kind.name in WITHOUT_SHARE
    ? room.t('modelsDoes', { what, where })
    : room.t('modelsDoesShare', { what, share: percent(kind.score), where })
}

/** Kinds whose score is the evenness of the weights, not a share of attention. */
const WITHOUT_SHARE = { even: true, sharp: true, mixed: true }

/** Returns words for the texts on which a role was measured: this text, or the test texts of the model. @param {Room} room @param {object} kind */
const whereOf = ({ t, openModel }, kind) =>
  'isOfTexts' in kind ? t('modelsOfTexts', { count: openModel?.about?.figures?.texts ?? 0 }) : t('modelsOfText')

/** Describes what a head does in a few words; '' if that is unclear. @param {Room} room @param {HeadAt} at */
function shortOf(room, at) {
  const kind = kindOf(room, at)
  if (!kind || kind.name === 'mixed') return ''
  const look = LOOKS.find(each => each === kind.name)
  const what = room.t(look ? `modelsRank.${look}` : `modelsPattern.${kind.name}`)
  return room.t('modelsDoes', { what, where: whereOf(room, kind) })
}

/** Returns the score below which heads are faded; 0 if no head reaches the threshold or if heads are ranked by entropy. @param {Room} room @param {Float32Array} scores */
const leastOf = (room, scores) => {
  const { least } = room.view
  return rankingOf(room) === 'entropy' || !scores.some(score => score >= least) ? 0 : least
}

/**
 * Caches the upper end of the colour scale of each maps object. The end also depends on the subtracted maps `less` and on `isWithoutFirst`.
 * @type {WeakMap<object, { end: number, less: object | undefined, isWithoutFirst: boolean }>}
 */
const ends = new WeakMap()

/** Returns the upper end of the colour scale of the atlas, and the maps to subtract, if any. @param {Room} room */
function painted({ maps, showing, runBefore, runAfter, stack, view: { isWithoutFirst } }) {
  const before = showing === 'difference' && runAfter ? runBefore?.maps[stack] : undefined
  if (!maps) return { end: 1, minus: undefined }
  const minus = before && before.data.length === maps.data.length && !before.cells ? before : undefined
  const known = ends.get(maps)
  if (known && known.less === minus && known.isWithoutFirst === isWithoutFirst) return { end: known.end, minus }
  const end = minus ? differenceEnd(maps.data, minus.data) : scaleEnd(maps, isWithoutFirst)
  ends.set(maps, { end, less: minus, isWithoutFirst })
  return { end, minus }
}

/** Returns the largest absolute difference, rounded to two digits. @param {Float32Array} a @param {Float32Array} b */
function differenceEnd(a, b) {
  let most = 0
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]))
  return Number(Math.max(most, 1e-4).toPrecision(2))
}

/** Returns the names of the changed heads of the displayed stack, as "layer.head". @param {Room} room */
const changedIn = ({ settings, stack }) =>
  new Set(
    settings.changes.flatMap(change =>
      change.isOn && change.stack === stack && 'head' in change ? `${change.layer}.${change.head}` : [],
    ),
  )

/**
 * Returns the scores of the layers that the current run has finished, and the scores `old` of the other layers.
 * @param {Room} room
 * @param {Float32Array} old
 */
function scoresOver(room, old) {
  const { streamed } = room
  const own = streamed?.scores[/** @type {'previous'} */ (rankingOf(room))]
  if (!streamed || !own) return old
  const { done, maps } = streamed
  return own.map((score, n) => (n < done * maps.numHeads ? score : (old[n] ?? 0)))
}

/** Draws the title of the layer readout, as a button that opens it if the model has one. @param {Room} room */
export function lensTitle(room) {
  const { t, act, settings, openModel } = room
  if (!openModel || !hasLens(openModel)) return t('modelsLens')
  return html`<button type="button" class="plain" data-opens-lens title=${t('modelsLayersSay')}
    @click=${() => act.setLens(settings.lens || firstLens(room), true)}>${t('modelsLens')} ↓</button>`
}

/** @param {Room} room @param {boolean} [isSmall] */
export function atlas(room, isSmall = false) {
  const { t, act, view, stack, run, head, streamed } = room
  const maps = streamed?.maps ?? room.maps
  if (!maps) return nothing
  const scores = scoresOver(room, scoresOf(room))
  const isOne = maps.layers * maps.numHeads === 1 // a single head has no rank, so list no scores
  const { end, minus } = painted(streamed ? { ...room, maps, showing: 'after' } : room)
  const isDecoder = stack !== 'encoder'
  const lens =
    isDecoder && run && run.lens.length > 1
      ? run.lens
          .slice(1)
          .map(guesses =>
            guesses.map(
              ({ token, probability }) =>
                html`<span class="lens-guess"><b>${token}</b> <span>${percent(probability)}</span></span>`,
            ),
          )
      : undefined
  // While a text is being read, its words are not known yet, so no cell can be described.
  const point = (/** @type {CustomEvent} */ { detail }) => act.show({ pointed: (!streamed && detail) || undefined })
  return html`<models-atlas
    .maps=${maps} .minus=${minus} .scores=${isOne ? undefined : scores} .least=${isOne ? 0 : leastOf(room, scores)}
    .end=${end} .old=${streamed?.done} .withoutFirst=${view.isWithoutFirst}
    .selected=${head ?? view.marked} .changed=${changedIn(room)} .size=${isSmall ? 0 : view.mapSize}
    .label=${t('modelsAtlas', { layers: maps.layers, heads: maps.numHeads })} .lens=${lens}
    .lensTitle=${lensTitle(room)} .isSmall=${isSmall}
    @atlas-point=${point}
    @atlas-focus=${point}
    @atlas-select=${(/** @type {CustomEvent} */ { detail: { isSecond, ...at } }) => act.chooseHead({ stack, ...at }, isSecond)}
    @atlas-size=${(/** @type {CustomEvent} */ { detail }) => act.show({ mapSize: detail })}
    @atlas-marquee=${(/** @type {CustomEvent} */ { detail }) => act.show({ chosen: detail })}></models-atlas>`
}

/** Enlarges or shrinks the maps of the atlas. @param {Room} room @param {number} factor */
function resize({ act }, factor) {
  /** @type {import('./atlas.js').ModelsAtlas | null} */
  const atlas = document.querySelector('.models-atlas models-atlas')
  const { side = 48 } = atlas ?? {}
  act.show({ mapSize: Math.round(side * factor) })
}

/**
 * Draws the checkbox that leaves the first token out of the colours, since many heads put most of their weight on it.
 * @param {Room} room
 * @param {number} [count] number of tokens at the start that are left out
 */
export const withoutFirstBox = ({ t, view, act }, count = 1) =>
  html`<label><input type="checkbox" id="models-first" .checked=${view.isWithoutFirst}
    @change=${(/** @type {InputEvent} */ { target }) => act.show({ isWithoutFirst: target.checked })} />
    ${t(count > 1 ? 'modelsWithoutBlock' : 'modelsWithoutFirst', { count })}</label>`

/** Draws the choice of the score by which heads are listed. @param {Room} room */
function rankControls(room) {
  const { t, act, view, run, stack } = room
  const { query, keyWord, reference } = view
  const rankBy = rankingOf(room)
  const own = run?.scores[stack] ?? {}
  /** @type {RankBy[]} */
  const names = NAMES.filter(name => own[name])
  if (query !== undefined && keyWord !== undefined) names.push('example')
  if (reference) names.push('similar')
  const explained = names.includes(rankBy) ? rankBy : (names[0] ?? 'previous')
  return html`<label>${t('modelsRank')} <select id="models-rank"
    @change=${(/** @type {import('../../../shell/room.js').Chosen<RankBy>} */ { target }) => act.show({ rankBy: target.value })}>${names.map(
      name => html`<option value=${name} ?selected=${name === rankBy}>${t(`modelsRank.${name}`)}</option>`,
    )}</select></label>
      <p class="note">${t(`modelsRankText.${explained}`)}</p>
      ${repeatOffer(room, own[/** @type {'induction'} */ (explained)], explained)}
      ${COPYING.includes(explained) ? whereFound(room, own, explained) : nothing}`
}

/**
 * Offers to read the text twice if heads are ranked by a score for repetitions and no head has such a score above 0.
 * @param {Room} room
 * @param {Float32Array | undefined} scores
 * @param {RankBy} rankBy
 */
function repeatOffer({ t, act, run, openModel, text }, scores, rankBy) {
  const needsTwice = rankBy === 'duplicate' || COPYING.some(name => name === rankBy)
  if (!needsTwice || !scores || scores.some(score => score > 0) || run?.targets || !openModel?.hasTokenizer)
    return nothing
  return html`<p class="note" id="models-no-repeat">${t('modelsNoRepeat')} <button type="button" class="plain"
    id="models-repeat" @click=${() => act.type(`${text} ${text}`)}>${t('modelsReadTwice')}</button></p>`
}

/**
 * Draws the filter of heads, the checkbox for the first token, and buttons for the map size.
 * @param {Room} room
 * @param {number} hits number of heads that reach the threshold
 * @param {boolean} isSeveral
 */
function filter(room, hits, isSeveral) {
  const { t, act, maps } = room
  const { least, isOnlyHits } = room.view
  return html`<details class="models-filter" id="models-filter"><summary>${t('modelsFilter')}</summary>
    ${
      isSeveral
        ? html`<label class="models-least">${t('modelsLeast', { least: least.toFixed(2) })} <input id="models-least"
          type="range" min="0" max="1" step="0.05" .value=${String(least)}
          @input=${(/** @type {InputEvent} */ { target }) => act.show({ least: Number(target.value) })} /></label>
          <label><input type="checkbox" id="models-hits" .checked=${isOnlyHits}
            @change=${(/** @type {InputEvent} */ { target }) => act.show({ isOnlyHits: target.checked })} />
            ${t('modelsOnlyHits', { count: hits })}</label>`
        : nothing
    }
    ${maps ? withoutFirstBox(room, Math.ceil(maps.columns / maps.width)) : nothing}
    <span class="models-sizes">${t('modelsMapSize')} <button type="button" class="tool" id="models-smaller"
      aria-label=${t('modelsSmaller')} @click=${() => resize(room, 1 / 1.3)}>−</button>
      <button type="button" class="tool" id="models-larger" aria-label=${t('modelsLarger')}
        @click=${() => resize(room, 1.3)}>+</button></span></details>`
}

/**
 * Explains why the score of the model's copying head on this text differs from its mean over the test texts. If no head copies, links to a
 * shipped model with one that does.
 * @param {Room} room
 * @param {Partial<Record<string, Float32Array>>} own scores on this text
 * @param {string} by the score that heads are ranked by
 */
function whereFound({ t, act, settings, openModel, maps }, own, by) {
  const count = openModel?.about?.figures?.texts ?? 0
  const copier = copierOf(openModel?.about)
  if (copier && maps) {
    const { at, score } = copier
    const n = at.layer * maps.numHeads + at.head
    const here = own[by]?.[n] ?? 0
    const params = { name: nameOf(at), share: percent(score), count, score: here.toFixed(3) }
    const isFurther = by === 'induction' && (own.further?.[n] ?? 0) > here
    return html`<p class="note" id="models-copier">${t(isFurther ? 'modelsCopiesFurther' : 'modelsCopies', params)}${
      isFurther
        ? html` <button type="button" class="plain" id="models-further"
          @click=${() => act.show({ rankBy: 'further' })}>${t('modelsRank.further')}</button>`
        : nothing
    }</p>`
  }
  const recorded = (openModel?.about?.figures?.heads ?? []).flatMap(({ induction = [], further = [] }) =>
    [induction, further].flat(),
  )
  // Skip the first layer, whose heads can match only by chance.
  const ofText = COPYING.flatMap(name => Array.from(own[name]?.subarray(maps?.numHeads) ?? []))
  const most = Math.max(0, ...(recorded.length ? recorded : ofText))
  const { model, head } = EXAMPLE
  if (most >= TELLING || (settings.checkpoint === model && settings.prompt === null)) return nothing
  return html`<p class="note"
    id="models-elsewhere">${t(recorded.length ? 'modelsNeverCopies' : 'modelsNoneCopies', { most: most.toFixed(2), count })}
    <a href=${`#2&room=models&models.checkpoint=${model}&models.at=${head}`}>${t('modelsCopiesThere', {
      model: t(`modelsShipped.${model}`),
      head,
    })}</a></p>`
}

/** @param {Room} room */
export function overview(room) {
  const { t, act, view, maps, stack } = room
  if (!maps) return nothing
  const { least, isOnlyHits, mapSize, chosen } = view
  const { end, minus } = painted(room)
  const scores = scoresOf(room)
  const all = ranked(scores, maps.numHeads)
  const faded = leastOf(room, scores)
  const hits = all.filter(({ score }) => score >= least)
  const isSeveral = all.length > 1
  return html`<section class="models-list" aria-label=${t('modelsRanked')}>
      ${isSeveral ? rankControls(room) : nothing}
      <ol class="models-ranked" id="models-ranked">${(isSeveral && isOnlyHits ? hits : all).slice(0, MOST_LISTED).map(
        ({ layer, head, score }) =>
          html`<li><button type="button" class="plain ${score < faded ? 'is-faded' : ''}"
            data-head=${nameOf({ layer, head })} data-value=${score} title=${patternOf(room, { layer, head })}
            @click=${() => act.openHead({ stack, layer, head })}><b>${nameOf({ layer, head })}</b>
              <span>${isSeveral ? score.toFixed(3) : nothing}</span>
              <small>${shortOf(room, { layer, head })}</small></button></li>`,
      )}</ol>
      ${filter(room, hits.length, isSeveral)}
    </section>
    <section class="models-atlas" aria-label=${t('modelsAtlas', { layers: maps.layers, heads: maps.numHeads })}>
      <div class="models-tools">
        ${
          mapSize === 0
            ? nothing
            : html`<button type="button" class="tool" @click=${() => act.show({ mapSize: 0 })}>${t('modelsAll')}</button>`
        }
        ${legend(end, minus !== undefined, room.isDark)}
        <span class="note" id="models-pointed" role="status">${pointedText(room)}</span>
      </div>
      ${atlas(room)}
      ${chosen.length ? marquee(room) : nothing}
    </section>`
}

/** Describes the weight under the pointer. @param {Room} room */
function pointedText(room) {
  const { t, view, words, showing } = room
  const { marked, pointed } = view
  if (marked) return t('modelsMarked', { name: nameOf(marked) })
  if (!pointed) return t('modelsPoint')
  const { query, key, weight } = pointed
  const name = nameOf(pointed)
  if (query === undefined || key === undefined || weight === undefined)
    return `${t('headTitle', { name })}: ${patternOf(room, pointed)}`
  const said = t('modelsCell', {
    name,
    query: words.queries[query] ?? '',
    key: words.keys[key] ?? '',
    weight: weight.toFixed(4),
  })
  return showing === 'difference' ? `${said} (${t('modelsTab.after')})` : said
}

/** Draws actions for the heads selected with the marquee. @param {Room} room */
function marquee({ t, act, view: { chosen }, settings, stack }) {
  const set = (/** @type {number | 'mean'} */ how) => {
    act.change(
      chosen.reduce(
        (changes, at) => withChange(changes, { kind: 'head', isOn: true, stack, ...at, how }),
        [...settings.changes],
      ),
    )
    act.show({ chosen: [] })
  }
  return html`<div class="models-chosen" role="group" aria-label=${counted(t, 'modelsChosen', chosen.length)}>
    <span>${counted(t, 'modelsChosen', chosen.length)}</span>
    <button type="button" class="tool" data-how="off" @click=${() => set(0)}>${t('headState.off')}</button>
    <button type="button" class="tool" @click=${() => set('mean')}>${t('headState.mean')}</button>
    <button type="button" class="tool" @click=${() => set(0.5)}>× 0.5</button>
    <button type="button" class="tool" @click=${() => act.show({ chosen: [] })}>${t('cancel')}</button></div>`
}
