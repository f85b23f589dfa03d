// The page of one head: its map, lines, difference and numbers, its switches, and how a weight was computed.

import { html, nothing } from 'lit'
import { headButtons } from '../../head/head-switch.js'
import { likeness, ranked } from './atlas-maps.js'
import { atlas, patternOf } from './overview.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./atlas-maps.js').HeadAt} HeadAt */
/** @typedef {import('./hooks.js').Stack} Stack */
/** @typedef {HeadAt & { stack: Stack }} Place */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Matrix */

const VIEWS = /** @type {const} */ (['map', 'lines', 'difference', 'numbers'])
const MODES = /** @type {const} */ (['read', 'paint', 'edit'])
const SIMILAR = 5

/** @param {Room} room @param {Place} head */
export function headPage(room, head) {
  const { t, view, maps } = room
  const name = room.nameOf(head)
  const matrix = room.matrixOf(room.showing !== 'before')
  return html`<section class="models-small">
      <button type="button" class="tool" id="models-back" @click=${() => room.openHead(undefined)}>← ${t('modelsAllHeads')}</button>
      ${atlas(room, true)}
      ${maps ? similar(room, head) : nothing}
    </section>
    <section class="models-head" aria-label=${t('modelsHead', { name })}>
      <div class="models-title"><h2>${t('modelsHead', { name })}</h2> <code>${codeName(room, head)}</code>
        <span class="note">${patternOf(room, head)}${head.stack === '' ? '' : ` (${t(/** @type {any} */ (`modelsStack.${head.stack}`))})`}</span>
        <span class="spring"></span>
        <button type="button" class="tool" id="models-open-layer" @click=${() => {
          const isChanged = room.showing !== 'before' && room.runAfter !== undefined
          room.asked.matrices = room.session?.ask({ matrices: { ...head, isChanged } }) ?? 0
        }}>${t('modelsOpenLayer')}</button>
        ${headButtons({ t, changes: room.changes, set: changes => room.setChanges(changes) }, head)}</div>
      <div class="tabs" role="group" aria-label=${t('view')}>${VIEWS.map(
        each =>
          html`<button type="button" class="tab" data-view=${each} aria-pressed=${view === each} @click=${() => {
            room.view = each
          }}>${t(`view.${each}`)}</button>`,
      )}<span class="spring"></span>
      ${
        view === 'map'
          ? html`<label>${t('modelsStroke')} <select id="models-mode" @change=${(
              /** @type {InputEvent} */ { target },
            ) => {
              room.mode = /** @type {'read' | 'paint' | 'edit'} */ (target.value)
            }}>${MODES.map(mode => html`<option value=${mode} ?selected=${mode === room.mode}>${t(`modelsMode.${mode}`)}</option>`)}</select></label>`
          : nothing
      }</div>
      <div class="picture">${matrix ? picture(room, head, matrix) : html`<p class="note">${t('loading')}</p>`}</div>
    </section>`
}

/** The name that programs use. @param {Room} room @param {Place} head */
function codeName({ told }, { stack, layer, head }) {
  const both = told?.stacks.encoder && told.stacks.decoder
  const at = `${both ? (stack === 'encoder' ? 'encoder.' : 'decoder.') : ''}layers.${layer}.`
  return `${at}${stack === 'cross' ? 'cross.' : ''}heads.${head}`
}

/** @param {Room} room @param {Place} at */
function similar(room, at) {
  const { t, withoutFirst } = room
  const maps = room.run?.maps[at.stack]
  if (!maps || maps.layers * maps.heads < 2) return nothing
  const list = ranked(likeness(maps, at, withoutFirst), maps.heads)
    .filter(({ layer, head }) => layer !== at.layer || head !== at.head)
    .slice(0, SIMILAR)
  return html`<h3>${t('modelsSimilar')}</h3><ol class="models-ranked">${list.map(
    ({ layer, head, score }) =>
      html`<li><button type="button" class="plain" @click=${() => room.openHead({ stack: at.stack, layer, head })}><b>${room.nameOf({ layer, head })}</b> <span>${score.toFixed(3)}</span></button></li>`,
  )}</ol>
  <button type="button" class="tool" @click=${() => {
    room.reference = at
    room.rankBy = 'similar'
    room.openHead(undefined)
  }}>${t('modelsRankSimilar')}</button>`
}

