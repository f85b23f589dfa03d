import { html, nothing } from 'lit'
import '../../../elements/heatmap.js'
import { format, zeroOr } from '../../../files/number-format.js'
import { later } from '../../../shell/later.js'
import { once } from '../../../shell/once.js'
import { behindSign, inspector as drawInspector, drawParts } from '../../../ui/inspector.js'
import { numberIn, sizesOf } from '../explain/chain.js'
import { sourcesOf, targetsOf } from '../explain/dependencies.js'
import { namesOf } from '../explain/labels.js'
import { symbolOf, valueAt } from '../explain/matrix-names.js'
import { isSameCell } from '../settings.js'
import { part, partTexts } from './folded.js'
import { math } from './math.js'
import { cellPlace } from './select.js'
import { domain } from './spoken.js'
import { withTerms } from './terms.js'
import { weightSensitivity } from './weight-sensitivity.js'
import { wordButton } from './word-buttons.js'

/** @import { Cell, Explanation, Matrix, Region, SceneContext, Word } from '../layer.js' */
/** @import { Inline, Page, Part, Place, Value } from '../../../attention-head/head.js' */
/** @import { Drawn } from '../../../ui/inspector.js' */

/** @typedef {Extract<Explanation, { terms: unknown }>} Sum */

const wordPage = later(() => import('./word-page.js'))
const moves = part(async () => (await import('./sensitivity-panel.js')).sensitivity)
const uncovering = once(() => import('../../../ui/uncover.js'))

/** Maximum cells of the selected row on a phone. */
const MOST_IN_ROW = 24

/** Returns a number of a matrix as a link to its page. @param {SceneContext} context @param {Cell} cell @returns {Value} */
function factor({ t, matrices, result }, cell) {
  const { scale, reach, isHidden } = matrices.get(cell.matrix)
  return {
    value: numberIn(result, cell),
    name: t(`matrix.${cell.matrix}`),
    scale,
    reach,
    isHidden: isHidden(cell.row, cell.column),
    opens: cellPlace(cell),
  }
}

/** Returns a number without a link. Writes an exact 0, such as the exponential of a hidden key, as 0. @param {number} value @returns {Value} */
const plain = value => (value === 0 ? { value, text: '0' } : { value })

/** @param {unknown} template @returns {Part} */
const drawing = template => ({ type: 'drawing', draw: () => html`${template}` })

/** @param {string} text @returns {Part} */
const says = text => ({ type: 'text', text })

/** @param {Inline[]} terms @returns {Part} */
const line = (...terms) => ({ type: 'equation', terms })

/** Draws a text whose glossary terms open their explanation. @param {SceneContext} context @param {string} text */
const explains = ({ t }, text) => drawing(html`<div class="explains">${withTerms(t, text)}</div>`)

/**
 * @param {SceneContext} context
 * @param {Inline[]} columns
 * @param {(i: number) => string} name
 * @param {(i: number) => Inline[]} cells
 * @param {ArrayLike<number>} sizes
 * @param {Pick<import('../../../attention-head/head.js').Sum, 'own' | 'foot' | 'isDifference'>} [options]
 * @returns {Part}
 */
const lines = ({ cell }, columns, name, cells, sizes, options) => ({
  type: 'sum',
  id: 'terms',
  key: JSON.stringify(cell),
  columns,
  name,
  cells,
  sizes,
  ...options,
})

/** @param {SceneContext} context @param {Cell} cell */
const symbol = ({ result }, cell) => math(symbolOf(result, cell.matrix, cell.head))

