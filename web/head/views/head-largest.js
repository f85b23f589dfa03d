// The key that each query gives most to, as a list.

import { html, nothing } from 'lit'
import { format } from '../../files/number-format.js'

/** The key with the largest weight of a row, and that weight. @param {import('../head.js').Matrix} weights @param {number} row */
function largestOf({ data, dims }, row) {
  const columns = dims[1]
  const weights = data.subarray(row * columns, (row + 1) * columns)
  const key = weights.indexOf(Math.max(...weights))
  return { key, weight: weights[key] }
}

/** @type {import('../head.js').HeadPicture} */
export const headLargest = {
  name: 'largest',
  id: '',
  draw({ queries, keys, weights }) {
    if (!weights) return nothing
    return html`<ol class="head-largest">${queries.map((query, row) => {
      const { key, weight } = largestOf(weights, row)
      return html`<li><bdi>${query}</bdi> → <bdi>${keys[key]}</bdi> <span data-value=${weight}>${format(weight)}</span></li>`
    })}</ol>`
  },
}
