// What the reader changes in the heads of a model: a control for each head, and all
// changes as chips.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { changeOf, headName, MOST_FACTOR, withChange, withoutChange } from '../../head/cell-changes.js'

/** @typedef {import('../../head/cell-changes.js').Change} Change */
/** @typedef {import('../../head/changes-bar.js').HeadTranslate} HeadsTranslate */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {{ t: HeadsTranslate, changes: readonly Change[], set: (changes: readonly Change[], mark?: string) => void }} Given set: marks as in settings/history.js */

const KINDS = /** @type {const} */ (['on', 'off', 'mean', 'scale'])
/** The first factor of a head that is scaled. */
export const FIRST_FACTOR = 0.5

/** The control of one head: on, off, its mean, or a factor. @param {Given} given @param {number} layer @param {number} head */
export function headControl({ t, changes, set }, layer, head) {
  const name = headName({ layer, head })
  const change = changeOf(changes, layer, head)
  const kind = change?.isOn ? change.kind : 'on'
  const choose = (/** @type {InputEvent} */ { target }) => {
    const chosen = /** @type {(typeof KINDS)[number]} */ (target.value)
    const of = { layer, head, isOn: true }
    if (chosen === 'on') set(withoutChange(changes, { ...of, kind: 'off' }))
    else set(withChange(changes, { ...of, kind: chosen, ...(chosen === 'scale' && { factor: FIRST_FACTOR }) }))
  }
  return html`<span class="head-control ${kind === 'on' ? '' : 'is-changed'}">
    <select class="head-state" data-head=${name} aria-label=${t('headState', { name })} .value=${live(kind)} @change=${choose}>
      ${KINDS.map(each => html`<option value=${each} ?selected=${each === kind}>${t(`headState.${each}`)}</option>`)}
    </select>${
      kind === 'scale'
        ? html`<input type="range" class="head-factor" min="0" max=${MOST_FACTOR} step="0.1" aria-label=${t('headFactor', { name })} .value=${live(String(change?.factor))} @input=${(
            /** @type {InputEvent} */ { target },
          ) =>
            set(
              withChange(changes, { layer, head, kind: 'scale', factor: Number(target.value), isOn: true }),
              `factor ${name}`,
            )} />
          <output>${change?.factor}</output>`
        : nothing
    }</span>`
}

/** A change in words. @param {HeadsTranslate} t @param {Change} change */
function wordsOf(t, change) {
  const { kind, factor = 1, cells = [] } = change
  const key = kind !== 'hide' ? kind : cells.length === 1 ? 'hideOne' : 'hideSeveral'
  return t(`change.${key}`, { name: headName(change), factor, count: cells.length })
}

/**
 * All changes as chips.
 * @param {Given & { effect?: { before: string, after: string }, undo?: () => void, redo?: () => void }} given effect: of
 *   all of them together; undo and redo where there is something
 */
export const changes = ({
  t,
  changes,
  set,
  effect,
  undo,
  redo,
}) => html`<section class="changes" aria-labelledby="changes-title">
    <h2 id="changes-title">${t('changes')}</h2>
    ${changes.length ? nothing : html`<span class="note">${t('changesNone')}</span>`}
    ${changes.map(change => {
      const what = wordsOf(t, change)
      return html`<span class="change ${change.isOn ? '' : 'is-suspended'}">
        <button type="button" class="change-switch" role="switch" aria-checked=${change.isOn} aria-label=${t('changeSwitch', { what })} @click=${() => set(withChange(changes, { ...change, isOn: !change.isOn }))}><span>${what}</span></button>
        <button type="button" class="change-remove" aria-label=${t('changeRemove', { what })} @click=${() => set(withoutChange(changes, change))}>×</button>
      </span>`
    })}
    ${changes.length ? html`<button type="button" class="tool" id="changes-restore" @click=${() => set([])}>${t('changesRestore')}</button>` : nothing}
    ${undo ? html`<button type="button" class="tool" id="changes-undo" @click=${undo}>${t('changesUndo')}</button>` : nothing}
    ${redo ? html`<button type="button" class="tool" id="changes-redo" @click=${redo}>${t('changesRedo')}</button>` : nothing}
    ${changes.length ? html`<p class="changes-effect" role="status">${effect ? t('changesEffect', effect) : nothing} <span class="note">${t('changesText')}</span></p>` : nothing}
  </section>`
