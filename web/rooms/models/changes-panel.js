// Draws the reader's changes as chips in the order of the layers, a switch between before and after, the effect of the changes, and
// patches from a second text.

import { html, nothing } from 'lit'
import { changesBar } from '../../attention-head/changes-bar.js'
import { percent } from '../../files/number-format.js'
import { cosine, points } from './prediction/prediction.js'

/** @import { Room } from './models.js' */
/** @import { Change } from '../../attention-head/head.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** Choices of what the maps show. @type {Room['showing'][]} */
const SHOWING = ['before', 'after', 'difference']

/**
 * Returns the labels of the tokens that a change may refer to. `replaced`: tokens of the second text, for patches.
 * @param {Room} room
 * @param {Change} change
 * @returns {import('../../attention-head/changes-bar.js').ChangeTokens}
 */
function tokensOf({ run, source }, { stack }) {
  const { tokens = [], targets = [] } = run ?? {}
  return {
    queries: stack === 'decoder' || stack === 'cross' ? targets : tokens,
    keys: stack === 'decoder' ? targets : tokens,
    replaced: stack === 'decoder' ? source?.targets : source?.tokens,
  }
}

/** @param {Room} room */
export function changesPanel(room) {
  const { t, act, settings, can, travel } = room
  return changesBar({
    t,
    changes: settings.changes,
    set: act.change,
    none: t('modelsNoChanges'),
    tokensOf: change => tokensOf(room, change),
    undo: can.undo && settings.changes.length ? () => travel('undo', 0) : undefined,
    effect: showing(room),
    more: patches(room),
  })
}

/** Draws the choice between before, after and difference, and the effect of the changes. @param {Room} room */
function showing(room) {
  const { t, act, runAfter, showing } = room
  if (!runAfter) return nothing
  return html`<span class="models-showing" role="group" aria-label=${t('modelsShow')}>${SHOWING.map(
    name =>
      html`<button type="button" class="tab" data-showing=${name} aria-pressed=${showing === name}
        @click=${() => act.show({ showing: name })}>${t(`modelsTab.${name}`)}</button>`,
  )}</span>${effect(room)}`
}

/** Draws the buttons that patch states from a second text. @param {Room} room */
function patches({ t, act, view, settings, openModel, second, words }) {
  const layers = (openModel?.stacks.decoder ?? openModel?.stacks.encoder)?.layers ?? 1
  const { query, patchLayer } = view
  const label = query === undefined ? t('modelsPatchAll') : t('modelsPatchWord', { word: words.queries[query] ?? '' })
  return html`<details class="models-patch"><summary>${t('modelsPatch')}</summary>
      <p class="note">${t('modelsPatchText')}</p>
      <label>${t('modelsSourceText')} <input type="text" id="models-second" .value=${second ?? settings.sourceText}
        @change=${(/** @type {InputEvent} */ { target }) => act.typeSource(target.value)} /></label>
      <label>${t('modelsPatchLayer')} <select id="models-patch-layer"
        @change=${(/** @type {InputEvent} */ { target }) => act.show({ patchLayer: Number(target.value) })}>${Array.from(
          { length: layers },
          (_, l) => html`<option value=${l} ?selected=${l === patchLayer}>${l + 1}</option>`,
        )}</select></label>
      <button type="button" class="tool" id="models-patch" ?disabled=${!(second ?? settings.sourceText)}
        @click=${() => act.patch()}>${label}</button>
    </details>`
}

/** Describes the effect of the changes: the probability of the original first guess before and after, or the similarity of two texts. @param {Room} room */
function effect({ t, runBefore: before, runAfter: after }) {
  if (before?.likeness && after?.likeness) {
    const [old, now] = [before.likeness.value, after.likeness.value]
    const said = { before: cosine(old), after: cosine(now) }
    return html`<p class="models-effect" id="models-effect" role="status" data-before=${old}
      data-value=${now}>${t('modelsEffectLikeness', said)}</p>`
  }
  const guess = before?.top[0]
  if (!guess || !after) return nothing
  const now = after.top.find(({ id }) => id === guess.id)?.probability ?? after.first
  if (now === undefined) return nothing
  const said = {
    token: guess.token,
    before: percent(guess.probability),
    after: percent(now),
    points: points(now - guess.probability),
  }
  return html`<p class="models-effect" id="models-effect" role="status" data-before=${guess.probability}
    data-value=${now}>${t('modelsEffect', said)}</p>${saysNow(t, guess, after)}`
}

/**
 * Draws a note that the changes lead to a different word. It is for a phone, where the prediction is in another tab.
 * @param {Room['t']} t
 * @param {{ id: number }} guess the first guess without the changes
 * @param {import('./run/model-run.js').Run} after
 */
function saysNow(t, { id }, { top: [now] }) {
  if (!now || now.id === id) return nothing
  return html`<p class="models-effect"
    id="models-says-now">${t('modelsSaysNow', { token: now.token, share: percent(now.probability) })}</p>`
}
