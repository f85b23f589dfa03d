import { html, nothing } from 'lit'
import { format, share as percent } from '../../../files/number-format.js'
import { pointable } from '../../../ui/pointing.js'
import { namesOf } from '../explain/labels.js'
import { looksAt, placeOf, seenBy, strengthOf } from '../explain/word-facts.js'
import { isSameCell } from '../settings.js'
import { selectWord } from './select.js'

/** @import { Cell, Context, SceneContext, Share, Word } from '../layer.js' */

/** Wraps a word in isolation marks, so that `rich` can find and style it. @param {unknown} word */
export const marked = word => `\u2068${word}\u2069`

/**
 * Renders a text with its marked words emphasised.
 * @param {string} text with words as wrapped by `marked`
 * @param {(part: string) => unknown} [between] renders the text between marked words
 */
export const rich = (text, between = part => part) =>
  text
    .split(/\u2068(.*?)\u2069/gs)
    .map((part, i) => (i % 2 ? html`<b class="quoted-word"><bdi>${part}</bdi></b>` : between(part)))

/** Formats a share with one decimal, never rounded to 0% or 100%. @param {Context} context @param {number} x */
export const share = ({ t, language }, x) => (x > 0 && x < 0.001 ? t('underShare') : percent(x, language))

/** Returns the weights of the displayed head. @param {SceneContext} context */
export const weightsOf = ({ matrices }) => matrices.get('weights').tensor

/**
 * Returns what a word attends to and what attends to it, with labels of both sides.
 * @param {SceneContext} context
 * @param {Word} word
 */
export function sharesOf(context, { side, position }) {
  const { result, mask } = context
  const weights = weightsOf(context)
  const { queries, keys } = namesOf(result)
  const isSelf = !result.settings.isCross
  return {
    name: (side === 'queries' ? queries : keys)[position],
    looks: side === 'queries' ? looksAt(weights, position, mask?.data) : undefined,
    seen: side === 'keys' || isSelf ? seenBy(weights, position, mask?.data) : undefined,
    queries,
    keys,
  }
}

/**
 * Describes a word: "eat looks most at is (21.9%), then dessert (17.9%)."
 * @param {SceneContext} context
 * @param {Word} word
 */
export function wordSentences(context, word) {
  const { t, result } = context
  const { name, looks, seen, queries, keys } = sharesOf(context, word)
  const isSelf = !result.settings.isCross
  const named = (/** @type {readonly string[]} */ names, /** @type {Share} */ { position }) =>
    isSelf && position === word.position ? t('itself') : marked(names[position])
  const list = (/** @type {readonly string[]} */ names, /** @type {Share[]} */ shares) =>
    shares
      .map(each => t('namedShare', { name: named(names, each), share: share(context, each.weight) }))
      .join(t('comma'))
  const sentences = []
  if (looks) {
    const [first, second] = looks
    if (!first || first.weight === 0) sentences.push(t('looksNone', { word: marked(name) }))
    else {
      const even = 1 / looks.length
      const strength = looks.length === 1 ? 'only' : strengthOf(first.weight, even)
      const written = share(context, first.weight)
      // Name the two largest keys together if their shares round to the same text.
      const isBoth =
        second && (strength === 'most' || strength === 'evenly') && share(context, second.weight) === written
      const text = t(looks.length === 1 ? 'looks.sole' : `looks.${strength}`, {
        word: marked(name),
        first: isBoth ? t('looksBoth', { first: named(keys, first), second: named(keys, second) }) : named(keys, first),
        share: isBoth ? t('shareEach', { share: written }) : written,
      })
      const then = second && strength !== 'only' && !isBoth ? t('looksThen', { rest: list(keys, [second]) }) : ''
      sentences.push(`${text}${then}${t('stop')}`)
    }
  }
  if (seen) {
    const top = seen.filter(({ weight }) => weight > 0).slice(0, 3)
    sentences.push(
      top.length
        ? t('lookedAt', { word: marked(name), list: list(queries, top) })
        : t('lookedAtNone', { word: marked(name) }),
    )
  }
  return sentences
}

