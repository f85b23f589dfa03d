// Draws controls for the output of a head: unchanged, off, replaced by its mean, or multiplied by a factor. `headSelect` is the menu below
// a map, `headButtons` the buttons on the page of a head.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { factorOf, headName, withFactor } from './changes.js'

/** @import { Change, HeadAt } from './head.js' */
/** @import { HeadTranslate, InputEvent } from './changes-bar.js' */
/** @typedef {{ t: HeadTranslate, changes: readonly Change[], set: (changes: Change[], mark?: string) => void }} Given */

const STATES = /** @type {const} */ (['on', 'off', 'mean', 'scale'])
/** @typedef {(typeof STATES)[number]} HeadState */

/** Initial factor when the reader chooses scaling, and maximum factor of the slider. */
export const FIRST_FACTOR = 0.5
const MOST_FACTOR = 2

/** @param {number | 'mean'} how @returns {HeadState} */
const stateOf = how => (how === 'mean' ? 'mean' : how === 1 ? 'on' : how === 0 ? 'off' : 'scale')

/** @type {Record<HeadState, number | 'mean'>} */
const HOW = { on: 1, off: 0, mean: 'mean', scale: FIRST_FACTOR }

/** Draws a menu of the four states, and a slider while the output is scaled. @param {Given} given @param {HeadAt} at */
export function headSelect({ t, changes, set }, at) {
  const name = headName(at)
  const how = factorOf(changes, at)
  const state = stateOf(how)
  const choose = (/** @type {import('../shell/room.js').Chosen<HeadState>} */ { target }) =>
    set(withFactor(changes, at, HOW[target.value]))
  const scale = (/** @type {InputEvent} */ { target }) =>
    set(withFactor(changes, at, Number(target.value)), `factor ${name}`)
  return html`<span class="head-control ${state === 'on' ? '' : 'is-changed'}">
    <select class="head-state" data-head=${name} aria-label=${t('headTitle', { name })} .value=${live(state)} @change=${choose}>
      ${STATES.map(each => html`<option value=${each} ?selected=${each === state}>${t(`headState.${each}`)}</option>`)}
    </select>${
      state === 'scale'
        ? html`<input type="range" class="head-factor" min="0.1" max=${MOST_FACTOR} step="0.1"
          aria-label=${t('headFactor', { name })} .value=${live(String(how))} @input=${scale} />
      <output>${how}</output>`
        : nothing
    }</span>`
}

/** Draws buttons for on, off and mean, and a field for any factor. @param {Given} given @param {HeadAt} at */
export function headButtons({ t, changes, set }, at) {
  const name = headName(at)
  const how = factorOf(changes, at)
  const state = stateOf(how)
  const type = (/** @type {InputEvent} */ { target }) =>
    target.value !== '' && set(withFactor(changes, at, Number(target.value)))
  return html`<div class="models-switches" data-undo="room" role="group" aria-label=${t('headOutput')}>
    ${STATES.slice(0, 3).map(
      each =>
        html`<button type="button" class="tool ${each === state && each !== 'on' ? 'is-changed' : ''}" data-how=${each}
          aria-pressed=${each === state}
          @click=${() => set(withFactor(changes, at, HOW[each]))}>${t(`headState.${each}`)}</button> `,
    )}
    <label>${t('factor')} <input type="number" id="models-head-factor" step="0.1" min="-10" max="10"
      aria-label=${t('headFactor', { name })} .value=${how === 'mean' ? '' : String(how)}
      @change=${type} /></label></div>`
}
