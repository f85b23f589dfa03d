import { html, nothing } from 'lit'
import { valueAt } from '../explain/matrices.js'
import { format } from '../formats/numbers.js'
import { toNumber } from '../settings/check.js'
import { isSameCell } from '../settings/state.js'
import { colourOf } from './colour.js'
import { math } from './math.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('./context.js').Explanation} Explanation */
/** @typedef {import('./context.js').Region} Region */
/** @typedef {import('../settings/fields.js').Cell} Cell */
/** @typedef {import('../explain/matrices.js').Matrix} Matrix */

/** Longer sums are shown by their first terms. */
const MOST_TERMS = 24

/**
 * A number that stands in a matrix, in its colour; a click explains it in turn.
 * @param {SceneContext} context
 * @param {Cell} cell
 */
function factor({ t, matrices, result, actions, isDark }, cell) {
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const { scale, reach, isHidden } = shown
  const value =
    cell.head === shown.head
      ? valueAt(matrices, cell)
      : (result.tensors.output?.at(cell.head, cell.row, cell.column) ?? 0)
  const { ground, ink } = colourOf(scale, reach, value, isDark)
  const hidden = isHidden(cell.row, cell.column)
  return html`<button
    type="button"
    class="factor ${hidden ? 'is-hidden' : ''}"
    .style=${hidden ? '' : `background-color: ${ground}; color: ${ink}`}
    aria-label=${t('goTo', { value: `${t(`matrix.${cell.matrix}`)} ${format(value)}` })}
    @click=${() => actions.pin(cell)}
  >${format(value)}</button>`
}

/** @param {number} value */
const total = value => html`<p class="total"><span aria-hidden="true">=</span> <output>${format(value)}</output></p>`

/**
 * Terms in lines, each with its name: of long sums the first ones.
 * @param {SceneContext} context
 * @param {unknown[]} heads
 * @param {number} count
 * @param {(i: number) => string} name
 * @param {(i: number) => unknown[]} cells
 * @param {number} [own] the line that is meant
 * @param {unknown} [foot]
 */
function lines({ t }, heads, count, name, cells, own = -1, foot = nothing) {
  const order = Array.from({ length: count }, (_, i) => i)
  const shown = order.filter(i => i < MOST_TERMS || i === own)
  return html`<table class="terms">
    <thead><tr><td></td>${heads.map(head => html`<td>${head}</td>`)}</tr></thead>
    <tbody>
      ${shown.map(
        i =>
          html`<tr class=${i === own ? 'is-own' : ''}>
            <th scope="row" class="term-name" title=${name(i)}><bdi>${name(i)}</bdi></th>
            ${cells(i).map(content => html`<td>${content}</td>`)}
          </tr>`,
      )}
      ${shown.length < count ? html`<tr><td></td><td colspan="4" class="more">${t('moreTerms', { count: count - shown.length })}</td></tr>` : nothing}
    </tbody>
    ${foot}
  </table>`
}

/** @param {SceneContext} context @param {Cell} cell */
const symbol = ({ matrices }, cell) => math(/** @type {Matrix} */ (matrices.get(cell.matrix)).symbol)

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'products' }>} explanation
 */
function products(context, { terms, along, bias }) {
  const { t, result } = context
  const name = (/** @type {number} */ i) =>
    along === 'keys' ? result.settings.keys.tokens[i] : t('dimension', { dimension: i + 1 })
  const head = terms.length ? [symbol(context, terms[0][0]), nothing, symbol(context, terms[0][1])] : []
  return html`<p>${t(along === 'keys' ? 'explainOutput' : 'explainProducts')}</p>
    ${lines(context, head, terms.length, name, i => [
      factor(context, terms[i][0]),
      '×',
      factor(context, terms[i][1]),
      i < terms.length - 1 || bias ? '+' : nothing,
    ])}
    ${bias ? html`<p class="line">${symbol(context, bias)} ${factor(context, bias)}</p>` : nothing}`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'softmax' }>} explanation
 */
function softmax(context, { sources, own, exponentials, largest, sum }) {
  const { t, result, cell } = context
  const { queries, keys, softmaxAxis } = result.settings
  const names = softmaxAxis === 'keys' ? keys.tokens : queries.tokens
  if (largest === -Infinity) return html`<p>${t('explainNoKey', { query: queries.tokens[cell.row] })}</p>`
  const foot = html`<tfoot><tr><th scope="row" class="term-name">${t('sum')}</th><td></td><td>${format(sum)}</td></tr></tfoot>`
  const exp = html`${math('exp ( m')}<span> − ${largest < 0 ? `(${format(largest)})` : format(largest)})</span>`
  return html`<p>${t(softmaxAxis === 'keys' ? 'explainSoftmax' : 'explainSoftmaxQueries')}</p>
    ${lines(
      context,
      [math('m'), exp],
      sources.length,
      i => names[i],
      i => [factor(context, sources[i]), format(exponentials[i])],
      own,
      foot,
    )}
    <p class="line">${format(exponentials[own])} ÷ ${format(sum)}</p>`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'mask' }>} explanation
 */
function mask(context, { source, isHidden, reason, zero }) {
  const { t, result, cell } = context
  const { queries, keys, left, right, padding, prefix } = result.settings
  const params = { query: queries.tokens[cell.row], key: keys.tokens[cell.column], left, right, padding, prefix }
  const text = isHidden ? t(`hides.${reason}`, params) : t(zero ? 'explainKeptZero' : 'explainKept', params)
  return html`<p>${text} ${isHidden ? t(zero ? 'explainZero' : 'explainInfinity') : nothing}</p>
    <p class="line">${factor(context, source)} →</p>`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'given' }>} explanation
 */
