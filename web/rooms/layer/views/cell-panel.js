import { html, nothing } from 'lit'
import { format } from '../../../files/number-format.js'
import { colourOf } from '../../../head/number-colours.js'
import { sheetHandle } from '../../../head/sheet.js'
import { termLines } from '../../../head/term-lines.js'
import { toNumber } from '../../../shell/kinds.js'
import { numberIn } from '../explain/chain.js'
import { sourcesOf, targetsOf } from '../explain/dependencies.js'
import { namesOf } from '../explain/labels.js'
import { valueAt } from '../explain/matrix-names.js'
import { isSameCell } from '../settings.js'
import { math } from './math.js'
import { sensitivity } from './sensitivity-panel.js'
import { domain } from './spoken.js'
import { withTerms } from './terms.js'
import { wordButton } from './word-buttons.js'
import { wordPage } from './word-page.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('./context.js').Explanation} Explanation */
/** @typedef {import('./context.js').Region} Region */
/** @typedef {import('../fields.js').Cell} Cell */
/** @typedef {import('../fields.js').Word} Word */
/** @typedef {import('../explain/matrix-names.js').Matrix} Matrix */

/**
 * A number that stands in a matrix, in its colour; a click explains it in turn.
 * @param {SceneContext} context
 * @param {Cell} cell
 */
function factor(context, cell) {
  const { t, matrices, actions, isDark } = context
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const { scale, reach, isHidden } = shown
  const value = numberIn(context.result, cell)
  const { ground, ink } = colourOf(scale, reach, value, isDark)
  const hidden = isHidden(cell.row, cell.column)
  return html`<button
    type="button"
    class="factor ${hidden ? 'is-hidden' : ''}"
    .style=${hidden ? '' : `background-color: ${ground}; color: ${ink}`}
    aria-label=${t('goTo', { value: `${t(`matrix.${cell.matrix}`)} ${format(value)}` })}
    @click=${() => {
      // Back returns to the cell that is shown, also where no one selected it.
      if (!context.selection.word && !context.selection.cell) actions.select({ cell: context.cell })
      actions.select({ cell })
    }}
  >${format(value)}</button>`
}

/** @param {number} value */
const total = value => html`<p class="total"><span aria-hidden="true">=</span> <output>${format(value)}</output></p>`

/**
 * @param {SceneContext} context
 * @param {unknown[]} heads
 * @param {(i: number) => string} name
 * @param {(i: number) => unknown[]} cells
 * @param {ArrayLike<number>} sizes
 * @param {{ own?: number, foot?: unknown }} [options]
 */
function lines({ t, cell, actions, arithmetic }, heads, name, cells, sizes, options) {
  const sum = { t, id: 'more-terms', key: JSON.stringify(cell), sum: arithmetic.sum, refresh: actions.refresh }
  return termLines(sum, heads, name, cells, sizes, options)
}

/** One side of all terms, as numbers. @param {SceneContext} context @param {Cell[][]} terms @param {number} side */
const numbersAt = ({ result }, terms, side) => terms.map(term => numberIn(result, term[side]))

/** A number behind a sign: a negative one in parentheses. @param {number} x */
const signed = x => (x < 0 ? `(${format(x)})` : format(x))

/** @param {SceneContext} context @param {Cell} cell */
const symbol = ({ matrices }, cell) => math(/** @type {Matrix} */ (matrices.get(cell.matrix)).symbol)

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'products' }>} explanation
 */
function products(context, { terms, along, bias }) {
  const { t, result } = context
  const name = (/** @type {number} */ i) =>
    along === 'keys' ? namesOf(result).keys[i] : t('dimension', { dimension: i + 1 })
  const head = terms.length
    ? [symbol(context, terms[0][0]), nothing, symbol(context, terms[0][1]), nothing, nothing]
    : []
  const sizes = context.arithmetic.products(numbersAt(context, terms, 0), numbersAt(context, terms, 1))
  return html`<div class="explains">${withTerms(t, t(along === 'keys' ? 'explainOutput' : 'explainProducts'))}</div>
    ${lines(context, head, name, i => [factor(context, terms[i][0]), '×', factor(context, terms[i][1]), '=', html`<span class="term-product">${format(sizes[i])}</span>`], sizes)}
    ${bias ? html`<p class="line">${symbol(context, bias)} ${factor(context, bias)}</p>` : nothing}`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'softmax' }>} explanation
 */
function softmax(context, { sources, own, exponentials, largest, sum }) {
  const { t, result, cell } = context
  const { softmaxAxis } = result.settings
  const { queries, keys } = namesOf(result)
  const names = softmaxAxis === 'keys' ? keys : queries
  if (largest === -Infinity) return html`<p>${t('explainNoKey', { query: queries[cell.row] })}</p>`
  const foot = html`<tfoot><tr><th scope="row" class="term-name">${t('sum')}</th><td></td><td>${format(sum)}</td></tr></tfoot>`
  const exp = html`${math('exp ( m')}<span> − ${signed(largest)})</span>`
  return html`<div class="explains">${withTerms(t, t(softmaxAxis === 'keys' ? 'explainSoftmax' : 'explainSoftmaxQueries'))}</div>
    ${lines(
      context,
      [math('m'), exp],
      i => names[i],
      i => [factor(context, sources[i]), format(exponentials[i])],
      exponentials,
      { own, foot },
    )}
    <p class="line">${format(exponentials[own])} ÷ ${format(sum)}</p>`
}

