// The programs that do the same, to take along.

import { html, nothing } from 'lit'
import { copy } from '../formats/carry.js'
import { hasPyTorch, qkvProgram, transformersProgram } from './programs.js'

/** @typedef {import('./room.js').ModelsRoom} Room */

/** @param {Room} room */
export function programs(room) {
  const { t, told, run } = room
  if (!told?.hasHead || !run) return nothing
  const task = {
    ...{ type: told.type, folder: told.name.split('~')[0], text: room.text, donor: room.linked.donor, row: run.row },
    ...{ ids: room.ids ?? (told.hasTokenizer ? undefined : run.ids), decoderIds: run.targetIds },
    changes: room.changes.filter(({ isOn }) => isOn),
  }
  const show = (
    /** @type {'qkv' | 'pytorch'} */ name,
    /** @type {string} */ code,
  ) => html`<h3>${t(`modelsProgram.${name}`)}</h3>
    <button type="button" class="tool" @click=${async () => {
      room.copied = (await copy(code)) ? name : ''
    }}>${t('modelsCopy')}${room.copied === name ? ' ✓' : ''}</button>
    <pre tabindex="0" id="models-program-${name}"><code>${code}</code></pre>`
  return html`<details class="models-programs"><summary>${t('modelsPrograms')}</summary>
    <p class="note">${t('modelsProgramsText')}</p>
    ${show('qkv', qkvProgram(task))}
    ${hasPyTorch(told.type) ? show('pytorch', transformersProgram(task)) : html`<p class="note">${t('modelsNoPyTorch')}</p>`}</details>`
}
