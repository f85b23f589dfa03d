// Describes a long text before it is read.

import { html } from 'lit'
import { duration, mostTokens, secondsOf } from './limits.js'

/** @import { Room } from '../models.js' */

/** @param {Room} room @param {import('../models.js').OpenModel} model @param {string} draft */
export function longText({ t, act, view, got }, model, draft) {
  const keep = html`<button type="button" class="tool" id="models-draft-drop" @click=${() => act.dropDraft()}>${t('modelsLongKeep')}</button>`
  if (got.count?.is === 'failed') return html`<p class="models-progress">${keep}</p>` // it is said why
  const counted = got.count?.is === 'here' && got.count.value.text === draft ? got.count.value : undefined
  if (!counted) return html`<p class="models-progress" role="status">${t('modelsCounting')} ${keep}</p>`
  const most = mostTokens(model, view.mostBytes)
  const isFitting = counted.tokens <= most
  const tokens = Math.min(counted.tokens, most)
  const seconds = secondsOf(model, view.timed, tokens, counted.rate)
  const time = seconds === undefined ? t('modelsLongUnknown') : t('modelsLongTime', { time: duration(t, seconds) })
  return html`<div class="models-progress" id="models-long" role="status">
    <span>${isFitting ? t('modelsLong', { count: tokens }) : t('modelsLongTooMany', { count: counted.tokens, most })} ${time}</span>
    <button type="button" class="tool is-filled" id="models-draft-read" @click=${() => act.readDraft(counted.fitting)}>${t(isFitting ? 'modelsLongRead' : 'modelsLongFirst', { most })}</button> ${keep}</div>`
}
