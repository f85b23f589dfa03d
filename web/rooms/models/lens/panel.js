// Draws "What each layer says": the choice of the lens, the grid, the selected state and the pinned words.

import { html, nothing } from 'lit'
import { later } from '../../../shell/later.js'
import { shown } from '../../../shell/slots.js'
import { details, pinned, switchedOff } from './cell.js'
import { gridTools, list, table } from './grid.js'
import { areAlike, hasCell } from './numbers.js'
import { isHubFile, lensFileOf } from './room.js'
import { LENSES, MOST_WORDS, readLens, sizesOf, writeLens } from './setting.js'
import { STORY_MODEL } from './stops.js'

/** @import { LensSetting, Room } from '../models.js' */
/** @import { Grid } from './numbers.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/lens.js').texts>} LensTexts */
/**
 * State shared by the parts of the panel. `before`: the grid without the reader's changes.
 * @typedef {{ room: Room, l: LensTexts, grid: Grid, before?: Grid, sizes: ReturnType<typeof sizesOf>, setting: LensSetting, set: (next: Partial<LensSetting>) => void }} Panel
 */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const exports = later(() => import('./exports.js'))
const story = later(() => import('./story.js'))

/** @param {Room} room @param {LensTexts} l */
export function lensPanel(room, l) {
  const { act, got, settings, active } = room
  const sizes = sizesOf(room)
  const setting = readLens(settings.lens, sizes)
  const set = (/** @type {Partial<LensSetting>} */ next) => act.setLens(writeLens({ ...setting, ...next }))
  const found = shown(got.lens)
  const grid = found && !found.isTooLarge ? found : undefined
  const without = active.length ? shown(got['lens:before']) : undefined
  const before = without && !without.isTooLarge && grid && areAlike(without, grid) ? without : undefined
  const panel = grid && {
    room,
    l,
    grid,
    before,
    sizes,
    setting: hasCell(grid, setting.cell) ? setting : { ...setting, cell: undefined },
    set,
  }
  const isComing = got.lens?.is === 'waiting' && !found
  const canTell = room.openModel?.name === STORY_MODEL && room.view.lensStop === undefined
  return html`${
    room.view.lensStop === undefined ? nothing : story.draw(({ lensStory }) => lensStory(room, l, panel))
  }<p class="note"><span class="lens-of-grid">${l('lensText')}</span>
      ${
        canTell
          ? html`<button type="button" class="tool" id="lens-story-begin" @click=${() => act.goToLens(0)}>${l('lensStoryBegin')}</button>`
          : nothing
      }</p>
    <div class="lens-row"><div class="lens-choice" role="group" aria-label=${l('lensChoice')}>${LENSES.map(
      lens =>
        html`<button type="button" class="tool" data-lens=${lens} aria-pressed=${setting.lens === lens}
          @click=${() => set({ lens })}>${l(`lens.${lens}`)}</button>`,
    )}</div>${panel ? gridTools(panel) : nothing}</div>
    <p class="note ${isComing ? 'lens-coming' : ''}">${l(`lensText.${setting.lens}`)} <span role="status"
      id="lens-status">${status(room, l, grid, found?.isTooLarge)}</span></p>
    ${fileSaid(room, l)}
    ${
      panel
        ? html`${table(panel)}${list(panel)}${switchedOff(panel)}${pinned(panel)}<div class="lens-below">${details(panel)}</div>`
        : isComing
          ? coming({ room, l, sizes, setting: { ...setting, cell: undefined }, set })
          : nothing
    }
    ${fileOf(room, l)}
    ${panel ? exportsOf(panel) : nothing}`
}

/** Reserves the space of the grid while it is computed, so that the content below moves only once. @param {Omit<Panel, 'grid'>} panel */
function coming(panel) {
  const { room, sizes } = panel
  const words = room.run?.tokens.slice(-MOST_WORDS) ?? []
  const layers = Array.from({ length: sizes.layers }, (_, layer) => layer)
  const size = layers.length * words.length
  const empty = { ids: new Int32Array(size), shares: new Float32Array(size), pins: [], names: new Map([[0, '']]) }
  const grid = /** @type {Grid} */ (
    /** @type {unknown} */ ({ ...empty, first: 0, count: words.length, words, layers, top: 1 })
  )
  const whole = { ...panel, grid }
  return html`<div class="is-coming" aria-hidden="true">${table(whole)}${list(whole)}${details(whole)}${exportsOf(whole)}</div>`
}