/** Lists the terms of a sum, each computed from two or three cells. @param {SceneContext} context @param {Sum} explanation @returns {Part[]} */
function sum(context, explanation) {
  const { t, result, arithmetic } = context
  const { kind, terms } = explanation
  const isOutput = kind === 'products' && explanation.along === 'keys'
  const sizes = sizesOf(result, explanation, arithmetic)
  const name = (/** @type {number} */ i) => (isOutput ? namesOf(result).keys[i] : t('dimension', { dimension: i + 1 }))
  /** @param {Inline[]} columns @param {(cells: Value[], i: number) => Inline[]} write */
  const written = (columns, write) => {
    const cells = (/** @type {number} */ i) => terms[i].map(cell => factor(context, cell))
    return lines(context, columns, name, i => write(cells(i), i), sizes)
  }
  if (kind === 'gaussian') {
    const { sigma } = explanation
    const columns = ['', math('q'), '', math('k'), '']
    return [
      says(t('explainGaussian', { sigma })),
      written(columns, ([q, k]) => ['(', q, '−', k, html`)<sup>2</sup>`]),
      line(html`÷ (−2 · ${sigma}<sup>2</sup>)`),
    ]
  }
  if (kind === 'additive') {
    const columns = [math('v_a'), '', math('Q_a'), '', math('K_a')]
    return [says(t('explainAdditive')), written(columns, ([v, q, k]) => [v, '· tanh(', q, '+', k, ')'])]
  }
  const { bias } = explanation
  const columns = terms.length ? [symbol(context, terms[0][0]), '', symbol(context, terms[0][1]), '', ''] : []
  const product = (/** @type {number} */ i) => html`<span class="term-product">${format(sizes[i])}</span>`
  return [
    explains(context, t(isOutput ? 'explainOutput' : 'explainProducts')),
    written(columns, ([x, y], i) => [x, '×', y, '=', product(i)]),
    ...(bias ? [line(symbol(context, bias), factor(context, bias))] : []),
  ]
}

/** @param {SceneContext} context @param {Extract<Explanation, { kind: 'softmax' }>} explanation @returns {Part[]} */
function softmax(context, { sources, own, exponentials, largest, sum }) {
  const { t, result, cell } = context
  const { softmaxAxis } = result.settings
  const { queries, keys } = namesOf(result)
  const names = softmaxAxis === 'keys' ? keys : queries
  if (largest === -Infinity) return [says(t('explainNoKey', { query: queries[cell.row] }))]
  const exp = html`${math('exp ( m')}<span> − ${behindSign(largest)})</span>`
  return [
    explains(context, t(softmaxAxis === 'keys' ? 'explainSoftmax' : 'explainSoftmaxQueries')),
    lines(
      context,
      [math('m'), exp],
      i => names[i],
      i => [factor(context, sources[i]), plain(exponentials[i])],
      exponentials,
      { own, foot: [{ name: t('sum'), cells: ['', plain(sum)] }] },
    ),
    line(`${zeroOr(exponentials[own])} ÷ ${format(sum)}`),
  ]
}

/** @param {SceneContext} context @param {Extract<Explanation, { kind: 'mask' }>} explanation @returns {Part[]} */
function mask(context, { source, isHidden, reason, zero }) {
  const { t, result, cell } = context
  const { left, right, padding, prefix } = result.settings
  const { queries, keys } = namesOf(result)
  const params = { query: queries[cell.row], key: keys[cell.column], left, right, padding, prefix }
  const text = isHidden ? t(`hides.${reason}`, params) : t(zero ? 'explainKeptZero' : 'explainKept', params)
  const then = isHidden ? ` ${t(zero ? 'explainZero' : 'explainInfinity')}` : ''
  return [says(`${text}${then}`), line(factor(context, source), '→')]
}

/** @param {SceneContext} context @param {Extract<Explanation, { kind: 'origin' }>} explanation */
function origin({ t, result, cell }, { from, id = 0 }) {
  const { seed, tableRows, layer } = result.settings
  return says(t(`origin.${from}`, { seed: String(seed), column: cell.column + 1, rows: tableRows, id, layer }))
}

/** Draws the link to "Why divide by √d?" @param {SceneContext} context */
function whyRoot({ t, actions, vectorSize }) {
  const show = () => {
    actions.setDistribution(vectorSize)
    actions.reveal('#distribution')
  }
  return html`<p><button type="button" class="plain" id="why-root" @click=${show}>${t('distribution')}</button></p>`
}

