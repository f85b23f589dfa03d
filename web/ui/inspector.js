// Draws the pages of the inspector: how a number was computed, from the result down to numbers that open further pages.

import { html, nothing } from 'lit'
import { format, zeroOr } from '../files/number-format.js'
import { toNumber } from '../shell/kinds.js'
import { addends, guesses } from './contributions.js'
import { colourOf } from './number-colours.js'
import { sheetHandle } from './sheet.js'
import { termLines } from './term-lines.js'

/** @import { Inline, InspectorActions, Page, Part, Value } from './pages.js' */
/** @typedef {(key: any, params?: Record<string, string | number>) => string} Translate */

/**
 * @typedef {object} Drawn
 * @property {Translate} t
 * @property {boolean} isDark
 * @property {Pick<InspectorActions, 'open'> & Partial<InspectorActions>} act
 * @property {(numbers: number[]) => number} [sum]
 */

/** Maximum number of bars before the list is expanded. */
const MOST_BARS = 5

/** Ids of the expanded lists of bars. @type {Set<string>} */
const opened = new Set()

/** @param {readonly number[]} numbers */
const plainSum = numbers => numbers.reduce((a, b) => a + b, 0)

/** Formats a number after an operator: a negative one in parentheses. @param {number} x */
export const behindSign = x => (x < 0 ? `(${format(x)})` : format(x))

/** Returns the largest magnitude, which is the end of a signed colour scale. @param {Iterable<number>} numbers */
export const reachOf = numbers => Math.max(...Array.from(numbers, x => (Number.isFinite(x) ? Math.abs(x) : 0)), 1e-9)

/** @param {Inline} item @returns {item is Value} */
const isValue = item => typeof item === 'object' && 'value' in item

/** Draws a number as text, or, if it opens a page, as a coloured button. @param {Drawn} drawn @param {Value} value */
function number(
  { t, isDark, act },
  { value, name = '', scale = 'signed', reach = 1, opens, isHidden = false, text = format(value) },
) {
  if (!opens) return html`<span data-value=${value}>${text}</span>`
  const { ground, ink } = colourOf(scale, reach, value, isDark)
  const isPlain = isHidden || value === Number.NEGATIVE_INFINITY
  return html`<button type="button" class="factor ${isPlain ? 'is-hidden' : ''}" data-value=${value}
    .style=${isPlain ? '' : `background-color: ${ground}; color: ${ink}`}
    aria-label=${t('goTo', { value: `${name} ${text}` })} @click=${() => act.open(opens)}>${text}</button>`
}

/** @param {Drawn} drawn @param {Inline} item */
const inline = (drawn, item) => (isValue(item) ? number(drawn, item) : item)

/** @param {Drawn} drawn @param {readonly Inline[]} items */
const line = (drawn, items) => items.map((item, i) => html`${i ? ' ' : ''}${inline(drawn, item)}`)

/** @param {Drawn} drawn @param {import('./pages.js').Sum} part */
function sumPart(drawn, { id, key, label, columns, name, cells, sizes, own, foot, isDifference }) {
  const { t, act, sum = plainSum } = drawn
  const drawnFoot = foot
    ? html`<tfoot>${foot.map(
        row =>
          html`<tr><th scope="row"
            class="term-name">${inline(drawn, row.name)}</th>${row.cells.map(cell => html`<td>${inline(drawn, cell)}</td>`)}</tr>`,
      )}</tfoot>`
    : nothing
  const lines = termLines(
    { t, id: `${id}-more`, key, sum, refresh: () => act.redraw?.() },
    columns.map(column => inline(drawn, column)),
    name,
    i => cells(i).map(cell => inline(drawn, cell)),
    sizes,
    { own, foot: drawnFoot, isDifference },
  )
  return label === undefined
    ? lines
    : html`<div class="models-scroll" id=${id} tabindex="0" role="group" aria-label=${label}>${lines}</div>`
}

/** @param {Drawn} drawn @param {import('./pages.js').Bars} part */
function bars({ act, sum = plainSum }, { key, rows, written, more }) {
  const shown = opened.has(key) ? rows : rows.slice(0, MOST_BARS)
  const rest = rows.slice(shown.length)
  const most = rows[0]?.share || 1
  const open = () => {
    opened.add(key)
    act.redraw?.()
  }
  return html`<ol class="shares">${shown.map(
    ({ name, share, place, id }) =>
      html`<li><button type="button" class="share" data-share=${id ?? nothing} @click=${() => act.open(place)}>
        <span class="share-name"><bdi>${name}</bdi></span>
        <span class="share-bar" aria-hidden="true"><span .style=${`inline-size: ${(100 * share) / most}%`}></span></span>
        <span class="share-number" data-value=${share}>${written(share)}</span>
      </button></li>`,
  )}</ol>
  ${
    rest.length
      ? html`<button type="button" class="plain more-shares"
        @click=${open}>${more(rest.length, sum(rest.map(({ share }) => share)))}</button>`
      : nothing
  }`
}