/** Hidden where the queries cannot look ahead. @param {Room} room @param {Stack} stack @param {readonly number[]} dims */
function maskOf({ told }, stack, dims) {
  const { encoder, decoder } = told?.stacks ?? {}
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

/** @param {Room} room @param {Place} head @param {Matrix} matrix */
function picture(room, head, matrix) {
  const { t, view, words } = room
  const mask = maskOf(room, head.stack, matrix.dims)
  const { queries, keys } = words
  if (view === 'lines')
    return html`<qkv-lines id="models-lines" .label=${t('view.lines')} .weights=${matrix} .mask=${mask} .queryTokens=${queries} .keyTokens=${keys} .texts=${t.elements}
      .token=${room.query === undefined ? undefined : { side: 'row', index: room.query }}
      @token-pin=${(/** @type {CustomEvent} */ { detail }) => detail.side === 'row' && room.selectWord(detail.index, false, 'queries')}></qkv-lines>`
  if (view === 'difference') return difference(room, head, matrix)
  return html`${view === 'numbers' ? scores(room, head) : nothing}<qkv-heatmap id="models-map" .label=${t('modelsHead', { name: room.nameOf(head) })} .matrix=${matrix} .mask=${mask} .asTable=${view === 'numbers'}
    .rowTokens=${queries} .columnTokens=${keys} .rowTitle=${t('axis.queries')} .columnTitle=${t('axis.keys')} .domain=${[0, endOf(matrix.data)]} .texts=${t.elements} legend
    .mode=${room.mode} .editable=${true}
    .pinned=${room.cell && { row: room.cell.query, column: room.cell.key }}
    @cell-pin=${(/** @type {CustomEvent} */ { detail }) => room.selectCell({ query: detail.row, key: detail.column })}
    @cell-paint=${(/** @type {CustomEvent} */ { detail }) => paint(room, head, detail)}
    @cell-edit=${(/** @type {CustomEvent} */ { detail }) =>
      room.addChanges([
        {
          ...{ kind: 'weight', isOn: true, ...head, query: detail.row, key: detail.column },
          value: Math.min(1, Math.max(0, Number(detail.value.toFixed(4)))),
        },
      ])}
    @token-pin=${(/** @type {CustomEvent} */ { detail }) => room.selectWord(detail.index, false, detail.side === 'row' ? 'queries' : 'keys')}></qkv-heatmap>`
}

/** Hides a cell, or shows one that was hidden by hand. @param {Room} room @param {Place} head @param {{ row: number, column: number }} cell */
function paint(room, head, { row, column }) {
  const { changes } = room
  const own = changes.find(
    change =>
      change.kind === 'hide' &&
      change.stack === head.stack &&
      change.layer === head.layer &&
      change.head === head.head &&
      change.query === row &&
      change.key === column,
  )
  if (own) room.setChanges(changes.filter(change => change !== own))
  else room.addChanges([{ kind: 'hide', isOn: true, ...head, query: row, key: column }])
}

/** This head less another, or less itself before the changes. @param {Room} room @param {Place} head @param {Matrix} matrix */
function difference(room, head, matrix) {
  const { t, words, against, runAfter: after } = room
  const maps = room.run?.maps[head.stack]
  if (!maps) return nothing
  const fallback = { layer: head.layer, head: (head.head + 1) % maps.heads }
  const isText = against === 'text'
  const isBefore = after !== undefined && against === undefined
  const other = against === 'text' ? undefined : (against ?? fallback)
  const size = maps.rows * maps.columns
  const start = other ? (other.layer * maps.heads + other.head) * size : 0
  const sister = maps.cells
    ? undefined
    : { data: maps.data.subarray(start, start + size), dims: [maps.rows, maps.columns] }
  const less = isText ? room.other : isBefore ? room.matrixOf(false) : sister
  const isAlike = less && less.data.length === matrix.data.length
  const choose = (/** @type {InputEvent} */ { target }) => {
    const [layer, n] = target.value.split('.').map(Number)
    room.against = target.value === 'before' ? undefined : target.value === 'text' ? 'text' : { layer, head: n }
  }
  const names = Array.from({ length: maps.layers * maps.heads }, (_, n) => ({
    layer: Math.floor(n / maps.heads),
    head: n % maps.heads,
  }))
  return html`<label>${t('modelsLess')} <select id="models-against" @change=${choose}>
      ${after ? html`<option value="before" ?selected=${isBefore}>${t('modelsBeforeChanges')}</option>` : nothing}
      ${room.linked.donor ? html`<option value="text" ?selected=${isText}>${t('modelsOtherText')}</option>` : nothing}
      ${names.map(at => html`<option value="${at.layer}.${at.head}" ?selected=${!isBefore && at.layer === other?.layer && at.head === other.head}>${t('modelsHead', { name: room.nameOf(at) })}</option>`)}</select></label>
    ${
      isAlike
        ? html`<qkv-heatmap id="models-difference" .label=${t('view.difference')} .matrix=${matrix} .minus=${less} .rowTokens=${words.queries} .columnTokens=${words.keys} .rowTitle=${t('axis.queries')} .columnTitle=${t('axis.keys')} .texts=${t.elements} legend
      @cell-pin=${(/** @type {CustomEvent} */ { detail }) => room.selectCell({ query: detail.row, key: detail.column })}></qkv-heatmap>`
        : html`<p class="note">${t('modelsNoDifference')}</p>`
    }`
}

/** The scores of the head, each with its definition. @param {Room} room @param {Place} head */
function scores(room, { stack, layer, head }) {
  const { t, run } = room
  const maps = run?.maps[stack]
  const own = Object.entries(run?.scores[stack] ?? {})
  if (!maps) return nothing
  return html`<dl class="models-scores">${own.map(
    ([name, data]) =>
      html`<div><dt>${t(/** @type {any} */ (`modelsRank.${name}`))}</dt><dd>${data[layer * maps.heads + head].toFixed(4)}</dd></div>`,
  )}</dl>`
}
