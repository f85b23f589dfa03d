// Describes a long text before it is read.

import { html } from 'lit'
import { duration, mostTokens, secondsOf } from './limits.js'

/** @import { Room } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/long-text.js').texts>} LongTexts */

/** @param {Room} room @param {import('../models.js').OpenModel} model @param {string} draft @param {LongTexts} l */
export function longText({ t, act, view, got }, model, draft, l) {
  const keep = html`<button type="button" class="tool" id="models-draft-drop" @click=${() => act.dropDraft()}>${l('longKeep')}</button>`
  if (got.count?.is === 'failed') return html`<p class="models-progress">${keep}</p>` // the message has the reason
  const counted = got.count?.is === 'here' && got.count.value.text === draft ? got.count.value : undefined
  if (!counted) return html`<p class="models-progress" role="status">${l('longCounting')} ${keep}</p>`
  const most = mostTokens(model, view.mostBytes)
  const isFitting = counted.tokens <= most
  const tokens = Math.min(counted.tokens, most)
  const seconds = secondsOf(model, view.timed, tokens, counted.rate)
  const time = seconds === undefined ? l('longUnknown') : l('longTime', { time: duration(t, seconds) })
  return html`<div class="models-progress" id="models-long" role="status">
    <span>${isFitting ? l('longTokens', { count: tokens }) : l('longTooMany', { count: counted.tokens, most })} ${time}</span>
    <button type="button" class="tool is-filled" id="models-draft-read"
      @click=${() => act.readDraft(counted.fitting)}>${l(isFitting ? 'longRead' : 'longFirst', { most })}</button>
    ${keep}</div>`
}
