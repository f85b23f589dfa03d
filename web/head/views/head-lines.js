// The weights of one head as lines between two rows of words.

import { html } from 'lit'
import { listenersOf } from './head-map.js'

/** @type {import('../head.js').HeadPicture} */
export const headLines = {
  name: 'lines',
  id: 'lines',
  draw({ prefix, weights, visible, queries, keys, word }, act, t) {
    const on = listenersOf(act)
    import('../../elements/lines.js') // loaded once, when it is first drawn
    return html`<qkv-lines
      id="${prefix}lines"
      .label=${t('view.lines')}
      .weights=${weights}
      .mask=${visible}
      .queryTokens=${queries}
      .keyTokens=${keys}
      .token=${word && { side: word.side === 'queries' ? 'row' : 'column', index: word.position }}
      .texts=${t.elements}
      @token-focus=${on.tokenFocus}
      @token-pin=${on.tokenPin}
    ></qkv-lines>`
  },
}
