// The gradients of the loss at a step as maps: for the model's weights, and for the attention weights of each head.

import '../../elements/heatmap.js'
import { html, nothing } from 'lit'
import { headName } from '../../attention-head/changes.js'
import { shown } from '../../shell/slots.js'
import { TASKS } from './tasks/index.js'

/** @import { Context } from './learn.js' */
/** @typedef {import('./learn.js').LearnAsks['gradients']['value']} Gradients */

/**
 * Returns labels for the rows and columns of a gradient of attention weights.
 * @param {Context} context
 * @param {import('./learn.js').RunInfo} run
 * @param {Int32Array} ids
 * @param {{ rows: number, columns: number, layer: number }} of
 */
function tokensOf({ settings: { task } }, { blocks, characters, shape }, ids, { rows, columns, layer }) {
  const { name, inputName = name } = TASKS[task].tokens({ V: 0, ...shape })
  const nameOf = characters ? (/** @type {number} */ id) => characters[id] ?? '' : inputName
  const words = Array.from(ids.subarray(0, columns), nameOf)
  const isCross = blocks[layer] === 'cross'
  return { columns: words, rows: isCross ? Array.from({ length: rows }, (_, i) => String(i + 1)) : words }
}

/** @param {Context} context @param {import('./learn.js').RunInfo} run @param {import('./learn.js').Picture} picture */
export function gradientMaps(context, run, { shownAt }) {
  const { t, act, got } = context
  const found = shown(got.gradients)
  return html`<details class="learn-gradients" ?open=${found !== undefined}><summary>${t('learnGradients')}</summary>
    <p class="note">${t('learnGradientsText')}</p>
    <button type="button" class="tool" id="learn-gradient"
      @click=${() => act.show({ gradientAt: shownAt })}>${t('learnGradientAsk', { step: shownAt })}</button>
    ${found ? maps(context, run, found) : nothing}</details>`
}

/** @param {Context} context @param {import('./learn.js').RunInfo} run @param {Gradients} found */
function maps(context, run, found) {
  const { t, view, act } = context
  const names = Object.keys(found.weights)
  const heads = found.attention.flatMap(({ dims: [H] }, layer) =>
    Array.from({ length: H }, (_, head) => ({ layer, head, value: `A ${headName({ layer, head })}` })),
  )
  const chosen = view.gradient || heads[heads.length - 1].value
  return html`<label>${t('learnGradientWhich')} <select id="learn-gradient-which"
    @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) => act.show({ gradient: target.value })}>
      ${heads.map(
        each =>
          html`<option value=${each.value} ?selected=${chosen === each.value}>${t('learnGradientHead', { name: headName(each) })}</option>`,
      )}
      ${names.map(name => html`<option value=${name} ?selected=${chosen === name}>${name}</option>`)}
    </select></label>
    <p class="note">${t('learnGradientLoss', { step: found.step, loss: found.loss.toFixed(4) })}</p>${map(
      context,
      run,
      found,
      chosen,
      heads.find(({ value }) => value === chosen),
    )}`
}

/** @param {Context} context @param {import('./learn.js').RunInfo} run @param {Gradients} found @param {string} name @param {import('./tasks/task.js').Head | undefined} head */
function map(context, run, found, name, head) {
  const { t } = context
  const label = t('learnGradientOf', { name, step: found.step })
  if (!head) {
    const { data, dims } = found.weights[name] ?? Object.values(found.weights)[0]
    const matrix = { data, dims: dims.length === 1 ? [1, dims[0]] : dims }
    return html`<qkv-heatmap id="learn-gradient-map" scale="diverging" .texts=${t.elements} label=${label}
      .matrix=${matrix} legend></qkv-heatmap>`
  }
  const { dims, data } = found.attention[head.layer]
  const [, rows, columns] = dims
  const matrix = {
    data: data.subarray(head.head * rows * columns, (head.head + 1) * rows * columns),
    dims: [rows, columns],
  }
  const tokens = tokensOf(context, run, found.ids, { rows, columns, layer: head.layer })
  return html`<qkv-heatmap id="learn-gradient-map" scale="diverging" .texts=${t.elements} label=${label}
    .matrix=${matrix} .rowTokens=${tokens.rows} .columnTokens=${tokens.columns} legend></qkv-heatmap>`
}
