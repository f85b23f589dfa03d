// Draws a head's weights minus those of another head, or minus its own weights before a change, with a menu of what to subtract.

import '../../elements/heatmap.js'
import { html, nothing } from 'lit'
import { later } from '../../shell/later.js'
import { listenersOf, marksOf } from './head-map.js'

/** @import { HeadActions, HeadView, HeadViewTranslate } from '../head.js' */
/** @typedef {Event & { target: HTMLSelectElement }} SelectEvent */

const words = later(() => import('./difference-words.js'))

/** @param {HeadView} view @param {import('../head.js').Less} less @param {HeadActions} act @param {HeadViewTranslate} t */
function picture(view, less, act, t) {
  if (less.problem !== undefined || !(less.weights || less.difference))
    return html`<p class="note" id="${view.prefix}incomparable">${less.problem ?? t('loading')}</p>`
  const on = listenersOf(act)
  return html`${words.draw(({ differenceWords }) => differenceWords(view, less, t))}<qkv-heatmap
    id="${view.prefix}difference"
    .label=${less.label ?? less.of}
    .matrix=${less.difference ?? view.weights}
    .minus=${less.weights}
    .scale=${'diverging'}
    .rowTokens=${view.queries}
    .columnTokens=${view.keys}
    .rowTitle=${t('axis.queries')}
    .columnTitle=${t('axis.keys')}
    .texts=${t.elements}
    .cell=${view.pointed ?? view.selected}
    .pinned=${view.selected}
    .highlight=${marksOf(view)}
    @cell-focus=${on.cellFocus}
    @cell-leave=${on.cellLeave}
    @cell-pin=${on.cellPin}
    @token-focus=${on.tokenFocus}
    @token-pin=${on.tokenPin}
  ></qkv-heatmap>`
}

/** @type {import('../head.js').HeadPicture} */
export const headDifference = {
  name: 'difference',
  id: 'difference',
  draw(view, act, t) {
    const { prefix, less } = view
    if (!less) return nothing
    const choose = (/** @type {SelectEvent} */ { target }) => act.subtract?.(target.value)
    return html`<div class="compare">
      <label>${t('minus')}
        <select id="${prefix}minus" @change=${choose}>${less.choices.map(
          ({ value, name }) => html`<option value=${value} ?selected=${value === less.chosen}>${name}</option>`,
        )}</select></label>
      ${less.more ?? nothing}
    </div>${picture(view, less, act, t)}`
  },
}
