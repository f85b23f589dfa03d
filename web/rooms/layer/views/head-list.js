import { html } from 'lit'
import '../../../elements/heads.js'
import { fill } from '../../../elements/element-texts.js'
import { headStatistics } from '../../../elements/statistics.js'
import { held, left, released, rested } from '../../../ui/pointing.js'
import { headWords } from '../explain/head-facts.js'
import { namesOf } from '../explain/labels.js'
import { drawnWeights } from '../trace/visibility.js'
import { withOrigin } from './map-title.js'
import { domain, spokenWord } from './spoken.js'
import { share } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/** @type {WeakMap<object, { language: string, sentences: string[], words: import('../explain/head-facts.js').HeadWords[] }>} */
const known = new WeakMap()

/**
 * Describes each head in a sentence: "looks most at itself (29%); sharpest: 2.07 bit".
 * @param {SceneContext} context
 */
export function headSentences(context) {
  const { result, language, t } = context
  const made = known.get(result)
  if (made?.language === language) return made.sentences
  const { isCross } = result.settings
  const weights = result.tensors.weights
  const statistics = result.statistics ?? headStatistics(weights)
  const { keys } = namesOf(result)
  const words = headWords(statistics, { isCross, mostBits: mostBits(result), ...(!result.smalls && { weights }) })
  const sentences = words.map(({ at, key, share: most, strength, rank, bits }) => {
    const what = at === 'key' ? `“${keys[key ?? 0]}”` : t(`at.${at}`)
    const looks = t(strength === 'evenly' ? 'headEvenly' : 'headLooks', {
      how: t(`how.${strength}`),
      what,
      share: share(context, most),
    })
    const isRanked = rank && (strength !== 'evenly' || rank === 'evenest')
    return Number.isNaN(bits)
      ? looks
      : `${looks}${t('semicolon')}${t(isRanked ? `headRank.${rank}` : 'headBits', { bits: bits.toFixed(2) })}`
  })
  known.set(result, { language, sentences, words })
  return sentences
}

/** Minimum share of weight for a role. */
const ROLE = 0.5

/**
 * Returns the role of a head: a text that names the word itself, the previous or the first word, if that has at least half of the weight.
 * @param {SceneContext} context
 * @param {number} head
 */
export function roleOf(context, head) {
  headSentences(context) // fills `known`
  const { at, share = 0 } = known.get(context.result)?.words[head] ?? {}
  return at && at !== 'key' && share >= ROLE ? context.t(`at.${at}`) : undefined
}

/** Returns the mean entropy, in bits, of uniform attention over the visible keys. @param {SceneContext['result']} result */
export function mostBits({ settings, visible }) {
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  if (!visible) return Math.log2(S)
  let [sum, seeing] = [0, 0]
  for (let row = 0; row < L; row++) {
    let count = 0
    for (let column = 0; column < S; column++) count += visible[row * S + column]
    if (count) {
      sum += Math.log2(count)
      seeing++
    }
  }
  return seeing ? sum / seeing : 0
}

/** Names hand-built heads by their kind, trained ones by layer and head. @param {SceneContext} context */
const headNames = ({ t, result: { settings, heads } }) =>
  settings.model === 'handBuilt'
    ? settings.handBuilt.map((kind, h) => `${h + 1} ${t(`handBuiltName.${kind}`)}`)
    : settings.model === 'trained'
      ? Array.from({ length: heads }, (_, h) => fill(t.elements.head, { index: `${settings.layer}.${h + 1}` }))
      : []

/** Returns the name of one head. @param {SceneContext} context @param {number} head */
export const headName = (context, head) =>
  headNames(context)[head] ?? fill(context.t.elements.head, { index: head + 1 })

/** Describes the head under the pointer or with the focus. @param {SceneContext} context */
export function headAnswer(context) {
  const { t, hoveredHead: head } = context
  const sentence = head === undefined ? undefined : headSentences(context)[head]
  if (head === undefined || sentence === undefined) return undefined
  const name = headName(context, head)
  return t('headAnswer', { name, sentence })
}

/** Returns the index of the head under a pointer, or -1. @param {Event} event */
function headAt(event) {
  const radio = event.composedPath().find(each => each instanceof Element && each.role === 'radio')
  return radio instanceof Element ? Array.from(radio.parentElement?.children ?? []).indexOf(radio) : -1
}

/** Draws all heads in small, each with its sentence. @param {SceneContext} context */
export function heads(context) {
  const { t, result, head, actions } = context
  const { queries, keys } = namesOf(result)
  const word = spokenWord(context)
  const subtract = (/** @type {number} */ other) => {
    if (other >= 0 && other !== head) actions.look({ view: 'difference', minus: 'head', other })
  }
  const press = (/** @type {PointerEvent} */ event) => {
    const other = headAt(event)
    held(event, () => subtract(other))
  }
  /** Handles Shift-click in the capture phase, so that the element does not select the second head. @param {PointerEvent} event */
  const click = event => {
    if (!event.shiftKey) return
    event.stopPropagation()
    subtract(headAt(event))
  }
  return html`<div class="heads-column">
    <qkv-heads
      .weights=${result.smalls ?? result.tensors.weights}
      .mask=${result.smalls ? undefined : drawnWeights(result)}
      .numbers=${false}
      .notes=${headSentences(context)}
      .side=${56}
      .domain=${domain(context)}
      .rowTokens=${queries}
      .columnTokens=${keys}
      .names=${headNames(context)}
      .label=${withOrigin(context, t.elements.heads)}
      .selected=${head}
      .row=${word?.side === 'queries' ? word.position : -1}
      .texts=${t.elements}
      @head-focus=${(/** @type {CustomEvent<{ head: number } | null>} */ { detail }) =>
        detail ? rested(() => actions.hoverHead(detail.head)) : left(() => actions.hoverHead(undefined))}
      @head-select=${(/** @type {CustomEvent} */ event) => actions.select({ head: event.detail.head })}
      @pointerdown=${press}
      @pointerup=${released}
      @pointercancel=${released}
      @click=${{ handleEvent: click, capture: true }}
    ></qkv-heads>
  </div>`
}