function origin({ t, result, cell }, { from, id = 0 }) {
  const { seed, tableRows } = result.settings
  const params = { seed: String(seed), column: cell.column + 1, rows: tableRows, id }
  return html`<p>${t(`given.${from}`, params)}</p>`
}

/** @param {SceneContext} context */
function steps(context) {
  const { t, result, explanation } = context
  const name = (/** @type {number} */ i) => t('dimension', { dimension: i + 1 })
  switch (explanation.kind) {
    case 'products':
      return products(context, explanation)
    case 'gaussian': {
      const { terms, sigma } = explanation
      return html`<p>${t('explainGaussian', { sigma })}</p>
        ${lines(context, [math('q'), nothing, math('k')], terms.length, name, i => [factor(context, terms[i][0]), '−', factor(context, terms[i][1]), html`<sup>2</sup>`])}
        <p class="line">÷ (−2 · ${sigma}<sup>2</sup>)</p>`
    }
    case 'additive': {
      const { terms } = explanation
      return html`<p>${t('explainAdditive')}</p>
        ${lines(context, [math('v_a'), nothing, math('Q_a'), nothing, math('K_a')], terms.length, name, i => [
          ...[
            factor(context, terms[i][0]),
            '· tanh(',
            factor(context, terms[i][1]),
            '+',
            factor(context, terms[i][2]),
            ')',
          ],
        ])}`
    }
    case 'softmax':
      return softmax(context, explanation)
    case 'scale': {
      const { source, factor: by, size, isRoot } = explanation
      return html`<p>${t(isRoot ? 'explainScale' : by === 1 ? 'explainUnscaled' : 'explainFactor', { size, factor: by })}</p>
        <p class="line">${factor(context, source)} ${isRoot ? `÷ √${size}` : `× ${by}`}</p>`
    }
    case 'mask':
      return mask(context, explanation)
    case 'divide':
      return html`<p>${t('explainDivide')}</p>
        <p class="line">${factor(context, explanation.source)} ÷ ${format(explanation.sum)}</p>`
    case 'override': {
      const tokens = explanation.set.map(({ column }) => result.settings.keys.tokens[column]).join(', ')
      return html`<p>${t('explainOverride', { tokens })}</p>`
    }
    case 'join': {
      const { head, column } = explanation.source
      return html`<p>${t('explainJoin', { column: column + 1, head: head + 1 })}</p>
        <p class="line">${factor(context, explanation.source)}</p>`
    }
    case 'hand':
      return html`<p>${t('explainHand')}</p>`
    default:
      return origin(context, explanation)
  }
}

/**
 * A box to type in, for cells that are free.
 * @param {SceneContext} context
 */
function setter({ t, actions, matrices, cell, settings }) {
  if (!matrices.get(cell.matrix)?.isEditable) return nothing
  const isSet = settings.edits.some(edit => isSameCell(edit, cell))
  const value = valueAt(matrices, cell)
  const set = (/** @type {Event & { target: HTMLInputElement }} */ event) => {
    const typed = toNumber(event.target.value)
    if (Number.isFinite(typed) && format(typed) !== format(value)) actions.edit(cell, typed, `box ${event.timeStamp}`)
    else event.target.value = format(value)
  }
  return html`<p class="setter">
    <label>${t('setTo')} <input id="set" inputmode="decimal" autocomplete="off" .value=${format(value)} @change=${set} /></label>
    ${isSet ? html`<button type="button" class="plain" @click=${() => actions.edit(cell, undefined)}>${t('giveBack')}</button>` : nothing}
  </p>`
}

/** @param {SceneContext} context @param {Region[]} regions @param {'comesFrom' | 'goesTo'} label */
function list({ t, matrices }, regions, label) {
  const ids = [...new Set(regions.map(({ matrix }) => matrix))].filter(id => matrices.has(id))
  if (ids.length === 0) return nothing
  return html`<p class="flow flow-${label}"><span class="swatch-mark mark-${label === 'comesFrom' ? 'source' : 'target'}"></span>
    ${t(label)} ${ids.map((id, i) => html`${i ? ', ' : nothing}${math(/** @type {Matrix} */ (matrices.get(id)).symbol)}`)}</p>`
}

/**
 * What the number in a cell is made of.
 * @param {SceneContext} context
 */
export function arithmetic(context) {
  const { t, settings, actions, matrices, cell, sources, targets } = context
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const [row, column] = [shown.rows[cell.row], shown.columns[cell.column]]
  const value = valueAt(matrices, cell)
  const status = { matrix: t(`matrix.${shown.id}`), row, column, value: format(value) }
  const isKept = settings.cell !== null
  return html`<aside class="panel ${isKept ? 'is-pinned' : ''}" aria-label=${t('panel')}>
    <header>
      <h2>${t('panel')}</h2>
      <button type="button" class="plain unpin" ?hidden=${!isKept} @click=${actions.clear}>${t('unpin')}</button>
    </header>
    <div class="panel-body" tabindex="0" role="group" aria-label=${t(`matrix.${shown.id}`)}>
      <h3>${math(shown.symbol)} ${t(`matrix.${shown.id}`)}</h3>
      <p class="where">${row ? html`${t('row')} <b><bdi>${row}</bdi></b> <span aria-hidden="true">·</span> ` : nothing}${t('column')} <b><bdi>${column}</bdi></b></p>
      <div class="steps">${steps(context)}${total(value)}</div>
      ${setter(context)}
      <div class="flows">${list(context, sources, 'comesFrom')}${list(context, targets, 'goesTo')}</div>
      <p class="note hint">${t('panelHint')}</p>
    </div>
    <p class="visually-hidden" role="status">${isKept ? t('pinnedStatus', status) : nothing}</p>
  </aside>`
}
