// The page of one head: its map, difference and numbers, its switches, and how a weight was computed.

import { html, nothing } from 'lit'
import { hiddenCells, withChange } from '../../../attention-head/changes.js'
import { headButtons } from '../../../attention-head/head-switch.js'
import { headView, paintButton, viewTabs, WEIGHT_VIEWS } from '../../../attention-head/head-view.js'
import { visibleOf } from '../../../attention-head/visible.js'
import { entriesIn } from '../../../shell/known.js'
import { shown } from '../../../shell/slots.js'
import { textsLater } from '../../../shell/texts-later.js'
import { withGlosses } from '../../../ui/glosses.js'
import { likeness, mapAt, ranked } from '../atlas/maps.js'
import { atlas, patternOf } from '../atlas/overview.js'
import { deepHead } from '../long-text/deep-head.js'
import { glossOf } from '../sentence/token-row.js'
import { matrixOf, nameOf, withOrigin } from '../shown.js'

/** @import { Matrix, Room } from '../models.js' */
/** @import { HeadAt } from '../../../attention-head/head.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const SIMILAR = 5
/** Number of weights above which a head shows only its map, since the other pictures need every weight. */
const MOST_WHOLE = 2 ** 20

/** @param {Room} room @param {HeadAt} head */
export function headPage(room, head) {
  const { t, act, settings, isChanged } = room
  const { picture, mode } = room.view
  const name = nameOf(head)
  const { maps } = room
  const isLong = maps?.cells !== undefined
  const isWhole = !isLong || maps.rows * maps.columns <= MOST_WHOLE
  const names = isWhole ? WEIGHT_VIEWS.filter(each => !isLong || each !== 'lines') : ['map']
  const isDeep = isLong && (picture === 'map' || !names.includes(picture))
  const matrix = isDeep ? undefined : matrixOf(room, isChanged)
  const actions = actionsOf(room, head)
  return html`<section class="models-small">
      <button type="button" class="tool" id="models-back" @click=${() => act.openHead()}>← ${t('modelsAllHeads')}</button>
      ${atlas(room, true)}
      ${similar(room, head)}
    </section>
    <section class="models-head" aria-label=${t('headTitle', { name })} data-head=${name}>
      <div class="models-title"><h2>${t('headTitle', { name })}</h2> <code>${codeName(room, head)}</code>
        <span class="note" id="models-from-zero">${t('modelsFromZero')}</span>
        <span class="note"
          id="models-pattern">${patternOf(room, head)}${head.stack === '' ? '' : ` (${t(`modelsStack.${head.stack}`)})`}</span>
        <span class="spring"></span>
        <button type="button" class="tool" id="models-open-layer"
          @click=${() => act.openInLayer(t('modelsBackTo', { name }))}>${t('openLayer')}</button>
        ${headButtons({ t, changes: settings.changes, set: act.change }, head)}</div>
      <div class="tabs" role="group"
        aria-label=${t('view')}>${viewTabs(isDeep ? 'map' : picture, actions.show, t, names)}<span class="spring"></span>
      ${picture === 'map' && !isDeep ? paintButton({ prefix: 'models-', mode }, actions.setMode, t) : nothing}</div>
      ${matrix && matrix.dims[0] > 2 ? lookedAt(room, matrix) : nothing}
      ${isDeep ? longTexts(t('htmlLang')).draw(l => deepHead(room, head, l)) : headView(matrix && viewOf(room, head, matrix), actions, t)}
      ${overMany(room, head)}
    </section>`
}

/** @type {import('../../../shell/texts-later.js').Later<import('../long-text/deep-head.js').LongTexts>} */
const longTexts = textsLater(['long-text'])

/** @type {import('../../../shell/texts-later.js').Later<typeof import('../many/panel.js') & { m: import('../many/panel.js').ManyTexts }>} */
const many = textsLater(['many'], async texts => {
  const [module, m] = await Promise.all([import('../many/panel.js'), texts])
  return { ...module, m }
})

/** Draws the panel with the head over many sentences. @param {Room} room @param {HeadAt} head */
function overMany(room, head) {
  const { t, act, view, openModel } = room
  if (!openModel?.hasTokenizer) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasMany: target.open })
  return html`<details class="models-many" id="models-many" ?open=${view.hasMany} @toggle=${toggle}><summary>${t('modelsMany')}</summary>
    ${view.hasMany ? many(t('htmlLang')).draw(({ manyPanel, m }) => manyPanel(room, head, m)) : nothing}</details>`
}

