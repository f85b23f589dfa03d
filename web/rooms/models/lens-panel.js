// "What each layer says": layers upwards, words across; a state opens its likeliest words, which can be pinned.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { signed } from '../../head/contributions.js'
import { shown } from '../../shell/slots.js'
import { MOST_PINS, readLens, sizesOf, writeLens } from './lens-setting.js'
import { nameOf } from './shown.js'

/** @typedef {import('./models.js').Room} Room */
/** @typedef {import('./models.js').LensSetting} LensSetting */
/** @typedef {Extract<import('./models.js').LensGrid, { isTooLarge: false }>} Grid */
/** @typedef {import('../../shell/room.js').Translate<keyof typeof import('../../i18n/en/lens.js').texts>} LensTexts */
/** What the parts of the panel share. @typedef {{ room: Room, l: LensTexts, grid: Grid, setting: LensSetting, set: (next: Partial<LensSetting>) => void }} Panel */

const LENSES = /** @type {const} */ (['logit', 'jacobian'])
/** By which keys another state is selected: layers go upwards. @type {Record<string, [layer: number, position: number]>} */
const MOVES = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/** The likeliest words of a state. @param {Grid} grid @param {number} row @param {number} position */
function guesses({ ids, shares, names, words, top }, row, position) {
  const from = (row * words.length + position) * top
  return Array.from({ length: top }, (_, k) => {
    const id = ids[from + k]
    return { id, token: names.get(id) ?? String(id), share: shares[from + k] }
  })
}

/** How likely a pinned word is among all, from 0 for the last rank to 1 for the first. @param {Panel} panel @param {number} n */
function strength({ grid: { ranks, words, layers }, room }, n, row = 0, position = 0) {
  const rank = ranks[(n * layers.length + row) * words.length + position]
  return { rank, share: Math.max(0, 1 - Math.log(rank + 1) / Math.log(Math.max(2, sizesOf(room).vocab))) }
}

/** A state, styled by properties as the page allows no style in HTML: its word, shaded by how likely it is; below it a strip for each pinned word. @param {Panel} panel @param {number} row @param {number} position @param {boolean} isFocus */
function state(panel, row, position, isFocus) {
  const { grid, setting, set, l } = panel
  const layer = grid.layers[row]
  const [{ token, share }] = guesses(grid, row, position)
  const isOn = setting.cell?.layer === layer && setting.cell.position === position
  const said = l('lensState', { layer: layer + 1, word: grid.words[position], token, share: percent(share) })
  return html`<td><button type="button" class="lens-state" data-layer=${layer} data-position=${position} tabindex=${isFocus ? 0 : -1}
      aria-pressed=${isOn} title=${said} aria-label=${said} .style=${`--shade: ${share.toFixed(3)}`} @click=${() => set({ cell: isOn ? undefined : { layer, position } })}>
      <span>${token}</span>${setting.pins.length ? html`<i>${grid.pins.map((_, n) => html`<b class="lens-pin-${n}" .style=${`opacity: ${strength(panel, n, row, position).share.toFixed(2)}`}></b>`)}</i>` : nothing}
    </button></td>`
}

/** Selects the state beside, and gives it the focus. @param {Panel} panel @param {{ layer: number, position: number }} at */
const keysOf =
  ({ grid, set }, at) =>
  (/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ event) => {
    const move = MOVES[event.key]
    if (!move) return
    event.preventDefault()
    const layer = Math.min(grid.layers.length - 1, Math.max(0, at.layer + move[0]))
    const position = Math.min(grid.words.length - 1, Math.max(0, at.position + move[1]))
    set({ cell: { layer, position } })
    const table = event.currentTarget
    requestAnimationFrame(() => {
      const next = table.querySelector(`[data-layer="${layer}"][data-position="${position}"]`)
      if (next instanceof HTMLElement) next.focus()
    })
  }

/** @param {Panel} panel */
function table(panel) {
  const { grid, setting, l } = panel
  const rows = grid.layers.map((_, row) => row).reverse()
  const last = { layer: grid.layers[rows[0]], position: grid.words.length - 1 }
  const focus = setting.cell ?? last
  return html`<div class="lens-scroll" tabindex="-1"><table class="lens-grid" aria-label=${l('lensTable')} @keydown=${keysOf(panel, focus)}>
    <thead><tr><th scope="col">${l('lensLayers')}</th>${grid.words.map(word => html`<th scope="col"><span>${word}</span></th>`)}</tr></thead>
    <tbody>${rows.map(
      row =>
        html`<tr><th scope="row">${row === rows[0] ? l('lensAnswer') : grid.layers[row] + 1}</th>${grid.words.map(
          (_, position) => state(panel, row, position, grid.layers[row] === focus.layer && position === focus.position),
        )}</tr>`,
    )}</tbody></table></div>`
}

