// The programs that do the same as the page. They are loaded when the reader opens their part of the page.

import { html } from 'lit'
import { isIn } from '../../../head/changes.js'
import { bareName, idOf, isOfHub } from '../sources.js'
import { nodeProgram } from './node.js'
import { hasPyTorch, pytorchProgram } from './pytorch.js'

/** @typedef {import('../models.js').Room} Room */

/** Does the model have the place, and the text the words? @param {import('../../../head/head.js').Change} change @param {import('../model-run.js').Run} run */
function fits(change, run) {
  const maps = run.maps[change.stack]
  if (!maps || !isIn(change, run.maps)) return false
  return !('query' in change) || (change.query < maps.rows && change.key < maps.columns)
}

/** @param {Room} room @param {import('../models.js').OpenModel} openModel @param {import('../model-run.js').Run} before */
export function programs(room, openModel, before) {
  const { t, act, view, settings, source } = room
  const { ids, row, targetIds: decoderIds } = before
  const { type, hasTokenizer } = openModel
  const isRead = hasTokenizer && !room.generated.length // the program's tokenizer makes the ids
  const task = {
    type,
    folder: bareName(openModel.name),
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
  const { name } = openModel
  const [, revision] = /@(\w{40})/.exec(name) ?? []
  const [file] = /\/[^/~]+\.gguf/i.exec(name) ?? ['']
  const ofHub = isOfHub(name) ? { folder: idOf(name) + file, revision } : {} // transformers' names have no hf:
  const show = (
    /** @type {'qkv' | 'pytorch'} */ name,
    /** @type {string} */ code,
  ) => html`<h3>${t(`modelsProgram.${name}`)}</h3>
    <button type="button" class="tool" @click=${() => act.copy(name, code)}>${t('copy')}${view.copied === name ? ' ✓' : ''}</button>
    <pre tabindex="0" id="models-program-${name}"><code>${code}</code></pre>`
  return html`<p class="note">${t('modelsProgramsText')}</p>
    ${show('qkv', nodeProgram(task))}
    ${hasPyTorch(type) ? show('pytorch', pytorchProgram({ ...task, ...ofHub })) : html`<p class="note">${t('modelsNoPyTorch')}</p>`}`
}
