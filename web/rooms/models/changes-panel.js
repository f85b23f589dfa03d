// The reader's changes: chips in the model's order, before and after, their effect, patches from a second text.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { changesBar } from '../../head/changes-bar.js'
import { points } from './prediction.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./hooks.js').Change} Change */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** The tokens of a change; those of the second text take the place of its own. @param {Room} room @param {Change} change @returns {import('../../head/changes-bar.js').ChangeTokens} */
function tokensOf({ run, donor }, { stack }) {
  const { tokens = [], targets = [] } = run ?? {}
  return {
    queries: stack === 'decoder' || stack === 'cross' ? targets : tokens,
    keys: stack === 'decoder' ? targets : tokens,
    replaced: stack === 'decoder' ? donor?.targets : donor?.tokens,
  }
}

/** @param {Room} room */
export const changes = room =>
  changesBar({
    t: room.t,
    changes: room.changes,
    set: next => room.setChanges(next),
    none: room.t('modelsNoChanges'),
    tokensOf: change => tokensOf(room, change),
    undo: room.past.length ? () => room.undo() : undefined,
    effect: shown(room),
    more: patches(room),
  })

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
