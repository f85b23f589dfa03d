import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import './save-menu.js'
import { namesOf } from '../explain/labels.js'
import { largestOf } from '../explain/scale.js'
import { shades } from '../explain/word.js'
import { colourOf } from './colour.js'
import { closeMenu, menu } from './menu.js'
import { otherView } from './others.js'
import { bands, domain, spokenCell, spokenWord, wordAt } from './spoken.js'
import { cellSentence, rich, weightsOf, wordButton, wordSentences } from './words.js'

/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').Mode} Mode */
/** @typedef {import('../settings/fields.js').Word} Word */
/** @typedef {import('../explain/matrices.js').Matrix} Matrix */

/** So many words stand in the strip before the rest is counted; the maps name them all. */
const MOST_WORDS = 400

/**
 * A sentence whose words answer, shaded by the weights of the word that is spoken of.
 * @param {SceneContext} context
 * @param {Word['side']} side
 */
function strip(context, side) {
  const { t, result, selection, isDark } = context
  const { isCross } = result.settings
  const { tokens } = result.settings[side]
  const word = spokenWord(context)
  const isShaded = word && (isCross ? word.side !== side : true)
  const shade = isShaded ? shades(weightsOf(context), word) : undefined
  const reach = shade ? largestOf(shade) || 1 : 1
  return html`<div class="text-strip ${tokens.length > MANY_ROWS ? 'is-long' : ''}">
    ${isCross ? html`<span class="strip-label">${t(side === 'queries' ? 'tokensQueries' : 'tokensKeys')}</span>` : nothing}
    <tool-group class="strip-words" aria-label=${t(isCross ? (side === 'queries' ? 'tokensQueries' : 'tokensKeys') : 'tokens')}>
      ${tokens.slice(0, MOST_WORDS).map((token, position) => {
        const own = { side, position }
        const { ground, ink } = shade ? colourOf('share', reach, shade[position], isDark) : { ground: '', ink: '' }
        const isSelected = selection.word?.side === side && selection.word.position === position
        return wordButton(
          context,
          own,
          html`<bdi class="token" .style=${shade ? `background-color: ${ground}; color: ${ink}` : ''}>${token}</bdi><sub>${position + 1}</sub>`,
          isSelected ? 'is-selected' : '',
        )
      })}
      ${tokens.length > MOST_WORDS ? html`<span class="note">${t('moreTokens', { count: tokens.length - MOST_WORDS })}</span>` : nothing}
    </tool-group>
  </div>`
}

/** What is said of the cell or the word that is meant. @param {SceneContext} context */
function answer(context) {
  const { t, link, hovered, selection } = context
  const cell = hovered ? undefined : spokenCell(context)
  const word = spokenWord(context)
  const strongest = link && { side: /** @type {const} */ ('queries'), position: link.row }
  const isCell = cell && (context.pointed || !word || selection.cell)
  const about = isCell ? { side: /** @type {const} */ ('queries'), position: cell.row } : (word ?? strongest)
  const [first, second] = about ? wordSentences(context, about) : [t('strongestNone')]
  const sentences = isCell ? [cellSentence(context, cell), first] : [first, second]
  return html`<div class="answer" aria-live="polite">
    <p class="answer-first">${rich(sentences[0] ?? '')}</p>
    <p class="answer-second">${rich(sentences[1] ?? '')}</p>
  </div>`
}

/** What is seen, and that it is not trained. @param {SceneContext} context */
function seen({ t, result }) {
  const { model } = result.settings
  const origin = model === 'zoo' || model === 'given' ? model : 'random'
  return html`<p class="note seen" id="seen">${t(result.heads > 1 ? 'seenHeads' : 'seen', { heads: result.heads })} ${t(`untrained.${origin}`)}</p>`
}

