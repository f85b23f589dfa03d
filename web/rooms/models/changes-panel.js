// The reader's changes: chips in the model's order, before and after, their effect, patches from a second text.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { changesBar } from '../../head/changes-bar.js'
import { points } from './prediction.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./hooks.js').Change} Change */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Room} room @param {Change} change */
export function said(room, change) {
  const { t, run } = room
  const at = 'head' in change ? room.nameOf(change, change.stack) : `${change.stack.slice(0, 1)}${change.layer + 1}`
  if (change.kind === 'head')
    return change.how === 'mean'
      ? t('modelsChip.mean', { at })
      : change.how === 0
        ? t('modelsChip.off', { at })
        : t('modelsChip.factor', { at, factor: change.how })
  const { tokens = [], targets = [] } = run ?? {}
  const queries = change.stack === 'decoder' || change.stack === 'cross' ? targets : tokens
  const keys = change.stack === 'decoder' ? targets : tokens
  if (change.kind === 'patch')
    return change.position === null
      ? t('modelsChip.patchAll', { at })
      : patchSaid(room, at, change.position, queries, change.stack === 'decoder')
  const words = { at, query: queries[change.query] ?? change.query + 1, key: keys[change.key] ?? change.key + 1 }
  return change.kind === 'hide'
    ? t('modelsChip.hide', words)
    : t('modelsChip.weight', { ...words, value: change.value })
}

/** Both texts are counted from their beginning: which word takes the place of which. @param {Room} room @param {string} at @param {number} position @param {readonly string[]} queries @param {boolean} isTarget */
function patchSaid({ t, donor }, at, position, queries, isTarget) {
  const other = isTarget ? donor?.targets : donor?.tokens
  const words = { at, word: queries[position] ?? '', position: position + 1, other: other?.[position] ?? '' }
  if (other && position >= other.length) return t('modelsChip.patchNone', { ...words, count: other.length })
  return t('modelsChip.patch', words)
}

/** The factor of a head. @param {Room} room @param {Change} change @param {(how: number) => void} set */
const factor = ({ t }, change, set) =>
  change.kind === 'head'
    ? html`<input type="number" class="change-factor" step="0.1" min="-10" max="10" aria-label=${t('modelsFactor')} .value=${change.how === 'mean' ? '' : String(change.how)} @change=${(/** @type {InputEvent} */ { target }) => target.value !== '' && set(Number(target.value))} />`
    : nothing

/** @param {Room} room */
export function changes(room) {
  const { t, changes, past } = room
  const set = (/** @type {Change[]} */ next) => room.setChanges(next)
  return changesBar({
    t,
    none: t('modelsNoChanges'),
    restore: () => set([]),
    ...(past.length && { undo: () => room.undo() }),
    chips: changes.map((change, n) => {
      const patch = (/** @type {object} */ patch) =>
        set(changes.map((other, i) => (i === n ? /** @type {Change} */ ({ ...other, ...patch }) : other)))
      return {
        what: said(room, change),
        isOn: change.isOn,
        toggle: () => patch({ isOn: !change.isOn }),
        remove: () => set(changes.filter((_, i) => i !== n)),
        more: factor(room, change, how => patch({ how })),
      }
    }),
    effect: shown(room),
    more: patches(room),
  })
}

/** Which run is shown, and what the changes did to the first guess. @param {Room} room */
const shown = room =>
  room.runAfter
    ? html`<span class="models-showing" role="group" aria-label=${room.t('modelsShow')}>${(
        /** @type {const} */ (['before', 'after', 'difference'])
      ).map(
        name =>
          html`<button type="button" class="tab" data-showing=${name} aria-pressed=${room.showing === name} @click=${() => room.show(name)}>${room.t(`modelsTab.${name}`)}</button>`,
      )}</span>${effect(room)}`
    : nothing

/** Patches from a second text. @param {Room} room */
function patches(room) {
  const { t, told } = room
  const layers = told?.stacks.decoder?.layers ?? told?.stacks.encoder?.layers ?? 1
  return html`<details class="models-patch"><summary>${t('modelsPatch')}</summary>
      <p class="note">${t('modelsPatchText')}</p>
      <label>${t('modelsDonor')} <input type="text" id="models-second" .value=${room.linked.donor} @change=${(/** @type {InputEvent} */ { target }) => room.set({ donor: target.value })} /></label>
      <label>${t('modelsPatchLayer')} <select id="models-patch-layer">${Array.from({ length: layers }, (_, l) => html`<option value=${l}>${l + 1}</option>`)}</select></label>
      <button type="button" class="tool" id="models-patch" ?disabled=${!room.linked.donor} @click=${() => {
        const layer = Number(/** @type {HTMLSelectElement} */ (room.querySelector('#models-patch-layer')).value)
        const stack = told?.stacks.encoder && told.stacks.decoder ? 'decoder' : ''
        room.addChanges([{ kind: 'patch', isOn: true, stack, layer, position: room.query ?? null }])
      }}>${room.query === undefined ? t('modelsPatchAll') : t('modelsPatchWord', { word: room.words.queries[room.query] ?? '' })}</button>
    </details>`
}

/** The first guess of before, before and after. @param {Room} room */
function effect({ t, runBefore: before, runAfter: after }) {
  const guess = before?.top[0]
  if (!guess || !after) return nothing
  const now = after.top.find(({ id }) => id === guess.id)?.probability ?? after.first
  if (now === undefined) return nothing
  return html`<p class="models-effect" id="models-effect" role="status">${t('modelsEffect', { token: guess.token, before: percent(guess.probability), after: percent(now), points: points(now - guess.probability) })}</p>`
}
