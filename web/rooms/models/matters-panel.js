// "What matters for this answer?": the map of heads and the map of layers by positions. A cell becomes a change.

import { html, nothing } from 'lit'
import { factorOf, withChange, withFactor } from '../../head/changes.js'
import { signed } from '../../head/contributions.js'
import { shown } from '../../shell/slots.js'
import { textsLater } from '../../shell/texts-later.js'
import { nameOf } from './shown.js'

/** @typedef {import('./models.js').Room} Room */
/** @typedef {import('./models.js').Matters} Matters */
/** @typedef {import('../../shell/room.js').Translate<keyof typeof import('../../i18n/en/matters.js').texts>} MatterTexts */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {CustomEvent<{ row: number, column: number }>} PinEvent */

/** Heads that are named; digits of a logit. */
const [MOST_HEADS, DIGITS] = [5, 2]

/** @type {import('../../shell/texts-later.js').Later<MatterTexts>} */
const textsOf = textsLater(['matters'])

/** How far a map is, and what its cells become. @param {MatterTexts} m @param {Matters} matters @param {'mattersChooseHead' | 'mattersChooseState'} choose */
function progress(m, { exact, dims: [rows] }, choose) {
  const said = exact === rows ? m('mattersExact') : m('mattersEstimate', { exact, rows })
  return html`<p class="note" role="status" data-exact=${exact} data-rows=${rows}>${said} ${m(choose)}</p>`
}

/**
 * @param {Room} room
 * @param {MatterTexts} m
 * @param {Matters} matters
 * @param {{ id: string, label: string, columns: readonly string[], columnTitle: string, pin: (at: { row: number, column: number }) => void }} given
 */
function map({ t }, m, { dims, effects }, { id, label, columns, columnTitle, pin }) {
  return html`<qkv-heatmap id=${id}
    .label=${label}
    .matrix=${{ data: effects, dims }}
    .rowTokens=${Array.from({ length: dims[0] }, (_, layer) => String(layer + 1))}
    .columnTokens=${columns}
    .rowTitle=${m('mattersLayer')}
    .columnTitle=${columnTitle}
    .scale=${'diverging'}
    .texts=${t.elements}
    @cell-pin=${(/** @type {PinEvent} */ { detail }) => pin(detail)}
  ></qkv-heatmap>`
}

/** The heads that matter most, and what the reader's changes did beside what the map foretold. @param {Room} room @param {MatterTexts} m @param {Matters} matters */
function heads(room, m, matters) {
  const { act, settings, stack, got, active } = room
  const { effects, dims } = matters
  const [, H] = dims
  const at = (/** @type {number} */ n) => ({ stack, layer: Math.floor(n / H), head: n % H })
  const order = Array.from(effects.keys()).sort((a, b) => Math.abs(effects[b]) - Math.abs(effects[a]))
  const toggle = (/** @type {import('../../head/head.js').HeadAt} */ head) =>
    act.change(withFactor(settings.changes, head, factorOf(settings.changes, head) === 'mean' ? 1 : 'mean'))
  const isOwn = (/** @type {import('../../head/changes.js').Change} */ change) =>
    change.kind === 'head' && change.how === 'mean' && change.stack === stack
  const own = /** @type {import('../../head/head.js').HeadAt[]} */ (active.filter(isOwn))
  const foretold = own.reduce((sum, { layer, head }) => sum + effects[layer * H + head], 0)
  const now = got['matters:now']
  const real = now?.is === 'here' && typeof now.value === 'number' ? now.value : undefined
  return html`<div class="matters-map">
    <h3>${m('mattersHeads')}</h3>
    ${progress(m, matters, 'mattersChooseHead')}
    ${map(room, m, matters, {
      id: 'matters-heads',
      label: m('mattersHeads'),
      columns: Array.from({ length: H }, (_, head) => String(head + 1)),
      columnTitle: m('mattersHead'),
      pin: ({ row, column }) => toggle({ stack, layer: row, head: column }),
    })}
    <ol class="matters-list" id="matters-list">${order
      .slice(0, MOST_HEADS)
      .map(
        n =>
          html`<li><button type="button" class="addend-open" data-head=${nameOf(at(n))} @click=${() => act.openHead(at(n))}>${m(effects[n] < 0 ? 'mattersHelps' : 'mattersHinders', { name: nameOf(at(n)), value: signed(effects[n], DIGITS) })}</button></li>`,
      )}</ol>
    ${own.length && own.length === active.length && real !== undefined ? html`<p id="matters-foretold" role="status">${m('mattersForetold', { count: own.length, foretold: signed(foretold, DIGITS), real: signed(real, DIGITS) })}</p>` : nothing}
  </div>`
}

/** The states that matter, from another text. @param {Room} room @param {MatterTexts} m @param {Matters | undefined} matters */
function positions(room, m, matters) {
  const { act, settings, text, words, stack } = room
  const { lengths } = matters ?? {}
  const pin = (/** @type {{ row: number, column: number }} */ { row, column }) =>
    row > 0 &&
    act.change(withChange(settings.changes, { kind: 'patch', isOn: true, stack, layer: row - 1, position: column }))
  return html`<div class="matters-map">
    <h3>${m('mattersPositions')}</h3>
    <label>${m('mattersOther')} <input type="text" id="matters-other" .value=${settings.sourceText || text} @change=${(/** @type {InputEvent} */ { target }) => act.typeSource(target.value)} /></label>
    ${lengths ? html`<p class="note" role="status" id="matters-lengths">${m('mattersLengths', { here: lengths[0].length, there: lengths[1].length, tokens: lengths[0].join(' | '), others: lengths[1].join(' | ') })}</p>` : nothing}
    ${
      matters && !lengths
        ? html`${progress(m, matters, 'mattersChooseState')}${map(room, m, matters, { id: 'matters-positions', label: m('mattersPositions'), columns: words.queries, columnTitle: m('mattersPosition'), pin })}`
        : html`<p class="note">${m('mattersPositionsText')}</p>`
    }
  </div>`
}

/** @param {Room} room */
export function mattersPanel(room) {
  const { t, got, openModel, view } = room
  if (!view.hasMatters) return nothing
  const ofHeads = /** @type {Matters | undefined} */ (shown(got['matters:heads']))
  const ofPositions = /** @type {Matters | undefined} */ (shown(got['matters:positions']))
  const { encoder, decoder } = openModel?.stacks ?? {}
  return textsOf(t('htmlLang')).draw(m => {
    if (!ofHeads) return html`<p class="note">${t('loading')}</p>`
    if (ofHeads.isTooLong) return html`<p class="note">${m('mattersTooLong')}</p>`
    const [first, second] = ofHeads.tokens
    return html`<p>${m('mattersSay', { first, second, value: signed(ofHeads.value, DIGITS) })}</p>
      <div class="matters">${heads(room, m, ofHeads)}${encoder && decoder ? nothing : positions(room, m, ofPositions)}</div>`
  })
}