/** The views of the chosen head, and what can be done on the map. @param {SceneContext} context */
function tabs(context) {
  const { t, settings, actions, mode } = context
  const names = /** @type {const} */ (['map', 'lines', 'difference', 'numbers'])
  const modes = /** @type {Mode[]} */ (['read', 'edit', 'paint'])
  const large = /** @type {Matrix} */ (context.matrices.get('weights'))
  return html`<tool-group class="tabs" aria-label=${t('view')}>
    ${names.map(
      name =>
        html`<button type="button" class="tab" data-view=${name} aria-pressed=${settings.view === name} @click=${() => actions.look({ view: name })}>${t(`view.${name}`)}</button>`,
    )}
    <span class="spring"></span>
    ${
      settings.view === 'map'
        ? menu(
            { id: 'edit', label: mode === 'read' ? t('edit') : t(`mode.${mode}`) },
            html`${modes.map(
              name =>
                html`<button
                  type="button"
                  data-mode=${name}
                  aria-pressed=${mode === name}
                  @click=${(/** @type {Event & { target: Element }} */ { target }) => {
                    closeMenu(target)
                    actions.setMode(name)
                  }}
                >${t(`mode.${name}`)}</button>`,
            )}`,
          )
        : nothing
    }
    ${context.result.heads > 1 ? html`<save-menu class="of-heads" .t=${t} .name=${t.elements.heads} .picture=${'qkv-heads'}></save-menu>` : nothing}
    <save-menu class="of-weights" .t=${t} .name=${t('matrix.weights')} .matrix=${large} .picture=${PICTURES[settings.view]}></save-menu>
  </tool-group>`
}

/** The picture of each view that has one. */
const PICTURES = { map: '#map', lines: '#lines', difference: '#difference', numbers: '' }

/** Which scale, beside its legend. @param {SceneContext} context */
function scaleChoice({ t, scaleEnd, actions }) {
  const ends = /** @type {const} */ (['shared', 'one', 'own'])
  return html`<label class="scale-choice">${t('scaleEnd')}
    <select id="scale-end" @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) => actions.setScaleEnd(/** @type {any} */ (target.value))}>
      ${ends.map(name => html`<option value=${name} ?selected=${scaleEnd === name}>${t(`scaleEnd.${name}`)}</option>`)}
    </select></label>`
}

/** With more rows than this, they can be filtered. */
const MANY_ROWS = 24

/** @type {{ of: unknown, filter: string, part: ReturnType<typeof partOf> } | undefined} */
let lastPart

/**
 * The rows whose word contains what is typed; all if none does.
 * @param {{ data: Float32Array, dims: readonly number[] }} tensor
 * @param {{ data: Uint8Array } | undefined} mask
 * @param {readonly string[]} names
 * @param {string} filter
 */
function partOf({ data, dims: [rows, columns] }, mask, names, filter) {
  const found = filter ? names.flatMap((name, i) => (name.toLowerCase().includes(filter.toLowerCase()) ? [i] : [])) : []
  const kept = found.length ? found : Array.from({ length: rows }, (_, i) => i)
  const pick = (/** @type {Float32Array | Uint8Array} */ from) => {
    const to =
      from instanceof Float32Array ? new Float32Array(kept.length * columns) : new Uint8Array(kept.length * columns)
    kept.forEach((row, i) => {
      to.set(from.subarray(row * columns, (row + 1) * columns), i * columns)
    })
    return { data: to, dims: [kept.length, columns] }
  }
  return {
    kept,
    found: found.length,
    tensor: pick(data),
    mask: mask && pick(mask.data),
    names: kept.map(i => names[i]),
  }
}

/** A field that filters rows, where there are many. @param {SceneContext} context @param {number} rows @param {number} found */
const rowFilter = ({ t, filter, actions }, rows, found) => html`<label class="row-filter">${t('filterRows')}
    <input id="row-filter" type="search" autocomplete="off" spellcheck="false" .value=${live(filter)} @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => actions.setFilter(target.value)} />
    ${filter ? html`<span class="note">${t(found ? 'filteredRows' : 'filteredNone', { count: found, of: rows })}</span>` : nothing}</label>`

