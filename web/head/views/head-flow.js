// One word on its way through the head, frame by frame.

import { html } from 'lit'

/** @type {import('../head.js').HeadPicture} */
export const headFlow = {
  name: 'flow',
  id: 'flow',
  draw({ prefix, queries, keys, isCross, flow }, act, t) {
    if (!flow) return html`<p class="note">${t('flowNone')}</p>`
    const { trace, head, query, partials } = flow
    import('../../elements/flow.js') // loaded once, when it is first drawn
    return html`<qkv-flow
      id="${prefix}flow"
      .trace=${trace}
      .head=${head}
      .query=${query}
      .partials=${partials}
      .queryTokens=${queries}
      .keyTokens=${isCross ? keys : undefined}
      .texts=${t.elements}
      @flow-query=${(/** @type {CustomEvent<{ query: number }>} */ { detail }) => act.select({ word: { side: 'queries', position: detail.query } })}
    ></qkv-flow>`
  },
}
