import { html, nothing } from 'lit'
import { colourOf } from '../colour.js'
import { format } from '../format.js'
import { valueAt } from '../matrices.js'
import { TABLE_ROWS } from '../trace.js'
import { math } from './math.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('./context.js').Explanation} Explanation */
/** @typedef {import('../matrices.js').Cell} Cell */
/** @typedef {import('../matrices.js').Matrix} Matrix */

/**
 * A number that stands in a matrix, in its colour; a click explains it in turn.
 * @param {SceneContext} context
 * @param {Cell} cell
 */
function factor({ t, matrices, result, actions, isDark }, cell) {
  const { title, scale, reach, isHidden } = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const value =
    cell.head === undefined ? valueAt(matrices, cell) : result.heads[cell.head].steps.output.at(cell.row, cell.column)
  const { ground, ink } = colourOf(scale, reach, value, isDark)
  const hidden = isHidden(cell.row, cell.column)
  return html`<button
    type="button"
    class="factor ${hidden ? 'is-hidden' : ''}"
    .style=${hidden ? '' : `background-color: ${ground}; color: ${ink}`}
    aria-label=${t('goTo', { value: `${t(title)} ${format(value)}` })}
    @click=${() => actions.pin(cell)}
  >${format(value)}</button>`
}

/** @param {number | TemplateResult} value */
const total = value =>
  html`<p class="total"><span aria-hidden="true">=</span> <output>${typeof value === 'number' ? format(value) : value}</output></p>`

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'products' }>} explanation
 */
function products(context, { terms, along }) {
  const { t, matrices, result, cell } = context
  const [[left, right]] = terms
  const name = (/** @type {Cell} */ { matrix }) =>
    math(/** @type {Matrix} */ (matrices.get(matrix)).formula.split(' ')[0])
  const label = (/** @type {number} */ i) =>
    along === 'keys' ? result.settings.keys.tokens[i] : t('dimension', { dimension: i + 1 })
  return html`<p>${t(along === 'keys' ? 'explainOutput' : 'explainProducts')}</p>
    <table class="terms">
      <thead>
        <tr><td></td><th scope="col">${name(left)}</th><td></td><th scope="col">${name(right)}</th></tr>
      </thead>
      <tbody>
        ${terms.map(
          ([a, b], i) =>
            html`<tr>
              <th scope="row" class="term-name" title=${label(i)}>${label(i)}</th>
              <td>${factor(context, a)}</td>
              <td>×</td>
              <td>${factor(context, b)}</td>
              <td>${i < terms.length - 1 ? '+' : nothing}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${total(valueAt(matrices, cell))}`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'softmax' }>} explanation
 */
function softmax(context, { sources, exponentials, largest, sum }) {
  const { t, matrices, result, cell } = context
  const { queries, keys } = result.settings
  const weight = valueAt(matrices, cell)
  if (largest === -Infinity)
    return html`<p>${t('explainNoKey', { query: queries.tokens[cell.row] })}</p>${total(weight)}`
  return html`<p>${t('explainSoftmax')}</p>
    <table class="terms">
      <thead>
        <tr>
          <td></td>
          <th scope="col">${math('m')}</th>
          <th scope="col">${math('exp(m')} − ${largest < 0 ? `(${format(largest)})` : format(largest)})</th>
        </tr>
      </thead>
      <tbody>
        ${sources.map(
          (source, i) =>
            html`<tr class=${i === cell.column ? 'is-own' : ''}>
              <th scope="row" class="term-name" title=${keys.tokens[i]}>${keys.tokens[i]}</th>
              <td>${factor(context, source)}</td>
              <td>${format(exponentials[i])}</td>
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr><th scope="row" class="term-name">${t('sum')}</th><td></td><td>${format(sum)}</td></tr>
      </tfoot>
    </table>
    <p class="line">${format(exponentials[cell.column])} ÷ ${format(sum)}</p>
    ${total(weight)}`
}

/**
 * @param {SceneContext} context
 * @param {boolean} isHidden
 */
function maskText({ t, result, cell }, isHidden) {
  const { queries, keys, mask, left, right } = result.settings
  const params = { query: queries.tokens[cell.row], key: keys.tokens[cell.column], left, right }
  if (!isHidden) return t('explainKept', params)
  return t(mask === 'causal' ? 'explainCausal' : 'explainWindow', params)
}

/** @param {SceneContext} context */
function steps(context) {
  const { t, result, matrices, cell, explanation } = context
  const value = valueAt(matrices, cell)
  switch (explanation.kind) {
    case 'products':
      return products(context, explanation)
    case 'softmax':
      return softmax(context, explanation)
    case 'scale':
      return html`<p>${t('explainScale', { size: explanation.size })}</p>
        <p class="line">${factor(context, explanation.source)} ÷ √${explanation.size}</p>
        ${total(value)}`
    case 'mask':
      return html`<p>${maskText(context, explanation.isHidden)}</p>
        <p class="line">${factor(context, explanation.source)} →</p>
        ${total(value)}`
    case 'join': {
      const { head = 0, column } = explanation.source
      return html`<p>${t('explainJoin', { column: column + 1, head: head + 1 })}</p>
        <p class="line">${factor(context, explanation.source)}</p>
        ${total(value)}`
    }
    default: {
      const { seed } = result.settings
      const params = { seed: String(seed), column: cell.column + 1, rows: TABLE_ROWS }
      const text =
        explanation.from === 'table'
          ? t('explainTable', { ...params, id: explanation.id })
          : t('explainWeights', params)
      return html`<p>${text}</p>${total(value)}`
    }
  }
}

/**
 * What the number in a cell is made of.
 * @param {SceneContext} context
 */
export function arithmetic(context) {
  const { t, state, actions, matrices, cell } = context
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const [row, column] = [shown.rows[cell.row], shown.columns[cell.column]]
  const status = { matrix: t(shown.title), row, column, value: format(valueAt(matrices, cell)) }
  return html`<aside class="panel ${state.pinned ? 'is-pinned' : ''}" aria-label=${t('panel')}>
    <header>
      <h2>${t('panel')}</h2>
      ${
        state.pinned
          ? html`<button type="button" class="unpin" @click=${actions.unpin}>${t('unpin')}</button>`
          : nothing
      }
    </header>
    <div class="panel-body" tabindex="0" role="group" aria-label=${t(shown.title)}>
      <h3>${t(shown.title)} ${math(shown.formula)}</h3>
      <p class="where">${t('row')} <b>${row}</b> <span aria-hidden="true">·</span> ${t('column')} <b>${column}</b></p>
      <div class="steps">${steps(context)}</div>
      <p class="note">${t('panelHint')}</p>
    </div>
    <p class="visually-hidden" role="status">${state.pinned ? t('pinnedStatus', status) : nothing}</p>
  </aside>`
}