/** Lists how the number was computed, step by step. @param {SceneContext} context @returns {Part[]} */
function steps(context) {
  const { t, result, explanation } = context
  switch (explanation.kind) {
    case 'products':
    case 'gaussian':
    case 'additive':
      return sum(context, explanation)
    case 'sum':
      return [says(t('explainSum')), line(factor(context, explanation.source), '+', factor(context, explanation.other))]
    case 'rotate': {
      const { source, other, position, angle, cos, sin } = explanation
      const turn = t('explainRotate', { position, angle: format(angle) })
      return [
        says(turn),
        line(factor(context, source), `× ${format(cos)} +`, factor(context, other), `× ${format(sin)}`),
      ]
    }
    case 'softmax':
      return softmax(context, explanation)
    case 'scale': {
      const { source, factor: by, size, isRoot } = explanation
      return [
        says(t(isRoot ? 'explainScale' : by === 1 ? 'explainUnscaled' : 'explainFactor', { size, factor: by })),
        line(factor(context, source), isRoot ? `÷ √${size}` : `× ${by}`),
        ...(isRoot ? [drawing(whyRoot(context))] : []),
      ]
    }
    case 'mask':
      return mask(context, explanation)
    case 'divide':
      return [says(t('explainDivide')), line(factor(context, explanation.source), `÷ ${format(explanation.sum)}`)]
    case 'override': {
      const tokens = explanation.set.map(({ column }) => namesOf(result).keys[column]).join(', ')
      return [says(t('explainOverride', { tokens }))]
    }
    case 'join': {
      const { head, column } = explanation.source
      return [says(t('explainJoin', { column: column + 1, head: head + 1 })), line(factor(context, explanation.source))]
    }
    case 'hand':
      return [says(t('explainHand'))]
    default:
      return [origin(context, explanation)]
  }
}

/** Draws an input for editable cells. @param {SceneContext} context @returns {Part[]} */
function setter({ t, actions, matrices, cell, settings, result }) {
  if (!matrices.get(cell.matrix)?.isEditable) return []
  const isSet = settings.edits.some(edit => isSameCell(edit, cell))
  const place = cell.row * result.settings.keys.tokens.length + cell.column
  const isHidden = cell.matrix === 'weights' && result.visible?.[place] === 0
  return [
    ...(isHidden ? [/** @type {Part} */ ({ type: 'text', text: t('setHidden'), tone: 'note' })] : []),
    {
      type: 'input',
      id: 'set',
      label: t('setTo'),
      value: valueAt(matrices, cell),
      set: (value, mark) => actions.edit(cell, value, mark),
      hold: () => actions.select({ cell }), // selects the cell, so that the inspector stays on it even if another link becomes the strongest
      reset: isSet ? { label: t('giveBack'), act: () => actions.edit(cell, undefined) } : undefined,
    },
  ]
}

/** @param {SceneContext} context @param {Region[]} regions @param {'comesFrom' | 'goesTo'} label */
function list({ t, matrices, result }, regions, label) {
  const seen = regions.filter(({ matrix }) => matrices.has(matrix))
  const symbols = [...new Set(seen.map(({ matrix, head }) => symbolOf(result, matrix, head)))]
  if (symbols.length === 0) return nothing
  return html`<p class="flow flow-${label}"><span class="swatch-mark mark-${label === 'comesFrom' ? 'source' : 'target'}"></span>
    ${t(label)} ${symbols.map((each, i) => html`${i ? ', ' : nothing}${math(each)}`)}</p>`
}

/**
 * Draws the map of the weights, so that their change is visible while a number of another matrix is dragged or typed.
 * @param {SceneContext} context
 * @param {Matrix} shown
 */
