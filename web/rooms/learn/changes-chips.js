// The reader's changes to heads as chips, with their effect on accuracy.

import { html, nothing } from 'lit'
import { changesBar } from '../../attention-head/changes-bar.js'
import { percent } from '../../files/number-format.js'
import { TASKS } from './tasks/index.js'

/** @param {import('./learn.js').Context} context @param {import('./learn.js').Picture} picture */
export function changesPanel({ t, settings: { task, changes }, act, can, travel }, { changed }) {
  const key = TASKS[task].hasText ? 'changesEffect.text' : 'changesEffect.lengths'
  const effect = changed && t(key, { before: percent(changed.before), after: percent(changed.accuracy) })
  return changesBar({
    t,
    changes,
    set: act.change,
    none: t('changesNone'),
    undo: can.undo ? () => travel('undo', 0) : undefined,
    redo: can.redo ? () => travel('undo', 1) : undefined,
    effect: changes.length
      ? html`<p class="changes-effect" role="status" data-before=${changed?.before ?? nothing}
        data-after=${changed?.accuracy ?? nothing}>${effect ?? nothing}
        <span class="note">${t('changesText')}</span></p>`
      : nothing,
  })
}
