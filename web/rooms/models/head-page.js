// The page of one head: its map, lines, difference and numbers, its switches, and how a weight was computed.

import { html, nothing } from 'lit'
import { withCell, withChange } from '../../head/changes.js'
import { headButtons } from '../../head/head-switch.js'
import { shown } from '../../shell/store.js'
import { likeness, mapAt, ranked } from './atlas-maps.js'
import { atlas, patternOf } from './overview.js'
import { matrixOf, nameOf } from './shown.js'

/** @typedef {import('./models.js').Room} Room */
/** @typedef {import('./models.js').Matrix} Matrix */
/** @typedef {import('../../head/head.js').HeadAt} HeadAt */
/** @typedef {import('../../head/head.js').Stack} Stack */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const PICTURES = /** @type {const} */ (['map', 'lines', 'difference', 'numbers'])
const MODES = /** @type {const} */ (['read', 'paint', 'edit'])
const SIMILAR = 5

/** @param {Room} room @param {HeadAt} head */
export function headPage(room, head) {
  const { t, act, settings, isChanged } = room
  const { picture, mode } = room.view
  const name = nameOf(head)
  const matrix = matrixOf(room, isChanged)
  return html`<section class="models-small">
      <button type="button" class="tool" id="models-back" @click=${() => act.openHead()}>← ${t('modelsAllHeads')}</button>
      ${atlas(room, true)}
      ${similar(room, head)}
    </section>
    <section class="models-head" aria-label=${t('modelsHead', { name })} data-head=${name}>
      <div class="models-title"><h2>${t('modelsHead', { name })}</h2> <code>${codeName(room, head)}</code>
        <span class="note">${patternOf(room, head)}${head.stack === '' ? '' : ` (${t(`modelsStack.${head.stack}`)})`}</span>
        <span class="spring"></span>
        <button type="button" class="tool" id="models-open-layer" @click=${() => act.openInLayer(t('modelsBackTo', { name }))}>${t('modelsOpenLayer')}</button>
        ${headButtons({ t, changes: settings.changes, set: act.change }, head)}</div>
      <div class="tabs" role="group" aria-label=${t('view')}>${PICTURES.map(
        each =>
          html`<button type="button" class="tab" data-view=${each} aria-pressed=${picture === each} @click=${() => act.show({ picture: each })}>${t(`view.${each}`)}</button>`,
      )}<span class="spring"></span>
      ${
        picture === 'map'
          ? html`<label>${t('modelsStroke')} <select id="models-mode" @change=${(
              /** @type {InputEvent} */ { target },
            ) =>
              act.show({
                mode: /** @type {typeof mode} */ (target.value),
              })}>${MODES.map(each => html`<option value=${each} ?selected=${each === mode}>${t(`modelsMode.${each}`)}</option>`)}</select></label>`
          : nothing
      }</div>
      <div class="picture">${matrix ? pictureOf(room, head, matrix) : html`<p class="note">${t('loading')}</p>`}</div>
    </section>`
}

/** The name that programs use. @param {Room} room @param {HeadAt} head */
function codeName({ openModel }, { stack, layer, head }) {
  const both = openModel?.stacks.encoder && openModel.stacks.decoder
  const at = `${both ? (stack === 'encoder' ? 'encoder.' : 'decoder.') : ''}layers.${layer}.`
  return `${at}${stack === 'cross' ? 'cross.' : ''}heads.${head}`
}

/** @param {Room} room @param {HeadAt} at */
function similar({ t, act, maps, view }, at) {
  if (!maps || maps.layers * maps.heads < 2) return nothing
  const list = ranked(likeness(maps, at, view.isWithoutFirst), maps.heads)
    .filter(({ layer, head }) => layer !== at.layer || head !== at.head)
    .slice(0, SIMILAR)
  return html`<h3>${t('modelsSimilar')}</h3><ol class="models-ranked">${list.map(
    ({ layer, head, score }) =>
      html`<li><button type="button" class="plain" data-head=${nameOf({ layer, head })} @click=${() => act.openHead({ stack: at.stack, layer, head })}><b>${nameOf({ layer, head })}</b> <span>${score.toFixed(3)}</span></button></li>`,
  )}</ol>
  <button type="button" class="tool" @click=${() => act.rankSimilar(at)}>${t('modelsRankSimilar')}</button>`
}

/** Which keys a query sees, where queries cannot look ahead. @param {Room} room @param {Stack} stack @param {readonly number[]} dims */
function maskOf({ openModel }, stack, dims) {
  const { encoder, decoder } = openModel?.stacks ?? {}
  const own = stack === 'encoder' ? encoder : (decoder ?? encoder)
  if (!own?.causal || stack === 'cross') return undefined
  const [rows, columns] = dims
  return {
    data: Uint8Array.from({ length: rows * columns }, (_, i) => Number(i % columns <= Math.floor(i / columns))),
    dims,
  }
}

/** The end of the colours: 1, unless the largest weight is far below. @param {Float32Array} data */
function endOf(data) {
  let most = 0
  for (const value of data) if (value > most) most = value
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find(end => most <= end) ?? 1
}

