import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { format } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { answerOf } from '../explain/visibility-facts.js'
import { rolesOf } from '../explain/word-roles.js'
import { roleOf } from './head-list.js'
import { cellPlace } from './select.js'
import { marked, rich, share, sharesOf, weightsOf } from './word-buttons.js'

/** @import { SceneContext, Share, Word } from '../layer.js' */
/** @import { Inline, Part, Value } from '../../../attention-head/head.js' */
/** @import { Key } from '../../../i18n/index.js' */
/** @import { Role } from '../explain/word-roles.js' */

/**
 * Draws the largest shares as bars; each opens its cell.
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

/** Draws the question whether this word sees another one, with its answer. @param {SceneContext} context @param {Word} word */
function ask(context, word) {
  const { t, result, settings, actions } = context
  const { queries, keys } = namesOf(result)
  const asked = settings.probe !== null && settings.probe < keys.length ? settings.probe : undefined
  const options = keys.map((name, i) => html`<option value=${i} ?selected=${asked === i}>${name}</option>`)
  const answer = asked === undefined ? undefined : answerOf(result, word.position, asked)
  const words = answer && { query: queries[word.position], key: keys[answer.key] } // unmarked, since the text puts them in quotation marks
  const params = answer && {
    query: marked(queries[word.position]),
    key: marked(keys[answer.key]),
    share: share(context, weightsOf(context).data[word.position * keys.length + answer.key]),
  }
  return html`<div class="ask">
    <label for="sees">${rich(t('ask', { word: marked(queries[word.position]) }))}</label>
    <select id="sees" .value=${live(asked === undefined ? '' : String(asked))}
      @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) =>
        actions.change({ probe: target.value === '' ? null : Number(target.value) })}>
      <option value="" ?selected=${asked === undefined}>…</option>${options}
    </select>
    ${
      asked === undefined
        ? nothing
        : html`<label for="probeWord">${t('probeWord')}</label> <input id="probeWord" dir="auto" autocomplete="off"
          autocapitalize="off" spellcheck="false" .value=${live(settings.probeWord)}
          @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) =>
            actions.change({ probeWord: target.value }, 'probeWord')} />`
    }
    ${
      answer && params
        ? html`<div id="sees-answer" aria-live="polite">
            <p><b>${t(answer.isSeen ? 'yes' : 'no')}</b> ${rich(
              answer.isSeen ? t('asksYes', params) : t(`hides.${answer.reason}`, { ...words, ...rulesOf(result) }),
            )}</p>
            ${
              answer.moved === undefined
                ? nothing
                : html`<p class="note">${rich(
                    t(answer.moved === 0 ? 'asksStill' : 'asksMoved', {
                      ...params,
                      word: marked(answer.word),
                      moved: format(answer.moved),
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

/** Fills the {names} of a text with words or numbers. @param {SceneContext['t']} t @param {Key} key @param {Record<string, Inline>} parts @returns {Part} */
function sentence(t, key, parts) {
  const marks = Object.fromEntries(Object.keys(parts).map(name => [name, `\uE000${name}\uE000`]))
  const items = t(key, marks).split('\uE000')
  return { type: 'sentence', parts: items.map((item, i) => (i % 2 ? parts[item] : item)) }
}

/** Maximum numbers of a vector that are shown. */
const MOST_NUMBERS = 8

/**
 * Draws the query, key and value of a word. In cross-attention, a word of side 'queries' has only a query, and a word of side 'keys' only a
 * key and a value. Each number opens its cell.
 * @param {SceneContext} context
 * @param {Word} word
 * @returns {Part[]}
 */
function vectors({ t, matrices, head, result }, { side, position }) {
  const { isCross } = result.settings
  /** @type {('Q' | 'K' | 'V')[]} */
  const all = ['Q', 'K', 'V']
  const own = all.filter(id => !isCross || (id === 'Q') === (side === 'queries'))
  return own.flatMap(id => {
    const matrix = matrices.get(id)
    if (!matrix) return []
    const [, size] = matrix.tensor.dims
    /** @type {Inline[]} */
    const numbers = Array.from({ length: Math.min(size, MOST_NUMBERS) }, (_, column) => ({
      value: matrix.tensor.at(position, column),
      name: t(`matrix.${id}`),
      reach: matrix.reach,
      opens: cellPlace({ matrix: id, head, row: position, column }),
    }))
    const rest = size > MOST_NUMBERS ? [`… (${size})`] : []
    const name = html`<b>${t(`vector.${id}`)}</b>`
    return [{ type: 'sentence', parts: [name, ...numbers, ...rest].flatMap(part => [part, ' ']) }]
  })
}

/** Lists the scores, weights and outputs of the word; each number opens its cell. @param {SceneContext} context @param {Word} word @returns {Part[]} */
function roles(context, word) {
  const { t, result, head, arithmetic, matrices } = context
  const { queries, keys } = namesOf(result)
  const { asks, answers, passesOn, receives, decides } = rolesOf(result, head, word, arithmetic)
  const own = (word.side === 'queries' ? queries : keys)[word.position]
  const isSelf = !result.settings.isCross
  /** @param {Role} role @param {readonly string[]} names */
  const name = ({ position }, names) =>
    isSelf && position === word.position ? t('itself') : html`<b class="quoted-word"><bdi>${names[position]}</bdi></b>`
  /** @param {Role} role @param {string} [text] @returns {Value} */
  const number = ({ value, cell }, text = value.toFixed(2).replace('-', '−')) => ({
    value,
    text,
    name: t(`matrix.${cell.matrix}`),
    scale: cell.matrix === 'scores' ? 'signed' : 'share',
    reach: matrices.get(cell.matrix)?.reach ?? 1,
    opens: cellPlace(cell),
  })
  const percent = (/** @type {Role} */ role) => number(role, share(context, role.value))
  /** @type {Part[]} */
  const parts = []
  const word_ = html`<b class="quoted-word"><bdi>${own}</bdi></b>`
  if (asks) {
    const { best, own: itself, least } = asks
    const all = {
      word: word_,
      best: name(best, keys),
      score: number(best),
      least: name(least, keys),
      low: number(least),
    }
    parts.push(sentence(t, itself ? 'asksBestOwn' : 'asksBest', itself ? { ...all, own: number(itself) } : all))
  }
  if (answers)
    parts.push(sentence(t, 'answersBest', { word: word_, query: name(answers, queries), score: number(answers) }))
  if (passesOn.length === 2)
    parts.push(
      sentence(t, 'passesOnTwo', {
        first: percent(passesOn[0]),
        one: name(passesOn[0], queries),
        second: percent(passesOn[1]),
        other: name(passesOn[1], queries),
      }),
    )
  else if (passesOn.length)
    parts.push(sentence(t, 'passesOnOne', { first: percent(passesOn[0]), one: name(passesOn[0], queries) }))
  if (receives?.parts.length)
    parts.push({
      type: 'sentence',
      parts: [
        t(receives.isLength ? 'receivesLength' : 'receives', { total: format(receives.total) }),
        ...receives.parts.flatMap((role, i) => [
          i ? t('comma') : ' ',
          name(role, keys),
          ' ',
          {
            ...number(role, format(role.value)),
            scale: /** @type {const} */ ('signed'),
            reach: Math.abs(receives.parts[0].value) || 1,
          },
        ]),
        t('stop'),
      ],
    })
  if (decides) {
    const role = roleOf(context, decides.head)
    const all = { head: String(decides.head + 1), key: name(decides.most, keys), share: percent(decides.most) }
    parts.push(sentence(t, role ? 'decidesRole' : 'decides', role ? { ...all, role } : all))
  }
  return parts
}

/** Draws the page of a word: its vectors and roles, what it attends to and what attends to it. @param {SceneContext} context @param {Word} word @returns {Part[]} */
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
    ...vectors(context, word),
    ...roles(context, word),
    ...(looks ? list(t('looksAtTitle', { share: share(context, 1 / looks.length) }), looks, 'keys') : []),
    ...(seen ? list(t('lookedAtTitle'), seen, 'queries') : []),
    {
      type: 'drawing',
      draw: () => html`${word.side === 'queries' ? ask(context, word) : nothing}${otherHeads(context, word)}`,
    },
  ]
}

/** Lists what the word attends to most in each head. @param {SceneContext} context @param {Word} word */
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
    return html`<li><button type="button" class="share" aria-current=${h === head ? 'true' : nothing}
      @click=${() => actions.select({ head: h })}>
      <span class="share-name">${t('headNumber', { head: h + 1 })}</span>
      <span class="share-word"><bdi>${keys[most]}</bdi></span>
      <span class="share-number">${share(context, row[most])}</span></button></li>`
  })}</ol>`
}