/** @param {SceneContext} context */
function map(context) {
  const { t, head, matrices, mask, actions, mode, selection, pointed, result, filter } = context
  const large = /** @type {Matrix} */ (matrices.get('weights'))
  const { queries, keys } = namesOf(result)
  const isMany = queries.length > MANY_ROWS
  if (isMany && filter && (lastPart?.of !== large || lastPart.filter !== filter))
    lastPart = { of: large, filter, part: partOf(/** @type {any} */ (large.tensor), mask, queries, filter) }
  const part = isMany && filter ? lastPart?.part : undefined
  const toRow = (/** @type {number} */ row) => part?.kept[row] ?? row
  const at = (/** @type {CustomEvent} */ { detail: { row, column } }) => ({
    ...{ matrix: /** @type {const} */ ('weights'), head },
    ...{ row: toRow(row), column },
  })
  const own = (/** @type {SceneContext['pointed'] | null} */ cell) => {
    if (cell?.matrix !== 'weights' || cell.head !== head) return undefined
    const row = part ? part.kept.indexOf(cell.row) : cell.row
    return row < 0 ? undefined : { row, column: cell.column }
  }
  const word = (/** @type {CustomEvent} */ event) => {
    const { detail } = event
    return detail?.side === 'row'
      ? { side: /** @type {const} */ ('queries'), position: toRow(detail.index) }
      : wordAt(event)
  }
  return html`${isMany ? rowFilter(context, queries.length, part?.found ?? 0) : nothing}<qkv-heatmap
    id="map"
    .label=${t('matrix.weights')}
    .matrix=${part?.tensor ?? large.tensor}
    .previous=${part ? undefined : large.before}
    .mask=${part ? part.mask : mask}
    .rowTokens=${part?.names ?? queries}
    .columnTokens=${keys}
    .rowTitle=${t('axis.queries')}
    .columnTitle=${t('axis.keys')}
    .domain=${domain(context)}
    .mode=${mode}
    .editable=${true}
    .texts=${t.elements}
    .cell=${own(pointed) ?? own(selection.cell)}
    .pinned=${own(selection.cell)}
    .highlight=${part ? undefined : bands(context)}
    @cell-focus=${(/** @type {CustomEvent} */ event) => actions.point(at(event))}
    @cell-leave=${() => actions.point(undefined)}
    @cell-pin=${(/** @type {CustomEvent} */ event) => actions.select({ cell: at(event) })}
    @cell-edit=${(/** @type {CustomEvent} */ event) => actions.edit(at(event), event.detail.value, 'drag weights')}
    @cell-paint=${(/** @type {CustomEvent} */ event) => actions.paint(at(event).row, event.detail.column, !event.detail.hide)}
    @token-focus=${(/** @type {CustomEvent} */ event) => actions.hover(word(event))}
    @token-pin=${(/** @type {CustomEvent} */ event) => actions.select({ word: word(event) ?? null, cell: null })}
  ></qkv-heatmap>
  ${scaleChoice(context)}`
}

/** What a large trace leaves out. @param {SceneContext} context */
function left({ t, result, head }) {
  if (result.detailHead === undefined) return nothing
  const params = { head: head + 1, heads: result.heads }
  return html`<p class="note left-out">${t(result.smalls ? 'leftOutWeights' : 'leftOut', params)}</p>`
}

/**
 * The sentence, the answer, the picture of the chosen head.
 * @param {SceneContext} context
 */
export function stage(context) {
  const { t, result, settings } = context
  const { isCross, batch } = result.settings
  return html`<section class="stage" id="stage" tabindex="-1" aria-label=${t('matrix.weights')}>
    ${batch > 1 ? html`<p class="note" id="one-of-batch">${t('oneOfBatch', { batch })}</p>` : nothing}
    ${strip(context, 'queries')} ${isCross ? strip(context, 'keys') : nothing}
    ${answer(context)}
    ${seen(context)}
    ${tabs(context)}
    <div class="picture">${settings.view === 'map' ? map(context) : otherView(context)}</div>
    ${left(context)}
  </section>`
}
