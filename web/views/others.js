import { html, nothing } from 'lit'
import { otherHead } from '../explain/comparison.js'
import { FIELDS } from '../settings/fields.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../explain/matrices.js').Matrix} Matrix */

/** Which view of the chosen head. @param {SceneContext} context */
export function views({ t, settings, actions }) {
  return html`<div class="modes views" role="group" aria-label=${t('view')}>
    ${FIELDS.view.choices.map(
      name =>
        html`<button type="button" data-view=${name} aria-pressed=${settings.view === name} @click=${() => actions.look({ view: name })}>${t(`view.${name}`)}</button>`,
    )}
  </div>`
}

/**
 * The views of the chosen head that are not the map.
 * @param {SceneContext} context
 */
export function otherView(context) {
  const { view } = context.settings
  return view === 'lines' ? lines(context) : view === 'difference' ? difference(context) : numbers(context)
}

/** @param {SceneContext} context */
function lines({ t, result, matrices, mask }) {
  const { queries, keys } = result.settings
  const { tensor } = /** @type {Matrix} */ (matrices.get('weights'))
  return html`<qkv-lines
    id="lines"
    .label=${t('view.lines')}
    .weights=${tensor}
    .mask=${mask}
    .queryTokens=${queries.tokens}
    .keyTokens=${keys.tokens}
    .texts=${t.elements}
  ></qkv-lines>`
}

/**
 * This head less another, or the baseline less the settings of now.
 * @param {SceneContext} context
 */
function difference({ t, result, head, matrices, settings, actions, compared }) {
  const { minus, baseline } = settings
  const other = otherHead(settings.other, head, result.heads)
  const choose = (/** @type {Event & { target: HTMLSelectElement }} */ { target }) =>
    actions.look(target.value === 'settings' ? { minus: 'settings' } : { minus: 'head', other: Number(target.value) })
  const { queries, keys } = result.settings
  const here = /** @type {Matrix} */ (matrices.get('weights')).tensor
  const [from, less] = minus === 'settings' ? [compared?.tensor, here] : [here, compared?.tensor]
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
      from && less
        ? html`<p class="note">${title}</p>
            <qkv-heatmap
              id="difference"
              .label=${title}
              .matrix=${from}
              .minus=${less}
              .rowTokens=${queries.tokens}
              .columnTokens=${keys.tokens}
              .rowTitle=${t('axis.queries')}
              .columnTitle=${t('axis.keys')}
              .texts=${t.elements}
            ></qkv-heatmap>`
        : html`<p class="note" id="incomparable">${t(compared?.trouble ?? 'compareNone', compared?.params)}</p>`
    }`
}

/** The numbers of each head. @param {SceneContext} context */
function numbers({ t, head, language, statistics = [], actions }) {
  const write = new Intl.NumberFormat(language, { minimumFractionDigits: 4, maximumFractionDigits: 4 })
  const names = /** @type {const} */ (['entropy', 'first', 'previous', 'self'])
  return html`<table class="head-numbers" id="head-numbers">
      <caption class="note">${t('numbersText')}</caption>
      <thead><tr><th scope="col">${t('headColumn')}</th>${names.map(name => html`<th scope="col">${t(`numbers.${name}`)}</th>`)}</tr></thead>
      <tbody>
        ${statistics.map(
          (each, h) =>
            html`<tr class=${h === head ? 'is-own' : ''}>
              <th scope="row"><button type="button" class="plain" aria-pressed=${h === head} @click=${() => actions.look({ head: h })}>${h + 1}</button></th>
              ${names.map(name => html`<td>${Number.isNaN(each[name]) ? '–' : write.format(each[name])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`
}
