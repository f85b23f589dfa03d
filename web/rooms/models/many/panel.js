// Draws "This head over many sentences": mean and standard deviation of a score over the reader's sentences, a dot for each sentence, and
// the list of the sentences. A click on a sentence reads it.

import { html, nothing, svg } from 'lit'
import { live } from 'lit/directives/live.js'
import { shown } from '../../../shell/slots.js'
import { LOOKS, roleOf } from '../open-head/kind.js'
import { sentencesOf } from './setting.js'
import { spreadOf } from './spread.js'

/** @import { Room } from '../models.js' */
/** @import { ScoreName } from '../run/model-run.js' */
/** @import { HeadAt } from '../../../attention-head/head.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/many.js').texts>} ManyTexts */
/** @typedef {Event & { target: HTMLTextAreaElement & HTMLSelectElement }} InputEvent */

/** @type {ScoreName[]} */
const NAMES = [...LOOKS, 'entropy']

/**
 * Returns the name of the score to show: the reader's choice, else the score of the head's role, else the score with the largest mean over
 * the sentences.
 * @param {Room} room
 * @param {HeadAt} head
 * @param {import('../models.js').Many | undefined} many
 * @returns {ScoreName}
 */
function scoreOf({ view, openModel }, head, many) {
  if (view.manyBy) return view.manyBy
  const role = roleOf(openModel?.about, head.stack, head)?.name
  const known = LOOKS.find(name => name === role)
  if (known) return known
  const means = LOOKS.map(name => {
    const values = (many?.sentences ?? []).flatMap(({ scores }) => scores?.[name] ?? [])
    return values.length ? spreadOf(values).mean : 0
  })
  return LOOKS[means.indexOf(Math.max(...means))]
}

/** @param {Room} room @param {HeadAt} head @param {ManyTexts} m */
export function manyPanel(room, head, m) {
  const { t, act, got, view } = room
  const text = sentencesOf(room).join('\n')
  const many = shown(got.many)
  const by = scoreOf(room, head, many)
  return html`<p class="note">${m('manyText')}</p>
    <label class="many-field">${m('manySentences')}
      <textarea id="models-many-text" rows="5" spellcheck="false" .value=${live(view.many ?? text)}
        @input=${(/** @type {InputEvent} */ { target }) => act.show({ many: target.value })}></textarea></label>
    <p class="buttons"><label>${m('manyScore')} <select id="models-many-score"
      @change=${(/** @type {import('../../../shell/room.js').Chosen<ScoreName>} */ { target }) => act.show({ manyBy: target.value })}>${NAMES.map(
        name => html`<option value=${name} ?selected=${name === by}>${t(`modelsRank.${name}`)}</option>`,
      )}</select></label>
    ${
      view.many === undefined
        ? nothing
        : html`<button type="button" class="tool" id="models-many-own"
          @click=${() => act.show({ many: undefined })}>${m('manyOwn')}</button>`
    }</p>
    ${many ? result(room, many, by, m) : html`<p class="note" role="status">${m('manyComputing')}</p>`}`
}

/** @param {Room} room @param {import('../models.js').Many} many @param {ScoreName} by @param {ManyTexts} m */
function result({ act, text }, { sentences }, by, m) {
  const rows = sentences.map(each => ({ ...each, value: each.scores?.[by] }))
  const values = rows.flatMap(({ value }) => value ?? [])
  if (!values.length) return html`<p class="note" id="models-many-mean" role="status">${m('manyNothing')}</p>`
  const { n, mean, spread } = spreadOf(values)
  const sorted = rows.sort((a, b) => (b.value ?? -1) - (a.value ?? -1))
  return html`<p id="models-many-mean" role="status" data-mean=${mean}
    data-spread=${spread}>${m('manyMean', { mean: mean.toFixed(3), spread: spread.toFixed(3), count: n })}</p>
    <svg class="many-dots" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><line x1="0" x2="100"
      y1="4" y2="4"></line><line class="is-mean" x1=${100 * mean} x2=${100 * mean} y1="0" y2="8"></line>${values.map(
        value => svg`<line class="is-dot" x1=${100 * value} x2=${100 * value} y1="4" y2="4"></line>`,
      )}</svg>
    <p class="many-ends note" aria-hidden="true"><span>0</span><span>1</span></p>
    <ol class="many-list" id="models-many-list">${sorted.map(
      ({ text: sentence, value, scores }) =>
        html`<li><button type="button" class="plain many-sentence" aria-pressed=${sentence === text}
          @click=${() => act.type(sentence)}><b>${value === undefined ? '–' : value.toFixed(3)}</b>
          ${sentence}</button>${
            value === undefined ? html` <small>${m(scores ? 'manyNoRepeat' : 'manyTooLong')}</small>` : nothing
          }</li>`,
    )}</ol>`
}
