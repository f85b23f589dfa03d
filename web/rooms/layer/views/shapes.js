import { html, nothing, svg } from 'lit'
import { shapeSteps } from '../explain/steps.js'
import { isSmall } from '../trace/batch-statistics.js'

/** @import { SceneContext } from '../layer.js' */

const MOST_SLABS = 8
const [LEAST, MOST] = [10, 56]

/** Pixels of an axis: its size in the picture grows with its size in numbers, slower. @param {number} n */
const length = n => Math.min(MOST, LEAST + 9 * Math.sqrt(n))

/**
 * A tensor as slabs, one behind the other: the last two axes are a slab, the one before counts them.
 * @param {readonly number[]} dims
 */
function slabs(dims) {
  const [rows, columns] = dims.slice(-2)
  const count = Math.min(dims.length === 4 ? dims[1] : 1, MOST_SLABS)
  const [w, h] = [length(columns), length(rows)]
  const offset = 5
  const [width, height] = [w + (count - 1) * offset + 2, h + (count - 1) * offset + 2]
  return svg`<svg class="slabs" width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true">
    ${Array.from({ length: count }, (_, i) => {
      const at = (count - 1 - i) * offset + 1
      return svg`<rect x=${at} y=${(i) * offset + 1} width=${w} height=${h} />`
    })}
  </svg>`
}

/**
 * How the shapes change on the way through a batch, with the reader's numbers.
 * @param {SceneContext} context
 */
export function shapes({ t, result, batch }) {
  const { batch: count } = result.settings
  const ran = isSmall(result) ? 'batchPending' : 'batchLarge'
  return html`<section class="shapes" id="shapes" aria-labelledby="shapes-title">
    <h3 id="shapes-title">${t('shapes')}</h3>
    <p class="text">${t('shapesText')}</p>
    ${
      count > 1
        ? html`<p class="text" id="batch-ran">${t('batchText', { batch: count })} ${batch ? t('batchRan', { dims: batch.dims.join(', ') }) : t(ran)}</p>`
        : nothing
    }
    <ol class="shape-steps">
      ${shapeSteps(result).map(
        ({ letters, dims, op }, i) =>
          html`<li>
            ${i ? html`<span class="op"><span aria-hidden="true">→</span> ${t(`shape.${op}`)}</span>` : html`<span class="op">${t(`shape.${op}`)}</span>`}
            ${slabs(dims) ?? nothing}
            <span class="letters">${letters.replaceAll(' ', ' ')}</span>
            <span class="dims">${dims.join('×')}</span>
          </li>`,
      )}
    </ol>
  </section>`
}