/** @param {Panel} panel */
function exportsOf(panel) {
  const { act, view } = panel.room
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasLensExports: target.open })
  return html`<details class="lens-exports" id="lens-exports" ?open=${view.hasLensExports}
    @toggle=${toggle}><summary>${panel.l('lensExports')}</summary>
    ${view.hasLensExports ? exports.draw(({ lensExports }) => lensExports(panel)) : nothing}</details>`
}

/**
 * Shows the origin of the lens, or the progress of fitting it.
 * @param {Room} room
 * @param {LensTexts} l
 * @param {Grid | undefined} grid
 * @param {boolean | undefined} isTooLarge
 */
function status({ t, act, got: { lens: own } }, l, grid, isTooLarge) {
  const progress = own?.is === 'waiting' ? own.progress : undefined
  const origin = grid?.origin
  const fitted = origin && origin.from !== 'logit' ? l(`lensFrom.${origin.from}`, origin) : ''
  if (progress?.total !== undefined)
    return html`${l('lensFitting', { done: progress.done ?? 0, total: progress.total })} <button type="button"
      class="tool" @click=${() => act.cancel('lens')}>${t('cancel')}</button>`
  if (own?.is === 'cancelled')
    return html`${l('lensCancelled')} <button type="button" class="tool is-filled" @click=${() => act.runAgain()}>${l('lensFit')}</button>`
  if (isTooLarge) return l('lensTooLarge')
  return own?.is === 'waiting' && !grid ? t('loading') : fitted
}

/** Draws the controls of a lens file: choose one, drop it, or enter its name on the hub. @param {Room} room @param {LensTexts} l */
function fileOf({ act }, l) {
  const open = (/** @type {InputEvent} */ { target }) => {
    const [chosen] = target.files ?? []
    if (chosen) act.openLens(chosen)
    target.value = ''
  }
  const type = (/** @type {SubmitEvent & { target: HTMLFormElement }} */ event) => {
    event.preventDefault()
    const field = event.target.elements.namedItem('name')
    if (field instanceof HTMLInputElement) act.openLens(field.value)
  }
  return html`<details class="lens-file" id="lens-file"><summary>${l('lensFile')}</summary>
    <div class="lens-choice"><label class="tool models-file">${l('lensChooseFile')}<input class="visually-hidden"
      id="lens-files" type="file" accept=".pt,.pth" @change=${open} /></label>
    <form class="lens-choice" @submit=${type}><label>${l('lensName')} <input name="name" id="lens-name" size="36"
      placeholder="owner/name/path/lens.pt" /></label><button type="submit"
        class="tool">${l('lensOpen')}</button></form></div>
    <p class="note">${l('lensFileText')}</p></details>`
}

/** Shows whether the lens file in the settings was read, or why reading failed. @param {Room} room @param {LensTexts} l */
function fileSaid(room, l) {
  const { t, act, got } = room
  const own = got.lensFile
  const file = lensFileOf(room)
  if (!file) return nothing
  const name = file.name.replace(/^hf:/, '')
  const said = () => {
    if (file.isAsked && !isHubFile(file.name)) return l('lensBadName', { name })
    if (file.isAsked)
      return html`${l('lensAsk', { name })} <button type="button" class="tool is-filled" id="lens-agree"
        @click=${() => act.openLens(file.name)}>${l('lensOpen')}</button>`
    if (!file.source) return l('lensMissing', { name })
    if (own?.is === 'waiting')
      return html`${l('lensOpening', { name })} <button type="button" class="tool"
        @click=${() => act.cancel('lensFile')}>${t('cancel')}</button>`
    if (own?.is === 'cancelled') return l('lensCancelled')
    if (own?.is === 'failed')
      return l('lensRefused', {
        problem: String(own.problem.params?.message ?? own.problem.key).replace(/^\w+: (?:lens: )?/, ''),
      })
    return ''
  }
  return html`<p id="lens-file-said"><span role="status">${said()}</span> <button type="button" class="tool"
    id="lens-own" @click=${() => act.openLens('')}>${l('lensOwn')}</button></p>`
}