/** The words of the selected state, and buttons that pin them. @param {Panel} panel */
function details(panel) {
  const { grid, setting, set, l } = panel
  const { cell, pins } = setting
  const row = cell ? grid.layers.indexOf(cell.layer) : -1
  if (!cell || row < 0) return html`<p class="note">${l('lensChoose')}</p>`
  const toggle = (/** @type {number} */ id) =>
    set({ pins: pins.includes(id) ? pins.filter(one => one !== id) : [...pins, id].slice(-MOST_PINS) })
  return html`<div class="lens-details" id="lens-details"><h3>${l('lensCell', { layer: cell.layer + 1, word: grid.words[cell.position] })}</h3>
    <ol>${guesses(grid, row, cell.position).map(
      ({
        id,
        token,
        share,
      }) => html`<li><button type="button" class="tool" data-pin=${id} aria-pressed=${pins.includes(id)} @click=${() => toggle(id)}>${token}</button>
        <span class="lens-bar" .style=${`--shade: ${share.toFixed(3)}`}></span>${percent(share)}
        <button type="button" class="plain" data-written=${id} aria-pressed=${setting.written === id} @click=${() => set({ written: setting.written === id ? undefined : id })}>${l('lensWho')}</button></li>`,
    )}</ol><p class="note">${l('lensPinText', { most: MOST_PINS })}</p></div>${writers(panel)}`
}

/** The parts that wrote the chosen word into the selected state, each head with its page. @param {Panel} panel */
function writers({ room: { act, got }, grid, setting: { cell, written }, l }) {
  if (!cell || written === undefined) return nothing
  const found = shown(got.lensWriters)
  if (!found) return html`<p class="note" role="status">${l('lensWriting')}</p>`
  const { token, score, parts, rest } = found
  /** @param {typeof parts[0]} part */
  const named = ({ kind, layer, head }) => {
    if (kind === 'embedding') return l('lensWriter.embedding', { word: grid.words[cell.position] })
    if (kind === 'mlp') return l('lensWriter.mlp', { layer: layer + 1 })
    return html`<button type="button" class="plain" @click=${() => act.openHead({ stack: '', layer, head })}>${l('lensWriter.head', { name: nameOf({ layer, head }) })}</button>`
  }
  const most = Math.max(...parts.map(({ share }) => Math.abs(share)))
  return html`<div class="lens-details" id="lens-writers"><h3>${l('lensWriters', { token, score: signed(score, 2) })}</h3>
    <ol>${parts.map(
      part =>
        html`<li><span>${named(part)}</span><span class="lens-bar ${part.share < 0 ? 'is-against' : ''}" .style=${`--shade: ${(Math.abs(part.share) / most).toFixed(3)}`}></span>${signed(part.share, 2)}</li>`,
    )}<li><span>${l('lensWriter.rest')}</span><span></span>${signed(rest, 2)}</li></ol><p class="note">${l('lensWritersText')}</p></div>`
}

/** Where the pinned words are alive: the rank of each through the layers, at the selected word. @param {Panel} panel */
function pinned(panel) {
  const { grid, setting, set, l } = panel
  const position = setting.cell?.position ?? grid.words.length - 1
  if (!grid.pins.length) return nothing
  return html`<ul class="lens-pins" id="lens-pins">${grid.pins.map((id, n) => {
    const ranks = grid.layers.map((_, row) => strength(panel, n, row, position).rank + 1)
    const token = grid.names.get(id) ?? String(id)
    const said = { token, word: grid.words[position], ranks: ranks.join(' → ') }
    return html`<li><b class="lens-pin-${n}"></b> ${l('lensRanks', said)}
      <button type="button" class="tool" @click=${() => set({ pins: setting.pins.filter(one => one !== id) })}>${l('lensUnpin', { token })}</button></li>`
  })}</ul>`
}

/** @param {Room} room @param {LensTexts} l */
export function lensPanel(room, l) {
  const { t, act, got, settings } = room
  const setting = readLens(settings.lens, sizesOf(room))
  const set = (/** @type {Partial<LensSetting>} */ next) => act.setLens(writeLens({ ...setting, ...next }))
  const own = got.lens
  const grid = shown(own)
  const progress =
    own?.is === 'waiting' ? /** @type {{ done?: number, total?: number } | undefined} */ (own.progress) : undefined
  const isFitting = progress?.total !== undefined
  return html`<p>${l('lensText')}</p>
    <div class="lens-choice" role="group" aria-label=${l('lensChoice')}>${LENSES.map(
      lens =>
        html`<button type="button" class="tool" data-lens=${lens} aria-pressed=${setting.lens === lens} @click=${() => set({ lens })}>${l(`lens.${lens}`)}</button>`,
    )}<span class="note">${l(`lensText.${setting.lens}`)}</span></div>
    <p class="note" role="status" id="lens-status">${
      isFitting
        ? html`${l('lensFitting', { done: progress.done ?? 0, total: progress.total ?? 0 })} <button type="button" class="tool" @click=${() => act.cancel('lens')}>${t('cancel')}</button>`
        : own?.is === 'cancelled'
          ? html`${l('lensCancelled')} <button type="button" class="tool is-filled" @click=${() => act.runAgain()}>${l('lensFit')}</button>`
          : grid?.isTooLarge
            ? l('lensTooLarge')
            : grid?.fittedOn
              ? l('lensFitted', grid.fittedOn)
              : ''
    }</p>
    ${grid && !grid.isTooLarge ? drawn({ room, l, grid, setting, set }) : nothing}`
}

/** @param {Panel} panel */
const drawn = panel => html`${table(panel)}<div class="lens-below">${details(panel)}${pinned(panel)}</div>`
