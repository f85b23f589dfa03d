// Shows the programs that reproduce the numbers of the page. Loaded when the reader opens the panel of programs.

import { html } from 'lit'
import { nodeProgram } from './node.js'
import { hasPyTorch, pytorchProgram } from './pytorch.js'
import { taskOf } from './task.js'

/** @import { Room } from '../models.js' */

/** @param {Room} room @param {import('../models.js').OpenModel} openModel @param {import('../run/model-run.js').Run} before */
export function programs(room, openModel, before) {
  const { t, act, view } = room
  const { task, ofHub } = taskOf(room, openModel, before)
  const show = (
    /** @type {'qkv' | 'pytorch'} */ name,
    /** @type {string} */ code,
  ) => html`<h3>${t(`modelsProgram.${name}`)}</h3>
    <button type="button" class="tool" @click=${() => act.copy(name, code)}>${t('copy')}${view.copied === name ? ' ✓' : ''}</button>
    <pre tabindex="0" id="models-program-${name}"><code>${code}</code></pre>`
  return html`<p class="note">${t('modelsProgramsText')}</p>
    ${show('qkv', nodeProgram(task))}
    ${hasPyTorch(task.type) ? show('pytorch', pytorchProgram({ ...task, ...ofHub })) : html`<p class="note">${t('modelsNoPyTorch')}</p>`}`
}
