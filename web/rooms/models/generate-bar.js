// The controls that continue the text, token by token.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Room} room */
export function generateBar(room) {
  const { t, told, sampling, isGenerating, more, fresh } = room
  const added = more.length + fresh.length
  const isFirst = room.stop !== undefined || !room.about?.tour?.length // else the story is
  if (!told?.stacks.decoder || told.stacks.encoder || !told.hasHead) return nothing
  const isFull = (room.run?.ids.length ?? 0) >= told.positions
  const number = (
    /** @type {'temperature' | 'topK' | 'seed' | 'count'} */ name,
    /** @type {number} */ least,
    /** @type {number} */ most,
    /** @type {number | string} */ step,
  ) =>
    html`<label>${t(`models.${name}`)} <input type="number" id="models-${name}" min=${least} max=${most} step=${step} .value=${live(String(sampling[name]))} @change=${(
      /** @type {InputEvent} */ { target },
    ) => {
      const value = Number(target.value)
      if (target.value !== '' && value >= least && value <= most)
        sampling[name] = step === 1 ? Math.round(value) : value
      room.requestUpdate()
    }} /></label>`
  return html`<div class="dock models-dock"><div class="dock-row">
    <button type="button" class="tool ${isFirst ? 'is-filled' : ''}" id="models-generate" ?disabled=${isFull && !isGenerating} @click=${() => room.generate(sampling.count)}>${t(isGenerating ? 'modelsStop' : 'modelsGenerate')}</button>
    <button type="button" class="tool" id="models-step" ?disabled=${isGenerating || isFull} @click=${() => room.generate(1)}>${t('modelsStep')}</button>
    ${number('count', 1, 500, 1)} ${number('temperature', 0, 10, 'any')} ${number('topK', 1, 1000, 1)} ${number('seed', 0, 2 ** 31, 1)}
    ${added ? html`<span class="note" id="models-steps">${t('modelsGenerated', { count: added })}</span>` : nothing}
    ${isFull ? html`<span class="note" id="models-full">${t('modelsFull', { positions: told.positions })}</span>` : nothing}
    ${added && !isGenerating ? html`<button type="button" class="tool" id="models-forget" @click=${() => room.type(room.text)}>${t('modelsForget')}</button>` : nothing}
  </div></div>`
}
