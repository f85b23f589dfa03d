import { html, nothing } from 'lit'
import { stepsOf } from '../explain/steps.js'
import { algebra } from './algebra-panel.js'
import { math } from './math.js'
import { matrix } from './matrix.js'
import { withTerms } from './terms.js'

/** @import { Block, SceneContext, Step } from '../layer.js' */

/** Maximum columns of a left factor drawn in front of its results. A wider factor would push the results far to the right. */
const MOST_COLUMNS = 12

/**
 * Draws a block in Falk's scheme: rows of the left matrix meet columns of the matrices above the results.
 * @param {SceneContext} context
 * @param {Block} falk
 */
function block(context, { left, tops = [], biases = [], results }) {
  if (!left) return html`<div class="block">${results.map(id => matrix(context, id))}</div>`
  const hasBias = biases.some(Boolean)
  const [rows = 0, columns = 0] = context.matrices.get(left.copy)?.tensor.dims ?? []
  const isWide = (left.isTurned ? rows : columns) > MOST_COLUMNS
  return html`<div class="falk ${isWide ? 'is-wide' : ''}" .style=${`--results: ${results.length}`}>
    <div class="falk-left"
      .style=${`grid-row: ${hasBias ? 3 : 2}`}>${matrix(context, left.copy, { isCopy: true, isTurned: left.isTurned })}</div>
    ${tops.map(
      (top, i) =>
        html`<div class="falk-top" .style=${`grid-column: ${i + 2}`}>${
          typeof top === 'string'
            ? matrix(context, top)
            : matrix(context, top.copy, { isCopy: true, isTurned: top.isTurned })
        }</div>`,
    )}
    ${biases.map((id, i) => (id ? html`<div class="falk-bias" .style=${`grid-column: ${i + 2}`}>${matrix(context, id)}</div>` : nothing))}
    ${results.map(
      (id, i) =>
        html`<div class="falk-result" .style=${`grid-row: ${hasBias ? 3 : 2}; grid-column: ${i + 2}`}>${matrix(context, id)}</div>`,
    )}
  </div>`
}

/**
 * Returns the key of the text that explains a step with these settings.
 * @param {Step['id']} id
 * @param {SceneContext['result']['settings']} settings
 * @returns {import('../../../i18n/index.js').Key}
 */
function textOf(id, { model, scale, score, masking, isCross, keysFrom, positions }) {
  if (id === 'embed' && (model === 'handBuilt' || model === 'imported' || model === 'trained'))
    return `step.embed.${model}`
  if (id === 'embed' && positions === 'added') return 'step.embed.added'
  if (id === 'embed' && isCross && keysFrom === 'random') return 'step.embed.random'
  if (id === 'project' && isCross && model !== 'imported') return 'step.project.cross'
  if (id === 'masked' && masking === 'after') return 'step.masked.after'
  if (id === 'scaled' && scale !== null) return 'step.scaled.set'
  if (id === 'scaled' && score !== 'scaled') return 'step.scaled.none'
  return `step.${id}.text`
}

/**
 * @param {SceneContext} context
 * @param {Step} step
 * @param {number} i
 * @param {string} current
 */
function section(context, { id, formulas, shapes: sizes, blocks, isOfHead }, i, current) {
  const { t, head, result } = context
  return html`<section class="step step-${id} ${id === current ? 'is-current' : ''}" id="step-${id}" data-step-id=${id}
    aria-labelledby="step-${id}-title">
    <header>
      <h3 id="step-${id}-title"><span class="number-of">${i + 1}</span> ${t(`step.${id}`)}
        ${isOfHead ? html`<span class="of-head">${t('ofHead', { head: head + 1, heads: result.heads })}</span>` : nothing}</h3>
      <div class="formulas">
        ${formulas.map(
          (formula, n) =>
            html`<p class="formula">${math(formula)} ${formulas.length === sizes.length ? size(sizes[n]) : nothing}</p>`,
        )}
        ${formulas.length === sizes.length ? nothing : sizes.map(text => html`<p class="formula">${size(text)}</p>`)}
      </div>
      <div class="text">${withTerms(t, t(textOf(id, result.settings)))}</div>
    </header>
    ${blocks.map(each => block(context, each))}
    ${id === 'masked' ? algebra(context) : nothing}
  </section>`
}

/** @param {string} text */
const size = text => html`<span class="sizes">${text}</span>`

/** @param {SceneContext} context */
export function stepsPanel(context) {
  const { t, result, settings } = context
  const steps = stepsOf(result)
  const current = steps.some(({ id }) => id === settings.step) ? settings.step : steps[0].id
  return html`<section class="steps-panel" aria-labelledby="steps-title">
    <h2 id="steps-title">${t('steps')}</h2>
    <div class="steps-list">${steps.map((step, i) => section(context, step, i, current))}</div>
  </section>`
}