/** Maximum number of words named in a sentence about the head. */
const MOST_NAMED = 3

/**
 * Lists the words that get the largest weight of at least two rows. Ignores rows of zeros, which have no visible key.
 * @param {Room} room
 * @param {Matrix} matrix
 */
function lookedAt({ t, words }, { data, dims: [rows, columns] }) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (let row = 0; row < rows; row++) {
    const weights = data.subarray(row * columns, (row + 1) * columns)
    const largest = weights.reduce((a, b) => Math.max(a, b))
    const most = weights.indexOf(largest)
    if (largest) counts.set(most, (counts.get(most) ?? 0) + 1)
  }
  const list = Array.from(counts)
    .filter(([, count]) => count > 1)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED)
    .map(([key, count]) => t('modelsLookedBy', { word: words.keys[key] ?? '', count, rows }))
  return list.length
    ? html`<p class="note" id="models-looked">${t('modelsLooked', { list: list.join(t('comma')) })}</p>`
    : nothing
}

/** Returns the hook name of the head, such as "layers.2.heads.1". @param {Room} room @param {HeadAt} head */
function codeName({ openModel }, { stack, layer, head }) {
  const both = openModel?.stacks.encoder && openModel.stacks.decoder
  const at = `${both ? (stack === 'encoder' ? 'encoder.' : 'decoder.') : ''}layers.${layer}.`
  return `${at}${stack === 'cross' ? 'cross.' : ''}heads.${head}`
}

/** @param {Room} room @param {HeadAt} at */
function similar({ t, act, maps, view }, at) {
  if (!maps || maps.layers * maps.numHeads < 2) return nothing
  const list = ranked(likeness(maps, at, view.isWithoutFirst), maps.numHeads)
    .filter(({ layer, head }) => layer !== at.layer || head !== at.head)
    .slice(0, SIMILAR)
  return html`<h3>${t('modelsSimilar')}</h3><p class="note"
    id="models-likeness">${t('modelsRankText.similar')}</p><ol class="models-ranked">${list.map(
      ({ layer, head, score }) =>
        html`<li><button type="button" class="plain" data-head=${nameOf({ layer, head })}
        @click=${() => act.openHead({ stack: at.stack, layer, head })}><b>${nameOf({ layer, head })}</b>
        <span>${score.toFixed(3)}</span></button></li>`,
    )}</ol>
  <button type="button" class="tool" @click=${() => act.rankSimilar(at)}>${t('modelsRankSimilar')}</button>`
}

/**
 * Returns the upper end of the colour scale: the smallest of 0.01, 0.02, 0.05, ..., 1 that is at least the largest weight.
 * @param {Float32Array} data
 */
function endOf(data) {
  let most = 0
  for (const value of data) if (value > most) most = value
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find(end => most <= end) ?? 1
}

/** Returns which keys each query of a head sees in the displayed run. The changes of this run may be older than those in the settings. @param {Room} room @param {HeadAt} head @param {readonly number[]} dims */
function visibleTo({ openModel, run, isChanged }, head, dims) {
  const { encoder, decoder } = openModel?.stacks ?? {}
  const own = head.stack === 'encoder' ? encoder : (decoder ?? encoder)
  const isCausal = own?.causal === true && head.stack !== 'cross'
  return visibleOf(dims, isCausal, isChanged ? hiddenCells(run?.request.changes ?? [], head) : [])
}

