// The programs that do the same as the page.

import { html, nothing } from 'lit'
import { copy } from '../../../files/clipboard.js'
import { isIn } from '../../../head/changes.js'
import { nodeProgram } from './node.js'
import { hasPyTorch, pytorchProgram } from './pytorch.js'

/** @typedef {import('../room.js').ModelsRoom} Room */

/** Does the model have the place, and the text the words? @param {import('../../../head/head.js').Change} change @param {import('../model-run.js').Run} run */
function fits(change, run) {
  const maps = run.maps[change.stack]
  if (!maps || !isIn(change, run.maps)) return false
  return !('query' in change) || (change.query < maps.rows && change.key < maps.columns)
}

/** @param {Room} room */
export function programs(room) {
  const { t, told, run } = room
  if (!told?.hasHead || !run) return nothing
  const { ids, row, targetIds: decoderIds } = room.runBefore ?? run
  const isRead = told.hasTokenizer && !room.more.length // the program's tokenizer makes the ids
  const { donor } = room
  const task = {
    ...{ type: told.type, folder: told.name.split('~')[0], text: told.hasTokenizer ? room.text : undefined },
    ...{ ids: isRead ? undefined : ids, decoderIds, decoderIdsAfter: room.runAfter?.targetIds, row },
    second: {
      text: room.linked.donor,
      ...(donor && { ids: told.hasTokenizer ? undefined : donor.ids, decoderIds: donor.decoderIds }),
    },
    changes: room.changes.filter(change => change.isOn && fits(change, room.runBefore ?? run)),
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
    ${show('qkv', nodeProgram(task))}
    ${hasPyTorch(told.type) ? show('pytorch', pytorchProgram(task)) : html`<p class="note">${t('modelsNoPyTorch')}</p>`}</details>`
}
