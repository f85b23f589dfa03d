// Draws how the head computes the output of one word, frame by frame.

import { html, nothing } from 'lit'
import { dragMark } from './head-map.js'

/** Maps a matrix of the flow to its name in the inspector. */
const MATRICES = { weight: 'weights', score: 'scores', x: 'X', q: 'Q', k: 'K', v: 'V' }

/** @type {import('../head.js').HeadPicture} */
export const headFlow = {
  name: 'flow',
  id: 'flow',
  draw({ prefix, queries, keys, isCross, flow }, act, t) {
    if (!flow) return html`<p class="note">${t('flowNone')}</p>`
    const { trace, head, query, partials, step } = flow
    import('../../elements/flow.js') // loaded on first draw
    const edit = (/** @type {CustomEvent<import('../../elements/flow.js').FlowEdit>} */ { detail }) => {
      const { part, index, key = query, value, isFirst, isUndone } = detail
      if (isUndone) act.undo?.()
      else if (part === 'weight') act.edit?.(query, index, value, dragMark(isFirst))
      else act.editInput?.(MATRICES[part], key, index, value, dragMark(isFirst))
    }
    const pick = (
      /** @type {CustomEvent<import('../../elements/flow-drawing.js').Grabbed>} */ { detail: { part, index, key } },
    ) => act.select({ cell: { matrix: MATRICES[part], row: key ?? query, column: index } })
    const word = (/** @type {CustomEvent<{ query: number, isPassing?: true }>} */ { detail }) => {
      /** @type {{ word: import('../head.js').Word }} */
      const place = { word: { side: 'queries', position: detail.query } }
      if (detail.isPassing) return act.point(place)
      act.point()
      act.select(place)
    }
    const showAll = () => {
      act.point()
      act.show('map')
    }
    return html`<qkv-flow
      id="${prefix}flow"
      .trace=${trace}
      .head=${head}
      .query=${query}
      .partials=${partials}
      .step=${step}
      .editable=${act.edit !== undefined}
      .queryTokens=${queries}
      .keyTokens=${isCross ? keys : undefined}
      .texts=${t.elements}
      @flow-query=${word}
      @flow-all=${showAll}
      @flow-frame=${(/** @type {CustomEvent} */ { detail }) => act.frame?.(detail.step, detail.key)}
      @flow-edit=${edit}
      @flow-pick=${pick}
      ></qkv-flow>${
        step === 'mask' && act.hideLater
          ? html`<p class="buttons"><button type="button" class="tool" id="${prefix}hide-later"
          @click=${act.hideLater}>${t('hideLater')}</button></p>`
          : nothing
      }`
  },
}
