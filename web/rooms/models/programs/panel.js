// The programs that do the same as the page.

import { html, nothing } from 'lit'
import { isIn } from '../../../head/changes.js'
import { nodeProgram } from './node.js'
import { hasPyTorch, pytorchProgram } from './pytorch.js'

/** @typedef {import('../models.js').Room} Room */

/** Does the model have the place, and the text the words? @param {import('../../../head/head.js').Change} change @param {import('../model-run.js').Run} run */
function fits(change, run) {
  const maps = run.maps[change.stack]
  if (!maps || !isIn(change, run.maps)) return false
  return !('query' in change) || (change.query < maps.rows && change.key < maps.columns)
}

/** @param {Room} room */
export function programs(room) {
  const { t, act, view, settings, openModel, run, source } = room
  const before = room.runBefore ?? run
  if (!openModel?.hasHead || !before || before.row < 0) return nothing
  const { ids, row, targetIds: decoderIds } = before
  const { type, hasTokenizer } = openModel
  const isRead = hasTokenizer && !room.generated.length // the program's tokenizer makes the ids
  const task = {
    type,
    folder: openModel.name.split('~')[0],
    text: hasTokenizer ? room.text : undefined,
    ids: isRead ? undefined : ids,
    decoderIds,
    decoderIdsAfter: room.runAfter?.targetIds,
    row,
    second: {
      text: settings.sourceText,
      ids: hasTokenizer ? undefined : source?.ids,
      decoderIds: source?.decoderIds,
    },
    changes: settings.changes.filter(change => change.isOn && fits(change, before)),
  }
  const show = (
    /** @type {'qkv' | 'pytorch'} */ name,
    /** @type {string} */ code,
  ) => html`<h3>${t(`modelsProgram.${name}`)}</h3>
    <button type="button" class="tool" @click=${() => act.copy(name, code)}>${t('modelsCopy')}${view.copied === name ? ' ✓' : ''}</button>
    <pre tabindex="0" id="models-program-${name}"><code>${code}</code></pre>`
  return html`<details class="models-programs"><summary>${t('modelsPrograms')}</summary>
    <p class="note">${t('modelsProgramsText')}</p>
    ${show('qkv', nodeProgram(task))}
    ${hasPyTorch(type) ? show('pytorch', pytorchProgram(task)) : html`<p class="note">${t('modelsNoPyTorch')}</p>`}</details>`
}
