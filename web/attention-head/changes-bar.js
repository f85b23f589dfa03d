// Draws the changes to heads as chips. Each change can be switched off, scaled and removed.

import { html, nothing } from 'lit'
import { groupsOf, headName, layerName, withChange, withoutChange } from './changes.js'

/** @import { Change } from './head.js' */
/** @typedef {(key: keyof typeof import('../i18n/en/head.js').texts | 'undo' | 'redo', params?: Record<string, string | number>) => string} HeadTranslate */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/**
 * Labels of the tokens that changes refer to, indexed by position. `replaced`: labels of the text whose layer output a patch inserts.
 * @typedef {{ queries?: readonly string[], keys?: readonly string[], replaced?: readonly string[] }} ChangeTokens
 */

const MOST_CHIPS = 40
/** Smallest and largest factor that the reader may type. */
const [LEAST_FACTOR, MOST_FACTOR] = [-10, 10]

/** Describes a group of changes. @param {HeadTranslate} t @param {readonly Change[]} group as returned by groupsOf @param {ChangeTokens} tokens */
export function changeInWords(t, group, { queries, keys, replaced }) {
  const [change] = group
  if (change.kind === 'patch') {
    const { position } = change
    const at = layerName(change)
    if (position === null) return t('change.patchAll', { at })
    const params = { at, word: queries?.[position] ?? '', position: position + 1 }
    if (replaced && position >= replaced.length) return t('change.patchNone', { ...params, count: replaced.length })
    return t('change.patch', { ...params, other: replaced?.[position] ?? '' })
  }
  const name = headName(change)
  if (change.kind === 'head') {
    if (change.how === 'mean') return t('change.mean', { name })
    return change.how === 0 ? t('change.off', { name }) : t('change.scale', { name, factor: change.how })
  }
  if (group.length > 1) return t('change.hideSeveral', { name, count: group.length })
  if (change.kind === 'hide' && !queries) return t('change.hideOne', { name })
  const query = queries?.[change.query] ?? change.query + 1
  const key = keys?.[change.key] ?? change.key + 1
  return change.kind === 'hide'
    ? t('change.hide', { name, query, key })
    : t('change.weight', { name, query, key, value: change.value })
}

/**
 * @param {object} given
 * @param {HeadTranslate} given.t
 * @param {readonly Change[]} given.changes
 * @param {(changes: Change[], mark?: string) => void} given.set applies changes; those with the same mark are undone together
 * @param {string} given.none text to show if there are no changes
 * @param {(change: Change) => ChangeTokens} [given.tokensOf]
 * @param {() => void} [given.undo] undoes the last change; missing if there is none
 * @param {() => void} [given.redo]
 * @param {unknown} [given.effect] template that shows what all changes do together
 * @param {unknown} [given.more] template with further controls
 */
export function changesBar({ t, changes, set, none, tokensOf, undo, redo, effect = nothing, more = nothing }) {
  const groups = groupsOf(changes)
  /** @param {readonly Change[]} group @param {object} patch */
  const setAll = (group, patch) =>
    set(group.reduce((all, change) => withChange(all, { ...change, ...patch }), [...changes]))
  return html`<section class="changes" aria-labelledby="changes-title">
    <h2 id="changes-title">${t('changes')}</h2>
    ${groups.length ? nothing : html`<span class="note">${none}</span>`}
    ${groups.slice(0, MOST_CHIPS).map(group => {
      const [change] = group
      const { isOn } = change
      const what = changeInWords(t, group, tokensOf?.(change) ?? {})
      return html`<span class="change ${isOn ? '' : 'is-suspended'}" data-undo="room">
        <button type="button" class="change-switch" role="switch" aria-checked=${isOn}
          aria-label=${t('changeSwitch', { what })}
          @click=${() => setAll(group, { isOn: !isOn })}><span>${what}</span></button>${
            change.kind === 'head'
              ? html`<input type="number" class="change-factor" step="0.1" min=${LEAST_FACTOR} max=${MOST_FACTOR}
                aria-label=${t('headFactor', { name: headName(change) })}
                .value=${change.how === 'mean' ? '' : String(change.how)} @change=${(
                  /** @type {InputEvent} */ { target },
                ) => target.value !== '' && setAll(group, { how: Number(target.value) })} />`
              : nothing
          }
        <button type="button" class="change-remove" aria-label=${t('changeRemove', { what })}
          @click=${() => set(group.reduce(withoutChange, [...changes]))}>×</button>
      </span>`
    })}
    ${groups.length > MOST_CHIPS ? html`<span class="note">${t('changesMore', { count: groups.length - MOST_CHIPS })}</span>` : nothing}
    ${
      groups.length
        ? html`<button type="button" class="tool" id="changes-restore" @click=${() => set([])}>${t('changesRestore')}</button>`
        : nothing
    }
    ${undo ? html`<button type="button" class="tool" id="changes-undo" @click=${undo}>${t('undo')}</button>` : nothing}
    ${redo ? html`<button type="button" class="tool" id="changes-redo" @click=${redo}>${t('redo')}</button>` : nothing}
    ${effect}${more}
  </section>`
}
