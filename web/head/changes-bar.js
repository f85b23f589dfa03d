// The changes of heads as chips, in the rooms Learn and Models: each can be switched off, scaled and removed.

import { html, nothing } from 'lit'

/** @typedef {(key: keyof typeof import('../i18n/en/head.js').texts, params?: Record<string, string | number>) => string} HeadsTranslate */

/**
 * @typedef {object} Chip
 * @property {string} what the change in words
 * @property {boolean} isOn
 * @property {() => void} toggle
 * @property {() => void} remove
 * @property {unknown} [more] controls of the change, such as its factor
 */

const MOST_CHIPS = 40

/**
 * @param {object} given
 * @param {HeadsTranslate} given.t
 * @param {readonly Chip[]} given.chips
 * @param {string} given.none what stands there without changes
 * @param {() => void} given.restore removes all
 * @param {() => void} [given.undo] where there is something to undo
 * @param {() => void} [given.redo]
 * @param {unknown} [given.effect] of all changes together
 * @param {unknown} [given.more] other controls
 */
export function changesBar({ t, chips, none, restore, undo, redo, effect = nothing, more = nothing }) {
  return html`<section class="changes" aria-labelledby="changes-title">
    <h2 id="changes-title">${t('changes')}</h2>
    ${chips.length ? nothing : html`<span class="note">${none}</span>`}
    ${chips.slice(0, MOST_CHIPS).map(
      ({ what, isOn, toggle, remove, more }) => html`<span class="change ${isOn ? '' : 'is-suspended'}">
        <button type="button" class="change-switch" role="switch" aria-checked=${isOn} aria-label=${t('changeSwitch', { what })} @click=${toggle}><span>${what}</span></button>${more ?? nothing}
        <button type="button" class="change-remove" aria-label=${t('changeRemove', { what })} @click=${remove}>×</button>
      </span>`,
    )}
    ${chips.length > MOST_CHIPS ? html`<span class="note">${t('changesMore', { count: chips.length - MOST_CHIPS })}</span>` : nothing}
    ${chips.length ? html`<button type="button" class="tool" id="changes-restore" @click=${restore}>${t('changesRestore')}</button>` : nothing}
    ${undo ? html`<button type="button" class="tool" id="changes-undo" @click=${undo}>${t('changesUndo')}</button>` : nothing}
    ${redo ? html`<button type="button" class="tool" id="changes-redo" @click=${redo}>${t('changesRedo')}</button>` : nothing}
    ${effect}${more}
  </section>`
}
