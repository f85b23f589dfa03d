import { html, nothing } from 'lit'
import { otherHead } from '../explain/comparison.js'
import { largestDifferences } from '../explain/head-facts.js'
import { namesOf } from '../explain/labels.js'
import { headSentences } from './head-list.js'
import { left, rested, selectCell } from './hover.js'
import { hoverWord, marks, pinWord, spokenCell, spokenWord, wordAt } from './spoken.js'
import { marked, rich } from './word-buttons.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../explain/matrix-names.js').Matrix} Matrix */

/**
 * The views of the chosen head that are not the map.
 * @param {SceneContext} context
 */
export function otherView(context) {
  const { view } = context.settings
  return view === 'lines' ? lines(context) : view === 'difference' ? difference(context) : numbers(context)
}

/** @param {SceneContext} context */
function lines(context) {
  const { t, result, matrices, mask, actions } = context
  const { queries, keys } = namesOf(result)
  const { tensor } = /** @type {Matrix} */ (matrices.get('weights'))
  const word = spokenWord(context)
  return html`<qkv-lines
    id="lines"
    .label=${t('view.lines')}
    .weights=${tensor}
    .mask=${mask}
    .queryTokens=${queries}
    .keyTokens=${keys}
    .token=${word && { side: word.side === 'queries' ? 'row' : 'column', index: word.position }}
    .texts=${t.elements}
    @token-focus=${(/** @type {CustomEvent} */ event) => hoverWord(actions, wordAt(event))}
    @token-pin=${(/** @type {CustomEvent} */ event) => pinWord(actions, event)}
  ></qkv-lines>`
}

/**
 * This head less another, or the baseline less the settings of now.
 * @param {SceneContext} context
 */
function difference(context) {
  const { t, result, head, settings, actions, compared } = context
  const { minus, baseline } = settings
  const other = otherHead(settings.other, head, result.heads)
  const choose = (/** @type {Event & { target: HTMLSelectElement }} */ { target }) =>
    actions.look(target.value === 'settings' ? { minus: 'settings' } : { minus: 'head', other: Number(target.value) })
  const { queries, keys } = namesOf(result)
  const at = (/** @type {CustomEvent} */ { detail: { row, column } }) => ({
    matrix: /** @type {const} */ ('weights'),
    head,
    row,
    column,
  })
  const title = minus === 'settings' ? t('lessNow') : t('lessHead', { head: head + 1, other: other + 1 })
  return html`<div class="compare">
      <label>${t('minus')}
        <select id="minus" @change=${choose}>
          ${Array.from({ length: result.heads }, (_, h) => h).map(h =>
            h === head
              ? nothing
              : html`<option value=${h} ?selected=${minus === 'head' && other === h}>${t('minusHead', { head: head + 1, other: h + 1 })}</option>`,
          )}
          <option value="settings" ?selected=${minus === 'settings'}>${t('minusSettings')}</option>
        </select>
      </label>
      <button type="button" class="plain" id="keep" @click=${actions.setBaseline}>${t(baseline ? 'keepAgain' : 'keep')}</button>
    </div>
    ${
      compared?.difference
        ? html`<p class="note">${title}</p>
            <p class="note" id="largest-differences">${rich(largest(context, compared.difference))}</p>
            <qkv-heatmap
              id="difference"
              .label=${title}
              .matrix=${compared.difference}
              .scale=${'diverging'}
              .rowTokens=${queries}
              .columnTokens=${keys}
              .rowTitle=${t('axis.queries')}
              .columnTitle=${t('axis.keys')}
              .texts=${t.elements}
              .cell=${spokenCell(context)}
              .pinned=${settings.cell?.matrix === 'weights' && settings.cell.head === head ? settings.cell : undefined}
              .highlight=${marks(context)}
              @cell-focus=${(/** @type {CustomEvent} */ event) => rested(() => actions.point(at(event)))}
              @cell-leave=${() => left(() => actions.point(undefined))}
              @cell-pin=${(/** @type {CustomEvent} */ event) => selectCell(actions, at(event), event.detail.isSecond)}
              @token-focus=${(/** @type {CustomEvent} */ event) => hoverWord(actions, wordAt(event))}
              @token-pin=${(/** @type {CustomEvent} */ event) => pinWord(actions, event)}
            ></qkv-heatmap>`
        : html`<p class="note" id="incomparable">${t(compared?.trouble ?? 'compareNone', compared?.params)}</p>`
    }`
}

/**
 * "Most: is to is (+0.3120), ..."
 * @param {SceneContext} context
 * @param {{ data: ArrayLike<number>, dims: readonly number[] }} differences
 */
function largest({ t, result }, differences) {
  const { queries, keys } = namesOf(result)
  const list = largestDifferences(differences, 3).map(({ row, column, difference }) =>
    t('differenceAt', {
      query: marked(queries[row]),
      key: marked(keys[column]),
      amount: `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`,
    }),
  )
  return t('largestDifferences', { list: list.join(t('comma')) })
}

/** The numbers of each head; those that mean something. @param {SceneContext} context */
function numbers(context) {
  const { t, head, language, statistics = [], actions, result } = context
  const write = new Intl.NumberFormat(language, { minimumFractionDigits: 4, maximumFractionDigits: 4 })
  // Positions of two sentences have nothing to do with one another.
  const names = /** @type {('entropy' | 'first' | 'previous' | 'self')[]} */ (
    result.settings.isCross ? ['entropy', 'first'] : ['entropy', 'first', 'previous', 'self']
  )
  const sentences = result.heads > 1 ? headSentences(context) : []
  return html`<table class="head-numbers" id="head-numbers">
      <caption class="note">${t('numbersText')}</caption>
      <thead><tr><th scope="col">${t('headColumn')}</th>${names.map(name => html`<th scope="col">${t(`numbers.${name}`)}</th>`)}${sentences.length ? html`<td></td>` : nothing}</tr></thead>
      <tbody>
        ${statistics.map(
          (each, h) =>
            html`<tr class=${h === head ? 'is-own' : ''}>
              <th scope="row"><button type="button" class="plain" aria-pressed=${h === head} @click=${() => actions.select({ head: h })}>${h + 1}</button></th>
              ${names.map(name => html`<td data-number>${Number.isNaN(each[name]) ? '–' : write.format(each[name])}</td>`)}
              ${sentences.length ? html`<td class="head-sentence">${sentences[h]}</td>` : nothing}
            </tr>`,
        )}
      </tbody>
    </table>`
}
