// The controls that continue the text token by token.

import { html, nothing } from 'lit'
import { counted } from '../../../i18n/counted.js'
import { isEnded, isGenerating } from '../shown.js'

/** @import { Room } from '../models.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {keyof import('../models.js').View['sampling']} SamplingName */

/** Draws the field of a sampling parameter. @param {Room} room @param {SamplingName} name @param {number} least @param {number} most @param {boolean} isWhole */
function field({ t, view: { sampling }, act }, name, least, most, isWhole) {
  const shown = String(Math.min(sampling[name], most))
  const change = (/** @type {InputEvent} */ { target }) => {
    const value = Number(target.value)
    if (target.value !== '') act.sample(name, isWhole ? Math.round(value) : value, least, most)
    target.value = String(Math.min(most, Math.max(least, target.value === '' ? Number(shown) : value)))
  }
  return html`<label>${t(`models.${name}`)} <input type="number" id="models-${name}" min=${least} max=${most}
    step=${isWhole ? 1 : 'any'} .value=${shown} @change=${change} /></label>`
}

/** @param {Room} room */
export function generateBar(room) {
  const { t, act, view, settings, openModel, run, generated } = room
  if (!openModel?.stacks.decoder || openModel.stacks.encoder || !openModel.hasHead) return nothing
  const { positions } = openModel
  const isRunning = isGenerating(room)
  const rest = positions - (run?.ids.length ?? 0)
  const isAtEnd = isEnded(room)
  const isFull = rest <= 0 || isAtEnd
  const isFirst = view.storyStep !== undefined || !openModel.about?.tour?.length // otherwise the story's button is highlighted
  const count = generated.length
  const { sampleLimit: limit } = view
  return html`<div class="dock models-dock"><div class="dock-row">
    <button type="button" class="tool ${isFirst ? 'is-filled' : ''}" id="models-generate"
      ?disabled=${isFull && !isRunning}
      @click=${() => act.generate()}>${t(isRunning ? 'modelsStop' : 'modelsGenerate')}</button>
    <button type="button" class="tool" id="models-step" ?disabled=${isRunning || isFull}
      @click=${() => act.generate(1)}>${t('modelsStep')}</button>
    ${field(room, 'count', 1, Math.max(1, Math.min(500, rest)), true)} ${field(room, 'temperature', 0, 10, false)}
    ${field(room, 'topK', 1, 1000, true)} ${field(room, 'seed', 0, 2 ** 31, true)}
    ${
      limit
        ? html`<span class="note" id="models-limit" role="status">${t(`models.${limit.name}`)}:
          ${t(limit.name === 'temperature' ? 'problemPositive' : 'problemRange', { least: limit.least, most: limit.most })}</span>`
        : nothing
    }
    ${count ? html`<span class="note" id="models-steps">${counted(t, 'modelsGenerated', count)}</span>` : nothing}
    ${
      isFull
        ? html`<span class="note" id="models-full"
          role="status">${isAtEnd ? t('modelsEnded', { token: run?.tokens.at(-1) ?? '' }) : t('modelsFull', { positions })}</span>`
        : nothing
    }
    ${isFull || !Number.isFinite(rest) ? nothing : html`<span class="note" id="models-fits">${t('modelsFits', { count: rest })}</span>`}
    ${
      settings.generated.length && !isRunning
        ? html`<button type="button" class="tool" id="models-forget" @click=${() => act.forget()}>${t('modelsForget')}</button>`
        : nothing
    }
  </div></div>`
}