function liveMap(context, shown) {
  const { t, matrices, mask, result } = context
  if (!shown.isEditable || shown.id === 'weights' || result.detailHead !== undefined) return nothing
  return html`<qkv-heatmap
    id="live-map"
    .label=${t('liveMap')}
    .matrix=${matrices.get('weights').tensor}
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

/** Draws a word of the cell as a button. @param {SceneContext} context @param {Word} word @param {string} name */
const wordLink = (context, word, name) => wordButton(context, word, html`<bdi>${name}</bdi>`, 'is-link')

/** Names the row and column of a cell, with words as buttons. @param {SceneContext} context @param {Matrix} shown */
function place(context, shown) {
  const { t, cell } = context
  const name = (/** @type {'row' | 'column'} */ axis) => {
    const text = (axis === 'row' ? shown.rows : shown.columns)[cell[axis]]
    const kind = shown.axes[axis === 'row' ? 0 : 1]
    const side = kind === 'queries' || kind === 'tokens' ? 'queries' : kind === 'keys' ? 'keys' : undefined
    return side ? wordLink(context, { side, position: cell[axis] }, text) : html`<b><bdi>${text}</bdi></b>`
  }
  return html`<p class="where">${
    shown.rows[cell.row] ? html`${t('row')} ${name('row')} <span aria-hidden="true">·</span> ` : nothing
  }${t('column')}
    ${name('column')}</p>`
}

/** Draws the chain down to the number's origin, as links. @param {SceneContext} context @returns {Part[]} */
function chain(context) {
  const { t, chain } = context
  if (chain.length < 3) return []
  return [
    { type: 'heading', text: t('chain'), isSmall: true },
    {
      type: 'links',
      id: 'chain',
      items: chain
        .slice(1)
        .map(each => [html`${t(`matrix.${each.matrix}`)} ${symbol(context, each)}`, factor(context, each)]),
    },
  ]
}

/** Draws the page of the difference of two cells. @param {SceneContext} context @param {Cell} less @returns {Omit<Page, 'title'>} */
function differencePage(context, less) {
  const { t, matrices, cell, result, arithmetic, actions } = context
  const shown = matrices.get(cell.matrix)
  const cells = [cell, less]
  const values = cells.map(each => numberIn(result, each))
  const name = (/** @type {number} */ i) =>
    [shown.rows[cells[i].row], shown.columns[cells[i].column]].filter(Boolean).join(' → ')
  return {
    head: [{ type: 'heading', text: t('subtracted', { matrix: t(`matrix.${shown.id}`) }) }],
    result: arithmetic.differences([values[0]], [values[1]])[0],
    parts: [
      lines(context, [], name, i => [i ? '−' : '', factor(context, cells[i])], values, { isDifference: true }),
      drawing(
        html`<p><button type="button" class="plain" id="subtract-none"
          @click=${() => actions.select({ less: null })}>${t('subtractNone')}</button></p>`,
      ),
    ],
  }
}

/** Returns the subtracted cell, if it exists. @param {SceneContext} context */
function lessOf({ settings: { cell, less }, result }) {
  return cell && less && cell.matrix === less.matrix && !Number.isNaN(numberIn(result, less)) ? less : undefined
}

/** Draws the page of a cell: how its number is computed. @param {SceneContext} context @returns {Omit<Page, 'title'>} */
function cellPage(context) {
  const { t, matrices, cell, result } = context
  const shown = matrices.get(cell.matrix)
  const flows = html`<div class="flows">${list(
    context,
    sourcesOf(result, cell),
    'comesFrom',
  )}${list(context, targetsOf(result, cell), 'goesTo')}</div>`
  return {
    head: [
      { type: 'heading', text: html`${math(shown.symbol)} ${t(`matrix.${shown.id}`)}` },
      drawing(place(context, shown)),
    ],
    result: valueAt(matrices, cell),
    parts: [
      { type: 'steps', parts: steps(context) },
      ...chain(context),
      ...setter(context),
      drawing(liveMap(context, shown)),
      drawing(
        shown.id === 'weights' ? weightSensitivity(context) : /^W[qkv]$/.test(shown.id) ? moves(context) : nothing,
      ),
      drawing(flows),
      drawing(html`<p class="note hint">${t('panelHint')}</p>`),
    ],
  }
}

/** Repeats the selected row for phones, where the sheet covers it. @param {SceneContext} context @param {Matrix} shown @returns {Page['row']} */
const rowOf = (context, { columns }) =>
  Array.from({ length: Math.min(columns.length, MOST_IN_ROW) }, (_, column) => ({
    name: columns[column],
    isOwn: column === context.cell.column,
    value: factor(context, { ...context.cell, column }),
  }))

/** Returns the title of the panel, such as "Weights, head 1, eat to is". @param {SceneContext} context */
function title(context) {
  const { t, settings, result, cell, matrices, head } = context
  const { queries, keys } = namesOf(result)
  if (settings.word && !settings.cell) {
    const { side, position } = settings.word
    return t('placeWord', { word: (side === 'queries' ? queries : keys)[position] ?? '', head: head + 1 })
  }
  const shown = matrices.get(cell.matrix)
  const params = { matrix: t(`matrix.${shown.id}`), row: shown.rows[cell.row], column: shown.columns[cell.column] }
  return shown.rows[cell.row] ? t('placeCell', params) : t('placeOne', params)
}

/** Draws the page of a word. @param {SceneContext} context @param {Drawn} drawn @param {Word} word */
function wordPart(context, drawn, word) {
  wordPage.ask(() => {}) // loads in parallel with its texts
  return partTexts(context.t).draw(t =>
    wordPage.draw(({ wordParts }) => drawParts(drawn, wordParts({ ...context, t }, word))),
  )
}

/** Draws the page of the selection: a word, a cell, or the difference of two cells. @param {SceneContext} context @param {Drawn} drawn @returns {Page} */
function inspectorPage(context, drawn) {
  const { t, settings, matrices, cell } = context
  const shown = matrices.get(cell.matrix)
  const less = lessOf(context)
  const status = {
    matrix: t(`matrix.${shown.id}`),
    row: shown.rows[cell.row],
    column: shown.columns[cell.column],
    value: shown.isHidden(cell.row, cell.column) ? zeroOr(valueAt(matrices, cell)) : format(valueAt(matrices, cell)),
  }
  const { word } = settings
  const page =
    word && !settings.cell
      ? { parts: [drawing(wordPart(context, drawn, word))] }
      : less
        ? differencePage(context, less)
        : cellPage(context)
  return {
    title: title(context),
    row: settings.cell ? rowOf(context, shown) : undefined,
    status: settings.cell ? t('pinnedStatus', status) : undefined,
    ...page,
  }
}

/** Draws the inspector: the page of the selection, with a link back. It changes in place without scrolling. @param {SceneContext} context */
export function inspector(context) {
  const { t, isDark, actions, settings, visits, arithmetic } = context
  const act = {
    open: (/** @type {Place} */ place) => open(context, place),
    back: actions.back,
    forward: actions.forward,
    close: () => actions.select({ cell: null, word: null }),
    redraw: actions.refresh,
  }
  const drawn = { t, isDark, act, sum: arithmetic.sum }
  const { cell } = settings
  // If the reader pressed the cell in the map beside the flow, keep the map above the sheet instead of the flow.
  const isInMap = cell && document.querySelector('.beside')?.contains(document.activeElement)
  if (cell) uncovering().then(({ uncover }) => uncover('inspector', isInMap ? '#map' : `#${context.picture}`, cell))
  return drawInspector({
    ...drawn,
    id: 'inspector',
    className: 'panel',
    label: t('panel'),
    page: inspectorPage(context, drawn),
    isOpen: settings.cell !== null || settings.word !== null,
    hasBack: visits.hasBack,
    hasForward: visits.hasForward,
  })
}

/** @param {SceneContext} context @param {Place} place */
function open(context, { cell, head }) {
  if (!cell) return
  const { row, column } = cell
  const to = { matrix: /** @type {Cell['matrix']} */ (cell.matrix), head: head?.head ?? 0, row, column }
  const { settings, actions } = context
  // Select the shown cell first if it is not selected, so that Back returns to it.
  if (!settings.word && !settings.cell) actions.select({ cell: context.cell })
  actions.select({ cell: to })
}