/** Draws a field for a number; invalid input leaves the number unchanged. @param {import('./pages.js').Input} part */
function input({ id, label, value, set, hold, reset }) {
  const type = (/** @type {Event & { target: HTMLInputElement }} */ { target, timeStamp }) => {
    const typed = toNumber(target.value)
    hold?.()
    if (Number.isFinite(typed) && format(typed) !== format(value)) set(typed, `box ${timeStamp}`)
    else target.value = format(value)
  }
  return html`<p class="setter" data-undo="room">
    <label>${label} <input id=${id} inputmode="decimal" autocomplete="off" .value=${format(value)}
      @focus=${() => hold?.()} @change=${type} /></label>
    ${reset ? html`<button type="button" class="plain" @click=${reset.act}>${reset.label}</button>` : nothing}
  </p>`
}

/** @param {Drawn} drawn @param {Part} part @returns {unknown} */
function draw(drawn, part) {
  switch (part.type) {
    case 'text': {
      const items = Array.isArray(part.text) ? part.text : [part.text]
      const tone = part.tone === 'changed' ? 'note is-changed' : part.tone
      return html`<p class=${tone ?? nothing}>${line(drawn, items)}</p>`
    }
    case 'sentence':
      return html`<p class="role">${part.parts.map(item => inline(drawn, item))}</p>`
    case 'heading':
      return part.isSmall ? html`<h4>${inline(drawn, part.text)}</h4>` : html`<h3>${inline(drawn, part.text)}</h3>`
    case 'equation':
      return html`<p class="line" data-side=${part.side ?? nothing}>${line(drawn, part.terms)}</p>`
    case 'list':
      return html`<dl class="models-terms">${part.rows.map(
        ({ name, value }) => html`<div><dt>${inline(drawn, name)}</dt><dd>${inline(drawn, value)}</dd></div>`,
      )}</dl>`
    case 'sum':
      return sumPart(drawn, part)
    case 'bars':
      return bars(drawn, part)
    case 'guesses':
      return guesses(part)
    case 'addends':
      return addends(part, drawn.act.open)
    case 'input':
      return input(part)
    case 'steps':
      return html`<div class="steps">${drawParts(drawn, part.parts)}</div>`
    case 'links':
      return html`<ol class="chain" id=${part.id ?? nothing}>${part.items.map(items => html`<li>${line(drawn, items)}</li>`)}</ol>`
    default:
      return part.draw()
  }
}

/** Draws the parts of a page. @param {Drawn} drawn @param {readonly Part[]} parts @returns {unknown[]} */
export const drawParts = (drawn, parts) => parts.map(part => draw(drawn, part))

/**
 * Draws the inspector: title, Back and Forward, and the page. On a phone the inspector is a bottom sheet.
 * @param {Drawn & { id: string, className: string, label: string, page: Page | 'waiting' | undefined, title?: string, isOpen?: boolean,
 *   hasBack: boolean, hasForward: boolean }} given title: shown while the page is loading; isOpen: True if something is selected
 */
export function inspector(given) {
  const { t, act, id, className, label, page, isOpen = true, hasBack, hasForward } = given
  if (page === undefined) return nothing
  const known = page === 'waiting' ? undefined : page
  const title = known?.title ?? given.title ?? ''
  return html`<section class="${className} sheet ${isOpen ? 'is-open' : ''}" id=${id} aria-label=${label}
    aria-busy=${known ? nothing : 'true'}>
    ${sheetHandle(t)}
    <header>
      <button type="button" class="tool icon" id="${id}-back" aria-label=${t('back')} title=${t('back')}
        ?disabled=${!hasBack} @click=${act.back}>←</button>
      <button type="button" class="tool icon" id="${id}-forward" aria-label=${t('forward')} title=${t('forward')}
        ?disabled=${!hasForward} @click=${act.forward}>→</button>
      <h2 title=${title}>${title}</h2>
      <button type="button" class="tool icon" id="${id}-close" aria-label=${t('close')} title=${t('close')}
        ?hidden=${!isOpen} @click=${act.close}>×</button>
    </header>
    ${
      known?.row
        ? html`<div class="sheet-row">${known.row.map(
            ({ name, value, isOwn }) =>
              html`<span class="sheet-cell ${isOwn ? 'is-own' : ''}"><span
                class="sheet-name"><bdi>${name}</bdi></span>${number(given, value)}</span>`,
          )}</div>`
        : nothing
    }
    <div class="panel-body sheet-body" tabindex="0" role="group" aria-label=${title}>${
      known
        ? html`${drawParts(given, known.head ?? [])}
      ${
        known.result === undefined
          ? nothing
          : html`<p class="total"><span aria-hidden="true">=</span> <output data-value=${known.result}>${zeroOr(known.result)}</output></p>`
      }
      ${drawParts(given, known.parts)}`
        : html`<p class="note">${t('loading')}</p>`
    }</div>
    <p class="visually-hidden" role="status">${known?.status ?? nothing}</p>
  </section>`
}