/** Describes the weight of each visible key under uniform attention: "Even share: 16.7%." @param {SceneContext} context @param {Word} word */
export function evenSentence(context, word) {
  const { looks = [] } = sharesOf(context, word)
  return looks.length > 1 && looks[0].weight > 0
    ? context.t('evenShare', { share: share(context, 1 / looks.length) })
    : ''
}

/** Describes a weight: "eat gives 21.9% to is." @param {SceneContext} context @param {{ row: number, column: number }} cell */
export function cellSentence(context, { row, column }) {
  const { t, result, settings, head } = context
  const { queries, keys } = namesOf(result)
  const S = result.settings.keys.tokens.length
  const isSelf = !result.settings.isCross && row === column
  const params = { query: marked(queries[row]), key: isSelf ? t('itself') : marked(keys[column]) }
  const set = settings.edits.find(edit => isSameCell(edit, { matrix: 'weights', head, row, column }))
  if (set) return setSentence(context, set, params)
  if (result.visible && !result.visible[row * S + column]) return t('givesHidden', params)
  return t('gives', { ...params, share: share(context, weightsOf(context).data[row * S + column]) })
}

/**
 * Describes an edited weight: "eat gives 40.0% to is, set by you (it was 21.9%) ..."
 * @param {SceneContext} context
 * @param {Cell} cell
 * @param {Record<string, string>} params
 */
function setSentence(context, { head, row, column }, params) {
  const { t, result, arithmetic } = context
  const { tensors, before } = result
  const now = weightsOf(context).at(row, column)
  const was = before?.weights?.at(head, row, column)
  const isHidden = result.visible && !result.visible[row * result.settings.keys.tokens.length + column]
  const rest = arithmetic.differences([1], [now])[0]
  const said = t('givesSet', {
    ...params,
    share: share(context, now),
    was: isHidden ? t('wasHidden') : was === undefined ? '…' : share(context, was),
    rest: share(context, Math.max(rest, 0)),
  })
  const outputs = [before?.output, tensors.output].map(tensor => tensor && format(tensor.at(head, row, 0)))
  return outputs.every(Boolean)
    ? `${said} ${t('outputMoved', { before: outputs[0] ?? '', now: outputs[1] ?? '' })}`
    : said
}

/**
 * Draws a word as a button: hover and focus preview, a click selects, Shift-click shows whether the selected word sees this one.
 * @param {SceneContext} context
 * @param {Word} word
 * @param {unknown} content
 * @param {string} [className]
 * @param {string} [gloss] meaning of the word
 */
export function wordButton(context, word, content, className = '', gloss = undefined) {
  const { actions } = context
  const { enter, leave, down, up, click } = pointable({
    point: isPointed => actions.hover(isPointed ? word : undefined),
    select: isSecond => selectWord(actions, word, isSecond),
  })
  const key = (/** @type {KeyboardEvent} */ event) => event.key === 'F2' && editWord(context, word)
  return html`<button
    type="button"
    class="word-button ${className}"
    data-word="${word.side}:${word.position}"
    data-gloss=${gloss ?? nothing}
    @pointerenter=${enter}
    @pointerleave=${leave}
    @pointerdown=${down}
    @pointerup=${up}
    @pointercancel=${up}
    @focus=${enter}
    @blur=${leave}
    @click=${click}
    @dblclick=${() => editWord(context, word)}
    @keydown=${key}
  >${content ?? nothing}</button>`
}

/** Selects a word in the text field that contains it. @param {SceneContext} context @param {Word} word */
function editWord({ result }, { side, position }) {
  const { isCross } = result.settings
  const field = document.getElementById(isCross && side === 'keys' ? 'second' : 'sentence')
  if (!(field instanceof HTMLTextAreaElement)) return
  field.focus()
  const [from, to] = placeOf(field.value, result.settings[side].tokens, position)
  field.setSelectionRange(from, to)
}
