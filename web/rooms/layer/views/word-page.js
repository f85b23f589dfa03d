import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { format } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { answerOf } from '../explain/visibility-facts.js'
import { marked, rich, share, sharesOf, weightsOf } from './word-buttons.js'

/** @import { Cell, SceneContext, Share, Word } from '../layer.js' */
/** @import { Part, Place } from '../../../head/head.js' */

/** A cell as a place of the inspector. @param {Cell} cell @returns {Place} */
export const cellPlace = ({ matrix, head, row, column }) => ({
  head: { stack: '', layer: 0, head },
  cell: { matrix, row, column },
})

/**
 * The largest shares as bars; each opens its cell.
 * @param {SceneContext} context
 * @param {Word} word
 * @param {Share[]} shares
 * @param {'queries' | 'keys'} other
 * @returns {Part}
 */
function shareBars(context, word, shares, other) {
  const { t, head } = context
  const names = namesOf(context.result)[other]
  const placeOf = (/** @type {number} */ position) => {
    const [row, column] = other === 'keys' ? [word.position, position] : [position, word.position]
    return cellPlace({ matrix: 'weights', head, row, column })
  }
  return {
    type: 'bars',
    key: `${word.side} ${word.position} ${other}`,
    rows: shares.map(({ position, weight }) => ({
      name: names[position],
      share: weight,
      place: placeOf(position),
      id: `${other}:${position}`,
    })),
    written: weight => share(context, weight),
    more: (count, sum) => t('moreShares', { count, share: share(context, sum) }),
  }
}

/** Does this word see another? @param {SceneContext} context @param {Word} word */
function ask(context, word) {
  const { t, result, settings, actions } = context
  const { queries, keys } = namesOf(result)
  const asked = settings.probe !== null && settings.probe < keys.length ? settings.probe : undefined
  const options = keys.map((name, i) => html`<option value=${i} ?selected=${asked === i}>${name}</option>`)
  const answer = asked === undefined ? undefined : answerOf(result, word.position, asked)
  const params = answer && {
    query: marked(queries[word.position]),
    key: marked(keys[answer.key]),
    share: share(context, weightsOf(context).data[word.position * keys.length + answer.key]),
  }
  return html`<div class="ask">
    <label for="sees">${rich(t('ask', { word: marked(queries[word.position]) }))}</label>
    <select id="sees" .value=${live(asked === undefined ? '' : String(asked))} @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) => actions.change({ probe: target.value === '' ? null : Number(target.value) })}>
      <option value="" ?selected=${asked === undefined}>…</option>${options}
    </select>
    ${asked === undefined ? nothing : html`<label for="probeWord">${t('probeWord')}</label> <input id="probeWord" dir="auto" autocomplete="off" autocapitalize="off" spellcheck="false" .value=${live(settings.probeWord)} @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => actions.change({ probeWord: target.value }, 'probeWord')} />`}
    ${
      answer && params
        ? html`<div id="sees-answer" aria-live="polite">
            <p><b>${t(answer.isSeen ? 'yes' : 'no')}</b> ${rich(
              answer.isSeen ? t('asksYes', params) : t(`hides.${answer.reason}`, { ...params, ...rulesOf(result) }),
            )}</p>
            ${
              answer.moved === undefined
                ? nothing
                : html`<p class="note">${rich(
                    t(answer.moved === 0 ? 'asksStill' : 'asksMoved', {
                      ...params,
                      word: marked(answer.word),
                      moved:
                        answer.moved < 5e-5 ? answer.moved.toExponential(1).replace('-', '−') : format(answer.moved),
                    }),
                  )}</p>`
            }
          </div>`
        : nothing
    }
  </div>`
}

/** @param {SceneContext['result']} result */
const rulesOf = ({ settings: { left, right, padding, prefix } }) => ({ left, right, padding, prefix })

/** What a word looks at and what looks at it. @param {SceneContext} context @param {Word} word @returns {Part[]} */
export function wordParts(context, word) {
  const { t, result } = context
  const { isCross } = result.settings
  const { tokens, ids } = result.settings[word.side]
  if (word.position >= tokens.length) return []
  const { name, looks, seen } = sharesOf(context, word)
  const position = t(isCross ? `position.${word.side}` : 'position', {
    position: word.position + 1,
    count: tokens.length,
    id: ids[word.position],
  })
  /** @param {string} text @param {Share[]} shares @param {'queries' | 'keys'} other @returns {Part[]} */
  const list = (text, shares, other) => [
    { type: 'heading', text, isSmall: true },
    shareBars(context, word, shares, other),
  ]
  return [
    {
      type: 'drawing',
      draw: () => html`<h3 class="word-title"><bdi>${name}</bdi></h3><p class="where">${position}</p>`,
    },
    ...(looks ? list(t('looksAtTitle', { share: share(context, 1 / looks.length) }), looks, 'keys') : []),
    ...(seen ? list(t('lookedAtTitle'), seen, 'queries') : []),
    {
      type: 'drawing',
      draw: () => html`${word.side === 'queries' ? ask(context, word) : nothing}${otherHeads(context, word)}`,
    },
  ]
}

/** What the word looks at most in each head. @param {SceneContext} context @param {Word} word */
function otherHeads(context, word) {
  const { t, result, head, actions } = context
  const { weights } = result.tensors
  if (!weights || result.smalls || result.heads < 2 || word.side !== 'queries') return nothing
  const { keys } = namesOf(result)
  const [H, L, S] = weights.dims
  return html`<h4>${t('inEachHead')}</h4><ol class="each-head">${Array.from({ length: H }, (_, h) => {
    const row = weights.data.subarray((h * L + word.position) * S, (h * L + word.position + 1) * S)
    let most = 0
    for (let column = 1; column < S; column++) if (row[column] > row[most]) most = column
    return html`<li><button type="button" class="share" aria-current=${h === head ? 'true' : nothing} @click=${() => actions.select({ head: h })}>
      <span class="share-name">${t('headNumber', { head: h + 1 })}</span> <span class="share-word"><bdi>${keys[most]}</bdi></span> <span class="share-number">${share(context, row[most])}</span></button></li>`
  })}</ol>`
}