/** Returns what to subtract from the head: itself before the changes, itself on the second text, or another head. @param {Room} room @param {HeadAt} head @param {Matrix} matrix @returns {import('../../../attention-head/head.js').Less | undefined} */
function lessOf(room, head, matrix) {
  const { t, runAfter, maps, settings, got } = room
  const { against } = room.view
  if (!maps) return undefined
  const isBefore = runAfter !== undefined && against === undefined
  const other =
    against === 'text' ? undefined : (against ?? { layer: head.layer, head: (head.head + 1) % maps.numHeads })
  const sister = other && !maps.cells ? { data: mapAt(maps, other), dims: [maps.rows, maps.columns] } : undefined
  const text = shown(got['head:text'])
  const weights = against === 'text' ? text : isBefore ? matrixOf(room, false) : sister
  const choices = runAfter ? [{ value: 'before', name: t('modelsBeforeChanges') }] : []
  if (settings.sourceText) choices.push({ value: 'text', name: t('modelsOtherText') })
  for (let n = 0; n < maps.layers * maps.numHeads; n++) {
    const at = { layer: Math.floor(n / maps.numHeads), head: n % maps.numHeads }
    choices.push({ value: `${at.layer}.${at.head}`, name: t('headTitle', { name: nameOf(at) }) })
  }
  const chosen = isBefore ? 'before' : against === 'text' ? 'text' : `${other?.layer}.${other?.head}`
  const isAlike = weights?.data.length === matrix.data.length
  const name = t('headTitle', { name: nameOf(head) })
  const of = t('modelsLess', { name, other: choices.find(({ value }) => value === chosen)?.name ?? '' })
  return { choices, chosen, of, ...(isAlike ? { weights } : { problem: t('modelsNoDifference') }) }
}

/** Returns the weights of all heads in the layer of a head. @param {Room} room @param {HeadAt} head */
function layerOf({ isChanged, runBefore, runAfter }, { stack, layer, head }) {
  const maps = (isChanged ? (runAfter ?? runBefore) : runBefore)?.maps[stack]
  if (!maps || maps.cells) return undefined
  const names = Array.from({ length: maps.numHeads }, (_, head) => nameOf({ layer, head }))
  return { data: maps.data, from: layer * maps.numHeads * maps.rows * maps.columns, names, own: head }
}

/** Returns the names and values of the head's scores. @param {Room} room @param {HeadAt} head */
function scoresOf({ t, run, maps }, { stack, layer, head }) {
  return entriesIn(run?.scores[stack] ?? {}).map(([name, data]) => ({
    name: t(`modelsRank.${name}`),
    value: data[layer * (maps?.numHeads ?? 0) + head],
  }))
}

/** @param {Room} room @param {HeadAt} head @param {Matrix} weights @returns {import('../../../attention-head/head.js').HeadView} */
function viewOf(room, head, weights) {
  const { t, view, words, cell } = room
  const { query } = view
  return {
    prefix: 'models-',
    label: withOrigin(room, t('headTitle', { name: nameOf(head) })),
    weights,
    visible: visibleTo(room, head, weights.dims),
    queries: withGlosses(words.queries, glossOf(room)),
    keys: withGlosses(words.keys, glossOf(room)),
    isCross: head.stack === 'cross',
    view: view.picture,
    mode: view.mode,
    domain: [0, endOf(weights.data)],
    selected: cell && { row: cell.query, column: cell.key },
    word: query === undefined ? undefined : { side: 'queries', position: query },
    layer: view.picture === 'lines' ? layerOf(room, head) : undefined,
    less: view.picture === 'difference' ? lessOf(room, head, weights) : undefined,
    scores: scoresOf(room, head),
  }
}

/** @param {Room} room @param {HeadAt} head @returns {import('../../../attention-head/head.js').HeadActions} */
function actionsOf({ act, travel, settings: { changes } }, head) {
  return {
    show: picture => act.show({ picture }),
    setMode: mode => act.show({ mode }),
    point: () => {},
    select({ cell, word }, isSecond = false) {
      if (cell) act.selectCell({ query: cell.row, key: cell.column })
      else if (word) act.selectWord(word.position, isSecond, word.side)
    },
    edit(query, key, value = 0, mark) {
      const share = Math.min(1, Math.max(0, Number(value.toFixed(4))))
      /** @type {import('../../../attention-head/head.js').WeightChange} */
      const change = { kind: 'weight', isOn: true, ...head, query, key, value: share }
      act.change(withChange(changes, change), mark, change)
    },
    undo: () => travel('undo', 0),
    hide: (query, key, isHidden) => act.hide(head, query, key, isHidden),
    subtract(choice) {
      const [layer, n] = choice.split('.').map(Number)
      act.show({ against: choice === 'before' ? undefined : choice === 'text' ? 'text' : { layer, head: n } })
    },
  }
}