/** @param {Room} room @param {HeadAt} head @param {Matrix} matrix */
function pictureOf(room, head, matrix) {
  const { t, act, view, settings, words, cell } = room
  const { picture, query } = view
  const mask = maskOf(room, head.stack, matrix.dims)
  const { queries, keys } = words
  if (picture === 'lines')
    return html`<qkv-lines id="models-lines" .label=${t('view.lines')} .weights=${matrix} .mask=${mask} .queryTokens=${queries} .keyTokens=${keys} .texts=${t.elements}
      .token=${query === undefined ? undefined : { side: 'row', index: query }}
      @token-pin=${(/** @type {CustomEvent} */ { detail }) => detail.side === 'row' && act.selectWord(detail.index, false, 'queries')}></qkv-lines>`
  if (picture === 'difference') return difference(room, head, matrix)
  const { changes } = settings
  /** Sets a weight. @param {CustomEvent} event */
  const edit = ({ detail: { row, column, value } }) => {
    const share = Math.min(1, Math.max(0, Number(value.toFixed(4))))
    act.change(withChange(changes, { kind: 'weight', isOn: true, ...head, query: row, key: column, value: share }))
  }
  /** Hides a cell, or shows one that was hidden by hand. @param {CustomEvent} event */
  const paint = ({ detail: { row, column } }) => {
    const isOwn = (/** @type {typeof changes[number]} */ change) =>
      change.kind === 'hide' &&
      change.stack === head.stack &&
      change.layer === head.layer &&
      change.head === head.head &&
      change.query === row &&
      change.key === column
    act.change(withCell(changes, head, row, column, !changes.some(isOwn)))
  }
  return html`${picture === 'numbers' ? scores(room, head) : nothing}<qkv-heatmap id="models-map" .label=${t('modelsHead', { name: nameOf(head) })} .matrix=${matrix} .mask=${mask} .asTable=${picture === 'numbers'}
    .rowTokens=${queries} .columnTokens=${keys} .rowTitle=${t('axis.queries')} .columnTitle=${t('axis.keys')} .domain=${[0, endOf(matrix.data)]} .texts=${t.elements} legend
    .mode=${view.mode} .editable=${true}
    .pinned=${cell && { row: cell.query, column: cell.key }}
    @cell-pin=${(/** @type {CustomEvent} */ { detail }) => act.selectCell({ query: detail.row, key: detail.column })}
    @cell-paint=${paint}
    @cell-edit=${edit}
    @token-pin=${(/** @type {CustomEvent} */ { detail }) => act.selectWord(detail.index, false, detail.side === 'row' ? 'queries' : 'keys')}></qkv-heatmap>`
}

/** This head less another, less itself before the changes, or less itself with the second text. @param {Room} room @param {HeadAt} head @param {Matrix} matrix */
function difference(room, head, matrix) {
  const { t, act, words, runAfter, maps, settings, got } = room
  const { against } = room.view
  if (!maps) return nothing
  const isText = against === 'text'
  const isBefore = runAfter !== undefined && against === undefined
  const other = against === 'text' ? undefined : (against ?? { layer: head.layer, head: (head.head + 1) % maps.heads })
  const sister = other && !maps.cells ? { data: mapAt(maps, other), dims: [maps.rows, maps.columns] } : undefined
  const text = /** @type {Matrix | undefined} */ (shown(got['head:text']))
  const less = isText ? text : isBefore ? matrixOf(room, false) : sister
  const isAlike = less && less.data.length === matrix.data.length
  const choose = (/** @type {InputEvent} */ { target: { value } }) => {
    const [layer, n] = value.split('.').map(Number)
    act.show({ against: value === 'before' ? undefined : value === 'text' ? 'text' : { layer, head: n } })
  }
  const names = Array.from({ length: maps.layers * maps.heads }, (_, n) => ({
    layer: Math.floor(n / maps.heads),
    head: n % maps.heads,
  }))
  return html`<label>${t('modelsLess')} <select id="models-against" @change=${choose}>
      ${runAfter ? html`<option value="before" ?selected=${isBefore}>${t('modelsBeforeChanges')}</option>` : nothing}
      ${settings.sourceText ? html`<option value="text" ?selected=${isText}>${t('modelsOtherText')}</option>` : nothing}
      ${names.map(at => html`<option value="${at.layer}.${at.head}" ?selected=${!isBefore && at.layer === other?.layer && at.head === other.head}>${t('modelsHead', { name: nameOf(at) })}</option>`)}</select></label>
    ${
      isAlike
        ? html`<qkv-heatmap id="models-difference" .label=${t('view.difference')} .matrix=${matrix} .minus=${less} .rowTokens=${words.queries} .columnTokens=${words.keys} .rowTitle=${t('axis.queries')} .columnTitle=${t('axis.keys')} .texts=${t.elements} legend
      @cell-pin=${(/** @type {CustomEvent} */ { detail }) => act.selectCell({ query: detail.row, key: detail.column })}></qkv-heatmap>`
        : html`<p class="note">${t('modelsNoDifference')}</p>`
    }`
}

/** The scores of the head, each with its definition. @param {Room} room @param {HeadAt} head */
function scores({ t, run, maps }, { stack, layer, head }) {
  if (!maps) return nothing
  const own = /** @type {[import('./model-run.js').ScoreName, Float32Array][]} */ (
    Object.entries(run?.scores[stack] ?? {})
  )
  return html`<dl class="models-scores">${own.map(
    ([name, data]) =>
      html`<div><dt>${t(`modelsRank.${name}`)}</dt><dd>${data[layer * maps.heads + head].toFixed(4)}</dd></div>`,
  )}</dl>`
}