/**
 * @param {SceneContext} context
 * @param {Extract<Explanation, { kind: 'mask' }>} explanation
 */
function mask(context, { source, isHidden, reason, zero }) {
  const { t, result, cell } = context
  const { left, right, padding, prefix } = result.settings
  const { queries, keys } = namesOf(result)
  const params = { query: queries[cell.row], key: keys[cell.column], left, right, padding, prefix }
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
        ${lines(
          context,
          [nothing, math('q'), nothing, math('k'), nothing],
          name,
          i => ['(', factor(context, terms[i][0]), '−', factor(context, terms[i][1]), html`)<sup>2</sup>`],
          context.arithmetic.squares(numbersAt(context, terms, 0), numbersAt(context, terms, 1)),
        )}
        <p class="line">÷ (−2 · ${sigma}<sup>2</sup>)</p>`
    }
    case 'additive': {
      const { terms } = explanation
      return html`<p>${t('explainAdditive')}</p>
        ${lines(
          context,
          [math('v_a'), nothing, math('Q_a'), nothing, math('K_a')],
          name,
          i => [factor(context, terms[i][0]), '· tanh(', factor(context, terms[i][1]), '+', factor(context, terms[i][2]), ')'], // biome-ignore format: one line
          context.arithmetic.additive(numbersAt(context, terms, 0), numbersAt(context, terms, 1), numbersAt(context, terms, 2)), // biome-ignore format: one line
        )}`
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
      const tokens = explanation.set.map(({ column }) => namesOf(result).keys[column]).join(', ')
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
    actions.select({ cell }) // it stays when another link is the strongest
    if (Number.isFinite(typed) && format(typed) !== format(value)) actions.edit(cell, typed, `box ${event.timeStamp}`)
    else event.target.value = format(value)
  }
  return html`<p class="setter">
    <label>${t('setTo')} <input id="set" inputmode="decimal" autocomplete="off" .value=${format(value)} @focus=${() => actions.select({ cell })} @change=${set} /></label>
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
 * The map of the weights, in sight while a number of another matrix is dragged or typed.
 * @param {SceneContext} context
 * @param {Matrix} shown
 */
function liveMap(context, shown) {
  const { t, matrices, mask, result } = context
  if (!shown.isEditable || shown.id === 'weights' || result.detailHead !== undefined) return nothing
  return html`<qkv-heatmap
    id="live-map"
    .label=${t('liveMap')}
    .matrix=${/** @type {Matrix} */ (matrices.get('weights')).tensor}
    .mask=${mask}
    .rowTitle=${''}
    .columnTitle=${''}
    .domain=${domain(context)}
    .legend=${false}
    .tools=${false}
    .decimals=${2}
    .texts=${t.elements}
  ></qkv-heatmap>`
}

/** The cell is a word away: each of its words, as a button. @param {SceneContext} context @param {Word} word @param {string} name */
const wordLink = (context, word, name) => wordButton(context, word, html`<bdi>${name}</bdi>`, 'is-link')

/** Where a cell stands: its row and column, words as buttons. @param {SceneContext} context @param {Matrix} shown */
function place(context, shown) {
  const { t, cell } = context
  const name = (/** @type {'row' | 'column'} */ axis) => {
    const text = (axis === 'row' ? shown.rows : shown.columns)[cell[axis]]
    const kind = shown.axes[axis === 'row' ? 0 : 1]
    const side = kind === 'queries' || kind === 'tokens' ? 'queries' : kind === 'keys' ? 'keys' : undefined
    return side ? wordLink(context, { side, position: cell[axis] }, text) : html`<b><bdi>${text}</bdi></b>`
  }
  return html`<p class="where">${shown.rows[cell.row] ? html`${t('row')} ${name('row')} <span aria-hidden="true">·</span> ` : nothing}${t('column')} ${name('column')}</p>`
}

/**
 * The way down to where the number begins; each of its numbers opens.
 * @param {SceneContext} context
 */
function chain(context) {
  const { t, chain } = context
  if (chain.length < 3) return nothing
  return html`<h4 class="chain-title">${t('chain')}</h4>
    <ol class="chain" id="chain">${chain.slice(1).map(each => html`<li>${symbol(context, each)} ${factor(context, each)}</li>`)}</ol>`
}

/**
 * One cell less another.
 * @param {SceneContext} context
 * @param {Cell} less
 */
function differencePage(context, less) {
  const { t, matrices, cell, result, arithmetic, actions } = context
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const [own, other] = [cell, less].map(each => numberIn(result, each))
  const line = (/** @type {Cell} */ each, /** @type {string} */ sign) => {
    const name = [shown.rows[each.row], shown.columns[each.column]].filter(Boolean).join(' → ')
    return html`<tr><td>${sign}</td><th scope="row" class="term-name" title=${name}><bdi>${name}</bdi></th><td>${factor(context, each)}</td></tr>`
  }
  return html`<h3>${t('subtracted', { matrix: t(`matrix.${shown.id}`) })}</h3>
    ${total(arithmetic.differences([own], [other])[0])}
    <table class="terms subtracted"><tbody>${line(cell, '')}${line(less, '−')}</tbody></table>
    <p><button type="button" class="plain" id="subtract-none" @click=${() => actions.select({ less: null })}>${t('subtractNone')}</button></p>`
}

/** The cell that is subtracted, if it is there. @param {SceneContext} context */
function lessOf({ selection: { cell, less }, result }) {
  return cell && less && cell.matrix === less.matrix && !Number.isNaN(numberIn(result, less)) ? less : undefined
}

/**
 * What the number in a cell is made of.
 * @param {SceneContext} context
 */
function cellPage(context) {
  const { t, matrices, cell, result } = context
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  return html`<h3>${math(shown.symbol)} ${t(`matrix.${shown.id}`)}</h3>
    ${place(context, shown)}
    ${total(valueAt(matrices, cell))}
    <div class="steps">${steps(context)}</div>
    ${chain(context)}
    ${setter(context)}${liveMap(context, shown)}
    ${sensitivity(context)}
    <div class="flows">${list(context, sourcesOf(result, cell), 'comesFrom')}${list(context, targetsOf(result, cell), 'goesTo')}</div>
    <p class="note hint">${t('panelHint')}</p>`
}

/**
 * The selected row again, for a phone, where the sheet covers it.
 * @param {SceneContext} context
 * @param {Matrix} shown
 */
function sheetRow(context, shown) {
  const { cell } = context
  const columns = Math.min(shown.columns.length, 24)
  return html`<div class="sheet-row">${Array.from(
    { length: columns },
    (_, column) =>
      html`<span class="sheet-cell ${column === cell.column ? 'is-own' : ''}"><span class="sheet-name"><bdi>${shown.columns[column]}</bdi></span>${factor(context, { ...cell, column })}</span>`,
  )}</div>`
}

/** Where the panel is: "Weights, head 1, eat to is". @param {SceneContext} context */
function title(context) {
  const { t, selection, result, cell, matrices, head } = context
  const { queries, keys } = namesOf(result)
  if (selection.word && !selection.cell) {
    const { side, position } = selection.word
    return t('placeWord', { word: (side === 'queries' ? queries : keys)[position] ?? '', head: head + 1 })
  }
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const params = { matrix: t(`matrix.${shown.id}`), row: shown.rows[cell.row], column: shown.columns[cell.column] }
  return shown.rows[cell.row] ? t('placeCell', params) : t('placeOne', params)
}

/**
 * The inspector: what is selected, with the way back. It answers where it stands; nothing scrolls.
 * @param {SceneContext} context
 */
export function inspector(context) {
  const { t, actions, selection, visits, matrices, cell } = context
  const isOpen = selection.cell !== null || selection.word !== null
  const shown = /** @type {Matrix} */ (matrices.get(cell.matrix))
  const less = lessOf(context)
  const status = {
    matrix: t(`matrix.${shown.id}`),
    row: shown.rows[cell.row],
    column: shown.columns[cell.column],
    value: format(valueAt(matrices, cell)),
  }
  const close = () => actions.select({ cell: null, word: null })
  return html`<div class="side"><section class="panel sheet ${isOpen ? 'is-open' : ''}" id="inspector" aria-label=${t('panel')}>
    ${sheetHandle(t)}
    <header>
      <button type="button" class="tool icon" id="back" aria-label=${t('back')} title=${t('back')} ?disabled=${!visits.hasBack} @click=${actions.back}>←</button>
      <button type="button" class="tool icon" id="forward" aria-label=${t('forward')} title=${t('forward')} ?disabled=${!visits.hasForward} @click=${actions.forward}>→</button>
      <h2 title=${title(context)}>${title(context)}</h2>
      <button type="button" class="tool icon" id="inspector-close" aria-label=${t('close')} title=${t('close')} ?hidden=${!isOpen} @click=${close}>×</button>
    </header>
    ${isOpen && selection.cell ? sheetRow(context, shown) : nothing}
    <div class="panel-body sheet-body" tabindex="0" role="group" aria-label=${t(`matrix.${shown.id}`)}>
      ${selection.word && !selection.cell ? wordPage(context, selection.word) : less ? differencePage(context, less) : cellPage(context)}
    </div>
    <p class="visually-hidden" role="status">${selection.cell ? t('pinnedStatus', status) : nothing}</p>
  </section></div>`
}
